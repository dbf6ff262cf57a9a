"""The built-in operators: what each takes, checked once, and the node it becomes.

Each operator is one function that builds its node. The docstring of that function is its entry in the reference, which
`docs/generate_reference.py` writes: it speaks to those who write expectations. A line `Name: …` (its continuation
indented) is a row: the operand, then the kinds of value, the empty case and the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from matchex._operators import _lists, _logic, _structure, _texts, _values, _views
from matchex._operators._site import Build, Site, Wrong

__all__ = ["GROUPS", "OPERATORS", "Build", "Site", "Wrong"]

GROUPS: Final[Mapping[str, Mapping[str, Build]]] = {
    "Combining expectations": {
        "$and": _logic.all_match,
        "$or": _logic.any_matches,
        "$not": _logic.does_not_match,
        "$expect": _logic.carrier,
    },
    "Items of a list": {
        "$contains": _lists.contains,
        "$all": _lists.all_found,
        "$unordered": _lists.unordered,
        "$each": _lists.each,
        "$none": _lists.none,
        "$sequence": _lists.sequence,
        "$count": _lists.count,
    },
    "Looking at a part or a measure": {
        "$first": _views.first,
        "$last": _views.last,
        "$nth": _views.nth,
        "$sort": _views.sort,
        "$length": _views.length,
        "$keys": _views.keys,
        "$values": _views.values,
        "$json": _views.json,
    },
    "Comparing values": {
        "$eq": _values.equals,
        "$ne": _values.not_equals,
        "$gt": _values.greater,
        "$gte": _values.greater_or_equal,
        "$lt": _values.less,
        "$lte": _values.less_or_equal,
        "$in": _values.member,
        "$nin": _values.not_member,
        "$near": _values.near,
        "$type": _values.json_type,
        "$exists": _values.exists,
    },
    "Texts": {
        "$startsWith": _texts.starts_with,
        "$endsWith": _texts.ends_with,
        "$similar": _texts.similar,
        "$diff": _texts.diff,
    },
    "Structure, schemas, expressions": {
        "$only": _structure.only,
        "$schema": _structure.schema,
        "$expr": _structure.expression,
    },
}
"""The operators by name, grouped as in the reference."""

OPERATORS: Final[Mapping[str, Build]] = {name: build for group in GROUPS.values() for name, build in group.items()}
"""Every built-in operator by name."""
