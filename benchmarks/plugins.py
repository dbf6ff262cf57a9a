"""Expressions, templates and schemas: what the engine adds to the work itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
from _table import Table
from _timing import Effort, compare
from jinja2.sandbox import SandboxedEnvironment
from workloads import products

import matchex
import matchex_schema

__all__ = ["expressions", "schemas", "templates"]

EXPRESSIONS: tuple[tuple[str, Callable[[Any], bool], str, str], ...] = (
    (
        "comparison",
        lambda a: 0 < a["price"] <= 100,
        "actual.price > 0 && actual.price <= 100",
        "actual.price > 0 and actual.price <= 100",
    ),
    (
        "arithmetic",
        lambda a: a["price"] * a["count"] - 5 <= 100,
        "actual.price * actual.count - 5 <= 100",
        "actual['price'] * actual['count'] - 5 <= 100",
    ),
    ("length of a text", lambda a: len(a["name"]) > 3, "actual.name.length > 3", "len(actual.name) > 3"),
    (
        "some of a list",
        lambda a: any(t == "new" for t in a["tags"]),
        "actual.tags.some(t => t === 'new')",
        "any(t == 'new' for t in actual.tags)",
    ),
)
PRODUCT = {"name": "Lamp", "price": 20, "count": 3, "tags": ["light", "small", "new"]}


def expressions(effort: Effort) -> Iterator[Table]:
    """`$expr` in both spellings beside a Python function."""
    rows = [{"expression": name, **_expression(by_hand, js, py, effort)} for name, by_hand, js, py in EXPRESSIONS]
    columns = ["expression", "JavaScript's spelling", "Python's spelling"]
    yield Table("`$expr` through `matches`, × a lambda", columns, rows)


def _expression(by_hand: Any, js: str, py: str, effort: Effort) -> dict[str, object]:
    names: dict[str, Any] = {
        "by_hand": by_hand,
        "js": matchex.compile({"$expr": js}).matches,
        "py": matchex.compile({"$expr": py}).matches,
    }
    names["actual"] = PRODUCT
    assert by_hand(PRODUCT) and names["js"](PRODUCT) and names["py"](PRODUCT)
    statements = {"": "by_hand(actual)", "JavaScript's spelling": "js(actual)", "Python's spelling": "py(actual)"}
    return dict(compare(statements, names, effort))


def templates(effort: Effort) -> Iterator[Table]:
    """Placeholders: their cost beside Jinja's own, and how it grows."""
    sizes = [size for size in (10, 100, 1000, 10_000) if size <= effort.largest]
    rows = [
        {"job": "n texts with a placeholder each", **_growth(sizes, _many, effort)},
        {"job": "one text with n placeholders", **_growth(sizes, _long, effort)},
        {"job": "one loop over n items", **_growth(sizes, _loop, effort)},
    ]
    columns = ["job", *(f"{size:,}" for size in sizes)]
    yield Table("Rendering and matching, time per placeholder or item, × that of ten", columns, rows)
    yield Table(
        "A match of one text with placeholders, × rendering by Jinja alone",
        ["text", "match"],
        [{"text": f"`{text}`", "match": _beside_jinja(text, effort)} for text in _TEXTS],
        ["Both compiled before; Jinja in its sandbox."],
    )


def _many(size: int) -> tuple[Any, Any, dict[str, Any]]:
    data = {f"v{i}": f"word{i}" for i in range(size)}
    return {f"k{i}": f"the {{{{ v{i} }}}}" for i in range(size)}, {f"k{i}": f"the word{i}" for i in range(size)}, data


def _long(size: int) -> tuple[Any, Any, dict[str, Any]]:
    data = {f"v{i}": f"word{i}" for i in range(size)}
    return " ".join(f"{{{{ v{i} }}}}" for i in range(size)), " ".join(data.values()), data


def _loop(size: int) -> tuple[Any, Any, dict[str, Any]]:
    words = [f"word{i}" for i in range(size)]
    return "{% for word in words %}{{ word }} {% endfor %}", " ".join(words), {"words": words}


def _growth(sizes: list[int], make: Any, effort: Effort) -> dict[str, object]:
    names: dict[str, Any] = {}
    for size in sizes:
        expected, actual, data = make(size)
        matcher = matchex.compile(expected, data=data)
        assert matcher.matches(actual)
        names |= {f"matches_{size}": matcher.matches, f"actual_{size}": actual}
    ratios = compare({f"{size:,}": f"matches_{size}(actual_{size})" for size in sizes}, names, effort)
    return {f"{size:,}": ratios[f"{size:,}"].per(size / sizes[0]) for size in sizes}


_TEXTS = (
    "Dear {{ user.name }}",
    "{{ items | length }} items for {{ user.name }}",
    "{% if vip %}Dear{% else %}Hi{% endif %} Ann",
)
_DATA = {"user": {"name": "Ann"}, "items": [1, 2, 3], "vip": True}


def _beside_jinja(text: str, effort: Effort) -> object:
    render = SandboxedEnvironment().from_string(text).render
    actual = render(_DATA)
    names: dict[str, Any] = {
        "render": render,
        "data": _DATA,
        "actual": actual,
        "matches": matchex.compile(text, data=_DATA).matches,
    }
    assert names["matches"](actual)
    return compare({"jinja": "render(data)", "matchex": "matches(actual)"}, names, effort)["matchex"]


SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["id", "name", "price", "tags"],
        "properties": {
            "id": {"type": "integer", "minimum": 1},
            "name": {"type": "string", "pattern": "Lamp"},
            "price": {"type": "number", "minimum": 1, "exclusiveMaximum": 100},
            "tags": {"type": "array", "contains": {"const": "new"}},
        },
    },
}


def schemas(effort: Effort) -> Iterator[Table]:
    """`$schema` over 1,000 objects beside the library that validates."""
    passing, failing = products(1000), products(1000, wrong=range(900, 910))
    rows = [
        {"library": name, "passing": _schema(name, passing, effort), "failing": _schema(name, failing, effort)}
        for name in matchex_schema.backends()
    ]
    notes = ["The verdict of `matches`, × `is_valid` of the library (python: jsonschema, rust: jsonschema-rs)."]
    yield Table("`$schema` over 1,000 objects, × the library alone", ["library", "passing", "failing"], rows, notes)


def _schema(backend: Any, actual: Any, effort: Effort) -> object:
    matches = matchex.compile(matchex_schema.Schema(SCHEMA, backend=backend)).matches
    names: dict[str, Any] = {"alone": _library(backend), "matches": matches, "actual": actual}
    assert names["alone"](actual) is matches(actual)
    return compare({"alone": "alone(actual)", "matchex": "matches(actual)"}, names, effort)["matchex"]


def _library(backend: str) -> Any:
    if backend == "rust":
        import jsonschema_rs

        return jsonschema_rs.validator_for(SCHEMA).is_valid
    return jsonschema.Draft202012Validator(SCHEMA).is_valid
