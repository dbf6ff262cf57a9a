"""Operators that look at a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchex._node import Node
from matchex._operators._site import Site, Wrong, amount, split_options, text
from matchex._scalars import EndsWith, StartsWith
from matchex._show import show
from matchex._texts import SimilarNode

if TYPE_CHECKING:
    from matchex._compiler import Compiler

__all__ = ["diff", "ends_with", "similar", "starts_with"]


def starts_with(c: Compiler, operand: Any, site: Site) -> Node:
    """The text begins with the operand.

    Operand: a text, taken literally and not trimmed.
    Text: begins with it, after trimming the value.
    Anything else: fails.
    Empty: every text begins with `""`; an empty text begins with nothing else.
    Score: 1 or 0. The failure carries a diff.

    >>> import matchex
    >>> matchex.validate("  Dear Ann,", {"$startsWith": "Dear"}).passed
    True
    """
    return StartsWith(site.place, text(c, operand, site))


def ends_with(c: Compiler, operand: Any, site: Site) -> Node:
    """The text ends with the operand.

    Operand: a text, taken literally and not trimmed.
    Text: ends with it, after trimming the value.
    Anything else: fails.
    Empty: every text ends with `""`; an empty text ends with nothing else.
    Score: 1 or 0. The failure carries a diff.

    >>> import matchex
    >>> matchex.validate("It is done", {"$endsWith": "."}).failures[0].message
    'expected the text to end with ".", got "It is done"'
    """
    return EndsWith(site.place, text(c, operand, site))


def similar(c: Compiler, operand: Any, site: Site) -> Node:
    """The text is similar to the operand.

    Operand: a text, taken literally; `{$value, min}` says how similar (0 to 1, default 0.8).
    Text: the share of characters that insertions and deletions leave alone: 1 − distance ÷ (sum of both lengths), after
        trimming the value.
    Anything else: fails.
    Empty: two empty texts are equal (1); an empty text and another one have nothing in common (0).
    Score: the similarity itself; it passes from `min` on.

    >>> import matchex
    >>> result = matchex.validate("The refund is on its way", {"$similar": "The refund is on the way"})
    >>> result.passed, round(result.score, 3)
    (True, 0.917)
    """
    options, value = split_options(c, c.literal(operand, site.place), site, ("min",))
    if not isinstance(value, str):
        raise Wrong(f"$similar takes a text, or {{$value, min}}, not {show(value)}")
    minimum = amount(options, "min", 0.8)
    if minimum > 1:
        raise Wrong(f"min takes a number from 0 to 1, not {minimum:g}", ("min",))
    return SimilarNode(site.place, operand, value, minimum)


def diff(c: Compiler, operand: Any, site: Site) -> Node:
    """The text differs from another one by nothing but allowed changes.

    Operand: a text, or a mapping with `value`; the mapping may also have `type` (`auto chars words wordsWithSpace lines
        sentences json`), `items` (the white-list of changes), `permissive`, `ignoreCase`, `ignoreWhitespace`,
        `ignoreNewlineAtEof`, `newlineIsToken`, `stripTrailingCr`. For type json `value` may be a mapping or a list.
        Without `value` the baseline of the caller is compared with; where there is none it is an ExpectationError.
    Text: both are trimmed and compared. Without `items` every change fails. With them each change must be covered by an
        item (unless `permissive`), and every `required` item must occur.
    Anything else: fails.
    Empty: an empty text equals only an empty text; an empty white-list allows nothing.
    Score: without `items` 1 or 0. With them the weights of the items found, plus (unless permissive) the strictness
        share when nothing is unlisted. The failure carries the diff.

    >>> import matchex
    >>> greeting = {"value": "Hello Ann", "type": "words", "items": [{"value": "Hello"}, {"value": "/^(Hi|Hey)$/"}]}
    >>> matchex.validate("Hi Ann", {"$diff": greeting}).passed
    True
    >>> matchex.validate("Hi Bob", {"$diff": greeting}).passed
    False
    """
    return c.diff_node(operand, site)
