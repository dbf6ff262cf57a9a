"""The recorded answers of the older graph assertions agree, or differ as listed."""

import json
import subprocess
import sys
from pathlib import Path

import graph_golden as golden
import pytest

HERE = Path(__file__).parent

ASSERTIONS = golden.read_lines(HERE / "data" / "cycgraph_assertions.jsonl")
SUITES = golden.read_lines(HERE / "data" / "cycgraph_suites.jsonl")
LISTED = golden.read_lines(golden.DIFFERENCES)
BY_ID = {line["id"]: line for line in ASSERTIONS}


@pytest.mark.parametrize("line", ASSERTIONS, ids=lambda line: line["id"])
def test_assertion(line):
    verdict, found = golden.judge(line, LISTED)
    assert verdict != "wrong", found


@pytest.mark.parametrize("line", SUITES, ids=lambda line: line["id"])
def test_suite(line):
    verdict, found = golden.judge(line, LISTED)
    assert verdict != "wrong", found


@pytest.mark.parametrize("line", ASSERTIONS + SUITES, ids=lambda line: line["id"])
def test_a_listed_difference_differs(line):
    """What agrees with the older framework needs no listing."""
    if golden.difference_of(line, LISTED):
        assert golden.disagreements(golden.observe(line), line)


def test_every_listed_difference_concerns_a_recording_or_says_what_would():
    concerned = {
        golden.difference_of(line, LISTED)["number"]
        for line in ASSERTIONS + SUITES
        if golden.difference_of(line, LISTED)
    }
    unseen = {entry["number"] for entry in LISTED} - concerned
    assert unseen == {"G21", "S10", "S11"}  # shown by the lines below


def recorded(assertion, memory, result, **state):
    base = {
        "status": "completed",
        "memory": memory,
        "visited_nodes": [],
        "total_tokens_used": 5,
        "max_token_budget": 10,
    }
    return {"id": "another", "assertion": assertion, "state": {**base, **state}, "result": result}


PASSED, FAILED = {"passed": True}, {"passed": False, "message": "m"}
GRAPH = {"nodes": [{"id": "bad", "type": "tool"}], "edges": [], "start": "bad", "end": ["bad"]}
CRASH = {"name": "c", "passed": False, "score": 0, "assertions": [], "error": "it exploded"}
OTHERS = [
    recorded({"type": "memory_matches", "key": "no", "mode": "exact", "pattern": ""}, {}, PASSED),
    recorded({"type": "memory_matches", "key": "k", "mode": "contains", "expected": 2}, {"k": [12]}, PASSED),
    recorded(
        {"type": "memory_matches", "key": "k", "mode": "contains", "expected": {"a": 1}}, {"k": {"x": {"a": 1}}}, PASSED
    ),
    recorded({"type": "token_budget_respected"}, {}, PASSED, max_token_budget={"$js": "NaN"}),
    recorded({"type": "unheard_of"}, {}, FAILED),
    {"id": "another", "suite": {"cases": [None]}, "threw": "TypeError: null"},
    {
        "id": "another",
        "suite": {"cases": [{"name": "c", "input": {}, "assertions": [], "graph": GRAPH}]},
        "report": {"total": 1, "passed": 0, "failed": 1, "overall_score": 0, "cases": [CRASH]},
    },
]


@pytest.mark.parametrize("line", OTHERS)
def test_faults_are_corrected_in_recordings_that_are_not_listed_by_name(line):
    verdict, found = golden.judge(line, LISTED)
    assert verdict == "listed", found


def test_a_wrong_answer_is_seen():
    line = BY_ID["status.match"]
    assert golden.judge({**line, "result": {"passed": False, "message": "m"}}, LISTED)[0] == "wrong"
    line = BY_ID["contains.present"]
    assert golden.judge({**line, "result": {"passed": True, "actual": ["other"]}}, LISTED)[0] == "wrong"


def test_the_script_counts(tmp_path):
    file = tmp_path / "lines.jsonl"
    wrong = {**BY_ID["status.match"], "result": {"passed": False, "message": "m"}}
    file.write_text(
        "\n".join(json.dumps(line) for line in (BY_ID["status.match"], BY_ID["status.typo"], wrong)), "utf-8"
    )
    command = [sys.executable, str(HERE / "graph_golden.py"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-2:] == ["agree 1, differ as listed 1, wrong 1", "2 passed, 1 failed"]
