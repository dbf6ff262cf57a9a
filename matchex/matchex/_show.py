"""Values as short text for messages: bounded in length and depth, whatever they are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
    text = _Shown(length).render(value, _DEPTH)
    return text if len(text) <= length else f"{text[: length - 1]}…"


class _Shown:
    """Renders values until enough text was made: a small value can hold itself many times over."""

    def __init__(self, length: int) -> None:
        self._left = length

    def render(self, value: object, depth: int) -> str:
        mapping, items = None, None
        if isinstance(value, Literal):
            return self.render(value.value, depth)
        if type(value) not in _SCALARS:
            mapping = as_mapping(value)
            items = as_list(value) if mapping is None else None
        if mapping is not None:
            return self._mapping(mapping, depth)
        if items is not None:
            return self._list(items, depth)
        text = _scalar(value)
        self._left -= len(text)
        return text

    def _mapping(self, mapping: Mapping[Any, Any], depth: int) -> str:
        if depth == 0:
            return "{…}"
        parts: list[str] = []
        for key in mapping:
            if len(parts) == _ITEMS or self._left < 0:
                parts.append("…")
                break
            parts.append(f"{_scalar(str(key))}: {self.render(mapping[key], depth - 1)}")
        return "{" + ", ".join(parts) + "}"

    def _list(self, items: Sequence[Any], depth: int) -> str:
        if depth == 0:
            return "[…]"
        parts: list[str] = []
        for item in items:
            if len(parts) == _ITEMS or self._left < 0:
                parts.append("…")
                break
            parts.append(self.render(item, depth - 1))
        return "[" + ", ".join(parts) + "]"


_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def _scalar(value: object) -> str:
    if value is MISSING:
        return "nothing"
    if isinstance(value, str):
        return json.dumps(value[:1000], ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value) if value.bit_length() < 4000 else f"an integer of {value.bit_length():,} bits"
    if isinstance(value, float):
        return repr(value)
    return value.isoformat() if isinstance(value, date) else _foreign(value)


def _foreign(value: object) -> str:
    if callable(value):
        return f"{cast('Any', value).__name__}()" if hasattr(value, "__name__") else type(value).__name__
    try:
        text = repr(value)[:1000]
        return f"<{type(value).__name__}>" if " at 0x" in text else text  # reports are the same in every run
    except Exception as error:  # a broken __repr__ must not hide the failure it would illustrate
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 item`, `3 items`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
