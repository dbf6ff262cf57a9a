"""How far a score may be off because some checks could not be done."""

from __future__ import annotations

from typing import Any, Final

import matchex

__all__ = ["score_span"]

_EXACT: Final = 1e-6


def score_span(result: matchex.MatchResult) -> tuple[float, float]:
    """The lowest and the highest score that a result could have had, had its checks in error been done.

    A check in error counts as failed in the score itself; done, it might have earned its weight, or cost that of a
    penalty.
    """
    if not result.errors:
        return result.score, result.score
    if not result.details:
        return (0.0, 1.0) if result.status == "error" else (result.score, result.score)
    return _span_of(result, result.status)


def _span_of(node: Any, status: str) -> tuple[float, float]:
    """The span of a result or detail: its own, or what its children leave open."""
    if not node.details:
        return (0.0, 1.0) if status == "error" else (node.score, node.score)
    spans = [(child, *_span_of(child, child.status)) for child in node.details]
    if all(low == high for _, low, high in spans):
        return (0.0, 1.0) if status == "error" else (node.score, node.score)
    earned = sum(child.score * child.weight for child in node.details)
    if abs(min(max(earned, 0.0), 1.0) - node.score) > _EXACT:  # no weighted sum: an alternative, a custom strategy
        return 0.0, 1.0
    ends = [sorted((low * child.weight, high * child.weight)) for child, low, high in spans]
    return max(0.0, sum(low for low, _ in ends)), min(1.0, sum(high for _, high in ends))
