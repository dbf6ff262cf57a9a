"""Operators that look for several operands among the items of a list: `$all`, `$unordered`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from matchex._items import ItemsNode, Search, find, match_item, nearest_item, some_hold
from matchex._lists import kept, real_index
from matchex._node import At, Keys, Link, Node, earns_all, fired_penalty, weigh
from matchex._outcome import CLEAN, ERROR, FAIL, PASS, Outcome, Run
from matchex._pairing import pair_up
from matchex._report import Failure
from matchex._show import counted, show
from matchex._strategies import WEIGHTED, WeightOptions
from matchex._values import as_list

__all__ = ["AllNode", "OperandsNode", "UnorderedNode"]


class OperandsNode(ItemsNode):
    """Base of `$all`, `$unordered`, `$sequence`: several operands, each looked for among the items.

    The `info` of an outcome for a list begins with the items and, for each operand, the `Search` for it.
    """

    __slots__ = ("operands", "shares")

    def __init__(
        self, place: Keys, expected: object, name: str, operands: Sequence[Node], options: WeightOptions
    ) -> None:
        super().__init__(place, expected, name, operands)
        self.operands = tuple(operands)
        self.shares = WEIGHTED.weights([operand.weight for operand in operands], options)

    @property
    def criticals(self) -> list[bool]:
        return [operand.critical for operand in self.operands]

    def links(self, out: Outcome) -> Iterable[Link]:
        """The operands, each with the items that were tried for it."""
        for i, child in enumerate(out.children):
            yield Link(f"{self.name}[{i}]", (), self.shares[i], child)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        """One failure for each operand that was not found, and one for each critical penalty that was."""
        if out.info is None:
            yield self.failure(out, at)
            return
        for i, operand in enumerate(self.operands):
            if self.shares[i] >= 0 and out.children[i].status is not PASS:
                critical = at.critical or operand.critical
                title = getattr(operand, "title", None) or at.title
                message = self.missing(i, out)
                yield Failure(at.keys, operand.place, message, operand.expected, out.actual, critical, title)
        yield from self.fired(out, at)

    def fired(self, out: Outcome, at: At) -> Iterator[Failure]:
        """The failures of critical penalties that were found, each at its item."""
        items, searches = out.info[:2]
        for i, operand in enumerate(self.operands):
            if self.shares[i] < 0 and operand.critical and out.children[i].status is PASS:
                index: int = searches[i].at
                hit = Outcome(operand, items[index], PASS, 1.0)
                yield fired_penalty(hit, at.below((real_index(items, index),)))

    def missing(self, i: int, out: Outcome) -> str:
        """Why no item was found for operand `i`."""
        items, searches = out.info[:2]
        return f"no item matches {show(self.operands[i].written)}; {nearest_item(searches[i], items)}"

    def message(self, out: Outcome) -> str:
        return self.wrong_kind(out) or "not every operand is matched by an item"


class Tried(Node):
    """Stands for an operand in the report: what it was tried on."""

    __slots__ = ("chosen", "items")

    def __init__(self, operand: Node, items: Sequence[Any], chosen: int) -> None:
        super().__init__(operand.place, operand.expected)
        self.items = items
        self.chosen = chosen
        self.critical = operand.critical

    def links(self, out: Outcome) -> Iterable[Link]:
        for i, child in zip(out.info, out.children, strict=True):
            index = real_index(self.items, i)
            chosen = i == self.chosen
            yield Link(f"[{index}]", (index,), float(chosen), child, counts=chosen)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        return iter(())

    def message(self, out: Outcome) -> str:
        return ""


class AllNode(OperandsNode):
    """`$all`: every operand is matched by some item, in any order."""

    __slots__ = ()

    def quick(self, actual: object, run: Run) -> bool | None:
        items = as_list(actual)
        if items is None:
            return False
        if not earns_all(self.shares):
            return None
        verdicts = [some_hold(operand.check, items, run) for operand in self.operands]
        return False if False in verdicts else None if None in verdicts else True

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        outcomes: list[Outcome] = []
        searches: list[Search] = []
        for operand, share in zip(self.operands, self.shares, strict=True):
            search, met = find(operand, items, range(len(items)), run)
            searches.append(search)
            clean = run.quick and search.best is CLEAN and share >= 0
            outcomes.append(CLEAN if clean else operand_outcome(operand, search, items, range(len(met)), met))
        if run.quick and outcomes.count(CLEAN) == len(outcomes) and earns_all(self.shares):
            return CLEAN
        return weigh(self, actual, outcomes, self.shares, self.criticals, info=(kept(items), searches))


def operand_outcome(
    operand: Node, search: Search, items: Sequence[Any], tried: Iterable[int], met: Sequence[Outcome]
) -> Outcome:
    """One operand as a child of its operator: it passes where an item does, and earns what its best item scored."""
    best = search.best
    status = PASS if best.status is PASS else ERROR if search.doubtful else FAIL
    out = Outcome(
        Tried(operand, items, search.at), None, status, 0.0 if best.status is ERROR else best.score, met, list(tried)
    )
    out.critical = operand.critical and status is FAIL
    out.doubtful = operand.critical and status is ERROR
    return out


Table = Sequence[Sequence[Outcome]]
Pairs = Mapping[int, int | None]


class UnorderedNode(OperandsNode):
    """`$unordered`, and `$all` with `distinct`: operands are matched by different items.

    Operands and items are paired by augmenting paths, so neither order nor greed matters. A penalty is looked for in
    all items; one that no reward needs is its own, and is not left over.
    """

    __slots__ = ("exact",)

    def __init__(
        self,
        place: Keys,
        expected: object,
        name: str,
        operands: Sequence[Node],
        options: WeightOptions,
        *,
        exact: bool,
    ) -> None:
        super().__init__(place, expected, name, operands, options)
        self.exact = exact

    @property
    def rewards(self) -> list[int]:
        return [i for i, share in enumerate(self.shares) if share >= 0]

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        table = [[match_item(operand, items, i, run) for i in range(len(items))] for operand in self.operands]
        pairs = self._pair(table, errors=False)
        verdict, score, fired = self._settle(table, pairs, len(items), reward=False, penalty=False)
        if run.quick and verdict and score >= 1 and self._is_clean(table, pairs):
            return CLEAN
        searches = [self._search(i, row, pairs) for i, row in enumerate(table)]
        children = [
            operand_outcome(operand, search, items, range(len(items)), row)
            for operand, search, row in zip(self.operands, searches, table, strict=True)
        ]
        for i in self.rewards:
            if pairs[i] is None and children[i].status is PASS:  # its items are needed by other operands
                children[i].status, children[i].score = FAIL, 0.0
        spare = self._left_over(table, pairs, len(items), penalty=False) if self.exact else 0
        out = Outcome(self, actual, PASS if verdict else FAIL, score, children, (kept(items), searches, spare))
        out.critical = fired or any(self.operands[i].critical and pairs[i] is None for i in self.rewards)
        if any(cell.status is ERROR for row in table for cell in row):
            self._read_errors(out, table, len(items))
        return out

    def _pair(self, table: Table, *, errors: bool) -> Pairs:
        """The item of each reward, or None; items in error count as matching where `errors` says so."""
        # the heaviest first: an operand that is paired once stays so, hence the most weight is paired (a matroid)
        order = sorted(self.rewards, key=lambda i: -self.shares[i])
        candidates = [[i for i, cell in enumerate(table[row]) if _matches(cell, errors)] for row in order]
        return dict(zip(order, pair_up(candidates), strict=True))

    def _settle(
        self, table: Table, pairs: Pairs, items: int, *, reward: bool, penalty: bool
    ) -> tuple[bool, float, bool]:
        """Verdict, score, and whether a critical penalty fired, reading items in error as told."""
        rewards = self.rewards
        surplus = self._left_over(table, pairs, items, penalty=penalty) if self.exact else 0
        whole = sum(self.shares[i] for i in rewards)
        whole += surplus * whole / len(rewards) if rewards else 0.0
        matched = sum(self.shares[i] * _earned(table[i][at], reward) for i, at in pairs.items() if at is not None)
        nothing = 0.0 if surplus or rewards else 1.0
        score = matched / whole if whole else nothing
        fired = False
        for i, share in enumerate(self.shares):
            worth = max((_earned(cell, penalty) for cell in table[i] if _matches(cell, penalty)), default=None)
            if share < 0 and worth is not None:
                score += share * worth
                fired = fired or self.operands[i].critical
        complete = all(at is not None for at in pairs.values()) and not surplus
        return complete and not fired, min(max(score, 0.0), 1.0), fired

    def _left_over(self, table: Table, pairs: Pairs, items: int, *, penalty: bool) -> int:
        """How many items are more than the operands take: each reward one, each matched penalty one that is free."""
        taken = {at for at in pairs.values() if at is not None}
        own = 0
        for i, share in enumerate(self.shares):
            hits = (at for at, cell in enumerate(table[i]) if at not in taken and _matches(cell, penalty))
            free = next(hits, None) if share < 0 else None
            if free is not None:
                taken.add(free)
                own += 1
        return max(items - len(self.rewards) - own, 0)

    def _is_clean(self, table: Table, pairs: Pairs) -> bool:
        paired = all(at is not None and table[i][at] is CLEAN for i, at in pairs.items())
        return paired and len(pairs) == len(table) and not any(cell.status is ERROR for row in table for cell in row)

    def _read_errors(self, out: Outcome, table: Table, items: int) -> None:
        """Settle the verdict when every item in error may match or not."""
        worst_pairs, best_pairs = self._pair(table, errors=False), self._pair(table, errors=True)
        worst, lowest, _ = self._settle(table, worst_pairs, items, reward=False, penalty=True)
        best, highest, fires = self._settle(table, best_pairs, items, reward=True, penalty=False)
        out.status = PASS if worst else ERROR if best else FAIL
        out.span = (lowest, highest)
        out.critical = fires or any(self.operands[i].critical and at is None for i, at in best_pairs.items())
        in_error = [i for i, row in enumerate(table) if any(cell.status is ERROR for cell in row)]
        out.doubtful = any(self.operands[i].critical for i in in_error)

    def _search(self, i: int, row: Sequence[Outcome], pairs: Pairs) -> Search:
        """The item that an operand was paired with, else its nearest."""
        at = pairs.get(i)
        if at is None:
            at = max(range(len(row)), key=lambda k: (row[k].status is PASS, row[k].score), default=-1)
        best = row[at] if at >= 0 else Outcome(None, None, FAIL, 0.0)
        doubtful = best.status is not PASS and any(cell.status is ERROR for cell in row)
        return Search(at, best, doubtful)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if out.info is None or not self.exact:
            yield from super().failures(out, at)
            return
        missing = [i for i in self.rewards if out.children[i].status is not PASS]
        if missing or self._spare(out):
            critical = at.critical or any(self.operands[i].critical for i in missing)
            yield self.failure(out, At(at.keys, critical, at.title))
        yield from self.fired(out, at)

    @staticmethod
    def _spare(out: Outcome) -> int:
        return out.info[2]

    def missing(self, i: int, out: Outcome) -> str:
        if out.info[1][i].best.status is PASS:
            wanted = show(self.operands[i].written)
            return f"no item is left for {wanted}: those that match it are needed by other operands"
        return super().missing(i, out)

    def message(self, out: Outcome) -> str:
        if wrong := self.wrong_kind(out):
            return wrong
        items, searches = out.info[:2]
        reasons = [self.missing(i, out) for i in self.rewards if out.children[i].status is not PASS]
        if self._spare(out):
            taken = {search.at for search, child in zip(searches, out.children, strict=True) if child.status is PASS}
            left = [show(item) for i, item in enumerate(items) if i not in taken]
            shown = ", ".join(left[:5]) + ", …" * (len(left) > 5)
            reasons.append(f"{counted(len(left), 'item')} left over: {shown}")
        return "; ".join(reasons)


def _matches(cell: Outcome, errors: bool) -> bool:
    return cell.status is PASS or (errors and cell.status is ERROR)


def _earned(cell: Outcome, errors: bool) -> float:
    return float(errors) if cell.status is ERROR else cell.score
