"""`aitest compare`: what got worse from one run to another, and nothing else, is in the way of a build."""

import json
from pathlib import Path

import pytest
from aitestrunner._cli import main

from aitestrunner import AITestRunner, LoggedRun, RunComparison


@pytest.fixture
def compare(tmp_path, monkeypatch, capsys):
    """Runs cases twice with different answers and compares the logs."""
    monkeypatch.chdir(tmp_path)

    def run(name, cases, answers):
        AITestRunner(lambda context: answers[context.fixture_id]).run_sync("bot", cases, log=name)

    def compare(before, after, cases, *options, later_cases=None):
        run("before.jsonl", [case for case in cases if case["id"] in before], before)
        run("after.jsonl", [case for case in later_cases or cases if case["id"] in after], after)
        status = main(["compare", "before.jsonl", "after.jsonl", *options])
        return status, capsys.readouterr().out

    return compare


CASES = [{"id": name, "output": "good"} for name in "abcd"]


def test_what_got_worse_is_told_with_its_failure(compare):
    before = {"a": "good", "b": "bad", "c": "good", "d": "bad"}
    after = {"a": "bad", "b": "good", "c": "good", "d": "worse"}
    status, out = compare(before, after, CASES)
    assert status == 1
    assert out.splitlines() == [
        "worse   a  (pass → fail)",
        '    output: expected the text to contain "good", got "bad"',
        '        expected: "good"',
        '        actual:   "bad"',
        "        diff:     [-goo-]{+ba+}d",
        "better  b  (fail → pass)",
        "",
        "4 cases in both runs: 1 worse, 1 better, 2 as before",
    ]


def test_nothing_worse_is_no_failure_though_cases_fail(compare):
    status, out = compare({"a": "bad", "b": "good"}, {"a": "bad", "b": "good", "c": "bad"}, CASES)
    assert status == 0
    assert out.splitlines() == ["new     c", "", "2 cases in both runs: 0 worse, 0 better, 2 as before; 1 new"]


def test_gone_and_skipped_cases(compare):
    skipped = [{**case, "skip": case["id"] == "b"} for case in CASES]
    status, out = compare(
        {"a": "good", "b": "good", "c": "good"}, {"a": "good", "b": "good"}, CASES, later_cases=skipped
    )
    assert status == 0
    assert out.splitlines()[:2] == ["gone    b  (pass → skip)", "gone    c"]


@pytest.mark.parametrize(("tolerance", "status"), [("0", 1), ("0.2", 1), ("0.25", 0)])
def test_a_score_may_fall_by_the_tolerance(compare, tolerance, status):
    cases = [{"id": "a", "output": {"w": 1, "x": 1, "y": 1, "z": 1}, "scoring": True, "passScore": 50}]
    right = {"w": 1, "x": 1, "y": 1, "z": 1}
    found, out = compare({"a": right}, {"a": {**right, "z": 2}}, cases, "--tolerance", tolerance)
    assert found == status
    assert ("worse   a  (score 100 → 75)" in out) == (status == 1)


def test_pass_rates(tmp_path):
    logs = []
    for name, answers in (("before", "xxxx"), ("after", "xxyx")):
        given = iter(answers)
        case = {"id": "a", "output": "x", "repeat": 4, "minPassRate": 0.5}
        AITestRunner(lambda context, given=given: next(given)).run_sync("bot", [case], log=tmp_path / name)
        logs.append(LoggedRun.read(tmp_path / name))
    (change,) = RunComparison(*logs)
    assert (change.verdict, change.reasons) == ("worse", ("pass rate 100% → 75%",))
    assert RunComparison(*logs, tolerance=0.25).counts()["worse"] == 0


def test_a_case_that_was_changed_is_marked(compare):
    changed = [{"id": "a", "output": "bad"}]
    status, out = compare({"a": "good"}, {"a": "good"}, CASES, later_cases=changed)
    assert status == 1
    assert "worse   a  (pass → fail, the case was changed)" in out


def test_as_data(compare):
    status, out = compare({"a": "good", "b": "\x1b[31m"}, {"a": "bad", "b": "\x1b[31m"}, CASES, "--json", "-")
    found = json.loads(out)
    assert status == 1
    assert found["counts"] == {"worse": 1, "better": 0, "changed": 0, "same": 1, "new": 0, "gone": 0, "redefined": 0}
    (case,) = found["cases"]
    assert (case["id"], case["before"]["status"], case["after"]["status"]) == ("a", "pass", "fail")


def test_a_run_that_did_not_end_is_not_compared(compare, capsys):
    compare({"a": "good", "b": "good"}, {"a": "good", "b": "good"}, CASES)
    log = Path("after.jsonl")
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
    assert main(["compare", "before.jsonl", "after.jsonl"]) == 4
    assert "the run did not end (1 of 2 cases)" in capsys.readouterr().err
    assert main(["compare", "before.jsonl", "after.jsonl", "--partial"]) == 0


def test_it_replaces_neither_log(compare):
    compare({"a": "good"}, {"a": "good"}, CASES)
    before = Path("before.jsonl").read_bytes()
    assert main(["compare", "before.jsonl", "after.jsonl", "--json", "before.jsonl"]) == 4
    assert Path("before.jsonl").read_bytes() == before


def test_what_is_no_log(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("buy milk")
    assert main(["compare", "notes.txt", "notes.txt"]) == 4
    assert "notes.txt is no run log" in capsys.readouterr().err
