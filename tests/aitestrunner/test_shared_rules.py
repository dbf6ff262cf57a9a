"""Cases share the rules that they are checked by; they must not share more than they say alike."""

import copy
import pickle
import re
from dataclasses import dataclass
from typing import Any

import pytest
from aitestrunner._cases import read_case
from aitestrunner._keys import SIMPLE_KEYS
from aitestrunner._positions import Node
from aitestrunner._rules import RULE_DEFAULTS

from aitestrunner import AITestFixture, AITestRunner, FixtureError, load_fixture_file


def statuses(cases, answer="hello", **options):
    result = AITestRunner(lambda context: answer).run_sync("s", cases, **options)
    return [log.status for log in result.logs]


def test_the_rules_are_the_settings_of_a_simple_form():
    assert set(RULE_DEFAULTS) == set(SIMPLE_KEYS.values())


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ([{"strict": "text"}, {}, {"strict": "text"}, {"strict": False}], ["fail", "pass", "fail", "pass"]),
        ([{"not": True}, {}, {"not": False}], ["fail", "pass", "pass"]),
        ([{"strict": True}, {"strict": ["text"]}, {"strict": ["object"]}], ["fail", "fail", "pass"]),
        ([{"scoring": True}, {"scoring": 1}], ["pass", "error"]),  # 1 is no truth value, though it equals one
    ],
)
def test_each_case_has_its_own(settings, found):
    assert statuses([{"output": "hell", **own} for own in settings]) == found


def test_front_matter_is_shared_and_overruled(tmp_path):
    (tmp_path / "a.fixture.yaml").write_text(
        "---\nstrict: text\n---\n- output: hell\n- {output: hell, strict: false}\n- {output: hell, strict: null}\n"
    )
    assert statuses(tmp_path / "a.fixture.yaml") == ["fail", "pass", "pass"]


def test_operators_are_those_of_each_case_and_file(tmp_path):
    for name, right in (("a", True), ("b", False)):
        (tmp_path / f"{name}.py").write_text(f"def same(actual, expected):\n    return {right}\n")
        (tmp_path / f"{name}.fixture.yaml").write_text(
            f"---\noperators: {{$same: ./{name}.py:same}}\n---\n- output: {{$same: 1}}\n"
        )
    assert statuses([tmp_path / "a.fixture.yaml", tmp_path / "b.fixture.yaml"]) == ["pass", "fail"]
    own = [
        {"output": {"$is": 1}, "operators": {"$is": lambda actual, expected, right=right: right}} for right in (1, 0)
    ]
    assert statuses(own) == ["pass", "fail"]


def test_the_same_words_mean_what_their_files_say_beside_them(tmp_path):
    for name, strict in (("a", "text"), ("b", "false")):
        (tmp_path / f"{name}.fixture.yaml").write_text(
            f"---\nstrict: {strict}\n---\n- {{output: hell, not: true}}\n- {{output: hell, not: true}}\n"
        )
    found = statuses([tmp_path / "a.fixture.yaml", tmp_path / "b.fixture.yaml"])
    assert found == ["pass", "pass", "fail", "fail"]


def test_a_wrong_form_is_told_for_every_case_that_has_it():
    assert statuses([AITestFixture(output="hello", parse="xml")] * 3) == ["error"] * 3


def test_values_that_look_alike_are_told_apart():
    long = "x" * 250
    patterns = [re.compile(f"^{long}{end}$") for end in "ab"]
    cases = [AITestFixture(output="hello", diff=[{"value": pattern, "added": True}]) for pattern in patterns]
    assert statuses(cases, f"hello{long}a") == ["pass", "fail"]


def test_a_value_that_cannot_be_shown_is_the_matter_of_its_case():
    class Bad:
        def __repr__(self):
            raise RuntimeError("no")

    assert statuses([AITestFixture(output="hello", diff=[{"value": Bad()}]), {"output": "hello"}])[1] == "pass"


def test_subclasses_of_the_fixture():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Mine(AITestFixture):
        ticket: Any = None

    assert statuses([Mine(output="hell", strict="text"), Mine(output="hell", not_=True), Mine(output="hell")]) == [
        "fail",
        "fail",
        "pass",
    ]


def test_a_case_that_was_read_equals_one_that_was_made():
    (case, _), made = read_case(Node({"input": 1, "passScore": 5})), AITestFixture(input=1, pass_score=5)
    for twin in (copy.copy(case), copy.deepcopy(case), pickle.loads(pickle.dumps(case))):
        assert (twin.input, twin.pass_score, twin.strict, twin.vars) == (1, 5, made.strict, {})
    assert repr(case).replace(repr(case.source), "None") == repr(made)


def test_a_placeholder_that_is_null_clears():
    cases = [
        {"output": "hello", "outputSchema": {"type": "number"}, "checkSchema": "{{c}}", "vars": {"c": None}},
        {"output": "hello", "scoring": True, "maxScore": "{{m}}", "vars": {"m": None}},
    ]
    assert statuses(cases) == ["fail", "pass"]


def test_an_unused_tool_tester_is_still_rendered():
    assert statuses([{"output": "hello", "toolTester": "{{nope}}"}]) == ["error"]


def test_settings_of_a_turn_are_no_placeholders():
    case = {"turns": [{"input": "hi", "output": "hello", "parse": "{{p}}"}], "vars": {"p": "json"}}
    (log,) = AITestRunner(lambda context: "hello").run_sync("s", [case]).logs
    assert (log.status, log.error.message) == ("error", "`parse` of a turn cannot be a placeholder")


@pytest.mark.parametrize("given", [{"repeat": "2"}, {"repeat": 0}, {"timeout": "x"}, {"min_pass_rate": 2}])
def test_how_often_and_how_long_a_case_made_in_python_runs(given):
    with pytest.raises(FixtureError, match=f"`{next(iter(given))}` takes"):
        statuses([AITestFixture(output="x", **given)])


def test_defaults_made_in_python_stay_when_the_run_has_some_too(tmp_path):
    path = tmp_path / "a.fixture.yaml"
    path.write_text("---\nstrict: text\n---\n- output: hell\n")
    file = load_fixture_file(path)
    bare = copy.copy(file)
    object.__setattr__(bare, "defaults", type(file.defaults)(file.defaults.settings))
    assert statuses([bare], fixture_config={"title": "x"}) == ["fail"]
