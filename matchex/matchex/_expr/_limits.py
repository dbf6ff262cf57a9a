"""How much an expression may do: the bounds, and the meter that counts against them during one evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic

from matchex._expr._errors import ExpressionLimit

__all__ = ["ExpressionLimits", "Meter", "Unmetered"]

MAX_DEPTH = 64
_CLOCK_EVERY = 256
_CHARACTERS_PER_STEP = 64
_ITEMS_PER_STEP = 8


@dataclass(frozen=True, slots=True)
class ExpressionLimits:
    """Bounds of an expression. Each is a number above 0; hitting one raises `ExpressionLimit`.

    Args:
        steps: Work of one evaluation. Every round of a loop (arrow function, comprehension) costs as many steps as its
            body has parts; going through a list or a text, and building one, costs in proportion to its length.
        size: Length of a text (characters) or list (items) that an expression may build; also of its own text.
        number_bits: Bits of an integer that an expression may compute (4096 bits are 1233 digits).
        depth: Nesting of the expression (a row of operators may be three times as long), and of values that are parsed
            or written as JSON or flattened. At most 64.
        seconds: Time of one evaluation, looked at in loops and given to patterns. The bound for what `steps` misjudges.

    Raises:
        ValueError: A bound that is not above 0, or a `depth` above 64.

    Example:
        >>> from matchex._expr import ExpressionLimits, compile_expression
        >>> compile_expression("actual * 2", limits=ExpressionLimits(size=100)).evaluate({"actual": 4})
        8
    """

    steps: int = 1_000_000
    size: int = 1_000_000
    number_bits: int = 4096
    depth: int = 50
    seconds: float = 1.0

    def __post_init__(self) -> None:
        for name in ("steps", "size", "number_bits", "depth", "seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)!r}")
        if self.depth > MAX_DEPTH:
            raise ValueError(f"depth must be at most {MAX_DEPTH}, not {self.depth!r}")


class Meter:
    """Counts what one evaluation has done; never shared between evaluations."""

    __slots__ = ("_clock_at", "_deadline", "_left", "limits", "trace")

    counts = True

    def __init__(self, limits: ExpressionLimits) -> None:
        self.limits = limits
        self.trace: dict[int, object] | None = None
        self._left = limits.steps
        self._clock_at = max(limits.steps - _CLOCK_EVERY, 0)
        self._deadline = monotonic() + limits.seconds

    def step(self, cost: int = 1) -> None:
        """Count `cost` steps, and look at the clock now and then."""
        left = self._left = self._left - cost
        if left < self._clock_at:
            self._look_at_clock(left)

    def _look_at_clock(self, left: int) -> None:
        if left < 0:
            raise ExpressionLimit("steps", self.limits.steps, "too much work")
        self._clock_at = max(left - _CLOCK_EVERY, 0)
        self.seconds_left()

    def seconds_left(self) -> float:
        """The rest of the time, always above 0."""
        left = self._deadline - monotonic()
        if left <= 0:
            raise ExpressionLimit("seconds", self.limits.seconds, "too much time")
        return left

    def seconds_for_pattern(self) -> float:
        """The rest of the time in eighths of the whole, rounded up: patterns keep what they work out for a timeout."""
        share = math.ceil(self.seconds_left() * 8 / self.limits.seconds)
        return self.limits.seconds * min(share, 8) / 8

    def allow(self, size: int, what: str) -> None:
        """Refuse a result that would be longer than the limit, before it is built."""
        if size > self.limits.size:
            raise ExpressionLimit("size", self.limits.size, f"{what} of {size} is too long")

    def text(self, length: int) -> None:
        """Account for a text of this length."""
        self.allow(length, "a text")
        if length > _CHARACTERS_PER_STEP:
            self.step(length // _CHARACTERS_PER_STEP)

    def items(self, length: int) -> None:
        """Account for a list of this length."""
        self.allow(length, "a list")
        if length > _ITEMS_PER_STEP:
            self.step(length // _ITEMS_PER_STEP)


class Unmetered(Meter):
    """The meter of expressions that cannot loop: it has the limits but counts nothing, so that it may be shared."""

    __slots__ = ()

    counts = False

    def step(self, cost: int = 1) -> None:
        """Count nothing: an expression without loops and calls does no more than its text says."""
