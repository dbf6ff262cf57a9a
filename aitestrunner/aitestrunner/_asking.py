"""Asking an executor: not too often, not too long, and again where that may help."""

from __future__ import annotations

import asyncio
import random
import time
import types
from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from matchex.plugin import describe_error

from aitestrunner._errors import ExecutionError, ExecutorError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, Execute
from aitestrunner._threads import Threads

__all__ = ["Answer", "Asker", "Fault"]

_HOPELESS: Final = frozenset({"input", "recording", "template"})
"""Kinds of errors that are the same every time."""

_LONGEST_DELAY: Final = 60.0
_GRACE: Final = 2.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no answer."""

    kind: str
    message: str
    cause: BaseException | None = None


@dataclass(slots=True)
class Answer:
    """An answer, or why there is none; and what earlier attempts ended in."""

    result: AIExecutionResult | None
    fault: Fault | None = None
    earlier: tuple[Fault, ...] = ()


class Asker:
    """Asks executors as the options of a run say.

    Args:
        retries: How often to ask again after an error.
        delay: Seconds before the first retry; each later one waits twice as long.
        per_second: How many questions a second may be put, or None.
        aside: Executors that block are called in threads, because others are to go on meanwhile.
    """

    def __init__(self, *, retries: int, delay: float, per_second: float | None, aside: bool) -> None:
        self._retries = retries
        self._delay = delay
        self._rate = _Rate(per_second) if per_second else None
        self._aside = aside
        self._threads = Threads()

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.close()

    async def ask(self, execute: Execute, context: AIExecutionContext, timeout: float | None) -> Answer:
        """Ask once, and again after errors, in `timeout` seconds altogether. Waiting for a turn does not count."""
        earlier: list[Fault] = []
        left = timeout
        while True:
            if self._rate is not None:
                await self._rate.turn()
            began = time.monotonic()
            if left is None and not self._aside:
                outcome = await _outcome(execute, context)
            else:
                outcome = await self._once(execute, context, left, timeout)
            if isinstance(outcome, AIExecutionResult):
                return Answer(outcome, None, tuple(earlier))
            if len(earlier) == self._retries or not _is_worth_another(outcome):
                return Answer(None, outcome, tuple(earlier))
            delay = self._delay_before(len(earlier))
            if left is not None:
                left -= time.monotonic() - began + delay
                if left <= 0:
                    return Answer(None, _timed_out(timeout, f"; the last attempt: {outcome.message}"), tuple(earlier))
            earlier.append(outcome)
            await asyncio.sleep(delay)

    def _delay_before(self, number: int) -> float:
        """Twice as long each time, and never the same for all cases that failed together."""
        return min(_LONGEST_DELAY, self._delay * 2**number) * random.uniform(0.5, 1)  # noqa: S311 (no secret)

    async def _once(
        self, execute: Execute, context: AIExecutionContext, left: float | None, timeout: float | None
    ) -> AIExecutionResult | Fault:
        with self._threads.used():  # also because a call that blocks could not be given up here
            if left is None:
                return await _outcome(execute, context)
            return await _within(execute, context, left, timeout)


class _Rate:
    """Turns at even distances."""

    def __init__(self, per_second: float) -> None:
        self._distance = 1 / per_second
        self._next = 0.0

    async def turn(self) -> None:
        now = time.monotonic()
        at = max(now, self._next)
        self._next = at + self._distance
        if at > now:
            await asyncio.sleep(at - now)


async def _within(
    execute: Execute, context: AIExecutionContext, left: float, timeout: float | None
) -> AIExecutionResult | Fault:
    """The outcome, if it comes in time; else the executor is cancelled, and left behind if it does not care."""
    task = asyncio.create_task(_outcome(execute, context))
    began = time.monotonic()
    try:
        await asyncio.wait({task}, timeout=left)
    finally:
        in_time = task.done()
        if not in_time:
            task.cancel()
            await asyncio.wait({task}, timeout=_GRACE)
    if in_time and time.monotonic() - began > left:
        return _timed_out(timeout, "; an `async` executor that blocks keeps all others from going on, too")
    if in_time:
        return task.result()
    return _timed_out(timeout, "" if task.done() else "; the executor ignores that it was cancelled, and goes on")


def _timed_out(timeout: float | None, more: str) -> Fault:
    return Fault("timeout", f"no answer within {timeout:g} seconds (`timeout`){more}")


async def _outcome(execute: Execute, context: AIExecutionContext) -> AIExecutionResult | Fault:
    """What an executor answers or raises. Only what ends the run itself is raised here."""
    task = asyncio.current_task()
    assert task is not None, "the pipeline runs in a task"
    try:
        return await _watched(execute(context), task)
    except ExecutionError as error:
        return Fault(error.kind, str(error), error)
    except _CancelledItself as error:
        task.uncancel()
        with suppress(asyncio.CancelledError):  # the one that it asked for comes at the next chance
            await asyncio.sleep(0)
        return Fault("executor", "the executor cancelled the task that it runs in", error)
    except asyncio.CancelledError as error:
        if task.cancelling():
            raise
        return Fault("executor", "the executor was cancelled from within", error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also what pytest raises to fail or skip
        said = describe_error(error)
        hint = "; with --jobs 2 it is called in a thread" if "running event loop" in said else ""
        return Fault("executor", f"the executor raised {said}{hint}", error)


class _CancelledItself(Exception):
    """An executor cancelled the task that it runs in, which is one of ours."""


@types.coroutine
def _watched(
    coroutine: Coroutine[Any, Any, AIExecutionResult], task: asyncio.Task[Any]
) -> Generator[Any, Any, AIExecutionResult]:
    """Await a coroutine step by step, so that it is seen whether it cancels its own task while it has the word.

    A task that is cancelled from outside is waiting; that goes through. It costs no task of its own.

    Args:
        coroutine: The coroutine.
        task: The task in which it is awaited.

    Raises:
        _CancelledItself: It does.
    """
    step: Callable[[Any], Any] = coroutine.send
    given: Any = None
    before = task.cancelling()
    while True:
        try:
            waited = step(given)
        except StopIteration as end:
            if task.cancelling() > before:
                raise _CancelledItself from None
            return end.value
        except BaseException as error:
            if task.cancelling() > before:
                raise _CancelledItself from error
            raise
        if task.cancelling() > before:
            coroutine.close()
            raise _CancelledItself
        try:
            step, given = coroutine.send, (yield waited)
        except BaseException as error:
            step, given = coroutine.throw, error
        before = task.cancelling()


def _is_worth_another(fault: Fault) -> bool:
    """A wrong answer of the executor itself is as wrong the next time."""
    cause: Any = fault.cause
    return cause is not None and fault.kind not in _HOPELESS and type(cause) is not ExecutorError
