"""Texts made fit for showing: what cannot be seen is spelt out, what is too long is folded."""

from __future__ import annotations

import re
import unicodedata

from matchex._diff._graphemes import cut_after, cut_before

# Controls (a terminal would obey them), surrogates (they cannot be printed), line separators, and what reorders text.
_DANGEROUS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""They are part of the character before them, unless that is ASCII."""


def visible(text: str, *, changed: bool) -> str:
    r"""Spell out characters that cannot be seen; in what has not changed only those that do harm.

    In a change, blanks other than the plain one and characters without a shape may be all that matters.

    >>> visible("a\u00a0b\x1b", changed=True)
    'a\\xa0b\\x1b'
    """
    if text.isascii() and text.isprintable():
        return text
    if not changed:
        return _DANGEROUS.sub(_escape, text)
    hidden = {char for char in set(text) if char in _JOINERS or (char != " " and _is_hidden(char))}
    shown: list[str] = []
    previous = ""
    for char in text:
        joins = char in _JOINERS and previous > "\x7f" and previous not in hidden
        shown.append(_spelt(char) if char in hidden and not joins else char)
        previous = char
    return "".join(shown)


def _is_hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Zs", "Zl", "Zp", "Cc", "Cf", "Cs")


def fold(text: str, before: int, after: int, unit: str = "characters unchanged") -> tuple[str, str, str]:
    """Cut the middle out of a long text: what remains at the start, a note with the count, what remains at the end.

    A text that is hardly longer than what remains stays whole; the note is empty then.
    """
    if len(text) <= before + after + 30:
        return text, "", ""
    start, end = cut_before(text, before), cut_after(text, len(text) - after)
    return text[:start], f"… {end - start:,} {unit} …", text[end:]


def _escape(match: re.Match[str]) -> str:
    return _spelt(match[0])


def _spelt(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
