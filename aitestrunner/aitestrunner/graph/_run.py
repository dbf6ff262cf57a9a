"""`run_eval`: the face of the pipeline for graphs.

Its driver runs the graph of a case, its oracle holds the assertions against the state reached.
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from aitestrunner._cases import AITestFixture, Defaults
from aitestrunner._errors import ExecutionError, ExecutorError, FixtureProblem
from aitestrunner._events import Listeners
from aitestrunner._executor_choice import Executors
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, Execute
from aitestrunner._judge import Judgement
from aitestrunner._log import AITestFailure, AITestIssue, AITestLogItem
from aitestrunner._messages import Message
from aitestrunner._options import RunOptions
from aitestrunner._pipeline import Pipeline
from aitestrunner._resolve import Ready
from aitestrunner._sources import Item
from aitestrunner.graph._check import (
    JUDGE_SECONDS,
    AssertionResult,
    Check,
    as_evaluators,
    compile_check,
    run_now,
)
from aitestrunner.graph._report import EvalCaseResult, EvalReport
from aitestrunner.graph._runners import GraphRunner, nodes_of, runner_for
from aitestrunner.graph._state import WorkflowState, budget_of
from aitestrunner.graph._suite import EvalCase, EvalSuite, read_suite
from matchex import MISSING

__all__ = ["run_eval", "run_eval_async"]

_GRACE: Final = 5.0
"""Seconds more than its timeout after which a runner is cancelled that does not keep to it."""


@dataclass(slots=True)
class _Plan:
    """A case on its way: what is to be done, and what has come of it."""

    case: EvalCase
    problems: list[str]
    runner: GraphRunner | None = None
    checks: list[Check] = field(default_factory=list[Check])
    state: WorkflowState | None = None
    results: Sequence[AssertionResult] = ()


def _plan(
    case: EvalCase,
    problems: Sequence[str],
    runner: GraphRunner | None,
    evaluators: Mapping[str, Execute],
    judge_seconds: float,
) -> _Plan:
    """Check and compile all of a case, before anything is spent on it."""
    plan = _Plan(case, list(problems))
    if problems:
        return plan
    try:
        plan.runner = runner or runner_for(case.graph)
        budget_of(case.input)
        node_ids = nodes_of(plan.runner, case.graph)
    except (ExecutorError, ValueError) as error:
        plan.problems.append(str(error))
        return plan
    for index, assertion in enumerate(case.assertions):
        check, found = compile_check(assertion, evaluators, judge_seconds, node_ids)
        plan.problems += [f"assertions[{index}]: {problem}" for problem in found]
        plan.checks += [check] if check else []
    return plan


class _Face:
    """The driver and the oracle of a suite.

    Args:
        plans: The cases, by their ids.
    """

    def __init__(self, plans: Mapping[str, _Plan]) -> None:
        self._plans = plans

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        """Run the graph of a case."""
        plan = self._plans[context.fixture_id]
        case, runner = plan.case, plan.runner
        assert runner is not None
        given = copy.deepcopy(case.input)
        state = await runner.run(case.graph, given, timeout=case.timeout)
        if not isinstance(state, WorkflowState):  # pyright: ignore[reportUnnecessaryIsInstance] (a user wrote it)
            raise ExecutionError("answer", f"{type(runner).__name__}.run returns a WorkflowState; got {state!r:.80}")
        plan.state = state
        usage = None if state.total_tokens_used is None else {"total_tokens": state.total_tokens_used}
        return AIExecutionResult(state.memory, messages=state.messages, usage=usage, cost=state.cost)

    async def judge(
        self, ready: Ready, result: AIExecutionResult, messages: Sequence[Message] | None, *, strict_vacuous: bool
    ) -> Judgement:
        """Hold all assertions of a case against the state reached."""
        plan = self._plans[ready.context.fixture_id]
        assert plan.state is not None
        fields = plan.state.fields()
        plan.results = await asyncio.gather(*(check.against(fields) for check in plan.checks))
        errors = [issue for checked in plan.results for issue in checked.errors]
        unasked = plan.state.error is not None and not any(check.asks_about_ending for check in plan.checks)
        if unasked:
            message = f"{plan.state.error} (no assertion asks about that; status_equals does)"
            errors.append(AITestIssue("run", message))
        notes = [note for checked in plan.results for note in checked.notes]
        if not plan.checks:
            notes.append(AITestIssue("unchecked", "the case has no assertions: nothing was checked but that it ran"))
        return Judgement(
            status=_combined([checked.status for checked in plan.results], in_doubt=unasked),
            failures=tuple(_failures(plan.results)),
            errors=tuple(errors),
            notes=notes,
        )


def _combined(statuses: Sequence[str], *, in_doubt: bool) -> Literal["pass", "fail", "error"]:
    if "fail" in statuses:
        return "fail"
    return "error" if in_doubt or "error" in statuses else "pass"


def _failures(results: Sequence[AssertionResult]) -> list[AITestFailure]:
    return [
        AITestFailure(f"assertions[{index}]", failure.path, failure)
        for index, result in enumerate(results)
        for failure in result.failures
    ]


def _result_of(plan: _Plan, log: AITestLogItem) -> EvalCaseResult:
    status = log.status
    assert status != "skip"
    state, results = plan.state, plan.results
    judged = len(results) == len(plan.case.assertions) and state is not None
    held = sum(result.passed for result in results)
    score = held / len(results) if results else float(status == "pass")
    return EvalCaseResult(
        name=plan.case.name,
        status=status,
        score=score if judged else 0.0,
        duration_ms=log.duration,
        assertions=results,
        state=state,
        error=state.error if state else "; ".join(issue.message for issue in log.errors),
        errors=log.errors,
        notes=tuple(log.notes),
    )


async def run_eval_async(
    suite: EvalSuite | Mapping[str, Any],
    *,
    runner: GraphRunner | None = None,
    evaluators: Mapping[str, Any] | None = None,
    judge_seconds: float = JUDGE_SECONDS,
    jobs: int = 1,
) -> EvalReport:
    """`run_eval`, for where an event loop is running.

    Example:
        >>> import asyncio
        >>> from aitestrunner.graph import run_eval_async
        >>> asyncio.run(run_eval_async({"name": "none", "cases": []})).total
        0
    """
    if jobs < 1:
        raise ValueError(f"`jobs` is at least 1; got {jobs}")
    started = time.perf_counter()
    read, problems = read_suite(suite)
    executors = as_evaluators(evaluators)
    plans: dict[str, _Plan] = {}
    items: list[Item] = []
    for index, (case, found) in enumerate(zip(read.cases, problems, strict=True)):
        assert isinstance(case, EvalCase)
        plan = plans[str(index)] = _plan(case, found, runner, executors, judge_seconds)
        fixture = AITestFixture(
            title=case.name,
            input=case.input,
            templates=False,
            allow_unchecked=True,
            timeout=MISSING if found else case.timeout + _GRACE,
        )
        items.append(Item(index, str(index), fixture, Defaults(), tuple(map(FixtureProblem, plan.problems))))
    face = _Face(plans)
    run = await Pipeline(Executors(face), RunOptions(jobs=jobs), Listeners(), None, face.judge).run(items)
    cases = [_result_of(plans[log.id], log) for log in run.logs]
    return EvalReport(suite_name=read.name, cases=cases, duration_ms=(time.perf_counter() - started) * 1000)


def run_eval(
    suite: EvalSuite | Mapping[str, Any],
    *,
    runner: GraphRunner | None = None,
    evaluators: Mapping[str, Any] | None = None,
    judge_seconds: float = JUDGE_SECONDS,
    jobs: int = 1,
) -> EvalReport:
    """Run the graphs of a suite and hold the assertions of each against the state that its run ended in.

    Also a run that fails, takes too long or exceeds its budget has its state judged, with the error beside it. Such a
    case passes only when an assertion says how the run is to end (`status_equals`, or a `state_expect` that names
    `status` or `error`) and everything holds.

    Args:
        suite: The suite: an `EvalSuite`, or a mapping with its fields.
        runner: What runs the graphs; by default what fits each.
        evaluators: Executors for `llm_judge`, by the names that `evaluator_agent_id` uses.
        judge_seconds: Seconds that one judge may take; the timeout of a case is for its run.
        jobs: How many cases run at the same time.

    Raises:
        FixtureError: The suite is none. What is wrong with a case is an error of that case, which then does not run.
        ExecutorError: An evaluator is none.
        RuntimeError: An event loop is running already; await `run_eval_async` there.

    Example:
        >>> from aitestrunner.graph import Graph, Node, run_eval
        >>> graph = Graph([Node("draft", lambda memory: "Dear Ann"), Node("send")], [("draft", "send")])
        >>> checks = [{"type": "status_equals", "expected": "completed"}, {"type": "node_visited", "node_id": "send"}]
        >>> report = run_eval({"name": "letters", "cases": [{"name": "one", "graph": graph, "assertions": checks}]})
        >>> report.passed, report.failed, report.errors
        (1, 0, 0)
    """
    waiting = run_eval_async(suite, runner=runner, evaluators=evaluators, judge_seconds=judge_seconds, jobs=jobs)
    return run_now(waiting, "run_eval")
