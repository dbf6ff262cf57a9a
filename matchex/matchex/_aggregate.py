"""What a custom operator works with when its operand is expectations: compiled operands, children, sums."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from matchex._errors import MatchingError
from matchex._node import At, Keys, Link, Node, alternative_failures, link_failures, weigh
from matchex._outcome import ERROR, PASS, Outcome, Run
from matchex._paths import Label
from matchex._report import Failure
from matchex._strategies import Strategy

__all__ = ["Aggregate", "Child", "Operand", "child_keys"]


class Operand:
    """A compiled operand of a custom operator.

    Attributes:
        expected: The expectation as it was written.
        weight: The weight written on it, or None.

    Example:
        >>> import matchex
        >>> @matchex.operator("$either", operand="expectations", strategy="max")
        ... def either(actual, operands, context):
        ...     return context.aggregate([context.child(operand, actual, i) for i, operand in enumerate(operands)])
        >>> matchex.validate(5, {"$either": [4, {"$gt": 4}]}).passed
        True
    """

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    @property
    def node(self) -> Node:
        """The compiled node, for the engine."""
        return self._node

    @property
    def expected(self) -> Any:
        return self._node.expected

    @property
    def weight(self) -> float | None:
        return self._node.weight

    def __repr__(self) -> str:
        return f"Operand({self.expected!r})"


@dataclass(frozen=True, slots=True)
class Child:
    """What matching one operand gave.

    Attributes:
        keys: Its path below the operator's.
        status: `pass`, `fail` or `error`.
        score: 0 to 1.

    Example:
        >>> import matchex
        >>> @matchex.operator("$firstWord", operand="expectation")
        ... def first_word(actual, operand, context):
        ...     child = context.child(operand, actual.split()[0])
        ...     return context.aggregate([child])
        >>> matchex.validate("hello world", {"$firstWord": {"$eq": "hello"}}).passed
        True
    """

    keys: Keys
    outcome: Outcome
    operand: Node
    value: Any

    def __bool__(self) -> bool:
        if self.outcome.status is ERROR:
            message = "an operand is in error, which is neither a pass nor a failure; return context.aggregate(…) of it"
            raise MatchingError("operator", message)
        return self.passed

    @property
    def status(self) -> str:
        return self.outcome.status

    @property
    def passed(self) -> bool:
        return self.outcome.status is PASS

    @property
    def score(self) -> float:
        return self.outcome.score


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Children combined by a strategy: what `context.aggregate` returns, for an operator to return.

    Attributes:
        children: The children.
        weights: Their shares.
        strategy: How they are combined.

    Example:
        >>> import matchex
        >>> @matchex.operator("$both", operand="expectations")
        ... def both(actual, operands, context):
        ...     return context.aggregate([context.child(o, actual, i) for i, o in enumerate(operands)])
        >>> matchex.validate(5, {"$both": [{"$gt": 4}, {"$lt": 5}]}).score
        0.5
    """

    children: Sequence[Child]
    weights: Sequence[float]
    strategy: Strategy

    def outcome(self, node: Node, actual: object, run: Run) -> Outcome:
        """The outcome of the operator."""
        outcomes = [child.outcome for child in self.children]
        criticals = [child.operand.critical for child in self.children]
        return weigh(node, actual, outcomes, self.weights, criticals, self.strategy, self)

    def links(self, out: Outcome) -> Iterable[Link]:
        """The children in the report."""
        for i, (child, weight, outcome) in enumerate(zip(self.children, self.weights, out.children, strict=True)):
            yield Link(f"[{i}]", child.keys, weight, outcome)

    def failures(self, node: Node, out: Outcome, at: At) -> Iterator[Failure]:
        """The failures of the operator."""
        links = list(self.links(out))
        if self.strategy.all_needed:
            yield from link_failures(links, at)
        else:
            yield from alternative_failures(node, out, links, at)

    def message(self, node: Node, out: Outcome) -> str:
        """Why the operator fails as a whole."""
        return f"none of the operands of {node.place[-1]} matches"


def child_keys(virtual: bool | str, name: str, key: str | int, count: int) -> Keys:
    """How a custom operator names a child in paths; see `Operator.virtual`."""
    if virtual is True:
        return (Label(name), _index(key)) if count > 1 else ()
    if virtual is False:
        return (Label(name), _index(key))
    if count <= 1:
        return ()
    fields = {"operator": name, "key": key, "index": _index(key), "count": count}
    return (Label(string.Template(virtual).substitute(fields)),)


def _index(key: str | int) -> int:
    return key if isinstance(key, int) else 0
