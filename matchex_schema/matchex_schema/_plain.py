"""Python values as the JSON that a schema speaks of.

Mappings, dataclasses and other records become objects; lists, tuples and sets become arrays; a member of an `Enum`
counts as its value. What JSON has not (dates, bytes, NaN) stays as it is, and is of no JSON type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any, Final, cast

from matchex.plugin import SchemaProblem, as_list, as_mapping

from ._numbers import as_number

__all__ = ["MAX_SCHEMA_DEPTH", "MAX_SCHEMA_NODES", "plain", "plain_schema", "value_at"]

MAX_SCHEMA_DEPTH: Final = 200
"""How deep a schema may nest as data (references do not count)."""

MAX_SCHEMA_NODES: Final = 200_000
"""How many values a schema may have, at any depth."""

_ATOMS: Final = frozenset({str, int, float, bool, type(None), Decimal})


def plain(value: object) -> Any:
    """`value` made of dicts and lists: itself where it is, else a copy. Copies contain themselves where values do."""
    return value if _is_plain(value) else _Copy().of(value)


def _is_plain(value: object) -> bool:
    """Whether a value is made of dicts, lists and atoms alone; much faster than copying it."""
    todo, seen = [value], set[int]()
    while todo:
        part = todo.pop()
        kind = type(part)
        if kind in _ATOMS or id(part) in seen:
            continue
        seen.add(id(part))
        if kind is dict:
            todo.extend(cast("dict[object, object]", part).values())
        elif kind is list:
            todo.extend(cast("list[object]", part))
        else:
            return False
    return True


class _Copy:
    """Copies without recursion, so that no value is too deep for it."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[object, object]] = {}  # by id; the original is kept so that its id stays its own
        self._open: list[tuple[dict[Any, object], Mapping[Any, object]] | tuple[list[object], Sequence[object]]] = []

    def of(self, value: object) -> object:
        top = self._shell(value)
        while self._open:
            copy, source = self._open.pop()
            if isinstance(copy, dict):
                for key, child in cast("Mapping[Any, object]", source).items():
                    copy[key] = self._shell(child)
            else:
                copy.extend(map(self._shell, cast("Sequence[object]", source)))
        return top

    def _shell(self, value: object) -> object:
        if type(value) in _ATOMS:
            return value
        known = self._made.get(id(value))
        if known is not None:
            return known[1]
        if isinstance(value, Enum):
            return self._shell(value.value)
        copy = self._empty(value)
        self._made[id(value)] = (value, copy)
        return copy

    def _empty(self, value: object) -> object:
        fields = as_mapping(value)
        if fields is not None:
            mapping: dict[Any, object] = {}
            self._open.append((mapping, fields))
            return mapping
        items = as_list(value)
        if items is not None:
            array: list[object] = []
            self._open.append((array, items))
            return array
        return value


def value_at(value: object, keys: Sequence[str | int]) -> object:
    """The value at a place of the original, the last one on the way where there is none (a missing field)."""
    for key in keys:
        if isinstance(value, Enum):
            value = value.value
        fields = as_mapping(value)
        if fields is not None:
            if key not in fields:
                break
            value = fields[key]
            continue
        items = as_list(value)
        if items is None or not isinstance(key, int):
            break
        value = items[key]
    return value


def plain_schema(schema: object) -> Any:
    """A copy of a schema, which must be JSON through and through.

    Raises:
        SchemaProblem: Something in it is no JSON, it nests too deep (or contains itself), or it is too large.
    """
    return _SchemaCopy().of(schema, ())


class _SchemaCopy:
    """Copies a schema and counts: aliases of YAML can make a small text a schema of any size."""

    def __init__(self) -> None:
        self._nodes = 0

    def of(self, schema: object, keys: tuple[str | int, ...]) -> Any:
        self._nodes += 1
        if len(keys) > MAX_SCHEMA_DEPTH:
            raise SchemaProblem(f"the schema nests deeper than {MAX_SCHEMA_DEPTH} levels, or contains itself", keys[:8])
        if self._nodes > MAX_SCHEMA_NODES:
            raise SchemaProblem(f"the schema has more than {MAX_SCHEMA_NODES:,} values; do its aliases multiply?")
        fields = as_mapping(schema)
        if fields is not None:
            return {_name(key, keys): self.of(child, (*keys, key)) for key, child in fields.items()}
        items = as_list(schema)
        if items is not None:
            return [self.of(child, (*keys, index)) for index, child in enumerate(items)]
        if schema is None or isinstance(schema, (str, bool)):
            return schema
        if as_number(schema) is not None:
            return schema
        raise SchemaProblem(f"a schema is JSON, but here stands {_described(schema)}", keys)


def _name(key: object, keys: tuple[str | int, ...]) -> str:
    if isinstance(key, str):
        return key
    raise SchemaProblem(f"the keys of a schema are texts, but here is the key {key!r}", keys)


def _described(value: object) -> str:
    return repr(value) if isinstance(value, (float, Decimal)) else f"an object of type {type(value).__qualname__}"
