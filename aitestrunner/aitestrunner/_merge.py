"""How a case's own value and the default of its file become one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from matchex import MISSING

__all__ = ["given", "with_defaults"]


def given(*values: Any, default: Any = None) -> Any:
    """The first value that was given; null clears what would come after it and leaves the `default`."""
    for value in values:
        if value is not MISSING:
            return default if value is None else value
    return default


def with_defaults(own: Any, default: Any) -> Any:
    """`own` with its gaps filled: mappings field by field at any depth, everything else (lists too) as a whole.

    A null field clears the default's field and is not there itself. Neither argument is changed.

    Example:
        >>> with_defaults({"a": 1, "c": None, "l": [1]}, {"b": 2, "c": 3, "l": [7, 8]})
        {'b': 2, 'l': [1], 'a': 1}
    """
    if own is MISSING:
        return default
    if default is MISSING:
        return own
    if not isinstance(own, Mapping) or not isinstance(default, Mapping):
        return cast("Any", own)
    fields, merged = cast("Mapping[str, Any]", own), dict(cast("Mapping[str, Any]", default))
    for key, value in fields.items():
        if value is None and key in merged:
            del merged[key]
        else:
            merged[key] = with_defaults(value, merged.get(key, MISSING)) if key in merged else value
    return merged
