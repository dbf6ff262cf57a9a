"""The jobs in the words of other libraries, where they can express them.

A peer has to give the same verdict for the value that passes and the one that fails. What the words mean in other cases
may differ: most compare a plain text as a whole, which is less work than to look for a part.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workloads import HUNDRED_KEYS, JOBS

__all__ = ["PEERS", "Peer"]

Check = Callable[[Any], bool]


@dataclass(frozen=True)
class Peer:
    """Another library.

    Attributes:
        name: Its name.
        module: What is imported.
        builders: By the name of the job: makes the check.
        lacking: Why the other jobs cannot be expressed.
    """

    name: str
    module: str
    builders: Mapping[str, Callable[[], Check]]
    lacking: str

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None

    def can(self, job: str) -> bool:
        return job in self.builders


SMALL, SEQUENCE, ALL, CONTAINS, KEYS, EACH, TREE, LONE = (job.name for job in JOBS)


# -- dirty-equals


def _equals(expected: Any) -> Check:
    return lambda actual: bool(actual == expected)


def _dirty_small() -> Check:
    from dirty_equals import IsNumeric, IsPartialDict, IsStr

    tokens = IsNumeric(gt=0, le=200)
    content = IsStr(regex=r"(?is).*refund.*")
    return _equals(IsPartialDict(role="assistant", content=content, usage=IsPartialDict(tokens=tokens)))


def _dirty_all() -> Check:
    from dirty_equals import Contains, IsPartialDict, IsStr

    return _equals(
        Contains(
            IsPartialDict(role="assistant", tool="book_flight"),
            IsPartialDict(role="tool", tool="search_flights", status="ok"),
            IsPartialDict(role="assistant", content=IsStr(regex="(?s).*booked.*")),
        )
    )


def _dirty_contains() -> Check:
    from dirty_equals import Contains, IsPartialDict

    arguments = IsPartialDict(seats=2)
    return _equals(Contains(IsPartialDict(role="assistant", tool="book_flight", arguments=arguments)))


def _dirty_keys() -> Check:
    from dirty_equals import IsPartialDict

    return _equals(IsPartialDict(HUNDRED_KEYS))


def _dirty_lone() -> Check:
    from dirty_equals import IsNumeric

    return _equals(IsNumeric(ge=0.5))


# -- PyHamcrest


def _hamcrest_small() -> Check:
    from hamcrest import all_of, greater_than, has_entries, less_than_or_equal_to, matches_regexp

    usage = has_entries(tokens=all_of(greater_than(0), less_than_or_equal_to(200)))
    return has_entries(role="assistant", content=matches_regexp("(?i)refund"), usage=usage).matches


def _hamcrest_all() -> Check:
    from hamcrest import contains_string, has_entries, has_items

    return has_items(
        has_entries(role="assistant", tool="book_flight"),
        has_entries(role="tool", tool="search_flights", status="ok"),
        has_entries(role="assistant", content=contains_string("booked")),
    ).matches


def _hamcrest_contains() -> Check:
    from hamcrest import has_entries, has_item

    return has_item(has_entries(role="assistant", tool="book_flight", arguments=has_entries(seats=2))).matches


def _hamcrest_keys() -> Check:
    from hamcrest import contains_string, has_entries

    checks = {key: contains_string(value) if isinstance(value, str) else value for key, value in HUNDRED_KEYS.items()}
    return has_entries(checks).matches


def _hamcrest_each() -> Check:
    from hamcrest import (
        all_of,
        contains_string,
        greater_than,
        greater_than_or_equal_to,
        has_entries,
        has_item,
        less_than,
        only_contains,
    )

    price = all_of(greater_than_or_equal_to(1), less_than(100))
    name, tags = contains_string("Lamp"), has_item("new")
    return only_contains(has_entries(id=greater_than(0), name=name, price=price, tags=tags)).matches


def _hamcrest_lone() -> Check:
    from hamcrest import greater_than_or_equal_to

    return greater_than_or_equal_to(0.5).matches


# -- deepdiff


def _deepdiff_keys() -> Check:
    from deepdiff import DeepDiff

    return lambda actual: not DeepDiff(HUNDRED_KEYS, actual).keys() - {"dictionary_item_added"}


# -- mongoquery


def _mongo(query: dict[str, Any]) -> Check:
    from mongoquery import Query

    match = Query(query).match
    return lambda actual: bool(match({"value": actual}))


def _mongo_small() -> Check:
    tokens = {"$gt": 0, "$lte": 200}
    query = {"value.role": "assistant", "value.content": {"$regex": "/refund/i"}, "value.usage.tokens": tokens}
    return _mongo(query)


def _mongo_all() -> Check:
    wanted = [
        {"role": "assistant", "tool": "book_flight"},
        {"role": "tool", "tool": "search_flights", "status": "ok"},
        {"role": "assistant", "content": {"$regex": "booked"}},
    ]
    return _mongo({"$and": [{"value": {"$elemMatch": one}} for one in wanted]})


def _mongo_contains() -> Check:
    return _mongo({"value": {"$elemMatch": {"role": "assistant", "tool": "book_flight", "arguments.seats": 2}}})


def _mongo_keys() -> Check:
    return _mongo({f"value.{key}": wanted for key, wanted in HUNDRED_KEYS.items()})


def _mongo_each() -> Check:
    item = {"id": {"$gt": 0}, "name": {"$regex": "Lamp"}, "price": {"$gte": 1, "$lt": 100}, "tags": "new"}
    return _mongo({"value": {"$not": {"$elemMatch": {"$nor": [item]}}}})


def _mongo_lone() -> Check:
    return _mongo({"value": {"$gte": 0.5}})


# -- fastjsonschema


def _schema(schema: dict[str, Any]) -> Check:
    import fastjsonschema

    validate = fastjsonschema.compile(schema)

    def check(actual: Any) -> bool:
        try:
            validate(actual)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return check


def _fields(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(fields), "properties": fields}


def _text(part: str) -> dict[str, str]:
    return {"type": "string", "pattern": part}


def _schema_small() -> Check:
    usage = _fields(tokens={"type": "number", "exclusiveMinimum": 0, "maximum": 200})
    return _schema(_fields(role=_text("assistant"), content=_text("(?i)refund"), usage=usage))


def _schema_all() -> Check:
    wanted = [
        _fields(role=_text("assistant"), tool=_text("book_flight")),
        _fields(role=_text("tool"), tool=_text("search_flights"), status=_text("ok")),
        _fields(role=_text("assistant"), content=_text("booked")),
    ]
    return _schema({"type": "array", "allOf": [{"contains": one} for one in wanted]})


def _schema_contains() -> Check:
    arguments = _fields(seats={"const": 2})
    item = _fields(role=_text("assistant"), tool=_text("book_flight"), arguments=arguments)
    return _schema({"type": "array", "contains": item})


def _schema_keys() -> Check:
    return _schema(
        _fields(
            **{
                key: _text(wanted) if isinstance(wanted, str) else {"type": "number", "const": wanted}
                for key, wanted in HUNDRED_KEYS.items()
            }
        )
    )


def _schema_each() -> Check:
    item = _fields(
        id={"type": "number", "exclusiveMinimum": 0},
        name=_text("Lamp"),
        price={"type": "number", "minimum": 1, "exclusiveMaximum": 100},
        tags={"type": "array", "contains": {"const": "new"}},
    )
    return _schema({"type": "array", "items": item})


def _schema_lone() -> Check:
    return _schema({"type": "number", "minimum": 0.5})


PEERS = (
    Peer(
        "dirty-equals",
        "dirty_equals",
        {SMALL: _dirty_small, ALL: _dirty_all, CONTAINS: _dirty_contains, KEYS: _dirty_keys, LONE: _dirty_lone},
        "no order of items with others between, no check of every item, no scores",
    ),
    Peer(
        "PyHamcrest",
        "hamcrest",
        {
            SMALL: _hamcrest_small,
            ALL: _hamcrest_all,
            CONTAINS: _hamcrest_contains,
            KEYS: _hamcrest_keys,
            EACH: _hamcrest_each,
            LONE: _hamcrest_lone,
        },
        "no order of items with others between, no scores",
    ),
    Peer(
        "deepdiff",
        "deepdiff",
        {KEYS: _deepdiff_keys},
        "compares with a whole value: no parts, patterns, bounds, scores",
    ),
    Peer(
        "mongoquery",
        "mongoquery",
        {
            SMALL: _mongo_small,
            ALL: _mongo_all,
            CONTAINS: _mongo_contains,
            KEYS: _mongo_keys,
            EACH: _mongo_each,
            LONE: _mongo_lone,
        },
        "no order of items, no scores",
    ),
    Peer(
        "fastjsonschema",
        "fastjsonschema",
        {
            SMALL: _schema_small,
            ALL: _schema_all,
            CONTAINS: _schema_contains,
            KEYS: _schema_keys,
            EACH: _schema_each,
            LONE: _schema_lone,
        },
        "no order of items, no scores",
    ),
)
