"""The one pipeline: cases, planned, executed, judged, and told as events.

Everything that a face shows comes from the events; everything that makes a run slow, fast or careful belongs here.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from aitestrunner._cases import Defaults
from aitestrunner._errors import ExecutionError, ExecutorError
from aitestrunner._events import Listeners
from aitestrunner._executor_choice import Executors
from aitestrunner._executors import AIExecutionResult
from aitestrunner._judge import Judgement, judge
from aitestrunner._log import AITestFixtureResult, AITestIssue, AITestLogItem
from aitestrunner._messages import Message, normalize_messages
from aitestrunner._operators import load_operators
from aitestrunner._options import RunOptions
from aitestrunner._references import CodeError
from aitestrunner._resolve import NotReady, Ready, make_ready
from aitestrunner._settings import Settings, settle
from aitestrunner._sources import Item
from aitestrunner._variables import without_null_fields
from matchex import MISSING

__all__ = ["Pipeline", "file_operators"]

_logger = logging.getLogger("aitestrunner")
_REASONS: Final = ("thinking", "reasonings", "reasoning", "reasons", "reason", "explanations", "explanation")


@dataclass(slots=True)
class _Attempt:
    """What has become of a case so far."""

    item: Item
    settings: Settings
    started: float
    ready: Ready | None = None
    result: AIExecutionResult | None = None
    messages: list[Message] | None = None
    judgement: Judgement | None = None
    issues: list[AITestIssue] = field(default_factory=list[AITestIssue])
    duration: float = 0.0


class Pipeline:
    """Runs cases.

    Args:
        executors: Answer the cases.
        options: The options of the run.
        listeners: Who is told.
        script: The script that runs where a case names none.
        oracle: Judges an answer, by default by the blocks of its case.
    """

    def __init__(
        self,
        executors: Executors,
        options: RunOptions,
        listeners: Listeners,
        script: str | None,
        oracle: Callable[..., Awaitable[Judgement]] = judge,
    ) -> None:
        self._executors = executors
        self._oracle = oracle
        self._options = options
        self._listeners = listeners
        self._script = script
        self._run_operators = _operators_of_run(options)
        self._file_operators: dict[int, dict[str, Any] | CodeError] = {}

    async def run(self, items: Sequence[Item]) -> AITestFixtureResult:
        """Run the cases in their order and return what became of them."""
        result = AITestFixtureResult(listener_errors=self._listeners.errors)
        started = time.perf_counter()
        await self._listeners.emit("run:start", {"cases": len(items), "script": self._script})
        only = any(item.case.only is True for item in items)
        for item in items:
            reason = self._skipped_because(item, only)
            log = self._skip(item, reason) if reason else await self._run_case(item)
            result.logs.append(log)
            await self._listeners.emit(f"test:{log.status}", log)
        result.duration = (time.perf_counter() - started) * 1000
        await self._listeners.emit("run:end", result)
        return result

    def _skipped_because(self, item: Item, only: bool) -> str | None:
        """Why a case does not run, or None. A case with both `skip` and `only` is skipped."""
        skip = item.case.skip
        if skip is not MISSING and skip is not None and skip is not False:
            return skip if isinstance(skip, str) else "skip"
        if self._options.skips_index(item.index):
            return "skips"
        return "another case has `only`" if only and item.case.only is not True else None

    def _skip(self, item: Item, reason: str) -> AITestLogItem:
        settings = settle(item.case, item.defaults, self._options, self._script)
        return AITestLogItem(
            i=item.index,
            id=item.id,
            status="skip",
            title=_title(settings),
            tags=_tags(item),
            script=settings.script,
            input=without_null_fields(settings.input),
            expected=settings.output,
            skipped_because=reason,
            location=item.case.position(),
        )

    async def _run_case(self, item: Item) -> AITestLogItem:
        settings = settle(item.case, item.defaults, self._options, self._script)
        attempt = _Attempt(item, settings, time.perf_counter())
        try:
            attempt.ready = self._make_ready(item, settings)
        except NotReady as error:
            attempt.issues = error.issues
        except Exception as error:
            attempt.issues = [_unforeseen(error, item)]
        await self._listeners.emit("test:start", self._start_of(attempt))
        if attempt.ready is not None:
            await self._answer(attempt, attempt.ready)
        attempt.duration = (time.perf_counter() - attempt.started) * 1000
        if attempt.ready is not None and attempt.result is not None and not attempt.issues:
            await self._judge(attempt, attempt.ready, attempt.result)
        return self._log(attempt)

    def _make_ready(self, item: Item, settings: Settings) -> Ready:
        if item.problems:
            raise NotReady(
                [AITestIssue("definition", problem.message, "", problem.position) for problem in item.problems]
            )
        return make_ready(settings, self._options, self._operators_for(item.defaults), item.id)

    def _operators_for(self, defaults: Defaults) -> Mapping[str, Any]:
        """The operators of the run and of a case's file, loaded once for each file."""
        found = self._file_operators.get(id(defaults))
        if found is None:
            try:
                found = {**self._run_operators, **file_operators(defaults, self._options)}
            except CodeError as error:
                found = error
            self._file_operators[id(defaults)] = found
        if isinstance(found, CodeError):
            raise NotReady([AITestIssue("operators", str(found), "", defaults.position(("operators",)), found)])
        return found

    def _start_of(self, attempt: _Attempt) -> dict[str, Any]:
        ready, item = attempt.ready, attempt.item
        return {
            "i": item.index,
            "id": item.id,
            "script": ready.script if ready else attempt.settings.script,
            "input": ready.input if ready else without_null_fields(attempt.settings.input),
            "title": ready.title if ready else _title(attempt.settings),
            "fixture": ready.fixture if ready else item.case,
        }

    async def _answer(self, attempt: _Attempt, ready: Ready) -> None:
        try:
            execute = self._executors.of(attempt.settings, self._options)
        except ExecutorError as error:
            attempt.issues.append(AITestIssue("definition", str(error), "", attempt.settings.locate("executor"), error))
            return
        try:
            attempt.result = await execute(ready.context)
        except ExecutionError as error:
            attempt.issues.append(AITestIssue(error.kind, str(error), "", attempt.item.case.position(), error))
            return
        except Exception as error:
            message = (
                f"the executor raised {type(error).__name__}: {error}"
                if str(error)
                else f"the executor raised {type(error).__name__}"
            )
            attempt.issues.append(AITestIssue("executor", message, "", attempt.item.case.position(), error))
            return
        if attempt.result.messages is None:
            return
        try:
            attempt.messages = normalize_messages(attempt.result.messages, self._options.message_adapter)
        except Exception as error:
            message = f"the executor's messages cannot be read: {error}"
            attempt.issues.append(AITestIssue("messages", message, "", attempt.item.case.position(), error))

    async def _judge(self, attempt: _Attempt, ready: Ready, result: AIExecutionResult) -> None:
        try:
            attempt.judgement = await self._oracle(
                ready, result, attempt.messages, strict_vacuous=self._options.strict_vacuous
            )
        except Exception as error:
            attempt.issues.append(_unforeseen(error, attempt.item))

    def _log(self, attempt: _Attempt) -> AITestLogItem:
        item, settings, ready = attempt.item, attempt.settings, attempt.ready
        judgement = attempt.judgement or Judgement(status="error", errors=tuple(attempt.issues))
        log = AITestLogItem(
            i=item.index,
            id=item.id,
            status=judgement.status,
            title=ready.title if ready else _title(settings),
            tags=_tags(item),
            script=ready.script if ready else settings.script,
            input=ready.input if ready else without_null_fields(settings.input),
            parsed=judgement.parsed,
            failures=judgement.failures,
            failed_critical=tuple(failure for failure in judgement.failures if failure.critical),
            errors=judgement.errors,
            notes=judgement.notes,
            dimensions=judgement.dimensions,
            not_=(ready.settings if ready else settings).not_ is True,
            duration=attempt.duration,
            location=item.case.position(),
            expected=settings.output,
        )
        if ready is not None:
            self._add_ready(log, ready, judgement)
        if attempt.result is not None:
            _add_result(log, attempt.result, attempt.messages)
        return log

    def _add_ready(self, log: AITestLogItem, ready: Ready, judgement: Judgement) -> None:
        checked = {block.name: block.expected for block in ready.blocks}
        log.expected = checked.get("output", MISSING)
        log.expected_schema = checked.get("schema", MISSING)
        log.expected_trace = checked.get("expect", MISSING)
        log.tools = ready.args.get("tools", MISSING)
        if ready.scoring:
            log.score, log.max_score, log.pass_score = judgement.score, ready.max_score, ready.pass_score
            log.score_details = judgement.score_details
        if self._options.log_vars is True or (self._options.log_vars == "error" and log.status != "pass"):
            log.vars = ready.args


def _unforeseen(error: Exception, item: Item) -> AITestIssue:
    """A fault of ours, or of a value that behaves as no value should: it is told, and does not end the run."""
    _logger.error("the case %s could not be judged", item.id, exc_info=error)
    message = f"unforeseen {type(error).__name__}: {error} (the log of `aitestrunner` has the traceback)"
    return AITestIssue("internal", message, "", item.case.position(), error)


def _operators_of_run(options: RunOptions) -> dict[str, Any]:
    """The operators that the caller named himself; a wrong one ends the run before it begins."""
    if options.operators is MISSING or options.operators is None:
        return {}
    return load_operators(options.operators, base_dir=options.base_dir, inside=None)


def file_operators(defaults: Defaults, options: RunOptions) -> dict[str, Any]:
    """The operators that a file names for all its cases.

    Raises:
        CodeError: One of them cannot be loaded, or the run does not allow code.
    """
    operators = defaults.settings.operators
    if operators is MISSING or operators is None:
        return {}
    in_file = defaults.node is not None and defaults.position() is not None
    if in_file and not options.allow_code:
        raise CodeError("the file names operators in code, which this run does not allow")
    base_dir = defaults.base_dir or options.base_dir
    return load_operators(operators, base_dir=base_dir, inside=base_dir if in_file else None)


def _title(settings: Settings) -> str | None:
    return settings.title if isinstance(settings.title, str) else None


def _tags(item: Item) -> tuple[str, ...]:
    found: list[str] = []
    for tags in (item.defaults.settings.tags, item.case.tags):
        if isinstance(tags, str):
            found.append(tags)
        elif isinstance(tags, list):
            found += cast("list[str]", tags)
    return tuple(dict.fromkeys(found))


def _add_result(log: AITestLogItem, result: AIExecutionResult, messages: list[Message] | None) -> None:
    log.actual = result.output
    log.actual_trace = messages
    log.actual_meta = MISSING if result.meta is None else result.meta
    log.usage = MISSING if result.usage is None else result.usage
    log.cost = MISSING if result.cost is None else result.cost
    log.reason = _reason(result.output if log.parsed is MISSING else log.parsed)


def _reason(output: Any) -> Any:
    """What an answer says about its reasons."""
    if isinstance(output, Mapping):
        fields = cast("Mapping[str, Any]", output)
        return next((fields[name] for name in _REASONS if name in fields), MISSING)
    return MISSING
