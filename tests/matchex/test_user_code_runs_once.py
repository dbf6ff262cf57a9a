"""User code runs at most once for each value and place, however often the report of a match is read."""

import asyncio
from collections import Counter
from typing import Any

import pytest

import matchex
from matchex import MatchResult, Operator


class Asked:
    """Counts how often it is asked, by operand and path; answers by the operand."""

    def __init__(self) -> None:
        self.times: Counter[Any] = Counter()

    def __call__(self, actual: Any, expected: Any, context: Any) -> Any:
        self.times[expected, context.path] += 1
        if expected == "raises":
            raise LookupError("no connection")
        return {
            "yes": True,
            "no": False,
            "some": 0.4,
            "text": "not good",
            "big": isinstance(actual, int) and actual > 1,
        }[expected]


def read_three_times(result: MatchResult) -> None:
    for _ in range(3):
        _ = result.failures, result.critical_failures, result.errors, result.notes, result.details, result.dimensions
        assert str(result)
        assert result.to_dict()


LIST = [1, 2, 3]
SITUATIONS = {
    "plain": (1, {"$ask": "yes"}),
    "plain, failing": (1, {"$ask": "no"}),
    "plain, a text": (1, {"$ask": "text"}),
    "plain, a number": (1, {"$ask": "some", "$threshold": 0.9}),
    "plain, raising": (1, {"$ask": "raises"}),
    "beside keys": ({"a": 1}, {"a": 1, "$ask": "no"}),
    "in a field": ({"a": 1, "b": 2}, {"a": {"$ask": "big"}, "b": {"$ask": "big"}}),
    "regex key": ({"a": 1, "b": 2}, {"/./": {"$ask": "big"}}),
    "$and": (1, {"$and": [{"$ask": "yes"}, {"$ask": "no"}]}),
    "$or": (1, {"$or": [{"$ask": "no"}, {"$ask": "text"}, {"$ask": "raises"}]}),
    "$or, passing": (1, {"$or": [{"$ask": "no"}, {"$ask": "yes"}]}),
    "$not": (1, {"$not": {"$ask": "yes"}}),
    "$not, raising": (1, {"$not": {"$ask": "raises"}}),
    "$contains": (LIST, {"$contains": {"$ask": "big"}}),
    "$contains, failing": (LIST, {"$contains": {"$ask": "no"}}),
    "$each": (LIST, {"$each": {"$ask": "big"}}),
    "$none": (LIST, {"$none": {"$ask": "big"}}),
    "$count": (LIST, {"$count": {"$of": {"$ask": "big"}, "$value": 3}}),
    "$all": (LIST, {"$all": [{"$ask": "big"}, {"$ask": "no"}]}),
    "$all distinct": (LIST, {"$all": {"$value": [{"$ask": "big"}, {"$ask": "no"}], "distinct": True}}),
    "$unordered": (LIST, {"$unordered": [{"$ask": "big"}, {"$ask": "no"}, 1]}),
    "$sequence": (LIST, {"$sequence": [{"$ask": "big"}, {"$ask": "no"}]}),
    "$sequence, out of order": (LIST, {"$sequence": [2, {"$ask": "no"}]}),
    "$sequence contiguous": (LIST, {"$sequence": {"$value": [{"$ask": "big"}, {"$ask": "no"}], "contiguous": True}}),
    "$first": (LIST, {"$first": {"$ask": "no"}}),
    "$sort": (LIST, {"$sort": {"$by": [], "$last": {"$ask": "no"}}}),
    "$values": ({"a": 1, "b": 3}, {"$values": {"$each": {"$ask": "big"}}}),
    "$json": ('{"a": 1}', {"$json": {"a": {"$ask": "big"}}}),
    "$only": ({"a": 1, "b": 2}, {"$only": {"a": {"$ask": "big"}}}),
    "threshold": (LIST, {"$each": {"$ask": "big"}, "$threshold": 0.5}),
    "penalty": ({"a": 2}, {"a": {"$ask": "big", "$score": {"value": -20, "critical": True}}}),
    "critical": ({"a": 2}, {"a": {"$ask": "no", "$critical": True}}),
    "placeholder": ({"a": 2}, {"a": "{{check}}"}),
}
every_situation = pytest.mark.parametrize(("actual", "expected"), SITUATIONS.values(), ids=SITUATIONS)
DATA = {"check": {"$ask": "no"}}


@every_situation
def test_operator_runs_once(actual, expected):
    asked = Asked()
    result = matchex.validate(actual, expected, operators={"$ask": asked}, data=DATA)
    after_matching = dict(asked.times)
    assert after_matching
    read_three_times(result)
    assert set(asked.times.values()) == {1}
    assert asked.times == after_matching, "reading the report asked again"


@every_situation
async def test_asynchronous_operator_runs_once(actual, expected):
    asked = Asked()

    async def ask(actual: Any, expected: Any, context: Any) -> Any:
        await asyncio.sleep(0)
        return asked(actual, expected, context)

    options: dict[str, Any] = {"data": DATA}
    result = await matchex.validate_async(actual, expected, operators={"$ask": ask}, **options)
    after_matching = dict(asked.times)
    read_three_times(result)
    assert set(asked.times.values()) == {1}
    assert asked.times == after_matching, "reading the report asked again"
    plain = matchex.validate(actual, expected, operators={"$ask": Asked()}, **options)
    assert str(result) == str(plain)
    assert result.to_dict() == plain.to_dict()


def test_callables_run_once():
    times: Counter[str] = Counter()

    def odd(actual: int, context: Any) -> bool:
        times[context.path] += 1
        return actual % 2 == 1

    result = matchex.validate(LIST, {"$and": [{"$contains": odd}, {"$not": {"$each": odd}}, {"$sequence": [odd, 9]}]})
    read_three_times(result)
    # $contains stops at the first item; $each asks all three; $sequence asks the first: each with a node of its own
    assert times == {"[0]": 3, "[1]": 1, "[2]": 1}


async def test_asynchronous_callables_run_once():
    times: Counter[str] = Counter()

    async def odd(actual: int, context: Any) -> bool:
        times[context.path] += 1
        return actual % 2 == 1

    result = await matchex.validate_async(LIST, [odd, {"$or": [odd, 2]}, {"$not": odd}])
    read_three_times(result)
    assert times == {"[0]": 1, "[1]": 1, "[2]": 1}
    assert [failure.path for failure in result.failures] == ["[2]"]


def test_sort_functions_run_once():
    times: Counter[int] = Counter()

    def key(item: int) -> int:
        times[item] += 1
        return -item

    result = matchex.validate(LIST, {"$sort": {"$by": key, "$first": 1}})
    read_three_times(result)
    assert times == {1: 1, 2: 1, 3: 1}
    assert result.failures[0].path == "[2]"


def test_container_and_its_operands_run_once():
    asked, runs = Asked(), []

    def both(actual: Any, operands: Any, context: Any) -> Any:
        runs.append(context.path)
        return context.aggregate([context.child(operand, actual, i) for i, operand in enumerate(operands)])

    operators = {"$both": Operator("$both", both, operand="expectations"), "$ask": asked}
    expected = {"l": {"$each": {"$both": [{"$ask": "yes"}, {"$ask": "no"}]}}}
    result = matchex.validate({"l": [1, 2]}, expected, operators=operators)
    read_three_times(result)
    assert runs == ["l[0]", "l[1]"]
    assert set(asked.times.values()) == {1}


def test_the_verdict_alone_asks_once():
    asked = Asked()
    matcher = matchex.compile({"$each": {"$ask": "big"}}, operators={"$ask": asked})
    assert not matcher.matches([1, 2])
    assert set(asked.times.values()) == {1}


def test_an_operand_of_a_container_is_asked_for_each_value():
    """One operand, matched against several values: each value has an answer of its own."""
    asked: list[str] = []

    def long(actual: str) -> bool:
        asked.append(actual)
        return len(actual) > 3

    def words(actual: str, operand: Any, context: Any) -> Any:
        return context.aggregate([context.child(operand, word, i) for i, word in enumerate(actual.split())])

    operators = [Operator("$eachWord", words, operand="expectation")]
    result = matchex.validate("long word ok", {"$eachWord": long}, operators=operators)
    assert asked == ["long", "word", "ok"]
    assert result.status == "fail"
    assert result.score == pytest.approx(2 / 3)


def test_a_function_for_a_doubtful_count_is_asked_for_each_number():
    asked: list[int] = []

    def at_least_two(number: int) -> bool:
        asked.append(number)
        return number >= 2

    expected = {"$count": {"$of": {"$expr": "actual.x > 5"}, "$value": at_least_two}}
    result = matchex.validate([{"x": 9}, {"y": 1}], expected)
    assert result.status == "error"
    assert asked == [1, 2]
