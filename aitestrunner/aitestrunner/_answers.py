"""Recorded answers: a JSON Lines file that stands in for whatever is tested.

Each line is one answer: a mapping with `output` and whatever else a result has. It belongs to the case with its `id`,
or to the case with its index `i` (from 0); lines with neither belong to the cases in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, cast

from matchex.plugin import nearest

from aitestrunner._errors import ExecutionError, FixtureError, FixtureProblem
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, as_result
from aitestrunner._files import FixtureFile, parse_rows

__all__ = ["RecordedAnswers", "default_answers_path", "missing_answer", "read_answers"]

_ENDINGS: Final = (".fixture", ".aitest")


def default_answers_path(fixture: Path) -> Path:
    """Where the answers of a fixture file are looked for: `bot.fixture.yaml` → `bot.answers.jsonl` beside it.

    Example:
        >>> default_answers_path(Path("tests/bot.fixture.yaml")).as_posix()
        'tests/bot.answers.jsonl'
    """
    stem = fixture.stem
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    return fixture.with_name(f"{stem}.answers.jsonl")


def read_answers(path: Path, file: FixtureFile) -> dict[str, Mapping[str, Any]]:
    """The answers of a file for the cases of a fixture file, by the cases' ids.

    Raises:
        FixtureError: It is no such file, or answers a case that is not there.
        OSError: It cannot be read.
    """
    ids = file.ids()
    found: dict[str, Mapping[str, Any]] = {}
    for number, row in enumerate(parse_rows(path)):
        answer = dict(cast("Mapping[str, Any]", row.value))
        case_id = _case_id(answer, number, ids)
        if case_id is None:
            which = f"id {answer['id']!r}" if "id" in answer else f"index {answer.get('i', number)}"
            raise FixtureError(
                [FixtureProblem(f"this answers the case with {which}, but {file.path} has none", row.locate())]
            )
        if case_id in found:
            raise FixtureError([FixtureProblem(f"the case {case_id!r} is answered twice", row.locate())])
        if "output" not in answer:
            raise FixtureError([FixtureProblem("an answer needs `output`", row.locate())])
        found[case_id] = {key: value for key, value in answer.items() if key not in ("id", "i")}
    return found


def _case_id(answer: Mapping[str, Any], number: int, ids: list[str]) -> str | None:
    if "id" in answer:
        return answer["id"] if answer["id"] in ids else None
    index = answer.get("i", number)
    return ids[index] if isinstance(index, int) and 0 <= index < len(ids) else None


def missing_answer(case_id: str, recorded: Iterable[str]) -> str:
    """What to say where nothing is recorded for a case."""
    guess = nearest(case_id, list(recorded))
    hint = f"; the nearest recorded one is {guess!r}" if guess else ""
    return f"no answer is recorded for the case {case_id!r}{hint}"


class RecordedAnswers:
    """An executor that answers from a recording.

    Args:
        answers: Answers by the ids of cases.

    Example:
        >>> from aitestrunner import AITestRunner, RecordedAnswers
        >>> recorded = RecordedAnswers({"greets": {"output": "hello"}})
        >>> AITestRunner(recorded).run_sync(None, [{"id": "greets", "output": "hello"}]).passed
        True
    """

    replays = True

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        """The answer recorded for a case.

        Raises:
            ExecutionError: Of kind `recording`: there is none; the nearest one is named.

        Example:
            >>> import asyncio
            >>> from aitestrunner import AIExecutionContext, RecordedAnswers
            >>> recorded = RecordedAnswers({"greets": {"output": "hello"}})
            >>> asyncio.run(recorded.execute(AIExecutionContext(None, {}, fixture_id="greets"))).output
            'hello'
        """
        if context.fixture_id not in self._answers:
            raise ExecutionError("recording", missing_answer(context.fixture_id, self._answers))
        return as_result(self._answers[context.fixture_id])
