"""A diff as a line or lines, with marks or colours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

__all__ = ["diff_text"]

_KEPT: Final = 30
_MARKS: Final = {"-": ("[-", "-]"), "+": ("{+", "+}")}
_COLOURS: Final = {"-": ("\x1b[31;9m", "\x1b[0m"), "+": ("\x1b[32;4m", "\x1b[0m")}


def diff_text(diff: Any, *, coloured: bool = False) -> str:
    """What was expected and did not come (`[-…-]`), what came instead (`{+…+}`), and what surrounds it.

    Args:
        diff: A diff of matchex, or what this function made of one for a log.
        coloured: Use ANSI codes in place of the marks.
    """
    if isinstance(diff, str):
        return diff
    marks = _COLOURS if coloured else _MARKS
    separator = "\n" if diff.kind == "json" else ""
    return separator.join(_parts(diff.changes, marks))


def _parts(changes: Any, marks: dict[str, tuple[str, str]]) -> Iterator[str]:
    for index, change in enumerate(changes):
        if change.sign == " ":
            yield _folded(change.text, first=index == 0, last=index == len(changes) - 1)
        else:
            before, after = marks[change.sign]
            yield f"{before}{change.text}{after}"


def _folded(text: str, *, first: bool, last: bool) -> str:
    """An unchanged run, shortened to what stands beside a change."""
    head, tail = (0 if first else _KEPT), (0 if last else _KEPT)
    hidden = len(text) - head - tail
    if hidden <= _KEPT:
        return text
    return f"{text[:head]}…({hidden:,} characters)…{text[len(text) - tail :] if tail else ''}"
