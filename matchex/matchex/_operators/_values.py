"""Operators that compare the value itself: equality, order, membership, closeness, kind, presence."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from matchex._node import Node
from matchex._operators._site import Site, Wrong, amount, flag, split_options
from matchex._paths import nearest
from matchex._scalars import (
    JSON_TYPES,
    Equals,
    Exists,
    In,
    JsonType,
    Near,
    NotEquals,
    NotIn,
    Ordered,
    OrderedNumber,
)
from matchex._show import show
from matchex._values import as_list, as_number, type_name

if TYPE_CHECKING:
    from matchex._compiler import Compiler

__all__ = [
    "equals",
    "exists",
    "greater",
    "greater_or_equal",
    "json_type",
    "less",
    "less_or_equal",
    "member",
    "near",
    "not_equals",
    "not_member",
]


def equals(c: Compiler, operand: Any, site: Site) -> Node:
    """The value equals the operand.

    Operand: any data, taken literally: no operators, no patterns; placeholders are rendered.
    Text: equals the operand as it is, or after trimming the value.
    Number: equal by value (`5` and `5.0`), exact for integers of any size; a bool is no number; NaN equals nothing.
    List, mapping: deeply equal; the order of keys is irrelevant.
    Null: equals null.
    Missing: equals nothing that can be written in JSON, so it fails.
    Empty: `{}`, `[]` and `""` equal only themselves (`""` also a blank text).
    Score: 1 or 0. Two texts that look alike get their invisible difference named.

    >>> import matchex
    >>> matchex.validate({"b": 2, "a": 1.0}, {"$eq": {"a": 1, "b": 2}}).passed
    True
    >>> matchex.validate("the refund", {"$eq": "refund"}).passed
    False
    """
    return Equals(site.place, c.literal(operand, site.place))


def not_equals(c: Compiler, operand: Any, site: Site) -> Node:
    """The value does not equal the operand.

    Operand: any data, taken literally.
    Any value: passes where `$eq` fails, also for a value of another kind.
    Missing: passes; a note says that it held on nothing.
    Empty: `$ne: ""` refuses a blank text only.
    Score: 1 or 0.

    >>> import matchex
    >>> matchex.validate({"status": "failed"}, {"status": {"$ne": "failed"}}).failures[0].message
    'expected anything but "failed"'
    """
    return NotEquals(site.place, c.literal(operand, site.place))


def greater(c: Compiler, operand: Any, site: Site) -> Node:
    """The value is greater than the operand.

    Operand: a number, a text or a date.
    Number: compared with a number by value.
    Text: trimmed and compared with a text by code points; with a date when it is an ISO date.
    Date: compared with a date, or with an ISO text. A date with a time zone has no order with one without.
    Anything else: fails, and so do two values of different kinds (no coercion), NaN, and a missing value.
    Empty: the empty text comes before every other text.
    Score: 1 or 0.

    >>> import matchex
    >>> matchex.validate(5, {"$gt": 5}).passed
    False
    >>> matchex.validate("10", {"$gt": 5}).failures[0].message
    'expected a value greater than 5, got a text, which has no order with a number'
    """
    return _ordered(c, operand, site)


def greater_or_equal(c: Compiler, operand: Any, site: Site) -> Node:
    """The value is greater than the operand or equal to it.

    Operand: a number, a text or a date.
    Number: compared with a number by value.
    Text: trimmed and compared with a text by code points; with a date when it is an ISO date.
    Date: compared with a date, or with an ISO text.
    Anything else: fails, as for `$gt`.
    Empty: the empty text comes before every other text.
    Score: 1 or 0.

    >>> import matchex
    >>> matchex.validate({"confidence": 0.7}, {"confidence": {"$gte": 0.5, "$lte": 0.9}}).passed
    True
    """
    return _ordered(c, operand, site)


def less(c: Compiler, operand: Any, site: Site) -> Node:
    """The value is less than the operand.

    Operand: a number, a text or a date.
    Number: compared with a number by value.
    Text: trimmed and compared with a text by code points; with a date when it is an ISO date.
    Date: compared with a date, or with an ISO text.
    Anything else: fails, as for `$gt`.
    Empty: the empty text comes before every other text.
    Score: 1 or 0.

    >>> import datetime, matchex
    >>> matchex.validate("2024-05-01", {"$lt": datetime.date(2024, 6, 1)}).passed
    True
    """
    return _ordered(c, operand, site)


def less_or_equal(c: Compiler, operand: Any, site: Site) -> Node:
    """The value is less than the operand or equal to it.

    Operand: a number, a text or a date.
    Number: compared with a number by value.
    Text: trimmed and compared with a text by code points; with a date when it is an ISO date.
    Date: compared with a date, or with an ISO text.
    Anything else: fails, as for `$gt`.
    Empty: the empty text comes before every other text.
    Score: 1 or 0.

    >>> import matchex
    >>> matchex.validate("apple", {"$lte": "banana"}).passed
    True
    """
    return _ordered(c, operand, site)


def _ordered(c: Compiler, operand: object, site: Site) -> Node:
    bound = c.literal(operand, site.place)
    if as_number(bound) is None and not isinstance(bound, (str, date)):
        raise Wrong(f"{site.name} takes a number, a text or a date, not {type_name(bound)}")
    kind = OrderedNumber if type(bound) in (int, float) else Ordered
    return kind(site.place, site.name, bound)


def member(c: Compiler, operand: Any, site: Site) -> Node:
    """The value equals a member of a list.

    Operand: a list of data, taken literally.
    Any value: passes where `$eq` holds for some member, deeply and by value.
    Missing: fails.
    Empty: nothing is in an empty list.
    Score: 1 or 0.

    >>> import matchex
    >>> matchex.validate("high", {"$in": ["low", "middle"]}).failures[0].message
    'expected one of ["low", "middle"], got "high"'
    """
    return In(site.place, _members(c, operand, site))


def not_member(c: Compiler, operand: Any, site: Site) -> Node:
    """The value equals no member of a list.

    Operand: a list of data, taken literally.
    Any value: passes where `$eq` holds for no member.
    Missing: passes; a note says that it held on nothing.
    Empty: an empty list refuses nothing.
    Score: 1 or 0.

    >>> import matchex
    >>> matchex.validate(["a"], {"$nin": [["a"], ["b"]]}).passed
    False
    """
    return NotIn(site.place, _members(c, operand, site))


def _members(c: Compiler, operand: object, site: Site) -> Any:
    members = as_list(c.literal(operand, site.place))
    if members is None:
        raise Wrong(f"{site.name} takes a list of values, not {type_name(operand)}")
    return members


def near(c: Compiler, operand: Any, site: Site) -> Node:
    """The value is a number close to the operand.

    Operand: a number; `{$value, rel, abs}` says how close: within `rel` times the larger of both (default 1e-9), or
        within `abs` (default 0).
    Number: close as `math.isclose` tells. Near 0 only `abs` allows a distance.
    Anything else: fails, also a bool and a text with a number in it.
    Empty: there is no empty number.
    Score: 1 or 0.

    >>> import matchex
    >>> matchex.validate(0.1 + 0.2, {"$near": 0.3}).passed
    True
    >>> matchex.validate(102, {"$near": {"$value": 100, "rel": 0.05}}).passed
    True
    """
    options, value = split_options(c, c.literal(operand, site.place), site, ("rel", "abs"))
    if as_number(value) is None:
        raise Wrong(f"$near takes a number, or {{$value, rel, abs}}, not {show(value)}")
    return Near(site.place, operand, value, amount(options, "rel", 1e-9), amount(options, "abs", 0.0))


def json_type(c: Compiler, operand: Any, site: Site) -> Node:
    """The value is of a JSON type.

    Operand: one of `null boolean integer number string array object`, or a list of them.
    Any value: has one of the types. Integers are numbers, and `5.0` is an integer; a bool is no number; tuples and sets
        are arrays, records are objects.
    Missing: has no type and fails; so do dates and bytes.
    Empty: `""` is a string, `[]` an array, `{}` an object.
    Score: 1 or 0.

    >>> import matchex
    >>> matchex.validate({"id": 5.0}, {"id": {"$type": "integer"}}).passed
    True
    >>> matchex.validate({"note": None}, {"note": {"$type": ["string", "null"]}}).passed
    True
    """
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


def exists(c: Compiler, operand: Any, site: Site) -> Node:
    """The value is there, or is not.

    Operand: true or false; `{$value, strict: true}` asks whether the key itself is there, `{$value, nullAsAbsent:
        false}` counts null as present.
    Any value: is there. At the root and as item of a list it is present.
    Null: counts as absent, unless `strict` or `nullAsAbsent: false`.
    Missing: is absent.
    Empty: an empty text, list or mapping is there.
    Score: 1 or 0. Deep absence is written with a path: `"a.b": {$exists: false}`.

    >>> import matchex
    >>> matchex.validate({"error": None}, {"error": {"$exists": False}}).passed
    True
    >>> matchex.validate({"error": None}, {"error": {"$exists": {"$value": False, "strict": True}}}).passed
    False
    """
    options, value = split_options(c, c.literal(operand, site.place), site, ("strict", "nullAsAbsent"))
    if not isinstance(value, bool):
        raise Wrong(f"$exists takes true or false, not {show(value)}")
    strict = flag(options, "strict", default=False)
    return Exists(site.place, operand, value, strict=strict, null_absent=flag(options, "nullAsAbsent", default=True))
