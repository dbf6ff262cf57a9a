"""A list expectation, and how lists name their items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from matchex._node import At, Keys, Link, Node, alternative_failures, earns_all, link_failures, match_at, weigh
from matchex._outcome import CLEAN, FAIL, Outcome, Run
from matchex._report import Failure
from matchex._shape_hint import shape_hint
from matchex._show import counted, show
from matchex._strategies import WEIGHTED, Strategy, WeightOptions
from matchex._values import MISSING, Sorted, as_list, type_name

__all__ = ["Check", "ListNode", "all_hold", "kept", "real_index"]


Check = Callable[[object, Run], bool | None]


def real_index(items: Sequence[Any], index: int) -> int:
    """The index that an item of `items` has in the actual list."""
    return items.origin[index] if isinstance(items, Sorted) else index


def kept(items: Sequence[Any]) -> Sequence[Any]:
    """The items as they are now, for a report that may be read after the list was changed."""
    return items if isinstance(items, (tuple, Sorted)) else tuple(items)


def _index_or(items: Sequence[Any], index: int) -> int:
    """`real_index`, also for an index beyond the end."""
    return real_index(items, index) if index < len(items) else index


def all_hold(checks: Sequence[Check], values: Sequence[object], run: Run) -> bool | None:
    """Whether each check holds for its value, as `quick` tells it."""
    doubt = False
    for check, value in zip(checks, values, strict=False):
        verdict = check(value, run)
        if verdict is False:
            return False
        doubt = doubt or verdict is None
    return None if doubt else True


class ListNode(Node):
    """A list expectation: item by item over the expected length."""

    __slots__ = ("checks", "exact", "items", "shares", "strategy")

    def __init__(
        self,
        place: Keys,
        expected: object,
        items: Sequence[Node],
        options: WeightOptions,
        *,
        exact: bool,
        strategy: Strategy = WEIGHTED,
    ) -> None:
        super().__init__(place, expected, items)
        self.items = tuple(items)
        self.exact = exact or not items
        self.strategy = strategy
        self.shares = strategy.weights([item.weight for item in items], options)
        simple = self.plain and strategy is WEIGHTED and earns_all(self.shares)
        self.checks = [item.check for item in items] if simple else None

    def match(self, actual: object, run: Run) -> Outcome:
        values = as_list(actual)
        if values is None or (self.exact and len(values) != len(self.items)):
            return Outcome(self, actual, FAIL, 0.0)
        outcomes = [
            match_at(item, values[i] if i < len(values) else MISSING, (_index_or(values, i),), share, run)
            for i, (item, share) in enumerate(zip(self.items, self.shares, strict=True))
        ]
        clean = run.quick and self.strategy is WEIGHTED and earns_all(self.shares)
        if clean and outcomes.count(CLEAN) == len(outcomes):
            return CLEAN
        criticals = [item.critical for item in self.items]
        return weigh(self, actual, outcomes, self.shares, criticals, self.strategy, kept(values))

    def quick(self, actual: object, run: Run) -> bool | None:
        values = as_list(actual)
        if self.checks is None or values is None:
            return None if self.checks is None else False
        length = len(values)
        if length < len(self.checks) or (self.exact and length > len(self.checks)):
            return False if self.exact else None
        return all_hold(self.checks, values, run)

    def links(self, out: Outcome) -> Iterable[Link]:
        if out.info is None:
            return
        for i, (share, child) in enumerate(zip(self.shares, out.children, strict=True)):
            index = _index_or(out.info, i)
            yield Link(f"[{index}]", (index,), share, child)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        links = list(self.links(out))
        if out.info is None:
            yield self.failure(out, at)
        elif self.strategy.all_needed:
            yield from link_failures(links, at)
        else:
            yield from alternative_failures(self, out, links, at)

    def message(self, out: Outcome) -> str:
        values = as_list(out.actual)
        if values is None:
            return f"expected a list, got {type_name(out.actual)}{shape_hint(self.expected, out.actual)}"
        if out.info is not None:
            return "none of the items matches its alternative"
        if not self.items:
            return f"expected an empty list, got {counted(len(values), 'item')}: {show(out.actual)}"
        return f"expected a list of exactly {counted(len(self.items), 'item')}, got {len(values)}"

    def notes(self, out: Outcome) -> Iterable[tuple[str, str]]:
        values = as_list(out.actual)
        if values is not None and len(values) > len(self.items):
            surplus = counted(len(values) - len(self.items), "item")
            yield "surplus", f"{surplus} more than expected; strict array or $only forbids them"
