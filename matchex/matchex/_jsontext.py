"""Compact JSON text of a value: what a pattern searches when the value is no text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from matchex._errors import MatchingError
from matchex._values import MISSING, Literal, as_list, as_mapping, is_finite

__all__ = ["json_text", "number_text"]

_MAX_DEPTH: Final = 200
_MAX_LENGTH: Final = 50_000_000


def json_text(value: object) -> str:
    """`value` as compact JSON: no blanks, non-ASCII as it is, 1.0 as `1`, NaN and infinities as null.

    Raises:
        MatchingError: The value is nested too deeply (or holds itself), or its text would be too long.

    Example:
        >>> from matchex.plugin import json_text
        >>> json_text({'名': [1.0, None]})
        '{"名":[1,null]}'
    """
    parts: list[str] = []
    length = 0
    for part in _pieces(value, 0):
        length += len(part)
        if length > _MAX_LENGTH:
            raise MatchingError("limit", f"the JSON text of the value is longer than {_MAX_LENGTH:,} characters")
        parts.append(part)
    return "".join(parts)


def number_text(value: int | float | Decimal) -> str:
    """A number as it is written into texts: 1.0 as `1`, never in a form that Python alone understands.

    A `Decimal` keeps the places it was written with, as prices do.

    Example:
        >>> from decimal import Decimal
        >>> from matchex.plugin import number_text
        >>> number_text(1.0), number_text(1e-7), number_text(Decimal("1.50"))
        ('1', '1e-7', '1.50')
    """
    if isinstance(value, int):
        return _integer_text(value)
    if not is_finite(value):
        return "null"
    as_written = isinstance(value, Decimal)
    sign, digits, exponent = (value if as_written else Decimal(repr(value))).as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    shown = text if as_written and int(exponent) <= 0 else text.rstrip("0")
    return "-" * (sign and bool(text)) + _plain(shown, len(text) + int(exponent)) if text else "0"


def _plain(digits: str, point: int) -> str:
    """Digits with the point behind `point` of them, as JavaScript writes numbers (ECMA-262, Number::toString)."""
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


def _integer_text(value: int) -> str:
    try:
        return str(value)
    except ValueError as error:  # the interpreter's limit on digits
        raise MatchingError("limit", f"an integer of {value.bit_length():,} bits is too long to write") from error


def _pieces(value: object, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        raise MatchingError("depth", f"the value is nested deeper than {_MAX_DEPTH} levels (or holds itself)")
    if isinstance(value, Literal):
        value = value.value
    if isinstance(value, str):
        yield json.dumps(value, ensure_ascii=False)
    elif value is None or value is MISSING:
        yield "null"
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, (int, float, Decimal)):
        yield number_text(value)
    elif isinstance(value, date):
        yield json.dumps(value.isoformat())
    else:
        yield from _container_pieces(value, depth)


def _container_pieces(value: object, depth: int) -> Iterator[str]:
    mapping = as_mapping(value)
    if mapping is not None:
        separator = "{"
        for key, item in mapping.items():
            yield f"{separator}{json.dumps(str(key), ensure_ascii=False)}:"
            yield from _pieces(item, depth + 1)
            separator = ","
        yield "{}" if separator == "{" else "}"
        return
    items = as_list(value)
    if items is None:
        yield json.dumps(str(value), ensure_ascii=False)
        return
    separator = "["
    for item in items:
        yield separator
        yield from _pieces(item, depth + 1)
        separator = ","
    yield "[]" if separator == "[" else "]"
