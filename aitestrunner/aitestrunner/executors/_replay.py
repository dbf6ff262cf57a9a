"""The executor `replay`: answers from a recording, found by the ids of the cases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from aitestrunner._answers import missing_answer
from aitestrunner._errors import ExecutionError, ExecutorError, FixtureError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, as_result
from aitestrunner._files import parse_rows
from aitestrunner.executors._checks import check, inside_folder

__all__ = ["ReplayExecutor"]


class ReplayExecutor:
    r"""Answers from a file of recorded answers: JSON Lines of `{"id": …, "output": …}`.

    A line belongs to the case with its `id`, or to the case with its index `i` in its file; lines with neither belong
    to the cases without ids in their order.

    Args:
        answers: The file.
        base_dir: What a relative path is relative to.
        inside: The folder that it must lie in, where a fixture file names it.

    Raises:
        ExecutorError: It cannot be read.

    Example:
        >>> import asyncio, tempfile
        >>> from pathlib import Path
        >>> from aitestrunner import AIExecutionContext
        >>> from aitestrunner.executors import ReplayExecutor
        >>> path = Path(tempfile.mkdtemp()) / "bot.answers.jsonl"
        >>> _ = path.write_text('{"id": "greets", "output": "hello"}\n')
        >>> asyncio.run(ReplayExecutor(path).execute(AIExecutionContext("bot", {}, fixture_id="greets"))).output
        'hello'
    """

    replays = True

    def __init__(
        self, answers: str | Path, *, base_dir: str | Path | None = None, inside: str | Path | None = None
    ) -> None:
        check("replay", "answers", answers, lambda value: isinstance(value, (str, Path)), "the name of a file")
        path = inside_folder(answers, base_dir, inside, "the recording")
        self._path = path
        self._by_id: dict[str, Any] = {}
        self._by_index: dict[int, Any] = {}
        try:
            for number, row in enumerate(parse_rows(path)):
                self._keep(cast("Mapping[str, Any]", row.value), number)
        except (FixtureError, OSError) as error:
            raise ExecutorError(f"the recording cannot be read: {error}") from error

    def _keep(self, row: Mapping[str, Any], number: int) -> None:
        if "output" not in row:
            raise ExecutorError(f"{self._path}: line {number + 1}: an answer needs `output`")
        answer = {key: value for key, value in row.items() if key not in ("id", "i")}
        if "id" in row:
            self._by_id[str(row["id"])] = answer
        else:
            self._by_index[row.get("i", number)] = answer

    @property
    def recorded_as(self) -> dict[str, Any]:
        """What names the executor in recordings: all that its answers depend on, and no secrets."""
        return {"name": "replay", "answers": self._path.as_posix()}

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        r"""The answer recorded for a case.

        Raises:
            ExecutionError: Of kind `recording`: there is none; the nearest one is named.

        Example:
            >>> import asyncio, tempfile
            >>> from pathlib import Path
            >>> from aitestrunner import AIExecutionContext, ExecutionError
            >>> from aitestrunner.executors import ReplayExecutor
            >>> path = Path(tempfile.mkdtemp()) / "bot.answers.jsonl"
            >>> _ = path.write_text('{"id": "greets", "output": "hello"}\n')
            >>> try:
            ...     asyncio.run(ReplayExecutor(path).execute(AIExecutionContext("bot", {}, fixture_id="greet")))
            ... except ExecutionError as error:
            ...     print(error)
            no answer is recorded for the case 'greet'; the nearest recorded one is 'greets'
        """
        case_id = context.fixture_id
        _, mark, index = case_id.rpartition("#")
        if case_id in self._by_id:
            return as_result(self._by_id[case_id])
        if mark and index.isdigit() and int(index) in self._by_index:
            return as_result(self._by_index[int(index)])
        raise ExecutionError("recording", missing_answer(case_id, self._by_id))
