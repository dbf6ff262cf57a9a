"""`llm-judge`: a model says which criteria are met, and matchex judges what it says."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, cast

from matchex.plugin import show

import matchex
from aitestrunner.oracles._config import Key, anything, is_flag, is_seconds, is_share
from aitestrunner.oracles._contract import OracleError, OracleInput
from aitestrunner.oracles._judge import Judge, JudgeReply
from aitestrunner.oracles._value import Question, ValueOracle
from matchex import MISSING

__all__ = ["LlmJudge"]

_MOST_SAMPLES: Final = 9
_MOST_CRITERIA: Final = 100
_INSTRUCTIONS: Final = """\
You judge an answer by criteria. Decide for each criterion by itself whether the answer meets it in full. Where you are
in doubt, it does not.{more}

Criteria:
{criteria}"""
_REPLY: Final = (
    '"criteria" is a list with one object for each criterion, in the order above, with the fields "number", the '
    'number of the criterion, "reasoning", a text that says why, and "met", true or false.'
)


@dataclass(frozen=True, slots=True)
class _Criterion:
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class _Answer:
    met: bool
    reasoning: str


class LlmJudge(ValueOracle):
    """`llm-judge`: a model decides for each criterion whether the answer meets it; the weights make the score of it.

    Configuration:
        criteria: A list of texts, or of mappings of `criterion` and `weight` (1 by default, at least 0).
        model: What judges: an executor as in a case (a name, a mapping of `name` and options, a reference), or the name
            of one that the run was given; in Python an executor itself.
        passThreshold: The score that passes (0.7).
        strict: True: every criterion must be met.
        samples: How often the model is asked for a whole verdict: an odd number up to 9. The majority decides.
        timeout: Seconds that one verdict may take, with all attempts (120).
        attempts: How often the model may be asked until a reply can be used (3).
        input: False: the judge is not shown the input of the case.
        instructions: More that the judge should know. It is ours, so nothing of the answer may be in it.

    Example:
        >>> from aitestrunner.oracles import LlmJudge, OracleInput
        >>> def model(context):
        ...     verdicts = [{"number": 1, "reasoning": "it says so", "met": True}]
        ...     return {"id": context.args["verdict_id"], "criteria": verdicts}
        >>> config = {"model": model, "criteria": ["names the capital of France"]}
        >>> LlmJudge().evaluate_now(OracleInput(actual="Paris"), config).passed
        True
    """

    type = "llm-judge"
    keys: ClassVar = {
        "criteria": Key("a list of texts or of mappings of `criterion` and `weight`", anything),
        "model": Key(
            "an executor: a name, a mapping of `name` and options, a reference", lambda value: value is not None
        ),
        "passThreshold": Key("a number from 0 to 1", is_share),
        "strict": Key("true or false", is_flag),
        "samples": Key(
            f"an odd number from 1 to {_MOST_SAMPLES}, so that there is a majority",
            lambda value: isinstance(value, int) and not isinstance(value, bool) and value in range(1, 10, 2),
        ),
        "timeout": Key("a number of seconds above 0", is_seconds),
        "attempts": Key("a whole number from 1 to 10", lambda value: type(value) is int and 1 <= value <= 10),
        "input": Key("true or false", is_flag),
        "instructions": Key("a text", lambda value: isinstance(value, str)),
    }

    def question(self, config: Mapping[str, Any], given: OracleInput, /) -> Question:
        """An expectation on the verdict: every criterion is met; the weights and the threshold are those of matchex."""
        criteria = _criteria(config)
        if "model" not in config:
            raise OracleError("there is no `model` to judge")
        total = sum(criterion.weight for criterion in criteria)
        met = [{"met": True, "$meta": {"score": it.weight / total, "title": it.text}} for it in criteria]
        node: dict[str, Any] = {"$expect": met}
        if not config.get("strict"):
            node["$threshold"] = config.get("passThreshold", 0.7)
        return Question({"criteria": node}, {"templates": False, "heuristic_schema": False, "auto_confidence": "force"})

    def missing(self, given: OracleInput, config: Mapping[str, Any], /) -> str | None:
        """The answer."""
        return "there is no answer (`output`) to judge" if given.actual is MISSING else None

    async def subject(self, given: OracleInput, config: Mapping[str, Any], /) -> Any:
        """The verdict of the model; with several samples, that of the majority."""
        criteria = _criteria(config)
        shown: dict[str, Any] = {"answer": given.actual}
        if given.input is not MISSING and given.input is not None and config.get("input", True):
            shown = {"input": given.input, **shown}
        async with given.resources.executor(config["model"]) as execute:
            judge = Judge(execute, attempts=config.get("attempts", 3), timeout=config.get("timeout", 120.0))
            replies = await _asked(judge, criteria, config.get("instructions", ""), shown, config.get("samples", 1))
        return _together(criteria, replies)

    def tell(self, result: matchex.MatchResult, subject: Any, config: Mapping[str, Any], /) -> Mapping[str, Any]:
        """What the judge said."""
        return cast("Mapping[str, Any]", subject)

    def explain(self, failure: matchex.Failure, subject: Any, /) -> str:
        """The reasoning of the judge, beside what it judged."""
        reasoning = subject["criteria"][failure.keys[1]]["reasoning"] if len(failure.keys) > 1 else ""
        return f"{failure.message}; the judge: {reasoning}" if reasoning else failure.message

    def spent(self, subject: Any, /) -> float | None:
        """What the model cost."""
        return subject.get("cost")


def _criteria(config: Mapping[str, Any]) -> list[_Criterion]:
    """The criteria of a configuration.

    Raises:
        OracleError: There are none, or one of them is none; the message says which.
    """
    given = config.get("criteria")
    if given is None:
        raise OracleError("there are no `criteria`")
    if not isinstance(given, list):
        raise OracleError(f"`criteria` takes a list; got {type(given).__name__} {show(given)}")
    entries = cast("list[Any]", given)
    if not 1 <= len(entries) <= _MOST_CRITERIA:
        raise OracleError(f"`criteria` takes 1 to {_MOST_CRITERIA} entries; got {len(entries)}")
    criteria = [_criterion(number, entry) for number, entry in enumerate(entries)]
    if not any(criterion.weight for criterion in criteria):
        raise OracleError("all weights in `criteria` are 0, so that there is no score")
    return criteria


def _criterion(number: int, entry: Any) -> _Criterion:
    text, weight, written = entry, 1, show(entry)
    if isinstance(entry, Mapping):
        fields = dict(cast("Mapping[str, Any]", entry))
        text, weight = fields.pop("criterion", None), fields.pop("weight", 1)
        weight = 1 if weight is None else weight
        if fields:
            raise OracleError(f"criteria[{number}]: unknown key `{next(iter(fields))}`; there are criterion, weight")
    if not isinstance(text, str) or not text.strip():
        raise OracleError(f"criteria[{number}] is a text, or a mapping with the text as `criterion`; got {written}")
    is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
    if not is_number or not math.isfinite(weight) or weight < 0:
        raise OracleError(f"criteria[{number}]: `weight` is a number of at least 0; got {show(weight)}")
    return _Criterion(text.strip(), float(weight))


async def _asked(
    judge: Judge, criteria: Sequence[_Criterion], more: str, shown: Mapping[str, Any], samples: int
) -> list[JudgeReply[list[_Answer]]]:
    """One verdict for each sample, one after another.

    Raises:
        OracleError: One of them cannot be used.
    """
    instructions = _INSTRUCTIONS.format(
        more=f"\n{more}" if more else "",
        criteria="\n".join(f"{number}. {it.text}" for number, it in enumerate(criteria, 1)),
    )
    replies: list[JudgeReply[list[_Answer]]] = []
    for sample in range(samples):
        try:
            reply = await judge.ask(
                instructions, shown, _REPLY, lambda it: _answers(it, len(criteria)), sample=sample, schema=_SCHEMA
            )
        except OracleError as error:
            raise OracleError(str(error), cost=_sum([*(it.cost for it in replies), error.cost])) from error
        replies.append(reply)
    return replies


def _answers(fields: Mapping[str, Any], count: int) -> list[_Answer]:
    """The answers of a verdict, in the order of the criteria.

    Raises:
        ValueError: One is missing, given twice, or none.
    """
    entries: Any = fields.get("criteria")
    if not isinstance(entries, list):
        raise ValueError(f"`criteria` is no list: {show(entries)}")
    found: dict[int, _Answer] = {}
    for entry in cast("list[Any]", entries):
        number, answer = _answer(entry)
        if number in found or number not in range(1, count + 1):
            raise ValueError(
                f"criterion {number} is judged twice" if number in found else f"there is no criterion {number}"
            )
        found[number] = answer
    missing = [number for number in range(1, count + 1) if number not in found]
    if missing:
        raise ValueError(f"criterion {missing[0]} is not judged")
    return [found[number] for number in range(1, count + 1)]


def _answer(entry: Any) -> tuple[int, _Answer]:
    if not isinstance(entry, Mapping):
        raise ValueError(f"an entry of `criteria` is no mapping: {show(entry)}")
    fields = cast("Mapping[str, Any]", entry)
    number, met, reasoning = fields.get("number"), fields.get("met"), fields.get("reasoning")
    if type(number) is not int:
        raise ValueError(f"`number` is no whole number: {show(number)}")
    if not isinstance(met, bool):
        raise ValueError(f"`met` of criterion {number} is neither true nor false: {show(met)}")
    if not isinstance(reasoning, str):
        raise ValueError(f"criterion {number} has no `reasoning`")
    return number, _Answer(met, reasoning)


def _together(criteria: Sequence[_Criterion], replies: Sequence[JudgeReply[list[_Answer]]]) -> dict[str, Any]:
    """The verdict of all samples: for each criterion that of the majority, with the reasoning of one that shares it."""
    told: list[dict[str, Any]] = []
    for number, criterion in enumerate(criteria):
        answers = [reply.verdict[number] for reply in replies]
        met = sum(answer.met for answer in answers) * 2 > len(answers)
        reasoning = next(answer.reasoning for answer in answers if answer.met is met)
        told.append({"criterion": criterion.text, "weight": criterion.weight, "met": met, "reasoning": reasoning})
        if len(answers) > 1:
            told[-1]["agreement"] = sum(answer.met is met for answer in answers) / len(answers)
    found: dict[str, Any] = {"criteria": told, "attempts": sum(reply.attempts for reply in replies)}
    if len(replies) > 1:
        scores = [_score(criteria, reply.verdict) for reply in replies]
        found["samples"] = {"scores": scores, "median": statistics.median(scores), "spread": max(scores) - min(scores)}
    usage = [entry for reply in replies for entry in reply.usage]
    return found | {"usage": usage, "cost": _sum(reply.cost for reply in replies)}


def _score(criteria: Sequence[_Criterion], answers: Sequence[_Answer]) -> float:
    """What one sample says, for the report alone: the verdict is made by matchex."""
    total = sum(criterion.weight for criterion in criteria)
    met = zip(criteria, answers, strict=True)
    return sum(criterion.weight for criterion, answer in met if answer.met) / total


def _sum(costs: Iterable[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


_SCHEMA: Final = {
    "properties": {
        "criteria": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "reasoning": {"type": "string"},
                    "met": {"type": "boolean"},
                },
                "required": ["number", "reasoning", "met"],
            },
        }
    },
    "required": ["criteria"],
}
