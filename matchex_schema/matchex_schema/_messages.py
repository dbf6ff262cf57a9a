"""Words for what a schema demands and for what came instead."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from matchex.plugin import format_path, kind_of, show

__all__ = ["TYPE_NAMES", "a_type", "counted", "described", "listed", "message_of", "reasons_of"]

_MANY: Final = 8
_LONGEST: Final = 400
_TYPES: Final = {
    "any": "anything",
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
TYPE_NAMES: Final = tuple(_TYPES)
"""The JSON types, with the `any` of draft 3."""

_KINDS: Final = {
    "boolean": "a boolean",
    "bytes": "bytes, which JSON has not",
    "date": "a date, which is no text",
    "list": "an array",
    "mapping": "an object",
    "number": "a number",
    "text": "a string",
}


def a_type(names: Iterable[str]) -> str:
    """`a string or null`."""
    return " or ".join(_TYPES.get(name, name) for name in names)


def described(value: object) -> str:
    """A value with its kind: `5 (a number)`."""
    if value is None:
        return "null"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value}, which JSON has not"
    return f"{show(value)} ({_KINDS.get(kind_of(value)) or f'an object of type {type(value).__qualname__}'})"


def counted(number: int, noun: str) -> str:
    """`1 item`, `2 items`, `2 properties`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def listed(values: Sequence[Any], last: str = "or") -> str:
    """`1, 2 or 3`, cut where there are many."""
    shown = [show(value) for value in values[:_MANY]]
    if len(values) > _MANY:
        return f"{', '.join(shown)}, … ({len(values)} in all)"
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def message_of(error: ValidationError) -> str:
    """The message of an error; where alternatives failed, with what the closest one lacked."""
    keyword: Any = error.validator
    if keyword is None:  # jsonschema's own words for `false` at the root repeat the whole value
        return "nothing is allowed here"
    if not error.context:
        return _cut(str(error.message))
    return _cut(f"{error.message}; closest is {keyword}[{_closest(error.context)[0]}]: {reasons_of(error)}")


def reasons_of(error: ValidationError) -> str:
    """What the closest alternative lacked; where there are no alternatives, the message."""
    if not error.context:
        return message_of(error)
    return "; ".join(_located(each) for each in _closest(error.context)[1][:_MANY])


def _located(error: ValidationError) -> str:
    where = format_path(tuple(error.relative_path))
    return f"{where}: {message_of(error)}" if where else message_of(error)


def _closest(context: Sequence[ValidationError]) -> tuple[str | int, list[ValidationError]]:
    """The branch that came nearest, with its errors.

    A branch that wants another type, or another value of a constant (the tag that tells alternatives apart), is far
    away. Of the others the one with the fewest errors is nearest, then the one whose errors lie deepest.
    """
    branches: dict[str | int, list[ValidationError]] = {}
    for error in context:
        branches.setdefault(error.relative_schema_path[0], []).append(error)
    return min(branches.items(), key=lambda branch: _distance(branch[1]))


def _distance(errors: Sequence[ValidationError]) -> tuple[bool, int, int, int]:
    wrong_type = any(_wants_another_type(error) for error in errors)
    wrong_tags = sum(error.validator in ("const", "enum") for error in errors)
    depth = max(len(error.relative_path) for error in errors)
    return wrong_type, wrong_tags, len(errors), -depth


def _wants_another_type(error: ValidationError) -> bool:
    if error.relative_path:
        return False
    if error.context:
        return all(_wants_another_type(each) for each in error.context)
    return error.validator in ("type", None)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
