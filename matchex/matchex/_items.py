"""Operators that try one operand on the items of a list: `$contains $each $none $count`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matchex._lists import Check, all_hold, kept, real_index
from matchex._node import At, Keys, Link, Node, failures_in, link_failures, match_below, weigh
from matchex._outcome import CLEAN, ERROR, FAIL, PASS, Outcome, Run
from matchex._report import Failure
from matchex._show import counted, show
from matchex._values import as_list, as_mapping, type_name

__all__ = [
    "NO_ITEM",
    "ContainsNode",
    "CountNode",
    "EachNode",
    "ItemsNode",
    "NoneNode",
    "Search",
    "find",
    "first_reason",
    "match_item",
    "nearest_item",
    "some_hold",
]


_FOR_TEXTS: Final = {
    "$all": "; of a text: {$and: […]}",
    "$none": "; of a text: {$not: {$or: […]}}",
}


class ItemsNode(Node):
    """Base of operators that match operands against the items of a list."""

    __slots__ = ("name",)

    def __init__(self, place: Keys, expected: object, name: str, children: Iterable[Node]) -> None:
        super().__init__(place, expected, children)
        self.name = name

    def match(self, actual: object, run: Run) -> Outcome:
        items = as_list(actual)
        return Outcome(self, actual, FAIL, 0.0) if items is None else self.match_items(actual, items, run)

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        """Judge the items of a list."""
        raise NotImplementedError

    def wrong_kind(self, out: Outcome) -> str | None:
        """The message for a value that is no list."""
        if as_list(out.actual) is not None:
            return None
        hint = _FOR_TEXTS.get(self.name, "") if isinstance(out.actual, str) else ""
        return f"{self.name} looks at the items of a list, but the value is {type_name(out.actual)}{hint}"


def match_item(node: Node, items: Sequence[Any], index: int, run: Run) -> Outcome:
    """Match one item, with the loop set for expressions and user code."""
    if not node.contextual:
        return node.match(items[index], run)
    real = real_index(items, index)
    outer, run.loop = run.loop, (real, len(items))
    try:
        return match_below(node, items[index], (real,), run)
    finally:
        run.loop = outer


@dataclass(frozen=True, slots=True)
class Search:
    """What looking for an item gave.

    Attributes:
        at: Where the best item stands; -1 where there is none.
        best: Its outcome: a passing one where there is one, else the best score.
        doubtful: An item is in error, and none passes.
    """

    at: int
    best: Outcome
    doubtful: bool

    def found(self, errors: bool) -> bool:
        """Whether an item matches; one in error does where `errors` says so."""
        return self.best.status is PASS or (errors and self.best.status is ERROR)

    def earned(self, errors: bool) -> float:
        """What the best item scored."""
        return float(errors) if self.best.status is ERROR else self.best.score


def find(node: Node, items: Sequence[Any], indexes: Iterable[int], run: Run) -> tuple[Search, list[Outcome]]:
    """Look for an item that matches `node`, until one passes with score 1; also all outcomes met on the way."""
    best_index, best, doubtful = -1, NO_ITEM, False
    met: list[Outcome] = []
    for index in indexes:
        out = match_item(node, items, index, run)
        met.append(out)
        doubtful = doubtful or out.status is ERROR
        if best_index < 0 or (out.status is PASS, out.score) > (best.status is PASS, best.score):
            best_index, best = index, out
        if out.status is PASS and out.score >= 1:
            break
    return Search(best_index, best, doubtful and best.status is not PASS), met


NO_ITEM = Outcome(None, None, FAIL, 0.0)


def nearest_item(search: Search, items: Sequence[Any]) -> str:
    """What the nearest item lacks, as the end of a sentence."""
    if search.at < 0:
        return "the list is empty"
    out, index = search.best, real_index(items, search.at)
    if out.node is None:
        return f"item {index} matches"
    reason = first_reason(out)
    return f"the nearest is item {index}: {reason}" if reason else f"the nearest is item {index}"


def first_reason(out: Outcome) -> str:
    """The first thing that an outcome lacks, with its path."""
    node = out.node
    if node is None or out.status is PASS:
        return ""
    failure = next(failures_in(out, At()), None)
    if failure is None:
        return getattr(out.info, "message", "")
    return f"{failure.path}: {failure.message}" if failure.keys else failure.message


class ContainsNode(Node):
    """`$contains`: some item of a list, a part of a text, a part of a mapping."""

    __slots__ = ("item", "other")

    def __init__(self, place: Keys, expected: object, item: Node, other: Node) -> None:
        super().__init__(place, expected, (item, other))
        self.item = item
        self.other = other

    def match(self, actual: object, run: Run) -> Outcome:
        items = as_list(actual)
        if items is None:
            return self._match_other(actual, run)
        search, met = find(self.item, items, range(len(items)), run)
        best = search.best
        if best is CLEAN and run.quick:
            return CLEAN
        status = PASS if best.status is PASS else ERROR if search.doubtful else FAIL
        out = Outcome(self, actual, status, best.score if best.status is not ERROR else 0.0, met, (search, kept(items)))
        if search.doubtful:
            out.span = (out.score, 1.0)
        return out

    def quick(self, actual: object, run: Run) -> bool | None:
        items = as_list(actual)
        if items is not None:
            return some_hold(self.item.check, items, run)
        if isinstance(actual, str) or as_mapping(actual) is not None:
            return self.other.quick(actual, run)
        return False

    def _match_other(self, actual: object, run: Run) -> Outcome:
        if not isinstance(actual, str) and as_mapping(actual) is None:
            return Outcome(self, actual, FAIL, 0.0)
        inner = self.other.match(actual, run)
        if inner is CLEAN:
            return CLEAN
        out = Outcome(self, actual, inner.status, inner.score, (inner,))
        out.span = (0.0, 1.0) if inner.status is ERROR else None
        return out

    def links(self, out: Outcome) -> Iterable[Link]:
        if out.info is None:
            return [Link(self.name, (), 1.0, child) for child in out.children]
        search, items = out.info
        links: list[Link] = []
        for i, child in enumerate(out.children):
            index = real_index(items, i)
            links.append(Link(f"[{index}]", (index,), 1.0, child, counts=i == search.at))
        return links

    name = "$contains"

    def failure(self, out: Outcome, at: At, message: str | None = None) -> Failure:
        """The one failure; that of a part of a text carries the diff of the texts."""
        inner = out.children[0] if out.info is None and out.children else None
        if inner is not None and inner.node is not None and isinstance(out.actual, str):
            found = next(failures_in(inner, at), None)
            if found is not None:
                return Failure(
                    at.keys, self.place, found.message, self.expected, out.actual, at.critical, at.title, found.compared
                )
        return super().failure(out, at, message)

    def message(self, out: Outcome) -> str:
        if out.info is not None:
            search, items = out.info
            if not items:
                return f"no item matches {show(self.expected)}: the list is empty"
            if len(items) == 1:
                return f"the only item does not match {show(self.expected)}: {first_reason(search.best)}"
            return f"none of {len(items)} items matches {show(self.expected)}; {nearest_item(search, items)}"
        if out.children:
            return first_reason(out.children[0]) or f"does not contain {show(self.expected)}"
        return f"$contains takes a list, a text or a mapping, got {type_name(out.actual)}"


class EachNode(ItemsNode):
    """`$each`: every item matches."""

    __slots__ = ("item",)

    def __init__(self, place: Keys, expected: object, item: Node) -> None:
        super().__init__(place, expected, "$each", (item,))
        self.item = item

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        if self.item.contextual:
            outcomes = [match_item(self.item, items, i, run) for i in range(len(items))]
        else:
            match = self.item.match
            outcomes = [match(item, run) for item in items]
        if run.quick and outcomes.count(CLEAN) == len(outcomes):
            return CLEAN
        share = 1 / len(items) if items else 0.0
        return weigh(self, actual, outcomes, [share] * len(items), info=kept(items))

    def quick(self, actual: object, run: Run) -> bool | None:
        items = as_list(actual)
        return False if items is None else all_hold([self.item.check] * len(items), items, run)

    def links(self, out: Outcome) -> Iterable[Link]:
        for i, child in enumerate(out.children):
            index = real_index(out.info, i)
            yield Link(f"[{index}]", (index,), 1 / len(out.children), child)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if out.info is None:
            yield self.failure(out, at)
        else:
            yield from link_failures(self.links(out), at)

    def message(self, out: Outcome) -> str:
        return self.wrong_kind(out) or "not every item matches"

    def notes(self, out: Outcome) -> Iterable[tuple[str, str]]:
        if not as_list(out.actual):
            yield "vacuous", "$each held because the list is empty"


def some_hold(check: Check, items: Iterable[Any], run: Run) -> bool | None:
    """Whether a check holds for some item, as `quick` tells it; an iterator stands behind that item afterwards."""
    doubt = False
    for item in items:
        verdict = check(item, run)
        if verdict:
            return None if doubt else True
        doubt = doubt or verdict is None
    return None if doubt else False


class NoneNode(ItemsNode):
    """`$none`: no item matches."""

    __slots__ = ("item",)

    def __init__(self, place: Keys, expected: object, item: Node) -> None:
        super().__init__(place, expected, "$none", (item,))
        self.item = item

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        outcomes: list[Outcome] = []
        for i in range(len(items)):
            outcomes.append(match_item(self.item, items, i, run))
            if outcomes[-1].status is PASS:
                return Outcome(self, actual, FAIL, 0.0, outcomes, kept(items))
        if any(out.status is ERROR for out in outcomes):
            out = Outcome(self, actual, ERROR, 0.0, outcomes, kept(items))
            out.span = (0.0, 1.0)
            return out
        return CLEAN if run.quick else Outcome(self, actual, PASS, 1.0, outcomes, kept(items))

    def quick(self, actual: object, run: Run) -> bool | None:
        items = as_list(actual)
        found = None if items is None else some_hold(self.item.check, items, run)
        return None if found is None else not found

    def links(self, out: Outcome) -> Iterable[Link]:
        for i, child in enumerate(out.children):
            index = real_index(out.info, i)
            yield Link(f"[{index}]", (index,), 1.0, child, counts=False)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if out.status is FAIL:  # with the errors among the items read as failures, $none would pass
            yield self.failure(out, at)

    def message(self, out: Outcome) -> str:
        if wrong := self.wrong_kind(out):
            return wrong
        index = real_index(out.info, len(out.children) - 1)
        item = out.info[len(out.children) - 1]
        return f"no item may match {show(self.expected)}, but item {index} does: {show(item)}"

    def notes(self, out: Outcome) -> Iterable[tuple[str, str]]:
        if not as_list(out.actual):
            yield "vacuous", "$none held because the list is empty"


class CountNode(ItemsNode):
    """`$count`: the number of matching items satisfies an expectation."""

    __slots__ = ("item", "number")

    def __init__(self, place: Keys, expected: object, item: Node, number: Node) -> None:
        super().__init__(place, expected, "$count", (item, number))
        self.item = item
        self.number = number

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        outcomes = [match_item(self.item, items, i, run) for i in range(len(items))]
        sure = sum(out.status is PASS for out in outcomes)
        doubtful = sum(out.status is ERROR for out in outcomes)
        verdicts = [self._judge(count, run) for count in range(sure, sure + doubtful + 1)]
        first = verdicts[0]
        info = (kept(items), sure, first)
        statuses = {verdict.status for verdict in verdicts}
        if statuses == {PASS}:
            return CLEAN if run.quick and first is CLEAN and not doubtful else self._out(actual, PASS, outcomes, info)
        if statuses == {FAIL}:
            return self._out(actual, FAIL, outcomes, info)
        out = self._out(actual, ERROR, outcomes, info)
        out.span = (0.0, 1.0)
        return out

    def _judge(self, count: int, run: Run) -> Outcome:
        before, run.branch = run.branch, (*run.branch, count)
        try:
            return self.number.match(count, run)
        finally:
            run.branch = before

    def _out(self, actual: object, status: Any, outcomes: list[Outcome], info: object) -> Outcome:
        return Outcome(self, actual, status, 1.0 if status is PASS else 0.0, outcomes, info)

    def links(self, out: Outcome) -> Iterable[Link]:
        if out.info is None:
            return
        items, _, number = out.info
        for i, child in enumerate(out.children):
            index = real_index(items, i)
            yield Link(f"[{index}]", (index,), 0.0, child, counts=False)
        yield Link("(number)", (), 1.0, number, counts=False)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if out.info is None or out.info[2].status is not PASS:  # the number with errors read as failures
            yield self.failure(out, at)

    def message(self, out: Outcome) -> str:
        if wrong := self.wrong_kind(out):
            return wrong
        items, sure, number = out.info
        wanted = show(self.item.written)
        return f"{sure} of {counted(len(items), 'item')} match {wanted}: {first_reason(number)}"
