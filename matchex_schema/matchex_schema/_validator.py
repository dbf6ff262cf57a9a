"""What keywords see of a jsonschema validator, and how they report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, cast

from jsonschema.exceptions import ValidationError

from ._checks import Checks

__all__ = ["Errors", "Keyword", "Validator", "failed", "nothing_allowed"]

Errors = Iterator[ValidationError]


class Validator(Protocol):
    """The part of jsonschema's validators that keywords use."""

    VALIDATORS: Mapping[str, Any]
    META_SCHEMA: Mapping[str, Any]
    schema: Any
    format_checker: Checks
    _resolver: Any  # not public, but the only way to what a reference means at this place of the schema

    def evolve(self, **changes: Any) -> Validator:
        """The same with another schema."""
        ...

    def is_type(self, instance: object, type: str) -> bool:
        """Whether the instance is of a JSON type."""
        ...

    def is_valid(self, instance: object) -> bool:
        """Whether there is no error."""
        ...

    def iter_errors(self, instance: object) -> Errors:
        """All errors."""
        ...

    def descend(
        self, instance: object, schema: Any, path: str | int | None = None, schema_path: str | int | None = None
    ) -> Errors:
        """All errors of an instance below this one, or of another schema."""
        ...


Keyword = Callable[[Validator, Any, Any, Mapping[str, Any]], Errors]
"""A keyword: called with the validator, the operand, the instance, and the schema that the keyword stands in."""


def failed(
    message: str,
    *,
    path: Sequence[str | int] = (),
    schema_path: Iterable[str | int] = (),
    context: Sequence[ValidationError] = (),
) -> ValidationError:
    """One error at `path` below the instance; `schema_path` is where in the operand of the keyword."""
    return ValidationError(message, path=path, schema_path=schema_path, context=context)


def nothing_allowed(instance: object, path: Sequence[str | int], schema_path: Sequence[str | int]) -> ValidationError:
    """The error of the schema `false`, which belongs to no keyword."""
    return ValidationError(
        "nothing is allowed here",
        validator=cast("Any", None),
        validator_value=False,
        path=path,
        schema_path=schema_path,
        instance=instance,
        schema=False,
    )
