"""Operators that look for several operands among the items of a list: `$all $unordered $sequence`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from matchex._items import NO_ITEM, ItemsNode, Search, find, match_item, nearest_item
from matchex._lists import real_index
from matchex._node import At, Keys, Link, Node, earns_all, fired_penalty, weigh
from matchex._outcome import CLEAN, ERROR, FAIL, PASS, Outcome, Run
from matchex._pairing import pair_up
from matchex._report import Failure
from matchex._show import counted, show
from matchex._strategies import WEIGHTED, WeightOptions

__all__ = ["AllNode", "SequenceNode", "UnorderedNode"]


class OperandsNode(ItemsNode):
    """Base of `$all`, `$unordered`, `$sequence`: several operands, each looked for among the items."""

    __slots__ = ("operands", "shares")

    def __init__(
        self, place: Keys, expected: object, name: str, operands: Sequence[Node], options: WeightOptions
    ) -> None:
        super().__init__(place, expected, name, operands)
        self.operands = tuple(operands)
        self.shares = WEIGHTED.weights([operand.weight for operand in operands], options)

    def judge(
        self, actual: object, items: Sequence[Any], searches: list[tuple[Search, list[Outcome]]], run: Run
    ) -> Outcome:
        """Weigh the operands by what was found for each."""
        outcomes = [
            self._found(operand, search, met, share)
            for operand, (search, met), share in zip(self.operands, searches, self.shares, strict=True)
        ]
        if run.quick and outcomes.count(CLEAN) == len(outcomes) and earns_all(self.shares):
            return CLEAN
        criticals = [operand.critical for operand in self.operands]
        info = (items, [search for search, _ in searches])
        return weigh(self, actual, outcomes, self.shares, criticals, info=info)

    @staticmethod
    def _found(operand: Node, search: Search, met: list[Outcome], share: float) -> Outcome:
        """One operand as a child: it passes where an item does, and earns what its best item scored."""
        best = search.best
        if best is CLEAN and share >= 0:
            return CLEAN
        status = PASS if best.status is PASS else ERROR if search.doubtful else FAIL
        out = Outcome(operand, None, status, 0.0 if best.status is ERROR else best.score, met, search)
        out.critical = operand.critical and status is FAIL
        out.doubtful = operand.critical and status is ERROR
        return out

    def links(self, out: Outcome) -> Iterable[Link]:
        """The operands, each with the items that were tried for it."""
        if out.info is None:
            return
        for i, (share, child) in enumerate(zip(self.shares, out.children, strict=True)):
            yield Link(f"{self.name}[{i}]", (), share, child)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if out.info is None:
            yield self.failure(out, at)
            return
        items, searches = out.info
        for i, (operand, child, search) in enumerate(zip(self.operands, out.children, searches, strict=True)):
            if self.shares[i] >= 0:
                if child.status is not PASS:
                    yield self._missing(i, operand, search, items, out, at)
            elif operand.critical and child.status is PASS:
                index = real_index(items, search.index)
                hit = Outcome(operand, items[search.index], PASS, 1.0)
                yield fired_penalty(hit, at.below((index,)))

    def _missing(self, i: int, operand: Node, search: Search, items: Sequence[Any], out: Outcome, at: At) -> Failure:
        critical = at.critical or operand.critical
        title = getattr(operand, "title", None) or at.title
        message = self.missing_message(i, operand, search, items, out)
        return Failure(at.keys, operand.place, message, operand.expected, out.actual, critical, title)

    def missing_message(self, i: int, operand: Node, search: Search, items: Sequence[Any], out: Outcome) -> str:
        """Why no item was found for an operand."""
        return f"no item matches {show(operand.expected)}; {nearest_item(search, items)}"

    def message(self, out: Outcome) -> str:
        return self.wrong_kind(out) or "not every operand is matched by an item"


class AllNode(OperandsNode):
    """`$all`: every operand is matched by some item, in any order."""

    __slots__ = ()

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        searches = [find(operand, items, range(len(items)), run) for operand in self.operands]
        return self.judge(actual, items, searches, run)


class UnorderedNode(OperandsNode):
    """`$unordered`, and `$all` with `distinct`: operands are matched by different items.

    Operands and items are paired by augmenting paths, so neither order nor greed matters. A penalty takes no item: it is
    looked for in all of them.
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

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        table = [[match_item(operand, items, i, run) for i in range(len(items))] for operand in self.operands]
        rewards = [i for i, share in enumerate(self.shares) if share >= 0]
        sure = [[i for i, out in enumerate(table[row]) if out.status is PASS] for row in rewards]
        pairs = dict(zip(rewards, pair_up(sure), strict=True))
        out = self._weigh(actual, items, table, pairs)
        if any(cell.status is ERROR for row in table for cell in row):
            self._read_errors(out, items, table, rewards)
        elif run.quick and out.status is PASS and out.score >= 1 - 1e-12 and not _partial(table, pairs):
            return CLEAN
        return out

    def _weigh(
        self, actual: object, items: Sequence[Any], table: list[list[Outcome]], pairs: dict[int, int | None]
    ) -> Outcome:
        """The outcome when doubtful items count as not matching."""
        minus, fired, matched = 0.0, False, 0.0
        children: list[Outcome] = []
        for i, (operand, row, share) in enumerate(zip(self.operands, table, self.shares, strict=True)):
            index = pairs.get(i) if share >= 0 else _first_pass(row)
            best = row[index] if index is not None else None
            if best is not None and share >= 0:
                matched += share * best.score
            elif best is not None:
                minus -= share * best.score
                fired = fired or operand.critical
            children.append(_operand_outcome(operand, row, index))
        whole = sum(share for share in self.shares if share >= 0)
        rewards = [i for i, share in enumerate(self.shares) if share >= 0]
        surplus = max(len(items) - len(rewards), 0) if self.exact else 0
        score = self._score(matched, whole, len(rewards), surplus)
        complete = all(pairs[i] is not None for i in rewards) and not surplus
        verdict = complete and not fired
        out = Outcome(self, actual, PASS if verdict else FAIL, min(max(score - minus, 0.0), 1.0), children)
        out.info = (items, [_row_search(row, pairs, i) for i, row in enumerate(table)], surplus)
        lost = any(self.operands[i].critical and pairs[i] is None for i in rewards)
        out.critical = fired or lost
        return out

    @staticmethod
    def _score(matched: float, whole: float, operands: int, surplus: int) -> float:
        if not operands:
            return 0.0 if surplus else 1.0
        whole += surplus * whole / operands
        return matched / whole if whole else 0.0

    def _read_errors(self, out: Outcome, items: Sequence[Any], table: list[list[Outcome]], rewards: list[int]) -> None:
        """Settle the verdict when every doubtful item may match or not."""
        open_rows = [[i for i, cell in enumerate(table[row]) if cell.status is not FAIL] for row in rewards]
        complete = all(index is not None for index in pair_up(open_rows)) and not out.info[2]
        penalties = [i for i, share in enumerate(self.shares) if share < 0 and self.operands[i].critical]
        may_fire = any(cell.status is ERROR for i in penalties for cell in table[i])
        fires = any(cell.status is PASS for i in penalties for cell in table[i])
        best = complete and not fires
        worst = out.status is PASS and not may_fire
        out.status = PASS if worst else ERROR if best else FAIL
        out.span = (out.score, 1.0)
        out.doubtful = may_fire or any(self.operands[i].critical for i in rewards)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if out.info is None or not self.exact:
            yield from super().failures(_without_surplus(out), at)
            return
        items, searches, surplus = out.info
        missing = [i for i, child in enumerate(out.children) if self.shares[i] >= 0 and child.status is not PASS]
        if missing or surplus:
            critical = at.critical or any(self.operands[i].critical for i in missing)
            yield self.failure(out, At(at.keys, critical, at.title))
        for i, (operand, child, search) in enumerate(zip(self.operands, out.children, searches, strict=True)):
            if self.shares[i] < 0 and operand.critical and child.status is PASS:
                hit = Outcome(operand, items[search.index], PASS, 1.0)
                yield fired_penalty(hit, at.below((real_index(items, search.index),)))

    def missing_message(self, i: int, operand: Node, search: Search, items: Sequence[Any], out: Outcome) -> str:
        if search.best.status is PASS:
            return f"no item is left for {show(operand.expected)}: those that match it are needed by other operands"
        return super().missing_message(i, operand, search, items, out)

    def message(self, out: Outcome) -> str:
        if wrong := self.wrong_kind(out):
            return wrong
        items, searches, surplus = out.info
        parts = [
            self.missing_message(i, operand, search, items, out)
            for i, (operand, child, search) in enumerate(zip(self.operands, out.children, searches, strict=True))
            if self.shares[i] >= 0 and child.status is not PASS
        ]
        if surplus:
            taken = {search.index for child, search in zip(out.children, searches, strict=True) if child.status is PASS}
            left = [show(item) for i, item in enumerate(items) if i not in taken]
            parts.append(f"{counted(len(left), 'item')} left over: {', '.join(left[:5])}{', …' * (len(left) > 5)}")
        return "; ".join(parts)


def _operand_outcome(operand: Node, row: list[Outcome], index: int | None) -> Outcome:
    best = row[index] if index is not None else None
    doubtful = best is None and any(cell.status is ERROR for cell in row)
    status = PASS if best is not None else ERROR if doubtful else FAIL
    return Outcome(operand, None, status, best.score if best is not None else 0.0, row)


def _row_search(row: list[Outcome], pairs: dict[int, int | None], i: int) -> Search:
    """The item that an operand was paired with, else its nearest."""
    index = pairs.get(i)
    if index is None:
        index = max(range(len(row)), key=lambda k: (row[k].status is PASS, row[k].score), default=-1)
    return Search(index, row[index] if index >= 0 else NO_ITEM, doubtful=False)


def _first_pass(row: list[Outcome]) -> int | None:
    return next((i for i, cell in enumerate(row) if cell.status is PASS), None)


def _partial(table: list[list[Outcome]], pairs: dict[int, int | None]) -> bool:
    """Whether a paired item passes with less than score 1, or a penalty is among the operands."""
    if len(pairs) < len(table):
        return True
    return any(index is None or table[i][index].score < 1 for i, index in pairs.items())


def _without_surplus(out: Outcome) -> Outcome:
    if out.info is None:
        return out
    plain = Outcome(out.node, out.actual, out.status, out.score, out.children, out.info[:2])
    return plain


class SequenceNode(OperandsNode):
    """`$sequence`: the operands are matched by items in this order."""

    __slots__ = ("contiguous",)

    def __init__(
        self, place: Keys, expected: object, operands: Sequence[Node], options: WeightOptions, *, contiguous: bool
    ) -> None:
        super().__init__(place, expected, "$sequence", operands, options)
        self.contiguous = contiguous

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        memo: dict[tuple[int, int], Outcome] = {}

        def cell(step: int, index: int) -> Outcome:
            key = (step, index)
            if key not in memo:
                memo[key] = match_item(self.operands[step], items, index, run)
            return memo[key]

        walk = self._best_window if self.contiguous else self._walk
        out = self._judge_walk(actual, items, walk(len(items), cell, errors_pass=False), run)
        if any(met.status is ERROR for met in memo.values()):
            best = self._judge_walk(actual, items, walk(len(items), cell, errors_pass=True), run, errors_pass=True)
            self._settle(out, best, memo)
        elif run.quick and out.status is PASS and out.score >= 1 and earns_all(self.shares):
            return CLEAN
        return out

    def _walk(self, length: int, cell: Cell, *, errors_pass: bool, start: int = 0) -> list[Search]:
        """Find each step after the hit of the one before; a penalty is looked for there and moves nothing."""
        searches: list[Search] = []
        position = start
        for step, share in enumerate(self.shares):
            search = _scan(range(position, length), step, cell, errors_pass=errors_pass)
            if share >= 0 and _hit(search, errors_pass=errors_pass):
                position = search.index + 1
            searches.append(search)
        return searches

    def _best_window(self, length: int, cell: Cell, *, errors_pass: bool) -> list[Search]:
        """The window of neighbouring items that earns most."""
        best: list[Search] = []
        best_score = -1.0
        for start in range(max(length, 1)):
            searches = self._window(start, length, cell, errors_pass=errors_pass)
            score = sum(
                share * _earned(search, errors_pass=errors_pass)
                for share, search in zip(self.shares, searches, strict=True)
                if share >= 0
            )
            complete = all(
                _hit(search, errors_pass=errors_pass)
                for share, search in zip(self.shares, searches, strict=True)
                if share >= 0
            )
            if complete or score > best_score:
                best, best_score = searches, score
            if complete:
                break
        return best

    def _window(self, start: int, length: int, cell: Cell, *, errors_pass: bool) -> list[Search]:
        searches: list[Search] = []
        position = start
        for step, share in enumerate(self.shares):
            if share < 0:
                searches.append(_scan(range(position, length), step, cell, errors_pass=errors_pass))
                continue
            indexes = range(position, min(position + 1, length))
            searches.append(_scan(indexes, step, cell, errors_pass=errors_pass))
            position += 1
        return searches

    def _judge_walk(
        self, actual: object, items: Sequence[Any], searches: list[Search], run: Run, *, errors_pass: bool = False
    ) -> Outcome:
        outcomes = [
            self._step_outcome(operand, search, share, errors_pass=errors_pass)
            for operand, search, share in zip(self.operands, searches, self.shares, strict=True)
        ]
        criticals = [operand.critical for operand in self.operands]
        return weigh(self, actual, outcomes, self.shares, criticals, info=(items, searches))

    @staticmethod
    def _step_outcome(operand: Node, search: Search, share: float, *, errors_pass: bool) -> Outcome:
        """One step as a child; a doubtful hit counts as the reading says (a penalty the other way round)."""
        hit = _hit(search, errors_pass=errors_pass and share >= 0)
        score = _earned(search, errors_pass=errors_pass and share >= 0)
        out = Outcome(operand, None, PASS if hit else FAIL, score, (search.best,), search)
        out.critical = operand.critical and not hit
        return out

    def _settle(self, out: Outcome, best: Outcome, memo: dict[tuple[int, int], Outcome]) -> None:
        """Settle the verdict between the reading with errors as failures and the one with errors as passes."""
        errors = {step for (step, _), met in memo.items() if met.status is ERROR}
        may_fire = any(self.shares[step] < 0 and self.operands[step].critical for step in errors)
        worst = out.status is PASS and not may_fire
        out.status = PASS if worst else ERROR if best.status is PASS else FAIL
        loss = sum(-self.shares[step] for step in errors if self.shares[step] < 0)
        out.span = (max(out.score - loss, 0.0), best.score)
        out.doubtful = may_fire or any(self.operands[step].critical for step in errors)
        out.children = [*out.children, *(met for met in memo.values() if met.status is ERROR)]

    def links(self, out: Outcome) -> Iterable[Link]:
        if out.info is None:
            return
        items, searches = out.info
        for i, (share, search) in enumerate(zip(self.shares, searches, strict=True)):
            keys = (real_index(items, search.index),) if search.index >= 0 else ()
            yield Link(f"$sequence[{i}]", keys, share, search.best if search.index >= 0 else out.children[i])

    def missing_message(self, i: int, operand: Node, search: Search, items: Sequence[Any], out: Outcome) -> str:
        wanted = show(operand.expected)
        if self.contiguous:
            return f"step {i + 1} of {len(self.operands)}, {wanted}, does not follow; {nearest_item(search, items)}"
        _, searches = out.info
        before = next((s for k, s in reversed(list(enumerate(searches[:i]))) if self.shares[k] >= 0 and _is_pass(s)), None)
        after = f" after step {searches.index(before) + 1} (item {real_index(items, before.index)})" if before else ""
        misplaced = self._misplaced(operand, items, before)
        if misplaced is not None:
            return f"step {i + 1} of {len(self.operands)}, {wanted}, was found at item {misplaced}, not{after}"
        near = nearest_item(search, items) if search.index >= 0 else "no item is left"
        return f"step {i + 1} of {len(self.operands)}, {wanted}, was not found{after}; {near}"

    @staticmethod
    def _misplaced(operand: Node, items: Sequence[Any], before: Search | None) -> int | None:
        """Where a step that is missing in its place was found out of order, if anywhere."""
        if before is None or operand.contextual:  # user code is not run again for a message
            return None
        run = Run(None, {}, None, None)
        for index in range(before.index + 1):
            if operand.match(items[index], run).status is PASS:
                return real_index(items, index)
        return None


class Cell:
    """Type of the function that gives the outcome of a step for an item, matched once."""

    def __call__(self, step: int, index: int) -> Outcome:
        raise NotImplementedError


def _scan(indexes: Iterable[int], step: int, cell: Any, *, errors_pass: bool) -> Search:
    best_index, best, doubtful = -1, NO_ITEM, False
    for index in indexes:
        out = cell(step, index)
        if out.status is PASS or (errors_pass and out.status is ERROR):
            return Search(index, out, doubtful=out.status is ERROR)
        doubtful = doubtful or out.status is ERROR
        if best_index < 0 or out.score > best.score:
            best_index, best = index, out
    return Search(best_index, best, doubtful)


def _is_pass(search: Search) -> bool:
    return search.best.status is PASS


def _hit(search: Search, *, errors_pass: bool) -> bool:
    return search.best.status is PASS or (errors_pass and search.best.status is ERROR)


def _earned(search: Search, *, errors_pass: bool) -> float:
    if search.best.status is ERROR:
        return 1.0 if errors_pass else 0.0
    return search.best.score
