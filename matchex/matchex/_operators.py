"""The built-in operators: what each takes, checked once, and the node it becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from matchex._items import ContainsNode, CountNode, EachNode, NoneNode
from matchex._logic import AndNode, NotNode, OrNode
from matchex._node import Keys, Node
from matchex._operands import AllNode, UnorderedNode
from matchex._paths import nearest, parse_path
from matchex._scalars import (
    JSON_TYPES,
    EndsWith,
    Equals,
    Exists,
    In,
    JsonType,
    Near,
    NotEquals,
    NotIn,
    Ordered,
    OrderedNumber,
    StartsWith,
)
from matchex._sequence import SequenceNode
from matchex._show import show
from matchex._sorting import SortKey, SortNode
from matchex._texts import SimilarNode
from matchex._values import as_list, as_mapping, as_number, type_name
from matchex._views import JsonNode, KeysNode, LengthNode, NthNode, ValuesNode

if TYPE_CHECKING:
    from matchex._compiler import Compiler, Mode

__all__ = ["OPERATORS", "Site", "Wrong"]


class Wrong(Exception):
    """An operand that the operator does not take.

    Args:
        message: What is wrong, and what may be written.
        keys: Where below the operator.
        suggestion: The nearest valid name, for a misspelt one.
    """

    def __init__(self, message: str, keys: Keys = (), suggestion: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.keys = keys
        self.suggestion = suggestion


class Site(NamedTuple):
    """Where an operator stands.

    Attributes:
        name: Its name.
        place: Its place in the expectation, its name included.
        mode: How its operands are to be read.
        sibling: Whether it stands beside other operators or fields, so that the weight of its operand is read.
        mark: What a number that it gives must reach.
    """

    name: str
    place: Keys
    mode: Mode
    sibling: bool
    mark: float


Build = Callable[["Compiler", Any, Site], Node]


def _options(operand: object, site: Site, known: Sequence[str], required: str) -> tuple[Mapping[Any, Any], Any]:
    """The option mapping `{$value, …}` of an operator and its main part; anything else is the main part alone."""
    mapping = as_mapping(operand)
    if mapping is None or not any(key == required or key in known for key in mapping):
        return {}, operand
    for key in mapping:
        if key not in known and key != required:
            guess = nearest(str(key), [*known, required])
            hint = f"; did you mean {guess}?" if guess else f"; it knows {', '.join([required, *known])}"
            raise Wrong(f"{site.name} has no option {key!r}{hint}", (str(key),), guess)
    if required not in mapping:
        raise Wrong(f"{site.name} with options needs {required}")
    return mapping, mapping[required]


def _flag(options: Mapping[Any, Any], name: str, default: bool) -> bool:
    value = options.get(name, default)
    if not isinstance(value, bool):
        raise Wrong(f"{name} takes true or false, not {show(value)}", (name,))
    return value


def _amount(options: Mapping[Any, Any], name: str, default: float) -> float:
    number = as_number(options.get(name, default))
    if number is None or not 0 <= number < float("inf"):
        raise Wrong(f"{name} takes a number from 0 on, not {show(options[name])}", (name,))
    return float(number)


# -- conjunctions and alternatives


def _branches(c: Compiler, operand: object, site: Site) -> list[Node]:
    items = as_list(c.shape(operand, site.place))
    if items is None:
        raise Wrong(f"{site.name} takes a list of expectations, not {type_name(operand)}")
    return [c.node(item, (*site.place, i), site.mode.reading()) for i, item in enumerate(items)]


def _and(c: Compiler, operand: object, site: Site) -> Node:
    return AndNode(site.place, operand, _branches(c, operand, site), c.options)


def _or(c: Compiler, operand: object, site: Site) -> Node:
    branches = _branches(c, operand, site)
    if all(branch.weight is not None and branch.weight < 0 for branch in branches):
        raise Wrong("$or needs at least one alternative (penalties are none)")
    return OrNode(site.place, operand, branches, c.options)


def _not(c: Compiler, operand: object, site: Site) -> Node:
    inner = c.operand(operand, site, site.mode.lenient())
    return c.carry(NotNode(site.place, operand, inner), inner, site)


# -- lists


def _contains(c: Compiler, operand: object, site: Site) -> Node:
    item = c.operand(operand, site, site.mode)
    other = c.part(operand, item, site)
    return c.carry(ContainsNode(site.place, operand, item, other), item, site)


def _each(c: Compiler, operand: object, site: Site) -> Node:
    inner = c.operand(operand, site, site.mode)
    return c.carry(EachNode(site.place, operand, inner), inner, site)


def _none(c: Compiler, operand: object, site: Site) -> Node:
    inner = c.operand(operand, site, site.mode.lenient())
    return c.carry(NoneNode(site.place, operand, inner), inner, site)


def _all(c: Compiler, operand: object, site: Site) -> Node:
    options, value = _options(c.shape(operand, site.place), site, ("distinct",), "$value")
    inside = site._replace(place=(*site.place, "$value")) if options else site
    nodes = _branches(c, value, inside)
    if _flag(options, "distinct", default=False):
        return UnorderedNode(site.place, operand, "$all", nodes, c.options, exact=False)
    return AllNode(site.place, operand, "$all", nodes, c.options)


def _unordered(c: Compiler, operand: object, site: Site) -> Node:
    return UnorderedNode(site.place, operand, "$unordered", _branches(c, operand, site), c.options, exact=True)


def _sequence(c: Compiler, operand: object, site: Site) -> Node:
    options, value = _options(c.shape(operand, site.place), site, ("contiguous",), "$value")
    inside = site._replace(place=(*site.place, "$value")) if options else site
    contiguous = _flag(options, "contiguous", default=False)
    return SequenceNode(site.place, operand, _branches(c, value, inside), c.options, contiguous=contiguous)


def _count(c: Compiler, operand: object, site: Site) -> Node:
    mapping = as_mapping(operand)
    if mapping is None or "$of" not in mapping:
        raise Wrong("$count takes a mapping with $of: {$of: {role: user}, $gte: 2}")
    rest = c.rest(mapping, "$of", site)
    if rest is None:
        raise Wrong("$count needs the number that it expects beside $of: {$of: …, $value: 2}")
    item = c.node(mapping["$of"], (*site.place, "$of"), site.mode)
    return CountNode(site.place, operand, item, rest)


# -- views


def _first(c: Compiler, operand: object, site: Site) -> Node:
    inner = c.operand(operand, site, site.mode)
    index = 0 if site.name == "$first" else -1
    return c.carry(NthNode(site.place, operand, site.name, inner, index), inner, site)


def _nth(c: Compiler, operand: object, site: Site) -> Node:
    mapping = as_mapping(operand)
    if mapping is None or "$index" not in mapping:
        raise Wrong("$nth takes a mapping with $index: {$index: 1, $value: 5}")
    index = c.literal(mapping["$index"], (*site.place, "$index"))
    if isinstance(index, bool) or not isinstance(index, int):
        raise Wrong(f"$index takes an integer, not {show(index)}", ("$index",))
    return NthNode(site.place, operand, "$nth", c.rest(mapping, "$index", site) or c.anything(site), index)


def _sort(c: Compiler, operand: object, site: Site) -> Node:
    mapping = as_mapping(operand)
    if mapping is None:
        raise Wrong(f"$sort takes a mapping: {{$by: name, $first: …}}, not {type_name(operand)}")
    place = (*site.place, "$by")
    keys = _sort_keys(c, mapping["$by"], place) if "$by" in mapping else []
    return SortNode(site.place, operand, c.rest(mapping, "$by", site) or c.anything(site), keys)


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
    order = mapping.get("order", "asc")
    if order not in ("asc", "desc"):
        raise Wrong(f"order takes asc or desc, not {show(order)}", ("$by", "order"))
    expression = c.expression(mapping["$expr"], (*place, "$expr"))
    return SortKey(expression=expression, descending=order == "desc")


def _view(kind: Callable[[Keys, object, str, Node], Node]) -> Build:
    def build(c: Compiler, operand: object, site: Site) -> Node:
        inner = c.operand(operand, site, site.mode)
        node = kind(site.place, operand, site.name, inner)
        return c.carry(node, inner, site) if kind is JsonNode else node

    return build


def _only(c: Compiler, operand: object, site: Site) -> Node:
    shaped = c.shape(operand, site.place)
    if as_mapping(shaped) is None and as_list(shaped) is None:
        raise Wrong(f"$only takes a mapping or a list, not {type_name(operand)}")
    return c.only(shaped, site)


# -- values


def _exists(c: Compiler, operand: object, site: Site) -> Node:
    options, value = _options(c.literal(operand, site.place), site, ("strict", "nullAsAbsent"), "$value")
    if not isinstance(value, bool):
        raise Wrong(f"$exists takes true or false, not {show(value)}")
    strict = _flag(options, "strict", default=False)
    return Exists(site.place, operand, value, strict=strict, null_absent=_flag(options, "nullAsAbsent", default=True))


def _equal(kind: Callable[[Keys, object], Node]) -> Build:
    return lambda c, operand, site: kind(site.place, c.literal(operand, site.place))


def _order(c: Compiler, operand: object, site: Site) -> Node:
    bound = c.literal(operand, site.place)
    if as_number(bound) is None and not isinstance(bound, (str, date)):
        raise Wrong(f"{site.name} takes a number, a text or a date, not {type_name(bound)}")
    kind = OrderedNumber if type(bound) in (int, float) else Ordered
    return kind(site.place, site.name, bound)


def _member(kind: Callable[[Keys, Sequence[Any]], Node]) -> Build:
    def build(c: Compiler, operand: object, site: Site) -> Node:
        values = as_list(c.literal(operand, site.place))
        if values is None:
            raise Wrong(f"{site.name} takes a list of values, not {type_name(operand)}")
        return kind(site.place, values)

    return build


def _near(c: Compiler, operand: object, site: Site) -> Node:
    options, value = _options(c.literal(operand, site.place), site, ("rel", "abs"), "$value")
    if as_number(value) is None:
        raise Wrong(f"$near takes a number, or {{$value, rel, abs}}, not {show(value)}")
    return Near(site.place, operand, value, _amount(options, "rel", 1e-9), _amount(options, "abs", 0.0))


def _type(c: Compiler, operand: object, site: Site) -> Node:
    value = c.literal(operand, site.place)
    names = [value] if isinstance(value, str) else as_list(value)
    if not names:
        raise Wrong(f"$type takes {', '.join(JSON_TYPES)}, or a list of these; not {show(value)}")
    for name in names:
        if name not in JSON_TYPES:
            guess = nearest(str(name), JSON_TYPES)
            hint = f"; did you mean {guess}?" if guess else f"; it knows {', '.join(JSON_TYPES)}"
            raise Wrong(f"$type knows no {show(name)}{hint}", (), guess)
    return JsonType(site.place, operand, names)


def _ends(kind: Callable[[Keys, str], Node]) -> Build:
    def build(c: Compiler, operand: object, site: Site) -> Node:
        return kind(site.place, _text(c, operand, site))

    return build


def _text(c: Compiler, operand: object, site: Site) -> str:
    value = c.literal(operand, site.place)
    if not isinstance(value, str):
        raise Wrong(f"{site.name} takes a text, not {type_name(value)}")
    return value


def _similar(c: Compiler, operand: object, site: Site) -> Node:
    options, value = _options(c.literal(operand, site.place), site, ("min",), "$value")
    if not isinstance(value, str):
        raise Wrong(f"$similar takes a text, or {{$value, min}}, not {show(value)}")
    minimum = _amount(options, "min", 0.8)
    if minimum > 1:
        raise Wrong(f"min takes a number from 0 to 1, not {minimum:g}", ("min",))
    return SimilarNode(site.place, operand, value, minimum)


def _expr(c: Compiler, operand: object, site: Site) -> Node:
    if not isinstance(operand, str):
        raise Wrong(f"$expr takes an expression as text, not {type_name(operand)}")
    return c.expression_node(operand, site)


def _schema(c: Compiler, operand: object, site: Site) -> Node:
    if not isinstance(operand, bool) and as_mapping(operand) is None:
        hint = "; a schema's address alone says nothing: write a keyword beside it" if isinstance(operand, str) else ""
        raise Wrong(f"$schema takes a mapping, true or false, not {type_name(operand)}{hint}")
    return c.schema_node(operand, site.place)


def _diff(c: Compiler, operand: object, site: Site) -> Node:
    return c.diff_node(operand, site)


OPERATORS: Final[dict[str, Build]] = {
    "$and": _and,
    "$or": _or,
    "$not": _not,
    "$contains": _contains,
    "$all": _all,
    "$unordered": _unordered,
    "$each": _each,
    "$none": _none,
    "$sequence": _sequence,
    "$count": _count,
    "$exists": _exists,
    "$sort": _sort,
    "$nth": _nth,
    "$first": _first,
    "$last": _first,
    "$eq": _equal(Equals),
    "$ne": _equal(NotEquals),
    "$gt": _order,
    "$gte": _order,
    "$lt": _order,
    "$lte": _order,
    "$in": _member(In),
    "$nin": _member(NotIn),
    "$near": _near,
    "$type": _type,
    "$length": _view(LengthNode),
    "$keys": _view(KeysNode),
    "$values": _view(ValuesNode),
    "$only": _only,
    "$startsWith": _ends(StartsWith),
    "$endsWith": _ends(EndsWith),
    "$similar": _similar,
    "$json": _view(JsonNode),
    "$expr": _expr,
    "$schema": _schema,
    "$diff": _diff,
    "$expect": lambda c, operand, site: c.operand(operand, site, site.mode),
}
"""Every built-in operator by name, in the order of the reference."""
