"""Texts of the form `/source/flags`, and texts to be put into a source."""

from __future__ import annotations

from ._parser import FLAGS
from ._source import DIGITS, SYNTAX_CHARACTERS

_FLAG_SET = frozenset(FLAGS)
_NAMED_ESCAPES = {"\n": "\\n", "\r": "\\r", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_PUNCTUATION = frozenset("&-!#%,:;<=>@`~'\"")


def parse_literal(text: str) -> tuple[str, str] | None:
    """Split a text of the form `/source/flags`, or return None when it is none.

    It is one when at least one character stands between the first and the last slash, nothing outside, and the flags
    are distinct letters out of `dgimsuvy` (not both u and v). Whether the source compiles is another question.

    Example:
        >>> parse_literal("/^a+$/i"), parse_literal("/usr/bin")
        (('^a+$', 'i'), None)
    """
    if not text.startswith("/"):
        return None
    end = text.rfind("/")
    flags = text[end + 1 : end + 2 + len(FLAGS)]
    distinct = set(flags)
    if end < 2 or len(distinct) < len(flags) or not distinct <= _FLAG_SET or {"u", "v"} <= distinct:
        return None
    return text[1:end], flags


def escape(text: str) -> str:
    r"""Escape a text so that, put into a pattern under any flags, it matches itself.

    Example:
        >>> escape("1.5 (approx.)")
        '\\x31\\.5 \\(approx\\.\\)'
    """
    escaped = "".join(_escaped(char) for char in text)
    # A digit in front could become part of an escape before it, such as \1.
    return f"\\x{ord(text[0]):02x}{escaped[1:]}" if text and text[0] in DIGITS else escaped


def _escaped(char: str) -> str:
    if char in SYNTAX_CHARACTERS:
        return f"\\{char}"
    if char in _PUNCTUATION:
        return f"\\x{ord(char):02x}"
    return _NAMED_ESCAPES.get(char, char)
