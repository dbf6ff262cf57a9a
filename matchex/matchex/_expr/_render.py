"""Texts of values: as templates, `String(…)` and `JSON.stringify` write them, and short ones for messages."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from matchex._expr._errors import ExpressionError, ExpressionLimit
from matchex._expr._limits import Meter
from matchex._show import show
from matchex._values import MISSING, as_list, as_mapping, as_number, kind_of, type_name

if TYPE_CHECKING:
    from matchex._regex import Pattern as RegexPattern

__all__ = ["Callback", "Pattern", "describe", "is_finite", "is_nan", "number_text", "preview", "to_json", "to_text"]

_PREVIEW = 60


class Callback:
    """A function of the expression (or one of ours by name) on its way into a call; it is never a value."""

    __slots__ = ("arity", "cost", "function")

    def __init__(self, function: Callable[..., object], arity: int, cost: int) -> None:
        self.function = function
        self.arity = arity
        self.cost = cost

    def call(self, meter: Meter, *arguments: object) -> object:
        """Call it with as many of the arguments as it takes."""
        meter.step(self.cost)
        given = len(arguments)
        if given < self.arity:
            arguments += (MISSING,) * (self.arity - given)
        return self.function(*arguments[: self.arity])


class Pattern:
    """A regex literal as a value: it is good for `test`, `match`, `replace`, `split` and `search`."""

    __slots__ = ("flags", "regex", "text")

    def __init__(self, regex: RegexPattern, flags: str, text: str) -> None:
        self.regex = regex
        self.flags = flags
        self.text = text


def describe(value: object) -> str:
    """The kind of a value in words, for a message."""
    if isinstance(value, Callback):
        return "a function"
    if isinstance(value, Pattern):
        return "a pattern"
    return "undefined" if value is MISSING else type_name(value)


def is_nan(number: float | Decimal) -> bool:
    """Whether it is NaN; unlike `math.isnan` for integers of any size."""
    return number != number


def is_finite(number: float | Decimal) -> bool:
    """Whether it is neither NaN nor infinite; unlike `math.isfinite` for integers and decimals of any size."""
    if isinstance(number, float):
        return math.isfinite(number)
    return number.is_finite() if isinstance(number, Decimal) else True


def number_text(value: float | Decimal) -> str:
    """A number as JavaScript writes it: `1.0` as `1`, `1e+21`, integers with all their digits.

    Example:
        >>> number_text(1.0), number_text(1e21), number_text(0.1 + 0.2)
        ('1', '1e+21', '0.30000000000000004')
    """
    if isinstance(value, int):
        return int.__repr__(value)
    if not is_finite(value):
        return "NaN" if is_nan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Decimal):
        return str(value)
    return _float_text(float(value))


def _float_text(value: float) -> str:
    """The shortest digits of a float, in exponents only from 1e21 on and below 1e-6."""
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    sign = "-" if mantissa[0] == "-" else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    if not exponent:
        return f"{sign}{whole}.{fraction}"
    power = int(exponent)
    fraction = "" if fraction == "0" else fraction
    if -7 < power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{whole}{fraction}"
    point = f".{fraction}" if fraction else ""
    return f"{sign}{whole}{point}e{'+' if power > 0 else '-'}{abs(power)}"


def to_text(meter: Meter, value: object) -> str:
    """A value inside a template: scalars as JavaScript writes them, lists and mappings as compact JSON."""
    if type(value) is str:
        return value
    kind = kind_of(value)
    if kind == "text":
        return str.__str__(value)  # pyright: ignore[reportArgumentType]
    if kind == "date":
        return value.isoformat()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    number = as_number(value)
    if number is not None:
        return number_text(number)
    if kind in ("null", "boolean", "list", "mapping"):
        return to_json(meter, value)
    if isinstance(value, Pattern):
        return value.text
    raise ExpressionError(f"{describe(value)} has no text")


def to_json(meter: Meter, value: object) -> str:
    """Compact JSON: undefined members are dropped, undefined items and numbers that JSON lacks are null."""
    parts: list[str] = []
    _write_json(meter, value, parts, meter.limits.depth)
    meter.allow(sum(map(len, parts)), "a JSON text")
    text = "".join(parts)
    meter.text(len(text))
    return text


def _write_json(meter: Meter, value: object, parts: list[str], depth: int) -> None:
    if depth <= 0:
        raise ExpressionLimit("depth", meter.limits.depth, "values are nested too deeply for a JSON text")
    meter.step()
    kind = kind_of(value)
    if kind == "mapping":
        _write_mapping(meter, value, parts, depth)
    elif kind == "list":
        items = as_list(value) or ()
        meter.allow(len(items), "a JSON list")
        parts.append("[")
        for index, item in enumerate(items):
            parts.append("," if index else "")
            _write_json(meter, None if item is MISSING else item, parts, depth - 1)
        parts.append("]")
    else:
        parts.append(_json_scalar(value))


def _write_mapping(meter: Meter, value: object, parts: list[str], depth: int) -> None:
    mapping = as_mapping(value) or {}
    meter.allow(len(mapping), "a JSON object")
    opening = "{"
    for key, item in mapping.items():
        if item is MISSING:
            continue
        parts.append(f"{opening}{_json_text(key_text(key))}:")
        opening = ","
        _write_json(meter, item, parts, depth - 1)
    parts.append("{}" if opening == "{" else "}")


def key_text(key: object) -> str:
    """A key of a mapping as a text: JSON has no other keys."""
    if isinstance(key, str):
        return key
    number = as_number(key)
    if number is not None:
        return number_text(number)
    if key is None or isinstance(key, bool):
        return _json_scalar(key)
    raise ExpressionError(f"{describe(key)} is no key of an object")


_SCALARS: Final[dict[object, str]] = {None: "null", True: "true", False: "false"}


def _json_scalar(value: object) -> str:
    if value is None or isinstance(value, bool):
        return _SCALARS[value]
    if isinstance(value, str):
        return _json_text(value)
    number = as_number(value)
    if number is not None:
        return number_text(number) if is_finite(number) else "null"
    if isinstance(value, date):
        return _json_text(value.isoformat())
    raise ExpressionError(f"{describe(value)} cannot be written as JSON")


def _json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def preview(value: object, length: int = _PREVIEW) -> str:
    """A value in a message or explanation, cut to `length` characters; it never fails."""
    if value is MISSING:
        return "undefined"
    if type(value) is float:
        return number_text(value)
    if isinstance(value, (Callback, Pattern)):
        return describe(value)
    try:
        return show(value, length)
    except Exception as error:  # fields and lengths of foreign mappings may raise anything
        return f"<{describe(value)} that cannot be shown: {type(error).__name__}>"
