"""The format of fixture files as a JSON Schema, for editors."""

from __future__ import annotations

from typing import Any

from aitestrunner._keys import FILE_KEYS, KEYS, SIMPLE_KEYS, Key

__all__ = ["format_schema"]


def format_schema() -> dict[str, Any]:
    """A JSON Schema (draft 7, which editors know best) of one document with cases.

    Example:
        >>> from aitestrunner import format_schema
        >>> format_schema()["definitions"]["case"]["properties"]["skip"]["type"]
        ['boolean', 'string', 'null']
    """
    defaults = {name: _property(name, key) for name, key in KEYS.items() if not key.own}
    case = {
        "type": "object",
        "description": "One case. Keys that are not listed are template variables.",
        "properties": {name: _property(name, key) for name, key in KEYS.items()},
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Fixture file of aitestrunner",
        "definitions": {
            "case": case,
            "file": {
                "type": "object",
                "description": "Defaults, and the cases that take them.",
                "properties": {
                    **defaults,
                    "cases": {**_property("cases", FILE_KEYS["cases"]), "items": {"$ref": "#/definitions/case"}},
                    "casesFrom": _property("casesFrom", FILE_KEYS["casesFrom"]),
                },
            },
        },
        "if": {"type": "array"},
        "then": {"items": {"$ref": "#/definitions/case"}},
        "else": {
            "if": {"anyOf": [{"required": ["cases"]}, {"required": ["casesFrom"]}]},
            "then": {"$ref": "#/definitions/file"},
            "else": {"$ref": "#/definitions/case"},
        },
    }


def _property(name: str, key: Key) -> dict[str, Any]:
    schema = _with_null(key.schema)
    if name in SIMPLE_KEYS:
        schema = {"anyOf": [schema, {"type": "string", "pattern": r"\{\{|\{%|<<"}]}
    return {**schema, "description": f"{key.about} Takes {key.takes}."}


def _with_null(schema: Any) -> dict[str, Any]:
    """The schema of a value, which may also be null (that clears a default)."""
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return {**schema, "type": [kinds, "null"]}
    if isinstance(kinds, list):
        return {**schema, "type": [*kinds, "null"]}
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return dict(schema)
