"""A result as text for people, and as plain data for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from matchex._diff import Diff, render_plain
from matchex._report import Detail, Failure, Issue
from matchex._show import counted, show
from matchex._values import MISSING, Literal, as_list, as_mapping

if TYPE_CHECKING:
    from matchex._result import MatchResult

__all__ = ["plain_data", "to_dict", "to_text"]

_MOST: Final = 50
_WIDTH: Final = 300
_LONGEST_DIFF: Final = 1200
_DEPTH: Final = 60
_BITS: Final = 14_000
_PARTS: Final = 100_000


def to_text(result: MatchResult) -> str:
    """The result as `print` shows it: verdict and score, then each failure and error with its place."""
    head = f"{result.status.upper()}  score {result.score:.4g}"
    lines = [head]
    for failure in result.failures[:_MOST]:
        lines.extend(_failure_lines(failure))
    if len(result.failures) > _MOST:
        lines.append(f"  … and {counted(len(result.failures) - _MOST, 'more failure')}")
    error = "ERROR" if result.status == "error" else "error without effect on the verdict:"
    for issue in result.errors[:_MOST]:
        lines.extend(_issue_lines(issue, error))
    notes = result.notes[:_MOST] if result.passed else ()
    lines.extend(f"  note at {note.path or '(root)'}: {note.message}" for note in notes)
    return "\n".join(lines)


def _failure_lines(failure: Failure) -> Iterator[str]:
    mark = "CRITICAL " if failure.critical else ""
    title = f" [{failure.title}]" if failure.title and failure.title != failure.message else ""
    first, *others = failure.message.splitlines() or [""]
    yield f"  {mark}{failure.path or '(root)'}:{title} {first}"
    yield from (f"      {line}" for line in others)
    if failure.diff is not None and failure.diff.changed:
        yield from _diff_lines(failure.diff)
    else:
        if failure.expected is not MISSING:
            yield f"      expected: {show(failure.expected, _WIDTH)}"
        yield f"      actual:   {show(failure.actual, _WIDTH)}"
    if failure.expected_path:
        yield f"      in the expectation: {failure.expected_path}"


def _diff_lines(diff: Diff) -> Iterator[str]:
    rendered = render_plain(diff, max_length=_LONGEST_DIFF)
    first, *others = rendered.splitlines() or [""]
    yield f"      diff: {first}" if not others else "      diff:"
    for line in [first, *others] if others else ():
        yield f"        {line}"


def _issue_lines(issue: Issue, head: str) -> Iterator[str]:
    first, *others = issue.message.splitlines() or [""]
    yield f"  {head} {issue.path or '(root)'}: {first} ({issue.kind})"
    yield from (f"      {line}" for line in others)
    if issue.expected_path:
        yield f"      in the expectation: {issue.expected_path}"


def to_dict(result: MatchResult) -> dict[str, Any]:
    """The result as data that `json.dumps` takes."""
    return {
        "status": result.status,
        "passed": result.passed,
        "score": result.score,
        "failures": [_failure_data(failure) for failure in result.failures],
        "errors": [_issue_data(issue) for issue in result.errors],
        "notes": [
            {"path": note.path, "expected_path": note.expected_path, "kind": note.kind, "message": note.message}
            for note in result.notes
        ],
        "details": [_detail_data(detail) for detail in result.details],
        "dimensions": dict(result.dimensions),
    }


def _failure_data(failure: Failure) -> dict[str, Any]:
    data: dict[str, Any] = {
        "path": failure.path,
        "expected_path": failure.expected_path,
        "message": failure.message,
        "expected": plain_data(failure.expected),
        "actual": plain_data(failure.actual),
        "critical": failure.critical,
    }
    if failure.actual is MISSING:
        data["missing"] = True
    if failure.title is not None:
        data["title"] = failure.title
    if failure.diff is not None:
        data["diff"] = _diff_data(failure.diff)
    return data


def _diff_data(diff: Diff) -> dict[str, Any]:
    changes: list[dict[str, Any]] = []
    for change in diff.changes:
        item: dict[str, Any] = {"sign": change.sign, "text": change.text}
        if change.path is not None:
            item["path"] = change.path
        changes.append(item)
    return {"kind": diff.kind, "minimal": diff.minimal, "changes": changes}


def _issue_data(issue: Issue) -> dict[str, Any]:
    cause = None if issue.cause is None else type(issue.cause).__name__
    return {
        "path": issue.path,
        "expected_path": issue.expected_path,
        "kind": issue.kind,
        "message": issue.message,
        "cause": cause,
    }


def _detail_data(detail: Detail) -> dict[str, Any]:
    data: dict[str, Any] = {
        "key": detail.key,
        "path": detail.path,
        "score": detail.score,
        "weight": detail.weight,
        "passed": detail.passed,
        "status": detail.status,
    }
    for name in ("title", "dimension", "message"):
        if getattr(detail, name) is not None:
            data[name] = getattr(detail, name)
    if detail.critical:
        data["critical"] = True
    if detail.details:
        data["details"] = [_detail_data(child) for child in detail.details]
    return data


class Budget:
    """How many parts of a value may still be copied: a small value can hold itself many times over."""

    def __init__(self, parts: int) -> None:
        self.parts = parts

    def spend(self) -> bool:
        """Whether one more part may be copied."""
        self.parts -= 1
        return self.parts >= 0


def plain_data(value: object, depth: int = _DEPTH, budget: Budget | None = None) -> Any:
    """A copy of a value that JSON can hold; what JSON does not know is written as text, what is too much is cut."""
    budget = budget or Budget(_PARTS)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < _BITS else show(value)  # json.dumps refuses longer ones
    if value is MISSING:
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Literal):
        return plain_data(value.value, depth, budget)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    return _plain_container(value, depth, budget)


def _plain_container(value: object, depth: int, budget: Budget) -> Any:
    mapping: Mapping[Any, Any] | None = as_mapping(value)
    items = as_list(value) if mapping is None else None
    if mapping is None and items is None:
        return show(value)
    if depth == 0 or not budget.spend():
        return "…"
    if mapping is not None:
        return {str(key): plain_data(item, depth - 1, budget) for key, item in mapping.items()}
    return [plain_data(item, depth - 1, budget) for item in items or ()]
