"""Python's collector of cycles, slowed down while cases run: it walks all that a run keeps and finds nearly nothing."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

__all__ = ["relaxed_collector"]

_YOUNG: Final = 10_000
"""New objects between two collections. Python's own 700 (2,000 from 3.12 on) cost a fifth of a run of cheap cases."""

_lock: Final = threading.Lock()
_before: list[tuple[int, int, int]] = []
"""What was set before the runs that go on now, once for each of them."""


@contextmanager
def relaxed_collector() -> Generator[None]:
    """Collect cycles less often within it. The last of runs that overlap sets back what was before the first."""
    with _lock:
        _before.append(gc.get_threshold())
        young, *older = _before[0]
        if 0 < young < _YOUNG:  # 0 means that somebody switched it off
            gc.set_threshold(_YOUNG, *older)
    try:
        yield
    finally:
        with _lock:
            if len(_before) == 1:
                gc.set_threshold(*_before[0])
            _before.pop()
