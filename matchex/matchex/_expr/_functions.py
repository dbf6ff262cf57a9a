"""The functions that expressions can call by name: Python's, and those of JavaScript's namespaces."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from matchex._expr._errors import ExpressionError, ExpressionLimit, UndefinedField, UndefinedName, suggestion
from matchex._expr._limits import Meter
from matchex._expr._list_members import sort_values
from matchex._expr._operators import add, equals, exact, find_key, iterable, power, truth, whole_number
from matchex._expr._registry import FUNCTIONS, Lazy, function, invoke, need_text
from matchex._expr._render import Callback, describe, is_finite, is_nan, key_text, preview, to_json, to_text
from matchex._paths import nearest
from matchex._strict_json import JsonTextError, parse_json_text
from matchex._values import MISSING, Missing, as_list, as_mapping, as_number, compare, kind_of, trim

__all__ = ["CONSTANTS", "call_function", "constant", "function_value"]

CONSTANTS: Final[dict[str, object]] = {
    "Math.PI": math.pi,
    "Math.E": math.e,
    "Math.LN2": math.log(2),
    "Math.LN10": math.log(10),
    "Math.LOG2E": 1 / math.log(2),
    "Math.LOG10E": 1 / math.log(10),
    "Math.SQRT2": math.sqrt(2),
    "Math.SQRT1_2": math.sqrt(0.5),
    "Number.MAX_SAFE_INTEGER": 2**53 - 1,
    "Number.MIN_SAFE_INTEGER": 1 - 2**53,
    "Number.MAX_VALUE": 1.7976931348623157e308,
    "Number.MIN_VALUE": 5e-324,
    "Number.EPSILON": 2.0**-52,
    "Number.POSITIVE_INFINITY": math.inf,
    "Number.NEGATIVE_INFINITY": -math.inf,
    "Number.NaN": math.nan,
}
_HINTS: Final[dict[str, str]] = {
    "isinstance": "write typeof x === 'string', or Array.isArray(x)",
    "type": "write typeof x",
    "dict": "write an object {key: value}",
    "map": "write values.map(x => …), or [… for x in values]",
    "filter": "write values.filter(x => …), or [x for x in values if …]",
    "pow": "write x ** y",
    "RegExp": "write a literal, as in /a+/i",
    "Set": "write set(values)",
}


def call_function(meter: Meter, name: str, arguments: tuple[object, ...], named: dict[str, object]) -> object:
    """Call one of our functions by name."""
    spec = FUNCTIONS.get(name)
    if spec is None:
        raise _unknown_function(name)
    try:
        return invoke(meter, spec, (), arguments, named)
    except ExpressionError as error:
        error.locate(f"{name}(…)")
        raise


def _unknown_function(name: str) -> UndefinedName:
    owner, dot, _ = name.partition(".")
    known = [known for known in FUNCTIONS if (known.startswith(f"{owner}.") if dot else "." not in known)]
    hint = _HINTS.get(name)
    close = nearest(name, known)
    return UndefinedName(
        name,
        f"there is no function {name}" + (f": {hint}" if hint else suggestion(close, known, "the functions")),
        close,
    )


def constant(name: str) -> object:
    """`Math.PI` and the like, where it must be there."""
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name in FUNCTIONS:
        raise UndefinedName(name, f"{name} is a function: call it, as in {name}(…)")
    known = [known for known in (*CONSTANTS, *FUNCTIONS) if known.startswith(name.partition(".")[0] + ".")]
    close = nearest(name, known)
    raise UndefinedField(name, f"{name} is undefined{suggestion(close, known, 'its members')}", close)


def function_value(meter: Meter, name: str) -> Callback:
    """One of our functions by its name as an argument, as in `filter(Boolean)`: it gets the item alone."""

    def call(value: object) -> object:
        return call_function(meter, name, (value,), {})

    return Callback(call, arity=1, cost=1)


def _values(value: object, name: str) -> Iterable[Any]:
    return value.values if isinstance(value, Lazy) else iterable(value, f"{name}(…)")


def _list(value: object, name: str) -> list[Any]:
    return list(iterable(value, f"{name}(…)"))


def _number(value: object, name: str) -> Any:
    number = as_number(value)
    if number is None:
        raise ExpressionError(f"{name} takes a number, not {describe(value)}")
    return number


# -- Python's functions ----------------------------------------------------------------------------------------------


@function("len", cheap=True)
def _len(meter: Meter, value: object) -> int:
    if isinstance(value, (str, bytes, bytearray)):
        return len(value)
    items = as_list(value)
    if items is None:
        items = as_mapping(value)
    if items is None:
        raise ExpressionError(f"len takes a text, a list or an object, not {describe(value)}")
    return len(items)


@function("any")
def _any(meter: Meter, values: object) -> bool:
    return any(truth(value) for value in _values(values, "any"))


@function("all")
def _all(meter: Meter, values: object) -> bool:
    return all(truth(value) for value in _values(values, "all"))


@function("sum")
def _sum(meter: Meter, values: object, start: object = 0) -> object:
    total = start
    for value in _values(values, "sum"):
        meter.step()
        if isinstance(value, bool):
            raise ExpressionError("a boolean is not a number: count with len([x for x in … if …])")
        total = add(meter, total, value, "sum(…)")
    return total


@function("min")
def _min(meter: Meter, *values: object, key: object = None, default: object = MISSING) -> object:
    return _extreme(meter, "min", values, key, default, -1)


@function("max")
def _max(meter: Meter, *values: object, key: object = None, default: object = MISSING) -> object:
    return _extreme(meter, "max", values, key, default, 1)


def _extreme(meter: Meter, name: str, values: Sequence[object], key: object, default: object, sign: int) -> object:
    """The first of the smallest or largest values, by `$gt`'s order; of one list its items."""
    if not values:
        raise ExpressionError(f"{name} takes a list, or two and more values")
    candidates = _list(values[0], name) if len(values) == 1 else list(values)
    if key is not None and not isinstance(key, Callback):
        raise ExpressionError(f"key takes a function such as x => x.price, not {describe(key)}")
    if not candidates:
        if default is MISSING:
            raise ExpressionError(f"{name} of an empty list has no value: write {name}(…, default=0)")
        return default
    best, best_key = candidates[0], _key(meter, key, candidates[0])
    for value in candidates[1:]:
        meter.step()
        value_key = _key(meter, key, value)
        order = compare(value_key, best_key)
        if order is None:
            raise ExpressionError(f"{describe(value_key)} and {describe(best_key)} have no order")
        if order * sign > 0:
            best, best_key = value, value_key
    return best


def _key(meter: Meter, key: Callback | None, value: object) -> object:
    return exact(value if key is None else key.call(meter, value))


@function("sorted")
def _sorted(meter: Meter, values: object, *, key: object = None, reverse: object = False) -> object:
    return sort_values(meter, _list(values, "sorted"), key, reverse=truth(reverse))


@function("reversed")
def _reversed(meter: Meter, values: object) -> list[object]:
    return _list(values, "reversed")[::-1]


@function("list", "tuple")
def _to_list(meter: Meter, values: object = ()) -> list[object]:
    return _list(values, "list")


@function("set")
def _set(meter: Meter, values: object = ()) -> list[object]:
    """The different values: ordered if they are all texts or all numbers, so that equal sets are equal lists."""
    hashed: set[object] = set()
    different: list[Any] = []
    for value in map(exact, _list(values, "set")):
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            if value in hashed:
                continue
            hashed.add(value)
        else:
            meter.step(1 + len(different))
            if any(equals(meter, value, other) for other in different):
                continue
        different.append(value)
    kinds = set(map(type, different))
    orderable = kinds <= {str} or (kinds <= {int, float} and not any(map(is_nan, different)))
    return sorted(different) if orderable else different


@function("range")
def _range(meter: Meter, first: object, second: object = None, step: object = 1) -> list[object]:
    start, stop = (0, first) if second is None else (whole_number(first, "the start"), second)
    by = whole_number(step, "the step")
    if by == 0:
        raise ExpressionError("the step of range must not be 0")
    numbers = range(start, whole_number(stop, "the end"), by)
    meter.allow(len(numbers), "a list")
    return list(numbers)


@function("enumerate")
def _enumerate(meter: Meter, values: object, start: object = 0) -> list[object]:
    return [[index, value] for index, value in enumerate(_list(values, "enumerate"), whole_number(start, "the start"))]


@function("zip")
def _zip(meter: Meter, *lists: object) -> list[object]:
    return [list(row) for row in zip(*(_list(values, "zip") for values in lists), strict=False)]


@function("abs", "Math.abs", cheap=True)
def _abs(meter: Meter, value: object) -> object:
    return abs(_number(value, "abs"))


@function("round", cheap=True)
def _round(meter: Meter, value: object, digits: object = None) -> object:
    number = _finite(value, "round")
    return (
        round(number)
        if digits is None
        else round(number, max(-400, min(whole_number(digits, "the number of digits"), 400)))
    )


@function("str", "String")
def _str(meter: Meter, value: object = "") -> str:
    return to_text(meter, value)


@function("bool", "Boolean", cheap=True)
def _bool(meter: Meter, value: object | Missing = False) -> bool:
    return truth(value)


@function("int")
def _int(meter: Meter, value: object = 0) -> int:
    if isinstance(value, bool):
        return 1 if value else 0
    if not isinstance(value, str):
        return _whole(math.trunc, value, "int")
    if not re.fullmatch(r"[+-]?[0-9]+(?:_[0-9]+)*", trim(value)):
        raise ExpressionError(f"int: {preview(value)} is no integer")
    return _integer(trim(value))


@function("float")
def _float(meter: Meter, value: object = 0.0) -> float:
    if isinstance(value, bool):
        return 1.0 if value else 0.0
    if not isinstance(value, str):
        return float(_number(value, "float"))
    number = _parsed(trim(value))
    if number is None:
        raise ExpressionError(f"float: {preview(value)} is no number")
    return float(number)


@function("lower")
def _lower(meter: Meter, value: object) -> str:
    return need_text(value, "lower").lower()


@function("upper")
def _upper(meter: Meter, value: object) -> str:
    return need_text(value, "upper").upper()


@function("strip")
def _strip(meter: Meter, value: object) -> str:
    return trim(need_text(value, "strip"))


@function("date", "Date", "Date.parse")
def _date(meter: Meter, value: object) -> date:
    """A date by its ISO text: with a time if the text has one, with a time zone if the text has one."""
    if isinstance(value, date):
        return value
    text = need_text(value, "date").strip()
    try:
        return date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text)
    except ValueError:
        raise ExpressionError(f"{preview(value)} is no ISO date, such as 2024-01-31 or 2024-01-31T12:00:00Z") from None


# -- numbers ---------------------------------------------------------------------------------------------------------

_NUMBER_TEXT: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INFINITY_TEXT: Final = re.compile(r"[+-]?Infinity")
_MOST_DIGITS: Final = 1200


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ExpressionError(f"a number of more than {_MOST_DIGITS} digits")
    return int(text)


def _parsed(text: str) -> float | None:
    """A decimal text as a number, integers exactly; None where it is none."""
    if re.fullmatch(r"[+-]?[0-9]+", text):
        return _integer(text)
    if _NUMBER_TEXT.fullmatch(text):
        return float(text)
    return float(text.replace("Infinity", "inf")) if _INFINITY_TEXT.fullmatch(text) else None


@function("Number")
def _to_number(meter: Meter, value: object = 0) -> object:
    if isinstance(value, bool):
        return 1 if value else 0
    if not isinstance(value, str):
        return _number(value, "Number")
    text = trim(value)
    if re.fullmatch(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+", text):
        return _bounded_base(text[2:], {"x": 16, "o": 8, "b": 2}[text[1].lower()])
    number = _parsed(text)
    return math.nan if number is None else number


def _bounded_base(digits: str, base: int) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ExpressionError(f"a number of more than {_MOST_DIGITS} digits")
    return int(digits, base)


@function("parseInt", "Number.parseInt")
def _parse_int(meter: Meter, value: object, radix: object = None) -> object:
    text = trim(value if isinstance(value, str) else to_text(meter, _number(value, "parseInt")))
    sign, digits = (-1 if text[:1] == "-" else 1), text.lstrip("+-") if text[:1] in ("+", "-") else text
    base = 0 if radix is None else whole_number(radix, "the radix")
    if base in (0, 16) and digits[:2].lower() == "0x":
        digits, base = digits[2:], 16
    base = base or 10
    if not 2 <= base <= 36:
        return math.nan
    allowed = "0123456789abcdefghijklmnopqrstuvwxyz"[:base]
    end = 0
    while end < len(digits) and digits[end].lower() in allowed:
        end += 1
    return sign * _bounded_base(digits[:end], base) if end else math.nan


@function("parseFloat", "Number.parseFloat")
def _parse_float(meter: Meter, value: object) -> object:
    text = trim(value if isinstance(value, str) else to_text(meter, _number(value, "parseFloat")))
    found = _NUMBER_TEXT.match(text) or _INFINITY_TEXT.match(text)
    return math.nan if found is None else _parsed(found[0])


@function("isNaN", "Number.isNaN", cheap=True)
def _is_nan(meter: Meter, value: object) -> bool:
    return is_nan(_number(value, "isNaN"))


@function("isFinite", cheap=True)
def _is_finite(meter: Meter, value: object) -> bool:
    return is_finite(_number(value, "isFinite"))


@function("Number.isFinite", cheap=True)
def _is_finite_number(meter: Meter, value: object) -> bool:
    number = as_number(value)
    return number is not None and is_finite(number)


@function("Number.isInteger", cheap=True)
def _is_integer(meter: Meter, value: object) -> bool:
    number = as_number(value)
    if isinstance(number, Decimal):
        return number.is_finite() and number == number.to_integral_value()
    return number is not None and is_finite(number) and number == math.floor(number)


@function("Number.isSafeInteger", cheap=True)
def _is_safe_integer(meter: Meter, value: object) -> bool:
    return _is_integer(meter, value) and abs(_number(value, "isSafeInteger")) < 2**53


# -- Math ------------------------------------------------------------------------------------------------------------


def _finite(value: object, name: str) -> Any:
    number = _number(value, name)
    if not is_finite(number):
        raise ExpressionError(f"{name}: {preview(float(number))} is not a finite number")
    return _tame(number)


def _tame(number: Any) -> Any:
    """A `Decimal` of few digits may stand for an integer of a billion: beyond the range of floats it is refused."""
    if isinstance(number, Decimal) and number.adjusted() > 400:
        raise ExpressionError("the number is out of range")
    return number


def _whole(to_whole: Callable[[Any], int], value: object, name: str) -> Any:
    """Round to an integer; NaN and the infinities stay what they are under `Math`, as in JavaScript."""
    number = _number(value, name)
    if is_finite(number):
        return to_whole(_tame(number))
    if name == "int":
        raise ExpressionError(f"int: {preview(float(number))} is no integer")
    return number


@function("Math.floor", cheap=True)
def _floor(meter: Meter, value: object) -> object:
    return _whole(math.floor, value, "Math.floor")


@function("Math.ceil", cheap=True)
def _ceil(meter: Meter, value: object) -> object:
    return _whole(math.ceil, value, "Math.ceil")


@function("Math.trunc", cheap=True)
def _trunc(meter: Meter, value: object) -> object:
    return _whole(math.trunc, value, "Math.trunc")


@function("Math.round", cheap=True)
def _math_round(meter: Meter, value: object) -> object:
    """Halves are rounded up, as in JavaScript (`round` rounds them to the even neighbour, as in Python)."""

    def half_up(number: Any) -> int:
        below = math.floor(number)
        return below + (number - below >= 0.5)

    return _whole(half_up, value, "Math.round")


@function("Math.sign", cheap=True)
def _sign(meter: Meter, value: object) -> object:
    number = _number(value, "Math.sign")
    return number if is_nan(number) else (number > 0) - (number < 0)


@function("Math.pow", cheap=True)
def _pow(meter: Meter, base: object, exponent: object) -> object:
    return power(meter, base, exponent, "Math.pow(…)")


@function("Math.max")
def _math_max(meter: Meter, *values: object) -> object:
    return _math_extreme(values, max, -math.inf, "Math.max")


@function("Math.min")
def _math_min(meter: Meter, *values: object) -> object:
    return _math_extreme(values, min, math.inf, "Math.min")


def _math_extreme(values: Sequence[object], choose: Callable[[list[Any]], Any], empty: float, name: str) -> object:
    if len(values) == 1 and as_list(values[0]) is not None:
        raise ExpressionError(f"{name} takes numbers, not a list: write {name}(...values), or {name[5:]}(values)")
    numbers = [_number(value, name) for value in values]
    if any(map(is_nan, numbers)):
        return math.nan
    return choose(numbers) if numbers else empty


@function("Math.hypot")
def _hypot(meter: Meter, *values: object) -> float:
    return math.hypot(*(float(_number(value, "Math.hypot")) for value in values))


def _real_function(name: str, calculate: Callable[[float], float], at_pole: float = math.nan) -> None:
    """Register a function of one number that is NaN where it is not defined, and `at_pole` at 0."""

    def apply(meter: Meter, value: object) -> float:
        number = float(_number(value, name))
        try:
            return calculate(number)
        except ValueError:
            return at_pole if number == 0 else math.nan
        except OverflowError:
            return math.inf

    function(name, cheap=True)(apply)


for _name, _calculate in (
    *(("sqrt", math.sqrt), ("cbrt", math.cbrt), ("exp", math.exp), ("sin", math.sin), ("cos", math.cos)),
    *(("tan", math.tan), ("asin", math.asin), ("acos", math.acos), ("atan", math.atan), ("expm1", math.expm1)),
):
    _real_function(f"Math.{_name}", _calculate)
for _name, _calculate in (("log", math.log), ("log2", math.log2), ("log10", math.log10)):
    _real_function(f"Math.{_name}", _calculate, -math.inf)


@function("Math.atan2", cheap=True)
def _atan2(meter: Meter, y: object, x: object) -> float:
    return math.atan2(float(_number(y, "Math.atan2")), float(_number(x, "Math.atan2")))


# -- Object, Array, JSON ---------------------------------------------------------------------------------------------


def _mapping(value: object, name: str) -> Any:
    """An object, or a list as the object of its positions, as in JavaScript."""
    mapping = as_mapping(value)
    if mapping is None:
        items = as_list(value)
        if items is None:
            raise ExpressionError(f"{name} takes an object or a list, not {describe(value)}")
        return {str(index): item for index, item in enumerate(items)}
    return mapping


@function("Object.keys")
def _object_keys(meter: Meter, value: object) -> list[object]:
    return [key_text(key) for key in _mapping(value, "Object.keys")]


@function("Object.values")
def _object_values(meter: Meter, value: object) -> list[object]:
    mapping = _mapping(value, "Object.values")
    return [mapping[key] for key in mapping]


@function("Object.entries")
def _object_entries(meter: Meter, value: object) -> list[object]:
    mapping = _mapping(value, "Object.entries")
    return [[key_text(key), mapping[key]] for key in mapping]


@function("Object.fromEntries")
def _object_from_entries(meter: Meter, value: object) -> dict[str, object]:
    result: dict[str, object] = {}
    for pair in _list(value, "Object.fromEntries"):
        items = as_list(pair)
        if items is None or len(items) != 2:
            raise ExpressionError("Object.fromEntries takes a list of pairs [key, value]")
        result[key_text(exact(items[0]))] = items[1]
    return result


@function("Object.hasOwn", cheap=True)
def _object_has_own(meter: Meter, value: object, key: object) -> bool:
    return find_key(_mapping(value, "Object.hasOwn"), key) is not MISSING


@function("Array.isArray", cheap=True)
def _is_array(meter: Meter, value: object) -> bool:
    return kind_of(value) == "list"


@function("Array.from")
def _array_from(meter: Meter, values: object, answer: Callback | object = None) -> list[object]:
    items = _list(values, "Array.from") if as_mapping(values) is None else None
    if items is None:
        raise ExpressionError("Array.from takes a list or a text: write Object.entries(…) for an object")
    if answer is None:
        return items
    if not isinstance(answer, Callback):
        raise ExpressionError(f"Array.from takes a function, not {describe(answer)}")
    return [answer.call(meter, item, index) for index, item in enumerate(items)]


@function("JSON.parse")
def _json_parse(meter: Meter, value: object) -> object:
    text = need_text(value, "JSON.parse")
    meter.step(len(text) // 16)
    try:
        parsed = parse_json_text(text, fence=False)
    except JsonTextError as error:
        raise ExpressionError(f"JSON.parse: {error.message} at line {error.line}, column {error.column}") from None
    _check_depth(meter, parsed)
    return parsed


def _check_depth(meter: Meter, value: object) -> None:
    level: list[Any] = [value]
    depth = 0
    while level:
        depth += 1
        if depth > meter.limits.depth:
            raise ExpressionLimit("depth", meter.limits.depth, "JSON.parse: the text is nested too deeply")
        level = [
            item
            for parent in level
            if isinstance(parent, (list, dict))
            for item in (parent.values() if isinstance(parent, dict) else parent)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        ]


@function("JSON.stringify")
def _json_stringify(meter: Meter, value: object) -> str:
    return to_json(meter, value)
