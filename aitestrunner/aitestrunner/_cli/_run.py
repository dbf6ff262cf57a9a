"""`aitest run`."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from aitestrunner._cli._common import (
    EXIT_FAILED,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_OK,
    EXIT_USAGE,
    Stop,
    load_files,
    palette,
    paths_argument,
    read_value,
    show_problems,
    usage_error,
    write_file,
)

if TYPE_CHECKING:
    from aitestrunner._files import FixtureFile
    from aitestrunner._log import AITestFixtureResult, AITestLogItem
    from aitestrunner._runner import AITestRunner

__all__ = ["run"]


_HELP = """\
Run the cases of fixture files and show what does not hold, and where.

PATHS are fixture files or folders. In folders, files named *.fixture.* and *.aitest.* count (.yaml, .json, .jsonl).

\b
Examples:
    aitest run tests/ --executor ./bot.py:answer
    aitest run bot.fixture.yaml --answers monday.jsonl
    aitest run tests/ -e py:my_app.bot:answer -d language=de --json result.json
"""


@click.command(help=_HELP, short_help="Run the cases of fixture files.")
@paths_argument
@click.option(
    "--executor",
    "-e",
    metavar="NAME",
    help="What answers: a function (./file.py:function or py:package.module:function), which is called with the "
    "context of a case and returns the answer, or the name of an executor: command, http, openai, replay, mock. It "
    "goes before what fixture files name.",
)
@click.option(
    "--executor-option",
    "executor_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the executor; the value is read as YAML, ${VARIABLE} in it from the environment. Can be "
    "repeated.",
)
@click.option(
    "--allow-env",
    multiple=True,
    metavar="VARIABLE",
    help="A variable of the environment that executors named by fixture files may be given. Can be repeated.",
)
@click.option(
    "--answers",
    "-a",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help='Recorded answers for one fixture file: JSON Lines of {"output": …}, with the `id` or index `i` of the '
    "case, or in their order. Without -e and -a the file NAME.answers.jsonl beside NAME.fixture.yaml is taken.",
)
@click.option("--script", "-s", metavar="NAME", help="What the executor is told to run, where a case does not say it.")
@click.option(
    "--data",
    "-d",
    "data",
    multiple=True,
    metavar="NAME=VALUE",
    help="A variable for templates; the value is read as YAML. Can be repeated.",
)
@click.option(
    "--operator",
    "-o",
    "operators",
    multiple=True,
    metavar="NAME=REFERENCE",
    help="An operator of your own: $name=py:module:function or $name=./file.py:function. Can be repeated.",
)
@click.option("--strict-vacuous", is_flag=True, help="A check that held on a missing value or an empty list fails.")
@click.option(
    "--no-code", is_flag=True, help="Refuse fixture files that name code: operators in Python files, executors."
)
@click.option("--jsonl", metavar="FILE", help="Write one JSON line per case, as they end; - is standard output.")
@click.option("--json", "json_file", metavar="FILE", help="Write the whole run as JSON; - is standard output.")
@click.option("--markdown", metavar="FILE", help="Write the run as Markdown; - is standard output.")
@click.option(
    "--verbose",
    "-v",
    is_flag=True,
    help="Show notes on passing checks too: what held on nothing, what was only contained.",
)
@click.option("--quiet", "-q", is_flag=True, help="Show what does not pass, and the summary.")
def run(paths: tuple[Path, ...], **options: Any) -> int:
    """Run the cases of fixture files and show what does not hold, and where."""
    files = load_files(paths)
    if not files:
        click.echo(
            "there are no fixture files (*.fixture.yaml, *.aitest.yaml, …) below " + ", ".join(map(str, paths)),
            err=True,
        )
        return EXIT_NOTHING
    if show_problems(problem for file in files for problem in file.problems):
        return EXIT_USAGE
    return _run_files(files, options)


def _run_files(files: list[FixtureFile], options: dict[str, Any]) -> int:
    from aitestrunner._errors import AITestError
    from aitestrunner._runner import AITestRunner

    to_stdout = [name for name in ("jsonl", "json_file", "markdown") if options[name] == "-"]
    if len(to_stdout) > 1:
        raise usage_error("only one report can go to standard output")
    try:
        runner = AITestRunner(_executor(files, options))
        with _lines_file(options["jsonl"]) as lines:
            _show_progress(runner, options, lines, silent=bool(to_stdout))
            result = runner.run_sync(options["script"], files, **_run_options(options))
    except AITestError as error:
        click.echo(str(error), err=True)
        return EXIT_USAGE
    _write_reports(result, options, silent=bool(to_stdout))
    if result.failed_count or result.error_count:
        return EXIT_FAILED
    return EXIT_OK if result.passed_count else EXIT_NOTHING


def _executor(files: list[FixtureFile], options: dict[str, Any]) -> Any:
    from aitestrunner._executor_choice import Executors

    if options["executor"] and options["answers"]:
        raise usage_error("give --executor or --answers, not both")
    if options["executor"]:
        return _named_executor(options["executor"], options["executor_options"])
    if options["executor_options"]:
        raise usage_error("--executor-option belongs to --executor")
    if options["answers"]:
        return _recorded(files, options["answers"])
    _import_from_here()
    return Executors(fallback=_recorded([file for file in files if _needs_executor(file)], None))


def _named_executor(name: str, given: tuple[str, ...]) -> Any:
    from aitestrunner._references import load_reference
    from aitestrunner.executors._registry import executor_from_options, is_reference

    _import_from_here()
    pairs = dict(_pair(text, "--executor-option") for text in given)
    if is_reference(name):
        if pairs:
            raise usage_error("a function takes no --executor-option; what it needs comes with --data")
        return load_reference(name)
    return executor_from_options(name, {option: read_value(value) for option, value in pairs.items()})


def _needs_executor(file: FixtureFile) -> bool:
    """Whether some case of a file is left without an executor by itself and its front matter."""
    from aitestrunner._merge import given

    return any(given(case.executor, file.defaults.settings.executor) is None for case in file.cases)


def _import_from_here() -> None:
    """Modules of the working directory can be named, as `python -m` does it."""
    import sys

    here = os.getcwd()  # noqa: PTH109 (sys.path holds texts)
    if here not in sys.path:
        sys.path.insert(0, here)


def _recorded(files: list[FixtureFile], answers: Path | None) -> Any:
    from aitestrunner._answers import RecordedAnswers, default_answers_path, read_answers

    if answers is not None and len(files) > 1:
        raise usage_error(
            f"--answers belongs to one fixture file, and there are {len(files)}; record answers beside each of them"
        )
    found: dict[str, Any] = {}
    for file in files:
        path = answers or default_answers_path(file.path)
        if not path.exists():
            raise usage_error(
                f"nothing answers {file.path}: there is no {path}. Name what is tested (--executor "
                './file.py:function), or record its answers there: one {"output": …} a line, in the order of the cases'
            )
        found.update(read_answers(path, file))
    return RecordedAnswers(found)


def _run_options(options: dict[str, Any]) -> dict[str, Any]:
    chosen: dict[str, Any] = {
        "strict_vacuous": options["strict_vacuous"],
        "allow_code": not options["no_code"],
        "allow_env": options["allow_env"],
    }
    data = dict(_pair(text, "--data") for text in options["data"])
    if data:
        chosen["user_config"] = {"data": {name: read_value(value) for name, value in data.items()}}
    if options["operators"]:
        _import_from_here()
        chosen["operators"] = dict(_pair(text, "--operator") for text in options["operators"])
    return chosen


def _pair(text: str, option: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise usage_error(f"{option} takes NAME=…, got {text!r}")
    return name, value


def _show_progress(runner: AITestRunner, options: dict[str, Any], lines: TextIO | None, *, silent: bool) -> None:
    """Show each case as it ends, and write its JSON line."""
    from aitestrunner._report_files import to_json_line
    from aitestrunner._report_text import item_lines

    colours, verbose, quiet = palette(), options["verbose"], options["quiet"]
    wants_lines = options["jsonl"] is not None

    def write(item: AITestLogItem) -> None:
        if wants_lines:
            click.echo(to_json_line(item), file=lines)
        if not silent and (not quiet or item.status in ("fail", "error")):
            for line in item_lines(item, colours, verbose=verbose):
                click.echo(_sayable(line))

    def show(item: AITestLogItem) -> None:
        try:
            write(item)
        except BrokenPipeError:  # aitest run … | head
            raise Stop(EXIT_INTERRUPTED) from None
        except OSError as error:
            raise Stop(EXIT_INTERNAL, f"cannot write: {error.strerror}") from error

    for event in ("test:pass", "test:fail", "test:error", "test:skip"):
        runner.on(event, show)


@contextmanager
def _lines_file(path: str | None) -> Generator[TextIO | None]:
    """The file for JSON lines, which go there one by one; None for standard output, or for no lines at all."""
    if path is None or path == "-":
        yield None
        return
    try:
        lines = Path(path).open("w", encoding="utf-8", newline="\n", buffering=1)  # noqa: SIM115 (closed below)
    except OSError as error:
        raise usage_error(f"cannot write {path!r}: {error.strerror}") from error
    try:
        yield lines
    finally:
        with suppress(OSError):  # what could not be written has been reported
            lines.close()


def _write_reports(result: AITestFixtureResult, options: dict[str, Any], *, silent: bool) -> None:
    from aitestrunner._report_files import to_json, to_markdown
    from aitestrunner._report_text import summary_lines

    if not silent:
        for line in summary_lines(result, palette()):
            click.echo(line)
    if options["json_file"]:
        write_file(options["json_file"], to_json(result))
    if options["markdown"]:
        write_file(options["markdown"], to_markdown(result))


def _sayable(line: str) -> str:
    """Control characters and lone surrogates of answers as escapes: they must not steer a terminal."""
    return "".join(c if c.isprintable() or c in "\n\x1b" else c.encode("unicode_escape").decode() for c in line)
