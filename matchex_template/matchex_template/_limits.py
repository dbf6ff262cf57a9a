"""What one rendering may cost: steps, characters and seconds. Reaching a limit is an error that names it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from matchex.plugin import TemplateError

__all__ = ["MAX_NUMBER", "Budget", "Limits"]

MAX_NUMBER: Final = 10_000
"""The largest width, count or precision that a filter or a format takes."""

_MAX_BITS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one rendering, with everything nested in it.

    Args:
        steps: Placeholders, turns of loops, items looked at by filters.
        output: Characters and list items produced, intermediate ones included.
        seconds: Wall-clock time.
        depth: Values within values whose texts have placeholders of their own.
    """

    steps: int
    output: int
    seconds: float
    depth: int = 100


class Budget:
    """What is left of the limits while something is rendered."""

    __slots__ = ("_deadline", "_limits", "_output", "_steps")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._steps = limits.steps
        self._output = limits.output
        self._deadline = time.monotonic() + limits.seconds

    def step(self, count: int = 1) -> None:
        """Pay for work that is about to be done."""
        self._steps -= count
        if self._steps < 0:
            raise TemplateError(f"rendering takes more than {self._limits.steps:,} steps (option max_steps)")
        if time.monotonic() > self._deadline:
            raise TemplateError(f"rendering takes longer than {self._limits.seconds:g} s (option timeout)")

    def produce(self, size: int) -> None:
        """Pay for characters or items; where it can be known, before they are made."""
        self._output -= size
        if self._output < 0:
            raise TemplateError(f"rendering produces more than {self._limits.output:,} characters (option max_output)")

    def descend(self, depth: int) -> None:
        """Check how deep values are nested in values."""
        if depth > self._limits.depth:
            raise TemplateError(f"placeholders lead through more than {self._limits.depth} values")

    def calculate(self, bits: int) -> None:
        """Check the size of an integer before it is computed."""
        if bits > _MAX_BITS:
            raise TemplateError(f"the result would be an integer of more than {_MAX_BITS:,} bits")
