"""Records with many fields of which few are given."""

from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["record_of"]

_T = TypeVar("_T")


def record_of(kind: type[_T], fields: dict[str, Any]) -> _T:
    """An instance of a dataclass that holds the given fields alone; for the others its class answers with the defaults.

    A run makes such records for every case. Their constructors set each of some forty fields, which costs more than
    judging a small answer; and what is not held takes no memory.

    Args:
        kind: A dataclass without `__slots__` and without `__post_init__`.
        fields: Its fields by name, among them all that have no plain default (a `default_factory` is none). The record
            keeps this very mapping.

    Example:
        >>> from aitestrunner import AITestFixture
        >>> record_of(AITestFixture, {"input": "2 + 2", "vars": {}}) == AITestFixture(input="2 + 2")
        True
    """
    record = object.__new__(kind)
    object.__setattr__(record, "__dict__", fields)
    return record
