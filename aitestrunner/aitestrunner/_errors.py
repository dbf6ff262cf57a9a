"""The exceptions of aitestrunner.

```
AITestError
├── FixtureError     a fixture file or a case is wrong; carries every problem found, each with its place
├── OracleNameError  there is no oracle of that name, or what was given as one is none
├── OracleError      inside an oracle: it cannot judge; it leaves no oracle
└── ExecutorError    what answers the cases could not be loaded, or answered with something that is no answer
    └── ExecutionError   one case could not be answered; says of which kind the trouble is
```

Wrong arguments of Python calls are the usual `TypeError` and `ValueError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aitestrunner._positions import Position

__all__ = ["AITestError", "ExecutionError", "ExecutorError", "FixtureError", "FixtureProblem"]


class AITestError(Exception):
    """Base of every error that aitestrunner raises on purpose.

    Example:
        >>> from aitestrunner import AITestError, FixtureError
        >>> issubclass(FixtureError, AITestError)
        True
    """


class ExecutorError(AITestError):
    """What answers the cases could not be loaded, or gave something that is no answer.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> AITestRunner(None).run_sync("bot", [{"input": "hi", "output": "hi"}])
        Traceback (most recent call last):
        aitestrunner._errors.ExecutorError: an executor is a function or has a method `execute`; got None
    """


class ExecutionError(ExecutorError):
    """One case could not be answered. An executor that raises it decides what kind of error the case has.

    Args:
        kind: `timeout`, `connection`, `status` (an answer that is an error), `answer` (one that cannot be read),
            `limit` (one that is too long), `start`, `exit`, `recording`, `rounds`, `tool`, or a word of your own.
        message: What happened, and what to do about it; without keys and other secrets.

    Example:
        >>> from aitestrunner import AITestRunner, ExecutionError
        >>> def answer(context):
        ...     raise ExecutionError("timeout", "no answer within 30 seconds")
        >>> AITestRunner(answer).run_sync("bot", [{"output": "hello"}]).logs[0].error.kind
        'timeout'
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class FixtureProblem:
    """One thing that is wrong with a fixture file or a case.

    Args:
        message: What is wrong, and what to write instead.
        position: Where, when the case came from a file.

    Example:
        >>> from aitestrunner import Position, FixtureProblem
        >>> print(FixtureProblem("`input` is given twice", Position("bot.fixture.yaml", 3, 1)))
        bot.fixture.yaml:3:1: `input` is given twice
    """

    message: str
    position: Position | None = None

    def __str__(self) -> str:
        return f"{self.position}: {self.message}" if self.position else self.message


class FixtureError(AITestError):
    """A fixture file or a case is wrong. All problems found are in `problems`.

    Args:
        problems: What is wrong, at least one.

    Example:
        >>> from aitestrunner import FixtureError, FixtureProblem
        >>> str(FixtureError([FixtureProblem("`passScore` is a number")]))
        '`passScore` is a number'
    """

    def __init__(self, problems: Sequence[FixtureProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
