"""What Python values are to a schema, and that none is ever changed."""

import copy
import dataclasses
import math
from collections import OrderedDict, UserDict, deque, namedtuple
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Any

import pytest
from matchex_schema._engine import Engine

from matchex import MISSING
from matchex_schema import Schema, backends

TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]


@dataclasses.dataclass
class Point:
    x: float
    label: str = "p"


Pair = namedtuple("Pair", ["x", "label"])


class Level(Enum):
    LOW = "low"
    NONE = None
    PAIR = (1, "p")


class Code(IntEnum):
    OK = 200


class Text(str):
    __slots__ = ()


def compiled(schema: Any, backend: Any) -> Any:
    return Engine().compile(Schema(schema, backend=backend), base_dir=None, regex_timeout=1)


@pytest.mark.parametrize("backend", sorted(backends()))
@pytest.mark.parametrize(
    ("value", "types"),
    [
        (None, ["null"]),
        (True, ["boolean"]),
        (1, ["integer", "number"]),
        (1.0, ["integer", "number"]),
        (2**70, ["integer", "number"]),
        (1.5, ["number"]),
        (Decimal("1.5"), ["number"]),
        (Decimal("1.50e1"), ["integer", "number"]),
        (Code.OK, ["integer", "number"]),
        ("a", ["string"]),
        (Text("a"), ["string"]),
        (Level.LOW, ["string"]),
        (Level.NONE, ["null"]),
        (Level.PAIR, ["array"]),
        ([1], ["array"]),
        ((1, 2), ["array"]),
        ({1, 2}, ["array"]),
        (deque([1]), ["array"]),
        (range(3), ["array"]),
        ({"a": 1}, ["object"]),
        (OrderedDict(a=1), ["object"]),
        (UserDict(a=1), ["object"]),
        (MappingProxyType({"a": 1}), ["object"]),
        (Point(1), ["object"]),
        (Pair(1, "p"), ["object"]),
        ({1: "a"}, ["object"]),
        (math.nan, []),
        (math.inf, []),
        (Decimal("NaN"), []),
        (date(2024, 1, 1), []),
        (datetime(2024, 1, 1), []),
        (b"a", []),
        (object(), []),
        (1j, []),
        (MISSING, []),
    ],
    ids=lambda case: f"{type(case).__name__}",
)
def test_types(value: object, types: list[str], backend: str) -> None:
    assert [name for name in TYPES if compiled({"type": name}, backend).is_valid(value)] == types


@pytest.mark.parametrize("backend", sorted(backends()))
@pytest.mark.parametrize(
    ("schema", "value", "right"),
    [
        ({"required": ["x"], "properties": {"x": {"minimum": 2}}}, Point(1), False),
        ({"required": ["x"], "properties": {"x": {"minimum": 1}}}, Pair(1, "p"), True),
        ({"items": {"type": "number"}}, {1, 2, 3}, True),
        ({"const": [1, "p"]}, Level.PAIR, True),
        ({"maximum": 0.1}, Decimal("0.1"), True),
        ({"maximum": 0.1}, Decimal("0.10000000000000000001"), False),
        ({"const": 0.1}, Decimal("0.10"), True),
        ({"const": 2**53 + 1}, 2.0**53, False),
        ({"minimum": 2**53 + 1}, 2.0**53, False),
        ({"multipleOf": 0.1}, Decimal("0.3"), True),
        ({"uniqueItems": True}, [0.1, Decimal("0.1")], False),
        ({"uniqueItems": True}, [date(2024, 1, 1), date(2024, 1, 1)], False),
        ({"uniqueItems": True}, [1, True, 0, False, "1", None], True),
        ({"format": "date"}, date(2024, 1, 1), True),
        ({"type": "string", "format": "date"}, date(2024, 1, 1), False),
        ({"properties": {"1": False}, "additionalProperties": {"type": "string"}}, {1: "a"}, True),
        ({"additionalProperties": False}, {1: "a"}, False),
        ({"patternProperties": {".": False}}, {1: "a", None: "b"}, True),
        pytest.param({"enum": ["\ud800"]}, "\ud800", True, id="lone surrogate"),
        pytest.param({"minimum": 1}, 10**5000, True, id="thousands of digits"),
        ({}, MISSING, False),
        (True, MISSING, False),
    ],
)
def test_verdicts(schema: Any, value: object, right: bool, backend: str) -> None:
    validator = compiled(schema, backend)
    assert validator.is_valid(value) is right
    assert (validator.violations(value) == []) is right


def test_violations_show_the_original_value() -> None:
    moment = date(2024, 1, 1)
    thing = {"a": (Point(1), {"when": moment})}
    schema = {"properties": {"a": {"items": {"properties": {"when": {"type": "string"}, "x": False}}}}}
    found = {v.keys: v.actual for v in compiled(schema, "python").violations(thing)}
    assert found == {("a", 0, "x"): 1, ("a", 1, "when"): moment}
    (violation,) = compiled({"type": "array"}, "python").violations(thing)
    assert violation.actual is thing


def test_messages_name_what_json_has_not() -> None:
    for value, words in [
        (date(2024, 1, 1), "a date"),
        (math.nan, "nan, which JSON has not"),
        (b"a", "bytes"),
        (object(), "object of type object"),
        (10**5000, "an integer of"),
        ("x" * 100_000, "…"),
    ]:
        (violation,) = compiled({"type": "null"}, "python").violations(value)
        assert words in violation.message
        assert len(violation.message) < 500


@pytest.mark.parametrize("backend", sorted(backends()))
def test_nothing_is_changed(backend: str) -> None:
    schema: dict[str, Any] = {
        "properties": {"a": {"transform": ["trim"], "enum": ["x"]}, "b": {"default": 5}},
        "items": {"type": "number"},
        "unevaluatedProperties": False,
    }
    value = {"a": " x ", "c": [1, {"d": (2, 3)}]}
    before = copy.deepcopy((schema, value))
    validator = compiled(schema, backend)
    validator.is_valid(value)
    validator.violations(value)
    assert (schema, value) == before


def test_a_schema_is_copied_when_it_is_compiled() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"type": "number"}}}
    validator = compiled(schema, "python")
    schema["properties"]["a"]["type"] = "string"
    assert validator.is_valid({"a": 1})


def test_numbers_beyond_the_range_of_floats() -> None:
    huge = Decimal("1e400")
    for schema, right in [({"type": "integer"}, True), ({"maximum": 1e308}, False), ({"const": 10**400}, True)]:
        for backend in sorted(backends()):
            assert compiled(schema, backend).is_valid(huge) is right
