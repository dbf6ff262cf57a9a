"""jsonschema-rs: many times faster, for the schemas and values of which it is known to say the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Set
from typing import Any, Final

from ._formats import TEXT_FORMATS

__all__ = ["fast_validity"]


_OWN_FORMATS: Final = frozenset({"date", "date-time", "ipv4", "ipv6", "time", "uri"})
"""The formats that the library reads exactly as we do, in every draft. Ours are given to it for others, at a cost."""


def fast_validity(schema: Any, draft: str, formats: Set[str] | None) -> Callable[[object], bool] | None:
    """A function that tells whether a value is valid, or None where the library cannot take the schema.

    The function raises ValueError for values that the library does not know (dates, records, sets …). Patterns run on
    an engine whose time is linear in the text.

    Args:
        schema: A schema in which nothing speaks against it.
        draft: The name of its draft.
        formats: The formats that occur in it; None: they are not checked.
    """
    import jsonschema_rs

    classes = {
        "draft 4": jsonschema_rs.Draft4Validator,
        "draft 6": jsonschema_rs.Draft6Validator,
        "draft 7": jsonschema_rs.Draft7Validator,
        "draft 2019-09": jsonschema_rs.Draft201909Validator,
        "draft 2020-12": jsonschema_rs.Draft202012Validator,
    }
    if not _is_plain_json(schema):
        return None
    try:
        validator = classes[draft](
            schema,
            formats={name: TEXT_FORMATS[name] for name in (formats or set()) - _OWN_FORMATS} or None,
            validate_formats=formats is not None,
            pattern_options=jsonschema_rs.RegexOptions(),
            offline=True,
        )
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        return None  # it is stricter here and there, for instance about the size of a pattern
    return validator.is_valid


def _is_plain_json(schema: Any) -> bool:
    try:
        json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError):  # a Decimal, or an integer of thousands of digits
        return False
    return True
