"""The run log: complete at any moment, read back as it was, resumed without losing or repeating a case."""

import asyncio
import dataclasses
import json
from collections import Counter

import pytest
from aitestrunner._stored import item_of

from aitestrunner import (
    AIExecutionResult,
    AITestIssue,
    AITestLogItem,
    AITestRunner,
    CodeError,
    LogError,
    LoggedRun,
    Position,
)


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


CASES = [
    {"id": "pass", "output": "good"},
    {"id": "fail", "title": "é 天 \ud800", "output": {"a": "good day"}, "expect": {"meta": {"n": {"$gt": 3}}}},
    {"id": "error", "output": "{{nowhere}}"},
    {"id": "skip", "output": "x", "skip": "not yet"},
    {"id": "scored", "output": {"$contains": "good", "$score": 5, "$title": "t"}, "scoring": True},
    {"id": "null", "input": None, "output": None},
    {"id": "repeated", "output": "good", "repeat": 3, "minPassRate": 0.5, "tags": ["a", "b"]},
]


def answer(context):
    if context.fixture_id == "null":
        return AIExecutionResult(None)
    return AIExecutionResult("good day!", meta={"n": 1, "odd": {1, 2}}, usage={"t": 5}, cost=0.5, messages=[])


def test_what_is_read_is_what_was_written(tmp_path):
    log = tmp_path / "folder" / "run.jsonl"
    result = AITestRunner(answer).run_sync("s", CASES, log=log, log_vars=True)
    read = LoggedRun.read(log)
    assert [item.to_dict() for item in read] == json.loads(
        json.dumps([item.to_dict() for item in result.logs]).replace("\\ud800", "\\\\ud800")
    )
    assert read.result().summary() == result.summary()
    assert (read.header["cases"], read.header["script"], len(read)) == (7, "s", 7)
    assert read.unhappy_ids() == ["fail", "error"]
    assert (read.ended["passedCount"], read.ended["skippedCount"]) == (result.passed_count, 1)


def test_a_report_of_a_stored_run_is_that_of_the_run(tmp_path):
    from aitestrunner._report_text import Palette, item_lines

    log = tmp_path / "run.jsonl"
    cases = [case for case in CASES if case["id"] != "fail"] + [{"output": "good bye, all of you"}]
    result = AITestRunner(answer).run_sync("s", cases, log=log)
    for live, stored in zip(result.logs, LoggedRun.read(log), strict=True):
        plain = Palette(enabled=False)
        assert list(item_lines(stored, plain, verbose=True)) == list(item_lines(live, plain, verbose=True))


def test_a_case_is_in_the_log_before_anybody_is_told(tmp_path):
    log, seen = tmp_path / "run.jsonl", []
    runner = AITestRunner(lambda context: "x")
    runner.on("test:pass", lambda item: seen.append(len(lines_of(log))))
    runner.run_sync("s", [{"output": "x"}] * 3, log=log)
    assert seen == [2, 3, 4]


def test_other_files_are_not_overwritten(tmp_path):
    path = tmp_path / "bot.fixture.yaml"
    path.write_text("- output: x\n")
    with pytest.raises(LogError, match="is no run log"):
        AITestRunner(len).run_sync("s", [{"output": 1}], log=path)
    assert path.read_text() == "- output: x\n"


def test_a_run_that_cannot_begin_leaves_the_log_alone(tmp_path):
    log = tmp_path / "run.jsonl"
    AITestRunner(answer).run_sync("s", CASES, log=log)
    before = log.read_bytes()
    with pytest.raises(CodeError):
        AITestRunner(answer).run_sync("s", CASES, log=log, operators={"$x": "py:nowhere:x"})
    assert log.read_bytes() == before


class TestResume:
    CASES = tuple({"id": f"c{number}", "output": "x", "repeat": 1 + 2 * (number % 5 == 3)} for number in range(12))
    RUNS = 12 + 2 * 2

    @pytest.mark.parametrize("jobs", [1, 4])
    @pytest.mark.parametrize("cut", range(0, 60, 7))
    def test_cut_anywhere(self, tmp_path, jobs, cut):
        """However much of the log is there, and be the last line torn: each run is done once, each case told once."""
        log, asked, told = tmp_path / "run.jsonl", Counter(), Counter()

        def count(context):
            asked[context.fixture_id] += 1
            return "x"

        runner = AITestRunner(count)
        runner.run_sync("s", self.CASES, log=log, jobs=jobs)
        data = log.read_bytes()
        header = data.index(b"\n") + 1
        kept = data[: header + (len(data) - header) * cut // 60]
        log.write_bytes(kept)
        done = Counter()
        for line in kept.splitlines(keepends=True)[1:]:
            entry = json.loads(line) if line.endswith(b"\n") else {"event": "torn"}
            if entry["event"] == "trial":
                done[entry["id"]] += 1
            elif entry["event"] == "test" and "repeats" not in entry["item"]:
                done[entry["item"]["id"]] += 1
        asked.clear()
        runner.on("test:pass", lambda item: told.update([item.id]))
        result = runner.run_sync("s", self.CASES, resume=log, jobs=jobs)
        assert asked + done == Counter({case["id"]: case["repeat"] for case in self.CASES})
        assert told == Counter(case["id"] for case in self.CASES)
        assert [item.id for item in result.logs] == [case["id"] for case in self.CASES]
        ends = Counter(entry["item"]["id"] for entry in lines_of(log) if entry["event"] == "test")
        assert ends == told
        assert LoggedRun.read(log).ended["passedCount"] == 12

    def test_what_was_changed_runs_again(self, tmp_path):
        log, asked = tmp_path / "run.jsonl", []
        runner = AITestRunner(lambda context: asked.append(context.fixture_id) or "x")
        runner.run_sync("s", [{"id": "a", "output": "y"}, {"id": "b", "output": "x"}], log=log)
        result = runner.run_sync("s", [{"id": "a", "output": "x"}, {"id": "b", "output": "x"}], resume=log)
        assert asked == ["a", "b", "a"]
        assert result.passed_count == LoggedRun.read(log).result().passed_count == 2

    def test_what_was_not_run_after_a_stop_runs(self, tmp_path):
        log, answers = tmp_path / "run.jsonl", iter(["y", "x"])
        cases = [{"id": "a", "output": "x"}, {"id": "b", "output": "x"}]
        runner = AITestRunner(lambda context: next(answers))
        assert runner.run_sync("s", cases, log=log, fail_fast=True).skipped_count == 1
        assert LoggedRun.read(log).result().skipped_count == 1
        result = runner.run_sync("s", cases, resume=log)
        assert [item.status for item in result.logs] == ["fail", "pass"]
        assert [item.status for item in LoggedRun.read(log)] == ["fail", "pass"]

    def test_the_log_of_another_run(self, tmp_path):
        log = tmp_path / "run.jsonl"
        AITestRunner(len).run_sync("s", [{"id": "a", "output": 1}], log=log)
        with pytest.raises(LogError, match="another run: it has the case 'a', which"):
            AITestRunner(len).run_sync("s", [{"id": "b", "output": 1}], resume=log)

    @pytest.mark.parametrize("text", ["", "{}\n", "[]\n", "x\n", '{"event": "test"}\n'])
    def test_other_files(self, tmp_path, text):
        log = tmp_path / "run.jsonl"
        log.write_text(text)
        with pytest.raises(LogError, match="is no run log"):
            AITestRunner(len).run_sync("s", [], resume=log)
        assert log.read_text() == text

    async def test_after_a_cancelled_run(self, tmp_path):
        log, asked = tmp_path / "run.jsonl", Counter()
        gate = asyncio.Event()

        async def answer(context):
            asked[context.fixture_id] += 1
            if len(asked) > 5:
                await gate.wait()
            return "x"

        runner = AITestRunner(answer)
        cases = [{"id": f"c{number}", "output": "x"} for number in range(9)]
        task = asyncio.create_task(runner.run("s", cases, log=log, jobs=2))
        while len(asked) < 7:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(LoggedRun.read(log)) == 5
        assert LoggedRun.read(log).ended is None
        gate.set()
        result = await runner.run("s", cases, resume=log, jobs=2)
        assert result.passed_count == 9
        assert asked.total() == 9 + 2


class TestRecording:
    def test_auto_new_and_none(self, tmp_path):
        asked, answers = [], iter(range(100))

        def answer(context):
            asked.append(context.fixture_id)
            return {"output": f"x{next(answers)}", "messages": [{"role": "user", "content": "hi"}], "odd": (1, 2)}

        cases = [{"id": "a", "input": 1, "output": "x"}, {"id": "b", "input": 2, "output": "x", "repeat": 2}]
        runner = AITestRunner(answer)

        def run(mode, cases=cases):
            asked.clear()
            result = runner.run_sync("s", cases, record=mode, recordings=tmp_path / "r.jsonl")
            outputs = [[run.actual for run in log.repeats.runs] if log.repeats else log.actual for log in result.logs]
            return list(asked), outputs, result

        assert run("none")[2].logs[0].error.kind == "recording"
        assert run("auto")[:2] == (["a", "b", "b"], ["x0", ["x1", "x2"]])
        asked_again, outputs, result = run("auto")
        assert (asked_again, outputs) == ([], ["x0", ["x1", "x2"]])
        assert [log.recorded for log in result.logs] == [True, True]
        assert (result.tally.recorded, result.logs[0].to_dict()["recorded"]) == (2, True)
        assert result.logs[0].actual_trace[0].content == "hi"
        assert run("new")[:2] == (["a", "b", "b"], ["x3", ["x4", "x5"]])
        assert run("none")[:2] == ([], ["x3", ["x4", "x5"]])
        assert run("none", [{"id": "renamed", "input": 1, "output": "x"}])[1] == ["x3"]
        assert run("auto", [{"id": "a", "input": 3, "output": "x"}])[:2] == (["a"], ["x6"])

    def test_a_replay_is_judged_as_the_recorded_run_was(self, tmp_path):
        cases = [{"input": 1, "output": {"a": [1, 2]}}, {"input": 2, "expect": {"odd": "2026-01-02"}}]
        import datetime

        runner = AITestRunner(lambda context: {"output": {"a": (1, 2)}, "odd": datetime.date(2026, 1, 2)})
        options = {"record": "auto", "recordings": tmp_path / "r.jsonl"}
        first, second = (runner.run_sync("s", cases, **options) for _ in range(2))
        assert [log.status for log in first.logs] == [log.status for log in second.logs] == ["pass", "pass"]

    def test_errors_are_not_recorded(self, tmp_path):
        def answer(context):
            raise ValueError

        path = tmp_path / "r.jsonl"
        AITestRunner(answer).run_sync("s", [{"output": "x"}], record="auto", recordings=path)
        assert not path.exists()

    def test_executors_do_not_share_recordings(self, tmp_path):
        class Bot:
            def __init__(self, model):
                self.recorded_as = {"model": model}

            def execute(self, context):
                return self.recorded_as["model"]

        for model in ("small", "large", "small"):
            result = AITestRunner(Bot(model)).run_sync(
                "s", [{"output": model}], record="auto", recordings=tmp_path / "r.jsonl"
            )
            assert result.passed
        assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 2


def test_every_field_of_an_item_is_written_and_read_again():
    values = {
        "tags": ("a",),
        "status": "fail",
        "actual_trace": [{"role": "user"}],
        "score_details": (),
        "failures": (),
        "failed_critical": (),
        "errors": (AITestIssue("kind", "message"),),
        "notes": (AITestIssue("note", "message"),),
        "dimensions": {"tone": 0.5},
        "duration": 1.5,
        "attempts": 2,
        "location": Position("a.yaml", 1, 2),
        "vars": {"a": 1},
        "oracles": {"status": "pass"},
    }
    truths = ("not_", "recorded")
    numbers = ("score", "max_score", "pass_score", "cost", "i")
    for entry in dataclasses.fields(AITestLogItem):
        values.setdefault(
            entry.name, True if entry.name in truths else 3 if entry.name in numbers else f"the {entry.name}"
        )
    values["repeats"] = None
    item = AITestLogItem(**values)
    assert item_of(json.loads(json.dumps(item.to_dict()))) == item


def test_failures_are_written(tmp_path):
    case = {"output": {"a": {"$eq": 1, "$critical": True}}, "scoring": True}
    (item,) = AITestRunner(lambda context: '{"a": 2}').run_sync("s", [case]).logs
    written = item.to_dict()
    assert [failure["path"] for failure in written["failures"]] == ["output.a"]
    assert written["failedCritical"] == written["failures"]
    assert written["parsed"] == {"a": 2}
