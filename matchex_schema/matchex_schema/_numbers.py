"""Numbers and equality as a schema means them: by value, never through a float, a bool being no number.

Against a `Decimal` a float stands for the digits it is written with, so that `Decimal("0.1")` is at most `0.1`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, cast

from matchex.plugin import MatchingError

from ._json import is_array, is_object

__all__ = ["Number", "as_number", "compare", "identity", "is_integer", "is_multiple"]

Number = int | float | Decimal

_MAX_EXPONENT: Final = 5000  # a Decimal may have an exponent that no memory could write out


def as_number(value: object) -> Number | None:
    """`value` if it is a number of JSON: finite and no bool; else None."""
    cls = type(value)
    if cls is int:
        return cast("int", value)
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, int) and cls is not bool else None


def is_integer(value: object) -> bool:
    """Whether `value` is a number without a fraction: 1.0 is an integer, True is not."""
    number = as_number(value)
    if number is None or isinstance(number, int):
        return number is not None
    return number.is_integer() if isinstance(number, float) else number == number.to_integral_value()


def compare(a: Number, b: Number) -> int:
    """Negative, 0 or positive as `a` is less than, equal to or greater than `b`."""
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        a, b = _decimal(a), _decimal(b)
    return (a > b) - (a < b)


def is_multiple(value: Number, factor: Number) -> bool:
    """Whether `value` is a whole multiple of `factor`, by their decimal digits (19.99 is one of 0.01).

    Raises:
        MatchingError: An exponent is too large to reckon with.
    """
    if isinstance(value, int) and isinstance(factor, int):
        return value % factor == 0
    return (_fraction(value) / _fraction(factor)).denominator == 1


def identity(value: Any) -> Hashable:
    """Something hashable that is equal for two JSON values exactly if the values are equal."""
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, (int, float, Decimal)):
        return _number_identity(value)
    if is_array(value):
        return (list, *map(identity, value))
    if is_object(value):
        return (dict, frozenset((key, identity(child)) for key, child in value.items()))
    return value if isinstance(value, Hashable) else id(value)


def _number_identity(number: Number) -> Hashable:
    if isinstance(number, float) and math.isfinite(number):
        return int(number) if number.is_integer() else _decimal(number)
    return number


def _decimal(number: Number) -> Decimal:
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def _fraction(number: Number) -> Fraction:
    if isinstance(number, float):
        return Fraction(int(number)) if number.is_integer() else Fraction(_decimal(number))
    if isinstance(number, Decimal) and number and abs(number.adjusted()) > _MAX_EXPONENT:
        raise MatchingError("limit", f"multipleOf is not reckoned for exponents beyond {_MAX_EXPONENT}")
    return Fraction(number)
