"""Calling what a user wrote, `async` or not, so that a timeout ends the waiting for it in either case."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["call"]


async def call(function: Callable[..., Any], *args: Any) -> Any:
    """What a function answers.

    A coroutine function runs here and is cancelled with its caller. Any other function runs in a thread of its own,
    which nothing can interrupt: when the caller is cancelled, its answer is dropped and nothing waits for it, not even
    the end of the program.
    """
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004 (asks for the kind, not whether)
        return await function(*args)
    answer = await _in_thread(function, args)
    return await answer if inspect.isawaitable(answer) else answer


async def _in_thread(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(answer: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(answer)
        else:
            future.set_exception(error)

    def work() -> None:
        answer, error = None, None
        try:
            answer = context.run(function, *args)
        except (StopIteration, SystemExit) as raised:  # no future takes the one; the other would end the whole run
            error = RuntimeError(f"{type(raised).__name__}: {raised}")
        except BaseException as raised:  # it belongs to whoever waits for the answer
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, answer, error)

    threading.Thread(target=work, name=f"graph: {getattr(function, '__name__', 'call')}", daemon=True).start()
    return await future
