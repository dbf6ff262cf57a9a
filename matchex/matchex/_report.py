"""The data of a report: failures, issues (errors), notes, details; how they are shown is another module's matter."""

from __future__ import annotations

import copy
import dataclasses
import functools
from dataclasses import dataclass
from typing import Any

from matchex._diff import Diff
from matchex._paths import Keys, format_path, format_place

__all__ = ["Detail", "Failure", "Issue", "Note"]


class Located:
    """Something with a place in the actual value and in the expectation."""

    keys: Keys
    place: Keys

    @property
    def path(self) -> str:
        """Where in the actual value, as text."""
        return format_path(self.keys)

    @property
    def expected_path(self) -> str:
        """Where in the expectation, as text."""
        return format_place(self.place)


@dataclass(frozen=True)
class Failure(Located):
    """One thing that does not match.

    Attributes:
        keys: Where in the actual value, as keys and indexes; `path` is the same as text (`output.items[0].name`).
        place: Where in the expectation, as keys and indexes; `expected_path` is the same as text.
        message: What was expected and what came.
        expected: The expectation, or operand, that does not match.
        actual: The value at that very place (`MISSING` where there is none).
        critical: Whether a critical node failed by it.
        title: The title of the nearest node that has one.
        diff: For texts: how the actual text differs from the expected one (computed when it is read).

    Example:
        >>> import matchex
        >>> failure = matchex.validate({"price": 4}, {"price": {"$gte": 5}}).failures[0]
        >>> failure.path, failure.expected, failure.actual
        ('price', 5, 4)
    """

    keys: Keys
    place: Keys
    message: str
    expected: Any
    actual: Any
    critical: bool = False
    title: str | None = None
    compared: tuple[str, str] | Diff | None = None

    def detached(self) -> Failure:
        """The same with a copy of what was expected, for an expectation that other calls use too."""
        expected: Any = self.expected
        return dataclasses.replace(self, expected=copy.deepcopy(expected)) if type(expected) in (dict, list) else self

    @functools.cached_property
    def diff(self) -> Diff | None:
        if isinstance(self.compared, tuple):
            from matchex._diff import diff_texts

            return diff_texts(*self.compared)
        return self.compared


@dataclass(frozen=True)
class Issue(Located):
    """One check that could not be done: an error of the result.

    Attributes:
        keys, path: Where in the actual value.
        place, expected_path: Where in the expectation.
        kind: A word for the sort of trouble: `expression operator template timeout depth definition pending …`.
        message: What went wrong.
        cause: The exception behind it, or None.

    Example:
        >>> import matchex
        >>> issue = matchex.validate({"a": 1}, {"a": {"$expr": "actual > limit"}}).errors[0]
        >>> issue.path, issue.kind
        ('a', 'expression')
    """

    keys: Keys
    place: Keys
    kind: str
    message: str
    cause: BaseException | None = None


@dataclass(frozen=True)
class Note(Located):
    """Something that a reader should know about a pass.

    Attributes:
        keys, path: Where in the actual value.
        place, expected_path: Where in the expectation.
        kind: `vacuous` (held on a missing value or an empty list), `contained` (a text inside a longer one), `surplus`
            (more list items than expected), `data-key` (a `$`-key taken as data), `penalty` (one that matched),
            `near-key` (a field that must not be there is not, but one with nearly its name is), `other-kind` (a list
            under `$not` met no list).
        message: The note.

    Example:
        >>> import matchex
        >>> matchex.validate([], {"$each": 1}).notes[0].kind
        'vacuous'
    """

    keys: Keys
    place: Keys
    kind: str
    message: str


@dataclass(frozen=True)
class Detail(Located):
    """One scored node.

    Attributes:
        key: Its name among its siblings: `a`, `[0]`, `$gt`, `$or[1]`; `""` for the root.
        keys, path: Where in the actual value.
        place, expected_path: Where in the expectation.
        status: `pass`, `fail` or `error`.
        score: 0 to 1.
        weight: Its share among its siblings; negative for a penalty.
        title, dimension, critical: Its metadata.
        message: Why it does not pass, for a node that says so itself; else None.
        details: The nodes below.
        counts: Whether the score above rests on it; false for a candidate that was not chosen, and below `$not`.

    Example:
        >>> import matchex
        >>> result = matchex.validate({"a": 1, "b": 2}, {"a": 1, "b": 3})
        >>> [(detail.key, detail.passed, detail.weight) for detail in result.details]
        [('a', True, 0.5), ('b', False, 0.5)]
    """

    key: str
    keys: Keys
    place: Keys
    status: str
    score: float
    weight: float
    title: str | None
    dimension: str | None
    critical: bool
    message: str | None
    details: tuple[Detail, ...]
    counts: bool = True

    @property
    def passed(self) -> bool:
        return self.status == "pass"
