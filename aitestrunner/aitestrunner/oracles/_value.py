"""Value oracles: what they are told becomes an expectation, and matchex judges."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import matchex
from aitestrunner.oracles._config import Key, problems_of
from aitestrunner.oracles._contract import OracleError, OracleInput, OracleResult
from matchex import MISSING

__all__ = ["Question", "ValueOracle"]


@dataclass(frozen=True, slots=True)
class Question:
    """What matchex is asked: `matchex.validate(subject, question.expectation, **question.options)`.

    Args:
        expectation: The expectation.
        options: Options of `matchex.validate`.

    Example:
        >>> from aitestrunner.oracles import ExactMatch, OracleInput
        >>> ExactMatch().question({"mode": "deep", "expected": {"a": 1}}, OracleInput()).expectation
        {'$eq': {'a': 1}}
    """

    expectation: Any
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


class ValueOracle(ABC):
    """An oracle that is a function from its configuration to an expectation, and matchex does the rest.

    A subclass sets `type` and `keys` and writes `question`; where it looks at something else than the answer, also
    `subject`.

    Example:
        >>> from aitestrunner.oracles import OracleInput, Question, ValueOracle
        >>> class AtMost(ValueOracle):
        ...     type = "at-most"
        ...     keys = {"words": None}
        ...
        ...     def question(self, config, given):
        ...         return Question({"$length": {"$lte": config["words"]}})
        ...
        ...     def subject(self, given, config):
        ...         return given.actual.split()
        >>> AtMost().evaluate_now(OracleInput(actual="a b c"), {"words": 2}).passed
        False
    """

    type: ClassVar[str]
    keys: ClassVar[Mapping[str, Key | None]]
    """The keys of a configuration; None for one that takes anything."""

    @abstractmethod
    def question(self, config: Mapping[str, Any], given: OracleInput, /) -> Question:
        """What matchex is asked. It depends on the configuration and, where that is silent, on what the case expects.

        Raises:
            OracleError: The configuration makes no sense, or something in it is missing.
        """

    def subject(self, given: OracleInput, config: Mapping[str, Any], /) -> Any:
        """What the expectation is held against, or an awaitable of it.

        Raises:
            OracleError: It cannot be fetched.
        """
        return given.actual

    def missing(self, given: OracleInput, config: Mapping[str, Any], /) -> str | None:
        """What is missing in the result, so that the oracle fails; None where all is there."""
        return "there is no answer (`output`)" if given.actual is MISSING else None

    def tell(self, result: matchex.MatchResult, subject: Any, config: Mapping[str, Any], /) -> Mapping[str, Any]:
        """What the details of a result say besides."""
        return {}

    def explain(self, failure: matchex.Failure, subject: Any, /) -> str:
        """The message of a failure, where the oracle can say more than matchex."""
        return failure.message

    def spent(self, subject: Any, /) -> float | None:
        """What fetching the subject cost, in the unit of the executor that was asked; None where nothing was."""
        return None

    def check(self, config: Any, given: OracleInput | None = None, /) -> list[str]:
        """What is wrong with a configuration.

        Args:
            config: The configuration.
            given: What is known of the case; the answer is not looked at.
        """
        problems = problems_of(config, {name: key or _ANY for name, key in self.keys.items()})
        if problems:
            return problems
        try:
            question = self.question(config, given or OracleInput())
            matchex.compile(question.expectation, **question.options)
        except OracleError as error:
            return [str(error)]
        except matchex.ExpectationError as error:
            return [
                f"{problem.path}: {problem.message}" if problem.path else problem.message for problem in error.problems
            ]
        except (TypeError, ValueError) as error:  # an option that matchex refuses
            return [str(error)]
        return []

    async def evaluate(self, given: OracleInput, config: Mapping[str, Any], /) -> OracleResult:
        """Judge an answer."""
        details: Mapping[str, Any] = {}
        cost: float | None = None
        try:
            problems = self.check(config, given)
            if not problems:
                return await self._judged(given, config)
            message = "; ".join(problems)
        except OracleError as error:
            message, details, cost = str(error), error.details, error.cost
        except Exception as error:  # a value that behaves as no value should
            message = f"unforeseen {type(error).__name__}: {error}"
        return OracleResult(self.type, status="error", message=message, details=details, cost=cost)

    async def _judged(self, given: OracleInput, config: Mapping[str, Any]) -> OracleResult:
        missing = self.missing(given, config)
        if missing is not None:
            return OracleResult(self.type, status="fail", message=missing)
        subject = self.subject(given, config)
        if inspect.isawaitable(subject):
            subject = await subject
        question = self.question(config, given)
        matcher = matchex.compile(question.expectation, **question.options)
        return self._told(await matcher.match_async(subject), subject, config)

    def evaluate_now(self, given: OracleInput, config: Mapping[str, Any], /) -> OracleResult:
        """`evaluate`, for where nothing is asynchronous.

        Raises:
            RuntimeError: An event loop is running already; await `evaluate` there.
        """
        from aitestrunner._loop import run_coroutine

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return run_coroutine(self.evaluate(given, config))
        raise RuntimeError("an event loop is running already; write `await oracle.evaluate(…)` in place of it")

    def _told(self, result: matchex.MatchResult, subject: Any, config: Mapping[str, Any]) -> OracleResult:
        failures = tuple(dataclasses.replace(it, message=self.explain(it, subject)) for it in result.failures)
        return OracleResult(
            self.type,
            status=result.status,
            score=result.score,
            message=_message(failures if result.status == "fail" else result.errors),
            details=self.tell(result, subject, config),
            failures=failures,
            errors=result.errors,
            notes=result.notes,
            cost=self.spent(subject),
        )


_ANY = Key("any value", lambda _: True)
_SHOWN = 3


def _message(told: Sequence[matchex.Failure | matchex.Issue]) -> str:
    """The first failures, or errors, in a sentence."""
    shown = "; ".join(f"{it.path}: {it.message}" if it.path else it.message for it in told[:_SHOWN])
    return shown + (f"; and {len(told) - _SHOWN} more" if len(told) > _SHOWN else "")
