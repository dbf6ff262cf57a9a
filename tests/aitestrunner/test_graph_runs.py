"""Suites, runners and reports: what is reached is judged, whatever became of the run."""

import asyncio
import itertools
import json
import re
import threading
import time

import pytest
from aitestrunner.graph import (
    Edge,
    EvalCase,
    EvalSuite,
    Graph,
    GraphRunner,
    Node,
    PythonGraphRunner,
    Update,
    WorkflowState,
    run_eval,
    run_eval_async,
)

from aitestrunner import ExecutorError, FixtureError

HANG = 30  # seconds: far more than any test here waits
LONG = 20_000  # milliseconds of a timeout that must not be used up
DONE = {"type": "status_equals", "expected": "completed"}
FAILED = {"type": "status_equals", "expected": "failed"}


def visited(node_id):
    return {"type": "node_visited", "node_id": node_id}


def linear(*functions, **options):
    names = [f"n{index}" for index in range(len(functions))]
    nodes = [Node(name, function) for name, function in zip(names, functions, strict=True)]
    return Graph(nodes, list(itertools.pairwise(names)), **options)


def boom(memory):
    raise ValueError("it exploded")


async def forever(memory):
    await asyncio.sleep(HANG)


def evaluate(graph, *assertions, **fields):
    case = {"name": "case", "graph": graph, "assertions": list(assertions), **fields}
    report = run_eval({"name": "suite", "cases": [case]})
    return report.cases[0]


GRAPH = linear(lambda memory: 1, lambda memory: memory["n0_result"] + 1)


def test_score_is_the_share_of_assertions_that_held():
    wrong = {"type": "memory_contains", "key": "no"}
    case = evaluate(GRAPH, DONE, visited("n1"), wrong)
    assert (case.status, case.score) == ("fail", 2 / 3)
    assert [result.status for result in case.assertions] == ["pass", "pass", "fail"]
    assert case.assertions[2].assertion is wrong


def test_report():
    suite = EvalSuite(
        name="three outcomes",
        cases=[
            EvalCase(name="one", graph=GRAPH, assertions=[DONE]),
            {"name": "two", "graph": GRAPH, "assertions": [FAILED]},
            {"name": "two", "graph": GRAPH, "assertions": [{"type": "unheard_of"}]},
        ],
    )
    report = run_eval(suite)
    assert (report.total, report.passed, report.failed, report.errors) == (3, 1, 1, 1)
    assert report.overall_score == pytest.approx(1 / 3)
    assert not report.all_passed
    plain = json.loads(json.dumps(report.to_dict()))
    assert [case["status"] for case in plain["cases"]] == ["pass", "fail", "error"]
    assert plain["cases"][0]["path"] == ["n0", "n1"]
    assert plain["cases"][0]["state"]["memory"] == {"n0_result": 1, "n1_result": 2}


def test_no_cases_is_no_success():
    report = run_eval({"name": "empty", "cases": []})
    assert (report.total, report.overall_score, report.all_passed) == (0, 0.0, False)


def test_a_case_without_assertions_passes_and_is_noted():
    case = evaluate(GRAPH)
    assert (case.status, case.score) == ("pass", 1.0)
    assert [note.kind for note in case.notes] == ["unchecked"]


def test_a_case_without_assertions_does_not_pass_when_its_run_fails():
    case = evaluate(linear(boom))
    assert (case.status, case.score) == ("error", 0.0)
    assert "it exploded" in case.error


@pytest.mark.parametrize(
    ("suite", "told"),
    [
        ([], "a suite is a mapping"),
        ({"name": "x"}, "needs `cases`"),
        ({"name": "x", "cases": [], "case": []}, "did you mean 'cases'"),
        ({"name": "x", "cases": "abc"}, "`cases` is a list"),
    ],
)
def test_what_is_no_suite_is_refused(suite, told):
    with pytest.raises(FixtureError, match=told):
        run_eval(suite)


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (None, "a case is a mapping"),
        ({"name": "x"}, "needs `graph`"),
        ({"name": "x", "graph": GRAPH, "assertion": []}, "did you mean 'assertions'"),
        ({"name": "x", "graph": GRAPH, "assertions": {}}, "`assertions` is a list"),
        ({"name": "x", "graph": GRAPH, "timeout_ms": -1}, "`timeout_ms` is a number"),
        ({"name": "x", "graph": GRAPH, "timeout_ms": "5"}, "`timeout_ms` is a number"),
        ({"name": "x", "graph": GRAPH, "input": {"max_token_budget": "5"}}, "`max_token_budget` is a number"),
        ({"name": "x", "graph": GRAPH, "assertions": [DONE, visited("n3")]}, r"assertions\[1\]: .*did you mean 'n"),
        ({"name": "x", "graph": 17}, "nothing runs a graph like 17"),
        ({"name": "x", "graph": GRAPH, "input": [1]}, "the input of a `Graph` is a mapping"),
    ],
)
def test_what_is_no_case_is_an_error_of_that_case_alone(case, told):
    report = run_eval({"name": "suite", "cases": [case, {"name": "next", "graph": GRAPH, "assertions": [DONE]}]})
    assert [result.status for result in report.cases] == ["error", "pass"]
    assert report.cases[0].score == 0.0
    assert report.cases[0].assertions == ()
    assert re.search(told, report.cases[0].error)


def test_nothing_of_a_refused_case_runs():
    ran = []
    case = evaluate(linear(ran.append), DONE, {"type": "status_equals", "expected": "complete"})
    assert case.status == "error" and ran == []


class TestRunsThatDoNotComplete:
    def test_a_node_that_raises(self):
        case = evaluate(
            linear(lambda memory: 1, boom), FAILED, visited("n1"), {"type": "memory_contains", "key": "n0_result"}
        )
        assert (case.status, case.score) == ("pass", 1.0)
        assert case.error == "node 'n1' raised ValueError: it exploded"

    def test_an_end_that_nobody_asked_for_is_an_error(self):
        case = evaluate(linear(lambda memory: 1, boom), visited("n0"))
        assert (case.status, case.score) == ("error", 1.0)
        assert [issue.kind for issue in case.errors] == ["run"]

    def test_what_fails_beside_it_fails(self):
        assert evaluate(linear(boom), {"type": "memory_contains", "key": "n0_result"}).status == "fail"
        assert evaluate(linear(boom), DONE).status == "fail"

    @pytest.mark.parametrize(
        "expect",
        [
            {"error": "exploded"},
            {"status": "failed"},
            {"$or": [{"status": "completed"}, {"error": "exploded"}]},
            {"$and": [{"$expect": {"status": "failed"}}]},
            {"$expr": "actual.status === 'failed'"},
        ],
    )
    def test_an_expectation_may_ask_for_it(self, expect):
        assert evaluate(linear(boom), {"type": "state_expect", "expect": expect}).status == "pass"

    def test_timeout_cancels_and_what_was_reached_is_judged(self):
        cancelled = []

        async def slow(memory):
            try:
                await asyncio.sleep(HANG)
            except asyncio.CancelledError:
                cancelled.append(True)
                raise

        timeout = {"type": "status_equals", "expected": "timeout"}
        case = evaluate(linear(lambda memory: 1, slow), timeout, visited("n1"), timeout_ms=100)
        assert case.passed and cancelled == [True]
        assert case.error == "timed out after 0.1 s, in node 'n1'"

    def test_timeout_of_a_function_that_blocks(self):
        go_on, threads = threading.Event(), []

        def blocks(memory):
            threads.append(threading.current_thread())
            go_on.wait(HANG)
            memory["late"] = True

        started = time.monotonic()
        case = evaluate(linear(blocks, boom), {"type": "status_equals", "expected": "timeout"}, timeout_ms=100)
        assert time.monotonic() - started < HANG / 2
        go_on.set()
        threads[0].join(HANG)
        assert case.passed and case.path == ("n0",) and case.state.memory == {}

    def test_budget(self):
        spend = linear(lambda memory: Update(tokens=30), lambda memory: Update(tokens=30, memory={"late": True}))
        asked = [FAILED, {"type": "token_budget_respected"}, {"type": "memory_contains", "key": "late"}]
        case = evaluate(spend, *asked, input={"max_token_budget": 29})
        assert [result.status for result in case.assertions] == ["pass", "fail", "fail"]
        assert case.tokens == 30 and case.path == ("n0",)
        assert evaluate(spend, DONE, asked[1], input={"max_token_budget": 60}).passed

    def test_limit_of_steps(self):
        loop = Graph(
            [Node("a"), Node("b"), Node("end")],
            [("a", "b"), ("b", "a"), ("b", "end", lambda memory: False)],
            max_steps=7,
        )
        case = evaluate(loop, FAILED, {"type": "state_expect", "expect": {"steps": 7, "error": "limit of 7 steps"}})
        assert case.passed and case.path == tuple("abababa")

    def test_dead_end(self):
        case = evaluate(Graph([Node("a"), Node("b")], [("a", "b", {"x": {"$gt": 5}})]), FAILED, input={"x": 1})
        assert case.passed and "none of the 1 edges" in case.error

    def test_a_condition_that_raises(self):
        case = evaluate(Graph([Node("a"), Node("b")], [("a", "b", lambda memory: memory["no"])]), FAILED)
        assert case.passed and "KeyError" in case.error

    def test_a_node_that_exits_or_is_cancelled(self):
        def leave(memory):
            raise SystemExit(3)

        async def cancel(memory):
            raise asyncio.CancelledError

        assert evaluate(linear(leave), FAILED).passed
        assert evaluate(linear(cancel), {"type": "status_equals", "expected": "cancelled"}).passed

    def test_a_timeout_of_the_node_itself(self):
        async def impatient(memory):
            async with asyncio.timeout(0.01):
                await asyncio.sleep(HANG)

        assert evaluate(linear(impatient), FAILED, timeout_ms=LONG).passed

    def test_an_interrupt(self):
        graph = Graph([Node("ask", interrupt={"approve": "?"}), Node("do")], [("ask", "do")])
        waits = {"type": "state_expect", "expect": {"interrupts": [{"node": "ask", "value": {"approve": "?"}}]}}
        case = evaluate(graph, {"type": "status_equals", "expected": "waiting"}, waits, visited("ask"))
        assert case.passed and case.path == ("ask",) and case.error is None


class TestInputs:
    def test_a_run_cannot_change_them(self):
        given = {"list": [1, 2], "deep": {"list": []}}

        def spoil(memory):
            memory["list"].append(3)
            memory["deep"]["list"].append(4)

        for graph in (linear(spoil), spoil):
            evaluate(graph, DONE, input=given)
            assert given == {"list": [1, 2], "deep": {"list": []}}

    def test_they_are_no_templates(self):
        exact = {"type": "memory_matches", "key": "n0_result", "mode": "exact", "expected": "{{a}} None"}
        assert evaluate(linear(lambda m: f"{m['text']} {m['no']}"), exact, input={"text": "{{a}}", "no": None}).passed

    def test_one_that_cannot_be_copied(self):
        case = evaluate(GRAPH, DONE, input={"lock": threading.Lock()})
        assert case.status == "error" and case.score == 0.0 and "pickle" in case.error


class TestOrder:
    def suite(self, seen):
        def node(name):
            async def run(memory):
                seen.append(f"start {name}")
                await asyncio.sleep(0.02)
                seen.append(f"end {name}")

            return run

        return {"name": "s", "cases": [{"name": n, "graph": linear(node(n)), "assertions": [DONE]} for n in "abc"]}

    def test_one_after_another(self):
        seen = []
        assert run_eval(self.suite(seen)).all_passed
        assert seen == ["start a", "end a", "start b", "end b", "start c", "end c"]

    def test_several_at_a_time_are_reported_in_order(self):
        seen = []
        report = run_eval(self.suite(seen), jobs=2)
        assert [case.name for case in report.cases] == ["a", "b", "c"] and report.all_passed
        assert seen[:2] == ["start a", "start b"]

    @pytest.mark.parametrize("jobs", [0, -1])
    def test_jobs_below_one(self, jobs):
        with pytest.raises(ValueError, match="jobs"):
            run_eval(self.suite([]), jobs=jobs)

    async def test_inside_a_loop(self):
        assert (await run_eval_async(self.suite([]))).all_passed
        with pytest.raises(RuntimeError, match="await run_eval_async"):
            run_eval(self.suite([]))


class TestFunctions:
    def test_answers(self):
        async def coroutine(given):
            return {"doubled": 2 * given["n"]}

        exact = {"type": "memory_matches", "key": "doubled", "mode": "exact", "expected": 8}
        assert evaluate(coroutine, DONE, exact, input={"n": 4}).passed
        assert evaluate(lambda given: 5, DONE, {"type": "memory_contains", "key": "result"}).passed
        own = WorkflowState(status="waiting", visited_nodes=["x"], interrupts=["?"])
        case = evaluate(lambda given: own, {"type": "status_equals", "expected": "waiting"}, visited("x"))
        assert case.passed and own.duration_ms is None

    def test_a_timeout_of_its_own_is_a_failure(self):
        def impatient(given):
            raise TimeoutError("the server does not answer")

        case = evaluate(impatient, FAILED, timeout_ms=LONG)
        assert case.passed and "the server does not answer" in case.error

    def test_one_that_raises_or_hangs(self):
        assert evaluate(boom, FAILED, {"type": "memory_contains", "key": "n"}, input={"n": 1}).passed
        assert evaluate(forever, {"type": "status_equals", "expected": "timeout"}, timeout_ms=50).passed


class TestRunners:
    def run(self, runner, *assertions, **fields):
        case = {"name": "c", "graph": "g", "assertions": list(assertions), **fields}
        return run_eval({"name": "s", "cases": [case]}, runner=runner).cases[0]

    def test_one_that_raises_leaves_no_state(self):
        class Broken:
            async def run(self, graph, input, *, timeout):
                raise ConnectionError("no server")

        case = self.run(Broken(), FAILED)
        assert (case.status, case.score, case.state) == ("error", 0.0, None)
        assert "no server" in case.error

    def test_one_that_returns_something_else(self):
        class Odd:
            async def run(self, graph, input, *, timeout):
                return {"status": "completed"}

        assert "returns a WorkflowState" in self.run(Odd(), DONE).error

    def test_one_that_knows_no_nodes_lets_any_be_asked_for(self):
        class Simple:
            async def run(self, graph, input, *, timeout):
                assert timeout == 60
                return WorkflowState(status="completed", visited_nodes=["a"])

        assert isinstance(Simple(), GraphRunner) and isinstance(PythonGraphRunner(), GraphRunner)
        assert self.run(Simple(), visited("b"), timeout_ms=0).status == "fail"

    def test_messages_that_cannot_be_read(self):
        class Chatty:
            async def run(self, graph, input, *, timeout):
                return WorkflowState(status="completed", messages=[object()])

        assert self.run(Chatty(), DONE).status == "error"


def test_messages_and_calls_are_part_of_the_state():
    call = {"name": "search", "args": {"q": "x"}}
    graph = linear(lambda memory: Update(messages=[{"role": "assistant", "tools": [call]}], cost=0.5))
    expect = {"tools": [call], "messages": [{"role": "assistant"}], "cost": 0.5}
    case = evaluate(graph, {"type": "state_expect", "expect": expect})
    assert case.passed and case.cost == 0.5


class TestGraphs:
    @pytest.mark.parametrize(
        ("arguments", "options", "told"),
        [
            (([],), {}, "at least one node"),
            (([Node("a"), Node("a")],), {}, "the same id"),
            (([Node("alpha")], [("alpha", "alhpa")]), {}, "did you mean 'alpha'"),
            (([Node("a")],), {"start": "x"}, "no node 'x'"),
            (([Node("a")],), {"end": ["x"]}, "no node 'x'"),
            (([Node("a")],), {"max_steps": 0}, "at least 1"),
        ],
    )
    def test_what_is_none(self, arguments, options, told):
        with pytest.raises(ExecutorError, match=told):
            Graph(*arguments, **options)

    def test_the_first_edge_that_holds_is_taken(self):
        edges = [Edge("a", "b", {"x": 1}), Edge("a", "c", lambda memory: memory["x"] == 2), ("a", "d")]
        graph = Graph([Node(name) for name in "abcd"], edges)
        assert [evaluate(graph, DONE, input={"x": x}).path[1] for x in (1, 2, 3)] == ["b", "c", "d"]
