"""What user code and expressions answer, read as an outcome (semantics, section 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from matchex._given import Given, Malformed, given_failures, read_given
from matchex._node import At, Node
from matchex._outcome import CLEAN, ERROR, FAIL, PASS, TOLERANCE, Outcome, Run, Trouble
from matchex._report import Failure
from matchex._result import MatchResult
from matchex._show import show
from matchex._values import as_mapping, as_number, is_nan, type_name

__all__ = ["failures_of_answer", "is_verdict", "outcome_of"]

_KNOWN: Final = frozenset(
    {"passed", "pass", "score", "message", "failures", "details", "title", "dimension", "critical"}
)


def is_verdict(answer: Mapping[Any, Any]) -> bool:
    """Whether a mapping is a verdict, and not just some data."""
    return "passed" in answer or "pass" in answer or "score" in answer


def outcome_of(node: Node, actual: object, answer: object, mark: float, who: str, run: Run) -> Outcome:
    """The outcome that an answer means.

    Args:
        node: The node that asked.
        actual: The value judged.
        answer: What was answered.
        mark: What a number must reach.
        who: The function or operator in words, for messages.
        run: The match.
    """
    if isinstance(answer, bool):
        if answer:
            return CLEAN if run.quick else Outcome(node, actual, PASS, 1.0)
        return Outcome(node, actual, FAIL, 0.0, info=Given())
    if isinstance(answer, str):
        return Outcome(node, actual, FAIL, 0.0, info=Given(answer or None))
    if isinstance(answer, MatchResult):
        return _of_result(node, actual, answer)
    number = as_number(answer)
    if number is not None:
        return of_number(node, actual, number, mark, who)
    mapping = as_mapping(answer)
    if mapping is not None and is_verdict(mapping):
        return _of_mapping(node, actual, mapping, mark, who)
    wrong = "returned nothing (None)" if answer is None else f"returned {type_name(answer)}"
    takes = "a bool, a text (the message of a failure), a score, a MatchResult, or a mapping with 'passed' or 'score'"
    return node.broken(actual, "operator", f"{who} {wrong}; it must return {takes}")


def _clamped(number: int | float | Decimal) -> float:
    return float(min(max(number, 0), 1))  # clamped before it becomes a float: an integer may be too large for one


def of_number(node: Node, actual: object, number: int | float | Decimal, mark: float, who: str) -> Outcome:
    """The outcome of a score."""
    if is_nan(number):
        return node.broken(actual, "operator", f"{who} returned NaN, which is no score")
    score = _clamped(number)
    status = PASS if score >= mark - TOLERANCE else FAIL
    message = None if status is PASS else f"{who} gives the score {score:.4g}; {mark:g} is needed"
    return Outcome(node, actual, status, score, info=Given(message))


def _of_result(node: Node, actual: object, result: MatchResult) -> Outcome:
    given = Given(failures=result.failures, details=result.details)
    out = Outcome(node, actual, result.status, result.score, info=given)
    out.critical = bool(result.critical_failures)
    if result.status is ERROR and result.errors:
        first = result.errors[0]
        reason = f"{first.path}: {first.message}" if first.path else first.message
        out.info = Trouble(first.kind, reason, first.cause)
    return out


def _of_mapping(node: Node, actual: object, answer: Mapping[Any, Any], mark: float, who: str) -> Outcome:
    try:
        verdict, score = _verdict_of(answer), _score_of(answer)
        given = read_given(answer)
    except Malformed as wrong:
        return node.broken(actual, "operator", f"{who} returned a mapping in which {wrong}")
    worth = _clamped(score) if score is not None else float(cast("bool", verdict))
    holds = verdict if verdict is not None else worth >= mark - TOLERANCE
    if given.message is None and verdict is None and not holds:
        given = replace(given, message=f"{who} gives the score {worth:.4g}; {mark:g} is needed")
    out = Outcome(node, actual, PASS if holds else FAIL, worth, info=given)
    out.critical = given.critical and not holds
    return out


def _verdict_of(answer: Mapping[Any, Any]) -> bool | None:
    unknown = next((key for key in answer if key not in _KNOWN), None)
    if unknown is not None:
        raise Malformed(f"{unknown!r} is unknown; it may have {', '.join(sorted(_KNOWN))}")
    verdict = answer.get("passed", answer.get("pass"))
    if verdict is not None and not isinstance(verdict, bool):
        raise Malformed(f"'passed' is {show(verdict)}; it must be true or false")
    if "passed" in answer and "pass" in answer and answer["passed"] is not answer["pass"]:
        raise Malformed("'passed' and 'pass' contradict each other")
    if verdict is None and answer.get("score") is None:
        raise Malformed("neither 'passed' nor 'score' says anything")
    return verdict


def _score_of(answer: Mapping[Any, Any]) -> int | float | Decimal | None:
    value = answer.get("score")
    score = as_number(value)
    if value is not None and (score is None or is_nan(score)):
        raise Malformed(f"'score' is {show(value)}; it must be a number")
    return score


def failures_of_answer(node: Node, out: Outcome, at: At, fallback: str) -> Iterator[Failure]:
    """The failures that came with an answer, or one with its message."""
    given = out.info
    if not isinstance(given, Given):
        return
    here = At(at.keys, at.critical or given.critical, given.title or at.title)
    for failure in given_failures(given, at.keys, node.place, node.expected, out.actual):
        yield replace(failure, critical=failure.critical or here.critical, title=failure.title or here.title)
    if not given.failures:
        yield node.failure(out, here, given.message or given.title or fallback)
