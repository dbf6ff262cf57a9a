"""The options of `aitest run` and of the commands that share some of them, in groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = [
    "finite",
    "how_it_goes",
    "report_options",
    "what_answers",
    "what_is_kept",
    "what_is_shown",
    "where_it_runs",
    "which_cases",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def _group(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


what_answers = _group(
    click.option(
        "--executor",
        "-e",
        metavar="NAME",
        help="What answers: a function (./file.py:function or py:package.module:function), which is called with the "
        "context of a case and returns the answer, or the name of an executor: command, http, openai, replay, mock. It "
        "goes before what fixture files name.",
    ),
    click.option(
        "--executor-option",
        "executor_options",
        multiple=True,
        metavar="NAME=VALUE",
        help="An option of the executor; the value is read as YAML, ${VARIABLE} in it from the environment. Can be "
        "repeated.",
    ),
    click.option(
        "--allow-env",
        multiple=True,
        metavar="VARIABLE",
        help="A variable of the environment that executors named by fixture files may be given. Can be repeated.",
    ),
    click.option(
        "--answers",
        "-a",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help='Recorded answers for one fixture file: JSON Lines of {"output": …}, with the `id` or index `i` of the '
        "case, or in their order. Without -e and -a the file NAME.answers.jsonl beside NAME.fixture.yaml is taken.",
    ),
    click.option(
        "--script", "-s", metavar="NAME", help="What the executor is told to run, where a case does not say it."
    ),
    click.option(
        "--data",
        "-d",
        "data",
        multiple=True,
        metavar="NAME=VALUE",
        help="A variable for templates; the value is read as YAML. Can be repeated.",
    ),
    click.option(
        "--operator",
        "-o",
        "operators",
        multiple=True,
        metavar="NAME=REFERENCE",
        help="An operator of your own: $name=py:module:function or $name=./file.py:function. Can be repeated.",
    ),
    click.option(
        "--oracles-module",
        multiple=True,
        metavar="FILE",
        help="A Python file with oracles of your own: what `oracles` in fixture files may name. Can be repeated.",
    ),
    click.option("--strict-vacuous", is_flag=True, help="A check that held on a missing value or an empty list fails."),
    click.option(
        "--no-code", is_flag=True, help="Refuse fixture files that name code: operators in Python files, executors."
    ),
)


def _shard(_: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    if text is not None:
        from aitestrunner._options import read_shard

        try:
            read_shard(text)
        except ValueError as error:
            raise click.BadParameter(str(error), param=parameter) from error
    return text


where_it_runs = _group(
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Where cases run: in this process, or as tasks of Ray, on the cluster of RAY_ADDRESS or else here.",
    ),
    click.option(
        "--workers", type=click.IntRange(1), default=2, show_default=True, help="How many tasks of Ray there are."
    ),
)

which_cases = _group(
    click.option(
        "-k",
        "keywords",
        metavar="WORDS",
        help="Cases whose id, title or tags hold words: -k 'refund and not (german or \"in French\")'.",
    ),
    click.option("--tag", "-t", "tags", multiple=True, metavar="TAG", help="Cases with this tag, or one of several."),
    click.option("--last-failed", "--lf", is_flag=True, help="Cases that failed or were errors in the last run here."),
    click.option(
        "--shard",
        metavar="I/N",
        callback=_shard,
        help="One part of the cases, like 2/3; a case is in the same part everywhere.",
    ),
    click.option("--forbid-only", is_flag=True, help="A case with `only` is an error: for build servers."),
)


def finite(_: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse what is a float and no number, or has no end."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number that means anything here", param=parameter)
    return value


def _per_second(_: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """A rate like `10/s`, `90/m` or `5` as questions a second."""
    if text is None:
        return None
    number, _mark, unit = text.partition("/")
    try:
        rate = float(number) / _UNITS[unit.strip()]
    except (ValueError, KeyError):
        rate = 0.0
    if not 0 < rate < float("inf"):
        raise click.BadParameter(f"a rate is written like 10/s, 90/m or 500/h; got {text!r}", param=parameter)
    return rate


how_it_goes = _group(
    click.option(
        "--jobs",
        "-j",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="How many cases run at the same time.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        callback=finite,
        metavar="SECONDS",
        help="The time a case may take, where neither it nor its file says.",
    ),
    click.option(
        "--retries",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="How often to ask again, with growing pauses, where the executor raised.",
    ),
    click.option("--rate", metavar="N/s", callback=_per_second, help="Ask at most so often: 10/s, 90/m, 500/h."),
    click.option(
        "--repeat",
        type=click.IntRange(1),
        metavar="N",
        help="Run each case so often, where neither it nor its file says.",
    ),
    click.option(
        "--min-pass-rate",
        type=click.FloatRange(0, 1),
        callback=finite,
        metavar="SHARE",
        help="The share of the runs of a case that must pass, likewise: 0.8.",
    ),
    click.option("--fail-fast", "-x", is_flag=True, help="Stop after the first case that fails or is an error."),
)

what_is_kept = _group(
    click.option("--log", metavar="FILE", help="Where the run log goes; by default below .aitest/runs, the latest 20."),
    click.option("--no-log", is_flag=True, help="Leave no run log behind."),
    click.option(
        "--resume",
        metavar="LOG",
        type=click.Path(exists=True, dir_okay=False),
        help="Go on with the run of a log: what ended is taken from it. Files and options need not be given again.",
    ),
    click.option(
        "--record",
        type=click.Choice(["auto", "new", "none"]),
        help="Use recorded answers. auto: ask for what is not recorded; new: ask for everything and record it; "
        "none: ask for nothing.",
    ),
    click.option(
        "--recordings",
        metavar="FILE",
        default=".aitest/recordings.jsonl",
        show_default=True,
        help="Where recorded answers are.",
    ),
)

report_options = _group(
    click.option("--json", "json_file", metavar="FILE", help="Write the whole run as JSON; - is standard output."),
    click.option("--markdown", metavar="FILE", help="Write the run as Markdown; - is standard output."),
    click.option("--junit", metavar="FILE", help="Write the run as JUnit XML; - is standard output."),
)

what_is_shown = _group(
    click.option("--jsonl", metavar="FILE", help="Write one JSON line per case, as they end; - is standard output."),
    click.option(
        "--verbose",
        "-v",
        is_flag=True,
        help="Show notes on passing checks too: what held on nothing, what was only contained.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="Show what does not pass, and the summary."),
    click.option("--plain", is_flag=True, help="No progress bar on a terminal."),
)
