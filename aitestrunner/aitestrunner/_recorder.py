"""Answers from the recording store in place of the executor's, and the executor's put into it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Final, cast

from aitestrunner._errors import ExecutionError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult
from aitestrunner._recordings import RecordingStore, request_of

__all__ = ["MODES", "Recorder", "executor_name"]

MODES: Final = ("auto", "new", "none")
"""`auto` asks for what is not recorded, `new` asks for everything, `none` asks for nothing."""


class Recorder:
    """The recordings of a run.

    Args:
        path: The file of the store.
        mode: One of `MODES`.

    Raises:
        ExecutorError: The file is no store.
        OSError: It cannot be read.
    """

    def __init__(self, path: str | Path, mode: str) -> None:
        self._store = RecordingStore(path)
        self._mode = mode

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def find(self, context: AIExecutionContext, executor: Any, repeat: int) -> AIExecutionResult | None:
        """The recorded answer, or None where the executor is to be asked.

        Raises:
            ExecutionError: Of kind `recording`: there is none, and nothing may be asked.
        """
        if self._mode == "new":
            return None
        found = self._store.find(request_of(context, executor), repeat)
        if found is None and self._mode == "none":
            raise ExecutionError(
                "recording",
                f"nothing is recorded for this case in {self._store.path}, and --record none asks nobody; run with "
                "--record auto (a recording is found by the script, the arguments, the options and the executor)",
            )
        return None if found is None else found.result()

    def keep(
        self, context: AIExecutionContext, executor: Any, repeat: int, result: AIExecutionResult, messages: Any
    ) -> AIExecutionResult:
        """Record an answer. What is judged is what was recorded, so that a replay is judged the same.

        Args:
            context: What the executor was given.
            executor: The name of the executor, see `executor_name`.
            repeat: Which of the runs of the case.
            result: What it answered.
            messages: Its messages, normalised.
        """
        fields = result.fields()
        if messages is not None:
            fields["messages"] = messages
        request = request_of(context, executor)
        return self._store.add(request, fields, case=context.fixture_id, repeat=repeat).result()


def executor_name(executor: Any) -> Any:
    """What names an executor in recordings: what it says itself in `recorded_as`, else where it is defined.

    Args:
        executor: A function, or an object with `execute`. `recorded_as` is plain data that holds whatever its answers
            depend on (a model, a URL) and no secrets. What a `functools.partial` binds counts too.
    """
    own = getattr(executor, "recorded_as", None)
    if own is not None and not isinstance(executor, type):
        return own
    bound: list[Any] = []
    while isinstance(executor, functools.partial):
        partial = cast("functools.partial[Any]", executor)
        bound.append([list(partial.args), dict(partial.keywords)])
        executor = partial.func
    named = executor if hasattr(executor, "__qualname__") else type(executor)
    name = f"{named.__module__}:{named.__qualname__}"
    return {"function": name, "bound": bound} if bound else name
