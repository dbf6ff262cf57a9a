"""Timing: statements in interleaved rounds, and the ratio of each to the first."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median, quantiles
from time import process_time
from timeit import Timer
from typing import Any

__all__ = ["FULL", "QUICK", "Effort", "Ratio", "compare", "ratios_of"]


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure.

    Attributes:
        rounds: How often each statement gets its turn.
        seconds: How long a turn lasts.
        largest: The largest number of items.
    """

    rounds: int
    seconds: float
    largest: int


FULL = Effort(rounds=9, seconds=0.02, largest=10**6)
QUICK = Effort(rounds=3, seconds=0.001, largest=10**3)


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times the time of the first statement another one takes.

    Attributes:
        middle: The median over the rounds.
        spread: Half the distance between the quartiles.
    """

    middle: float
    spread: float

    def __str__(self) -> str:
        digits = 2 if self.middle < 10 else 1 if self.middle < 100 else 0
        spread = f" ±{self.spread:.{digits}f}" if self.spread >= 0.05 * self.middle else ""
        return f"{self.middle:.{digits}f}{spread}"

    def per(self, size: float) -> Ratio:
        """The ratio for one of `size` parts."""
        return Ratio(self.middle / size, self.spread / size)


def compare(statements: Mapping[str, str], names: Mapping[str, Any], effort: Effort) -> dict[str, Ratio]:
    """Time statements against the first of them.

    Every round times each statement once, so that a machine that slows down slows them all, and a ratio is that of one
    round. Time is that of the processor, which other programs disturb least. The garbage collector is off while a
    statement runs.

    Args:
        statements: Python statements by label; the first is the measure of the others.
        names: What the statements may name.
        effort: How long to measure.
    """
    timers = {
        label: Timer(statement, timer=process_time, globals=dict(names)) for label, statement in statements.items()
    }
    counts = {label: _repetitions(timer, effort.seconds) for label, timer in timers.items()}
    rounds: dict[str, list[float]] = {label: [] for label in timers}
    for _ in range(effort.rounds):
        gc.collect()
        for label, timer in timers.items():
            rounds[label].append(timer.timeit(counts[label]) / counts[label])
    return ratios_of(rounds)


def ratios_of(rounds: Mapping[str, list[float]]) -> dict[str, Ratio]:
    """The ratios of times, taken round by round, to those of the first label."""
    measure = next(iter(rounds.values()))
    return {
        label: _ratio([t / base for t, base in zip(times, measure, strict=True)]) for label, times in rounds.items()
    }


def _ratio(ratios: list[float]) -> Ratio:
    lower, _, upper = quantiles(ratios, n=4, method="inclusive")
    return Ratio(median(ratios), (upper - lower) / 2)


def _repetitions(timer: Timer, seconds: float) -> int:
    """How often a statement has to run to take about `seconds`."""
    count = 1
    while (taken := timer.timeit(count)) < seconds / 4:
        count *= 2
    return max(1, round(count * seconds / taken))
