"""What `aitest run` shows while it runs: a line or more for each case, and on a terminal a bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from aitestrunner._cli._common import EXIT_INTERNAL, EXIT_INTERRUPTED, Stop, palette, sayable, usage_error
from aitestrunner._cli._reports import goes_to_stdout

if TYPE_CHECKING:
    from aitestrunner._log import AITestLogItem
    from aitestrunner._runner import AITestRunner

__all__ = ["shown"]

_ENDS = ("test:pass", "test:fail", "test:error", "test:skip")


@contextmanager
def shown(runner: AITestRunner, options: Mapping[str, Any]) -> Generator[None]:
    """Show what a runner tells, and write its JSON lines.

    Raises:
        click.UsageError: The file for the lines cannot be written.
    """
    with _lines_file(options["jsonl"]) as lines, _printer(runner, options) as say:
        _listen(runner, options, lines, say)
        yield


def _listen(runner: AITestRunner, options: Mapping[str, Any], lines: TextIO | None, say: Callable[[str], None]) -> None:
    from aitestrunner._report_files import to_json_line
    from aitestrunner._report_text import item_lines

    colours, verbose, quiet = palette(), options["verbose"], options["quiet"]
    wants_lines, silent = options["jsonl"] is not None, goes_to_stdout(options)

    def write(item: AITestLogItem) -> None:
        if wants_lines:
            line = to_json_line(item)
            click.echo(line if lines else line.encode(), file=lines)  # a report is UTF-8, whatever the locale
        if not silent and (not quiet or item.status in ("fail", "error")):
            for line in item_lines(item, colours, verbose=verbose):
                say(sayable(line, colours))

    def show(item: AITestLogItem) -> None:
        try:
            write(item)
        except BrokenPipeError:  # aitest run … | head
            raise Stop(EXIT_INTERRUPTED) from None
        except OSError as error:
            raise Stop(EXIT_INTERNAL, f"cannot write: {error.strerror}") from error

    for event in _ENDS:
        runner.on(event, show)


@contextmanager
def _printer(runner: AITestRunner, options: Mapping[str, Any]) -> Generator[Callable[[str], None]]:
    """What prints a line: above a progress bar where there is one."""
    if options["plain"] or options["quiet"] or goes_to_stdout(options) or not _is_terminal():
        yield click.echo
        return
    from rich.console import Console

    from aitestrunner._progress import ProgressBar

    with ProgressBar(Console()) as bar:
        runner.on("run:start", lambda header: bar.begin(header["cases"]))
        for event in _ENDS:
            runner.on(event, bar.add)
        yield bar.print


def _is_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


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
