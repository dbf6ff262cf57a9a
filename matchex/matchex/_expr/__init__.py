"""Expressions: a small sandboxed language, written in JavaScript's spelling, Python's, or any mixture.

`compile_expression` turns a text into an `Expression`; evaluating one needs nothing but a scope. The package knows
nothing of matching. From the text to the value::

    text ──_tokens──▶ tokens ──_parser──▶ tree (_tree) ──_compiler──▶ Python function ──▶ value
                                            └──────────── _explain ────────────▶ why

How it is made, and why:

* **One grammar, one tree.** A Pratt parser reads the union of both spellings, so `&&` and `and` are the same from the
  first step on, and cost the same. Text that the two languages read differently (`a < b == c`) is refused with the
  advice to write parentheses.
* **A compiled function, not an interpreter.** The tree becomes a Python syntax tree of a few kinds of nodes, without
  attribute access, that is checked and compiled once. Measured against the bare lambda, `a.x * a.y >= 500` costs 4 to 5
  times as much under all guards; closures, one call for each node, cost 8 times, simpleeval 47 times.
* **The wall is an allow-list.** `_wall` looks at what was built; the globals of the function are our guards
  and nothing else. Values reach an expression as what `matchex._values` makes of them (texts, numbers, lists, mappings,
  dates); a foreign object can only be passed on and compared with itself. Functions and methods are entries of the
  tables in `_registry`, found by name. There is no text formatting by `format` or `%`.
* **Absence is decided by the place.** A reference is compiled in one of two forms: it must be there, or (under `?.`,
  `??`, `typeof`, and compared with `undefined`) it may be missing. What `?.`, `find` and `at` give for nothing is the
  value `undefined`: false in a condition, equal to itself alone, an error everywhere else.
* **Bounds.** Loops, calls and results are paid for in steps (`_limits`). An expression without calls can do no more
  than its text says, so it is not metered.

simpleeval evaluates nothing here: its bounds are settings of the whole process, and its wall is a deny-list. The tests
ask it for a second opinion.
"""

from matchex._expr._errors import (
    ExpressionError,
    ExpressionLimit,
    ExpressionSyntaxError,
    UndefinedField,
    UndefinedName,
)
from matchex._expr._expression import Expression, compile_expression
from matchex._expr._limits import ExpressionLimits

__all__ = [
    "Expression",
    "ExpressionError",
    "ExpressionLimit",
    "ExpressionLimits",
    "ExpressionSyntaxError",
    "UndefinedField",
    "UndefinedName",
    "compile_expression",
]
