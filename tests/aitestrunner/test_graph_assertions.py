"""What each assertion becomes, what it says of a state, and what is refused before anything runs."""

import datetime
import json

import pytest
from aitestrunner.graph import ASSERTION_TYPES, WorkflowState, check_assertion, check_assertion_async, expectation_for

import matchex
from aitestrunner import FixtureError

STATE = {
    "status": "completed",
    "memory": {"answer": "It is 42.", "n": 1421, "list": ["a", "bc", 12], "map": {"a": 1, "b": 2}, "a.b": 1, "$x": 2},
    "visited_nodes": ["plan", "act", "act"],
    "total_tokens_used": 50,
    "max_token_budget": 100,
}
EXAMPLES = [
    {"type": "status_equals", "expected": "completed"},
    {"type": "node_visited", "node_id": "act"},
    {"type": "memory_contains", "key": "answer"},
    {"type": "memory_not_empty", "key": "answer"},
    {"type": "memory_matches", "key": "n", "mode": "exact", "expected": 1421},
    {"type": "memory_matches", "key": "answer", "mode": "contains", "expected": "42"},
    {"type": "memory_matches", "key": "answer", "mode": "regex", "pattern": r"\d+\.$"},
    {"type": "token_budget_respected"},
    {"type": "llm_judge", "criteria": "short", "threshold": 0.5, "evaluator_agent_id": "judge"},
    {"type": "state_expect", "expect": {"visited_nodes": {"$length": 3}}},
]


def matches(key, mode, **rest):
    return {"type": "memory_matches", "key": key, "mode": mode, **rest}


def status(assertion, state=STATE):
    return check_assertion(assertion, state).status


def refusal(assertion):
    with pytest.raises(FixtureError) as caught:
        check_assertion(assertion, STATE)
    with pytest.raises((ValueError, matchex.ExpectationError)):
        matchex.compile(expectation_for(assertion), templates=False)
    return str(caught.value)


def test_every_type_has_an_example():
    assert {example["type"] for example in EXAMPLES} == set(ASSERTION_TYPES)


@pytest.mark.parametrize("assertion", EXAMPLES, ids=json.dumps)
def test_an_assertion_is_an_expectation_and_matchex_judges(assertion):
    expectation = expectation_for(assertion)
    assert expectation_for(assertion) == expectation  # a function of the assertion alone
    if assertion["type"] != "llm_judge":
        assert matchex.validate(STATE, expectation, templates=False).status == status(assertion) == "pass"


@pytest.mark.parametrize(
    ("assertion", "told"),
    [
        ({"type": "status_equals", "expected": "complete"}, "did you mean 'completed'"),
        ({"type": "status_equals"}, "needs `expected`"),
        ({"type": "node_visitd", "node_id": "a"}, "did you mean 'node_visited'"),
        ({"type": "node_visited", "nodeId": "a"}, "did you mean 'node_id'"),
        ({"type": "node_visited", "node_id": 1}, "the id of a node"),
        ({"node_id": "a"}, "unknown type of assertion None"),
        ("status", "an assertion is a mapping"),
        (matches("k", "exakt", expected=1), "one of exact, contains, regex"),
        (matches("k", "exact"), "nothing to compare with"),
        (matches("k", "contains"), "nothing to compare with"),
        (matches("k", "exact", expected=1, pattern="a"), "not `pattern`"),
        (matches("k", "regex"), "every text would match"),
        (matches("k", "regex", pattern="a", expected=1), "not `expected`"),
        (matches("k", "regex", pattern="("), "does not compile"),
        ({"type": "llm_judge", "criteria": " ", "threshold": 2, "evaluator_agent_id": "x"}, "from 0 to 1"),
        ({"type": "llm_judge", "criteria": "c", "threshold": float("nan"), "evaluator_agent_id": "x"}, "from 0 to 1"),
        ({"type": "llm_judge", "criteria": "c", "threshold": True, "evaluator_agent_id": "x"}, "from 0 to 1"),
        ({"type": "state_expect", "expect": {"status": {"$eqq": 1}}}, "did you mean $eq"),
        ({"type": "state_expect", "expected": {}}, "did you mean 'expect'"),
    ],
)
def test_what_is_no_assertion_is_refused(assertion, told):
    assert told in refusal(assertion)


def test_all_problems_of_an_assertion_are_told():
    with pytest.raises(FixtureError) as caught:
        check_assertion({"type": "llm_judge", "threshold": "0.5", "evaluator_agent_id": "x"}, STATE)
    assert len(caught.value.problems) == 2


def test_an_evaluator_that_does_not_exist_is_refused():
    with pytest.raises(FixtureError, match="there is no evaluator 'judge'"):
        check_assertion(EXAMPLES[8], STATE)


@pytest.mark.parametrize(
    ("assertion", "wanted"),
    [
        (matches("n", "exact", expected="1421"), "fail"),
        (matches("map", "exact", expected={"b": 2, "a": 1}), "pass"),
        (matches("map", "exact", expected={"a": 1}), "fail"),
        (matches("no", "exact", expected=None), "fail"),
        (matches("a.b", "exact", expected=1), "pass"),
        (matches("$x", "exact", expected=2), "pass"),
        (matches("map.a", "exact", expected=1), "fail"),
        (matches("answer", "exact", expected="42"), "fail"),
        (matches("list", "contains", expected="b"), "fail"),
        (matches("list", "contains", expected=2), "fail"),
        (matches("list", "contains", expected=12), "pass"),
        (matches("list", "contains", expected=["bc", "a"]), "pass"),
        (matches("map", "contains", expected={"a": 1}), "pass"),
        (matches("map", "contains", expected={"a": 2}), "fail"),
        (matches("map", "contains", expected="a"), "fail"),
        (matches("n", "contains", expected=42), "fail"),
        (matches("no", "contains", expected="a"), "fail"),
        (matches("answer", "contains", expected=" is "), "pass"),
        (matches("answer", "contains", expected="is  "), "fail"),
        (matches("n", "regex", pattern="1"), "fail"),
        (matches("no", "regex", pattern=""), "fail"),
        (matches("answer", "regex", pattern="is$"), "fail"),
        ({"type": "memory_contains", "key": "map.a"}, "fail"),
        ({"type": "memory_contains", "key": "constructor"}, "fail"),
    ],
)
def test_verdicts(assertion, wanted):
    assert status(assertion) == wanted


@pytest.mark.parametrize("text", ["{{n}}", "/a/", "$gt", "<<n>>", " (a/b)*-.\t", "\n", "é", "`", "#", "\\", "]"])
def test_texts_of_an_assertion_mean_themselves(text):
    for mode in ("exact", "contains"):
        value = text if mode == "exact" else f"x{text}y"
        assert status(matches("k", mode, expected=text), {"memory": {"k": value}}) == "pass"
        assert status(matches("k", mode, expected=text), {"memory": {"k": "xay"}}) == "fail"
        assert status(matches(text, mode, expected=1), {"memory": {text: [1] if mode == "contains" else 1}}) == "pass"
    assert status({"type": "memory_contains", "key": text}, {"memory": {text: None}}) == "pass"


@pytest.mark.parametrize("value", [0, False, [None], {"a": None}, "x", datetime.date(2024, 1, 1)])
def test_not_empty(value):
    assert status({"type": "memory_not_empty", "key": "k"}, {"memory": {"k": value}}) == "pass"


@pytest.mark.parametrize("memory", [{"k": None}, {"k": " \n"}, {"k": []}, {"k": {}}, {}])
def test_empty(memory):
    assert status({"type": "memory_not_empty", "key": "k"}, {"memory": memory}) == "fail"


@pytest.mark.parametrize(
    ("used", "budget", "wanted"),
    [(5, 5, "pass"), (6, 5, "fail"), (5, None, "pass"), (5, 0, "pass"), (0, -1, "fail"), (None, 5, "fail")],
)
def test_budget(used, budget, wanted):
    state = WorkflowState(status="completed", total_tokens_used=used, max_token_budget=budget)
    result = check_assertion({"type": "token_budget_respected"}, state)
    assert result.status == wanted
    assert result.actual == {"used": used, "budget": budget}


def test_a_pattern_that_would_take_forever_ends():
    state = {"memory": {"k": "a" * 40 + "b"}}
    assert status(matches("k", "regex", pattern=r"^(?:(a+)+)\1$"), state) in ("fail", "error")


class Spiteful(dict):
    def __iter__(self):
        raise RuntimeError("no such luck")

    keys = items = values = __iter__


def test_an_assertion_that_breaks_is_an_error_that_is_told():
    result = check_assertion(EXAMPLES[2], {**STATE, "memory": Spiteful(a=1)})
    assert result.status == "error" and not result.passed
    assert "RuntimeError: no such luck" in result.message
    assert result.errors[0].cause is not None


def test_what_was_looked_at_by_an_expectation_is_what_does_not_match():
    result = check_assertion({"type": "state_expect", "expect": {"memory": {"n": 1}}}, STATE)
    assert (result.actual, result.message) == (1421, "memory.n: expected 1, got 1421")
    assert "actual" not in check_assertion(EXAMPLES[9], STATE).to_dict()


def test_notes_tell_news():
    contained = {"type": "state_expect", "expect": {"memory": {"answer": "42"}}}
    assert [note.kind for note in check_assertion(contained, STATE).notes] == ["contained"]
    assert check_assertion(EXAMPLES[5], STATE).notes == ()


def test_a_result_is_plain_data():
    plain = check_assertion({"type": "node_visited", "node_id": "no"}, STATE).to_dict()
    assert json.loads(json.dumps(plain))["actual"] == ["plan", "act", "act"]
    assert (plain["status"], plain["passed"]) == ("fail", False)
    assert plain["message"].startswith("visited_nodes: ")


async def test_inside_a_loop():
    assert (await check_assertion_async(EXAMPLES[0], STATE)).passed
    with pytest.raises(RuntimeError, match="await check_assertion_async"):
        check_assertion(EXAMPLES[0], STATE)


def test_states():
    state = WorkflowState.of({**STATE, "region": "eu"})
    assert state.fields()["region"] == "eu"
    assert state.fields()["steps"] == 3
    assert status({"type": "state_expect", "expect": {"region": "eu", "error": {"$exists": False}}}, state) == "pass"
    with pytest.raises(ValueError, match="did you mean 'waiting'"):
        WorkflowState(status="waitng")
    with pytest.raises(ValueError, match="`status`"):
        WorkflowState.of({"memory": {}})
