"""How time and memory grow with the size of the value: what one item costs, as a ratio to a hundred items."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from _table import Table
from _timing import Effort, compare
from workloads import EACH_PRODUCT, each_product, products

import matchex

__all__ = ["growth"]

SIZES = (10**2, 10**3, 10**4, 10**5, 10**6)
LABELS = {size: f"10{'⁰¹²³⁴⁵⁶'[len(str(size)) - 1]}" for size in SIZES}


@dataclass(frozen=True)
class Growing:
    """A job of any size: what to run with `value`, and how to make the value."""

    name: str
    statement: str
    names: Mapping[str, Any]
    wrong: bool = False

    def value(self, size: int) -> list[dict[str, Any]]:
        """A list of so many items; they are few objects over and over, so that the value itself takes no memory.

        The last item is one of its own, one in ten is wrong where the job asks for it.
        """
        few = products(100, wrong=range(9, 100, 10) if self.wrong else ())
        return [*(few * (size // 100))[:-1], {**few[0], "id": size, "name": "Lamp, the last"}]


def _jobs() -> list[Growing]:
    each = matchex.compile(EACH_PRODUCT)
    some = matchex.compile({"$contains": {"name": "the last"}})
    count = matchex.compile({"$count": {"$of": {"price": {"$gt": 50}}, "$gte": 1}})
    steps = matchex.compile({"$sequence": [{"id": 1}, {"id": 2}, {"name": "the last"}]})
    several = matchex.compile({"$all": [{"id": 1}, {"name": "the last"}]})
    return [
        Growing("by hand", "by_hand(value)", {"by_hand": each_product}),
        Growing("`$each`, verdict", "matches(value)", {"matches": each.matches}),
        Growing("`$each`, match", "match(value).passed", {"match": each.match}),
        Growing("`$each`, one in ten fails, match", "match(value).passed", {"match": each.match}, wrong=True),
        Growing("`$each`, one in ten fails, failures read", "match(value).failures", {"match": each.match}, wrong=True),
        Growing("`$contains`, found last", "match(value).passed", {"match": some.match}),
        Growing("`$all`, one found last", "match(value).passed", {"match": several.match}),
        Growing("`$count`", "match(value).passed", {"match": count.match}),
        Growing("`$sequence`, ends last", "match(value).passed", {"match": steps.match}),
    ]


def growth(effort: Effort) -> Iterator[Table]:
    """Time and memory per item."""
    sizes = [size for size in SIZES if size <= effort.largest]
    columns = ["job", *(LABELS[size] for size in sizes)]
    patient = replace(effort, rounds=min(effort.rounds, 3))
    yield Table(
        "Time per item, × that of 100 items",
        columns,
        [{"job": job.name, **_times(job, sizes, patient)} for job in _jobs()],
        ["1 is linear; below 1 the fixed cost of a match weighs less, above 1 the values no longer fit the caches."],
    )
    yield Table(
        "Peak memory while matching, bytes per item",
        columns,
        [{"job": job.name, **{LABELS[size]: _memory(job, size) for size in sizes}} for job in _jobs()],
        ["Above that of the value itself."],
    )


def _times(job: Growing, sizes: list[int], effort: Effort) -> dict[str, object]:
    names = {**job.names, **{f"value_{size}": job.value(size) for size in sizes}}
    statements = {LABELS[size]: job.statement.replace("(value)", f"(value_{size})") for size in sizes}
    ratios = compare(statements, names, effort)
    return {LABELS[size]: ratios[LABELS[size]].per(size / sizes[0]) for size in sizes}


def _memory(job: Growing, size: int) -> str:
    code = compile(job.statement, job.name, "eval")
    eval(code, {**job.names, "value": job.value(100)})  # so that what is loaded only once does not count
    names = {**job.names, "value": job.value(size)}
    gc.collect()
    tracemalloc.start()
    try:
        kept = eval(code, names)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    del kept
    return f"{peak / size:.0f}"
