"""What a report adds for a reader who would otherwise look in the wrong place, or not at all."""

import warnings

import pytest
from matchex._passage import nearest_passage

import matchex

LONG = f"{'Dear Ann, ' * 30}your refund of 25 EUR is on its way. {'Yours ' * 40}"


def message_of(actual, expected, **options):
    (failure,) = matchex.validate(actual, expected, **options).failures
    return failure.message


class TestNearestPassage:
    def test_of_a_long_text_it_is_shown(self):
        message = message_of(LONG, "refund of 20 EUR is on its way")
        assert message.endswith('; the nearest passage is "refund of 25 EUR is on its way"')

    def test_a_text_that_is_seen_at_once_needs_none(self):
        assert "nearest" not in message_of("your refund of 25 EUR is on its way", "refund of 20 EUR is on its way")

    @pytest.mark.parametrize(
        ("wanted", "text", "found"),
        [
            ("red green blue", "a b red green c blue d", "b red green"),
            ("Red GREEN blue", "x y red green blue! z", "red green blue"),
            ("red red red", "red a b red red red c", "red red red"),
            ("one two three four", "nothing of it but one word, one", None),
            ("single", "a single word of many", None),
            ("as many words", "words as many", None),
            ("ünï çødé", "so ünï çødé ist", "ünï çødé"),
        ],
    )
    def test_what_it_is(self, wanted, text, found):
        assert nearest_passage(wanted, text) == found


class TestNot:
    def test_the_branch_that_matches_is_named(self):
        message = message_of("the cat sat", {"$not": {"$or": ["dog", "cat"]}})
        assert message == 'must not match {"$or": ["dog", "cat"]}, but $or[1] "cat" does'

    def test_a_branch_of_user_code_is_not_asked_again(self):
        asked = []

        def is_cat(actual):
            asked.append(actual)
            return True

        message = message_of("cat", {"$not": {"$or": [{"$eq": "dog"}, is_cat]}})
        assert message.endswith(", but does")
        assert asked == ["cat"]

    def test_a_penalty_is_no_branch_that_matches(self):
        branches = {"$or": [{"$expect": "a", "$score": -0.5}, "b"]}
        assert '$or[1] "b" does' in message_of("a b", {"$not": branches})

    @pytest.mark.parametrize(("actual", "kinds"), [("a and b", ["other-kind"]), (["a"], []), (["a", "c"], [])])
    def test_a_list_that_meets_no_list_is_noted(self, actual, kinds):
        result = matchex.validate(actual, {"$not": ["a", "b"]})
        assert result.passed
        assert [note.kind for note in result.notes] == kinds


def test_a_penalty_is_noted_with_its_title():
    rude = {"$expect": "/rude/", "$score": -0.5, "$title": "rudeness"}
    result = matchex.validate({"a": "rude", "b": 1}, {"a": rude, "b": 1, "$threshold": 0.1})
    assert [note.message for note in result.notes] == ['the penalty "rudeness": "/rude/" matches: -0.5']


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("/(?P<year>\\d+)/", "Python's (?P<year>…) is (?<year>…) here"),
        ("/(?P=year)/", r"Python's (?P=year) is \k<year> here"),
        ("/(?i)yes/", "flags stand behind the pattern and hold for all of it: /…/i"),
        ("/(?s:.)/", "flags stand behind the pattern and hold for all of it: /…/s"),
        ("/(?x) a/", "(?<name> expected"),
        ("/(?>a)/", "(?<name> expected"),
    ],
)
def test_patterns_of_other_dialects(pattern, hint):
    with pytest.raises(matchex.ExpectationError) as caught:
        matchex.compile(pattern)
    assert hint in str(caught.value)


class TestPassScore:
    @pytest.mark.parametrize(
        ("options", "share"), [({"pass_score": 0.7}, "pass_score=70"), ({"pass_score": 0.5, "max_score": 10}, "=5")]
    )
    def test_less_than_a_point_is_warned_of_where_it_was_written(self, options, share):
        with pytest.warns(UserWarning, match=f"counts points.*{share}") as caught:
            matchex.validate({"a": 1}, {"a": 1, "b": 2}, **options)
        assert caught[0].filename == __file__

    @pytest.mark.parametrize(
        "options", [{"pass_score": 0.7, "max_score": 1}, {"pass_score": 1}, {"pass_score": 0}, {"pass_score": None}]
    )
    def test_what_is_meant_so(self, options):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            matchex.Options(**options)


class TestCodeThatRaises:
    def test_its_own_line_is_told_not_that_of_a_library(self):
        def strange(actual):
            import json

            return json.loads(actual)

        (issue,) = matchex.validate("{", strange).errors
        line = strange.__code__.co_firstlineno + 3
        assert issue.message.endswith(f"test_reader_hints.py:{line})")

    def test_an_operand_in_error_is_no_truth_value(self):
        def all_of(actual, operands, context):
            return all(context.child(operand, actual) for operand in operands)

        operators = [matchex.Operator("$everyOne", all_of, operand="expectations")]
        assert matchex.validate(3, {"$everyOne": [{"$gt": 1}, {"$lt": 5}]}, operators=operators).passed
        assert matchex.validate(3, {"$everyOne": [{"$gt": 1}, {"$lt": 2}]}, operators=operators).status == "fail"
        assert matchex.validate(3, {"$everyOne": [{"$expr": "nope + 1"}]}, operators=operators).status == "error"


def test_a_schema_that_was_perhaps_meant_as_data():
    expected = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert "{$eq: …} compares it as data" in message_of({"type": "object", "properties": {}}, expected)
    assert "$eq" not in message_of({"b": 1}, expected)


@pytest.mark.parametrize(
    ("actual", "expected", "kinds"),
    [
        (matchex.MISSING, {"$ne": 1}, ["vacuous"]),
        (matchex.MISSING, {"$nin": [1]}, ["vacuous"]),
        (matchex.MISSING, {"$exists": False}, []),
        ("your refund is due", {"$nin": ["refund", "money"]}, ["contained"]),
        ("your refund is due", {"$ne": "refund"}, ["contained"]),
        ("your refund is due", {"$nin": ["money"]}, []),
        ("a longer text", "text", ["contained"]),
        (" text ", "text", []),
        (5, 5, []),
    ],
)
def test_the_short_way_to_no_notes(actual, expected, kinds):
    assert [note.kind for note in matchex.validate(actual, expected).notes] == kinds


def test_a_failure_of_a_kept_expectation_holds_a_copy():
    for _ in range(2):
        (failure,) = matchex.validate({"a": [1]}, {"a": {"$in": [[2]]}}).failures
        assert failure.expected == [[2]]
        failure.expected[0].append(1)
    (failure,) = matchex.validate({"a": 1}, {"a": {"$eq": [2]}}).failures
    failure.expected.append(3)
    assert not matchex.validate({"a": [2, 3]}, {"a": {"$eq": [2]}}).passed
