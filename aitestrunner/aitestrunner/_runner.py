"""The runner: the face in Python. It builds cases, chooses what answers them, and leaves the rest to the pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aitestrunner._events import Listener, Listeners
from aitestrunner._executor_choice import Executors
from aitestrunner._log import AITestFixtureResult
from aitestrunner._loop import run_coroutine
from aitestrunner._options import RunOptions
from aitestrunner._pipeline import Pipeline
from aitestrunner._sources import cases_of
from matchex import MISSING

__all__ = ["AITestRunner"]


class AITestRunner:
    """Runs fixtures against whatever answers them.

    Args:
        executor: A function of the `AIExecutionContext`, `async` or not, or an object with such a method `execute`. It
            answers all cases; without it each is answered by the executor that it, or its file, names.

    Raises:
        ExecutorError: It is neither.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> runner = AITestRunner(lambda context: f"Hello, {context.args['name']}!")
        >>> result = runner.run_sync("greeter", [{"input": {"name": "Ann"}, "output": "Ann"}])
        >>> result.passed_count
        1
    """

    def __init__(self, executor: Any = MISSING) -> None:
        self._executors = executor if isinstance(executor, Executors) else Executors(executor)
        self._listeners = Listeners()

    def on(self, event: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` whenever `event` happens.

        Args:
            event: `run:start`, `test:start`, `test:pass`, `test:fail`, `test:error`, `test:skip` or `run:end`.
            listener: Takes the payload: a mapping with `i, id, script, input, title, fixture` for `test:start`, the
                log item for the other events of cases, the result for `run:end`. It may be `async`; what it raises is
                logged, kept in `result.listener_errors`, and disturbs nothing.

        Returns:
            A function that ends it.

        Raises:
            ValueError: There is no such event.

        Example:
            >>> from aitestrunner import AITestRunner
            >>> runner, seen = AITestRunner(lambda context: "hello"), []
            >>> stop = runner.on("test:pass", lambda item: seen.append(item.i))
            >>> _ = runner.run_sync("bot", [{"output": "hello"}])
            >>> seen
            [0]
        """
        self._listeners.add(event, listener)
        return lambda: self._listeners.remove(event, listener)

    async def run(self, script: str | None, fixtures: Any, **options: Any) -> AITestFixtureResult:
        """Run fixtures.

        Args:
            script: What runs, where a case does not say it itself; None where the executor needs no such name.
            fixtures: A list of cases (mappings with keys as in files, or `AITestFixture`s), a path, or several paths.
            options: See `RunOptions`.

        Returns:
            One log item per case, and the counts.

        Raises:
            TypeError: An unknown option, or fixtures that are none.
            ValueError: A value that an option does not take.
            FixtureError: A fixture file has problems, or a case has `only` where that is forbidden.
            CodeError: An operator among the options cannot be loaded.
            SelectionError: `keywords` cannot be read.
            LogError: What is to be resumed is no log of this run.
            OSError: A log or a recording cannot be read or written.

        Example:
            >>> import asyncio
            >>> from aitestrunner import AITestRunner
            >>> async def main():
            ...     return await AITestRunner(lambda context: "42").run("bot", [{"output": "/^4/"}])
            >>> asyncio.run(main()).passed
            True
        """
        checked = RunOptions.of(options)
        items = cases_of(fixtures, checked.defaults())
        self._listeners.errors = []
        async with self._executors as executors:
            return await Pipeline(executors, checked, self._listeners, script).run(items)

    def run_sync(self, script: str | None, fixtures: Any, **options: Any) -> AITestFixtureResult:
        """`run`, for where nothing is asynchronous.

        Raises:
            RuntimeError: An event loop is running already; await `run` there.

        Example:
            >>> from aitestrunner import AITestRunner
            >>> AITestRunner(lambda context: "no").run_sync("bot", [{"output": "yes"}]).failed_count
            1
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return run_coroutine(self.run(script, fixtures, **options))
        raise RuntimeError("an event loop is running already; write `await runner.run(…)` in place of `run_sync`")
