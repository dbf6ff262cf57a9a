"""Values as short text for messages: bounded in length and depth, whatever they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any, Final, cast

from matchex._values import MISSING, Literal, as_list, as_mapping

__all__ = ["counted", "show"]

_LENGTH: Final = 80
_DEPTH: Final = 6
_ITEMS: Final = 20


def show(value: object, length: int = _LENGTH) -> str:
    """`value` on one line, as JSON where it is data, cut at `length` characters.

    Example:
        >>> from matchex.plugin import show
        >>> show({'a': [1, None]}), show('long' * 30, 12)
        ('{"a": [1, null]}', '"longlonglo…')
    """
    text = _render(value, _DEPTH)
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _render(value: object, depth: int) -> str:
    if isinstance(value, Literal):
        return _render(value.value, depth)
    if value is MISSING:
        return "nothing"
    if isinstance(value, str):
        return json.dumps(value[:1000], ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, date):
        return value.isoformat()
    mapping = as_mapping(value)
    if mapping is not None:
        return _mapping(mapping, depth)
    items = as_list(value)
    if items is not None:
        return _sequence(items, depth)
    return _foreign(value)


def _integer(value: int) -> str:
    return str(value) if value.bit_length() < 4000 else f"an integer of {value.bit_length():,} bits"


def _mapping(mapping: Mapping[Any, Any], depth: int) -> str:
    if depth == 0:
        return "{…}"
    parts: list[str] = []
    for key in mapping:
        if len(parts) == _ITEMS:
            parts.append("…")
            break
        parts.append(f"{_render(str(key), depth)}: {_render(mapping[key], depth - 1)}")
    return "{" + ", ".join(parts) + "}"


def _sequence(items: Any, depth: int) -> str:
    if depth == 0:
        return "[…]"
    parts = [_render(item, depth - 1) for item in items[:_ITEMS]]
    return "[" + ", ".join(parts + ["…"] * (len(items) > _ITEMS)) + "]"


def _foreign(value: object) -> str:
    if callable(value):
        return f"{cast('Any', value).__name__}()" if hasattr(value, "__name__") else type(value).__name__
    try:
        return repr(value)[:1000]
    except Exception as error:  # a broken __repr__ must not hide the failure it would illustrate
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 item`, `3 items`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
