"""Two runs of the same cases held against each other: what got worse, what got better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from aitestrunner._log import AITestLogItem
from aitestrunner._runlog import LoggedRun

__all__ = ["CaseChange", "RunComparison"]

_Verdict = Literal["worse", "better", "changed", "same", "new", "gone"]
_RANK: Final = {"pass": 2, "fail": 0, "error": 0}


@dataclass(frozen=True, slots=True)
class CaseChange:
    """What became of one case from one run to another.

    Args:
        verdict: `worse` and `better` by the status or, where that is the same, by the score or the pass rate;
            `changed` from a failure to an error or back; `new` and `gone` where it was judged in one run only.
        before: Its log item in the earlier run, where it was judged there.
        after: Its log item in the later run.
        redefined: Whether the case itself, or what its file says for it, was changed in between.

    Example:
        >>> from aitestrunner import AITestLogItem, CaseChange
        >>> item = AITestLogItem(i=0, id="a", status="pass")
        >>> CaseChange("new", None, item).id
        'a'
    """

    verdict: _Verdict
    before: AITestLogItem | None
    after: AITestLogItem | None
    redefined: bool = False

    @property
    def id(self) -> str:
        """The id of the case."""
        return self.item.id

    @property
    def item(self) -> AITestLogItem:
        """Its newest log item."""
        item = self.after or self.before
        assert item is not None, "a change is about at least one log item"
        return item

    @property
    def reasons(self) -> tuple[str, ...]:
        """What differs, in words: `pass → fail`, `score 80 → 60`.

        Example:
            >>> from aitestrunner import AITestLogItem, CaseChange
            >>> before, after = (AITestLogItem(i=0, id="a", status=status) for status in ("pass", "fail"))
            >>> CaseChange("worse", before, after).reasons
            ('pass → fail',)
        """
        before, after = self.before, self.after
        if before is None or after is None:
            return ()
        found: list[str] = []
        if before.status != after.status:
            found.append(f"{before.status} → {after.status}")
        if before.score is not None and after.score is not None and before.score != after.score:
            found.append(f"score {before.score:.4g} → {after.score:.4g}")
        if before.repeats is not None or after.repeats is not None:
            rates = _pass_rate(before), _pass_rate(after)
            if rates[0] != rates[1]:
                found.append(f"pass rate {rates[0]:.0%} → {rates[1]:.0%}")
        if self.redefined:
            found.append("the case was changed")
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """The change as plain data."""
        return {
            "id": self.id,
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "redefined": self.redefined,
            "before": None if self.before is None else self.before.to_dict(),
            "after": None if self.after is None else self.after.to_dict(),
        }


class RunComparison:
    """The changes from one logged run to another. It can be walked several times.

    Args:
        before: The earlier run.
        after: The later run.
        tolerance: By how much a score, as a share of its maximum, or a pass rate may fall without being worse, 0..1.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from aitestrunner import AITestRunner, LoggedRun, RunComparison
        >>> folder, cases = Path(tempfile.mkdtemp()), [{"id": "greets", "output": "hello"}]
        >>> for day, answer in (("monday", "hello"), ("tuesday", "bye")):
        ...     _ = AITestRunner(lambda context: answer).run_sync("bot", cases, log=folder / day)
        >>> compared = RunComparison(LoggedRun.read(folder / "monday"), LoggedRun.read(folder / "tuesday"))
        >>> [(change.id, change.verdict, change.reasons) for change in compared]
        [('greets', 'worse', ('pass → fail',))]
    """

    def __init__(self, before: LoggedRun, after: LoggedRun, *, tolerance: float = 0.0) -> None:
        self._before = before
        self._after = after
        self._tolerance = tolerance

    def __iter__(self) -> Iterator[CaseChange]:
        """The changes in the order of the later run, then what is gone."""
        for after in self._after:
            yield self._change(self._before.find(after.id), after)
        known = frozenset(self._after.ids())
        for before in self._before:
            if before.id not in known and not before.skipped:
                yield CaseChange("gone", before, None)

    def counts(self) -> dict[str, int]:
        """How many cases there are of each verdict: `worse better changed same new gone`; and how many `redefined`."""
        counts: dict[str, int] = dict.fromkeys(("worse", "better", "changed", "same", "new", "gone", "redefined"), 0)
        for change in self:
            counts[change.verdict] += 1
            counts["redefined"] += change.redefined
        return counts

    def _change(self, before: AITestLogItem | None, after: AITestLogItem) -> CaseChange:
        if before is None or before.skipped:
            return CaseChange("same" if after.skipped else "new", None, after)
        if after.skipped:
            return CaseChange("gone", before, after)
        redefined = self._before.digest(after.id) != self._after.digest(after.id)
        return CaseChange(self._verdict(before, after), before, after, redefined)

    def _verdict(self, before: AITestLogItem, after: AITestLogItem) -> _Verdict:
        steps = [_RANK[after.status] - _RANK[before.status], self._step(_share(before), _share(after))]
        if before.repeats is not None or after.repeats is not None:
            steps.append(self._step(_pass_rate(before), _pass_rate(after)))
        first = next((step for step in steps if step), 0)
        if first:
            return "worse" if first < 0 else "better"
        return "same" if before.status == after.status else "changed"

    def _step(self, before: float | None, after: float | None) -> float:
        if before is None or after is None or abs(after - before) <= self._tolerance + 1e-9:
            return 0
        return after - before


def _share(item: AITestLogItem) -> float | None:
    return item.score / item.max_score if item.score is not None and item.max_score else None


def _pass_rate(item: AITestLogItem) -> float:
    return float(item.passed) if item.repeats is None else item.repeats.pass_rate
