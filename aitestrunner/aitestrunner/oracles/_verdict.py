"""The verdict of several oracles: the status and the score are two things, and neither makes the other."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aitestrunner.oracles._contract import OracleInput, OracleResult, Status
from aitestrunner.oracles._entries import OracleEntry
from aitestrunner.oracles._registry import OracleNameError, Oracles

__all__ = ["JudgedOracle", "OracleVerdict", "evaluate_oracle", "judge_with_oracles", "verdict_of"]


@dataclass(frozen=True, slots=True)
class JudgedOracle:
    """What an oracle of a case said, and what that counts.

    Args:
        result: What it said.
        weight: Its share of the score, beside the weights of the others; 0 for one that is advisory.
        title: What it is about.

    Example:
        >>> from aitestrunner.oracles import JudgedOracle, OracleResult
        >>> JudgedOracle(OracleResult("polite", passed=True), weight=2).to_dict()["weight"]
        2
    """

    result: OracleResult
    weight: float = 1.0
    title: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The oracle as plain data."""
        found = {**self.result.to_dict(), "weight": self.weight}
        return found if self.title is None else {**found, "title": self.title}


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleVerdict:
    """What the oracles of a case say together.

    Args:
        status: `pass` when every gating oracle passed; `fail` when one failed; else `error`.
        score: The weighted mean of the scores, 0..1. It never makes the status.
        oracles: What each said, in order.
        message: Why there is no verdict, where no oracle gates.

    Example:
        >>> from aitestrunner.oracles import JudgedOracle, OracleResult, verdict_of
        >>> results = [OracleResult("a", passed=True, score=0.9), OracleResult("b", passed=False, score=0.9)]
        >>> verdict = verdict_of([JudgedOracle(result) for result in results])
        >>> verdict.status, verdict.score
        ('fail', 0.9)
    """

    status: Status
    score: float
    oracles: tuple[JudgedOracle, ...] = ()
    message: str = ""

    @property
    def passed(self) -> bool:
        """Whether every gating oracle passed."""
        return self.status == "pass"

    @property
    def cost(self) -> float | None:
        """What the judges cost together; None where none knows."""
        known = [it.result.cost for it in self.oracles if it.result.cost is not None]
        return sum(known) if known else None

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data."""
        found: dict[str, Any] = {
            "status": self.status,
            "score": self.score,
            "oracles": [oracle.to_dict() for oracle in self.oracles],
        }
        more = {"cost": self.cost, "message": self.message or None}
        return found | {name: value for name, value in more.items() if value is not None}


def verdict_of(judged: Sequence[JudgedOracle], *, scoring_weights: Mapping[str, float] | None = None) -> OracleVerdict:
    """The verdict of several oracles.

    Args:
        judged: What each said.
        scoring_weights: Weights by type, in place of those of the entries; a type without one counts 0, and two results
            of one type count twice.

    Example:
        >>> from aitestrunner.oracles import JudgedOracle, OracleResult, verdict_of
        >>> results = [OracleResult("a", passed=True), OracleResult("b", passed=False)]
        >>> verdict_of([JudgedOracle(it) for it in results], scoring_weights={"a": 0.2, "b": 0.8}).score
        0.2
    """
    gating = [it for it in judged if not it.result.advisory]
    shares = [it.weight if scoring_weights is None else scoring_weights.get(it.result.oracle_type, 0) for it in gating]
    total = sum(shares)
    score = sum(it.result.score * share for it, share in zip(gating, shares, strict=True)) / total if total else 0.0
    statuses = {it.result.status for it in gating}
    status: Status = "fail" if "fail" in statuses else "error" if "error" in statuses or not gating else "pass"
    message = "" if gating else "no oracle gates, so that nothing was judged"
    return OracleVerdict(status=status, score=score, oracles=tuple(judged), message=message)


async def evaluate_oracle(entry: OracleEntry, given: OracleInput, oracles: Oracles | None = None) -> JudgedOracle:
    """Let one oracle judge. Whatever goes wrong in it is an error outcome.

    Args:
        entry: The oracle and its configuration.
        given: What it may look at.
        oracles: Those that the run knows; by default the built-in and installed ones.

    Example:
        >>> import asyncio
        >>> from aitestrunner.oracles import OracleEntry, OracleInput, evaluate_oracle
        >>> judged = asyncio.run(evaluate_oracle(OracleEntry(type="exact"), OracleInput(actual=1)))
        >>> judged.result.status, judged.result.message[:26]
        ('error', "there is no oracle 'exact'")
    """
    try:
        result = _checked(entry, await _said(entry, given, oracles or Oracles()))
    except OracleNameError as error:
        result = OracleResult(entry.type, status="error", message=str(error))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        result = OracleResult(entry.type, status="error", message=f"the oracle {entry.type!r} raised {said}")
    advisory = entry.advisory or result.advisory
    if advisory is not result.advisory:
        result = _as_advisory(result)
    return JudgedOracle(result, 0.0 if advisory else entry.weight, entry.title)


async def judge_with_oracles(
    entries: Sequence[OracleEntry],
    given: OracleInput,
    *,
    oracles: Oracles | None = None,
    before: Sequence[JudgedOracle] = (),
    scoring_weights: Mapping[str, float] | None = None,
) -> OracleVerdict:
    """Let the oracles of a case judge, one after another.

    Args:
        entries: The oracles and their configurations.
        given: What they may look at.
        oracles: Those that the run knows; by default the built-in and installed ones.
        before: What judged already and counts too: the blocks of a case.
        scoring_weights: Weights by type, in place of those of the entries.

    Example:
        >>> import asyncio
        >>> from aitestrunner.oracles import OracleInput, judge_with_oracles, read_oracles
        >>> entries, _ = read_oracles([
        ...     {"type": "schema-validate", "config": {"schema": {"required": ["city"]}}},
        ...     {"type": "expect", "config": {"output": {"city": "Paris"}}, "weight": 3},
        ... ])
        >>> verdict = asyncio.run(judge_with_oracles(entries, OracleInput(actual='{"city": "Rome"}')))
        >>> verdict.status, verdict.score
        ('fail', 0.25)
    """
    known = oracles or Oracles()
    judged = [*before, *[await evaluate_oracle(entry, given, known) for entry in entries]]
    return verdict_of(judged, scoring_weights=scoring_weights)


async def _said(entry: OracleEntry, given: OracleInput, oracles: Oracles) -> Any:
    result: Any = oracles.get(entry.type).evaluate(given, entry.config)
    return await result if inspect.isawaitable(result) else result


def _checked(entry: OracleEntry, result: Any) -> OracleResult:
    if isinstance(result, OracleResult):
        return result
    message = f"the oracle {entry.type!r} returned {result!r:.80}, which is no OracleResult"
    return OracleResult(entry.type, status="error", message=message)


def _as_advisory(result: OracleResult) -> OracleResult:
    names = ("status", "score", "message", "details", "failures", "errors", "notes", "cost")
    return OracleResult(result.oracle_type, advisory=True, **{name: getattr(result, name) for name in names})
