"""User-perceived characters: where a text may be cut without tearing one apart."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

_LOOK_BACK = 256


def is_boundary(text: str, index: int) -> bool:
    """Tell whether no user-perceived character reaches across a position of a text."""
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if before.isascii() and after.isascii():
        return (before, after) != ("\r", "\n")
    start = _safe_start(text, index - 1)
    for cluster in _pattern().finditer(text, start):
        if cluster.end() >= index:
            return cluster.end() == index
    return True


def cut_before(text: str, index: int) -> int:
    """Give the last place at or before a position where the text may be cut."""
    while not is_boundary(text, index):
        index -= 1
    return index


def cut_after(text: str, index: int) -> int:
    """Give the first place at or after a position where the text may be cut."""
    while not is_boundary(text, index):
        index += 1
    return index


def _safe_start(text: str, index: int) -> int:
    """Go back to an ASCII character: but for the LF of a CRLF it begins a user-perceived character."""
    lowest = max(0, index - _LOOK_BACK)
    while index > lowest and (not text[index].isascii() or text[index] == "\n"):
        index -= 1
    return index


@functools.cache
def _pattern() -> regex.Pattern[str]:
    import regex  # loaded only for texts beyond ASCII

    return regex.compile(r"\X")
