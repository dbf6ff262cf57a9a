"""The public functions: options, results as verdicts, `Matches`, `Literal`, `MISSING`, compile errors."""

import asyncio
import copy
import pickle
import re
from typing import Any

import pytest

import matchex
from matchex import MISSING, ExpectationError, Literal, MatchError, Matches, Options

# -- options


@pytest.mark.parametrize("call", [matchex.validate, matchex.compile, matchex.Matches], ids=lambda call: call.__name__)
def test_unknown_option_names_the_nearest(call):
    arguments = (1, 1) if call is matchex.validate else (1,)
    with pytest.raises(TypeError, match=r"'strickt'.*'strict'"):
        call(*arguments, strickt=True)
    with pytest.raises(TypeError, match=r"'zzzzzz'.*known options: data, input"):
        call(*arguments, zzzzzz=True)


async def test_unknown_option_of_the_asynchronous_call():
    with pytest.raises(TypeError, match="regex_timeout"):
        await matchex.validate_async(1, 1, regex_timout=2)


@pytest.mark.parametrize("strict", ["objects", ["object", "lists"], 1, None, {"object": True}])
def test_strict_has_fixed_names(strict):
    with pytest.raises(ValueError, match="strict must be"):
        Options(strict=strict)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("threshold", 1.5, ValueError),
        ("threshold", "0.5", TypeError),
        ("threshold", True, TypeError),
        ("threshold", None, TypeError),
        ("pass_score", float("nan"), ValueError),
        ("max_score", 0, ValueError),
        ("unassigned_weight", float("inf"), ValueError),
        ("regex_timeout", 0, ValueError),
        ("max_depth", 0, ValueError),
        ("auto_confidence", "always", ValueError),
        ("data", [1], TypeError),
    ],
)
def test_options_are_checked(name, value, error):
    with pytest.raises(error, match=name):
        Options(**{name: value})
    with pytest.raises(error, match=name):
        matchex.compile(1, **{name: value})


def test_data_of_one_call_are_checked():
    wrong: Any = [1]
    with pytest.raises(TypeError, match="data"):
        matchex.validate(1, 1, data=wrong)


def test_single_options_win_over_the_object():
    options = Options(strict="object", data={"limit": 5})
    actual = {"a": 5, "b": 1}
    assert matchex.validate(actual, {"a": "{{limit}}"}, options=options).status == "fail"
    assert matchex.validate(actual, {"a": "{{limit}}"}, options=options, strict=False).passed
    assert options.strict == "object"


def test_scoring_is_carried_and_changes_nothing():
    plain = matchex.validate({"a": 1}, {"a": 2})
    assert matchex.validate({"a": 1}, {"a": 2}, scoring=True).to_dict() == plain.to_dict()


def test_pass_score_is_the_threshold_of_a_root_without_one():
    actual, expected = {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2, "c": 9}
    assert matchex.validate(actual, expected, pass_score=60).passed
    assert not matchex.validate(actual, expected, pass_score=70).passed
    assert matchex.validate(actual, expected, pass_score=7, max_score=12).passed
    assert not matchex.validate(actual, {**expected, "$threshold": 0.9}, pass_score=60).passed


# -- matchers


def test_a_matcher_is_given_its_variables_for_each_match():
    matcher = matchex.compile({"name": "{{user}}", "n": {"$expr": "actual == data.n + input.n + fixture.n"}})
    actual = {"name": "Ann", "n": 6}
    given: dict[str, Any] = {"data": {"user": "Ann", "n": 1}, "input": {"n": 2}, "fixture": {"n": 3}}
    assert matcher.match(actual, **given).passed
    assert not matcher.match(actual, **{**given, "data": {"user": "Bob", "n": 1}}).passed
    assert asyncio.run(matcher.match_async(actual, **given)).passed
    assert matcher.match(actual).status == "error"


def test_input_wins_over_data_and_is_the_fixture_where_none_is_given():
    assert matchex.validate("b", "{{x}}", data={"x": "a"}, input={"x": "b"}).passed
    assert matchex.validate(1, {"$expr": "fixture.x == 'b'"}, input={"x": "b"}).passed
    assert matchex.validate(1, {"$expr": "fixture.x == 'c'"}, input={"x": "b"}, fixture={"x": "c"}).passed


def test_a_matcher_shows_what_it_expects():
    assert repr(matchex.compile({"a": 1})) == "Matcher({'a': 1})"


# -- verdicts


def test_truth_is_the_verdict():
    assert matchex.validate(1, 1)
    assert not matchex.validate(1, 2)
    assert matchex.compile({"$gte": 2}).matches(2) is True
    assert matchex.compile({"$gte": 2}).matches(1) is False


BROKEN = {"a": {"$expr": "actual > limit"}}


@pytest.mark.parametrize(
    "ask",
    [
        lambda: bool(matchex.validate({"a": 1}, BROKEN)),
        lambda: not matchex.validate({"a": 1}, BROKEN),
        lambda: matchex.compile(BROKEN).matches({"a": 1}),
        lambda: Matches(BROKEN) == {"a": 1},
        lambda: Matches(BROKEN) != {"a": 1},
        lambda: [{"a": 1}] in [Matches([BROKEN])],
    ],
)
def test_an_error_has_no_verdict(ask):
    with pytest.raises(MatchError, match="limit is not defined"):
        ask()


def test_an_error_does_not_pass():
    result = matchex.validate({"a": 1}, BROKEN)
    assert (result.status, result.passed, result.score) == ("error", False, 0)
    (issue,) = result.errors
    assert (issue.kind, issue.path, issue.expected_path) == ("expression", "a", "a.$expr")
    assert issue.cause is not None


# -- Matches


def test_matches_compares_from_both_sides():
    adult = Matches({"age": {"$gte": 18}})
    assert adult == {"age": 18, "name": "Ann"}
    assert adult == {"age": 18}
    assert adult != {"age": 17}
    assert [Matches({"age": 17}), adult] == [{"age": 17}, {"age": 20}]
    with pytest.raises(ExpectationError):
        Matches({"$gtee": 1})


def test_matches_explains_a_failed_assertion():
    answer = {"role": "assistant", "text": "Your refund is on its way."}
    with pytest.raises(AssertionError) as caught:
        assert answer == Matches({"role": "assistant", "text": "/invoice/i"})
    text = str(caught.value)
    assert "Matches({'role': 'assistant', 'text': '/invoice/i'})" in text
    assert "text: expected a match of /invoice/i" in text
    assert "Your refund is on its way." in text


def test_matches_has_no_hash_and_a_plain_text_before_and_after_a_pass():
    matches = Matches({"a": 1})
    with pytest.raises(TypeError):
        hash(matches)
    assert repr(matches) == "Matches({'a': 1})"
    assert matches == {"a": 1}
    assert repr(matches) == "Matches({'a': 1})"


# -- Literal and MISSING


@pytest.mark.parametrize("text", ["/.*/", "{{ secret }}", "<< secret >>", "{% raw %}", "$eq"])
def test_a_literal_is_plain_text(text):
    assert matchex.validate(f"it says {text}.", Literal(text)).passed
    assert matchex.validate("anything else", Literal(text)).status == "fail"
    assert matchex.validate([f"it says {text}"], {"$contains": Literal(text)}).passed
    assert matchex.validate({"a": text}, {"a": {"$eq": Literal(text)}}).passed


def test_a_literal_is_plain_data():
    foreign = {"$exists": False, "list": [{"$not": 1}, "/x/"], "$meta": {"score": "no"}}
    assert matchex.validate({**foreign, "more": 1}, Literal(foreign)).passed
    assert matchex.validate({"$exists": True}, Literal(foreign)).status == "fail"
    result = matchex.validate("x", "{{ answer }}", data={"answer": Literal({"$exists": True})})
    assert result.status == "fail"


def test_literals_are_equal_by_their_values():
    assert Literal({"a": 1}) == Literal({"a": 1.0})
    assert Literal("a") != Literal("b")
    assert Literal("a") != "a"
    assert repr(Literal("/x/")) == "Literal('/x/')"


def test_missing_is_one_and_stays_one():
    assert copy.copy(MISSING) is MISSING
    assert copy.deepcopy([MISSING])[0] is MISSING
    assert pickle.loads(pickle.dumps({"a": MISSING}))["a"] is MISSING
    assert type(MISSING)() is MISSING
    assert not MISSING
    assert repr(MISSING) == "MISSING"


# -- compile errors

WRONG = [
    ({"a": {"$contians": 1}}, "a.$contians", "$contains"),
    ({"a": [1, {"b.c": {"$gtt": 1}}]}, 'a[1]["b.c"].$gtt', "$gt"),
    ({"$or": [1, {"$all": {"$value": [1], "distict": True}}]}, "$or[1].$all.distict", "distinct"),
    ({"a": 1, "$meta": {"titel": "T"}}, "$meta.titel", "title"),
    ({"a": 1, "$score": {"valeu": 1}}, "$score.valeu", "value"),
    ({"a": 1, "$strategy": "maxx"}, "$strategy", "max"),
    ({"$type": "strng"}, "$type", "string"),
    ({"$diff": {"value": "a", "type": "word"}}, "$diff.type", "words"),
    ({"$sort": {"$by": "a", "$frist": 1}}, "$sort.$frist", "$first"),
    ({"$count": {"$of": {"$exsits": True}, "$value": 1}}, "$count.$of.$exsits", "$exists"),
    ({"$only": {"a": {"$nott": 1}}}, "$only.a.$nott", "$not"),
    ({"$critcal": True, "a": 1}, "$critcal", "$critical"),
]


@pytest.mark.parametrize(("expected", "path", "suggestion"), WRONG, ids=[path for _, path, _ in WRONG])
def test_misspelt_names_are_found_with_place_and_suggestion(expected, path, suggestion):
    with pytest.raises(ExpectationError) as caught:
        matchex.compile(expected)
    (problem,) = caught.value.problems
    assert problem.path == path
    assert problem.suggestion == suggestion
    assert suggestion in problem.message
    assert path in str(caught.value)


def test_all_problems_are_told_at_once():
    expected = {"a": {"$gt": []}, "b": {"$nope": 1}, "c": "/(/", "d": {"$expr": "1 +"}, "e": int, "f": object()}
    with pytest.raises(ExpectationError) as caught:
        matchex.validate({}, expected)
    assert [problem.path for problem in caught.value.problems] == ["a.$gt", "b.$nope", "c", "d.$expr", "e", "f"]
    assert str(caught.value).startswith("6 problems in the expectation:")
    assert "$type" in caught.value.problems[4].message


def test_an_expectation_error_comes_alone():
    for expected in ({"$bogus": 1}, {"$bogus": MISSING}, {"a": re.compile("x"), "$bogus": 1}, {"$in": 5, "a": len}):
        with pytest.raises(ExpectationError) as caught:
            matchex.validate(1, expected)
        assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_what_is_changed_after_a_match_does_not_reach_the_next_one():
    expected: dict[str, Any] = {"a": [1, 2]}
    first = matchex.validate({"a": [1, 3]}, expected)
    expected["a"][1] = 3
    assert matchex.validate({"a": [1, 3]}, expected).passed
    assert first.failures[0].expected == 2
    for one, other in ((1, True), (1, 1.0), ("1", 1), (0, False)):
        assert matchex.validate([one], {"$eq": [one]}).passed
        same = type(one) is not bool and type(other) is not bool and one == other
        assert matchex.validate([one], {"$eq": [other]}).passed is same


def test_a_bad_expectation_is_a_value_error_and_no_value_is_looked_at():
    asked: list[Any] = []
    with pytest.raises(ValueError, match=re.escape("$contains")):
        matchex.validate(1, {"$and": [asked.append, {"$contians": 1}]})
    assert not asked


# -- asynchronous calls


async def test_independent_questions_are_asked_together():
    """None of them gets on before all have been asked."""
    everyone = asyncio.Barrier(3)

    async def together(actual: Any) -> bool:
        await asyncio.wait_for(everyone.wait(), timeout=30)
        return actual < 3

    expected = {"a": together, "l": {"$each": together}}
    result = await matchex.validate_async({"a": 1, "l": [2, 3]}, expected)
    assert [failure.path for failure in result.failures] == ["l[1]"]


async def test_matches_of_one_loop_do_not_wait_for_each_other():
    started = asyncio.Event()

    async def waits(actual: Any) -> bool:
        await asyncio.wait_for(started.wait(), timeout=30)
        return True

    async def starts(actual: Any) -> bool:
        started.set()
        return True

    results = await asyncio.gather(matchex.validate_async(1, waits), matchex.validate_async([1], [starts]))
    assert [result.status for result in results] == ["pass", "pass"]


async def asynchronous(actual: Any, expected: Any = True) -> bool:
    await asyncio.sleep(0)
    return bool(actual) is expected


@pytest.mark.parametrize("expected", [asynchronous, {"$later": True}, {"$sort": {"$by": asynchronous}}])
def test_a_synchronous_call_on_asynchronous_code_names_the_other_one(expected):
    result = matchex.validate([2, 1], expected, operators={"$later": asynchronous})
    assert result.status == "error"
    assert "validate_async" in result.errors[0].message
    with pytest.raises(MatchError, match="validate_async"):
        matchex.compile(expected, operators={"$later": asynchronous}).matches([2, 1])


async def test_asynchronous_code_works_everywhere():
    operators = {"$later": asynchronous}
    for expected in (asynchronous, {"$later": True}, {"$not": {"$later": False}}, {"$each": asynchronous}):
        assert (await matchex.validate_async([2, 1], expected, operators=operators)).passed

    async def negative(item: int) -> int:
        return -item

    result = await matchex.validate_async([1, 3, 2], {"$sort": {"$by": negative, "$expect": [3, 2, 1]}})
    assert result.passed


async def test_asynchronous_code_that_raises_is_an_error():
    async def broken(actual: Any) -> bool:
        raise ConnectionError("no route")

    result = await matchex.validate_async({"a": 1}, {"a": broken})
    assert result.status == "error"
    assert isinstance(result.errors[0].cause, ConnectionError)
    assert "no route" in result.errors[0].message


async def test_cancelling_a_match_cancels_what_it_waits_for():
    cancelled = asyncio.Event()
    started = asyncio.Event()

    async def slow(actual: Any) -> bool:
        started.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return True

    task = asyncio.create_task(matchex.validate_async(1, slow))
    await asyncio.wait_for(started.wait(), timeout=30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.is_set()
