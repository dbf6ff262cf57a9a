"""`llm_judge`: a model says how well a state meets a criterion, and matchex judges what it says.

How a model is asked about data that may try to dictate the verdict, and which replies count, is the matter of
`aitestrunner.oracles.Judge`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import matchex
from aitestrunner._executors import Execute
from aitestrunner.oracles import Judge
from aitestrunner.oracles._contract import OracleError

__all__ = ["LlmJudge", "Verdict"]

_INSTRUCTIONS: Final = """\
You judge the final state of a workflow by one criterion.

Criterion: {criteria}

Score: 1.0 the criterion is met in full; 0.75 with small flaws; 0.5 in part; 0.25 hardly; 0.0 not at all."""
_REPLY: Final = '"score" is your score, a number from 0 to 1, "reasoning" is a text that says why.'
_SCHEMA: Final = {
    "properties": {"score": {"type": "number", "minimum": 0, "maximum": 1}, "reasoning": {"type": "string"}},
    "required": ["score", "reasoning"],
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said about a state.

    Args:
        score: 0..1.
        reasoning: Why.
        usage: The tokens of all attempts, as the evaluator tells them.
        cost: Their price, where the evaluator tells it.
    """

    score: float
    reasoning: str
    usage: tuple[Any, ...] = ()
    cost: float | None = None


class LlmJudge:
    """The operator `$llmJudge` of one assertion. What the model said last is kept in `verdict`.

    Args:
        evaluators: What answers for each name.
        timeout: Seconds that a judge may take, all its attempts together.
    """

    def __init__(self, evaluators: Mapping[str, Execute], timeout: float) -> None:
        self._evaluators = evaluators
        self._timeout = timeout
        self.verdict: Verdict | None = None

    async def __call__(self, actual: Any, operand: Mapping[str, Any]) -> matchex.MatchResult:
        """Ask the evaluator and hold its verdict against the threshold.

        Raises:
            OracleError: There is no usable verdict.
        """
        name = operand["evaluator_agent_id"]
        if name not in self._evaluators:
            raise OracleError(f"there is no evaluator {name!r}; known are {', '.join(self._evaluators) or 'none'}")
        judge = Judge(self._evaluators[name], timeout=self._timeout, name=name)
        instructions = _INSTRUCTIONS.format(criteria=operand["criteria"])
        said = await judge.ask(instructions, actual, _REPLY, _score_and_reasoning, schema=_SCHEMA)
        score, reasoning = said.verdict
        self.verdict = Verdict(score, reasoning, tuple(said.usage), said.cost)
        return matchex.validate({"score": score}, {"score": {"$gte": operand["threshold"]}})


def _score_and_reasoning(fields: Mapping[str, Any]) -> tuple[float, str]:
    score, reasoning = fields.get("score"), fields.get("reasoning")
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
        raise ValueError(f"`score` is no number: {score!r:.80}")
    if not 0 <= score <= 1:
        raise ValueError(f"`score` is {score}, not from 0 to 1")
    if not isinstance(reasoning, str):
        raise ValueError("there is no `reasoning`")
    return float(score), reasoning
