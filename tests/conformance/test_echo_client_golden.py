"""The recorded sessions of the older chat client agree, or differ as listed."""

from pathlib import Path

import echo_golden as golden
import pytest

HERE = Path(__file__).parent
client = golden.client_cases

CASES = golden.read_lines(HERE / "data" / "echo_client.jsonl")
LISTED = client.read_differences()
REQUEST = {"role": "user", "content": "Request 1 <echo>Response 1</echo>"}
ANSWER = {"cost": 0.0, "error_code": 0, "from_cache": False, "model": "mock-model", "text": "Response 1"}
REPEATED = {
    "id": "cache.repeated",
    "steps": [
        {
            **ANSWER,
            "send": [REQUEST],
            "history_size": size,
            "usage": {"prompt_tokens": prompt, "completion_tokens": 2, "total_tokens": prompt + 2},
        }
        for size, prompt in ((2, 8), (4, 19))
    ],
    "history": [REQUEST, {"role": "assistant", "content": "Response 1"}] * 2,
    "stats": {
        "cached_responses": 0,
        "completion_count": 2,
        "completion_tokens": 4,
        "estimated_cost": 0.0,
        "prompt_tokens": 27,
        "total_tokens": 31,
    },
}
"""What the older client does with the same request twice, by what is known of it: a miss."""

SESSIONS = [REPEATED, *(case for case in CASES if client.is_session(case))]
RULES = [entry["rule"] for entry in LISTED if "rule" in entry]
AGREE = {
    "history.empty_system_prompt",
    "history.tool_result",
    "cache.after_clear",
    "cache.temperature",
    "cache.ttl",
    "stateless.basic",
    "stateless.stream",
}


def named(name):
    return next(case for case in CASES if case["id"] == name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case):
    verdict, found = golden.judge(case, [])
    assert verdict == ("agree" if case["id"] in AGREE else "listed"), found


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_rights_a_fault_of_a_recording(rule):
    others = set(RULES) - {rule}
    assert any(client.told_by_older(case, others) != client.told_by_older(case, set(RULES)) for case in SESSIONS)


@pytest.mark.parametrize("rule", RULES)
def test_a_fault_that_is_not_listed_is_wrong(rule):
    listed = [entry for entry in LISTED if entry.get("rule") != rule]
    assert "wrong" in {client.judge(case, listed)[0] for case in SESSIONS}


@pytest.mark.parametrize("case", [case for case in CASES if not client.is_session(case)], ids=lambda case: case["id"])
def test_calls_without_their_entry(case):
    assert client.judge(case, [])[0] == ("agree" if case["id"] in AGREE else "wrong")


def test_a_recording_that_is_not_understood_is_wrong():
    case = named("history.tool_result")
    step = {**case["steps"][0], "text": "something else"}
    assert client.judge({**case, "steps": [step]}, LISTED)[0] == "wrong"
    assert client.judge({**case, "steps": [{**step, "mood": "good"}]}, LISTED)[0] == "wrong"
    assert client.judge({"id": "batch.order", "steps": [{"texts": ["a"]}]}, LISTED)[0] == "wrong"


def test_the_rules_hold_for_recordings_that_are_not_listed_by_name():
    assert client.judge(REPEATED, LISTED)[0] == "listed"
    no_hits = [entry for entry in LISTED if entry.get("rule") != "hit by request"]
    assert client.judge(REPEATED, no_hits)[0] == "wrong"
    sample_file = {"id": "init.any_file", "error_code": 0, "models": [], "null_client": True}
    assert client.judge(sample_file, LISTED)[0] == "listed"
