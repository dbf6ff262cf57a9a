"""The entry point: matchex loads this module when an expectation first names something that is not built in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from matchex.plugin import Strategy, hookimpl

import matchex
from matchex_wording._majority import Majority
from matchex_wording._words import word_count


@hookimpl
def matchex_operators() -> Iterable[matchex.Operator]:
    """The operators of this plugin."""
    return [matchex.Operator("$wordCount", word_count, operand="expectation")]


@hookimpl
def matchex_strategies() -> Mapping[str, Strategy]:
    """The strategies of this plugin, by the names that `$strategy` uses."""
    return {"majority": Majority()}
