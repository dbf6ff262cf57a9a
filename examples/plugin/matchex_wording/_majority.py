"""The strategy `majority`: parts that are worth more than half of the whole must pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matchex.plugin import Part

import matchex

__all__ = ["Majority"]


class Majority:
    """Passes when the parts that pass have more than half of the weight; the score is the weighted sum."""

    all_needed = False  # a part that fails is no failure of the whole

    def weights(self, weights: Sequence[float | None], options: Any) -> list[float]:
        """Shares as everywhere else; `options` has what the weight formula reads."""
        return matchex.normalize_weights(
            weights,
            max_score=options.max_score,
            unassigned_weight=options.unassigned_weight,
            auto_confidence=options.auto_confidence,
        )

    def combine(self, parts: Sequence[Part]) -> tuple[bool, float]:
        """Verdict and score."""
        passed = sum(part.weight for part in parts if part.passed)
        return passed > 0.5, sum(part.weight * part.score for part in parts)
