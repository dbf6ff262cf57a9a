"""What the commands share: exit statuses, where output goes, and how problems of files are shown."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from aitestrunner._errors import FixtureProblem
    from aitestrunner._files import FixtureFile
    from aitestrunner._report_text import Palette

__all__ = [
    "EXIT_FAILED",
    "EXIT_INTERNAL",
    "EXIT_INTERRUPTED",
    "EXIT_NOTHING",
    "EXIT_OK",
    "EXIT_USAGE",
    "Stop",
    "counted",
    "load_files",
    "pair",
    "palette",
    "paths_argument",
    "read_value",
    "sayable",
    "show_problems",
    "split_line",
    "usage_error",
    "write_parts",
]

_PAINTED: Final = re.compile(r"(\x1b\[[0-9;]*m)")

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_INTERRUPTED: Final = 2
EXIT_INTERNAL: Final = 3
EXIT_USAGE: Final = 4
EXIT_NOTHING: Final = 5


class Stop(BaseException):
    """Ends the command from inside a listener, where an ordinary exception is only noted.

    Args:
        status: The exit status.
        message: What to say on standard error; nothing when empty.
    """

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def split_line(path: Path) -> tuple[Path, int | None]:
    """A path and the line behind it, like `bot.fixture.yaml:12`."""
    name, mark, line = str(path).rpartition(":")
    if mark and line.isdecimal() and not path.exists() and Path(name).is_file():
        return Path(name), int(line)
    return path, None


paths_argument = click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))


def usage_error(message: str) -> click.UsageError:
    """An error of the command line, which ends with exit status 4."""
    return click.UsageError(message)


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 case`, `2 cases`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def load_files(paths: Iterable[Path]) -> list[FixtureFile]:
    """The fixture files that the paths name, with their problems in them.

    Raises:
        click.UsageError: A path is not there, or cannot be read.
    """
    from aitestrunner._files import find_fixture_files, load_fixture_file

    try:
        return [load_fixture_file(path) for path in find_fixture_files(paths)]
    except OSError as error:
        raise usage_error(str(error)) from error


def show_problems(problems: Iterable[FixtureProblem]) -> int:
    """Print problems on standard error; returns how many there were."""
    count = 0
    for problem in problems:
        click.echo(str(problem), err=True)
        count += 1
    return count


def palette() -> Palette:
    """Colours where standard output is a terminal that wants them."""
    from aitestrunner._report_text import Palette

    return Palette(enabled=sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb")


def sayable(line: str, colours: Palette) -> str:
    """Control characters and lone surrogates of answers as escapes: they must not steer a terminal.

    Args:
        line: A line, painted by `colours`.
        colours: Whose codes stay.
    """
    if line.isprintable():
        return line
    parts = _PAINTED.split(line) if colours.enabled else [line]
    return "".join(part if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _escaped(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def write_parts(path: str, parts: Iterable[str]) -> None:
    """Write a report piece by piece; `-` is standard output.

    Raises:
        click.UsageError: It cannot be written.
    """
    if path == "-":
        for part in parts:
            click.echo(part.encode("utf-8", "backslashreplace"), nl=False)  # a report is UTF-8, whatever the locale
        return
    try:
        with Path(path).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(parts)
    except OSError as error:
        raise usage_error(f"cannot write {path!r}: {error.strerror}") from error


def pair(text: str, option: str) -> tuple[str, str]:
    """The two sides of `NAME=VALUE`.

    Raises:
        click.UsageError: It is none.
    """
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise usage_error(f"{option} takes NAME=…, got {text!r}")
    return name, value


def read_value(text: str) -> Any:
    """A value given on the command line, read like a value in a fixture file."""
    from aitestrunner._errors import FixtureError
    from aitestrunner._yaml import parse_yaml

    try:
        return parse_yaml(text, "the command line").value
    except FixtureError:
        return text
