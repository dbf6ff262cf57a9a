"""One assertion held against one state: compiled before the run, matched after it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

import matchex
from aitestrunner._assertions import JUDGE_OPERATOR, asks_about_ending, expectation_for, problems_of
from aitestrunner._errors import FixtureError, FixtureProblem
from aitestrunner._executors import Execute, as_execute
from aitestrunner._log import AITestIssue
from aitestrunner._loop import run_coroutine
from aitestrunner._plain import plain
from aitestrunner.graph._llm_judge import LlmJudge, Verdict
from aitestrunner.graph._state import WorkflowState
from matchex import MISSING

__all__ = [
    "AssertionResult",
    "Check",
    "as_evaluators",
    "check_assertion",
    "check_assertion_async",
    "compile_check",
    "run_now",
]

_T = TypeVar("_T")
JUDGE_SECONDS = 60.0
"""What a judge may take where nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionResult:
    """What became of one assertion. As a truth value it says whether the assertion held.

    Args:
        assertion: The assertion, the same object that was given.
        status: `pass`, `fail` or `error`.
        actual: What it looked at: the status, the keys or the value of the memory, the nodes visited, tokens used and
            allowed, the judge's score, for `state_expect` the first value that does not match; `MISSING` where there is
            none.
        message: Why it does not pass.
        failures: What does not match.
        errors: What kept it from being judged.
        notes: What a reader should know about a pass.
        verdict: What the judge said, also on a pass.

    Example:
        >>> from aitestrunner.graph import check_assertion
        >>> result = check_assertion({"type": "memory_contains", "key": "plan"}, {"memory": {"draft": "…"}})
        >>> result.passed, result.actual
        (False, ['draft'])
    """

    assertion: Any
    status: Literal["pass", "fail", "error"]
    actual: Any = MISSING
    message: str | None = None
    failures: tuple[matchex.Failure, ...] = ()
    errors: tuple[AITestIssue, ...] = ()
    notes: tuple[AITestIssue, ...] = ()
    verdict: Verdict | None = None

    def __bool__(self) -> bool:
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether it held.

        Example:
            >>> from aitestrunner.graph import AssertionResult
            >>> AssertionResult(assertion={}, status="error").passed
            False
        """
        return self.status == "pass"

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data.

        Example:
            >>> from aitestrunner.graph import AssertionResult
            >>> AssertionResult(assertion={"type": "node_visited", "node_id": "a"}, status="pass").to_dict()["passed"]
            True
        """
        found: dict[str, Any] = {"assertion": plain(self.assertion), "status": self.status, "passed": self.passed}
        if self.actual is not MISSING:
            found["actual"] = plain(self.actual)
        if self.message is not None:
            found["message"] = self.message
        if self.verdict is not None:
            found["reasoning"] = self.verdict.reasoning
            found["judge_usage"], found["judge_cost"] = plain(self.verdict.usage), self.verdict.cost
        for name, issues in (("errors", self.errors), ("notes", self.notes)):
            if issues:
                found[name] = [issue.to_dict() for issue in issues]
        return found


class Check:
    """An assertion, compiled.

    Args:
        assertion: The assertion.
        evaluators: What answers for each judge.
        judge_seconds: What a judge may take.

    Raises:
        ValueError: The assertion is none.
        matchex.ExpectationError: Its expectation is none.
    """

    def __init__(self, assertion: Mapping[str, Any], evaluators: Mapping[str, Execute], judge_seconds: float) -> None:
        self.assertion = assertion
        self.asks_about_ending = asks_about_ending(assertion)
        self._judge = LlmJudge(evaluators, judge_seconds)
        operator = matchex.Operator(JUDGE_OPERATOR, self._judge)
        self._matcher = matchex.compile(
            expectation_for(assertion), templates=False, operators={JUDGE_OPERATOR: operator}
        )

    async def against(self, state: Mapping[str, Any]) -> AssertionResult:
        """Hold it against the fields of a state."""
        self._judge.verdict = None
        try:
            return await self._against(state)
        except Exception as error:  # a value of the state that behaves as no value should
            message = f"unforeseen {type(error).__name__}: {error}"
            issue = AITestIssue("internal", message, "", None, error)
            return AssertionResult(assertion=self.assertion, status="error", message=message, errors=(issue,))

    async def _against(self, state: Mapping[str, Any]) -> AssertionResult:
        result = await self._matcher.match_async(state)
        errors = [AITestIssue(e.kind, e.message, e.path, None, e.cause) for e in result.errors]
        first = {failure.path: failure.message for failure in reversed(result.failures)}
        lacks = [_at(path, message) for path, message in reversed(first.items())]
        lacks += [_at(issue.path, issue.message) for issue in errors] if result.status == "error" else []
        verdict = self._judge.verdict
        if lacks and verdict is not None:
            lacks.append(f"the judge says: {verdict.reasoning}")
        return AssertionResult(
            assertion=self.assertion,
            status=result.status,
            actual=_looked_at(self.assertion, state, result, verdict),
            message="; ".join(lacks) if lacks else None,
            failures=tuple(result.failures),
            errors=tuple(errors),
            notes=tuple(AITestIssue(note.kind, note.message, note.path) for note in result.notes if self._tells(note)),
            verdict=verdict,
        )

    def _tells(self, note: matchex.Note) -> bool:
        """Whether a note tells news: that a text was only contained is none where that was asked."""
        return note.kind != "contained" or self.assertion["type"] == "state_expect"


def _at(path: str, message: str) -> str:
    return f"{path}: {message}" if path else message


def _looked_at(
    assertion: Mapping[str, Any], state: Mapping[str, Any], result: matchex.MatchResult, verdict: Verdict | None
) -> Any:
    """What an assertion looked at, for the report."""
    kind, memory = assertion["type"], state.get("memory")
    if kind == "status_equals":
        return state.get("status", MISSING)
    if kind == "node_visited":
        return state.get("visited_nodes", MISSING)
    if kind == "token_budget_respected":
        return {"used": state.get("total_tokens_used"), "budget": state.get("max_token_budget")}
    if kind == "llm_judge":
        return MISSING if verdict is None else verdict.score
    if kind == "state_expect":
        return result.failures[0].actual if result.failures else MISSING
    if not isinstance(memory, Mapping):
        return MISSING
    fields = cast("Mapping[str, Any]", memory)
    return list(fields) if kind == "memory_contains" else fields.get(assertion["key"], MISSING)


def compile_check(
    assertion: Any, evaluators: Mapping[str, Execute], judge_seconds: float, node_ids: Collection[str] | None = None
) -> tuple[Check | None, list[str]]:
    """An assertion, compiled, or what is wrong with it.

    Args:
        assertion: What was written.
        evaluators: What answers for each judge.
        judge_seconds: What a judge may take.
        node_ids: The nodes of the graph, where they are known.
    """
    problems = problems_of(assertion, node_ids)
    if not problems and assertion["type"] == "llm_judge" and assertion["evaluator_agent_id"] not in evaluators:
        known = ", ".join(evaluators) or "none; name them in `evaluators`"
        problems = [f"there is no evaluator {assertion['evaluator_agent_id']!r}; known are {known}"]
    if problems:
        return None, problems
    try:
        return Check(assertion, evaluators, judge_seconds), []
    except matchex.ExpectationError as error:
        return None, [_at(problem.path, problem.message) for problem in error.problems]


def as_evaluators(evaluators: Mapping[str, Any] | None) -> dict[str, Execute]:
    """Executors of any accepted form, by the names that `evaluator_agent_id` uses.

    Raises:
        ExecutorError: One of them is none.
    """
    return {name: as_execute(executor) for name, executor in (evaluators or {}).items()}


async def check_assertion_async(
    assertion: Mapping[str, Any],
    state: WorkflowState | Mapping[str, Any],
    *,
    evaluators: Mapping[str, Any] | None = None,
    judge_seconds: float = JUDGE_SECONDS,
) -> AssertionResult:
    """`check_assertion`, for where an event loop is running.

    Example:
        >>> import asyncio
        >>> from aitestrunner.graph import check_assertion_async
        >>> state = {"status": "completed", "visited_nodes": ["plan", "act"]}
        >>> asyncio.run(check_assertion_async({"type": "node_visited", "node_id": "act"}, state)).passed
        True
    """
    check, problems = compile_check(assertion, as_evaluators(evaluators), judge_seconds)
    if check is None:
        raise FixtureError([FixtureProblem(problem) for problem in problems])
    return await check.against(state.fields() if isinstance(state, WorkflowState) else state)


def check_assertion(
    assertion: Mapping[str, Any],
    state: WorkflowState | Mapping[str, Any],
    *,
    evaluators: Mapping[str, Any] | None = None,
    judge_seconds: float = JUDGE_SECONDS,
) -> AssertionResult:
    """Hold an assertion against a state.

    Args:
        assertion: A mapping with `type` and the keys of that type.
        state: A `WorkflowState`, or a mapping with its fields.
        evaluators: Executors for `llm_judge`, by the names that `evaluator_agent_id` uses.
        judge_seconds: What a judge may take.

    Raises:
        FixtureError: The assertion is none; all that is wrong with it.
        RuntimeError: An event loop is running already; await `check_assertion_async` there.

    Example:
        >>> from aitestrunner.graph import check_assertion
        >>> state = {"status": "failed", "memory": {"total": 3}}
        >>> print(check_assertion({"type": "status_equals", "expected": "completed"}, state).message)
        status: expected "completed", got "failed"
        >>> check_assertion({"type": "memory_matches", "key": "total", "mode": "exact", "expected": 3}, state).passed
        True
    """
    waiting = check_assertion_async(assertion, state, evaluators=evaluators, judge_seconds=judge_seconds)
    return run_now(waiting, "check_assertion")


def run_now(waiting: Coroutine[Any, Any, _T], name: str) -> _T:
    """The answer of a coroutine, for where nothing is asynchronous.

    Raises:
        RuntimeError: An event loop is running already; the message names what to await.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_coroutine(waiting)
    waiting.close()
    raise RuntimeError(f"an event loop is running already; write `await {name}_async(…)` in place of `{name}`")
