"""Running cases elsewhere: what the pipeline asks of an engine, and what happens at the other end."""

from __future__ import annotations

import queue
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol

from aitestrunner._log import AITestLogItem

__all__ = ["Engine", "Work", "run_cases"]

_MOST_AT_ONCE: Final = 256


class Engine(Protocol):
    """Runs cases in other processes."""

    def items(self, ids: Sequence[str]) -> AsyncGenerator[AITestLogItem]:
        """The log items of cases as they end, each case once. Closing it ends what still runs."""
        ...


class Work(NamedTuple):
    """All that the other end needs; it is made there, because what is loaded here may not travel."""

    executor: Any
    script: str | None
    fixtures: Any
    options: dict[str, Any]


def run_cases(make: Callable[[], Work], ids: Sequence[str]) -> Iterator[list[str]]:
    """Run some cases here and give their log items as JSON as they end: what ended since it was last asked.

    Args:
        make: Makes the work; what it raises is raised here.
        ids: The cases to run.
    """
    ended: queue.SimpleQueue[str | BaseException | None] = queue.SimpleQueue()
    threading.Thread(target=_work, args=(make, ids, ended), daemon=True).start()
    while True:
        got: list[str | BaseException | None] = [ended.get()]
        with suppress(queue.Empty):
            while len(got) < _MOST_AT_ONCE:
                got.append(ended.get_nowait())
        if lines := [line for line in got if isinstance(line, str)]:
            yield lines
        if isinstance(got[-1], BaseException):
            raise got[-1]
        if got[-1] is None:
            return


def _work(make: Callable[[], Work], ids: Sequence[str], ended: queue.SimpleQueue[str | BaseException | None]) -> None:
    from aitestrunner._report_files import to_json_line
    from aitestrunner._runner import AITestRunner

    try:
        work = make()
        runner = AITestRunner(work.executor)
        for event in ("test:pass", "test:fail", "test:error", "test:skip"):
            runner.on(event, lambda item: ended.put(to_json_line(item)))
        runner.run_sync(work.script, work.fixtures, **work.options, ids=ids, keep_logs=False)
        ended.put(None)
    except BaseException as error:
        ended.put(error)
