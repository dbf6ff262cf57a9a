"""The recorded answers of the older server agree, or differ as listed; rules hold for cases that are not listed."""

import subprocess
import sys
from pathlib import Path

import echo_golden as golden
import pytest

HERE = Path(__file__).parent
http_cases = golden.http_cases

CASES = golden.read_lines(HERE / "data" / "echo_http.jsonl")
LISTED = http_cases.read_differences()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case):
    verdict, found = http_cases.judge(case, LISTED)
    assert verdict != "wrong", found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_what_agrees_is_not_listed_and_what_is_listed_differs(case):
    correction = http_cases.correction_of(case, LISTED)
    recorded = http_cases.comparable(case)
    assert bool(http_cases.differences_between(recorded, case, correction)) == bool(correction)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_rules_hold_without_the_id(case):
    verdict, found = http_cases.judge({**case, "id": "never seen"}, LISTED)
    assert verdict != "wrong", found


def asked(sent, /, **answer):
    request = {"method": "POST", "path": "/v1/chat/completions", "body": {"model": "mock-model", **sent}}
    return {"id": "never seen", "request": request, "status": 200, "content_type": "application/json", **answer}


def said(text, prompt):
    completion = len(text) // 4
    usage = {"completion_tokens": completion, "prompt_tokens": prompt, "total_tokens": prompt + completion}
    message = {"content": text, "role": "assistant", "tool_calls": None}
    choice = {"finish_reason": "stop", "index": 0, "message": message}
    head = {"created": 0, "id": "chatcmpl-<16hex>", "model": "mock-model", "object": "chat.completion"}
    return {**head, "choices": [choice], "usage": usage}


USER = {"role": "user", "content": "<echo>yes</echo>"}


@pytest.mark.parametrize(
    ("body", "answer", "number"),
    [
        ({"messages": []}, {"body": said("the older default", 0)}, "H4"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, {"body": said("yes", 4)}, "H4"),
        ({"messages": [USER], "temperature": -1}, {"body": said("yes", 4)}, "H4"),
        ({"messages": [USER], "n": 2}, {"body": said("yes", 4)}, "H8"),
        ({"messages": [USER], "temperature": None}, {"status": 400, "body": {"error": {"message": "x"}}}, "H5"),
        ({"messages": [USER], "model": "odd"}, {"status": 500, "body": {"error": {"type": "server_error"}}}, "H6"),
    ],
)
def test_rules_for_cases_that_nobody_has_seen(body, answer, number):
    case = asked(body, **answer)
    assert http_cases.correction_of(case, LISTED)["number"] == number
    assert http_cases.judge(case, LISTED)[0] == "listed"


@pytest.mark.parametrize("changed", [{"status": 201}, {"content_type": "text/plain"}, {"body": said("no", 9)}])
def test_a_wrong_answer_is_seen(changed):
    case = asked({"messages": [USER]}, body=said("yes", 4))
    assert http_cases.judge(case, [])[0] == "agree"
    assert http_cases.judge({**case, **changed}, [])[0] == "wrong"


def test_a_wrong_answer_in_place_of_a_listed_one_is_seen():
    for case in CASES:
        correction = http_cases.correction_of(case, LISTED)
        broken = {"status": 503, "content_type": "application/json", "body": {}}
        assert http_cases.differences_between(broken, case, correction), case["id"]


def test_by_command():
    command = [sys.executable, str(HERE / "echo_golden.py"), str(HERE / "data" / "echo_http.jsonl")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, f"{len(CASES)} passed, 0 failed"), ran.stderr
