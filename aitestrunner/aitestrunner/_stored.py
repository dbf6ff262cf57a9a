"""Log items read back from their JSON: reports of a stored run come from the same code as those of a live one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from aitestrunner._log import AITestFailure, AITestIssue, AITestLogItem, Repeats
from aitestrunner._positions import Position
from matchex import MISSING

__all__ = ["item_of"]

_RENAMED: Final = {
    "expectedSchema": "expected_schema",
    "expectedTrace": "expected_trace",
    "actualTrace": "actual_trace",
    "actualMeta": "actual_meta",
    "maxScore": "max_score",
    "passScore": "pass_score",
    "skippedBecause": "skipped_because",
    "not": "not_",
}
_AS_THEY_ARE: Final = frozenset(
    (
        *("i", "id", "status", "title", "script", "input", "actual", "parsed", "expected", "usage", "cost", "tools"),
        *("vars", "reason", "score", "oracles", "dimensions", "duration", "attempts", "recorded"),
    )
)


@dataclass(frozen=True, slots=True)
class _StoredFailure:
    """A failure of matchex as the log tells it."""

    message: str
    expected: Any
    actual: Any
    critical: bool
    title: str | None
    diff: str | None
    expected_path: str


@dataclass(frozen=True, slots=True)
class _StoredBlock:
    """The score of a block as the log tells it."""

    fields: Mapping[str, Any]

    def to_dict(self) -> Mapping[str, Any]:
        return self.fields


def item_of(stored: Mapping[str, Any]) -> AITestLogItem:
    """The log item that `to_dict` made plain. What was no JSON is what its JSON says."""
    given: dict[str, Any] = {}
    for name, value in stored.items():
        attribute = _RENAMED.get(name, name)
        if name in _RENAMED or name in _AS_THEY_ARE:
            given[attribute] = value
    given["tags"] = tuple(stored.get("tags", ()))
    given["failures"] = tuple(map(_failure, stored.get("failures", ())))
    given["failed_critical"] = tuple(map(_failure, stored.get("failedCritical", ())))
    given["errors"] = tuple(map(_issue, stored.get("errors", ())))
    given["notes"] = tuple(map(_issue, stored.get("notes", ())))
    given["score_details"] = tuple(_StoredBlock(block) for block in stored.get("scoreDetails", ()))
    given["location"] = _position(stored.get("location"))
    given["repeats"] = _repeats(stored.get("repeats"))
    return AITestLogItem(**given)


def _repeats(stored: Mapping[str, Any] | None) -> Repeats | None:
    if stored is None:
        return None
    low, high = stored["interval"]
    return Repeats(
        runs=tuple(map(item_of, stored["runs"])),
        passed=stored["passed"],
        pass_rate=stored["passRate"],
        min_pass_rate=stored["minPassRate"],
        interval=(low, high),
        pass_power=tuple(cast("Sequence[float]", stored["passPower"])),
        flaky=stored["flaky"],
    )


def _failure(stored: Mapping[str, Any]) -> AITestFailure:
    failure = _StoredFailure(
        message=stored["message"],
        expected=stored.get("expected"),
        actual=stored.get("actual", MISSING),
        critical=stored.get("critical", False),
        title=stored.get("title"),
        diff=stored.get("diff"),
        expected_path=stored["expectedPath"],
    )
    return AITestFailure(stored["block"], stored["path"], cast("Any", failure), _position(stored.get("location")))


def _issue(stored: Mapping[str, Any]) -> AITestIssue:
    # All that is known of the exception is its name.
    cause = type(stored["cause"], (Exception,), {})() if "cause" in stored else None
    return AITestIssue(
        stored["kind"], stored["message"], stored.get("path", ""), _position(stored.get("location")), cause
    )


def _position(text: str | None) -> Position | None:
    if text is None:
        return None
    file, line, column = text.rsplit(":", 2)
    return Position(file, int(line), int(column))
