"""Whether a schema is one, by the meta-schema of its draft."""

from __future__ import annotations

import functools
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from matchex.plugin import SchemaProblem, format_path, nearest, show

from ._checks import Checks
from ._dialects import SPECIFICATIONS
from ._json import is_object
from ._messages import TYPE_NAMES, counted, reasons_of
from ._place import Place

__all__ = ["check_against_metaschema"]

_DRAFT_7: Final = '"$schema": "http://json-schema.org/draft-07/schema#"'
_DRAFT_4: Final = '"$schema": "http://json-schema.org/draft-04/schema#"'
_HINTS: Final[dict[tuple[str, str], str]] = {
    (
        "items",
        "list",
    ): f"a list of schemas is written prefixItems since draft 2020-12; for the older form add {_DRAFT_7}",
    ("exclusiveMinimum", "bool"): f"it is a number since draft 6; for the older form add {_DRAFT_4}",
    ("exclusiveMaximum", "bool"): f"it is a number since draft 6; for the older form add {_DRAFT_4}",
    ("required", "bool"): "it is a list of names that stands beside properties",
}


def check_against_metaschema(place: Place) -> None:
    """Check a schema as a whole.

    Raises:
        SchemaProblem: It is none.
    """
    if not (is_object(place.schema) or isinstance(place.schema, bool)):
        raise SchemaProblem(_prefix(place) + f"a schema is a mapping or a bool, not {show(place.schema)}", place.keys)
    validator = _validator_of(place.cls)
    validator.format_checker.begin()
    errors: list[ValidationError] = list(validator.iter_errors(place.schema))
    if errors:
        _refuse(place, errors)


def _refuse(place: Place, errors: list[ValidationError]) -> None:
    error = max(errors, key=lambda each: len(each.absolute_path))
    keys = tuple(error.absolute_path)
    message = reasons_of(error)
    instance: Any = error.instance
    hint = _HINTS.get((str(keys[-1]), type(instance).__name__)) if keys else None
    if isinstance(instance, str) and keys[-1:] == ("type",):
        meant = nearest(instance, TYPE_NAMES)
        hint = f"did you mean {meant}?" if meant else None
    if hint is not None:
        message += f" ({hint})"
    others = len({tuple(each.absolute_path) for each in errors}) - 1
    if others:
        message += f" (and {counted(others, 'other place')})"
    if place.reference is None:
        raise SchemaProblem(message, keys)
    where = f" at {format_path(keys)}" if keys else ""
    raise SchemaProblem(f"{_prefix(place)}it is no schema{where}: {message}", place.keys)


def _prefix(place: Place) -> str:
    return "" if place.reference is None else f"what $ref {show(place.reference)} leads to cannot be used: "


@functools.cache
def _validator_of(cls: Any) -> Any:
    """Formats are not checked: what matters of them, patterns and references, the survey looks at itself."""
    checks = Checks(regex_timeout=10, formats=False)
    return cls(cls.META_SCHEMA, format_checker=checks, registry=SPECIFICATIONS)
