"""Nodes that ask: functions as expectations, custom operators, expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from matchex._aggregate import Aggregate, Operand
from matchex._answers import failures_of_answer, is_verdict, outcome_of
from matchex._asking import ask, describe, expression_problem, positional_count, scope_of
from matchex._errors import MatchingError
from matchex._expr import Expression, ExpressionError
from matchex._given import Given
from matchex._node import At, Keys, Link, Node
from matchex._operator import Operator
from matchex._outcome import CLEAN, FAIL, PASS, Outcome, Run
from matchex._report import Failure
from matchex._show import show
from matchex._strategies import Strategy
from matchex._values import as_mapping, trim

__all__ = ["CallNode", "ExpressionNode", "OperatorNode"]

MakeContext = Callable[..., Any]


class CallNode(Node):
    """A function as expectation: called with the value, and a context where it takes one."""

    __slots__ = ("function", "make_context", "mark", "with_context")

    def __init__(self, place: Keys, function: Callable[..., Any], mark: float, make_context: MakeContext) -> None:
        super().__init__(place, function)
        self.function = function
        self.mark = mark
        self.make_context = make_context
        self.with_context = positional_count(function) > 1
        self.contextual = True
        self.plain = False

    def match(self, actual: object, run: Run) -> Outcome:
        arguments = (actual, self.make_context(self, run)) if self.with_context else (actual,)
        who = describe(self.function)
        try:
            answer = ask(run, self, who, self.function, *arguments)
        except MatchingError as error:
            return self.broken(actual, error.kind, error.message, error.__cause__ or error)
        return outcome_of(self, actual, answer, self.mark, who, run)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        yield from failures_of_answer(self, out, at, self.message(out))

    def message(self, out: Outcome) -> str:
        return f"{describe(self.function)} rejects {show(out.actual)}"


class OperatorNode(Node):
    """A custom operator."""

    __slots__ = ("make_context", "mark", "operand", "operands", "operator", "options", "strategy", "with_context")

    def __init__(
        self,
        place: Keys,
        operator: Operator,
        operand: object,
        operands: Sequence[Node],
        options: Mapping[str, Any],
        mark: float,
        make_context: MakeContext,
        strategy: Strategy,
    ) -> None:
        super().__init__(place, operand, operands)
        self.operator = operator
        self.operand = operand
        self.operands = tuple(operands)
        self.options = options
        self.mark = mark
        self.make_context = make_context
        self.strategy = strategy
        self.with_context = positional_count(operator.function) > 2
        self.contextual = True
        self.plain = False

    def match(self, actual: object, run: Run) -> Outcome:
        context = self.make_context(self, run)
        expected = self._expected()
        arguments = (actual, expected, context) if self.with_context else (actual, expected)
        who = f"operator {self.operator.name}"
        try:
            answer = ask(run, self, who, self.operator.function, *arguments)
        except MatchingError as error:
            return self.broken(actual, error.kind, error.message, error.__cause__ or error)
        if isinstance(answer, Aggregate):
            return answer.outcome(self, actual, run)
        return outcome_of(self, actual, answer, self.mark, who, run)

    def _expected(self) -> object:
        if self.operator.operand == "data":
            return self.operand
        handles = [Operand(node) for node in self.operands]
        return handles if self.operator.operand == "expectations" else handles[0]

    def links(self, out: Outcome) -> Iterable[Link]:
        return out.info.links(out) if isinstance(out.info, Aggregate) else ()

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if isinstance(out.info, Aggregate):
            yield from out.info.failures(self, out, at)
        else:
            yield from failures_of_answer(self, out, at, self.message(out))

    def message(self, out: Outcome) -> str:
        if isinstance(out.info, Aggregate):
            return out.info.message(self, out)
        return f"{self.operator.name} {show(self.operand)} does not hold for {show(out.actual)}"


class ExpressionNode(Node):
    """`$expr`: a sandboxed expression over the value."""

    __slots__ = ("expression", "mark")

    def __init__(self, place: Keys, expression: Expression, mark: float) -> None:
        super().__init__(place, expression.text)
        self.expression = expression
        self.mark = mark
        self.contextual = bool(expression.names & {"loop", "ctx"})
        self.plain = expression.names <= {"actual"}  # it reads nothing of the match, so it may be tried first

    def quick(self, actual: object, run: Run) -> bool | None:
        answer = self.expression.evaluate({"actual": trim(actual) if isinstance(actual, str) else actual})
        return answer if answer is True or answer is False else None

    def match(self, actual: object, run: Run) -> Outcome:
        subject = trim(actual) if isinstance(actual, str) else actual
        scope = scope_of(run, subject, self.expected, self.expression.names)
        try:
            answer = self.expression.evaluate(scope)
        except ExpressionError as error:
            return self.broken(actual, "expression", expression_problem(error, run), error)
        if answer is True:
            return CLEAN if run.quick else Outcome(self, actual, PASS, 1.0, info=scope)
        if answer is None:
            return self.broken(actual, "expression", "the expression gives null, which is no verdict")
        verdict = answer if isinstance(answer, (bool, int, float)) else as_mapping(answer)
        if verdict is None or (isinstance(verdict, Mapping) and not is_verdict(verdict)):
            verdict = bool(answer)
        if verdict is False:
            return Outcome(self, actual, FAIL, 0.0, info=scope)
        return outcome_of(self, actual, verdict, self.mark, f"the expression {show(self.expression.text)}", run)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if isinstance(out.info, Given):
            yield from failures_of_answer(self, out, at, f"{self.expression.text} does not hold")
        elif isinstance(out.info, dict):
            yield self.failure(out, at)

    def message(self, out: Outcome) -> str:
        reason = self.expression.explain(out.info)
        return f"{self.expression.text} does not hold{': ' if reason else ''}{reason}"
