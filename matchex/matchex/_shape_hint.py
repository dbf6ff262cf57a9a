"""What was probably meant where an expectation is for another kind of value: the end of a message."""

from __future__ import annotations

from typing import Any

from matchex._strict_json import JsonTextError, parse_json_text
from matchex._values import as_list, as_mapping, trim

__all__ = ["shape_hint"]


def shape_hint(expected: object, actual: object) -> str:
    """A hint for a mapping or list that meets something else; nothing where none is known.

    Args:
        expected: The mapping or list.
        actual: The value, neither one nor the other.

    Example:
        >>> shape_hint({"gte": 3}, 5)
        '; did you mean $gte?'
        >>> shape_hint({"city": "Rome"}, '{"city": "Rome"}')
        '; the text holds JSON, which {$json: …} reads'
    """
    from matchex._operators import OPERATORS

    fields = as_mapping(expected)
    if fields is not None:
        named = next((key for key in fields if isinstance(key, str) and f"${key}" in OPERATORS), None)
        if named is not None and as_mapping(actual) is None:
            return f"; did you mean ${named}?"
    items = as_list(expected)
    if items and all(map(_is_check, items)) and as_list(actual) is None:
        return "; several checks of one value are written {$and: […]}"
    return "; the text holds JSON, which {$json: …} reads" if isinstance(actual, str) and _holds_json(actual) else ""


def _is_check(item: Any) -> bool:
    """Whether an item of a list is a mapping of operators alone."""
    fields = as_mapping(item)
    return bool(fields) and all(isinstance(key, str) and key[:1] == "$" for key in fields)


def _holds_json(text: str) -> bool:
    text = trim(text)
    if text[:1] not in ("{", "["):
        return False
    try:
        parse_json_text(text)
    except JsonTextError:
        return False
    return True
