"""Repeats: one case run several times, and what can be said about it then."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from aitestrunner._log import AITestLogItem, Outcome, Repeats
from matchex import MISSING

__all__ = ["one_of_many", "pass_power", "wilson"]

_Z: Final = 1.959963984540054  # 95 %
_TOLERANCE: Final = 1e-9
_MOST_POWERS: Final = 10


def one_of_many(runs: Sequence[AITestLogItem], min_pass_rate: float) -> AITestLogItem:
    """The log item of a case that ran several times.

    A run in error may have passed or failed. Where the pass rate decides either way, the case is an error.

    Args:
        runs: The log items of its runs, in order.
        min_pass_rate: The share of them that must pass, 0..1.
    """
    count = len(runs)
    passed = sum(run.status == "pass" for run in runs)
    failed = sum(run.status == "fail" for run in runs)
    status = _status(passed, failed, count, min_pass_rate)
    shown = next((run for run in runs if run.status == status), runs[0])
    repeats = Repeats(
        runs=tuple(runs),
        passed=passed,
        pass_rate=passed / count,
        min_pass_rate=min_pass_rate,
        interval=wilson(passed, count),
        pass_power=tuple(pass_power(passed, count, k) for k in range(1, min(count, _MOST_POWERS) + 1)),
        flaky=0 < passed < count,
    )
    return dataclasses.replace(
        shown,
        status=status,
        score=_mean([run.score for run in runs if run.score is not None]),
        cost=_sum([run.cost for run in runs]),
        dimensions=_mean_dimensions(runs),
        duration=sum(run.duration for run in runs),
        attempts=sum(run.attempts for run in runs),
        recorded=all(run.recorded for run in runs),
        repeats=repeats,
    )


def _status(passed: int, failed: int, count: int, min_pass_rate: float) -> Outcome:
    needed = min_pass_rate * count - _TOLERANCE
    if passed >= needed:
        return "pass"
    return "fail" if count - failed < needed else "error"


def wilson(passed: int, count: int) -> tuple[float, float]:
    """The interval that holds the true pass rate with 95 % confidence, by Wilson's score.

    Example:
        >>> low, high = wilson(4, 5)
        >>> round(low, 3), round(high, 3)
        (0.376, 0.964)
    """
    rate = passed / count
    spread = _Z * math.sqrt(rate * (1 - rate) / count + _Z**2 / (4 * count**2))
    middle, scale = rate + _Z**2 / (2 * count), 1 + _Z**2 / count
    low = 0.0 if passed == 0 else (middle - spread) / scale
    return low, 1.0 if passed == count else (middle + spread) / scale


def pass_power(passed: int, count: int, k: int) -> float:
    """pass^k: how likely `k` runs are to pass all, estimated without bias from `count` runs.

    Example:
        >>> pass_power(4, 5, 1), pass_power(4, 5, 2), pass_power(4, 5, 5)
        (0.8, 0.6, 0.0)
    """
    return math.comb(passed, k) / math.comb(count, k)


def _mean(numbers: Sequence[float]) -> float | None:
    return fmean(numbers) if numbers else None


def _sum(costs: Sequence[Any]) -> Any:
    known = [cost for cost in costs if isinstance(cost, (int, float))]
    return sum(known) if known else MISSING


def _mean_dimensions(runs: Sequence[AITestLogItem]) -> Mapping[str, float]:
    names = dict.fromkeys(name for run in runs for name in run.dimensions)
    return {name: fmean(run.dimensions[name] for run in runs if name in run.dimensions) for name in names}
