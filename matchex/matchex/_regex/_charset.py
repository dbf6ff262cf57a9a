"""Sets of code points as sorted ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import pairwise

MAX_CODE_POINT = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]


class CharSet:
    """An immutable set of code points; ranges are inclusive, sorted, disjoint and not adjacent."""

    __slots__ = ("_starts", "ranges")

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        self.ranges: Ranges = _normalised(ranges)
        self._starts = [low for low, _ in self.ranges]

    @classmethod
    def of(cls, characters: str) -> CharSet:
        """The set of the characters of a text."""
        return cls((ord(char), ord(char)) for char in characters)

    def __contains__(self, code_point: int) -> bool:
        index = bisect_right(self._starts, code_point) - 1
        return index >= 0 and code_point <= self.ranges[index][1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CharSet) and self.ranges == other.ranges

    def __hash__(self) -> int:
        return hash(self.ranges)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __repr__(self) -> str:
        shown = ", ".join(f"{low:#x}-{high:#x}" for low, high in self.ranges[:8])
        return f"CharSet({shown}{', …' if len(self.ranges) > 8 else ''})"

    def __or__(self, other: CharSet) -> CharSet:
        return CharSet((*self.ranges, *other.ranges))

    def __invert__(self) -> CharSet:
        edges = [(-1, -1), *self.ranges, (MAX_CODE_POINT + 1, MAX_CODE_POINT + 1)]
        return CharSet((before[1] + 1, after[0] - 1) for before, after in pairwise(edges) if before[1] + 1 < after[0])

    def __and__(self, other: CharSet) -> CharSet:
        found: list[tuple[int, int]] = []
        left, right = 0, 0
        while left < len(self.ranges) and right < len(other.ranges):
            (low_a, high_a), (low_b, high_b) = self.ranges[left], other.ranges[right]
            if max(low_a, low_b) <= min(high_a, high_b):
                found.append((max(low_a, low_b), min(high_a, high_b)))
            if high_a < high_b:
                left += 1
            else:
                right += 1
        return CharSet(found)

    def __sub__(self, other: CharSet) -> CharSet:
        return self & ~other

    def isdisjoint(self, other: CharSet) -> bool:
        """Whether no code point is in both."""
        return not self & other

    @property
    def single(self) -> int | None:
        """The only member, or None when there are more or none."""
        if len(self.ranges) == 1 and self.ranges[0][0] == self.ranges[0][1]:
            return self.ranges[0][0]
        return None

    def mapped(self, table: Mapping[int, int]) -> CharSet:
        """The image of the set under a table of changed code points; others stay as they are."""
        if not table or not self.ranges:
            return self
        moved = [source for source in table if source in self]
        if not moved:
            return self
        kept = self - CharSet((source, source) for source in moved)
        return kept | CharSet((table[source], table[source]) for source in moved)


def _normalised(ranges: Iterable[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            if high > merged[-1][1]:
                merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return tuple(merged)


EMPTY = CharSet()
ANY = CharSet([(0, MAX_CODE_POINT)])
DIGIT = CharSet([(0x30, 0x39)])
WORD = CharSet([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
LINE_TERMINATOR = CharSet.of("\n\r\u2028\u2029")
SPACE = CharSet.of("\t\v\f \u00a0\u1680\u202f\u205f\u3000\ufeff") | CharSet([(0x2000, 0x200A)]) | LINE_TERMINATOR
