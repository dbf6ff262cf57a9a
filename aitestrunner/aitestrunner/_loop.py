"""Running a coroutine from where no loop runs, so that Ctrl-C ends it at once and nothing keeps the program alive."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

__all__ = ["run_coroutine"]

_T = TypeVar("_T")
_GRACE: Final = 3.0


def run_coroutine(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Like `asyncio.run`, with two differences.

    Ctrl-C raises `KeyboardInterrupt` wherever the program is: `asyncio.run` waits for the next `await`, which a run of
    functions that are not `async` never reaches. And tasks that ignore their cancellation are waited for only shortly.
    """
    loop = asyncio.new_event_loop()
    try:
        asyncio.set_event_loop(loop)
        return loop.run_until_complete(coroutine)
    finally:
        try:
            _end_tasks(loop)
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=_GRACE))
