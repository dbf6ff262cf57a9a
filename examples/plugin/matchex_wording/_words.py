"""`$wordCount`: how many words a text has."""

from __future__ import annotations

import re
from typing import Any

from matchex.plugin import Aggregate, Context, Operand, type_name

__all__ = ["word_count"]


def word_count(actual: Any, number: Operand, context: Context) -> Aggregate | str:
    """The number of words of the text matches the operand; anything but a text fails."""
    if not isinstance(actual, str):
        return f"$wordCount takes a text, got {type_name(actual)}"
    words = re.findall(r"\w+(?:['’-]\w+)*", actual)
    return context.aggregate([context.child(number, len(words))])
