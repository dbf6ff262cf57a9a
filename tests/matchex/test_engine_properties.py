"""What holds for every expectation and every value: random ones are matched against each other."""

import copy
import json
import math
import random
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matchex._explain import notes_of

import matchex
from matchex import MISSING, ExpectationError, MatchError

FAST = settings(max_examples=150, deadline=None)

# -- random values, small enough that expectations often meet them

KEYS = st.sampled_from(["a", "b", "c d", "客户"])
SCALARS = st.sampled_from(
    [None, True, False, 0, 1, 2, 2.5, -1, 10**30, "", "a", "ab", " a ", "a.b", "3", "请联系客服", "/a/"]
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)

# -- random expectations

LITERAL_OPERATORS = st.one_of(
    st.builds(lambda name, value: {name: value}, st.sampled_from(["$eq", "$ne"]), VALUES),
    st.builds(lambda name, value: {name: value}, st.sampled_from(["$in", "$nin"]), st.lists(VALUES, max_size=3)),
    st.builds(
        lambda name, value: {name: value},
        st.sampled_from(["$gt", "$gte", "$lt", "$lte"]),
        st.sampled_from([0, 1, 2.5, "a", "b"]),
    ),
    st.sampled_from(
        [
            {"$exists": True},
            {"$exists": {"$value": False, "strict": True}},
            {"$type": ["string", "null"]},
            {"$type": "integer"},
            {"$near": {"$value": 2, "abs": 1}},
            {"$startsWith": "a"},
            {"$endsWith": "b"},
            {"$similar": "abc"},
            {"$similar": {"$value": "ab", "min": 0.5}},
            {"$diff": {"value": "a b", "items": [{"value": "b", "removed": True, "$score": 40}]}},
            {"$expr": "actual == 1"},
            {"$expr": "0.6"},
            {"$expr": "nowhere > 1"},
            {"$expr": "actual.a > 0"},
            {"$length": 2},
            {"$json": 3},
        ]
    ),
)
LEAVES = SCALARS | LITERAL_OPERATORS | st.sampled_from([MISSING, "/a/", "/^[ab]+$/i"])
SCORES = st.sampled_from([None, 0, 0.3, 1, 20, 80, 150])
THRESHOLDS = st.sampled_from([None, 0, 0.3, 0.5, 1])


def weighted(inner: st.SearchStrategy[Any], scores: st.SearchStrategy[Any] = SCORES) -> st.SearchStrategy[Any]:
    """An expectation with metadata of its own."""

    def build(expected: Any, score: Any, critical: bool, threshold: Any, title: Any) -> Any:
        return {
            "$expect": expected,
            "$meta": {"score": score, "critical": critical, "threshold": threshold, "title": title, "dimension": "d"},
        }

    return st.builds(build, inner, scores, st.booleans(), THRESHOLDS, st.sampled_from([None, "T"]))


def siblings(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What may stand where a container reads weights: penalties too."""
    penalty = weighted(inner, st.sampled_from([-10, -0.5]))
    return st.one_of(inner, inner, inner, weighted(inner), penalty)


def is_penalty(expected: Any) -> bool:
    score = expected["$meta"]["score"] if isinstance(expected, dict) and "$meta" in expected else None
    return score is not None and score < 0


FIELDS = KEYS | st.sampled_from(["/^[ab]/", "a.b", "a[0]"])


def mapping(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def build(fields: dict[str, Any], operators: dict[str, Any], strategy: str | None, threshold: Any) -> Any:
        meta = {"$strategy": strategy, "$threshold": threshold} if strategy else {}
        if strategy == "max" and not operators and all(is_penalty(field) for field in fields.values()):
            meta = {}  # alternatives need at least one that is no penalty
        return {**fields, **operators, **meta}

    return st.builds(
        build,
        st.dictionaries(FIELDS, siblings(inner), min_size=1, max_size=3),
        st.just({}) | LITERAL_OPERATORS,
        st.sampled_from([None, None, "max", "weighted"]),
        THRESHOLDS,
    )


def operators(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The operators whose operands are expectations."""
    some = st.lists(siblings(inner), max_size=3)
    alone = st.sampled_from(["$not", "$contains", "$each", "$none", "$first", "$last", "$keys", "$values", "$json"])
    return st.one_of(
        st.builds(lambda name, operand: {name: operand}, alone, inner),
        st.builds(lambda name, operands: {name: operands}, st.sampled_from(["$and", "$all", "$unordered"]), some),
        st.builds(lambda first, rest: {"$or": [first, *rest]}, inner, some),
        st.builds(lambda operands, flag: {"$all": {"$value": operands, "distinct": flag}}, some, st.booleans()),
        st.builds(lambda operands, flag: {"$sequence": {"$value": operands, "contiguous": flag}}, some, st.booleans()),
        st.builds(lambda of, number: {"$count": {"$of": of, "$gte": number}}, inner, st.integers(0, 2)),
        st.builds(lambda index, rest: {"$nth": {"$index": index, "$value": rest}}, st.integers(-2, 2), inner),
        st.builds(lambda rest: {"$sort": {"$by": [], "$last": rest}}, inner),
        st.builds(lambda fields: {"$only": fields}, st.dictionaries(KEYS, siblings(inner), max_size=2)),
    )


EXPECTATIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        mapping(inner), st.lists(siblings(inner), max_size=3), operators(inner), weighted(inner, st.just(None))
    ),
    max_leaves=6,
)
STRICT = st.sampled_from([False, False, True, "object", "array", "text", ["array", "diff"]])


def verdict(call: Any) -> bool | str:
    try:
        return call()
    except MatchError:
        return "error"


def as_verdict(result: matchex.MatchResult) -> bool | str:
    return "error" if result.status == "error" else result.passed


# -- verdict, score, report


@FAST
@given(VALUES, EXPECTATIONS, STRICT)
def test_quick_and_full_answers_agree(actual, expected, strict):
    matcher = matchex.compile(expected, strict=strict)
    result = matcher.match(actual)
    assert verdict(lambda: matcher.matches(actual)) == as_verdict(result)
    assert result.notes == notes_of(result._recorded)
    root = result._root  # the record that details, notes and dimensions are read from
    assert root.status == result.status
    assert root.score == pytest.approx(result.score, rel=0, abs=1e-12)


@FAST
@given(VALUES, EXPECTATIONS, STRICT)
def test_reports_can_be_read(actual, expected, strict):
    result = matchex.validate(actual, expected, strict=strict)
    assert math.isfinite(result.score)
    assert 0 <= result.score <= 1
    assert str(result)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()
    if result.status == "pass":
        assert not result.failures
    if result.status == "fail":
        assert result.failures
    if result.status == "error":
        assert result.errors
    for failure in result.failures:
        assert failure.message.strip()
    for detail in all_details(result.details):
        assert 0 <= detail.score <= 1


def all_details(details: Any) -> Iterator[Any]:
    for detail in details:
        yield detail
        yield from all_details(detail.details)


@FAST
@given(ANY_JSON)
def test_a_value_matches_itself(value):
    assert matchex.validate(value, {"$eq": value}).passed
    assert matchex.validate(value, {"$eq": copy.deepcopy(value)}).passed
    assert matchex.validate(value, {"$in": [value]}).passed
    assert matchex.validate(value, {"$ne": value}).status == "fail"
    assert matchex.validate({"k": value}, {"k": {"$eq": value}}).passed


@FAST
@given(VALUES, EXPECTATIONS)
def test_not_twice_is_the_plain_verdict(actual, expected):
    plain = matchex.validate(actual, expected)
    assert matchex.validate(actual, {"$not": {"$not": expected}}).status == plain.status
    opposite = {"pass": "fail", "fail": "pass", "error": "error"}[plain.status]
    assert matchex.validate(actual, {"$not": expected}).status == opposite


# -- weights

FINITE = st.floats(-200, 200, allow_subnormal=False)
WEIGHTS = st.lists(st.none() | FINITE | st.integers(-200, 200), max_size=8)


@FAST
@given(
    WEIGHTS,
    st.none() | st.floats(0.5, 1000),
    st.none() | st.floats(0, 200),
    st.sampled_from([True, False, "force"]),
)
def test_shares_of_rewards_sum_to_one(weights, max_score, budget, auto):
    shares = matchex.normalize_weights(weights, max_score=max_score, unassigned_weight=budget, auto_confidence=auto)
    assert len(shares) == len(weights)
    rewards = [share for share in shares if share >= 0]
    assert all(share == 0 for share in rewards) or sum(rewards) == pytest.approx(1, abs=1e-9)
    assert [share < 0 for share in shares] == [weight is not None and weight < 0 for weight in weights]


SUMS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(siblings(inner), max_size=3),
        st.dictionaries(KEYS, siblings(inner), min_size=1, max_size=3),
        st.builds(lambda branches: {"$and": branches}, st.lists(siblings(inner), max_size=3)),
        st.builds(lambda operand: {"$each": operand}, inner),
    ),
    max_leaves=6,
)


@FAST
@given(VALUES, SUMS)
def test_weights_in_details_sum_to_one(actual, expected):
    result = matchex.validate(actual, expected)
    for group in [result.details, *(detail.details for detail in all_details(result.details))]:
        rewards = [detail.weight for detail in group if detail.weight >= 0]
        assert sum(rewards) == pytest.approx(1, abs=1e-9) or not any(rewards)


# -- order, purity, repetition


def shuffled(value: Any, dice: random.Random) -> Any:
    """The same with keys of mappings and operands whose order means nothing in another order."""
    if isinstance(value, dict):
        items = [(key, reordered(key, inner, dice)) for key, inner in value.items()]
        dice.shuffle(items)
        return dict(items)
    return [shuffled(item, dice) for item in value] if isinstance(value, list) else value


def reordered(key: str, value: Any, dice: random.Random) -> Any:
    found = shuffled(value, dice)
    operands = found.get("$value") if key == "$all" and isinstance(found, dict) else found
    if key in ("$all", "$unordered", "$and", "$or") and isinstance(operands, list):
        dice.shuffle(operands)
    return found


@FAST
@given(VALUES, EXPECTATIONS, st.randoms(use_true_random=False))
def test_order_never_changes_the_verdict(actual, expected, dice):
    assume("$unordered" not in repr(expected) and "distinct" not in repr(expected))  # pairings: test_errors_combine.py
    one, other = matchex.validate(actual, expected), matchex.validate(actual, shuffled(expected, dice))
    assert one.status == other.status
    assert one.score == pytest.approx(other.score, rel=0, abs=1e-9)


@FAST
@given(VALUES, st.lists(LEAVES, max_size=3), st.randoms(use_true_random=False), st.booleans())
def test_order_of_paired_operands_never_changes_the_verdict(actual, operands, dice, exact):
    def expectation() -> Any:
        return {"$unordered": list(operands)} if exact else {"$all": {"$value": list(operands), "distinct": True}}

    one = matchex.validate(actual, expectation())
    dice.shuffle(operands)
    assert one.status == matchex.validate(actual, expectation()).status


@FAST
@given(VALUES, EXPECTATIONS, STRICT)
def test_nothing_passed_in_is_changed(actual, expected, strict):
    data = {"x": [1, {"y": 2}]}
    before = copy.deepcopy((actual, expected, data))
    result = matchex.validate(actual, expected, strict=strict, data=data)
    _ = result.failures, result.details, result.notes, str(result), result.to_dict()
    assert repr((actual, expected, data)) == repr(before)


@FAST
@given(VALUES, EXPECTATIONS)
def test_dictionary_is_detached(actual, expected):
    data = matchex.validate(actual, expected).to_dict()
    ours = {id(part) for part in containers([actual, expected])}
    assert not ours & {id(part) for part in containers(data)}


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


@FAST
@given(st.lists(VALUES, min_size=1, max_size=3), EXPECTATIONS)
def test_compiled_twice_gives_the_same(actuals, expected):
    one, other = matchex.compile(expected), matchex.compile(expected)
    for actual in actuals:
        assert one.match(actual).to_dict() == other.match(actual).to_dict()
    for actual in actuals:  # a matcher keeps nothing of the values that it has seen
        assert one.match(actual).to_dict() == other.match(actual).to_dict()


@settings(max_examples=15, deadline=None)
@given(st.lists(VALUES, min_size=4, max_size=8), EXPECTATIONS)
def test_threads_share_a_matcher(actuals, expected):
    matcher = matchex.compile(expected)
    alone = [matcher.match(actual).to_dict() for actual in actuals]
    found: list[Any] = [None] * len(actuals)
    start = threading.Barrier(len(actuals))

    def work(i: int) -> None:
        start.wait(timeout=30)
        for _ in range(5):
            found[i] = matcher.match(actuals[i]).to_dict()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(actuals))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert found == alone


# -- misspelt names

DATA_OPERATORS = {"$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte", "$schema"}


def mappings_of(expected: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all mappings in an expectation that are not part of a literal operand."""
    if isinstance(expected, dict):
        if "$meta" not in expected and place[-1:] != ("$nth",):  # beside $meta it is data, in $nth a wrong option
            yield place
        for key, value in expected.items():
            if key not in DATA_OPERATORS:
                yield from mappings_of(value, (*place, key))
    elif isinstance(expected, list):
        for i, item in enumerate(expected):
            yield from mappings_of(item, (*place, i))


def at(expected: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        expected = expected[step]
    return expected


@FAST
@given(EXPECTATIONS, st.data())
def test_an_unknown_name_is_never_let_through(expected, data):
    places = list(mappings_of(expected))
    assume(places)
    place = data.draw(st.sampled_from(places))
    wrong = copy.deepcopy(expected)
    at(wrong, place)["$bogus"] = 1
    with pytest.raises(ExpectationError) as caught:
        matchex.compile(wrong)
    assert any("$bogus" in str(problem) for problem in caught.value.problems), str(caught.value)
