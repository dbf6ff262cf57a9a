"""Any value as JSON data, for logs and reports: never a crash, never more than a reader can use."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Set
from datetime import date
from typing import Any, Final, cast

from aitestrunner._later import Later
from matchex import MISSING, Literal

__all__ = ["plain"]

_MAX_DEPTH: Final = 100
_MOST_PARTS: Final = 1_000_000
"""Parts of one value that are read: an object that is reached on many ways is written as often."""
_MOST_BITS: Final = 14_000  # of a whole number: Python writes no longer ones


def plain(value: Any) -> Any:
    """`value` as texts, numbers, booleans, null, lists and mappings.

    Objects that know themselves as data (`to_dict`, dataclasses, pydantic models) are read, others are described.

    Example:
        >>> plain({"when": (1, 2), "what": object}) == {"when": [1, 2], "what": "<class 'object'>"}
        True
    """
    return value if value is None or isinstance(value, (str, bool)) else _Reading().read(value, 0)


class _Reading:
    """One value on its way; what is read of it counts."""

    def __init__(self) -> None:
        self._parts = 0

    def read(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, (str, bool)):
            return value
        if isinstance(value, int):
            return value if value.bit_length() <= _MOST_BITS else f"(a whole number of {value.bit_length():,} bits)"
        if isinstance(value, float):
            return value if math.isfinite(value) else repr(value)
        self._parts += 1
        if depth > _MAX_DEPTH:
            return "… (nested too deeply to be shown)"
        if self._parts > _MOST_PARTS:
            return "… (too much to be shown)"
        try:
            return self._read_object(value, depth + 1)
        except Exception as error:  # from a method of the value
            return f"(a {type(value).__name__}, which cannot be shown: {type(error).__name__})"

    def _read_object(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            fields = cast("Mapping[Any, Any]", value)
            return {str(key): self.read(item, depth) for key, item in fields.items() if item is not MISSING}
        if isinstance(value, (list, tuple, Set, Later)) and not hasattr(cast("object", value), "_fields"):
            return [self.read(item, depth) for item in cast("list[Any]", value)]
        return self._described(value, depth)

    def _described(self, value: Any, depth: int) -> Any:
        if isinstance(value, Literal):
            return self.read(value.value, depth)
        for reader in ("to_dict", "model_dump", "_asdict"):
            method = getattr(value, reader, None)
            if callable(method) and not isinstance(value, type):
                return self.read(method(), depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {entry.name: self.read(getattr(value, entry.name), depth) for entry in dataclasses.fields(value)}
        if isinstance(value, date):
            return value.isoformat()
        name: Any = getattr(cast("object", value), "__name__", None)
        return "(missing)" if value is MISSING else str(name or cast("object", value))
