"""Objects and arrays of JSON, told apart in a way that the type checker understands."""

from __future__ import annotations

from typing import Any, TypeGuard

__all__ = ["is_array", "is_object"]


def is_object(value: object) -> TypeGuard[dict[Any, Any]]:
    """Whether `value` is an object (the keys of actual values need not be texts)."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether `value` is an array."""
    return isinstance(value, list)
