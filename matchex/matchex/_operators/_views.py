"""Operators that match an expectation against something else than the value itself: an item, a length, parsed JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from matchex._node import Keys, Node
from matchex._operators._site import Site, Wrong
from matchex._paths import parse_path
from matchex._show import show
from matchex._sorting import SortKey, SortNode
from matchex._values import as_list, as_mapping, type_name
from matchex._views import JsonNode, KeysNode, LengthNode, NthNode, ValuesNode

if TYPE_CHECKING:
    from matchex._compiler import Compiler

__all__ = ["first", "json", "keys", "last", "length", "nth", "sort", "values"]


def first(c: Compiler, operand: Any, site: Site) -> Node:
    """The first item of a list matches.

    Operand: an expectation.
    List: its first item is matched.
    Anything else: fails.
    Empty: an empty list fails: there is no item.
    Score: that of the item. Beside siblings it takes the weight of its operand. Failures stand at the item.

    >>> import matchex
    >>> matchex.validate([{"role": "system"}, {"role": "user"}], {"$first": {"role": "system"}}).passed
    True
    """
    return _item(c, operand, site, 0)


def last(c: Compiler, operand: Any, site: Site) -> Node:
    """The last item of a list matches.

    Operand: an expectation.
    List: its last item is matched.
    Anything else: fails.
    Empty: an empty list fails: there is no item.
    Score: that of the item. Beside siblings it takes the weight of its operand. Failures stand at the item, by its
        index from the front.

    >>> import matchex
    >>> matchex.validate(["find", "ask"], {"$last": "refund"}).failures[0].path
    '[1]'
    """
    return _item(c, operand, site, -1)


def _item(c: Compiler, operand: object, site: Site, index: int) -> Node:
    inner = c.operand(operand, site, site.mode)
    return c.carry(NthNode(site.place, operand, site.name, inner, index), inner, site)


def nth(c: Compiler, operand: Any, site: Site) -> Node:
    """The item at an index matches.

    Operand: a mapping with `$index` and what the item must match: `{$index: 1, role: user}`, or `$value: 5` for a
        scalar. `$index` is an integer; negative ones count from the end.
    List: the item at that index is matched; an index out of range fails.
    Anything else: fails.
    Empty: an empty list fails. `{$index: 0}` alone passes when there is such an item.
    Score: that of the item. Failures stand at the item, by its index from the front.

    >>> import matchex
    >>> matchex.validate([3, 5, 8], {"$nth": {"$index": -2, "$value": 5}}).passed
    True
    >>> matchex.validate([3], {"$nth": {"$index": 1, "$value": 5}}).failures[0].message
    '$nth: there is no item 1 in a list of 1'
    """
    mapping = as_mapping(operand)
    if mapping is None or "$index" not in mapping:
        raise Wrong("$nth takes a mapping with $index: {$index: 1, $value: 5}")
    index = c.literal(mapping["$index"], (*site.place, "$index"))
    if isinstance(index, bool) or not isinstance(index, int):
        raise Wrong(f"$index takes an integer, not {show(index)}", ("$index",))
    return NthNode(site.place, operand, "$nth", c.rest(mapping, "$index", site) or c.anything(site), index)


def sort(c: Compiler, operand: Any, site: Site) -> Node:
    """The list, sorted, matches.

    Operand: a mapping with `$by` and what the sorted list must match. `$by` is a path (`price`, `user.name`;
        `-price` descends), `{$expr: …, order: asc}` (or `desc`) over `item`, `index` and `array`, a function of
        (item), (item, index) or (item, index, array), or a list of these. Without it, or with `[]`, items are sorted by
        themselves.
    List: a sorted copy is matched; equal items keep their order. Null, missing values and NaN come last, in this order
        (first where it descends).
    Anything else: fails.
    Empty: an empty list is sorted. `$by` alone passes on every list that can be sorted.
    Score: that of what the sorted list is matched against. Failures name items by the index that they had before.
        A path that no item has, and values without a common order (a text and a number, mappings by themselves), are
        errors.

    >>> import matchex
    >>> offers = [{"price": 30}, {"price": 10}]
    >>> result = matchex.validate(offers, {"$sort": {"$by": "price", "$first": {"price": {"$gte": 20}}}})
    >>> result.failures[0].path, result.failures[0].actual
    ('[1].price', 10)
    """
    mapping = as_mapping(operand)
    if mapping is None:
        raise Wrong(f"$sort takes a mapping: {{$by: name, $first: …}}, not {type_name(operand)}")
    place = (*site.place, "$by")
    by = _sort_keys(c, mapping["$by"], place) if "$by" in mapping else []
    return SortNode(site.place, operand, c.rest(mapping, "$by", site) or c.anything(site), by)


def _sort_keys(c: Compiler, by: object, place: Keys) -> list[SortKey]:
    entries = as_list(by)
    if entries is not None:
        return [_sort_key(c, entry, (*place, i)) for i, entry in enumerate(entries)]
    return [_sort_key(c, by, place)]


def _sort_key(c: Compiler, entry: object, place: Keys) -> SortKey:
    if isinstance(entry, str):
        name = str(c.literal(entry, place))
        descending = name.startswith("-")
        name = name[1:] if descending else name
        return SortKey(name=name, steps=parse_path(name), descending=descending)
    if callable(entry):
        return SortKey(function=cast("Callable[..., Any]", entry))
    mapping = as_mapping(entry)
    if mapping is None or not isinstance(mapping.get("$expr"), str):
        takes = "a path, -path for descending order, {$expr: …, order: desc}, a function, or a list of these"
        raise Wrong(f"$by takes {takes}, not {show(entry)}", ("$by",))
    for key in mapping:
        if key not in ("$expr", "order"):
            raise Wrong(f"an entry of $by has no field {key!r}; it knows $expr and order", ("$by",), None)
    order = c.literal(mapping.get("order", "asc"), (*place, "order"))
    if order not in ("asc", "desc"):
        raise Wrong(f"order takes asc or desc, not {show(order)}", ("$by", "order"))
    expression = c.expression(mapping["$expr"], (*place, "$expr"))
    return SortKey(expression=expression, descending=order == "desc")


def length(c: Compiler, operand: Any, site: Site) -> Node:
    """The number of characters, items or keys matches.

    Operand: an expectation for the number: `3`, or `{$gte: 2}`.
    Text: the number of its code points, blanks at the ends included.
    List: the number of its items.
    Mapping: the number of its keys.
    Anything else: fails.
    Empty: an empty text, list or mapping has length 0.
    Score: that of the expectation for the number. One failure at the value itself.

    >>> import matchex
    >>> matchex.validate({"reply": "Good morning."}, {"reply": {"$length": {"$lte": 10}}}).failures[0].message
    'its length: expected a value less than or equal to 10, got 13'
    """
    return LengthNode(site.place, operand, site.name, c.operand(operand, site, site.mode))


def keys(c: Compiler, operand: Any, site: Site) -> Node:
    """The keys of a mapping match, as a list.

    Operand: an expectation for the list of keys.
    Mapping: its keys, in its own order.
    Anything else: fails.
    Empty: an empty mapping has the keys `[]`.
    Score: that of the expectation for the list. One failure at the mapping itself.

    >>> import matchex
    >>> matchex.validate({"b": 1, "a": 2}, {"$keys": {"$unordered": ["a", "b"]}}).passed
    True
    """
    return KeysNode(site.place, operand, site.name, c.operand(operand, site, site.mode))


def values(c: Compiler, operand: Any, site: Site) -> Node:
    """The values of a mapping match, as a list.

    Operand: an expectation for the list of values.
    Mapping: its values, in its own order.
    Anything else: fails.
    Empty: an empty mapping has the values `[]`.
    Score: that of the expectation for the list. One failure at the mapping itself.

    >>> import matchex
    >>> matchex.validate({"tone": 4, "style": 5}, {"$values": {"$each": {"$gte": 3}}}).passed
    True
    """
    return ValuesNode(site.place, operand, site.name, c.operand(operand, site, site.mode))


def json(c: Compiler, operand: Any, site: Site) -> Node:
    """The JSON in a text matches.

    Operand: an expectation for what the text says.
    Text: parsed as JSON after trimming; one Markdown code fence around it is removed. What is no JSON fails with line
        and column; so do a key that is given twice, NaN and Infinity. Integers are exact at any size.
    Anything else: fails, also a value that is parsed already.
    Empty: an empty text is no JSON and fails.
    Score: that of the expectation. Beside siblings it takes the weight of its operand. Failures go on with the path
        inside the JSON.

    >>> import matchex
    >>> result = matchex.validate('{"status": "sent", "amount": 12}', {"$json": {"amount": {"$gte": 20}}})
    >>> result.failures[0].path, result.failures[0].actual
    ('amount', 12)
    """
    inner = c.operand(operand, site, site.mode)
    return c.carry(JsonNode(site.place, operand, site.name, inner), inner, site)
