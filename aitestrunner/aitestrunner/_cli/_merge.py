"""`aitest merge`."""

from __future__ import annotations

from typing import Any

import click

from aitestrunner._cli._common import EXIT_USAGE, palette, sayable, usage_error
from aitestrunner._cli._options import report_options
from aitestrunner._cli._reports import check_reports, goes_to_stdout, status_of, write_reports

__all__ = ["merge"]


_HELP = """\
Make one log, one summary and one report of the logs of several runs, or a report of one log.

The logs of the shards of a run belong together: a case that is in two of them is an error, a missing shard too.

\b
Examples:
    aitest merge shard-*.jsonl --output all.jsonl --junit result.xml
    aitest merge .aitest/runs/20260102-101500-4711.jsonl --markdown report.md
"""


@click.command(help=_HELP, short_help="Merge run logs and report on them.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--output", "-o", metavar="FILE", help="Write the merged log.")
@click.option("--partial", is_flag=True, help="Accept runs that did not end and shards that are missing.")
@click.option("--quiet", "-q", is_flag=True, help="Show the summary only.")
@report_options
def merge(logs: tuple[str, ...], **options: Any) -> int:
    """Make one log, one summary and one report of the logs of several runs, or a report of one log."""
    from aitestrunner._merge_logs import MergedRuns
    from aitestrunner._report_text import item_lines
    from aitestrunner._runlog import LogError, LoggedRun

    check_reports(options, {"--output": options["output"], **{f"the log {log}": log for log in logs}})
    try:
        merged = MergedRuns([LoggedRun.read(path) for path in logs], partial=options["partial"])
        if options["output"]:
            merged.write(options["output"])
    except LogError as error:
        click.echo(str(error), err=True)
        return EXIT_USAGE
    except OSError as error:
        raise usage_error(f"cannot read or write {error.filename}: {error.strerror}") from error
    if not options["quiet"] and not goes_to_stdout(options):
        colours = palette()
        for item in merged:
            if item.status in ("fail", "error"):
                for line in item_lines(item, colours):
                    click.echo(sayable(line, colours))
    result = merged.result()
    write_reports(result, merged, options)
    return status_of(result)
