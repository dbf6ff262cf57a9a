"""Methods of mappings, numbers, booleans and dates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from matchex._expr._errors import ExpressionError
from matchex._expr._limits import Meter
from matchex._expr._operators import find_key, whole_number
from matchex._expr._registry import method
from matchex._expr._render import number_text, to_text
from matchex._values import MISSING

__all__: list[str] = []

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MOST_DECIMALS = 100
Map = Mapping[Any, Any]


@method("mapping", "keys")
def _keys(meter: Meter, mapping: Map) -> list[object]:
    return list(mapping)


@method("mapping", "values")
def _values(meter: Meter, mapping: Map) -> list[object]:
    return [mapping[key] for key in mapping]


@method("mapping", "entries", "items")
def _entries(meter: Meter, mapping: Map) -> list[object]:
    return [[key, mapping[key]] for key in mapping]


@method("mapping", "get", cheap=True)
def _get(meter: Meter, mapping: Map, key: object, default: object = None) -> object:
    found = find_key(mapping, key)
    return default if found is MISSING else found


@method("mapping", "hasOwnProperty", cheap=True)
def _has_own_property(meter: Meter, mapping: Map, key: object) -> bool:
    return find_key(mapping, key) is not MISSING


@method("number", "toFixed", cheap=True)
def _to_fixed(meter: Meter, number: float | Decimal, decimals: object = 0) -> str:
    places = whole_number(decimals, "the number of decimals")
    if not 0 <= places <= _MOST_DECIMALS:
        raise ExpressionError(f"toFixed takes 0 to {_MOST_DECIMALS} decimals")
    exact_value = Decimal(number)
    if not exact_value.is_finite() or abs(exact_value) >= Decimal("1e21"):
        return number_text(number)
    with localcontext() as context:
        context.prec = 200
        rounded = exact_value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return f"{abs(rounded) if not rounded and number >= 0 else rounded:f}"


@method("number", "toString", cheap=True)
def _number_to_string(meter: Meter, number: float | Decimal, radix: object = 10) -> str:
    base = whole_number(radix, "the radix")
    if base == 10:
        return number_text(number)
    if not 2 <= base <= 36:
        raise ExpressionError("the radix must be between 2 and 36")
    rest = abs(whole_number(number, "a number in another radix"))
    digits = ""
    while rest:
        rest, digit = divmod(rest, base)
        digits = _DIGITS[digit] + digits
    return ("-" if number < 0 else "") + (digits or "0")


@method("boolean", "toString", cheap=True)
def _boolean_to_string(meter: Meter, value: bool) -> str:
    return "true" if value else "false"


@method("date", "isoformat", "toString", cheap=True)
def _iso_text(meter: Meter, value: date) -> str:
    return to_text(meter, value)
