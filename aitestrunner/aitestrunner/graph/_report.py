"""What an evaluation leaves behind: one result per case, and the report of the suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from aitestrunner._log import AITestIssue
from aitestrunner._plain import plain
from aitestrunner.graph._check import AssertionResult
from aitestrunner.graph._state import WorkflowState

__all__ = ["EvalCaseResult", "EvalReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalCaseResult:
    """What became of one case. As a truth value it says whether the case passed.

    Args:
        name: Its name.
        status: `pass`, `fail`, or `error` where it could not be judged, or where its run ended in an error that no
            assertion asks about.
        score: The share of its assertions that held, 0..1; 1 without assertions; 0 without a state.
        duration_ms: Milliseconds that the run took.
        assertions: The results, in the order of the assertions.
        state: The state reached, where there is one.
        error: Why the run did not complete, or why there is no state.
        errors: All that kept it from being judged.
        notes: What a reader should know.

    Example:
        >>> from aitestrunner.graph import EvalCaseResult, WorkflowState
        >>> state = WorkflowState(status="completed", visited_nodes=["a", "b"], total_tokens_used=12)
        >>> result = EvalCaseResult(name="c", status="pass", score=1.0, duration_ms=5, state=state)
        >>> result.path, result.tokens
        (('a', 'b'), 12)
    """

    name: str
    status: Literal["pass", "fail", "error"]
    score: float
    duration_ms: float
    assertions: Sequence[AssertionResult] = ()
    state: WorkflowState | None = None
    error: str | None = None
    errors: Sequence[AITestIssue] = ()
    notes: Sequence[AITestIssue] = ()

    def __bool__(self) -> bool:
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        return self.status == "pass"

    @property
    def path(self) -> tuple[str, ...]:
        """The nodes that the run entered, in order."""
        return tuple(self.state.visited_nodes) if self.state else ()

    @property
    def tokens(self) -> float | None:
        """Tokens that the run used, where that is known."""
        return self.state.total_tokens_used if self.state else None

    @property
    def cost(self) -> float | None:
        """What the run cost, where that is known."""
        return self.state.cost if self.state else None

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data.

        Example:
            >>> from aitestrunner.graph import EvalCaseResult
            >>> EvalCaseResult(name="c", status="fail", score=0.5, duration_ms=5).to_dict()["passed"]
            False
        """
        found: dict[str, Any] = {
            "name": self.name,
            "status": self.status,
            "passed": self.passed,
            "score": self.score,
            "duration_ms": round(self.duration_ms, 3),
            "assertions": [result.to_dict() for result in self.assertions],
            "path": list(self.path),
            "tokens": self.tokens,
            "cost": self.cost,
            "error": self.error,
            "errors": [issue.to_dict() for issue in self.errors],
            "notes": [issue.to_dict() for issue in self.notes],
            "state": plain(self.state) if self.state else None,
        }
        return {name: value for name, value in found.items() if value is not None and value != []}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalReport:
    """The report of a suite. Every case is one of `passed`, `failed` and `errors`. It is true when all passed.

    Args:
        suite_name: Its name.
        cases: The results, in the order of the cases.
        duration_ms: Milliseconds from beginning to end.

    Example:
        >>> from aitestrunner.graph import EvalReport
        >>> report = EvalReport(suite_name="none", cases=[], duration_ms=0)
        >>> report.total, report.overall_score, report.all_passed
        (0, 0.0, False)
    """

    suite_name: str
    cases: Sequence[EvalCaseResult]
    duration_ms: float

    def __bool__(self) -> bool:
        return self.all_passed

    @property
    def total(self) -> int:
        """How many cases there are."""
        return len(self.cases)

    @property
    def passed(self) -> int:
        """How many passed."""
        return self._count("pass")

    @property
    def failed(self) -> int:
        """How many failed."""
        return self._count("fail")

    @property
    def errors(self) -> int:
        """How many could not be judged, or ended in an error that nothing asks about."""
        return self._count("error")

    @property
    def overall_score(self) -> float:
        """The mean of the scores of the cases; 0 without cases."""
        return sum(case.score for case in self.cases) / self.total if self.cases else 0.0

    @property
    def all_passed(self) -> bool:
        """Whether there are cases and all of them passed: what a gate asks."""
        return bool(self.cases) and self.passed == self.total

    @property
    def tokens(self) -> float | None:
        """Tokens of all runs that tell them; None where none does."""
        return _sum(case.tokens for case in self.cases)

    @property
    def cost(self) -> float | None:
        """The cost of all runs that tell it; None where none does."""
        return _sum(case.cost for case in self.cases)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON."""
        return {
            "suite_name": self.suite_name,
            "overall_score": self.overall_score,
            "total": self.total,
            "passed": self.passed,
            "failed": self.failed,
            "errors": self.errors,
            "tokens": self.tokens,
            "cost": self.cost,
            "duration_ms": round(self.duration_ms, 3),
            "cases": [case.to_dict() for case in self.cases],
        }

    def _count(self, status: str) -> int:
        return sum(case.status == status for case in self.cases)


def _sum(values: Any) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
