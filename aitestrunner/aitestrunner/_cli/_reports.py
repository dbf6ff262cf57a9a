"""Reports of a run, each made from its log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from aitestrunner._cli._common import EXIT_FAILED, EXIT_NOTHING, EXIT_OK, palette, usage_error, write_parts

if TYPE_CHECKING:
    from aitestrunner._log import AITestFixtureResult, AITestLogItem

__all__ = ["check_reports", "goes_to_stdout", "status_of", "write_reports"]

_REPORTS: Final = ("jsonl", "json_file", "markdown", "junit")


def goes_to_stdout(options: Mapping[str, Any]) -> bool:
    """Whether standard output belongs to a report, so that nothing else may be written there."""
    return any(options.get(name) == "-" for name in _REPORTS)


def check_reports(options: Mapping[str, Any], taken: Mapping[str, Any]) -> None:
    """Refuse two reports in one place, and one in the place of something that is read or written, before anything runs.

    Args:
        options: The options of the command.
        taken: Files that are no reports, with what they are; None where there is none.

    Raises:
        click.UsageError: Two of them would go to one place.
    """
    if sum(options.get(name) == "-" for name in _REPORTS) > 1:
        raise usage_error("only one report can go to standard output")
    places = {Path(file).resolve(): what for what, file in taken.items() if file is not None}
    for name in _REPORTS:
        file = options.get(name)
        if file is None or file == "-":
            continue
        option = f"--{name.removesuffix('_file')}"
        other = places.setdefault(Path(file).resolve(), option)
        if other != option:
            raise usage_error(f"{option} would overwrite {file}, which is {other}")


def write_reports(result: AITestFixtureResult, items: Iterable[AITestLogItem], options: Mapping[str, Any]) -> None:
    """Show the summary and write the report files.

    Args:
        result: The counts.
        items: The log items, which can be walked several times.
        options: The options of the command.

    Raises:
        click.UsageError: A file cannot be written.
    """
    from aitestrunner._report_text import summary_lines

    if not goes_to_stdout(options):
        for line in summary_lines(result, palette()):
            click.echo(line)
    if options["json_file"]:
        from aitestrunner._report_files import json_parts

        write_parts(options["json_file"], json_parts(result, items))
    if options["markdown"]:
        from aitestrunner._report_files import markdown_parts

        write_parts(options["markdown"], markdown_parts(result, items))
    if options["junit"]:
        from aitestrunner._junit import junit_parts

        write_parts(options["junit"], junit_parts(result, items))


def status_of(result: AITestFixtureResult) -> int:
    """The exit status that says how a run went."""
    if result.failed_count or result.error_count:
        return EXIT_FAILED
    return EXIT_OK if result.passed_count else EXIT_NOTHING
