"""Values and expectations out of the ordinary: very deep, cyclic, huge, ill-behaved, or of other types than JSON's."""

import dataclasses
import json
import sys
from collections import OrderedDict, UserDict, UserList, defaultdict, namedtuple
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace
from typing import Any

import attrs
import pydantic
import pytest

import matchex
from matchex import MISSING, ExpectationError, Literal, MatchResult

DEEP = 10_000


def nested_list(depth: int = DEEP) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def nested_mapping(depth: int = DEEP, key: str = "a", end: Any = 1) -> Any:
    value = end
    for _ in range(depth):
        value = {key: value}
    return value


def cyclic_list() -> Any:
    value: list[Any] = [1]
    value.append(value)
    return value


def cyclic_mapping() -> Any:
    value: dict[str, Any] = {"name": "x"}
    value["self"] = value
    return value


def read(result: MatchResult) -> str:
    """Read all of a report: nothing of it may crash, or grow without bound."""
    _ = result.failures, result.errors, result.notes, result.details, result.dimensions, repr(result)
    data = json.dumps(result.to_dict(), allow_nan=False)
    text = str(result)
    assert len(text) < 100_000
    assert len(data) < 5_000_000
    return text


# -- depth

DEEP_EXPECTATIONS = {
    "lists": nested_list(),
    "mappings": nested_mapping(),
    "$not": nested_mapping(key="$not"),
    "$expect": nested_mapping(key="$expect"),
    "$contains": nested_mapping(key="$contains"),
    "data of $eq": {"$eq": nested_list()},
    "data of $in": {"$in": [nested_mapping()]},
    "data of $diff": {"$diff": {"type": "json", "value": nested_list()}},
    "literal": Literal(nested_list()),
    "metadata": {"a": 1, "$meta": {"title": nested_list()}},
    "schema": {"$schema": {"const": nested_list()}},
}


@pytest.mark.parametrize("expected", DEEP_EXPECTATIONS.values(), ids=DEEP_EXPECTATIONS)
def test_deep_expectations_are_refused(expected):
    with pytest.raises(ExpectationError) as caught:
        matchex.compile(expected)
    assert len(str(caught.value)) < 10_000


def test_depth_of_expectations_is_an_option():
    expected = nested_mapping(60)
    assert matchex.validate(nested_mapping(60), expected).passed
    with pytest.raises(ExpectationError, match="max_depth"):
        matchex.compile(expected, max_depth=50)


SHALLOW = {
    "mapping": {"b": 1},
    "list": [1],
    "number": 1,
    "text": "x",
    "pattern": "/x/",
    "operators": {"$length": 5, "$type": "string"},
    "$eq": {"$eq": {"a": 1}},
    "$ne": {"$ne": {"a": 1}},
    "$in": {"$in": [1, [1]]},
    "$contains": {"$contains": 7},
    "$each": {"$each": 7},
    "$not": {"$not": {"a": {"a": 1}}},
    "$keys": {"$keys": []},
    "$schema": {"$schema": {"type": "string"}},
    "$expr": {"$expr": "actual == 1"},
    "$exists": {"$exists": False},
    "strict": {"$only": {"b": 1}},
}


@pytest.mark.parametrize("actual", [nested_list(), nested_mapping()], ids=["lists", "mappings"])
@pytest.mark.parametrize("expected", SHALLOW.values(), ids=SHALLOW)
def test_deep_values_have_a_clear_outcome(actual, expected):
    result = matchex.validate(actual, expected)
    read(result)
    if result.status == "error":
        assert result.errors[0].kind in ("depth", "limit", "expression")
    assert result.status != "pass" or expected in (SHALLOW["$ne"], SHALLOW["$not"])


def test_equal_deep_values_are_an_error_not_a_crash():
    result = matchex.validate(nested_list(), {"a": 1, "$ne": [1], "$or": [{"$length": 1}, {"b": 1}]})
    assert result.status == "fail"
    read(result)


# -- cycles

CYCLES = {"list": cyclic_list(), "mapping": cyclic_mapping()}


@pytest.mark.parametrize("actual", CYCLES.values(), ids=CYCLES)
@pytest.mark.parametrize("expected", SHALLOW.values(), ids=SHALLOW)
def test_cyclic_values_have_a_clear_outcome(actual, expected):
    read(matchex.validate(actual, expected))


def test_what_is_asked_of_a_cyclic_value_is_answered():
    assert matchex.validate(cyclic_mapping(), {"self.self.name": "x", "self": {"self": {"name": "x"}}}).passed
    result = matchex.validate(cyclic_mapping(), {"self": {"self": {"name": "y"}}})
    assert [failure.path for failure in result.failures] == ["self.self.name"]
    read(result)


def test_two_cyclic_values_are_not_compared_for_ever():
    one, other = cyclic_list(), cyclic_list()
    result = matchex.validate(one, {"$not": {"$or": [{"$length": 3}, {"x": other[0]}]}})
    assert result.passed
    assert matchex.validate({"l": one, "a": 1}, {"a": 2}).status == "fail"


@pytest.mark.parametrize(
    "expected",
    [cyclic_list(), cyclic_mapping(), {"$eq": cyclic_list()}, Literal(cyclic_mapping())],
    ids=["list", "mapping", "literal operand", "Literal"],
)
def test_cyclic_expectations_are_refused(expected):
    with pytest.raises(ExpectationError):
        matchex.compile(expected)


# -- size

HUGE = 10**5000


def test_huge_integers_stay_exact():
    assert matchex.validate(HUGE, HUGE).passed
    assert matchex.validate(HUGE, {"$gt": HUGE - 1, "$near": {"$value": HUGE - 1, "rel": 0.1}}).passed
    assert matchex.validate(HUGE, {"$type": "integer", "$gt": 1.5}).passed
    assert matchex.validate([HUGE], {"$contains": {"$lt": 5}}).status == "fail"


@pytest.mark.parametrize(
    "expected",
    [HUGE + 1, {"$eq": 1.5}, {"$near": 1.5}, {"$near": {"$value": 1.5, "rel": 0.5}}, {"$lt": 0.5}, {"$in": [1]}, "x"],
    ids=["next", "$eq", "$near", "$near rel", "$lt", "$in", "text"],
)
def test_huge_integers_are_shown_within_bounds(expected):
    result = matchex.validate(HUGE, expected)
    assert result.status == "fail"
    assert len(str(result)) < 10_000


def test_huge_integers_are_plain_data_too():
    json.dumps(matchex.validate(HUGE, 5).to_dict())


def test_huge_integers_in_patterns_and_expressions_end_clearly():
    read(matchex.validate({"n": HUGE}, {"n": "/^10/"}))
    read(matchex.validate(HUGE, {"$expr": "actual > 5"}))
    read(matchex.validate(HUGE, {"$schema": {"minimum": 1, "multipleOf": 10}}))


LONG = "word " * 200_000


@pytest.mark.parametrize(
    "expected",
    ["missing", {"$eq": LONG + "x"}, {"$startsWith": "x"}, {"$similar": "word"}, {"$diff": "word"}, "/^x/", 5, [1]],
)
def test_texts_of_a_megabyte_are_judged_and_shown_within_bounds(expected):
    result = matchex.validate(LONG, expected)
    assert result.status in ("fail", "error")
    assert len(str(result)) < 20_000


def test_a_long_list_is_shown_within_bounds():
    result = matchex.validate(list(range(100_000)), {"$each": {"$lt": 0}})
    assert len(result.failures) == 100_000
    assert len(str(result)) < 20_000


# -- texts


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\x00", "a\x00b", "\u202eabc", "\x1b[31m", "\ufeff"])
def test_strange_characters_are_matched_and_reported(text):
    assert matchex.validate(text, {"$eq": text}).passed
    assert matchex.validate({text: 1}, {text: 1}).passed
    for expected in ("zz", {"$eq": "zz"}, "/zz/", {"$similar": "zz"}, {"$diff": "zz"}, {"$schema": {"minLength": 9}}):
        result = matchex.validate({"k": text}, {"k": expected})
        assert result.status == "fail"
        read(result)
    assert matchex.validate({text: 1}, {text: 2}).failures[0].keys == (text,)


# -- mappings and sequences of all kinds


def test_keys_that_are_no_texts():
    actual = {1: "a", (2, 3): "b", None: "c", False: "d", 2.5: "e"}
    assert matchex.validate(actual, {(2, 3): "b", None: "c"}).passed
    result = matchex.validate(actual, {(2, 3): "z", None: "z", 2.5: "z", 7: "z"}, strict=True)
    assert result.status == "fail"
    read(result)


MAPPINGS = [OrderedDict(a=1), UserDict(a=1), MappingProxyType({"a": 1}), type("Sub", (dict,), {})(a=1)]


@pytest.mark.parametrize("actual", MAPPINGS, ids=lambda value: type(value).__name__)
def test_mappings_of_other_types(actual):
    assert matchex.validate(actual, {"a": 1}).passed
    assert matchex.validate(actual, {"$eq": {"a": 1}, "$keys": ["a"], "$type": "object"}).passed
    assert matchex.validate({"a": 1}, actual).passed
    assert matchex.validate(actual, {"a": 2}, strict=True).failures[0].actual == 1


def test_a_defaultdict_does_not_grow():
    actual: defaultdict[str, list[int]] = defaultdict(list, a=[1])
    result = matchex.validate(actual, {"a": [2], "b": {"$exists": True}, "c.d": 1, "/^e/": 1, "$only": {"a": [2]}})
    read(result)
    matchex.validate(actual, {"$expr": "actual.get('z') == None or 'y' in actual"})
    matchex.validate([actual], {"$sort": {"$by": ["a", "q"], "$first": {"q": 1}}})
    assert dict(actual) == {"a": [1]}


def test_a_subclass_with_its_own_missing_is_asked_for_present_keys_only():
    class Answering(dict):  # type: ignore[type-arg]
        def __missing__(self, key: str) -> str:
            return f"made up {key}"

    assert matchex.validate(Answering(a=1), {"b": {"$exists": False}}).passed


@dataclasses.dataclass
class Record:
    name: str
    tags: list[str]


@attrs.define
class Attrs:
    name: str
    tags: list[str]


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    name: str
    tags: list[str]


Point = namedtuple("Point", ["name", "tags"])
RECORDS = [kind(name="Ann", tags=["x"]) for kind in (Record, Attrs, Model, Point)]


@pytest.mark.parametrize("actual", RECORDS, ids=lambda value: type(value).__name__)
def test_records_are_mappings_of_their_fields(actual):
    assert matchex.validate(actual, {"name": "Ann", "tags": ["x"]}, strict=True).passed
    assert matchex.validate(actual, {"$eq": {"name": "Ann", "tags": ["x"]}}).passed
    assert matchex.validate({"user": actual}, {"user.tags[0]": "x"}).passed
    assert matchex.validate(actual, {"$type": "object", "$keys": ["name", "tags"]}).passed
    assert matchex.validate(actual, {"$expr": "actual.name == 'Ann'"}).passed
    assert matchex.validate(actual, '/"name":"Ann"/').passed
    result = matchex.validate(actual, {"name": "Bob", "age": 5})
    assert [failure.path for failure in result.failures] == ["name", "age"]
    assert result.to_dict()["failures"][0]["actual"] == "Ann"
    read(result)


def test_extra_fields_of_a_model_count():
    assert matchex.validate(Model(name="Ann", tags=[], age=5), {"age": 5}).passed


def test_sequences_and_sets_are_lists():
    for actual in ([1, 2], (1, 2), {1, 2}, frozenset([1, 2]), UserList([1, 2]), range(1, 3), {1: 0, 2: 0}.keys()):
        assert matchex.validate(actual, [1, 2], strict=True).passed, actual
        assert matchex.validate(actual, {"$contains": 2, "$length": 2, "$type": "array"}).passed, actual
        read(matchex.validate(actual, [1, 3]))
    assert matchex.validate({"a", 1, None}, {"$unordered": [1, None, "a"]}).passed


def test_generators_are_no_lists_and_are_not_used_up():
    actual = (item for item in [1, 2])
    result = matchex.validate(actual, [1, 2])
    assert result.status == "fail"
    read(result)
    assert list(actual) == [1, 2]


def test_decimals_are_numbers():
    assert matchex.validate(Decimal("1.10"), {"$eq": Decimal("1.1"), "$gt": 1, "$type": "number"}).passed
    assert matchex.validate(Decimal(5), 5).passed
    assert matchex.validate(Decimal("0.1"), 0.1).status == "fail"  # by value: the float is a little more
    assert matchex.validate(Decimal("0.1"), {"$near": 0.1}).passed


ASKED = [
    1,
    {"$gt": 1},
    {"$near": 1},
    {"$eq": 2},
    {"$type": "integer"},
    {"$in": [1]},
    "/x/",
    {"$expr": "actual > 1"},
]


@pytest.mark.parametrize("expected", ASKED, ids=json.dumps)
def test_strange_decimals_end_clearly(expected):
    for strange in (Decimal("NaN"), Decimal("Infinity"), Decimal("-0")):
        read(matchex.validate(strange, expected))


def test_signaling_nan_ends_clearly():
    for expected in ASKED:
        read(matchex.validate(Decimal("sNaN"), expected))


def test_dates_are_ordered():
    moment = datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert matchex.validate(date(2024, 5, 1), {"$gt": "2024-04-30", "$lt": date(2024, 5, 2)}).passed
    assert matchex.validate(moment, {"$gte": moment, "$lt": moment + timedelta(1), "$eq": moment}).passed
    assert matchex.validate("2024-05-01", {"$lt": date(2025, 1, 1)}).passed
    result = matchex.validate({"at": moment}, {"at": {"$lt": datetime(2030, 1, 1)}})
    assert result.status == "fail"
    assert result.to_dict()["failures"][0]["actual"] == moment.isoformat()
    read(result)


def test_bytes_and_foreign_objects_fail_plainly():
    for actual in (b"abc", bytearray(b"abc"), object(), SimpleNamespace(a=1), Fraction(1, 2), 1j, print, int, ...):
        for expected in ({"a": 1}, [1], "abc", 1, None, {"$eq": 1}, {"$gt": 1}, {"$length": 3}, {"$type": "string"}):
            result = matchex.validate(actual, expected)
            assert result.status == "fail", (actual, expected)
            read(result)
    assert matchex.validate(b"abc", {"$eq": b"abc"}).passed


# -- ill-behaved objects


class Hostile:
    """Raises whatever is asked of it."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("hostile")

    __eq__ = __ne__ = __lt__ = __len__ = __bool__ = __repr__ = __str__ = __iter__ = __getitem__ = _refuse
    __hash__ = None  # type: ignore[assignment]


class HostileMapping(UserDict):  # type: ignore[type-arg]
    def __getitem__(self, key: object) -> Any:
        raise RuntimeError("hostile")


EXPECTED = [1, "x", [1], {"a": 1}, {"$eq": 1}, {"$ne": 1}, {"$in": [1]}, {"$length": 1}, {"$type": "array"}]


@pytest.mark.parametrize("expected", EXPECTED, ids=json.dumps)
def test_hostile_objects_are_judged_without_their_help(expected):
    result = matchex.validate({"o": Hostile()}, {"o": expected})
    assert result.status == ("pass" if expected == {"$ne": 1} else "fail")
    read(result)


def test_hostile_objects_have_no_order():
    read(matchex.validate({"o": Hostile()}, {"o": {"$gt": 1}}))


@pytest.mark.parametrize(
    "expected", ["x", {"$eq": "x"}, {"$contains": {"$eq": 1}}, {"$sort": {"$by": [], "$first": 1}}]
)
def test_lists_of_hostile_objects_are_judged(expected):
    read(matchex.validate([Hostile(), Hostile()], expected))


def test_an_object_that_cannot_be_compared_with_itself_is_an_error():
    hostile = Hostile()
    result = matchex.validate({"o": hostile}, {"o": {"$eq": hostile}})
    assert result.status == "error"
    assert "RuntimeError" in result.errors[0].message
    read(result)


def test_a_mapping_that_raises_is_an_error():
    result = matchex.validate({"m": HostileMapping(a=1)}, {"m": {"a": 1}})
    assert result.status == "error"
    assert "hostile" in result.errors[0].message
    read(result)


def test_the_interpreters_limit_is_left_alone():
    before = sys.getrecursionlimit()
    matchex.validate(nested_list(), [[[1]]])
    assert sys.getrecursionlimit() == before


def test_missing_is_a_value_like_others():
    assert matchex.validate(MISSING, {"$exists": {"$value": True, "strict": True}}).status == "fail"
    assert matchex.validate(MISSING, MISSING).passed
    read(matchex.validate(MISSING, {"a": 1}))
