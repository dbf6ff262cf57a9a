"""The pipeline: jobs, time limits, retries, rates, stopping; every case has one outcome whatever the executor does."""

import asyncio
import gc
import threading
import time
from collections import Counter

import pytest

from aitestrunner import AIExecutionResult, AITestRunner, ExecutionError, FixtureError


def cases(count, **more):
    return [{"input": number, "output": "x", **more} for number in range(count)]


def statuses(result):
    return [log.status for log in result.logs]


class TestJobs:
    @pytest.mark.parametrize("kind", ["async", "sync"])
    def test_cases_run_together_and_are_told_in_order(self, kind):
        running, most = 0, 0
        lock = threading.Lock()

        def enter(step):
            nonlocal running, most
            with lock:
                running += step
                most = max(most, running)

        async def answer(context):
            enter(1)
            await asyncio.sleep(0.002 * (5 - context.input % 5))
            enter(-1)
            return "x"

        def answer_sync(context):
            enter(1)
            time.sleep(0.002 * (5 - context.input % 5))
            enter(-1)
            return "x"

        runner, told = AITestRunner(answer if kind == "async" else answer_sync), []
        runner.on("test:pass", lambda item: told.append(item.i))
        result = runner.run_sync("s", cases(40), jobs=8)
        assert result.passed_count == 40
        assert told == [log.i for log in result.logs] == list(range(40))
        assert 2 <= most <= 8

    def test_one_job_stays_in_the_thread(self):
        result = AITestRunner(lambda context: threading.current_thread().name).run_sync("s", [{"output": "MainThread"}])
        assert result.passed

    def test_threads_end_with_the_run(self):
        before = set(threading.enumerate())  # other tests leave threads behind on purpose
        AITestRunner(lambda context: "x").run_sync("s", cases(20), jobs=4)
        deadline = time.monotonic() + 10
        while set(threading.enumerate()) - before:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def test_a_fault_of_a_listener_of_the_run_ends_it(self):
        class End(BaseException):
            pass

        def end(item):
            raise End

        runner = AITestRunner(lambda context: "x")
        runner.on("test:pass", end)
        with pytest.raises(End):
            runner.run_sync("s", cases(20), jobs=4)

    async def test_cancelling_cancels_everything(self):
        started, cancelled = 0, 0

        async def answer(context):
            nonlocal started, cancelled
            started += 1
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled += 1
                raise

        task = asyncio.create_task(AITestRunner(answer).run("s", cases(10), jobs=4))
        while started < 4:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (started, cancelled) == (4, 4)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    @pytest.mark.parametrize(
        "options",
        [{"jobs": 0}, {"jobs": True}, {"retries": -1}, {"rate": 0}, {"timeout": 0}, {"repeat": 0}, {"shard": "3/2"}],
    )
    def test_wrong_options(self, options):
        with pytest.raises(ValueError, match="takes"):
            AITestRunner(len).run_sync("s", [], **options)


class TestTimeout:
    @pytest.mark.parametrize("jobs", [1, 3])
    @pytest.mark.parametrize("kind", ["async", "sync"])
    def test_what_takes_too_long_is_an_error(self, jobs, kind):
        cancelled, released = [], threading.Event()

        async def answer(context):
            try:
                await asyncio.sleep(60 if context.input == 1 else 0)
            except asyncio.CancelledError:
                cancelled.append(context.input)
                raise
            return "x"

        def answer_sync(context):
            if context.input == 1:
                released.wait(60)
            return "x"

        runner = AITestRunner(answer if kind == "async" else answer_sync)
        result = runner.run_sync("s", cases(3, timeout=0.1), jobs=jobs)
        released.set()
        assert statuses(result) == ["pass", "error", "pass"]
        assert result.logs[1].error.kind == "timeout"
        assert "no answer within 0.1 seconds" in result.logs[1].error.message
        assert cancelled == ([1] if kind == "async" else [])

    def test_the_own_value_of_a_case_goes_first(self):
        async def answer(context):
            await asyncio.sleep(0.05)
            return "x"

        result = AITestRunner(answer).run_sync("s", [{"output": "x"}, {"output": "x", "timeout": 60}], timeout=0.01)
        assert statuses(result) == ["error", "pass"]

    def test_an_executor_that_ignores_it_is_left_behind(self, monkeypatch):
        monkeypatch.setattr("aitestrunner._asking._GRACE", 0.05)
        monkeypatch.setattr("aitestrunner._loop._GRACE", 0.05)

        async def answer(context):
            while context.input == 0:
                try:
                    await asyncio.sleep(0.2)
                    return "too late"
                except asyncio.CancelledError:
                    pass
            return "x"

        result = AITestRunner(answer).run_sync("s", cases(2, timeout=0.02), jobs=2)
        assert statuses(result) == ["error", "pass"]
        assert "ignores that it was cancelled" in result.logs[0].error.message

    def test_waiting_for_a_turn_does_not_count(self):
        result = AITestRunner(lambda context: "x").run_sync("s", cases(4, timeout=0.15), jobs=4, rate=10)
        assert statuses(result) == ["pass"] * 4


class TestRetries:
    def test_errors_of_the_executor_are_asked_again(self):
        asked = Counter()

        def answer(context):
            asked[context.input] += 1
            if asked[context.input] <= context.input:
                raise ConnectionError(f"attempt {asked[context.input]}")
            return "x"

        result = AITestRunner(answer).run_sync("s", cases(4), retries=2, retry_delay=0)
        assert statuses(result) == ["pass", "pass", "pass", "error"]
        assert [log.attempts for log in result.logs] == [1, 2, 3, 3]
        retried = [note.message.partition(" (")[0] for note in result.logs[2].notes if note.kind == "retried"]
        assert retried == [
            "the executor raised ConnectionError: attempt 1",
            "the executor raised ConnectionError: attempt 2",
        ]
        assert result.logs[2].to_dict()["attempts"] == 3

    @pytest.mark.parametrize(
        "error", [ExecutionError("template", "no"), ExecutionError("recording", "no"), None], ids=["a", "b", "c"]
    )
    def test_what_is_the_same_every_time_is_not(self, error):
        asked = 0

        def answer(context):
            nonlocal asked
            asked += 1
            if error:
                raise error

        assert statuses(AITestRunner(answer).run_sync("s", cases(1), retries=5, retry_delay=0)) == ["error"]
        assert asked == 1

    def test_wrong_answers_are_not(self):
        asked = []
        result = AITestRunner(lambda context: asked.append(1) or "y").run_sync("s", cases(1), retries=5, retry_delay=0)
        assert (statuses(result), len(asked)) == (["fail"], 1)

    def test_the_time_limit_holds_for_all_attempts(self):
        def answer(context):
            raise ConnectionError("no route")

        started = time.monotonic()
        result = AITestRunner(answer).run_sync("s", cases(1, timeout=0.2), retries=50, retry_delay=0.1)
        assert time.monotonic() - started < 10
        assert result.logs[0].error.kind == "timeout"
        assert "no route" in result.logs[0].error.message

    def test_rate(self):
        times = []
        AITestRunner(lambda context: times.append(time.monotonic()) or "x").run_sync("s", cases(4), rate=50)
        assert times[-1] - times[0] >= 3 / 50 - 0.005


class TestStopping:
    @pytest.mark.parametrize("jobs", [1, 4])
    def test_fail_fast(self, jobs):
        async def answer(context):
            await asyncio.sleep(0)
            return "y" if context.input == 3 else "x"

        result = AITestRunner(answer).run_sync("s", cases(50), fail_fast=True, jobs=jobs)
        assert len(result.logs) == 50
        assert statuses(result)[:4] == ["pass", "pass", "pass", "fail"]
        assert "fail-fast" in result.logs[-1].skipped_because
        assert result.stopped == "fail-fast"
        assert [log.i for log in result.logs] == list(range(50))

    def test_only_can_be_forbidden(self):
        with pytest.raises(FixtureError, match="--forbid-only"):
            AITestRunner(len).run_sync("s", [{"output": 1, "only": True}], forbid_only=True)


def test_whatever_the_executor_does_every_case_has_one_outcome(monkeypatch):
    """Raising, hanging, slow, garbage, cancelling, exiting: at 32 jobs, with retries, and nothing is left running."""
    monkeypatch.setattr("aitestrunner._asking._GRACE", 0.05)
    running = 0

    async def faulty(context):
        await asyncio.sleep(0)
        kind = context.input % 9
        if kind == 0:
            return "x"
        if kind == 1:
            raise ValueError("broken")
        if kind == 2:
            await asyncio.sleep(600)
        if kind == 3:
            await asyncio.sleep(0.03)
            return "x"
        if kind == 4:
            return AIExecutionResult({1: object(), "loop": object}, messages=[5])
        if kind == 5:
            raise asyncio.CancelledError
        if kind == 6:
            raise SystemExit(3)
        if kind == 7:
            raise ExecutionError("status", "503")
        return None

    async def answer(context):
        nonlocal running
        running += 1
        try:
            return await faulty(context)
        finally:
            running -= 1

    async def main():
        runner, ended = AITestRunner(answer), Counter()
        for status in ("pass", "fail", "error", "skip"):
            runner.on(f"test:{status}", lambda item: ended.update([item.i]))
        result = await runner.run("s", cases(270, timeout=0.3), jobs=32, retries=1, retry_delay=0.001)
        assert ended == Counter(range(270))
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    result = asyncio.run(main())
    assert running == 0
    assert [log.i for log in result.logs] == list(range(270))
    by_kind = {kind: {log.status for log in result.logs if log.i % 9 == kind} for kind in range(9)}
    assert by_kind == {kind: {"pass"} if kind in (0, 3) else {"error"} for kind in range(9)}
    counts = (result.passed_count, result.failed_count, result.error_count, result.skipped_count)
    assert counts == (60, 0, 210, 0)
    assert {log.error.kind for log in result.logs if log.i % 9 == 2} == {"timeout"}


def test_sums_without_log_items():
    runner = AITestRunner(lambda context: AIExecutionResult("x", cost=0.5))
    result = runner.run_sync("s", cases(10, scoring=True, maxScore=2), keep_logs=False)
    assert (result.logs, result.passed_count, result.cost) == ([], 10, 5.0)
    assert (result.tally.points, result.tally.max_points) == (20, 20)


async def test_the_collector_is_as_it_was_after_runs_that_overlap():
    before, during = gc.get_threshold(), []

    async def answer(context):
        during.append(gc.get_threshold())
        await asyncio.sleep(0.001 * context.input)
        return "x"

    runner = AITestRunner(answer)
    await asyncio.gather(*(runner.run("s", cases(count), jobs=2) for count in (1, 5, 3)))
    assert all(thresholds[0] >= before[0] and thresholds[1:] == before[1:] for thresholds in during)
    assert gc.get_threshold() == before
