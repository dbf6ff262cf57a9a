"""Which schemas jsonschema-rs may take: those for which it is known to say the same as jsonschema with our keywords.

In doubt a schema is unfit. The property tests compare the two libraries on what passes here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from matchex.plugin import show

from ._dialects import DRAFTS, standard_keywords
from ._extensions import OPERAND_CHECKS
from ._formats import TEXT_FORMATS
from ._json import is_object
from ._place import Place

__all__ = ["why_unfit"]

_NEVER: Final = frozenset(
    """
    $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary contentEncoding contentMediaType contentSchema
    """.split()  # noqa: SIM905 (one word a line would fill a page)
)
_PATTERN: Final = re.compile(
    r"""(?:
        [A-Za-z0-9_\ \-/:;,@\#%&=!~'"<>.^$|()]            # a character, an anchor, a group, an alternative
      | \(\?:
      | \\[dDwWsS.\\/^$*+?()\[\]{}|]
      | \[\^?(?: [A-Za-z0-9]-[A-Za-z0-9] | [A-Za-z0-9_\ ./:;,@\#%=!'"<>+*?()$|{}] | \\[dws\\./\[\]-] )+-?\]
      | [*+?]\??
      | \{[0-9]{1,3}(?:,[0-9]{0,3})?\}\??
    )*""",
    re.VERBOSE,
)
"""Patterns that mean the same to both: plain ASCII, no look-around, no back-reference, no property of Unicode."""

_SCALARS: Final = frozenset({"string", "number", "integer", "boolean", "null"})


def why_unfit(place: Place) -> str | None:
    """Why a subschema is not for jsonschema-rs; None if nothing speaks against it."""
    if place.cls.DRAFT is DRAFTS[0]:
        return "it has not draft 3"
    if place.reference is not None and place.cls.DRAFT.uri and "$schema" in place.schema:
        return "a reference leads to a schema of a dialect of its own"
    return next((why for keyword in place.schema if (why := _why_unfit(keyword, place))), None)


def _why_unfit(keyword: str, place: Place) -> str | None:
    operand = place.schema[keyword]
    if keyword in _NEVER or keyword in OPERAND_CHECKS:
        return f"it does not treat {keyword} as we do"
    if keyword in standard_keywords() and keyword not in place.cls.VALIDATORS:
        return f"it might know {keyword}, which {place.cls.DRAFT.name} has not"
    if keyword in ("$schema", "$id", "id") and place.keys:
        return f"{keyword} stands below the root"
    check = _CHECKS.get(keyword)
    return check(operand, place) if check is not None else None


def _unfit_reference(operand: str, _place: Place) -> str | None:
    return None if operand.startswith("#") else f"$ref {show(operand)} leads to another document"


def _unfit_pattern(operand: str, _place: Place) -> str | None:
    return None if _PATTERN.fullmatch(operand) else f"it may read the pattern {show(operand)} differently"


def _unfit_patterns(operand: Mapping[str, Any], place: Place) -> str | None:
    return next((why for pattern in operand if (why := _unfit_pattern(pattern, place))), None)


def _unfit_format(operand: str, _place: Place) -> str | None:
    return None if operand in TEXT_FORMATS else f"it has not the format {operand}"


def _unfit_type(operand: Any, place: Place) -> str | None:
    early = place.cls.DRAFT is DRAFTS[1] and "integer" in operand
    return "1.0 is no integer to it in draft 4" if early else None


def _unfit_unique(operand: Any, place: Place) -> str | None:
    """Two NaN are the same to it; they do not come into question where the items are of a plain JSON type."""
    items = place.schema.get("items")
    types: Any = items.get("type") if is_object(items) else None
    plain = types in _SCALARS if isinstance(types, str) else bool(types) and set(types) <= _SCALARS
    return None if not operand or plain else "uniqueItems is for items of any kind"


_CHECKS: Final[Mapping[str, Any]] = {
    "$ref": _unfit_reference,
    "format": _unfit_format,
    "pattern": _unfit_pattern,
    "patternProperties": _unfit_patterns,
    "type": _unfit_type,
    "uniqueItems": _unfit_unique,
}
