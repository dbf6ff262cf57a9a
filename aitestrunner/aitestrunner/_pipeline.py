"""The one pipeline: cases, planned, executed, judged, and told as events.

Everything that a face shows comes from the events; everything that makes a run slow, fast or careful belongs here. One
run of one case is in `_trial`, how an executor is asked in `_asking`, the order of work in `_schedule`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

from aitestrunner._asking import Asker
from aitestrunner._collector import relaxed_collector
from aitestrunner._digest import Digests
from aitestrunner._engine import Engine
from aitestrunner._events import Listeners
from aitestrunner._executor_choice import Executors
from aitestrunner._judge import judge
from aitestrunner._log import AITestFixtureResult, AITestLogItem
from aitestrunner._options import RunOptions
from aitestrunner._plan import Plan, Planned, make_plan
from aitestrunner._recorder import Recorder
from aitestrunner._repeat import one_of_many
from aitestrunner._runlog import LogError, LoggedRun, RunLog
from aitestrunner._schedule import Schedule
from aitestrunner._settings import Settings
from aitestrunner._sources import Item
from aitestrunner._trial import Oracle, Trials

__all__ = ["Pipeline"]

_FAIL_FAST = "the run was stopped by an earlier case (--fail-fast)"


class _Unit(NamedTuple):
    """What is done at a time: one run of a case.

    Args:
        planned: The case.
        settings: What holds for it; None where it does not run.
        repeat: Which of its runs.
        repeats: How many there are.
    """

    planned: Planned
    settings: Settings | None = None
    repeat: int = 0
    repeats: int = 1


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
        oracle: Oracle = judge,
    ) -> None:
        self._options = options
        self._listeners = listeners
        self._script = script
        self._executors = executors
        self._oracle = oracle

    async def run(self, items: Sequence[Item]) -> AITestFixtureResult:
        """Run the cases and return what became of them, in their order.

        Raises:
            FixtureError: A case has `only`, and the run forbids it.
            LogError: The log to resume is none.
            OSError: A log or a recording cannot be read or written.
            SelectionError: What to select by cannot be read.
        """
        plan = make_plan(items, self._options)
        options = self._options
        resumed = None if options.resume is None else LoggedRun.read(options.resume)
        if resumed is not None:
            _check_belongs(resumed, items)
        recorder = Recorder(options.recordings, options.record) if options.record is not None else None
        asker = Asker(
            retries=options.retries, delay=options.retry_delay, per_second=options.rate, aside=options.jobs > 1
        )
        trials = Trials(
            executors=self._executors,
            asker=asker,
            recorder=recorder,
            options=options,
            listeners=self._listeners,
            script=self._script,
            oracle=self._oracle,
        )
        log_path = options.resume if options.resume is not None else options.log
        log = None if log_path is None else RunLog(log_path, resumed=resumed)  # now that nothing else can be wrong
        try:
            with relaxed_collector():
                return await _Run(plan, options, self._listeners, trials, log, resumed).run(self._header(plan))
        finally:
            asker.close()
            if recorder is not None:
                recorder.close()
            if log is not None:
                log.close()

    def _header(self, plan: Plan) -> dict[str, Any]:
        header: dict[str, Any] = {"cases": len(plan), "script": self._script}
        if plan.deselected:
            header["deselected"] = plan.deselected
        if self._options.shard is not None:
            header["shard"] = self._options.shard
            header["shardOf"] = plan.all_ids
        return header


def _check_belongs(resumed: LoggedRun, items: Sequence[Item]) -> None:
    known = {item.id for item in items}
    foreign = [case_id for case_id in resumed.ids() if case_id not in known]
    if foreign:
        raise LogError(
            f"{resumed.path} is the log of another run: it has the case {foreign[0]!r}"
            f"{f' and {len(foreign) - 1} more' if len(foreign) > 1 else ''}, which this run has not"
        )


class _Run:
    """One run on its way."""

    def __init__(
        self,
        plan: Plan,
        options: RunOptions,
        listeners: Listeners,
        trials: Trials,
        log: RunLog | None,
        resumed: LoggedRun | None,
    ) -> None:
        self._plan = plan
        self._options = options
        self._listeners = listeners
        self._trials = trials
        self._log = log
        self._resumed = resumed
        self._digests = Digests()
        self._told: set[str] = set()
        self._runs: list[AITestLogItem] = []
        self._result = AITestFixtureResult(listener_errors=listeners.errors, deselected=plan.deselected)

    async def run(self, header: Mapping[str, Any]) -> AITestFixtureResult:
        result, started = self._result, time.perf_counter()
        if self._log is not None:
            self._log.start({**header, **self._options.log_fields})
        await self._listeners.emit("run:start", header)
        if self._options.engine is None:
            left_over = await Schedule(self._do, self._hand_out, jobs=self._options.jobs).run(self._units())
            ended = {unit.planned.item.id: found for unit, found in left_over if unit.repeats == 1}
        else:
            ended = await self._run_elsewhere(self._options.engine)
        if result.stopped:
            await self._tell_what_is_left(ended)
        result.duration = (time.perf_counter() - started) * 1000
        if self._log is not None:
            self._log.end(result)
        await self._listeners.emit("run:end", result)
        return result

    def _units(self) -> Iterator[_Unit]:
        for planned in self._plan:
            if planned.skipped is not None:
                yield _Unit(planned)
                continue
            settings = self._trials.settings(planned.item)
            for repeat in range(settings.repeat):
                yield _Unit(planned, settings, repeat, settings.repeat)

    async def _do(self, unit: _Unit) -> AITestLogItem:
        """The log item of a unit, which the log has before anybody is told: it is complete whatever comes next."""
        item, several = unit.planned.item, unit.repeats > 1
        digest = self._digests.of(item) if self._log is not None else ""
        known = None if self._resumed is None else self._known(self._resumed, unit, digest)
        if known is not None:
            return self._moved(known, item, digest, unit.repeat if several else None)
        if unit.settings is None:
            found = self._trials.skipped(item, unit.planned.skipped or "skip")
        else:
            first = not several or item.id not in self._told
            if several:
                self._told.add(item.id)
            found = await self._trials.run(item, unit.settings, repeat=unit.repeat, first=first)
        self._write(found, digest, unit.repeat if several else None)
        return found

    def _moved(self, known: AITestLogItem, item: Item, digest: str, repeat: int | None = None) -> AITestLogItem:
        """What a resumed run knows, with the place that the case has now, which the log learns too."""
        if known.i != item.index:
            known.i = item.index
            self._write(known, digest, repeat)
        return known

    def _write(self, found: AITestLogItem, digest: str, repeat: int | None) -> None:
        """Write a log item: of a case or, with the number of the repeat, of one of its runs."""
        if self._log is None:
            return
        if repeat is None:
            self._log.case(found, digest)
        else:
            self._log.trial(found, digest, repeat)

    def _known(self, resumed: LoggedRun, unit: _Unit, digest: str) -> AITestLogItem | None:
        """What the resumed run says about a unit. What is skipped is decided anew."""
        item = unit.planned.item
        if unit.repeats > 1:
            return resumed.trial(item.id, unit.repeat, digest)
        known = resumed.item(item.id, digest)
        return known if known is not None and known.skipped == (unit.settings is None) else None

    async def _hand_out(self, unit: _Unit, found: AITestLogItem) -> bool:
        """Tell of a case when all its runs have ended; whether the run goes on."""
        if unit.settings is not None and unit.repeats > 1:
            self._runs.append(found)
            if len(self._runs) < unit.repeats:
                return True
            runs, self._runs = self._runs, []
            found = one_of_many(runs, unit.settings.min_pass_rate)
            self._log_together(unit, found)
        await self._tell(found)
        return self._goes_on_after(found)

    def _goes_on_after(self, found: AITestLogItem) -> bool:
        if self._options.fail_fast and found.status in ("fail", "error"):
            self._result.stopped = "fail-fast"
            return False
        return True

    def _log_together(self, unit: _Unit, found: AITestLogItem) -> None:
        """Write what the runs of a case say together, unless the resumed run did so already."""
        if self._log is None:
            return
        item = unit.planned.item
        digest = self._digests.of(item)
        if self._resumed is None or self._resumed.item(item.id, digest) is None:
            self._log.case(found, digest)

    async def _tell(self, item: AITestLogItem) -> None:
        self._result.tally.add(item)
        if self._options.keep_logs:
            self._result.logs.append(item)
        event = f"test:{item.status}"
        if self._listeners.wants(event):
            await self._listeners.emit(event, item)

    async def _tell_what_is_left(self, ended: Mapping[str, AITestLogItem]) -> None:
        """After a stop: cases that had ended already count as they ended, the others as not run."""
        told = self._result.tally.total
        for number, planned in enumerate(self._plan):
            if number < told:
                continue
            found = ended.get(planned.item.id)
            if found is None:
                found = self._trials.skipped(planned.item, planned.skipped or _FAIL_FAST)
                if self._log is not None:
                    self._log.case(found, "", stopped=True)
            await self._tell(found)

    async def _run_elsewhere(self, engine: Engine) -> dict[str, AITestLogItem]:
        """Run the cases on an engine and tell of them in order. Returns those that ended and were not told of."""
        ended = {found.i: found for planned in self._plan if (found := self._without_engine(planned)) is not None}
        items = {planned.item.id: planned.item for planned in self._plan if planned.item.index not in ended}
        waiting = iter(self._plan)
        place = next(waiting, None)
        async with aclosing(engine.items(list(items))) as arriving:
            while place is not None:
                while place.item.index not in ended:
                    found = await anext(arriving)
                    item = items[found.id]
                    found.i = item.index
                    ended[item.index] = found
                    if self._log is not None:
                        self._log.case(found, self._digests.of(item))
                found = ended.pop(place.item.index)
                await self._tell(found)
                if not self._goes_on_after(found):
                    break
                place = next(waiting, None)
        return {found.id: found for found in ended.values()}

    def _without_engine(self, planned: Planned) -> AITestLogItem | None:
        """The log item of a case that does not run, or that the resumed run knows; None where it is to be run."""
        item = planned.item
        digest = self._digests.of(item) if self._log is not None else ""
        known = None if self._resumed is None else self._resumed.item(item.id, digest)
        if known is not None and known.skipped == (planned.skipped is not None):
            return self._moved(known, item, digest)
        if planned.skipped is None:
            return None
        found = self._trials.skipped(item, planned.skipped)
        if self._log is not None:
            self._log.case(found, digest)
        return found
