"""Work on many things at once, with the results in the order of the work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Final, Generic, TypeVar

__all__ = ["Schedule"]

_Unit = TypeVar("_Unit")
_Result = TypeVar("_Result")
_WINDOW: Final = 4096
"""How far ahead of the oldest unfinished unit others may be: their results wait in memory."""


class Schedule(Generic[_Unit, _Result]):
    """Does units of work with several workers and hands out the results in the order of the units.

    Args:
        do: Does one unit.
        hand_out: Takes a result, in order. It answers whether to go on.
        jobs: How many units are done at the same time.
    """

    def __init__(
        self,
        do: Callable[[_Unit], Awaitable[_Result]],
        hand_out: Callable[[_Unit, _Result], Awaitable[bool]],
        *,
        jobs: int,
    ) -> None:
        self._do = do
        self._hand_out = hand_out
        self._jobs = jobs
        self._done: dict[int, tuple[_Unit, _Result]] = {}
        self._next = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()

    async def run(self, units: Iterator[_Unit]) -> list[tuple[_Unit, _Result]]:
        """Do them all, or go on until `hand_out` says no; what is being done then is cancelled.

        Returns:
            Results that were ready and not handed out.
        """
        if self._jobs == 1:
            for unit in units:
                if not await self._hand_out(unit, await self._do(unit)):
                    break
            return []
        numbered = enumerate(units)
        workers = [asyncio.create_task(self._work(numbered)) for _ in range(self._jobs)]
        try:
            await self._hand_out_all(workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return [self._done[number] for number in sorted(self._done)]

    async def _work(self, numbered: Iterator[tuple[int, _Unit]]) -> None:
        try:
            for number, unit in numbered:
                while number - self._next >= _WINDOW:
                    self._room.clear()
                    await self._room.wait()
                self._done[number] = unit, await self._do(unit)
                self._news.set()
        finally:
            self._news.set()

    async def _hand_out_all(self, workers: list[asyncio.Task[None]]) -> None:
        while True:
            self._news.clear()
            while self._next in self._done:
                unit, result = self._done.pop(self._next)
                self._next += 1
                self._room.set()
                if not await self._hand_out(unit, result):
                    return
            finished = [worker for worker in workers if worker.done()]
            for worker in finished:
                worker.result()  # raises what is no matter of one unit
            if len(finished) == len(workers) and self._next not in self._done:
                return
            await self._news.wait()
