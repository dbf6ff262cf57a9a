"""Operators that combine expectations for the same value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchex._logic import AndNode, NotNode, OrNode
from matchex._node import Node
from matchex._operators._site import Site, Wrong, branches

if TYPE_CHECKING:
    from matchex._compiler import Compiler

__all__ = ["all_match", "any_matches", "carrier", "does_not_match"]


def all_match(c: Compiler, operand: Any, site: Site) -> Node:
    r"""Every expectation of a list matches the value.

    Operand: a list of expectations.
    Any value: each expectation is matched against the whole value, which may be missing.
    Empty: an empty list of expectations passes with score 1.
    Score: the weighted sum over the expectations. The failures are theirs, at their own paths; `$and` adds nothing to
        a path.

    >>> import matchex
    >>> matchex.validate("12 EUR", {"$and": ["EUR", "/^\\d+/"]}).passed
    True
    >>> matchex.validate("EUR 12", {"$and": ["EUR", "/^\\d+/"]}).score
    0.5
    """
    return AndNode(site.place, operand, branches(c, operand, site), c.options)


def any_matches(c: Compiler, operand: Any, site: Site) -> Node:
    """At least one expectation of a list matches the value.

    Operand: a list of expectations, the branches.
    Any value: each branch is matched against the whole value, which may be missing.
    Empty: an empty list of branches, or one of penalties only, is an ExpectationError.
    Score: that of the best passing branch (if none passes, of the best branch), where a branch is worth its score times
        its weight; one without an explicit `$score` weighs 1. Penalties that match are subtracted. A failed `$or` is
        one failure at its own path; its message says what each branch lacked.

    >>> import matchex
    >>> matchex.validate("yes", {"$or": ["yes", {"$expect": "maybe", "$score": 40}]}).score
    1.0
    >>> matchex.validate("maybe", {"$or": ["yes", {"$expect": "maybe", "$score": 40}]}).score
    0.4
    """
    nodes = branches(c, operand, site)
    if all(branch.weight is not None and branch.weight < 0 for branch in nodes):
        raise Wrong("$or needs at least one alternative (penalties are none)")
    return OrNode(site.place, operand, nodes, c.options)


def does_not_match(c: Compiler, operand: Any, site: Site) -> Node:
    """The value does not match the expectation.

    Operand: an expectation. Strict object and strict array are off inside it.
    Any value: passes where the expectation fails. An expectation in error leaves `$not` in error.
    Missing: matches no expectation but those for absence, so `$not` mostly passes; a note says that it held on nothing.
    Empty: `$not: {}` refuses every mapping, `$not: []` every empty list, `$not: ""` every blank text.
    Score: 1 or 0, whatever the expectation scored. Beside siblings it takes the weight of its operand.

    >>> import matchex
    >>> matchex.validate({"reply": "I am sorry."}, {"reply": {"$not": "/sorry/"}}).failures[0].message
    'must not match "/sorry/", but does'
    """
    inner = c.operand(operand, site, site.mode.lenient())
    return c.carry(NotNode(site.place, operand, inner), inner, site)


def carrier(c: Compiler, operand: Any, site: Site) -> Node:
    """The expectation matches: a carrier for metadata of what is no mapping.

    Operand: an expectation.
    Any value: matched as if the expectation stood here alone.
    Empty: as the expectation says.
    Score: that of the expectation. Metadata beside `$expect` and inside its operand are those of one node; the inner
        ones win.

    >>> import matchex
    >>> expected = {"reply": {"$expect": "/refund/", "$score": 80, "$title": "speaks of the refund"}, "tone": "calm"}
    >>> round(matchex.validate({"reply": "No.", "tone": "calm"}, expected).score, 6)
    0.2
    """
    return c.operand(operand, site, site.mode)
