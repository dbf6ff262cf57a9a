"""Runs: executors, order of events, listeners, log items, what is never lost."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aitestrunner import AIExecutionResult, AITestRunner, ExecutorError, FixtureError, load_fixture_file


def events_of(runner):
    events = []
    for name in ("run:start", "test:start", "test:pass", "test:fail", "test:error", "test:skip", "run:end"):
        runner.on(name, lambda payload, name=name: events.append((name, payload)))
    return events


class TestExecutors:
    def test_forms(self):
        class Object:
            async def execute(self, context):
                return AIExecutionResult("x")

        class Sync:
            def execute(self, context):
                return "x"

        async def function(context):
            return {"output": "x", "meta": 1}

        for executor in (Object(), Sync(), function, lambda context: "x"):
            assert AITestRunner(executor).run_sync(None, [{"output": "x"}]).passed

    @pytest.mark.parametrize("executor", [None, 5, "bot", dict])
    def test_what_is_none(self, executor):
        with pytest.raises(ExecutorError, match="an executor is"):
            AITestRunner(executor)

    def test_a_class_is_named(self):
        class Bot:
            def execute(self, context):
                return "x"

        with pytest.raises(ExecutorError, match="pass an instance"):
            AITestRunner(Bot)

    def test_none_is_a_forgotten_return(self):
        (log,) = AITestRunner(lambda context: None).run_sync("s", [{"output": None}]).logs
        assert log.error.kind == "executor"
        assert "return" in log.error.message
        assert AITestRunner(lambda context: AIExecutionResult(None)).run_sync("s", [{"output": None}]).passed

    def test_one_that_raises_does_not_end_the_run(self):
        def execute(context):
            if context.input == 1:
                raise ConnectionError("no route")
            return "x"

        result = AITestRunner(execute).run_sync("s", [{"input": i, "output": "x", "not": False} for i in range(3)])
        assert [log.status for log in result.logs] == ["pass", "error", "pass"]
        line = execute.__code__.co_firstlineno + 2
        place = f"{Path(__file__).relative_to(Path.cwd())}:{line}"
        assert result.logs[1].error.message == f"the executor raised ConnectionError: no route ({place})"
        assert isinstance(result.logs[1].error.cause, ConnectionError)

    def test_cancelling_ends_the_run(self):
        async def main():
            async def execute(context):
                await asyncio.sleep(60)

            task = asyncio.create_task(AITestRunner(execute).run("s", [{"output": "x"}]))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())

    async def test_run_sync_inside_an_event_loop_says_what_to_write(self):
        with pytest.raises(RuntimeError, match=r"await runner\.run"):
            AITestRunner(lambda context: "x").run_sync("s", [{"output": "x"}])


class TestEvents:
    def test_order(self):
        runner = AITestRunner(lambda context: context.input)
        events = events_of(runner)
        cases = [
            {"input": "1", "output": "1"},
            {"input": "1", "output": "2"},
            {"skip": True, "output": "x"},
            {"output": "{{nowhere}}"},
        ]
        result = runner.run_sync("s", cases)
        assert [name for name, _ in events] == [
            "run:start",
            *("test:start", "test:pass"),
            *("test:start", "test:fail"),
            "test:skip",
            *("test:start", "test:error"),
            "run:end",
        ]
        assert (result.passed_count, result.failed_count, result.error_count, result.skipped_count) == (1, 1, 1, 1)
        assert len(result.logs) == 4

    def test_payload_of_start(self):
        runner = AITestRunner(lambda context: "x")
        events = events_of(runner)
        case = {"title": "t{{n}}", "n": 1, "input": {"a": "{{n}}"}, "output": "x"}
        runner.run_sync("s", [case])
        start = events[1][1]
        assert start == {"i": 0, "id": "#0", "script": "s", "input": {"a": 1}, "title": "t1", "fixture": case}

    def test_async_listeners_and_ending_one(self):
        runner, seen = AITestRunner(lambda context: "x"), []

        async def listener(item):
            await asyncio.sleep(0)
            seen.append(item.i)

        stop = runner.on("test:pass", listener)
        runner.run_sync("s", [{"output": "x"}])
        stop()
        stop()
        runner.run_sync("s", [{"output": "x"}])
        assert seen == [0]

    def test_one_that_raises_disturbs_nothing(self, caplog):
        runner = AITestRunner(lambda context: "x")
        runner.on("test:pass", lambda item: 1 / 0)
        result = runner.run_sync("s", [{"output": "x"}, {"output": "x"}])
        assert result.passed_count == 2
        assert [type(error) for error in result.listener_errors] == [ZeroDivisionError] * 2
        assert "a listener of test:pass raised" in caplog.text

    def test_unknown_events(self):
        with pytest.raises(ValueError, match="unknown event 'test:passed'"):
            AITestRunner(len).on("test:passed", print)


class TestSelection:
    @pytest.mark.parametrize(
        ("cases", "options", "statuses"),
        [
            ([{"only": True}, {}], {}, ["pass", "skip"]),
            ([{"only": True, "skip": True}, {}, {"only": True}], {}, ["skip", "skip", "pass"]),
            ([{}, {}, {}], {"skips": {"0": True, 2: True}}, ["skip", "pass", "skip"]),
            ([{}, {}, {}], {"skips": [1]}, ["pass", "skip", "pass"]),
            ([{}, {}, {}], {"skips": [False, True, False]}, ["pass", "skip", "pass"]),
            ([{"only": True}, {"only": True}], {"skips": {0: True}}, ["skip", "pass"]),
            ([{"skip": False}, {"only": False}], {}, ["pass", "pass"]),
        ],
    )
    def test_skip_and_only(self, cases, options, statuses):
        result = AITestRunner(lambda context: "x").run_sync("s", [{"output": "x", **case} for case in cases], **options)
        assert [log.status for log in result.logs] == statuses

    def test_skipped_items_tell_what_they_are(self):
        case = {"title": "t", "skip": "not yet", "input": 1, "output": 2}
        (log,) = AITestRunner(len).run_sync("s", [case]).logs
        assert (log.title, log.input, log.expected, log.skipped_because, log.passed) == ("t", 1, 2, "not yet", False)

    def test_a_run_is_true_when_it_passed(self):
        for answers, passed in ((["x"], True), (["x", "y"], False), ([], False)):
            runner = AITestRunner(lambda context, answers=answers: answers[int(context.fixture_id[1:])])
            assert bool(runner.run_sync("s", [{"output": "x"}] * len(answers))) is passed

    def test_nothing(self):
        result = AITestRunner(len).run_sync("s", [])
        assert (result.logs, result.passed) == ([], False)


class TestLogs:
    def test_json_of_anything(self):
        class Odd:
            def __str__(self):
                return "odd"

        output = {"a": Odd(), "b": {1, 2}, "c": float("nan"), "d": b"x", 5: 6}
        result = AITestRunner(lambda context: AIExecutionResult(output, usage=Odd())).run_sync(
            "s", [{"output": {"z": 1}}]
        )
        json.dumps(result.to_dict(), allow_nan=False)

    def test_cyclic_values(self):
        loop = []
        loop.append(loop)
        result = AITestRunner(lambda context: AIExecutionResult(loop)).run_sync("s", [{"output": [1]}])
        json.dumps(result.to_dict())

    @pytest.mark.parametrize(
        ("log_vars", "shown"), [(True, [True] * 2), ("error", [False, True]), (False, [False] * 2)]
    )
    def test_variables(self, log_vars, shown):
        cases = [{"output": "x", "v": 1}, {"output": "y", "v": 2}]
        result = AITestRunner(lambda context: "x").run_sync("s", cases, log_vars=log_vars)
        assert [log.vars is not None for log in result.logs] == shown

    def test_errors_tell_as_much_as_is_known(self):
        def execute(context):
            raise ValueError

        case = {"title": "t", "input": {"a": "{{n}}"}, "n": 1, "output": "x", "tags": ["a"], "tools": ["x"]}
        (log,) = AITestRunner(execute).run_sync("s", [case]).logs
        known = (log.title, log.input, log.expected, log.script, log.tools, log.tags)
        assert known == ("t", {"a": 1}, "x", "toolTester", ["x"], ("a",))

    def test_usage_cost_and_meta(self):
        result = AITestRunner(lambda context: AIExecutionResult("x", meta={"m": 1}, usage={"t": 2}, cost=0.1))
        log = result.run_sync("s", [{"output": "x"}]).logs[0].to_dict()
        assert (log["actualMeta"], log["usage"], log["cost"]) == ({"m": 1}, {"t": 2}, 0.1)


class TestSources:
    def test_paths_files_and_cases_together(self, tmp_path):
        path = tmp_path / "a.fixture.yaml"
        path.write_text("---\ntags: t\n---\n- output: x\n- {output: x, id: mine}\n")
        fixtures = [{"output": "x"}, str(path)]
        result = AITestRunner(lambda context: "x").run_sync("s", fixtures)
        assert [log.id for log in result.logs] == ["#0", f"{path.as_posix()}#0", "mine"]
        assert [log.tags for log in result.logs] == [(), ("t",), ("t",)]
        assert AITestRunner(lambda context: "x").run_sync("s", load_fixture_file(path)).passed_count == 2

    def test_front_matter_goes_before_the_defaults_of_the_run(self, tmp_path):
        path = tmp_path / "a.fixture.yaml"
        path.write_text("---\na: front\ninput: {x: front}\n---\n- output: 'front run run'\n")
        config = {"a": "run", "b": "run", "input": {"x": "run", "y": "run"}}
        runner = AITestRunner(lambda context: f"{context.args['a']} {context.args['b']} {context.input['y']}")
        assert runner.run_sync("s", path, fixture_config=config).passed

    def test_files_with_problems_do_not_run(self, tmp_path):
        path = tmp_path / "a.fixture.yaml"
        path.write_text("- outptu: x\n")
        with pytest.raises(FixtureError, match="did you mean `output`"):
            AITestRunner(len).run_sync("s", path)

    def test_ids_are_unique(self):
        with pytest.raises(FixtureError, match="another case has the id 'a' too"):
            AITestRunner(len).run_sync("s", [{"id": "a", "output": 1}, {"id": "a", "output": 2}])

    @pytest.mark.parametrize("fixtures", [5, None, [5], [None]])
    def test_what_is_none(self, fixtures):
        with pytest.raises(TypeError):
            AITestRunner(len).run_sync("s", fixtures)

    def test_failures_name_the_line(self, tmp_path):
        path = tmp_path / "a.fixture.yaml"
        path.write_text("---\nexpect:\n  tools:\n    - name: search\n---\n- output:\n    a:\n      - {b: 1}\n")
        answer = AIExecutionResult({"a": [{"b": 2}]}, messages=[])
        (log,) = AITestRunner(lambda context: answer).run_sync("s", path).logs
        assert [failure.location[1:] for failure in log.failures] == [(8, 10), (4, 7)]


def test_places_of_what_rows_and_front_matter_say(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"output": "x", "n": 1}\n')
    path = tmp_path / "a.fixture.yaml"
    path.write_text("---\ncasesFrom: rows.jsonl\noutput:\n  a: {$gte: '{{n}}'}\nvars:\n  v: '{{nowhere}}'\n---\n")
    (log,) = AITestRunner(lambda context: {"a": 0}).run_sync("s", path).logs
    assert log.location.file.endswith("rows.jsonl")
    assert log.errors[0].location[1:] == (6, 3)
    path.write_text("---\ncasesFrom: rows.jsonl\noutput:\n  a: {$gte: '{{n}}'}\n---\n")
    (log,) = AITestRunner(lambda context: {"a": 0}).run_sync("s", path).logs
    assert log.failures[0].location[1:] == (4, 7)


ODD = AIExecutionResult("x", messages=[5])
outputs = st.sampled_from(["x", "y", None, ValueError("broken"), {"output": "x"}, [], ODD])
cases = st.fixed_dictionaries(
    {},
    optional={
        "output": st.sampled_from(["x", "{{nowhere}}", {"$unknown": 1}, None]),
        "skip": st.booleans(),
        "not": st.booleans(),
        "outputt": st.just(1),
        "outputSchema": st.sampled_from([{"type": "string"}, {"type": "nothing"}]),
    },
)


@settings(deadline=None)  # a loaded machine is no fault
@given(st.lists(st.tuples(cases, outputs), max_size=6))
def test_every_case_has_one_outcome(pairs):
    """Whatever the cases and the executor: totals partition, events pair up, order is kept."""

    def execute(context):
        answer = pairs[int(context.fixture_id[1:])][1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    runner = AITestRunner(execute)
    events = events_of(runner)
    result = runner.run_sync("s", [case for case, _ in pairs])
    counts = (result.passed_count, result.failed_count, result.error_count, result.skipped_count)
    assert sum(counts) == len(result.logs) == len(pairs)
    assert [log.i for log in result.logs] == list(range(len(pairs)))
    ends = [(name, item.i) for name, item in events if name not in ("run:start", "run:end", "test:start")]
    assert ends == [(f"test:{log.status}", log.i) for log in result.logs]
    starts = [payload["i"] for name, payload in events if name == "test:start"]
    assert starts == [log.i for log in result.logs if log.status != "skip"]
    for log in result.logs:
        assert bool(log.errors) or log.status != "error"
        assert log.failures or log.not_ or log.status != "fail"
        json.dumps(log.to_dict(), allow_nan=False)


def test_a_fault_of_ours_does_not_end_the_run(caplog):
    class Hostile(dict):
        def items(self):
            raise RuntimeError("hostile")

        get = __getitem__ = __iter__ = keys = items

    answers = iter([AIExecutionResult(Hostile()), "x"])
    result = AITestRunner(lambda context: next(answers)).run_sync("s", [{"output": {"a": 1}}, {"output": "x"}])
    assert [log.status for log in result.logs] == ["error", "pass"]
