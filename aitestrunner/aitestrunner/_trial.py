"""One run of one case: made ready, answered, judged, and written down as a log item."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from matchex.plugin import describe_error

from aitestrunner._asking import Asker, Fault
from aitestrunner._cases import Defaults
from aitestrunner._errors import ExecutorError
from aitestrunner._events import Listeners
from aitestrunner._executor_choice import Executors, in_conversation
from aitestrunner._executors import AIExecutionResult
from aitestrunner._judge import Judgement
from aitestrunner._log import AITestIssue, AITestLogItem
from aitestrunner._messages import Message, normalize_messages
from aitestrunner._operators import load_operators, written_operators
from aitestrunner._options import RunOptions
from aitestrunner._plan import tags_of
from aitestrunner._recorder import Recorder
from aitestrunner._references import CodeError
from aitestrunner._resolve import NotReady, Ready, make_ready
from aitestrunner._settings import Settings, Settler
from aitestrunner._sources import Item
from aitestrunner._variables import without_null_fields
from aitestrunner.oracles._verdict import OracleVerdict
from matchex import MISSING

__all__ = ["Oracle", "Trials", "file_operators"]

Oracle = Callable[..., Awaitable[Judgement]]
"""Judges an answer: takes the case made ready, the result, its messages, and `strict_vacuous`."""

_logger = logging.getLogger("aitestrunner")
_REASONS: Final = ("thinking", "reasonings", "reasoning", "reasons", "reason", "explanations", "explanation")


@dataclass(slots=True)
class _Trial:
    """What has become of a run so far."""

    item: Item
    settings: Settings
    repeat: int
    started: float
    ready: Ready | None = None
    result: AIExecutionResult | None = None
    messages: list[Message] | None = None
    judgement: Judgement | None = None
    issues: list[AITestIssue] = field(default_factory=list[AITestIssue])
    earlier: tuple[Fault, ...] = ()
    recorded: bool = False
    duration: float = 0.0

    def give_up(self, kind: str, message: str, cause: BaseException | None = None) -> None:
        """Note what keeps the case from being judged."""
        self.issues.append(AITestIssue(kind, message, "", self.item.case.position(), cause))


class Trials:
    """Runs cases, each by itself.

    Args:
        executors: Answer them.
        asker: Asks an executor.
        recorder: The recordings of the run, or None.
        options: The options of the run.
        listeners: Told when a case begins.
        script: The script that runs where a case names none.
        oracle: Judges an answer.
    """

    def __init__(
        self,
        *,
        executors: Executors,
        asker: Asker,
        recorder: Recorder | None,
        options: RunOptions,
        listeners: Listeners,
        script: str | None,
        oracle: Oracle,
    ) -> None:
        self._executors = executors
        self._asker = asker
        self._recorder = recorder
        self._options = options
        self._listeners = listeners
        self._oracle = oracle
        self._settler = Settler(options, script)
        self._run_operators = _operators_of_run(options)
        self._file_operators: dict[int, dict[str, Any] | CodeError] = {}

    def settings(self, item: Item) -> Settings:
        """What holds for a case."""
        return self._settler.settle(item.case, item.defaults)

    def skipped(self, item: Item, reason: str) -> AITestLogItem:
        """The log item of a case that does not run."""
        settings = self.settings(item)
        return AITestLogItem(
            i=item.index,
            id=item.id,
            status="skip",
            title=_title(settings),
            tags=tags_of(item),
            script=settings.script,
            input=without_null_fields(settings.input),
            expected=settings.output,
            skipped_because=reason,
            location=item.case.position(),
        )

    async def run(self, item: Item, settings: Settings, *, repeat: int, first: bool) -> AITestLogItem:
        """Run a case once.

        Args:
            item: The case.
            settings: What holds for it.
            repeat: Which of its runs this is, from 0.
            first: Whether its beginning is to be told.
        """
        trial = _Trial(item, settings, repeat, time.perf_counter())
        try:
            trial.ready = self._make_ready(item, settings)
        except NotReady as error:
            trial.issues = error.issues
        except Exception as error:
            trial.issues = [_unforeseen(error, item)]
        if first and self._listeners.wants("test:start"):
            await self._listeners.emit("test:start", _start_of(trial))
        if trial.ready is not None:
            await self._answer(trial, trial.ready)
        trial.duration = (time.perf_counter() - trial.started) * 1000
        if trial.ready is not None and trial.result is not None and not trial.issues:
            await self._judge(trial, trial.ready, trial.result)
        return self._log(trial)

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

    async def _answer(self, trial: _Trial, ready: Ready) -> None:
        try:
            execute = self._executors.of(trial.settings, self._options)
        except ExecutorError as error:
            location = trial.settings.locate("executor")
            trial.issues.append(AITestIssue("definition", str(error), "", location, error))
            return
        recorder = self._recorder
        if recorder is not None and self._executors.replays(trial.settings, self._options):
            recorder = None
        if recorder is not None and self._from_recording(trial, ready, recorder):
            return
        answer = await self._asker.ask(execute, ready.context, trial.settings.timeout)
        trial.earlier = answer.earlier
        if answer.fault is not None:
            trial.give_up(answer.fault.kind, answer.fault.message, answer.fault.cause)
            return
        trial.result = answer.result
        self._read_messages(trial)
        if recorder is not None and trial.result is not None and not trial.issues:
            name = self._executor_name(trial)
            asked = dataclasses.replace(ready.context, args=ready.args)  # as it was before the executor had it
            try:
                trial.result = recorder.keep(asked, name, trial.repeat, trial.result, trial.messages)
            except (ExecutorError, OSError) as error:
                trial.give_up("recording", str(error), error)

    def _from_recording(self, trial: _Trial, ready: Ready, recorder: Recorder) -> bool:
        """Take the recorded answer, or note that there is none though there must be one."""
        try:
            trial.result = recorder.find(ready.context, self._executor_name(trial), trial.repeat)
        except (ExecutorError, OSError) as error:
            trial.give_up("recording", str(error), error)
            return True
        trial.recorded = trial.result is not None
        self._read_messages(trial)
        return trial.recorded

    def _executor_name(self, trial: _Trial) -> Any:
        name = self._options.executor_name or self._executors.name_of(trial.settings, self._options)
        return in_conversation(name, trial.settings)

    def _read_messages(self, trial: _Trial) -> None:
        if trial.result is None or trial.result.messages is None:
            return
        try:
            trial.messages = normalize_messages(trial.result.messages, self._options.message_adapter)
        except Exception as error:
            trial.give_up("messages", f"the executor's messages cannot be read: {error}", error)

    async def _judge(self, trial: _Trial, ready: Ready, result: AIExecutionResult) -> None:
        if ready.oracles is not None and self._recorder is not None:
            ready.oracles = ready.oracles.recorded(self._recorder, trial.repeat)
        try:
            trial.judgement = await self._oracle(
                ready, result, trial.messages, strict_vacuous=self._options.strict_vacuous
            )
        except (Exception, SystemExit) as error:
            trial.issues.append(_unforeseen(error, trial.item))

    def _log(self, trial: _Trial) -> AITestLogItem:
        item, settings, ready = trial.item, trial.settings, trial.ready
        judgement = trial.judgement or Judgement(status="error", errors=tuple(trial.issues))
        log = AITestLogItem(
            i=item.index,
            id=item.id,
            status=judgement.status,
            title=ready.title if ready else _title(settings),
            tags=tags_of(item),
            script=ready.script if ready else settings.script,
            input=ready.input if ready else without_null_fields(settings.input),
            parsed=judgement.parsed,
            failures=judgement.failures,
            failed_critical=tuple(failure for failure in judgement.failures if failure.critical),
            errors=judgement.errors,
            notes=_with_earlier(judgement, trial),
            dimensions=judgement.dimensions,
            not_=(ready.settings if ready else settings).rules.not_ is True,
            duration=trial.duration,
            attempts=len(trial.earlier) + 1,
            recorded=trial.recorded,
            location=item.case.position(),
            expected=settings.output,
        )
        if ready is not None:
            self._add_ready(log, ready, judgement)
        if trial.result is not None:
            _add_result(log, trial.result, trial.messages)
        if judgement.oracles is not None:
            _add_oracles(log, judgement.oracles, judgement.status)
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
        elif judgement.oracles is not None:
            log.score, log.max_score = judgement.score, ready.max_score
        if self._options.log_vars is True or (self._options.log_vars == "error" and log.status != "pass"):
            log.vars = ready.args


def _start_of(trial: _Trial) -> dict[str, Any]:
    ready, item = trial.ready, trial.item
    return {
        "i": item.index,
        "id": item.id,
        "script": ready.script if ready else trial.settings.script,
        "input": ready.input if ready else without_null_fields(trial.settings.input),
        "title": ready.title if ready else _title(trial.settings),
        "fixture": ready.fixture if ready else item.case,
    }


def _unforeseen(error: BaseException, item: Item) -> AITestIssue:
    """A fault of ours, or of a value that behaves as no value should: it is told, and does not end the run."""
    _logger.error("the case %s could not be judged", item.id, exc_info=error)
    message = f"unforeseen {describe_error(error)}; the log of `aitestrunner` has the traceback"
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
    return written_operators(
        operators, base_dir=defaults.base_dir or options.base_dir, in_file=in_file, allow_code=options.allow_code
    )


def _title(settings: Settings) -> str | None:
    return settings.title if isinstance(settings.title, str) else None


def _with_earlier(judgement: Judgement, trial: _Trial) -> Any:
    """The notes of a case, and what the attempts before the last one ended in."""
    if not trial.earlier:
        return judgement.notes
    position = trial.item.case.position()
    earlier = [AITestIssue("retried", fault.message, "", position, fault.cause) for fault in trial.earlier]
    return (*earlier, *judgement.notes)


def _add_result(log: AITestLogItem, result: AIExecutionResult, messages: list[Message] | None) -> None:
    log.actual = result.output
    log.actual_trace = messages
    log.actual_meta = MISSING if result.meta is None else result.meta
    log.usage = MISSING if result.usage is None else result.usage
    log.cost = MISSING if result.cost is None else result.cost
    log.reason = _reason(result.output if log.parsed is MISSING else log.parsed)


def _add_oracles(log: AITestLogItem, verdict: OracleVerdict, status: str) -> None:
    """What the oracles said; what judges cost is a part of what the case cost."""
    log.oracles = {**verdict.to_dict(), "status": status}
    if verdict.cost is not None:
        log.cost = verdict.cost + (log.cost if isinstance(log.cost, (int, float)) else 0)


def _reason(output: Any) -> Any:
    """What an answer says about its reasons."""
    if isinstance(output, Mapping):
        fields = cast("Mapping[str, Any]", output)
        return next((fields[name] for name in _REASONS if name in fields), MISSING)
    return MISSING
