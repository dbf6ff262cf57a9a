"""Calling what a user wrote, `async` or not, so that a timeout ends the waiting for it in either case."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from aitestrunner._threads import Threads

__all__ = ["call"]

_threads: Final = Threads()


async def call(function: Callable[[Any], Any], argument: Any) -> Any:
    """What a function answers.

    A coroutine function runs here and is cancelled with its caller. Any other function runs in a thread, which nothing
    can interrupt: when the caller is cancelled, its answer is dropped and nothing waits for it, not even the end of
    the program.
    """
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        return await function(argument)

    def work(value: Any) -> Any:
        try:
            return function(value)
        except SystemExit as error:  # it would end the whole run
            raise RuntimeError(f"SystemExit: {error}") from error

    answer = await _threads.call(work, argument)
    return await answer if inspect.isawaitable(answer) else answer
