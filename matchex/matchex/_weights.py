"""From written weights to shares of one: the weight formula, to the digit."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Final

from matchex._errors import ExpectationError, Problem

__all__ = ["normalize_weights"]


def normalize_weights(
    weights: Sequence[float | None],
    *,
    max_score: float | None = None,
    unassigned_weight: float | None = None,
    auto_confidence: bool | str = True,
    normalize: bool = True,
) -> list[float]:
    """Turn the written weights of siblings into shares.

    A weight below 1 is a fraction, from 1 on a number of points out of `max_score`; `None` is unassigned and shares
    what the others leave, at least the unassigned budget. A negative weight is a penalty: it stays as it is, absolute.
    The formula is that of the older engine, in the same order of floating-point operations, with the budget
    limited to 0..1.

    Args:
        weights: One weight for each sibling, or None.
        max_score: Points that are the whole (default 100; larger weights stretch it).
        unassigned_weight: The budget for siblings without a weight: a fraction, or points from 1 on (default 0.1).
        auto_confidence: `True` tells fractions from points by size, `False` takes all for points, `"force"` all for
            fractions.
        normalize: Whether rewards are scaled to sum to 1 (as in conjunctions) or taken alone (as in `$or`).

    Returns:
        A share for each weight. Shares of rewards sum to 1 when `normalize` (or are all 0), penalties are negative.

    Raises:
        ExpectationError: A weight is not finite.

    Example:
        >>> import matchex
        >>> matchex.normalize_weights([80, None])
        [0.8, 0.19999999999999996]
        >>> matchex.normalize_weights([80, -20])
        [1.0, -0.2]
    """
    if weights and normalize and weights.count(None) == len(weights):  # the commonest; the formula gives the same
        return [1 / len(weights)] * len(weights)
    if not all(weight is None or math.isfinite(weight) for weight in weights):
        raise ExpectationError([Problem("", f"weights must be finite, not {list(weights)}")])
    explicit = [weight for weight in weights if weight is not None]
    missing = len(weights) - len(explicit)
    scale = max(100.0 if max_score is None else max_score, *explicit, 0)
    budget = 0.1 if unassigned_weight is None else unassigned_weight
    if not ((auto_confidence and 0 <= budget < 1) or auto_confidence == "force"):
        budget /= scale
    budget = min(max(budget, 0.0), 1.0)
    shares = [None if weight is None else _confidence(weight, scale, auto_confidence) for weight in weights]
    if not normalize:
        return [budget / missing if share is None else share for share in shares]
    return _normalized(shares, missing, budget)


_TINY: Final = sys.float_info.min


def _confidence(weight: float, scale: float, auto_confidence: bool | str) -> float:
    is_fraction = auto_confidence == "force" or (auto_confidence and abs(weight) < 1)
    return weight if is_fraction else weight / scale


def _normalized(shares: Sequence[float | None], missing: int, budget: float) -> list[float]:
    total = sum(share for share in shares if share is not None and share > 0)
    if 0 < total < _TINY:  # 1 / total would be infinite
        return _normalized([None if share is None else share / _TINY for share in shares], missing, budget)
    unassigned, factor = 0.0, 1.0
    if not missing:
        factor = 1 / total if total else 0.0
    elif total + budget <= 1:
        unassigned = 1 - total
    else:
        unassigned = budget
        factor = (1 - budget) / total if total else 0.0
    return [unassigned / missing if share is None else (share * factor if share >= 0 else share) for share in shares]
