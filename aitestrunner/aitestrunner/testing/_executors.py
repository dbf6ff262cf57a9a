"""An executor held against the contract of the runner."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import traceback
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from aitestrunner._errors import AITestError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, as_execute
from aitestrunner._messages import normalize_messages
from aitestrunner._plain import plain

__all__ = ["check_executor"]

_AT_ONCE: Final = 8


def check_executor(
    make_executor: Callable[[], Any],
    contexts: Sequence[AIExecutionContext] = (),
    *,
    timeout: float = 30.0,
) -> None:
    """Hold an executor against the contract of the runner.

    It is asked to answer the contexts one after another, eight times at once, in a second event loop, and after it was
    closed; it is cancelled while it answers. Every answer must be one that the runner can read, log and judge, and what
    the executor was given must stay as it was.

    Args:
        make_executor: Makes a new executor, ready to answer. It is called several times.
        contexts: Cases that it answers without an error; by default one whose input is the text `hello`.
        timeout: Seconds that any one step may take; a step that takes longer is a fault.

    Raises:
        AssertionError: The executor breaks the contract; every fault that was found is in the message.

    Example:
        >>> from aitestrunner.testing import check_executor
        >>> async def shout(context):
        ...     return context.input.upper()
        >>> check_executor(lambda: shout)
        >>> check_executor(lambda: lambda context: None)
        Traceback (most recent call last):
        AssertionError: the executor breaks the contract:
        ...
    """
    asked = list(contexts) or [AIExecutionContext("script", {"input": "hello"}, fixture_id="#0")]
    checker = _Checker(make_executor, asked, timeout)
    checker.run()
    if checker.faults:
        raise AssertionError("the executor breaks the contract:\n" + "\n".join(f"- {it}" for it in checker.faults))


class _Checker:
    def __init__(self, make: Callable[[], Any], contexts: list[AIExecutionContext], timeout: float) -> None:
        self._make = make
        self._contexts = contexts
        self._timeout = timeout
        self.faults: list[str] = []

    def run(self) -> None:
        try:
            executor = self._make()
            as_execute(executor)
        except AITestError as error:
            self.faults.append(str(error))
            return
        self._in_loop("answering", self._one_by_one(executor))
        if self.faults:  # what cannot answer at all need not be asked in other ways
            return
        self._in_loop("answering in another event loop, many at once", self._at_once(executor))
        self._in_loop("being closed", self._closed(executor))
        self._in_loop("being cancelled", self._cancelled())

    def _in_loop(self, what: str, steps: Coroutine[Any, Any, None]) -> None:
        """Run steps in an event loop of their own."""
        try:
            asyncio.run(asyncio.wait_for(steps, self._timeout * (2 + len(self._contexts))))
        except TimeoutError:
            self.faults.append(f"{what}: it never came to an end")

    async def _one_by_one(self, executor: Any) -> None:
        for context in self._contexts:
            await self._answer(executor, context, "")
        await self._close(executor)

    async def _at_once(self, executor: Any) -> None:
        wanted = [self._contexts[i % len(self._contexts)] for i in range(_AT_ONCE)]
        await asyncio.gather(*(self._answer(executor, context, "many at once: ") for context in wanted))
        await self._close(executor)

    async def _closed(self, executor: Any) -> None:
        await self._close(executor)
        await self._close(executor)
        await self._answer(executor, self._contexts[0], "after it was closed: ")
        await self._close(executor)

    async def _cancelled(self) -> None:
        """Cancelled, it ends: with CancelledError, or with the answer if that was there already."""
        executor = self._make()
        task = asyncio.ensure_future(as_execute(executor)(_copied(self._contexts[0])))
        await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=self._timeout)
        if not done:
            self.faults.append("cancelled, it goes on; let asyncio.CancelledError through")
        elif not task.cancelled() and task.exception() is not None:
            error = task.exception()
            self.faults.append(f"cancelled, it raises {error!r}; let asyncio.CancelledError through")
        await self._close(executor)

    async def _answer(self, executor: Any, context: AIExecutionContext, when: str) -> None:
        given = _copied(context)
        try:
            async with asyncio.timeout(self._timeout):
                result = await as_execute(executor)(given)
        except TimeoutError:
            self.faults.append(f"{when}it did not answer {context.args!r:.100} within {self._timeout:g} seconds")
        except Exception as error:
            self.faults.append(f"{when}it raised {''.join(traceback.format_exception_only(error)).strip()}")
        else:
            self.faults += [f"{when}{fault}" for fault in _faults_of(result)]
        if given != context:
            self.faults.append(f"{when}it changed the context that it was given: {given!r:.200}")

    async def _close(self, executor: Any) -> None:
        close = getattr(executor, "aclose", None)
        if close is None:
            return
        if not inspect.iscoroutinefunction(close):
            self.faults.append("`aclose` is no `async` function")
            return
        try:
            await close()
        except Exception as error:
            self.faults.append(f"`aclose` raised {error!r}; it may be called at any time, also twice")


def _copied(context: AIExecutionContext) -> AIExecutionContext:
    return AIExecutionContext(
        context.script, copy.deepcopy(dict(context.args)), copy.deepcopy(dict(context.options)), context.fixture_id
    )


def _faults_of(result: AIExecutionResult) -> list[str]:
    """What the runner could not read, log or judge."""
    faults: list[str] = []
    if result.messages is not None:
        try:
            normalize_messages(result.messages)
        except Exception as error:
            faults.append(f"its `messages` cannot be read: {error}")
    for name, value in result.fields().items():
        try:
            json.dumps(plain(value), allow_nan=False)
        except Exception as error:
            faults.append(f"its {name!r} cannot be written as JSON: {error}")
    usage, cost = result.usage, result.cost
    if usage is not None and not isinstance(plain(usage), dict):
        faults.append(f"its `usage` is no mapping: {usage!r:.80}")
    if cost is not None and (not isinstance(cost, (int, float)) or isinstance(cost, bool) or cost < 0):
        faults.append(f"its `cost` is no number of at least 0: {cost!r:.80}")
    return faults
