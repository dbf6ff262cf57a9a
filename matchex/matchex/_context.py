"""The context that user code is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from matchex._aggregate import Aggregate, Child, Operand, child_keys
from matchex._asking import Loop
from matchex._custom import OperatorNode
from matchex._node import Node, match_at
from matchex._operator import named
from matchex._options import Options
from matchex._outcome import Run
from matchex._paths import format_path
from matchex._result import MatchResult
from matchex._strategies import WEIGHTED
from matchex._values import as_number, is_finite

__all__ = ["Context"]

Match = Callable[[Any, Any, Run], MatchResult]
MatchAsync = Callable[[Any, Any, Run], Awaitable[MatchResult]]


_RECORDED = -1.0
"""As a weight: the outcome is to be kept, whatever comes of it."""


class Context:
    """What user code may look at, and match with, while it judges a value.

    Attributes:
        data: The variables of the match.
        input: The input of the case.
        fixture: The fixture of the case, or its input.
        expected: The operand (for a plain function: the function itself).
        options: Other keys of the operand beside `$value`, for `{$myOperator: {$value: …, tolerance: 2}}`.
        path: Where in the actual value, as text.
        loop: Where the item stands, inside a list operator; else None.

    Example:
        >>> import matchex
        >>> def about(actual, expected, context):
        ...     return abs(actual - expected) <= context.options.get("tolerance", 1)
        >>> matchex.validate(7, {"$about": {"$value": 5, "tolerance": 2}}, operators={"$about": about}).passed
        True
    """

    def __init__(self, node: Node, run: Run, options: Options, match: Match, match_async: MatchAsync) -> None:
        self.data: Mapping[str, Any] = run.data
        self.input: Any = run.input
        self.fixture: Any = run.fixture
        self.expected: Any = node.expected
        self.options: Mapping[str, Any] = node.options if isinstance(node, OperatorNode) else {}
        self.path: str = format_path(run.keys)
        self.loop: Loop | None = Loop(*run.loop) if run.loop is not None else None
        self._keys = tuple(run.keys)
        self._loop = run.loop
        self._branch = run.branch
        self._children = 0
        self._node = node
        self._run = run
        self._options = options
        self._match = match
        self._match_async = match_async

    def validate(self, actual: object, expected: object) -> MatchResult:
        """Match any value against any expectation, with the options and variables of this match.

        Args:
            actual: A value.
            expected: An expectation.

        Raises:
            ExpectationError: The expectation is wrong.
        """
        return self._match(actual, expected, self._run)

    async def validate_async(self, actual: object, expected: object) -> MatchResult:
        """`validate` for an expectation whose operators and functions may be asynchronous."""
        return await self._match_async(actual, expected, self._run)

    def distribute(self, weights: Sequence[float | Operand | None]) -> list[float]:
        """Turn written weights (numbers, None, or operands with a `$score`) into shares.

        Args:
            weights: One for each child.
        """
        written = [weight.weight if isinstance(weight, Operand) else weight for weight in weights]
        return self._strategy.weights(written, self._options)

    def child(
        self,
        operand: Operand,
        actual: object,
        key: str | int = 0,
        *,
        at: Sequence[str | int] | None = None,
        count: int | None = None,
    ) -> Child:
        """Match a value against a compiled operand.

        Args:
            operand: One of the operands.
            actual: The value.
            key: Its name or index among the children, for the path; see `Operator.virtual`.
            at: The path of `actual` below this value, instead of a name by `virtual`.
            count: The number of children, where it is not the number of operands.
        """
        node = operand.node
        keys = tuple(at) if at is not None else self._named(key, count)
        run = self._run
        before = run.keys, run.loop, run.branch
        run.keys, run.loop, run.branch = list(self._keys), self._loop, (*self._branch, self._children)
        self._children += 1
        try:
            outcome = match_at(node, actual, keys, _RECORDED, run)
        finally:
            run.keys, run.loop, run.branch = before
        return Child(keys, outcome, node, actual)

    def aggregate(self, children: Sequence[Child], weights: Sequence[float] | None = None) -> Aggregate:
        """Combine children by the operator's strategy; the operator returns what this returns.

        Args:
            children: What `child` gave.
            weights: Their shares; those of their operands where not given.
        """
        if weights is None:
            weights = self.distribute([child.operand.weight for child in children])
        if len(weights) != len(children):
            raise ValueError(f"aggregate got {len(weights)} weights for {len(children)} children")
        if not all(is_finite(number) if (number := as_number(weight)) is not None else False for weight in weights):
            raise ValueError(f"weights must be finite numbers, as distribute gives them, not {list(weights)}")
        return Aggregate(tuple(children), tuple(weights), self._strategy)

    @property
    def _strategy(self) -> Any:
        return self._node.strategy if isinstance(self._node, OperatorNode) else WEIGHTED

    def _named(self, key: str | int, count: int | None) -> tuple[str | int, ...]:
        node = self._node
        if not isinstance(node, OperatorNode):
            return ()
        number = len(node.operands) if count is None else count
        return child_keys(node.operator.virtual, named(node.operator.name), key, number)
