"""User code of every shape, asynchronous answers, threads, patterns that never end, copies, caches, rows of data."""

import asyncio
import copy
import enum
import functools
import operator
import pickle
import random
import re
import threading
from array import array
from collections import ChainMap, Counter, deque
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

import matchex
from matchex import MISSING, ExpectationError, Literal, MatchError, Operator, Options


def name_of(value: Any) -> str:
    """A value as a test's name: the same in every process."""
    text = repr(value)[:40]
    return type(value).__name__ if " at 0x" in text else text


# -- functions of every shape


class Checks:
    """Methods of every kind, and an object that is called."""

    def __call__(self, actual: Any) -> bool:
        return actual == 1

    def method(self, actual: Any, context: Any) -> bool:
        return context.path == "a" and actual == 1

    @classmethod
    def of_class(cls, actual: Any) -> bool:
        return actual == 1

    @staticmethod
    def of_nobody(actual: Any) -> bool:
        return actual == 1


CALLABLES = {
    "object": Checks(),
    "bound method": Checks().method,
    "class method": Checks.of_class,
    "static method": Checks.of_nobody,
    "partial": functools.partial(operator.eq, 1),
    "partial with context": functools.partial(lambda first, actual, context: context.path == "a", 5),
    "partial of a keyword": functools.partial(lambda actual, wanted: actual == wanted, wanted=1),
    "cached": functools.lru_cache(lambda actual: actual == 1),
    "built-in": operator.truth,
    "method of a value": (1).__eq__,
    "lookup": {1: True}.get,
    "any number": lambda *arguments: len(arguments) == 1,
    "with a default": lambda actual, wanted=1: actual == wanted,
    "context by name": lambda actual, context=None: context.path == "a",
    "keyword only": lambda actual, *, wanted=1: actual == wanted,
}


@pytest.mark.parametrize("function", CALLABLES.values(), ids=CALLABLES)
def test_a_function_is_called_by_its_signature(function):
    assert matchex.validate({"a": 1}, {"a": function}).passed


WRONG_CALLABLES = {
    "no argument": lambda: True,
    "three": lambda a, b, c: True,
    "keyword needed": lambda actual, *, wanted: True,
    "other kind": len,
}


@pytest.mark.parametrize("function", WRONG_CALLABLES.values(), ids=WRONG_CALLABLES)
def test_a_function_that_cannot_be_called_so_is_an_error_even_under_not(function):
    for expected in ({"a": function}, {"$not": {"a": function}}):
        result = matchex.validate({"a": 1}, expected)
        assert result.status == "error"
        assert "TypeError" in result.errors[0].message


RAISED = [StopIteration(), RecursionError("r"), AssertionError("no"), KeyError("k"), MemoryError(), OSError(2, "file")]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_what_user_code_raises_is_an_error_with_its_cause(error):
    def raising(actual: Any, expected: Any = None) -> bool:
        raise error

    results = [
        matchex.validate({"a": 1}, {"a": raising}),
        matchex.validate({"a": 1}, {"a": {"$check": 1}}, operators={"$check": raising}),
        matchex.validate([{"a": 1}], {"$sort": {"$by": lambda item: raising(item), "$first": {"a": 1}}}),
        matchex.validate({"a": 1}, {"$not": {"a": raising}}),
    ]
    for result in results:
        assert result.status == "error"
        assert result.errors[0].cause is error
        assert type(error).__name__ in result.errors[0].message


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError])
def test_interrupts_are_not_swallowed(error):
    def raising(actual: Any) -> bool:
        raise error

    with pytest.raises(error):
        matchex.validate({"a": 1}, {"a": raising})


ANSWERS = [
    (True, "pass", 1),
    (False, "fail", 0),
    ("why not", "fail", 0),
    ("", "fail", 0),
    (0.5, "pass", 0.5),
    (0.49, "fail", 0.49),
    (7, "pass", 1),
    (-7, "fail", 0),
    (10**400, "pass", 1),
    (float("inf"), "pass", 1),
    ({"pass": True}, "pass", 1),
    ({"passed": True, "score": 0.2}, "pass", 0.2),
    ({"passed": False, "score": 0.9, "message": "m"}, "fail", 0.9),
    ({"score": 0.7}, "pass", 0.7),
    ({"score": -3}, "fail", 0),
    (None, "error", 0),
    (float("nan"), "error", 0),
    ({"score": float("nan")}, "error", 0),
    ({"score": True}, "error", 0),
    ({"score": "1"}, "error", 0),
    ({"passed": "yes"}, "error", 0),
    ({"passed": 1}, "error", 0),
    ({"passed": True, "verdict": 1}, "error", 0),
    ({}, "error", 0),
    ([], "error", 0),
    ([True], "error", 0),
    (b"x", "error", 0),
    (1j, "error", 0),
    (MISSING, "error", 0),
    (NotImplemented, "error", 0),
    (object(), "error", 0),
]


@pytest.mark.parametrize(("answer", "status", "score"), ANSWERS, ids=[name_of(answer) for answer, *_ in ANSWERS])
def test_what_a_function_may_return(answer, status, score):
    for result in (
        matchex.validate({"a": 1}, {"a": lambda actual: answer}),
        matchex.validate({"a": 1}, {"a": {"$check": 1}}, operators={"$check": lambda actual, expected: answer}),
    ):
        assert (result.status, result.score) == (status, score)
        assert str(result) and result.to_dict()["score"] == score


# -- what user code is told

SEEN: list[tuple[str, tuple[int, int] | None]] = []


def note(actual: Any, expected: Any, context: Any) -> bool:
    SEEN.append((context.path, context.loop and (context.loop.index, context.loop.length)))
    return True


PLACES = {
    "field": ({"a": {"b": 1}}, {"a": {"b": {"$note": 1}}}, [("a.b", None)]),
    "path key": ({"a": [{"b": 1}]}, {"a[0].b": {"$note": 1}}, [("a[0].b", None)]),
    "regex key": ({"ab": 1}, {"/^a/": {"$note": 1}}, [("ab", None)]),
    "list": ([1, 2], [5, {"$note": 1}], [("[1]", None)]),
    "$each": ([7, 8], {"$each": {"$note": 1}}, [("[0]", (0, 2)), ("[1]", (1, 2))]),
    "$each, deeper": ({"l": [{"x": 1}]}, {"l": {"$each": {"x": {"$note": 1}}}}, [("l[0].x", (0, 1))]),
    "$sort": ([3, 1], {"$sort": {"$by": [], "$each": {"$note": 1}}}, [("[1]", (1, 2)), ("[0]", (0, 2))]),
    "$nth": ([3, 1], {"$nth": {"$index": -1, "$note": 1}}, [("[1]", None)]),
    "$json": ('{"a": [1]}', {"$json": {"a": {"$each": {"$note": 1}}}}, [("a[0]", (0, 1))]),
    "$not, $or, $and": ({"a": 1}, {"a": {"$not": {"$or": [{"$and": [{"$note": 1}]}]}}}, [("a", None)]),
    "$sequence": ([7, 8], {"$sequence": [{"$note": 1}, {"$note": 2}]}, [("[0]", (0, 2)), ("[1]", (1, 2))]),
}


@pytest.mark.parametrize(("actual", "expected", "places"), PLACES.values(), ids=PLACES)
def test_user_code_is_told_its_place_and_asked_once(actual, expected, places):
    SEEN.clear()
    result = matchex.validate(actual, expected, operators={"$note": note})
    for _ in range(2):
        assert str(result) and result.to_dict() and result.details is not None
    assert places == SEEN


# -- asynchronous answers

SHAPES = [
    "$or",
    "$and",
    "$not",
    "$contains",
    "$each",
    "$none",
    "$all",
    "$sequence",
    "$unordered",
    "map",
    "list",
    "$sort",
]
PLAIN = [lambda x: isinstance(x, int) and x > 1, lambda x: 0.6, lambda x: "no", lambda x: [][0]]


def random_tree(rng: random.Random, depth: int = 0) -> Any:
    if depth > 3 or rng.random() < 0.35:
        return rng.randrange(len(PLAIN))
    return rng.choice(SHAPES), [random_tree(rng, depth + 1) for _ in range(rng.randrange(1, 3))]


def random_value(rng: random.Random, depth: int = 0) -> Any:
    if depth > 2 or rng.random() < 0.4:
        return rng.randrange(4)
    if rng.random() < 0.5:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {key: random_value(rng, depth + 1) for key in "ab"}


def expectation(tree: Any, functions: list[Any]) -> Any:
    """The expectation of a tree, with the given functions as leaves."""
    if isinstance(tree, int):
        return functions[tree]
    shape, below = tree
    parts = [expectation(part, functions) for part in below]
    if shape == "map":
        return dict(zip("ab", parts, strict=False))
    if shape == "list":
        return parts
    if shape == "$sort":
        return {"$sort": {"$by": [], "$first": parts[0]}}
    return {shape: parts if shape in ("$or", "$and", "$all", "$sequence", "$unordered") else parts[0]}


def summary(result: matchex.MatchResult) -> Any:
    failures = [(failure.path, failure.expected_path) for failure in result.failures]
    errors = [(error.kind, error.path, error.expected_path) for error in result.errors]
    return result.status, result.score, failures, errors, [(d.key, d.status, d.score) for d in result.details]


def test_asynchronous_functions_give_what_plain_ones_give():
    async def answered(function: Any, value: Any) -> Any:
        await asyncio.sleep(0)
        return function(value)

    waiting = [lambda value, function=function: answered(function, value) for function in PLAIN]

    async def compare() -> None:
        rng = random.Random(7)
        for _ in range(400):
            tree, actual = random_tree(rng), random_value(rng)
            plain = matchex.validate(actual, expectation(tree, PLAIN))
            awaited = await matchex.validate_async(actual, expectation(tree, waiting))
            assert summary(awaited) == summary(plain)

    asyncio.run(compare())


def test_questions_of_one_match_wait_together_and_are_asked_once():
    asked: list[int] = []

    async def run() -> matchex.MatchResult:
        meeting = asyncio.Barrier(20)  # passes only when all twenty wait at the same time

        async def meet(actual: int) -> bool:
            asked.append(actual)
            await meeting.wait()
            return True

        return await asyncio.wait_for(matchex.validate_async(list(range(20)), {"$each": meet}), 30)

    result = asyncio.run(run())
    assert result.passed and result.details and str(result)
    assert sorted(asked) == list(range(20))


def test_cancelling_a_match_leaves_nothing_running():
    async def never(actual: Any) -> bool:
        await asyncio.Event().wait()
        return True

    async def run() -> int:
        task = asyncio.create_task(matchex.validate_async([1, 2, 3], {"$each": never}))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks())

    assert asyncio.run(run()) == 1


def test_futures_and_shared_awaitables_are_awaited():
    async def run() -> list[bool]:
        loop = asyncio.get_running_loop()
        done, late = loop.create_future(), loop.create_future()
        done.set_result(True)
        loop.call_soon(late.set_result, False)
        shared = await matchex.validate_async([1, 2], {"$each": lambda actual: done})
        single = await matchex.validate_async(1, {"$not": lambda actual: late})
        return [shared.passed, single.passed]

    assert asyncio.run(run()) == [True, True]


def test_one_matcher_serves_many_matches_at_once():
    async def same(actual: Any, expected: Any) -> bool:
        await asyncio.sleep(0)
        return actual == expected

    async def run() -> list[bool]:
        matcher = matchex.compile({"a": {"$same": "{{ x }}"}}, operators={"$same": same})
        results = [matcher.match_async({"a": i}, data={"x": i - i % 2}) for i in range(100)]
        return [result.passed for result in await asyncio.gather(*results)]

    assert asyncio.run(run()) == [i % 2 == 0 for i in range(100)]


def test_a_synchronous_match_names_the_asynchronous_call():
    async def check(actual: Any) -> bool:
        return True

    for expected in (check, {"$not": check}, {"$sort": {"$by": check, "$first": 1}}):
        result = matchex.validate([1], expected)
        assert (result.status, result.errors[0].kind) == ("error", "pending")
        assert "validate_async" in result.errors[0].message
    assert matchex.validate([1], {"$or": [check, [1]]}).passed


# -- threads


def test_one_matcher_and_the_cache_serve_many_threads():
    matcher = matchex.compile({"a": "{{ x }}", "l": {"$each": {"$lt": "{{ n }}"}}, "r": "/^{{ x }}$/"})
    wrong: list[Any] = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for turn in range(60):
            x, n, good = f"v{rng.randrange(1000)}", rng.randrange(5, 50), rng.random() < 0.5
            result = matcher.match({"a": x, "l": [1, n - good], "r": x}, data={"x": x, "n": n})
            cached = matchex.validate({"a": turn}, {"a": turn if good else turn + 1})
            if result.passed is not good or cached.passed is not good or len(result.failures) != (not good):
                wrong.append((x, n, good, result))
            assert str(result) and result.details

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# -- patterns that never end

LONG = "a" * 2000 + "!"
ENDLESS = "/(?=(a+)+$)/"  # lookahead keeps it from the linear engine
TIMEOUTS = {
    "text": (LONG, ENDLESS),
    "field": ({"t": LONG}, {"t": ENDLESS}),
    "below $not": (LONG, {"$not": ENDLESS}),
    "$contains of a text": (LONG, {"$contains": ENDLESS}),
    "$contains of a list": ([LONG], {"$contains": ENDLESS}),
    "$none": ([LONG], {"$none": ENDLESS}),
    "$all": ([LONG], {"$all": [ENDLESS]}),
    "$unordered": ([LONG], {"$unordered": [ENDLESS]}),
    "$sequence": ([LONG], {"$sequence": [ENDLESS]}),
    "$count": ([LONG], {"$count": {"$of": ENDLESS, "$value": 0}}),
    "white-list": (LONG, {"$diff": {"value": "z", "items": [{"value": ENDLESS}]}}),
    "white-list below $not": (LONG, {"$not": {"$diff": {"value": "z", "items": [{"value": ENDLESS}]}}}),
    "compiled": (LONG, re.compile(ENDLESS[1:-1])),
    "compiled, below $not": (LONG, {"$not": re.compile(ENDLESS[1:-1])}),
    "inserted": (LONG, "/{{ p }}/"),
    "schema": (LONG, {"$schema": {"pattern": ENDLESS[1:-1]}}),
    "schema below $not": (LONG, {"$not": {"$schema": {"pattern": ENDLESS[1:-1]}}}),
    "expression below $not": (LONG, {"$not": {"$expr": ENDLESS + ".test(actual)"}}),
}


@pytest.mark.parametrize(("actual", "expected"), TIMEOUTS.values(), ids=TIMEOUTS)
def test_a_pattern_that_does_not_end_is_an_error_everywhere(actual, expected):
    options = Options(data={"p": re.compile(ENDLESS[1:-1])}, regex_timeout=0.02, expression_limits={"seconds": 0.05})
    result = matchex.validate(actual, expected, options=options)
    assert result.status == "error"
    assert "(?=(a+)+$)" in result.errors[0].message
    assert str(result) and result.to_dict()
    with pytest.raises(MatchError):
        matchex.compile(expected, options=options).matches(actual)


def test_the_message_of_a_timeout_names_pattern_time_and_length():
    result = matchex.validate({"t": LONG}, {"t": ENDLESS}, regex_timeout=0.02)
    (error,) = result.errors
    assert (error.kind, error.path, error.expected_path) == ("timeout", "t", "t")
    assert all(part in error.message for part in (ENDLESS, "0.02 s", "2001 characters"))


# -- copies


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_results_can_be_copied(duplicate):
    actual = {"a": "x", "b": [1, {"c": 2}], "t": "1"}
    result = matchex.validate(actual, {"a": "y", "b": {"$contains": {"c": 3}}, "t": "/(2+)+$/"})
    again = duplicate(result)
    assert summary(again) == summary(result)
    assert str(again) == str(result)
    assert again.to_dict() == result.to_dict()


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
def test_the_parts_of_a_result_can_be_copied_and_pickled(duplicate):
    result = matchex.validate({"a": "x", "b": "long"}, {"a": "y", "b": "l"})
    for part in (result.failures, result.details, result.notes):
        assert duplicate(part) == part
    assert duplicate(result.failures[0]).diff.changed


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
def test_public_values_can_be_copied_and_pickled(duplicate):
    assert duplicate(MISSING) is MISSING
    assert duplicate(Literal({"a": [1]})) == Literal({"a": [1]})
    assert duplicate(Options(strict=["object"], data={"x": 1})) == Options(strict=["object"], data={"x": 1})
    assert duplicate(matchex.compile({"a": {"$gt": 1}})).matches({"a": 2})
    assert duplicate(Operator("$len", len)).name == "$len"
    with pytest.raises(ExpectationError) as caught:
        matchex.compile({"$containz": 1})
    assert duplicate(caught.value).problems == caught.value.problems


# -- what was passed may change


def test_validate_reads_the_expectation_of_each_call():
    expected = {"a": [1], "b": {"$in": [1]}}
    assert matchex.validate({"a": [1], "b": 1}, expected).passed
    expected["a"][0] = 2
    expected["b"]["$in"].append(3)
    assert matchex.validate({"a": [2], "b": 3}, expected).passed
    assert not matchex.validate({"a": [1], "b": 1}, expected).passed


def test_the_cache_tells_alike_values_apart():
    for _ in range(2):
        assert matchex.validate(1, {"$eq": 1}).passed
        assert not matchex.validate(1, {"$eq": True}).passed
        assert matchex.validate(True, {"$eq": True}).passed
        assert matchex.validate("a b", "a").passed
        assert not matchex.validate("a b", "a", strict="text").passed
        assert not matchex.validate(1, "{{ x }}", data={"x": 2}).passed
        assert matchex.validate(1, "{{ x }}", data={"x": 1}).passed


def test_a_matcher_keeps_the_operands_that_it_was_compiled_with():
    operand, values = {"a": [1]}, [[1]]
    matcher = matchex.compile({"$eq": operand, "$not": {"$in": values}})
    operand["a"].append(2)
    values.append({"a": [1]})  # type: ignore[arg-type]
    assert matcher.matches({"a": [1]})


def test_rows_of_data_do_not_leak_into_each_other():
    expected = {"name": "{{ name }}", "score": {"$gte": "{{ low }}", "$score": "{{ weight }}"}, "{{ key }}": True}
    matcher = matchex.compile(expected)
    rows = [{"name": f"n{i}", "low": i, "weight": 0.1 * (i % 5), "key": f"k{i}"} for i in range(20)]
    results = [
        matcher.match({"name": f"n{i}", "score": i - i % 2, f"k{i}": True}, data=row) for i, row in enumerate(rows)
    ]
    for i, (row, result) in enumerate(zip(rows, results, strict=True)):
        assert result.passed is (i % 2 == 0)
        assert result.details[1].weight == pytest.approx(row["weight"])
        assert [failure.expected for failure in result.failures] == [row["low"]] * (i % 2)
    assert matcher.match({}, data={"name": "x"}).status == "fail"  # the other variables are undefined
    assert expected["score"] == {"$gte": "{{ low }}", "$score": "{{ weight }}"}


def test_what_a_system_said_is_data_when_it_is_marked():
    def passes(actual: Any, expected: Any, said: Any) -> bool:
        return matchex.validate(actual, expected, data={"x": Literal(said), "y": "inner"}).passed

    assert passes("/.*/", "{{ x }}", "/.*/") and not passes("anything", "{{ x }}", "/.*/")
    assert passes("say {{ y }}", "say {{ x }}", "{{ y }}") and not passes("say inner", "say {{ x }}", "{{ y }}")
    assert passes({"$or": [1]}, "{{ x }}", {"$or": [1]}) and not passes(1, "{{ x }}", {"$or": [1]})
    assert passes("a.b", "/^{{ x }}$/", "a.b") and not passes("acb", "/^{{ x }}$/", "a.b")


# -- values of other types


class Color(str, enum.Enum):  # noqa: UP042 (the older form, which many still write)
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Plain(enum.Enum):
    ONE = 1


EQUALS = [
    (Color.RED, "red"),
    ("red", Color.RED),
    (Color.RED, {"$eq": "red", "$length": 3, "$type": "string"}),
    (Color.RED, "/^red$/"),
    ({Color.RED: 1}, {"red": 1}),
    (Level.HIGH, 3),
    (3, Level.HIGH),
    (Level.HIGH, {"$gt": 2, "$type": "integer"}),
    (Level.HIGH, "/^3$/"),
    (Plain.ONE, {"$eq": Plain.ONE, "$ne": 1}),
    (UUID(int=5), {"$eq": UUID(int=5)}),
    (PurePosixPath("/a"), {"$eq": PurePosixPath("/a")}),
    (1j, {"$eq": 1j}),
    (deque([1, 2]), [1, 2]),
    (array("i", [1, 2]), {"$contains": 2}),
    (ChainMap({"a": 1}, {"b": 2}), {"a": 1, "b": 2}),
    (Counter("aab"), {"a": 2, "z": {"$exists": False}}),
    (memoryview(b"ab"), {"$eq": b"ab"}),
]


@pytest.mark.parametrize(("actual", "expected"), EQUALS, ids=[f"{name_of(a)} {name_of(e)}" for a, e in EQUALS])
def test_values_of_other_types_are_what_they_stand_for(actual, expected):
    assert matchex.validate(actual, expected).passed
    assert matchex.compile(expected).matches(actual)
    assert matchex.validate(actual, {"$not": expected}).to_dict()["status"] == "fail"


UNLIKE = [
    (UUID(int=5), "00000000"),
    (PurePosixPath("/a"), "/a"),
    (Plain.ONE, 1),
    (SimpleNamespace(a=1), {"a": 1}),
    ({"a": 1}.values(), [1]),
    (iter([1]), [1]),
    (True, {"$gte": 0}),
    (b"ab", "ab"),
]


@pytest.mark.parametrize(("actual", "expected"), UNLIKE, ids=[f"{type(a).__name__} {e!r}" for a, e in UNLIKE])
def test_nothing_is_coerced(actual, expected):
    result = matchex.validate(actual, expected)
    assert result.status == "fail"
    assert result.failures[0].message[:20] in str(result)


# -- size


def test_a_million_items_are_judged():
    numbers = list(range(1_000_000))
    assert matchex.validate(numbers, {"$each": {"$gte": 0}, "$contains": 999_999, "$length": 1_000_000}).passed
    assert matchex.validate(numbers, {"$sequence": [5, 10, 999_999]}).passed
    assert matchex.validate(numbers, {"$none": -1}).passed


def test_a_hundred_thousand_keys_are_judged():
    mapping = {f"k{i}": i for i in range(100_000)}
    assert matchex.validate(mapping, {"/^k/": {"$gte": 0}, "$length": 100_000}).passed
    result = matchex.validate(mapping, {"k1": 1}, strict=True)
    assert (result.status, len(result.failures)) == ("fail", 99_999)
    assert len(str(result)) < 20_000
