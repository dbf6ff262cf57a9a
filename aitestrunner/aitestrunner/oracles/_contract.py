"""What an oracle is given, what it gives back, and what it may reach meanwhile."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, cast, runtime_checkable

import matchex
from aitestrunner._errors import AITestError, ExecutorError
from aitestrunner._executors import Execute, as_execute
from aitestrunner._messages import Message
from aitestrunner._recorder import executor_name
from aitestrunner._references import CodeError, load_reference
from matchex import MISSING

__all__ = ["Oracle", "OracleError", "OracleInput", "OracleResult", "Resources", "Status"]

Status = Literal["pass", "fail", "error"]


class OracleError(AITestError):
    """Inside an oracle: it cannot judge. It leaves no oracle; the message becomes that of an error outcome.

    Args:
        message: What is wrong, and what to do about it.
        cost: What was spent until then.
        details: What is known until then.

    Example:
        >>> from aitestrunner.oracles import OracleError, OracleInput, Question, ValueOracle
        >>> class Lucky(ValueOracle):
        ...     type, keys = "lucky", {}
        ...
        ...     def question(self, config, given):
        ...         raise OracleError("there is no luck without a number")
        >>> result = Lucky().evaluate_now(OracleInput(actual=7), {})
        >>> result.status, result.message
        ('error', 'there is no luck without a number')
    """

    def __init__(self, message: str, *, cost: float | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.cost = cost
        self.details = dict(details or {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What an oracle may reach: files, code, models.

    Args:
        base_dir: The folder that relative names start from.
        inside: Where a fixture file names something, the folder that it may not lead out of; None where the names were
            typed in Python or on the command line.
        allow_code: Whether code may be loaded, and executors may be made.
        allow_env: The variables of the environment that a fixture file may send somewhere.
        executors: Executors by name, for judges; looked at before the executors of the registry.
        through: Given an executor and what names it in recordings, one that may answer in its place.

    Example:
        >>> from aitestrunner.oracles import Resources
        >>> Resources(base_dir="fixtures").path("shop.db").as_posix()
        'fixtures/shop.db'
    """

    base_dir: str | Path | None = None
    inside: str | Path | None = None
    allow_code: bool = True
    allow_env: Collection[str] = ()
    executors: Mapping[str, Any] = field(default_factory=dict[str, Any])
    through: Callable[[Execute, Any], Execute] | None = None

    def path(self, name: str | Path) -> Path:
        """A path relative to `base_dir`.

        Raises:
            OracleError: It leads out of the folder that it has to stay in.
        """
        found = Path(self.base_dir or ".") / name
        if self.inside is not None and not found.resolve().is_relative_to(Path(self.inside).resolve()):
            raise OracleError(f"{str(name)!r} leads out of the folder of the fixture file; move it below that folder")
        return found

    def code(self, reference: str) -> Any:
        """What a reference like `./db.py:connect` names.

        Raises:
            OracleError: It is not allowed, or leads nowhere.
        """
        if not self.allow_code:
            raise OracleError(f"{reference!r} names code, which this run does not allow")
        try:
            return load_reference(reference, self.base_dir, inside=self.inside)
        except CodeError as error:
            raise OracleError(str(error)) from error

    @asynccontextmanager
    async def executor(self, named: Any) -> AsyncGenerator[Execute]:
        """An executor to ask: one of `executors`, one of the registry by name and options, a reference, or one itself.

        One that is made here is closed at the end; one of the caller's stays open.

        Raises:
            OracleError: There is none, or it may not be used.
        """
        made = self._made(named)
        try:
            execute = as_execute(self._own(named) if made is None else made)
            yield execute if self.through is None else self.through(execute, self._recorded_as(named))
        except ExecutorError as error:
            raise OracleError(f"the model cannot be asked: {error}") from error
        finally:
            close = getattr(made, "aclose", None)
            if close is not None:
                with contextlib.suppress(Exception):  # which says nothing about the answer
                    await close()

    def _own(self, named: Any) -> Any:
        return self.executors[named] if isinstance(named, str) else named

    def _recorded_as(self, named: Any) -> Any:
        """What names an executor in recordings: what is written, or the function or class of the caller's own."""
        is_written = isinstance(named, Mapping) or (isinstance(named, str) and named not in self.executors)
        return cast("Any", named) if is_written else executor_name(self._own(named))

    def _made(self, named: Any) -> Any:
        """An executor of the registry, newly made; None where the caller has one himself."""
        if not isinstance(named, (str, Mapping)) or (isinstance(named, str) and named in self.executors):
            return None
        from aitestrunner.executors._registry import executor_from_file

        try:
            return executor_from_file(
                cast("str | Mapping[str, Any]", named),
                base_dir=self.base_dir,
                in_file=self.inside is not None,
                allow_code=self.allow_code,
                allow_env=self.allow_env,
            )
        except ExecutorError as error:
            known = f" (named in this run: {', '.join(map(repr, self.executors))})" if self.executors else ""
            raise OracleError(f"the model cannot be asked: {error}{known}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleInput:
    """What an oracle may look at: the answer, and everything around it. None of it may be changed.

    Args:
        actual: The answer; `MISSING` where there is none.
        expected: What the case expects of the answer, for oracles whose configuration does not say it.
        schema: The JSON Schema of the case, likewise.
        input: The input of the case.
        result: All fields of the result: `output`, `meta`, `usage`, `cost`, and whatever else the executor told.
        messages: The conversation, normalised; None where the executor told none.
        variables: The variables of the case.
        case_id: Its id.
        resources: What the oracle may reach.

    Example:
        >>> from aitestrunner.oracles import OracleInput
        >>> OracleInput(actual="42").result
        {'output': '42'}
    """

    actual: Any = MISSING
    expected: Any = MISSING
    schema: Any = MISSING
    input: Any = MISSING
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])
    messages: Sequence[Message] | None = None
    variables: Mapping[str, Any] = field(default_factory=dict[str, Any])
    case_id: str = ""
    resources: Resources = field(default_factory=Resources)

    def __post_init__(self) -> None:
        if self.actual is not MISSING and "output" not in self.result:
            object.__setattr__(self, "result", {**self.result, "output": self.actual})


@dataclass(frozen=True, slots=True, init=False)
class OracleResult:
    """What an oracle says. As a truth value it says whether it passed.

    Args:
        oracle_type: Which oracle.
        status: `pass`, `fail`, or `error` where it could not judge.
        passed: The same as a bool, for oracles that know no errors; one of the two is enough.
        score: 0..1; by default 1 for a pass and 0 for anything else. It never decides the status.
        message: Why, in a sentence.
        details: What a reader may want to see besides, as data.
        advisory: It is shown, but neither gates nor scores.
        failures: What does not match, from matchex.
        errors: What could not be judged, from matchex.
        notes: What a reader should know about a pass, from matchex.
        cost: What asking a model cost, in the unit of its executor.

    Raises:
        ValueError: `status` and `passed` contradict each other, or `score` is no number from 0 to 1.

    Example:
        >>> from aitestrunner.oracles import OracleResult
        >>> result = OracleResult("polite", passed=False, message="there is no greeting")
        >>> result.status, result.score
        ('fail', 0.0)
    """

    oracle_type: str
    status: Status
    score: float
    message: str
    details: Mapping[str, Any]
    advisory: bool
    failures: tuple[matchex.Failure, ...]
    errors: tuple[matchex.Issue, ...]
    notes: tuple[matchex.Note, ...]
    cost: float | None

    def __init__(
        self,
        oracle_type: str,
        *,
        status: Status | None = None,
        passed: bool | None = None,
        score: float | None = None,
        message: str = "",
        details: Mapping[str, Any] | None = None,
        advisory: bool = False,
        failures: Sequence[matchex.Failure] = (),
        errors: Sequence[matchex.Issue] = (),
        notes: Sequence[matchex.Note] = (),
        cost: float | None = None,
    ) -> None:
        known = _status(status, passed)
        fields: dict[str, Any] = {
            "oracle_type": oracle_type,
            "status": known,
            "score": float(known == "pass") if score is None else _checked(score),
            "message": message,
            "details": dict(details or {}),
            "advisory": advisory,
            "failures": tuple(failures),
            "errors": tuple(errors),
            "notes": tuple(notes),
            "cost": cost,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether it passed.

        Example:
            >>> from aitestrunner.oracles import OracleResult
            >>> OracleResult("polite", status="error").passed
            False
        """
        return self.status == "pass"

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data.

        Example:
            >>> from aitestrunner.oracles import OracleResult
            >>> OracleResult("polite", passed=True).to_dict()
            {'type': 'polite', 'status': 'pass', 'passed': True, 'score': 1.0}
        """
        from aitestrunner._plain import plain

        found: dict[str, Any] = {
            "type": self.oracle_type,
            "status": self.status,
            "passed": self.passed,
            "score": self.score,
        }
        more = {
            "message": self.message or None,
            "details": plain(self.details) or None,
            "advisory": self.advisory or None,
            "cost": self.cost,
            "failures": [{"path": it.path, "message": it.message} for it in self.failures] or None,
            "errors": [{"kind": it.kind, "path": it.path, "message": it.message} for it in self.errors] or None,
            "notes": [{"kind": it.kind, "path": it.path, "message": it.message} for it in self.notes] or None,
        }
        return found | {name: value for name, value in more.items() if value is not None}


def _status(status: Any, passed: Any) -> Status:
    if status is None:
        if not isinstance(passed, bool):
            raise ValueError(f"an oracle says `status` (pass, fail, error) or `passed` (a bool); got {passed!r}")
        return "pass" if passed else "fail"
    if status not in ("pass", "fail", "error"):
        raise ValueError(f"`status` is pass, fail or error; got {status!r}")
    if passed is not None and passed is not (status == "pass"):
        raise ValueError(f"`status` {status!r} and `passed` {passed!r} contradict each other")
    return status


def _checked(score: Any) -> float:
    number = isinstance(score, (int, float)) and not isinstance(score, bool)
    if not number or not 0 <= score <= 1:  # no comparison holds for NaN
        raise ValueError(f"`score` is a number from 0 to 1; got {score!r}")
    return float(score)


@runtime_checkable
class Oracle(Protocol):
    """A judge: it has a `type` and a method `evaluate`, `async` or not.

    It may have a method `check(config)` besides, which gives the problems of a configuration as texts, so that they are
    known before an answer is waited for.

    Example:
        >>> from aitestrunner.oracles import Oracle, OracleResult
        >>> class Polite:
        ...     type = "polite"
        ...
        ...     def evaluate(self, given, config):
        ...         return OracleResult(self.type, passed="please" in given.actual)
        >>> isinstance(Polite(), Oracle)
        True
    """

    @property
    def type(self) -> str:
        """The name that fixtures use."""
        ...

    def evaluate(self, given: OracleInput, config: Mapping[str, Any], /) -> OracleResult | Awaitable[OracleResult]:
        """Judge an answer. What it raises becomes an error outcome."""
        ...
