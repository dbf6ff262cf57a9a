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


def plain(value: Any, _depth: int = 0) -> Any:
    """`value` as texts, numbers, booleans, null, lists and mappings.

    Objects that know themselves as data (`to_dict`, dataclasses, pydantic models) are read, others are described.

    Example:
        >>> plain({"when": (1, 2), "what": object}) == {"when": [1, 2], "what": "<class 'object'>"}
        True
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if _depth > _MAX_DEPTH:
        return "… (nested too deeply to be shown)"
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        return {str(key): plain(item, _depth + 1) for key, item in fields.items() if item is not MISSING}
    if isinstance(value, (list, tuple, Set, Later)) and not hasattr(cast("object", value), "_fields"):
        return [plain(item, _depth + 1) for item in cast("list[Any]", value)]
    return _described(value, _depth)


def _described(value: Any, depth: int) -> Any:
    name = getattr(value, "__name__", None)
    if isinstance(value, Literal):
        return plain(value.value, depth + 1)
    for reader in ("to_dict", "model_dump", "_asdict"):
        method = getattr(value, reader, None)
        if callable(method) and not isinstance(value, type):
            return plain(method(), depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: plain(getattr(value, entry.name), depth + 1) for entry in dataclasses.fields(value)}
    if isinstance(value, date):
        return value.isoformat()
    return "(missing)" if value is MISSING else str(name or cast("object", value))
