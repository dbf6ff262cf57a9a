"""How alike two texts are: the normalised Indel similarity, by a bit-parallel longest common subsequence."""

from __future__ import annotations

from collections import Counter

from matchex._diff._lcs import common_prefix, common_suffix, lcs_rows

DEFAULT_LIMIT = 10_000_000_000
"""Largest product of the two lengths that is worked on: about two seconds."""

TOLERANCE = 1e-9
"""What a pass mark forgives, as everywhere in the language."""


class SimilarityTooLarge(ValueError):
    """Two texts are too long to be compared within the limit."""

    def __init__(self, length_a: int, length_b: int, limit: int) -> None:
        super().__init__(
            f"texts of {length_a:,} and {length_b:,} characters are too long for a similarity: "
            f"the product of their lengths may be {limit:,} at most, once equal beginnings and ends are taken off"
        )
        self.lengths = (length_a, length_b)
        self.limit = limit


def similarity(a: str, b: str, *, limit: int = DEFAULT_LIMIT) -> float:
    """Give the normalised Indel similarity of two texts, from 0.0 (nothing in common) to 1.0 (equal).

    It is `1 - distance / (len(a) + len(b))`, where the distance counts the characters to insert and to delete.
    Two empty texts are equal.

    Args:
        a: one text.
        b: the other text; the order does not matter.
        limit: the largest product of the lengths, in characters squared, that is worked on.

    Raises:
        SimilarityTooLarge: the texts are longer than the limit allows.

    >>> round(similarity("kitten", "sitting"), 4)
    0.6154
    """
    total = len(a) + len(b)
    if total == 0:
        return 1.0
    return 2 * _common_length(a, b, limit) / total


def at_least(a: str, b: str, minimum: float, *, limit: int = DEFAULT_LIMIT) -> bool:
    """Tell whether `similarity(a, b)` reaches a minimum, looking no closer than needed.

    Lengths and character counts often settle it, also for texts that are too long to be compared.

    Args:
        a: one text.
        b: the other text.
        minimum: the similarity to reach, 0 to 1.
        limit: as for `similarity`.

    Raises:
        SimilarityTooLarge: nothing cheap settled it and the texts are longer than the limit allows.

    >>> at_least("kitten", "sitting", 0.6)
    True
    """
    needed = minimum - TOLERANCE
    if needed <= 0 or a == b:
        return needed <= 1
    total = len(a) + len(b)
    if 2 * min(len(a), len(b)) / total < needed:
        return False
    if 2 * (Counter(a) & Counter(b)).total() / total < needed:
        return False
    return similarity(a, b, limit=limit) >= needed


def _common_length(a: str, b: str, limit: int) -> int:
    head = common_prefix(a, b)
    tail = common_suffix(a, b, len(a), len(b), min(len(a), len(b)) - head)
    a, b = a[head : len(a) - tail], b[head : len(b) - tail]
    if len(a) * len(b) > limit:
        raise SimilarityTooLarge(len(a), len(b), limit)
    # What occurs on one side only can never be common.
    shared = set(a) & set(b)
    a, b = _only(a, shared), _only(b, shared)
    if not a or not b:
        return head + tail
    columns, rows = (a, b) if len(a) > len(b) else (b, a)
    last = 0
    for row in lcs_rows(columns, rows):
        last = row
    return head + tail + len(columns) - last.bit_count()


def _only(text: str, kept: set[str]) -> str:
    dropped = set(text) - kept
    return text.translate(dict.fromkeys(map(ord, dropped))) if dropped else text
