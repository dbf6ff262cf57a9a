"""The passage of a long text that is most like a short one: what a reader looks for when the short one is not in it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

__all__ = ["nearest_passage"]

_WORD: Final = re.compile(r"\w+")
_LONGEST: Final = 200_000
"""Characters of a text in which is looked; beyond it a message would take longer than it is worth."""


def nearest_passage(wanted: str, text: str) -> str | None:
    """As many words of `text` as `wanted` has, with the most words of it among them; None where that is less than half.

    Args:
        wanted: The short text.
        text: The long one, of which at most 200,000 characters are looked at.

    Example:
        >>> nearest_passage("refund of 20 EUR", "Hello Ann, your refund of 25 EUR is on its way. Yours, Bot")
        'refund of 25 EUR'
    """
    words = [found[0].casefold() for found in _WORD.finditer(wanted)]
    spans = list(_WORD.finditer(text, 0, _LONGEST))
    if len(words) < 2 or len(spans) <= len(words):
        return None
    missing = Counter(words)  # of the window that is looked at; below 0 where it has a word too often
    best = common = start = 0
    for index, found in enumerate(spans):
        word = found[0].casefold()
        common += missing[word] > 0
        missing[word] -= 1
        if index >= len(words):
            left = spans[index - len(words)][0].casefold()
            missing[left] += 1
            common -= missing[left] > 0
        if common > best:
            best, start = common, max(0, index - len(words) + 1)
    if 2 * best < len(words):
        return None
    return text[spans[start].start() : spans[min(start + len(words), len(spans)) - 1].end()]
