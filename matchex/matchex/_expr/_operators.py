"""What the operators of an expression do: truth, equality, order and arithmetic over the one set of values.

Each takes plain values, answers with plain values, and raises `ExpressionError` for everything else. `at` is the text
of the part of the expression that is evaluated, for messages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from matchex._expr._errors import (
    ExpressionError,
    ExpressionLimit,
)
from matchex._expr._limits import Meter
from matchex._expr._render import describe, is_finite, is_nan, key_text, number_text
from matchex._values import MISSING, as_list, as_mapping, as_number, compare, equal, kind_of

__all__ = [
    "add",
    "bounded",
    "differs",
    "divide",
    "equals",
    "exact",
    "failed",
    "find_key",
    "floor_divide",
    "greater",
    "greater_or_equal",
    "iterable",
    "less",
    "less_or_equal",
    "member_of",
    "modulo",
    "multiply",
    "negative",
    "not_member_of",
    "positive",
    "power",
    "repeat",
    "subtract",
    "truth",
    "type_of",
    "whole_number",
]

_EXACT_TYPES: Final = frozenset({str, int, float, bool, type(None), list, dict})
_COMPARED_DIRECTLY: Final = frozenset({str, int, float, bool})
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_SMALL = 1 << 60
Number = int | float | Decimal


def exact(value: object) -> object:
    """A text or number of a subclass as the plain one, so that no method of the subclass is ever called."""
    if type(value) in _EXACT_TYPES:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, float) else value


# -- truth, equality, order ------------------------------------------------------------------------------------------


def truth(value: object) -> bool:
    """False for false, null, undefined, 0, NaN, and the empty text, list and mapping; all else is true."""
    kind = type(value)
    if kind is bool:
        return value is True
    if kind in _EXACT_TYPES and kind is not float:
        return bool(value)
    number = as_number(value)
    if number is not None:
        return not is_nan(number) and number != 0
    name = kind_of(value)
    if name == "list":
        return len(as_list(value) or ()) > 0
    if name == "mapping":
        return len(as_mapping(value) or ()) > 0
    if name in ("text", "bytes"):
        return len(value) > 0  # pyright: ignore[reportArgumentType]
    return value is not MISSING


def equals(meter: Meter, a: object, b: object) -> bool:
    """`==`: by value, without coercion. Foreign objects are equal only to themselves."""
    kind = type(a)
    if kind is type(b) and kind in _COMPARED_DIRECTLY:
        return a == b
    a, b = exact(a), exact(b)
    name = kind_of(a)
    if name == "other":
        return a is b
    if name in ("list", "mapping"):
        _walk(meter, a)
    return equal(a, b)


def _walk(meter: Meter, value: object) -> None:
    """Pay for every part of a value: one that an expression builds may hold the same part twice, at every level."""
    if not meter.counts:
        return
    pending: list[Any] = [value]
    while pending:
        parent = pending.pop()
        mapping = as_mapping(parent)
        items = as_list(parent) if mapping is None else [mapping[key] for key in mapping]
        if items:
            meter.step(1 + len(items) // 8)
            pending.extend(item for item in items if type(item) not in _SCALARS)


def differs(meter: Meter, a: object, b: object) -> bool:
    """`!=`."""
    return not equals(meter, a, b)


def _order(a: object, b: object, at: str) -> int | None:
    """Negative, 0 or positive; None for what has no order (other kinds, NaN), which satisfies none, as with `$gt`."""
    a, b = exact(a), exact(b)
    if a is MISSING or b is MISSING:
        error = ExpressionError(f"{describe(a)} and {describe(b)} have no order: give the missing one a value with ??")
        error.locate(at)
        raise error
    return compare(a, b)


_NUMBERS: Final = frozenset({int, float})


def less(a: Any, b: Any, at: str) -> bool:
    """`<`."""
    if type(a) in _NUMBERS and type(b) in _NUMBERS:
        return a < b
    order = _order(a, b, at)
    return order is not None and order < 0


def less_or_equal(a: Any, b: Any, at: str) -> bool:
    """`<=`."""
    if type(a) in _NUMBERS and type(b) in _NUMBERS:
        return a <= b
    order = _order(a, b, at)
    return order is not None and order <= 0


def greater(a: Any, b: Any, at: str) -> bool:
    """`>`."""
    if type(a) in _NUMBERS and type(b) in _NUMBERS:
        return a > b
    order = _order(a, b, at)
    return order is not None and order > 0


def greater_or_equal(a: Any, b: Any, at: str) -> bool:
    """`>=`."""
    if type(a) in _NUMBERS and type(b) in _NUMBERS:
        return a >= b
    order = _order(a, b, at)
    return order is not None and order >= 0


def member_of(meter: Meter, a: object, b: object, at: str) -> bool:
    """`in`: an item of a list, a part of a text, a key of a mapping."""
    a, b = exact(a), exact(b)
    if isinstance(b, str):
        if isinstance(a, str):
            return a in b
        raise failed(f"only a text can be in a text, not {describe(a)}", at)
    values = as_list(b)
    if values is not None:
        meter.items(len(values))
        return any(equals(meter, value, a) for value in values)
    mapping = as_mapping(b)
    if mapping is not None:
        return find_key(mapping, a) is not MISSING
    raise failed(f"`in` needs a list, a text or an object on its right, not {describe(b)}", at)


def not_member_of(meter: Meter, a: object, b: object, at: str) -> bool:
    """`not in`."""
    return not member_of(meter, a, b, at)


def type_of(value: object) -> str:
    """`typeof`, as JavaScript names the types: null, lists and dates are objects."""
    names = {"missing": "undefined", "boolean": "boolean", "number": "number", "text": "string"}
    return names.get(kind_of(value), "object")


# -- arithmetic ------------------------------------------------------------------------------------------------------


def failed(message: str, at: str) -> ExpressionError:
    """An error in the part of the expression whose text is `at`."""
    error = ExpressionError(message)
    error.locate(at)
    return error


def _two_numbers(a: object, b: object, operator: str, at: str) -> tuple[Any, Any]:
    x, y = as_number(exact(a)), as_number(exact(b))
    if x is not None and y is not None:
        if isinstance(x, Decimal) != isinstance(y, Decimal) and (isinstance(x, float) or isinstance(y, float)):
            return float(x), float(y)
        return x, y
    hint = ""
    if a is MISSING or b is MISSING:
        hint = ": give the missing one a value with ??"
    elif operator == "+" and {kind_of(a), kind_of(b)} == {"text", "number"}:
        hint = ": write a template literal `${…}…` for a text, Number(…) for a number"
    elif isinstance(a, bool) or isinstance(b, bool):
        hint = ": a boolean is not a number"
    raise failed(f"{operator} does not take {describe(a)} and {describe(b)}{hint}", at)


def bounded(meter: Meter, value: Number, at: str) -> Number:
    """A number within the limit of bits."""
    if isinstance(value, int) and value.bit_length() > meter.limits.number_bits:
        raise _too_large(meter, at)
    return value


def add(meter: Meter, a: Any, b: Any, at: str) -> object:
    """`+`: two numbers, two texts or two lists."""
    if type(a) is int and type(b) is int and -_SMALL < a < _SMALL and -_SMALL < b < _SMALL:
        return a + b
    a, b = exact(a), exact(b)
    if isinstance(a, str) and isinstance(b, str):
        meter.text(len(a) + len(b))
        return a + b
    x, y = as_list(a), as_list(b)
    if x is not None and y is not None:
        meter.items(len(x) + len(y))
        return [*x, *y]
    x, y = _two_numbers(a, b, "+", at)
    return bounded(meter, x + y, at)


def subtract(meter: Meter, a: Any, b: Any, at: str) -> object:
    """`-`."""
    x, y = _two_numbers(a, b, "-", at)
    return bounded(meter, x - y, at)


def multiply(meter: Meter, a: Any, b: Any, at: str) -> object:
    """`*`: numbers; a text or list repeated."""
    a, b = exact(a), exact(b)
    for times, repeated in ((a, b), (b, a)):
        if type(times) is int and (isinstance(repeated, str) or as_list(repeated) is not None):
            return repeat(meter, repeated, times)
    x, y = _two_numbers(a, b, "*", at)
    if type(x) is int and type(y) is int and x.bit_length() + y.bit_length() > meter.limits.number_bits + 1:
        raise _too_large(meter, at)
    return bounded(meter, x * y, at)


def _too_large(meter: Meter, at: str) -> ExpressionLimit:
    limit = ExpressionLimit("number_bits", meter.limits.number_bits, "an integer is too large")
    limit.locate(at)
    return limit


def repeat(meter: Meter, value: object, times: int) -> object:
    """A text or list so many times; none at all below 1."""
    times = max(times, 0)
    if isinstance(value, str):
        meter.allow(len(value) * times, "a text")
        meter.text(len(value) * times)
        return value * times
    items = as_list(value) or ()
    meter.allow(len(items) * times, "a list")
    meter.items(len(items) * times)
    return list(items) * times


def _divisor(a: object, b: object, operator: str, at: str) -> tuple[Any, Any]:
    x, y = _two_numbers(a, b, operator, at)
    if y == 0:
        raise failed("division by zero", at)
    return x, y


def divide(a: Any, b: Any, at: str) -> object:
    """`/`: true division."""
    x, y = _divisor(a, b, "/", at)
    return x / y


def floor_divide(a: Any, b: Any, at: str) -> object:
    """`//`: division rounded down."""
    x, y = _divisor(a, b, "//", at)
    if isinstance(x, Decimal) or isinstance(y, Decimal):
        return (Decimal(x) - _decimal_modulo(Decimal(x), Decimal(y))) / Decimal(y)
    return x // y


def modulo(a: Any, b: Any, at: str) -> object:
    """`%`: the rest has the sign of the divisor, as in Python."""
    x, y = _divisor(a, b, "%", at)
    if isinstance(x, Decimal) or isinstance(y, Decimal):
        return _decimal_modulo(Decimal(x), Decimal(y))
    return x % y


def _decimal_modulo(x: Decimal, y: Decimal) -> Decimal:
    rest = x % y
    return rest + y if rest and (rest < 0) != (y < 0) else rest


def power(meter: Meter, a: Any, b: Any, at: str) -> object:
    """`**`: exact for integers, within the limit of bits; NaN where the answer is no real number."""
    x, y = _two_numbers(a, b, "**", at)
    if x == 0 and y < 0:
        raise failed("division by zero", at)
    if isinstance(x, int) and isinstance(y, int) and y >= 0:
        if abs(x) > 1 and (x.bit_length() - 1) * y > meter.limits.number_bits:
            raise _too_large(meter, at)
        return bounded(meter, x**y, at)
    base, exponent = float(x), float(y)
    if base < 0 and not exponent.is_integer():
        return math.nan
    try:
        return base**exponent
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf


def negative(a: Any, at: str) -> object:
    """`-x`."""
    return -_one_number(a, "-", at)


def positive(a: Any, at: str) -> object:
    """`+x`: a number stays what it is; texts are not converted."""
    return _one_number(a, "+", at)


def _one_number(a: object, operator: str, at: str) -> Number:
    number = as_number(exact(a))
    if number is None:
        hint = ": write Number(…) to convert it" if isinstance(a, str) else ""
        raise failed(f"{operator} does not take {describe(a)}{hint}", at)
    return number


def whole_number(value: object, what: str) -> int:
    """An integer, also one written as `1.0`, for an index or a count."""
    if type(value) is int and -_SMALL <= value <= _SMALL:
        return value
    number = as_number(exact(value))
    if number is not None and is_finite(number) and abs(number) > _SMALL:
        raise ExpressionError(f"{what} is out of range")
    if number is None or not is_finite(number) or number != math.floor(number):
        shown = number_text(number) if number is not None else describe(value)
        raise ExpressionError(f"{what} must be a whole number, not {shown}")
    return int(number)


# -- reading lists and mappings -------------------------------------------------------------------------------------


def find_key(mapping: Mapping[Any, Any], key: object) -> object:
    """The value of a key, MISSING where there is none; `1` finds the key `"1"` too."""
    if isinstance(key, str):
        return mapping[key] if key in mapping else MISSING  # noqa: SIM401 (a defaultdict must not grow)
    if isinstance(key, bool) or as_number(key) is None:
        raise ExpressionError(f"{describe(key)} is no key of an object")
    if key in mapping:
        return mapping[key]
    text = key_text(key)
    return mapping[text] if text in mapping else MISSING  # noqa: SIM401


def iterable(values: object, at: str) -> Iterable[object]:
    """What a loop runs over: the items of a list, the characters of a text, the keys of a mapping."""
    values = exact(values)
    if isinstance(values, str):
        return values
    items = as_list(values)
    if items is None:
        items = as_mapping(values)
    if items is None:
        raise failed(f"a loop needs a list, a text or an object, not {describe(values)}", at)
    return items
