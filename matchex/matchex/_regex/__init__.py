"""Regular expressions that mean what JavaScript means and cannot hang.

A pattern goes through `_parser` (JavaScript's grammar) into a tree (`_ast`); `_safety` bounds what a search may cost,
`_exactness` says whether the engines agree with JavaScript on it, and `_emit` writes it for an engine. `_pattern`
decides who answers: `re` without a clock where the bound allows, the linear-time engine where it is installed, `regex`
under a clock, or the machine of `_machine` where only ECMAScript's own rules give the right answer.
"""

from ._errors import PatternError, PatternTimeout
from ._literal import escape, parse_literal
from ._pattern import Pattern, PatternMatch, compile_pattern, from_python

__all__ = [
    "Pattern",
    "PatternError",
    "PatternMatch",
    "PatternTimeout",
    "compile_pattern",
    "escape",
    "from_python",
    "parse_literal",
]
