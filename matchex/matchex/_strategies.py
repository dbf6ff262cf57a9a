"""Strategies: how the scores of siblings become the score and the verdict of their container."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from matchex._weights import normalize_weights

__all__ = ["MAX", "STRATEGIES", "WEIGHTED", "Max", "Part", "Strategy", "WeightOptions", "Weighted"]


@runtime_checkable
class WeightOptions(Protocol):
    """The options that the weight formula reads.

    Example:
        >>> import matchex, matchex.plugin
        >>> isinstance(matchex.Options(), matchex.plugin.WeightOptions)
        True
    """

    @property
    def max_score(self) -> float | None: ...
    @property
    def unassigned_weight(self) -> float: ...
    @property
    def auto_confidence(self) -> bool | str: ...


@dataclass(frozen=True, slots=True)
class Part:
    """One reward among siblings, as a strategy sees it.

    Attributes:
        passed: Its verdict.
        score: Its score, 0 to 1.
        weight: Its share, as `Strategy.weights` gave it; never negative.

    Example:
        >>> from matchex.plugin import Part
        >>> Part(passed=True, score=1.0, weight=0.5).weight
        0.5
    """

    passed: bool
    score: float
    weight: float


@runtime_checkable
class Strategy(Protocol):
    """How siblings make up their container. Penalties are not its concern: they are subtracted for every strategy.

    Attributes:
        all_needed: Whether each failed part is a failure of its own (a conjunction), or a failed container is one
            failure at its own path.

    Example:
        >>> import matchex, matchex.plugin
        >>> class Most:
        ...     all_needed = False
        ...     def weights(self, weights, options):
        ...         return matchex.normalize_weights(weights)
        ...     def combine(self, parts):
        ...         score = sum(part.weight * part.score for part in parts)
        ...         return score > 0.5, score
        >>> isinstance(Most(), matchex.plugin.Strategy)
        True
    """

    all_needed: bool

    def weights(self, weights: Sequence[float | None], options: WeightOptions) -> list[float]:
        """Turn written weights into shares (penalties stay negative)."""
        ...

    def combine(self, parts: Sequence[Part]) -> tuple[bool, float]:
        """Verdict and score (before penalties, any size) of the rewards."""
        ...


class Weighted:
    """The weighted sum: every part is needed, and each earns its share."""

    all_needed = True

    def weights(self, weights: Sequence[float | None], options: WeightOptions) -> list[float]:
        return normalize_weights(
            weights,
            max_score=options.max_score,
            unassigned_weight=options.unassigned_weight,
            auto_confidence=options.auto_confidence,
        )

    def combine(self, parts: Sequence[Part]) -> tuple[bool, float]:
        if not parts:
            return True, 1.0
        return all(part.passed for part in parts), sum(part.weight * part.score for part in parts)


class Max:
    """The best passing part counts; where none passes, the best part of all."""

    all_needed = False

    def weights(self, weights: Sequence[float | None], options: WeightOptions) -> list[float]:
        shares = normalize_weights(
            weights, max_score=options.max_score, auto_confidence=options.auto_confidence, normalize=False
        )
        return [1.0 if weight is None else share for weight, share in zip(weights, shares, strict=True)]

    def combine(self, parts: Sequence[Part]) -> tuple[bool, float]:
        if not parts:
            return True, 1.0
        passing = [part for part in parts if part.passed]
        return bool(passing), max(part.weight * part.score for part in passing or parts)


WEIGHTED: Final = Weighted()
MAX: Final = Max()
STRATEGIES: Final[dict[str, Strategy]] = {"weighted": WEIGHTED, "and": WEIGHTED, "max": MAX, "or": MAX}
