"""What a diff is: an exact list of changes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

DIFF_KINDS: Final = ("auto", "chars", "words", "wordsWithSpace", "lines", "sentences", "json")
"""The names of the diff types, as `$diff` spells them."""

DEFAULT_BUDGET: Final = 800_000
"""Steps of work for one diff, each about a quarter of a microsecond."""

Sign = Literal[" ", "-", "+"]


class NoValue(Enum):
    """The type of `NO_VALUE`: a change of texts, or a white-list item, that carries no JSON value."""

    NO_VALUE = "no value"

    def __repr__(self) -> str:
        return self.name


NO_VALUE: Final = NoValue.NO_VALUE


@dataclass(frozen=True, slots=True)
class Change:
    """One part of a diff.

    Attributes:
        sign: `" "` in both texts, `"-"` only in the expected one, `"+"` only in the actual one.
        text: the part itself; what is in both texts is spelt as in the actual one. For JSON `path: <JSON>`.
        count: how many tokens of the diff type it spans.
        path: the path of a JSON leaf, else None.
        val: the value of a JSON leaf, else `NO_VALUE`.

    Example:
        >>> import matchex
        >>> [(change.sign, change.text) for change in matchex.validate("cut", "cat").failures[0].diff.changes]
        [(' ', 'c'), ('-', 'a'), ('+', 'u'), (' ', 't')]
    """

    sign: Sign
    text: str
    count: int
    path: str | None = None
    val: object = NO_VALUE


@dataclass(frozen=True, slots=True)
class Diff:
    """The changes that lead from an expected value to an actual one.

    Attributes:
        kind: the diff type that was used; never `auto`.
        changes: all parts in order. A JSON diff lists only what differs.
        minimal: False when the budget of work was spent and the changes are coarser than they could be.

    Example:
        >>> import matchex
        >>> diff = matchex.validate("cut", "cat").failures[0].diff
        >>> diff.kind, diff.changed, diff.minimal
        ('chars', True, True)
    """

    kind: str
    changes: tuple[Change, ...]
    minimal: bool = True

    @property
    def changed(self) -> bool:
        """Whether anything differs."""
        return any(change.sign != " " for change in self.changes)
