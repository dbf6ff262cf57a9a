"""Operators that look at a value as a whole: exact structure, schemas, expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchex._node import Node
from matchex._operators._site import Site, Wrong
from matchex._values import as_list, as_mapping, type_name

if TYPE_CHECKING:
    from matchex._compiler import Compiler

__all__ = ["expression", "only", "schema"]


def only(c: Compiler, operand: Any, site: Site) -> Node:
    """A mapping has these keys and no others, or a list these items and no others.

    Operand: a mapping of plain keys (paths and patterns among them), or a list. A lone operator in it is an
        ExpectationError.
    Mapping: matches the operand, and no key is surplus; values below are read as usual, nothing is inherited.
    List: matches the operand item by item and has exactly its length.
    Anything else: fails.
    Empty: `$only: {}` accepts an empty mapping only, `$only: []` an empty list.
    Score: the weighted sum; surplus keys count together as one failed sibling of unassigned weight. A list of another
        length is one failure with score 0.

    >>> import matchex
    >>> result = matchex.validate({"id": 7, "force": True}, {"$only": {"id": 7}})
    >>> result.failures[0].path, result.score
    ('force', 0.5)
    """
    shaped = c.shape(operand, site.place)
    if as_mapping(shaped) is None and as_list(shaped) is None:
        raise Wrong(f"$only takes a mapping or a list, not {type_name(operand)}")
    return c.only(shaped, site)


def schema(c: Compiler, operand: Any, site: Site) -> Node:
    """The value satisfies a JSON Schema.

    Operand: a schema: a mapping, true or false. It needs the plugin matchex-schema.
    Any value: satisfies the schema or not; texts are not trimmed. `false` rejects everything.
    Missing: fails, whatever the schema.
    Empty: `{}` and `true` accept everything that is there.
    Score: 1 or 0. Each violation is a failure at the value that violates.

    >>> import matchex
    >>> wanted = {"type": "object", "properties": {"age": {"minimum": 18}}}
    >>> matchex.validate({"age": 17}, {"$schema": wanted}).failures[0].path
    'age'
    """
    if not isinstance(operand, bool) and as_mapping(operand) is None:
        hint = "; a schema's address alone says nothing: write a keyword beside it" if isinstance(operand, str) else ""
        raise Wrong(f"$schema takes a mapping, true or false, not {type_name(operand)}{hint}")
    return c.schema_node(operand, site.place)


def expression(c: Compiler, operand: Any, site: Site) -> Node:
    """A sandboxed expression over the value holds.

    Operand: an expression as text, in the syntax of JavaScript or of Python.
    Any value: is `actual` (a text trimmed); the expression may also name `data`, `input`, `fixture`, `expected`, `loop`
        and `ctx`. Empty texts, lists and mappings, 0 and false do not hold; everything else does.
    Missing: `actual` is undefined, which is an error unless the expression asks for it (`actual ?? 0`).
    Empty: an empty expression is an ExpectationError.
    Score: 1 or 0; a number is a score and passes at the threshold (0.5 where none is set); a mapping with `passed` or
        `score` is taken as given. Null, and whatever goes wrong, is an error.

    >>> import matchex
    >>> matchex.validate({"net": 80, "tax": 20}, {"$expr": "actual.net + actual.tax === 100"}).passed
    True
    >>> matchex.validate("ab", {"$expr": "len(actual) > 3"}).failures[0].message
    'len(actual) > 3 does not hold: len(actual) = 2; 2 > 3 is false'
    """
    if not isinstance(operand, str):
        raise Wrong(f"$expr takes an expression as text, not {type_name(operand)}")
    return c.expression_node(operand, site)
