"""How a value is written inside a longer text."""

from __future__ import annotations

import re
from datetime import date, time
from typing import Any, cast

from matchex.plugin import MatchingError, TemplateError, as_list, as_mapping, as_number, json_text, type_name

__all__ = ["json_of", "pattern_source", "text_of"]


def text_of(value: object) -> str:
    """A value as text: containers as compact JSON, None as nothing, `true`/`false`, 1.0 as `1`, dates as ISO.

    Raises:
        TemplateError: It has no text (a pattern, bytes, an object that is no data), or is too deep or long.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (date, time)):
        return value.isoformat()
    if as_number(value) is None and as_mapping(value) is None and as_list(value) is None:
        what = "a pattern" if pattern_source(value) is not None else type_name(value)
        raise TemplateError(f"{what} cannot be written inside a text")
    return json_of(value)


def json_of(value: object) -> str:
    """A value as compact JSON."""
    try:
        return json_text(value)
    except MatchingError as error:
        raise TemplateError(error.message) from None


def pattern_source(value: object) -> str | None:
    """The source of a compiled pattern, or None where `value` is none."""
    if isinstance(value, re.Pattern):
        source = cast("re.Pattern[Any]", value).pattern
        return source if isinstance(source, str) else None
    source = getattr(type(value), "source", None) and getattr(value, "source", None)
    return source if isinstance(source, str) and hasattr(value, "flags") else None
