"""Something that belongs to an event loop, like a client with open connections, made once for each loop."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["PerLoop"]

_T = TypeVar("_T")


class PerLoop(Generic[_T]):
    """Keeps one thing for each event loop: runs follow each other in loops of their own, or go on in several threads.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._kept: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _T] = weakref.WeakKeyDictionary()

    def get(self) -> _T:
        """The one of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._kept:
            self._kept[loop] = self._make()
        return self._kept[loop]

    def pop(self) -> _T | None:
        """The one of the running loop, to be closed; a new one is made when it is asked for again."""
        return self._kept.pop(asyncio.get_running_loop(), None)
