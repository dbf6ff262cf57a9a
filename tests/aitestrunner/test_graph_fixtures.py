"""Fixture files with `driver: graph`: assertions are checks like any other, with the line they stand on."""

import json

import pytest
from aitestrunner._cli import main
from aitestrunner.graph import Graph, GraphExecutor, Node, Update, WorkflowState

from aitestrunner import AITestRunner


def send(memory):
    if memory["name"] == "Bob":
        raise ValueError("Bob has no address")
    return "sent"


FLOW = GraphExecutor(Graph([Node("draft", lambda m: f"Dear {m['name']}"), Node("send", send)], [("draft", "send")]))
COMPLETED = {"type": "status_equals", "expected": "completed"}
FAILED = {"type": "status_equals", "expected": "failed"}


def run(*cases, executor=FLOW, **options):
    return AITestRunner(executor).run_sync("flow", [{"driver": "graph", **case} for case in cases], **options).logs


def case(*assertions, name="Ann", **fields):
    return {"input": {"name": name}, "assertions": list(assertions), **fields}


def test_assertions_expect_and_output_are_judged_together():
    good = case(COMPLETED, expect={"visited_nodes": ["draft", "send"], "steps": 2}, output={"draft_result": "Ann"})
    logs = run(good, {**good, "expect": {"steps": 3}}, {**good, "output": {"draft_result": "Bob"}}, case(FAILED))
    assert [log.status for log in logs] == ["pass", "fail", "fail", "fail"]
    assert logs[3].failures[0].block == "assertions"
    assert logs[3].failures[0].path == "status"


def test_placeholders():
    named = {"type": "memory_matches", "key": "draft_result", "mode": "exact", "expected": "Dear {{name}}"}
    wanted = {"type": "state_expect", "expect": {"memory": {"draft_result": {"$startsWith": "Dear {{name}}"}}}}
    assert run(case(named, wanted))[0].passed
    (log,) = run(case({**named, "expected": "{{nmae}}"}))
    assert (log.status, log.errors[0].kind) == ("error", "template")
    assert "did you mean `name`" in log.errors[0].message


def test_a_run_that_breaks_down_must_be_asked_for():
    reached = {"type": "node_visited", "node_id": "send"}
    asked = {"type": "state_expect", "expect": {"error": "no address"}}
    logs = run(
        case(reached, name="Bob"),
        case(name="Bob"),
        case(reached, FAILED, name="Bob"),
        case(asked, name="Bob"),
        case(reached, name="Bob", expect={"error": "no address"}),
    )
    assert [log.status for log in logs] == ["fail", "fail", "pass", "pass", "pass"]
    assert "Bob has no address" in logs[0].failures[0].message


@pytest.mark.parametrize("strict", [True, "object", ["object", "array", "text"]])
def test_strictness_is_for_other_checks(strict):
    assert run(case(COMPLETED, strict=strict))[0].passed


def test_turned_round():
    assert run(case(FAILED, **{"not": True}))[0].passed


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"assertions": [{"type": "status_equals", "expected": "complet"}]}, "did you mean 'completed'"),
        ({"assertions": [COMPLETED, {"type": "node_visitd"}]}, "`assertions[1]`: unknown type"),
        ({"assertions": ["completed"]}, "an assertion is a mapping"),
        ({"assertions": {"type": "x"}}, "`assertions` takes a list of assertions"),
        ({"assertions": [{"type": "state_expect", "expect": {"status": {"$eqq": 1}}}]}, "unknown operator $eqq"),
        ({"assertions": [COMPLETED], "driver": None}, "say `driver: graph`"),
        ({"assertions": [COMPLETED], "driver": "grpah"}, "`driver` takes graph"),
        ({"asertions": [COMPLETED]}, "did you mean `assertions`"),
        (
            {"assertions": [{"type": "llm_judge", "criteria": "c", "threshold": 1, "evaluator_agent_id": "x"}]},
            "llm_judge needs an evaluator",
        ),
    ],
)
def test_what_is_wrong_is_found_before_anything_runs(fields, told):
    ran = []
    (log,) = run({"input": {"name": "Ann"}, **fields}, executor=lambda context: ran.append(1))
    assert log.status == "error" and ran == []
    assert any(told in issue.message for issue in log.errors), log.errors


def test_inputs_are_copied_and_states_told_whole():
    def spend(memory):
        memory["list"].append(3)
        return Update(tokens=7, cost=0.5, messages=[{"role": "assistant", "tools": [{"name": "look", "args": {}}]}])

    given = {"list": [1]}
    expect = {"usage": {"total_tokens": 7}, "cost": 0.5, "total_tokens_used": 7, "tools": ["look"]}
    (log,) = run({"input": given, "expect": expect}, executor=GraphExecutor(Graph([Node("spend", spend)])))
    assert log.passed and given == {"list": [1]} and log.usage == {"total_tokens": 7}


def test_other_runners_and_limits():
    class Remote:
        async def run(self, graph, input, *, timeout):
            assert (graph, timeout) == ("flow-17", 3)
            return WorkflowState(status="waiting", memory=input, visited_nodes=["remote"])

    waiting = {"type": "status_equals", "expected": "waiting"}
    assert run({"assertions": [waiting]}, executor=GraphExecutor("flow-17", runner=Remote(), timeout=3))[0].passed


FILE = """\
---
driver: graph
executor: ./flow.py:flow
---
- title: good
  input: {n: 1}
  assertions:
    - {type: status_equals, expected: completed}

- title: wrong
  input: {n: 1}
  assertions:
    - {type: status_equals, expected: completed}
    - {type: memory_matches, key: double_result, mode: exact, expected: 3}
"""
CODE = """\
from aitestrunner.graph import Graph, GraphExecutor, Node
flow = GraphExecutor(Graph([Node("double", lambda memory: 2 * memory["n"])]))
"""


def test_a_file_on_the_command_line(tmp_path, capsys):
    (tmp_path / "flow.py").write_text(CODE, "utf-8")
    file = tmp_path / "flow.fixture.yaml"
    file.write_text(FILE, "utf-8")
    assert main(["run", str(file), "--json", str(tmp_path / "run.json")]) == 1
    out = capsys.readouterr().out
    assert "1 passed, 1 failed" in out and "flow.fixture.yaml:14:7" in out
    logs = json.loads((tmp_path / "run.json").read_text("utf-8"))["logs"]
    assert logs[1]["failures"][0]["path"] == "memory.double_result"
    assert main(["validate", str(file)]) == 0
    file.write_text(FILE.replace("expected: completed", "expected: complete"), "utf-8")
    assert main(["validate", str(file)]) != 0
    assert "did you mean 'completed'" in "".join(capsys.readouterr())
