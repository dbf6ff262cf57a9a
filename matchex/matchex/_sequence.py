"""`$sequence`: operands that are matched by items in a given order."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, Final

from matchex._items import Search, match_item, nearest_item, some_hold
from matchex._lists import kept, real_index
from matchex._node import Keys, Node, earns_all, weigh
from matchex._operands import OperandsNode, operand_outcome
from matchex._outcome import CLEAN, ERROR, FAIL, PASS, Outcome, Run
from matchex._show import show
from matchex._strategies import WeightOptions
from matchex._values import as_list

__all__ = ["SequenceNode"]


class Cells:
    """The outcome of each step for each item, matched at most once."""

    def __init__(self, steps: Sequence[Node], items: Sequence[Any], run: Run) -> None:
        self.items = items
        self.met: list[dict[int, Outcome]] = [{} for _ in steps]
        self._scanned: dict[tuple[int, range, bool], Search] = {}
        self._steps = steps
        self._run = run

    def get(self, step: int, at: int) -> Outcome:
        """What item `at` gave for a step."""
        found = self.met[step].get(at)
        if found is None:
            found = self.met[step][at] = match_item(self._steps[step], self.items, at, self._run)
        return found

    def tried(self, step: int) -> list[int]:
        """The items that a step was tried on."""
        return sorted(self.met[step])

    def in_error(self) -> set[int]:
        """The steps that some item was in error for."""
        return {step for step, met in enumerate(self.met) if any(out.status is ERROR for out in met.values())}

    def scan(self, step: int, where: range, passing: Container[int]) -> Search:
        """The first item that a step matches, else the nearest; for steps in `passing` items in error match too."""
        key = (step, where, step in passing)
        known = self._scanned.get(key)
        if known is None:
            known = self._scanned[key] = self._scan(step, where, errors=step in passing)
        return known

    def _scan(self, step: int, where: range, *, errors: bool) -> Search:
        nearest, best, doubtful = -1, _NOTHING, False
        for at in where:
            out = self.get(step, at)
            if out.status is PASS or (errors and out.status is ERROR):
                return Search(at, out, doubtful=out.status is ERROR)
            doubtful = doubtful or out.status is ERROR
            if nearest < 0 or out.score > best.score:
                nearest, best = at, out
        return Search(nearest, best, doubtful)


_NO_STEP: Final = range(0)
_NOTHING: Final = Outcome(None, None, FAIL, 0.0)


class SequenceNode(OperandsNode):
    """`$sequence`: the operands are matched by items in this order.

    A step is looked for after the item of the step before, the first one that matches: no choice of a later item could
    leave more to the steps behind it. A penalty is looked for there too, and moves nothing.
    """

    __slots__ = ("contiguous",)

    def __init__(
        self, place: Keys, expected: object, operands: Sequence[Node], options: WeightOptions, *, contiguous: bool
    ) -> None:
        super().__init__(place, expected, "$sequence", operands, options)
        self.contiguous = contiguous

    def quick(self, actual: object, run: Run) -> bool | None:
        items = as_list(actual)
        if items is None or self.contiguous or not earns_all(self.shares):
            return None
        rest = iter(items)
        for operand in self.operands:
            verdict = some_hold(operand.check, rest, run)  # goes on behind the item that it found
            if verdict is not True:
                return verdict
        return True

    def match_items(self, actual: object, items: Sequence[Any], run: Run) -> Outcome:
        cells = Cells(self.operands, items, run)
        searches = self._walk(cells, _NO_STEP)
        in_error = bool(cells.in_error())
        if run.quick and not in_error and earns_all(self.shares) and all(found.best is CLEAN for found in searches):
            return CLEAN
        out = self._weighed(actual, cells, searches, _NO_STEP)
        if in_error:
            self._read_errors(out, self._better_readings(actual, cells), cells)
        return out

    def _better_readings(self, actual: object, cells: Cells) -> list[Outcome]:
        """The outcomes when the items in error match for all steps from some step on.

        The first, for all steps, finds most steps; another one may leave an item to a step of more weight.
        """
        last = len(self.operands)
        readings = [range(first, last) for first in range(last)]
        return [self._weighed(actual, cells, self._walk(cells, steps), steps) for steps in readings]

    def _walk(self, cells: Cells, passing: range) -> list[Search]:
        """For each step the item that it was found at."""
        length = len(cells.items)
        if not self.contiguous:
            return self._follow(cells, 0, range(length), passing)
        windows = (self._follow(cells, start, None, passing) for start in range(max(length, 1)))
        best: list[Search] | None = None
        for searches in windows:
            if best is None or self._worth(searches, passing) > self._worth(best, passing):
                best = searches
        return best or []

    def _follow(self, cells: Cells, start: int, within: range | None, passing: range) -> list[Search]:
        """Look for the steps one after the other; each at exactly the next item where `within` is None."""
        searches: list[Search] = []
        position, length = start, len(cells.items)
        for step, share in enumerate(self.shares):
            if share < 0:
                searches.append(cells.scan(step, range(position, length), passing))
                continue
            where = range(position, length) if within is not None else range(position, min(position + 1, length))
            search = cells.scan(step, where, passing)
            searches.append(search)
            if within is None:
                position += 1
            elif search.found(step in passing):
                position = search.at + 1
        return searches

    def _worth(self, searches: Sequence[Search], passing: range) -> tuple[bool, float]:
        """How good a window is: complete before incomplete, then by what it earns."""
        rewards = [step for step, share in enumerate(self.shares) if share >= 0]
        complete = all(searches[step].found(step in passing) for step in rewards)
        return complete, sum(self.shares[step] * searches[step].earned(step in passing) for step in rewards)

    def _weighed(self, actual: object, cells: Cells, searches: list[Search], passing: range) -> Outcome:
        outcomes: list[Outcome] = []
        for step, (operand, search, share) in enumerate(zip(self.operands, searches, self.shares, strict=True)):
            tried = cells.tried(step)
            met = [cells.get(step, at) for at in tried]
            out = operand_outcome(operand, search, cells.items, tried, met)
            reading = step in passing and share >= 0  # a penalty in error is no hit in the better reading
            out.status = PASS if search.found(reading) else FAIL
            out.score = search.earned(reading)
            out.critical, out.doubtful = operand.critical and out.status is FAIL, False
            outcomes.append(out)
        return weigh(self, actual, outcomes, self.shares, self.criticals, info=(kept(cells.items), searches))

    def _read_errors(self, out: Outcome, better: Sequence[Outcome], cells: Cells) -> None:
        """Settle the verdict between the reading of errors as failures and the better ones."""
        in_error = cells.in_error()
        penalties = [step for step in in_error if self.shares[step] < 0]
        may_fire = any(self.operands[step].critical for step in penalties)
        worst = out.status is PASS and not may_fire
        out.status = PASS if worst else ERROR if better[0].status is PASS else FAIL
        lowest = max(out.score + sum(self.shares[step] for step in penalties), 0.0)
        out.span = (lowest, max(reading.score for reading in better))
        out.critical = all(reading.critical for reading in better)
        out.doubtful = any(self.operands[step].critical for step in in_error)

    def missing(self, i: int, out: Outcome) -> str:
        items, searches = out.info
        step = f"step {i + 1} of {len(self.operands)}, {show(self.operands[i].written)},"
        if self.contiguous:
            return f"{step} does not follow directly; {nearest_item(searches[i], items)}"
        before = [k for k in range(i) if self.shares[k] >= 0 and out.children[k].status is PASS]
        if not before:
            return f"{step} was not found; {nearest_item(searches[i], items)}"
        last = before[-1]
        after = f"after step {last + 1} (item {real_index(items, searches[last].at)})"
        misplaced = self._misplaced(i, items, searches[last].at)
        if misplaced is not None:
            return f"{step} stands at item {misplaced}, not {after}"
        near = nearest_item(searches[i], items) if searches[i].at >= 0 else "no item is left there"
        return f"{step} was not found {after}; {near}"

    def _misplaced(self, i: int, items: Sequence[Any], end: int) -> int | None:
        """Where before `end` a missing step was found out of order, if anywhere."""
        operand = self.operands[i]
        if operand.contextual:  # user code is not run again for a message
            return None
        run = Run(None, {}, None, None)
        hits = (at for at in range(end + 1) if operand.match(items[at], run).status is PASS)
        at = next(hits, None)
        return None if at is None else real_index(items, at)
