"""The result of a match."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from matchex._errors import MatchError
from matchex._explain import dimensions_of, errors_of, failures_of, notes_of, root_detail
from matchex._node import Leaf, Node, match_tree
from matchex._outcome import CLEAN, ERROR, PASS, Outcome, Run, Status
from matchex._report import Detail, Failure, Issue, Note

__all__ = ["MatchResult"]

_REPR_LENGTH: Final = 160


class MatchResult:
    """What matching a value gave: a verdict, a score, and on demand the reasons.

    Everything but the verdict is worked out when it is first read. A result refers to the value that was passed;
    `to_dict()` gives a copy of all it has to say, which later changes of the value cannot touch.

    Example:
        >>> import matchex
        >>> result = matchex.validate({"name": "Ann", "age": 17}, {"name": "Ann", "age": {"$gte": 18}})
        >>> result.status, result.score
        ('fail', 0.5)
        >>> print(result)
        FAIL  score 0.5
          age: expected a value greater than or equal to 18, got 17
              expected: 18
              actual:   17
              in the expectation: age.$gte
    """

    def __init__(self, status: Status, outcome: Outcome | None, node: Node, actual: object, run: Run) -> None:
        self._status: Status = status
        self._known = outcome  # None: only the verdict was told yet
        self._node = node
        self._actual = actual
        self._run = run

    @property
    def status(self) -> Status:
        """`"pass"`, `"fail"`, or `"error"` when a check could not be done and might have changed the verdict."""
        return self._status

    @property
    def passed(self) -> bool:
        """Whether the outcome is a pass; false for an error too."""
        return self._status == PASS

    @property
    def score(self) -> float:
        """How much was earned, 0 to 1; what is in error earned nothing."""
        known = self._known
        return known.score if known is not None else self._outcome.score

    @property
    def actual(self) -> Any:
        """The value that was matched."""
        return self._actual

    @functools.cached_property
    def failures(self) -> tuple[Failure, ...]:
        """What does not match; empty for a pass."""
        found = failures_of(self._outcome)
        return tuple(failure.detached() for failure in found) if self._run.shared else found

    @property
    def errors(self) -> tuple[Issue, ...]:
        """The checks that could not be done, also where they did not change the verdict."""
        return () if self._known is CLEAN else self._errors

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know about the passes: what held on nothing, what was only contained."""
        if self._known is CLEAN and isinstance(self._node, Leaf) and self._node.is_silent(self._actual):
            return ()  # a root: no key of it can be nearly another
        return self._notes

    @functools.cached_property
    def _errors(self) -> tuple[Issue, ...]:
        return errors_of(self._outcome)

    @functools.cached_property
    def _notes(self) -> tuple[Note, ...]:
        return notes_of(self._recorded)

    @property
    def critical_failures(self) -> tuple[Failure, ...]:
        """The failures that are critical."""
        return tuple(failure for failure in self.failures if failure.critical)

    @property
    def details(self) -> tuple[Detail, ...]:
        """The tree of scored nodes."""
        return self._root.details

    @functools.cached_property
    def dimensions(self) -> Mapping[str, float]:
        """Score per dimension: the weighted mean of the topmost nodes that name it."""
        return dimensions_of(self._root)

    @functools.cached_property
    def _outcome(self) -> Outcome:
        """The outcome with its reasons."""
        return self._known if self._known is not None else match_tree(self._node, self._actual, self._new_run())

    @functools.cached_property
    def _recorded(self) -> Outcome:
        """The match once more with every outcome recorded; user code is not asked again, its answers were kept."""
        run = self._new_run()
        run.quick = False
        return match_tree(self._node, self._actual, run)

    def _new_run(self) -> Run:
        before = self._run
        run = Run(self._actual, before.data, before.input, before.fixture, waits=before.waits)
        run.answers = before.answers
        run.shared = before.shared
        return run

    @functools.cached_property
    def _root(self) -> Detail:
        return root_detail(self._recorded)

    def to_dict(self) -> dict[str, Any]:
        """The whole result as plain data that `json.dumps` takes; nothing in it refers to the matched value.

        Values that JSON does not know are written as their text, very deep ones are cut.
        """
        from matchex._render import to_dict

        return to_dict(self)

    def __bool__(self) -> bool:
        if self._status == ERROR:
            raise MatchError(f"the outcome is an error, neither a pass nor a failure\n{self}")
        return self._status == PASS

    def __str__(self) -> str:
        from matchex._render import to_text

        return to_text(self)

    def __repr__(self) -> str:
        found = self.failures or self.errors
        first = f"; {found[0].path or '(root)'}: {found[0].message}" if found else ""
        first = first if len(first) <= _REPR_LENGTH else first[: _REPR_LENGTH - 1] + "…"
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return f"<MatchResult {self.status} score={self.score:.4g}{first}{more}>"
