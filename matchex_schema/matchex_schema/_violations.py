"""Errors of jsonschema as violations of matchex."""

from __future__ import annotations

from typing import Any

from jsonschema.exceptions import ValidationError
from matchex.plugin import Violation

from ._extensions import HIDDEN
from ._messages import message_of
from ._plain import value_at

__all__ = ["violation_of"]


def violation_of(error: ValidationError, actual: object) -> Violation:
    """The violation that an error reports; `actual` is the whole value as it was passed."""
    keys = tuple(error.absolute_path)
    keyword: Any = error.validator
    return Violation(
        keys=keys,
        keyword="false schema" if keyword is None else str(keyword),
        schema_path=_visible(list(error.absolute_schema_path)),
        message=message_of(error),
        expected=False if keyword is None else error.validator_value,
        actual=value_at(actual, keys),
    )


def _visible(steps: list[Any]) -> tuple[str | int, ...]:
    """The schema path without the keywords that are marked as no step of it."""
    path: list[str | int] = []
    for step in steps:
        if step is HIDDEN:
            path.pop()
        else:
            path.append(step)
    return tuple(path)
