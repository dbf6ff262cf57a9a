"""`aitest compare`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from aitestrunner._cli._common import EXIT_FAILED, EXIT_OK, EXIT_USAGE, palette, sayable, usage_error, write_parts
from aitestrunner._cli._options import finite
from aitestrunner._cli._reports import check_reports

if TYPE_CHECKING:
    from aitestrunner._comparison import CaseChange, RunComparison
    from aitestrunner._report_text import Palette

__all__ = ["compare"]

_COLOURS: Final = {"worse": "31", "better": "32", "changed": "33", "new": "2", "gone": "2"}

_HELP = """\
Show what got worse, and what got better, from one run to another.

A case is worse when it passed and does not any more or, where its status is the same, when its score or its pass rate
fell. The exit status is 1 when some case is worse, whatever else fails: a build stops for regressions alone.

\b
Examples:
    aitest compare monday.jsonl tuesday.jsonl
    aitest compare main.jsonl branch.jsonl --tolerance 0.05 --json - | jq .counts
"""


@click.command(help=_HELP, short_help="Compare two run logs.")
@click.argument("before", type=click.Path(exists=True, dir_okay=False))
@click.argument("after", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1),
    callback=finite,
    default=0.0,
    show_default=True,
    help="By how much a score, as a share of its maximum, or a pass rate may fall.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the comparison as JSON; - is standard output.")
@click.option("--partial", is_flag=True, help="Accept runs that did not end.")
@click.option("--verbose", "-v", is_flag=True, help="Show how the cases that got better failed before, too.")
def compare(before: str, after: str, tolerance: float, json_file: str | None, partial: bool, verbose: bool) -> int:
    """Show what got worse, and what got better, from one run to another."""
    from aitestrunner._comparison import RunComparison
    from aitestrunner._merge_logs import check_ended
    from aitestrunner._runlog import LogError, LoggedRun

    check_reports({"json_file": json_file}, {f"the log {log}": log for log in (before, after)})
    try:
        runs = LoggedRun.read(before), LoggedRun.read(after)
        if not partial:
            check_ended(runs)  # what is missing in the others would look like cases that are gone
        compared = RunComparison(*runs, tolerance=tolerance)
    except LogError as error:
        click.echo(str(error), err=True)
        return EXIT_USAGE
    except OSError as error:
        raise usage_error(f"cannot read {error.filename}: {error.strerror}") from error
    counts = compared.counts()
    if json_file is not None:
        write_parts(json_file, _json_parts(compared, counts))
    if json_file != "-":
        colours = palette()
        for line in _lines(compared, counts, colours, verbose=verbose):
            click.echo(sayable(line, colours))
    return EXIT_FAILED if counts["worse"] else EXIT_OK


def _lines(compared: RunComparison, counts: dict[str, int], colours: Palette, *, verbose: bool) -> Iterator[str]:
    for change in compared:
        if change.verdict != "same":
            yield from _change_lines(change, colours, verbose=verbose)
    both = sum(counts[name] for name in ("worse", "better", "changed", "same"))
    told = [f"{counts[name]} {name}" for name in ("worse", "better", "changed") if counts[name] or name != "changed"]
    apart = "".join(f"; {counts[name]} {name}" for name in ("new", "gone") if counts[name])
    yield ""
    yield f"{both} cases in both runs: {', '.join(told)}, {counts['same']} as before{apart}"
    if counts["redefined"]:
        yield f"{counts['redefined']} of them changed themselves in between, or what their files say for them"


def _change_lines(change: CaseChange, colours: Palette, *, verbose: bool) -> Iterator[str]:
    from aitestrunner._report_text import item_lines

    word = colours.paint(f"{change.verdict:<7}", _COLOURS[change.verdict])
    title = f"  {change.item.title}" if change.item.title else ""
    why = colours.paint(f"  ({', '.join(change.reasons)})", "2") if change.reasons else ""
    yield f"{word} {colours.paint(change.id, '1')}{title}{why}"
    shown = change.after if change.verdict in ("worse", "changed") else change.before if verbose else None
    if shown is not None and shown.status in ("fail", "error"):
        yield from (f"  {line}" for line in list(item_lines(shown, colours))[1:])


def _json_parts(compared: RunComparison, counts: dict[str, int]) -> Iterator[str]:
    yield f'{{"counts": {json.dumps(counts)}, "cases": ['
    separator = "\n"
    for change in compared:
        if change.verdict != "same":
            yield separator + json.dumps(change.to_dict(), ensure_ascii=True)
            separator = ",\n"
    yield "\n]}\n"
