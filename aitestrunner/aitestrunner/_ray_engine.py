"""The engine Ray: parts of the cases as tasks on the machines of a cluster, or in processes of this one."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
import signal
import socket
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from aitestrunner._engine import Work, run_cases
from aitestrunner._errors import ExecutorError
from aitestrunner._log import AITestIssue, AITestLogItem
from aitestrunner._plan import shard_of
from aitestrunner._stored import item_of

__all__ = ["RayEngine", "keep_to_loopback"]

_ATTEMPTS: Final = 3
"""How often a case may lose its worker when it is alone."""
_MOST_LOSSES: Final = 100
"""How many workers one part may lose; then it is not the cases, and what is left is given up."""

_REACHED_WITHIN: Final = 10.0  # seconds
_NOT_CARRIED: Final = [".aitest/runs", ".git", ".venv", "__pycache__"]


def keep_to_loopback() -> None:
    """Make Ray listen on this machine alone, unless a cluster is named. Ray reads this when it is imported."""
    if not os.environ.get("RAY_ADDRESS"):
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")


class RayEngine:
    """Runs cases as tasks of Ray: on the cluster that `RAY_ADDRESS` names, else in processes of this machine.

    Args:
        make: Makes the work at the other end; it must be picklable, and what it names must be there.
        workers: In how many tasks the cases are cut.

    Raises:
        ExecutorError: Ray is not installed.
    """

    def __init__(self, make: Callable[[], Work], *, workers: int) -> None:
        keep_to_loopback()
        try:
            self._ray: Any = importlib.import_module("ray")  # an extra: type checkers may not find it
        except ImportError as error:
            raise ExecutorError("the engine Ray is not installed: pip install 'aitestrunner[ray]'") from error
        self._make = make
        self._workers = workers

    async def items(self, ids: Sequence[str]) -> AsyncGenerator[AITestLogItem]:
        """The log items of cases as they end."""
        if not ids:
            return
        ours = self._join()
        ended: asyncio.Queue[AITestLogItem | BaseException] = asyncio.Queue()
        parts = _parts(ids, self._workers)
        tasks = [asyncio.create_task(self._run_part(part, ended)) for part in parts]
        try:
            for _ in ids:
                got = await ended.get()
                if isinstance(got, BaseException):
                    raise got
                yield got
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if ours:
                self._ray.shutdown()

    def _join(self) -> bool:
        """Connect to Ray, unless the program has done so; whether it was we who did."""
        if self._ray.is_initialized():
            return False
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
        address = os.environ.get("RAY_ADDRESS")
        if not address:
            try:
                with _interrupted_afterwards():
                    self._ray.init("local", num_cpus=self._workers, include_dashboard=False, **quiet)
            except BaseException:
                self._ray.shutdown()
                raise
            return True
        files = {"working_dir": ".", "excludes": _NOT_CARRIED}  # the other machines need the files of this folder
        try:
            _check_listens(address)
            self._ray.init(runtime_env=files, **quiet)
        except (OSError, ValueError, RuntimeError) as error:
            refused = isinstance(error, OSError) and error.errno is not None
            hint = "" if refused else "; if it asks for a token, it needs RAY_AUTH_MODE=token and the token here too"
            raise ExecutorError(f"cannot join the Ray cluster at {address} (RAY_ADDRESS): {error}{hint}") from error
        return True

    async def _run_part(self, ids: Sequence[str], ended: asyncio.Queue[AITestLogItem | BaseException]) -> None:
        """Run some cases in one task; what is left of them when its worker is lost in others, half of it each.

        So a case that takes its worker down is alone in the end, and the others are run.
        """
        waiting: list[tuple[list[str], int]] = [(list(ids), 0)]
        losses = 0
        try:
            while waiting:
                part, lost = waiting.pop()
                left = dict.fromkeys(part)
                trouble = await self._run_once(left, ended)
                losses += trouble is not None
                rest = list(left)
                if trouble is None or losses > _MOST_LOSSES or lost + 1 == _ATTEMPTS:
                    for case_id in rest:
                        ended.put_nowait(_lost(case_id, trouble or "its task ended without it"))
                elif len(rest) > 1:
                    waiting += [(rest[len(rest) // 2 :], 0), (rest[: len(rest) // 2], 0)]
                elif rest:
                    waiting.append((rest, lost + 1))
        except Exception as error:
            ended.put_nowait(error)

    async def _run_once(self, left: dict[str, None], ended: asyncio.Queue[AITestLogItem | BaseException]) -> str | None:
        """Run cases in one task, and take those that ended out of `left`. How the worker was lost, if it was."""
        try:
            async for item in self._ask(list(left)):
                if item.id in left:
                    del left[item.id]
                    ended.put_nowait(item)
        except self._ray.exceptions.RayTaskError as error:  # the work itself is wrong, there as anywhere
            raise ExecutorError(f"a worker could not go on: {error.cause}") from error
        except self._ray.exceptions.RayError as error:
            return f"{type(error).__name__}: {error}".partition("\n")[0]
        return None

    async def _ask(self, ids: Sequence[str]) -> AsyncGenerator[AITestLogItem]:
        task = self._ray.remote(num_cpus=1, max_retries=0, num_returns="streaming")(run_cases)
        answers = task.remote(self._make, ids)
        try:
            async for answer in answers:
                for line in await answer:
                    yield item_of(json.loads(line))
        except (asyncio.CancelledError, GeneratorExit):
            self._ray.cancel(answers, force=True)
            raise


@contextmanager
def _interrupted_afterwards() -> Generator[None]:
    """Let Ctrl-C wait until something is done: what is half started cannot be shut down, and would be left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def _check_listens(address: str) -> None:
    """Refuse an address `host:port` where nobody listens; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_REACHED_WITHIN).close()


def _parts(ids: Sequence[str], count: int) -> list[list[str]]:
    """The cases cut in parts by their ids, so that neighbours, which are often alike, do not stay together."""
    parts: list[list[str]] = [[] for _ in range(count)]
    for case_id in ids:
        parts[shard_of(case_id, count) - 1].append(case_id)
    return [part for part in parts if part]


def _lost(case_id: str, trouble: str) -> AITestLogItem:
    issue = AITestIssue("engine", f"no worker ran this case to its end: {trouble}")
    return AITestLogItem(i=0, id=case_id, status="error", errors=(issue,))
