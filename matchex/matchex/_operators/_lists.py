"""Operators that match expectations against the items of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchex._items import ContainsNode, CountNode, EachNode, NoneNode
from matchex._node import Node
from matchex._operands import AllNode, UnorderedNode
from matchex._operators._site import Site, Wrong, branches, flag, split_options
from matchex._sequence import SequenceNode
from matchex._values import as_mapping

if TYPE_CHECKING:
    from matchex._compiler import Compiler

__all__ = ["all_found", "contains", "count", "each", "none", "sequence", "unordered"]


def contains(c: Compiler, operand: Any, site: Site) -> Node:
    """Some item of a list matches, a part of a text, or a part of a mapping.

    Operand: an expectation.
    List: some item matches the whole operand.
    Text: a text operand is a part of it (also under strict text), a pattern is found in it; other operands are matched
        against the whole text.
    Mapping: a mapping operand is matched partially: surplus keys are allowed, also under strict object.
    Anything else: a number, null or a missing value fails.
    Empty: an empty list contains nothing and fails. `$contains: ""` accepts only a blank text, or a list with one.
    Score: that of the first item that matches with score 1, else of the best item, also of the best failed one. Beside
        siblings it takes the weight of its operand. One failure at the list names the nearest item.

    >>> import matchex
    >>> matchex.validate([{"tool": "search"}, {"tool": "refund", "id": 7}], {"$contains": {"tool": "refund"}}).passed
    True
    >>> matchex.validate("on its way", {"$contains": "way"}, strict="text").passed
    True
    """
    item = c.operand(operand, site, site.mode)
    other = c.part(operand, item, site)
    return c.carry(ContainsNode(site.place, operand, item, other), item, site)


def all_found(c: Compiler, operand: Any, site: Site) -> Node:
    """Every expectation of a list is matched by some item, in any order.

    Operand: a list of expectations; `{$value: list, distinct: true}` asks for a different item for each.
    List: every expectation finds an item. Without `distinct` one item may serve several; with it items and expectations
        are paired so that as many as possible find one, whatever their order. Surplus items do not matter.
    Anything else: fails.
    Empty: an empty list of expectations passes with score 1 on every list; an empty list fails any other.
    Score: the weighted sum; an expectation that was not found earns what its best item scored (with `distinct`
        nothing). A penalty is looked for in all items and takes none away. One failure for each expectation that was
        not found.

    >>> import matchex
    >>> matchex.validate(["b", "a", "c"], {"$all": ["a", "b"]}).passed
    True
    >>> matchex.validate(["ab"], {"$all": {"$value": ["a", "b"], "distinct": True}}).score
    0.5
    """
    options, value = split_options(c, c.shape(operand, site.place), site, ("distinct",))
    inside = site._replace(place=(*site.place, "$value")) if options else site
    nodes = branches(c, value, inside)
    if flag(options, "distinct", default=False):
        return UnorderedNode(site.place, operand, "$all", nodes, c.options, exact=False)
    return AllNode(site.place, operand, "$all", nodes, c.options)


def unordered(c: Compiler, operand: Any, site: Site) -> Node:
    """A list has exactly these items, in any order.

    Operand: a list of expectations.
    List: expectations and items can be paired one to one, and nothing is left over.
    Anything else: fails.
    Empty: an empty list of expectations accepts an empty list only.
    Score: matched weight ÷ (weights of the expectations + one average weight for each surplus item, of which there are
        as many as there are more items than expectations). A penalty takes no item. One failure at the list names what
        was not found and what is left over.

    >>> import matchex
    >>> matchex.validate([2, 1], {"$unordered": [1, 2]}).passed
    True
    >>> result = matchex.validate([2, 1, 5], {"$unordered": [1, 2]})
    >>> round(result.score, 3), result.failures[0].message
    (0.667, '1 item left over: 5')
    """
    return UnorderedNode(site.place, operand, "$unordered", branches(c, operand, site), c.options, exact=True)


def each(c: Compiler, operand: Any, site: Site) -> Node:
    """Every item matches.

    Operand: an expectation.
    List: every item matches it.
    Anything else: fails.
    Empty: an empty list passes with score 1; a note says that it held on nothing.
    Score: the mean of the items' scores. Beside siblings it takes the weight of its operand. The failures are those of
        the items, at their indexes.

    >>> import matchex
    >>> result = matchex.validate({"prices": [4, 20, 7]}, {"prices": {"$each": {"$lt": 10}}})
    >>> round(result.score, 3), result.failures[0].path
    (0.667, 'prices[1]')
    """
    inner = c.operand(operand, site, site.mode)
    return c.carry(EachNode(site.place, operand, inner), inner, site)


def none(c: Compiler, operand: Any, site: Site) -> Node:
    """No item matches.

    Operand: an expectation. Strict object and strict array are off inside it.
    List: no item matches it.
    Anything else: fails.
    Empty: an empty list passes with score 1; a note says that it held on nothing.
    Score: 1 or 0. Beside siblings it takes the weight of its operand. One failure at the list names the item that
        matches.

    >>> import matchex
    >>> matchex.validate(["refund", "delete"], {"$none": "delete"}).failures[0].message
    'no item may match "delete", but item 1 does: "delete"'
    """
    inner = c.operand(operand, site, site.mode.lenient())
    return c.carry(NoneNode(site.place, operand, inner), inner, site)


def sequence(c: Compiler, operand: Any, site: Site) -> Node:
    """Items match these expectations in this order.

    Operand: a list of expectations, the steps; `{$value: list, contiguous: true}` lets no other item stand between.
    List: each step finds an item behind the item of the step before; other items may stand between.
    Anything else: fails.
    Empty: an empty list of steps passes with score 1; an empty list fails any other.
    Score: the weighted sum; a step that was not found earns what its best item scored. With `contiguous` the best
        window counts. A penalty is looked for behind the previous hit and never moves the position. One failure for
        each step that was not found; it says where the step stands if it stands elsewhere.

    >>> import matchex
    >>> matchex.validate(["find", "ask", "refund"], {"$sequence": ["find", "refund"]}).passed
    True
    >>> matchex.validate(["refund", "find"], {"$sequence": ["find", "refund"]}).failures[0].message
    'step 2 of 2, "refund", stands at item 0, not after step 1 (item 1)'
    """
    options, value = split_options(c, c.shape(operand, site.place), site, ("contiguous",))
    inside = site._replace(place=(*site.place, "$value")) if options else site
    contiguous = flag(options, "contiguous", default=False)
    return SequenceNode(site.place, operand, branches(c, value, inside), c.options, contiguous=contiguous)


def count(c: Compiler, operand: Any, site: Site) -> Node:
    """The number of matching items is as expected.

    Operand: a mapping with `$of` and an expectation for the number. `$of` is what the items must match:
        `{$of: {role: user}, $gte: 2}`, or `{$of: …, $value: 2}`. Without a number it is an ExpectationError.
    List: the items that match `$of` are counted, then the number is matched.
    Anything else: fails.
    Empty: an empty list has 0 matching items.
    Score: 1 or 0. Where items are in error, every number between the sure and the possible hits counts. One failure at
        the list.

    >>> import matchex
    >>> turns = [{"role": "user"}, {"role": "assistant"}, {"role": "user"}]
    >>> matchex.validate(turns, {"$count": {"$of": {"role": "user"}, "$value": 2}}).passed
    True
    >>> matchex.validate(turns, {"$count": {"$of": {"role": "user"}, "$gt": 2}}).failures[0].message
    '2 of 3 items match {"role": "user"}: expected a value greater than 2, got 2'
    """
    mapping = as_mapping(operand)
    if mapping is None or "$of" not in mapping:
        raise Wrong("$count takes a mapping with $of: {$of: {role: user}, $gte: 2}")
    rest = c.rest(mapping, "$of", site)
    if rest is None:
        raise Wrong("$count needs the number that it expects beside $of: {$of: …, $value: 2}")
    item = c.node(mapping["$of"], (*site.place, "$of"), site.mode)
    return CountNode(site.place, operand, item, rest)
