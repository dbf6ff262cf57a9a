"""What user code and expressions answer, read as an outcome (semantics, section 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from matchex._node import At, Keys, Node
from matchex._outcome import CLEAN, ERROR, FAIL, PASS, TOLERANCE, Outcome, Run, Trouble
from matchex._report import Failure
from matchex._result import MatchResult
from matchex._show import show
from matchex._values import as_mapping, as_number, is_nan, type_name

__all__ = ["Given", "answer_keys", "given_failures", "is_verdict", "outcome_of"]

answer_keys = frozenset({"passed", "pass", "score", "message", "failures", "details", "title", "dimension", "critical"})


@dataclass(frozen=True, slots=True)
class Given:
    """What came with an answer, for the report."""

    message: str | None = None
    failures: Sequence[Any] = ()
    title: str | None = None
    critical: bool = False


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
    message = None if status is PASS else f"the score {score:.4g} is below {mark:g}"
    return Outcome(node, actual, status, score, info=Given(message))


def _of_result(node: Node, actual: object, result: MatchResult) -> Outcome:
    out = Outcome(node, actual, result.status, result.score, info=Given(None, result.failures))
    out.critical = bool(result.critical_failures)
    if result.status is ERROR:
        first = result.errors[0] if result.errors else None
        reason = (
            f"{first.path}: {first.message}" if first is not None and first.path else first.message if first else ""
        )
        out.info = Trouble(first.kind if first else "operator", reason, first.cause if first else None)
    return out


def _of_mapping(node: Node, actual: object, answer: Mapping[Any, Any], mark: float, who: str) -> Outcome:
    unknown = sorted(str(key) for key in answer if key not in answer_keys)
    if unknown:
        known = ", ".join(sorted(answer_keys))
        return node.broken(actual, "operator", f"{who} returned a mapping with {unknown[0]!r}; it may have {known}")
    verdict = answer.get("passed", answer.get("pass"))
    score = as_number(answer.get("score"))
    if verdict is not None and not isinstance(verdict, bool):
        return node.broken(actual, "operator", f"{who} returned {show(verdict)} as 'passed'; it must be true or false")
    if "score" in answer and answer["score"] is not None and (score is None or is_nan(score)):
        return node.broken(
            actual, "operator", f"{who} returned {show(answer['score'])} as 'score'; it must be a number"
        )
    if verdict is None and score is None:
        return node.broken(actual, "operator", f"{who} returned neither 'passed' nor 'score'")
    worth = _clamped(score) if score is not None else float(cast("bool", verdict))
    holds = verdict if verdict is not None else worth >= mark - TOLERANCE
    message = answer.get("message")
    if message is None and verdict is None and not holds:
        message = f"the score {worth:.4g} is below {mark:g}"
    failures = answer.get("failures") or ()
    given = Given(message, failures, answer.get("title"), critical=answer.get("critical") is True)
    out = Outcome(node, actual, PASS if holds else FAIL, worth, info=given)
    out.critical = given.critical and not holds
    return out


def given_failures(node: Node, out: Outcome, at: At, fallback: str) -> Iterator[Failure]:
    """The failures that came with an answer, or one with its message."""
    given = out.info
    if not isinstance(given, Given):
        return
    here = At(at.keys, at.critical or given.critical, given.title or at.title)
    for item in given.failures:
        yield _given_failure(node, item, out, here)
    if not given.failures:
        yield node.failure(out, here, given.message or given.title or fallback)


def _given_failure(node: Node, item: object, out: Outcome, at: At) -> Failure:
    if isinstance(item, Failure):
        keys = (*at.keys, *item.keys)
        return Failure(
            keys,
            item.place or node.place,
            item.message,
            item.expected,
            item.actual,
            item.critical or at.critical,
            item.title or at.title,
            item.compared,
        )
    fields = as_mapping(item) or {"message": str(item)}
    keys = fields.get("keys", fields.get("path") or ())
    below: Keys = _steps(keys)
    return Failure(
        (*at.keys, *below),
        node.place,
        str(fields.get("message", "does not match")),
        fields.get("expected", node.expected),
        fields.get("actual", out.actual),
        at.critical or fields.get("critical") is True,
        at.title,
    )


def _steps(keys: object) -> Keys:
    from matchex._paths import parse_path

    return parse_path(keys) if isinstance(keys, str) else tuple(cast("Sequence[str | int]", keys))
