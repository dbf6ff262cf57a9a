"""Reading a text answer as JSON, as the runner's `parse` says. The rules are those of the operator `$json`."""

from __future__ import annotations

from typing import Any

from matchex.plugin import JsonTextError, parse_json_text

from matchex import MISSING

__all__ = ["parse_answer"]


def parse_answer(text: str) -> Any:
    r"""The value that a text holds as JSON (a Markdown fence around it is removed), or MISSING where it is no JSON.

    Example:
        >>> parse_answer('```json\n{"a": 1}\n```')
        {'a': 1}
    """
    try:
        return parse_json_text(text)
    except JsonTextError:
        return MISSING
