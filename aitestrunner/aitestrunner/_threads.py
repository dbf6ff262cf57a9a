"""Threads for executors that block: what a run calls aside, so that the others go on.

Python's own pool joins its threads when the program ends, so that one call that never returns keeps it from ending.
These threads are left behind instead: a run that gave up on a call does not wait for it any more.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

__all__ = ["Threads", "calling_aside"]

_current: Final[contextvars.ContextVar[Threads | None]] = contextvars.ContextVar("threads", default=None)
_Job = Callable[[], None]


async def calling_aside(function: Callable[[Any], Any], argument: Any) -> Any:
    """Call a function that may block: in a thread where the run has some, here where nothing else is to go on."""
    threads = _current.get()
    return function(argument) if threads is None else await threads.call(function, argument)


class Threads:
    """As many threads as are needed at the same time; each is used again once it is free."""

    def __init__(self) -> None:
        self._idle: list[queue.SimpleQueue[_Job | None]] = []
        self._closed = False

    @contextmanager
    def used(self) -> Generator[None]:
        """Within it `calling_aside` uses these threads."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def close(self) -> None:
        """Let the threads end, those that are busy once they are free."""
        self._closed = True
        for jobs in self._idle:
            jobs.put(None)
        self._idle = []

    async def call(self, function: Callable[[Any], Any], argument: Any) -> Any:
        """Call a function in a thread and wait. When the waiting is cancelled, the thread goes on for nobody."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        context = contextvars.copy_context()
        jobs = self._idle.pop() if self._idle else self._new()

        def settle(value: Any, error: BaseException | None) -> None:
            if self._closed:
                jobs.put(None)
            else:
                self._idle.append(jobs)
            if answer.cancelled():
                return
            if error is None:
                answer.set_result(value)
            else:
                answer.set_exception(error)

        def job() -> None:
            value, failed = None, None
            try:
                value = context.run(function, argument)
            except (StopIteration, GeneratorExit) as error:  # which no future takes, or passes on
                failed = RuntimeError(f"{type(error).__name__} left the function")
            except BaseException as error:
                failed = error
            try:
                loop.call_soon_threadsafe(settle, value, failed)
            except RuntimeError:  # the loop is closed: nobody waits any more
                jobs.put(None)

        jobs.put(job)
        return await answer

    def _new(self) -> queue.SimpleQueue[_Job | None]:
        jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        threading.Thread(target=_work, args=(jobs,), name="aitest-executor", daemon=True).start()
        return jobs


def _work(jobs: queue.SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        job()
