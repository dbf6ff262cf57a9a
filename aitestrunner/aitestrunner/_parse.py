"""Reading a text answer as JSON, as the runner's `parse` says. The rules are those of the operator `$json`."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from matchex import MISSING

__all__ = ["parse_answer"]

_FENCE: Final = re.compile(r"\A\s*```[\w+-]*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)


def parse_answer(text: str) -> Any:
    r"""The value that a text holds as JSON (a Markdown fence around it is removed), or MISSING where it is no JSON.

    Example:
        >>> parse_answer('```json\n{"a": 1}\n```')
        {'a': 1}
    """
    fenced = _FENCE.match(text)
    try:
        return json.loads(
            (fenced[1] if fenced else text).strip().strip("\ufeff"), object_pairs_hook=_fields, parse_constant=_refuse
        )
    except (ValueError, RecursionError):
        return MISSING


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key is given twice")
    return fields


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
