"""Judging: a result held against the blocks of a case, and the verdict that follows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, cast

from matchex.plugin import format_path, parse_path

import matchex
from aitestrunner._blocks import Block
from aitestrunner._case_oracles import CaseOracles, OracleJudgement
from aitestrunner._doubt import score_span
from aitestrunner._errors import ExecutionError
from aitestrunner._executors import AIExecutionResult
from aitestrunner._later import Later
from aitestrunner._log import AITestFailure, AITestIssue, BlockScore
from aitestrunner._messages import Message, calls_of
from aitestrunner._parse import parse_answer
from aitestrunner._positions import Place, Position
from aitestrunner._resolve import Ready
from aitestrunner._turn_checks import TurnChecks
from aitestrunner.oracles._verdict import OracleVerdict
from matchex import MISSING

__all__ = ["Judgement", "judge"]

_TOLERANCE: Final = 1e-9
_Status = Literal["pass", "fail", "error"]


@dataclass(slots=True, kw_only=True)
class Judgement:
    """What the blocks of a case say, and the verdict."""

    status: _Status
    parsed: Any = MISSING
    score: float | None = None
    score_details: Sequence[BlockScore] = ()
    failures: tuple[AITestFailure, ...] = ()
    errors: tuple[AITestIssue, ...] = ()
    notes: Sequence[AITestIssue] = ()
    dimensions: Mapping[str, float] = field(default_factory=dict[str, float])
    oracles: OracleVerdict | None = None


@dataclass(slots=True)
class _Judged:
    """A block and what came out of it; `silent` where a result without messages was asked about calls."""

    block: Block
    result: matchex.MatchResult
    silent: bool
    locate: Callable[[Place], Position | None]
    prefix: tuple[str | int, ...] = ()

    def path(self, keys: Sequence[str | int]) -> str:
        """A path in the result: the schema and output blocks look at its field `output`."""
        return format_path(
            (*self.prefix, *(keys if self.block.name in ("expect", "assertions") else ("output", *keys)))
        )


async def judge(
    case: Ready, result: AIExecutionResult, messages: Sequence[Message] | None, *, strict_vacuous: bool
) -> Judgement:
    """Hold a result against the blocks of a case.

    Args:
        case: The case.
        result: What the executor answered.
        messages: Its messages, normalised; None where it gave none.
        strict_vacuous: A check that held on nothing fails.
    """
    parsed = _parsed(case, result.output)
    judged = [await _match(case, block, _subject(case, block, result, messages, parsed)) for block in case.blocks]
    if case.turns is not None:
        try:
            judged += await _judged_turns(case, case.turns, result)
        except ExecutionError as error:  # what was said makes the checks of a later turn impossible
            issue = AITestIssue(error.kind, str(error), "", case.settings.case.position(), error)
            return Judgement(status="error", parsed=parsed, errors=(issue,))
    oracles = None if case.oracles is None else await _oracles(case.oracles, result, messages, judged)
    notes: Sequence[AITestIssue]
    scalar = oracles is None and all(part.block.is_scalar for part in judged)
    if scalar:
        passed = [part for part in judged if part.result.passed]
        notes = tuple(_notes(case, passed))  # cheaper found than kept with all that they would be found by
    else:
        notes = Later(lambda: [*_notes(case, judged), *(oracles.notes if oracles else ())])
    vacuous = strict_vacuous and any(note.kind == "vacuous" for note in notes)
    score = _score(case, judged) if case.scoring else None
    status = _verdict(case, judged, score) if judged or oracles is None else "pass"
    if oracles is not None:
        status = _worse(status, oracles.status)
    if case.settings.rules.not_:
        status = _turned_round(status, judged)
    if vacuous and status == "pass":
        status = "fail"
    return Judgement(
        status=status,
        parsed=parsed,
        score=score if oracles is None else oracles.verdict.score * case.max_score,
        score_details=Later(lambda: _block_scores(case, judged)) if case.scoring else (),
        failures=(*_failures(case, judged), *(oracles.failures if oracles else ())),
        errors=(*_errors(case, judged), *(oracles.errors if oracles else ())),
        notes=notes,
        dimensions={} if scalar else _dimensions(judged),
        oracles=oracles.verdict if oracles else None,
    )


async def _oracles(
    oracles: CaseOracles, result: AIExecutionResult, messages: Sequence[Message] | None, judged: Sequence[_Judged]
) -> OracleJudgement:
    """What the oracles of the case say."""
    blocks = [(part.block.name, part.result.status, part.result.score) for part in judged]
    return await oracles.judge(result, messages, blocks)


def _worse(status: _Status, other: _Status) -> _Status:
    """A failure, else an error, else a pass."""
    return "fail" if "fail" in (status, other) else "error" if "error" in (status, other) else "pass"


async def _match(case: Ready, block: Block, subject: _Subject) -> _Judged:
    args = case.args
    return _Judged(
        block,
        await subject.matcher.match_async(subject.actual, data=args, input=args.get("input"), fixture=case.fixture),
        silent=subject.matcher is block.when_silent,
        locate=lambda place: case.locate(block.name, place),
    )


async def _judged_turns(case: Ready, turns: TurnChecks, result: AIExecutionResult) -> list[_Judged]:
    """The blocks of the turns of a conversation, each held against what was said in its turn."""
    judged: list[_Judged] = []
    for number, turn in enumerate(turns.after(result)):
        seen = dataclasses.replace(case, settings=turn.settings, blocks=turn.blocks, turns=None)
        parsed = _parsed(seen, turn.result.output)
        for block in turn.blocks:
            part = await _match(seen, block, _subject(seen, block, turn.result, turn.messages, parsed))
            part.prefix = ("turns", number)
            judged.append(part)
    return judged


@dataclass(slots=True)
class _Subject:
    """What one block looks at, and with which of its matchers."""

    actual: Any
    matcher: matchex.Matcher


def _parsed(case: Ready, output: Any) -> Any:
    """A text answer read as JSON, where some block may want it; MISSING where it is none."""
    if isinstance(output, str) and any(block.reads_json != "never" for block in case.blocks):
        return parse_answer(output)
    return MISSING


def _subject(
    case: Ready, block: Block, result: AIExecutionResult, messages: Sequence[Message] | None, parsed: Any
) -> _Subject:
    if block.name in ("expect", "assertions"):
        matcher = block.when_silent if messages is None and block.when_silent else block.matcher
        reread = parsed if case.settings.rules.parse == "json" and parsed is not MISSING else result.output
        return _Subject(_named_fields(case, block, _whole(result, messages, reread)), matcher)
    output = result.output
    if not isinstance(output, str):
        return _Subject(output, block.matcher)
    if block.reads_json != "never":
        if parsed is not MISSING:
            return _Subject(parsed, block.matcher)
        return _Subject(output, block.for_text())
    return _Subject(matchex.plugin.trim(output) if block.name == "schema" else output, block.matcher)


def _whole(result: AIExecutionResult, messages: Sequence[Message] | None, output: Any) -> dict[str, Any]:
    """The whole result as `expect` sees it: with the messages normalised and the flat list of calls in `tools`."""
    fields = {**result.fields(), "output": output}
    if messages is not None:
        fields["messages"] = [message.to_dict() for message in messages]
        fields["tools"] = [call.to_dict() for call in calls_of(messages)]
    return fields


def _named_fields(case: Ready, block: Block, whole: dict[str, Any]) -> dict[str, Any]:
    """Under strict objects only the fields that `expect` names count: a result always has more than one asks about."""
    expected: Any = block.expected
    if not isinstance(expected, Mapping) or not case.settings.rules.is_strict("object"):
        return whole
    named: set[str | int] = set()
    for key in cast("Mapping[str, Any]", expected):
        if key.startswith(("$", "/")):
            return whole
        named |= {key, parse_path(key)[0]}
    return {key: value for key, value in whole.items() if key in named}


def _score(case: Ready, judged: Sequence[_Judged]) -> float:
    """Points earned: the blocks share the maximum equally."""
    share = case.max_score / len(judged) if judged else 0.0
    return sum(part.result.score * share for part in judged)


def _verdict(case: Ready, judged: Sequence[_Judged], score: float | None) -> _Status:
    if score is not None and any(part.result.critical_failures for part in judged):
        return "fail"
    if score is None:
        statuses = {part.result.status for part in judged}
        return "fail" if "fail" in statuses else "error" if "error" in statuses else "pass"
    share = case.max_score / len(judged) if judged else 0.0
    spans = [score_span(part.result) for part in judged]
    mark = case.pass_score - _TOLERANCE * max(1.0, case.max_score)
    if sum(high for _, high in spans) * share < mark:
        return "fail"
    in_doubt = any(part.result.errors and part.block.critical for part in judged)
    return "pass" if sum(low for low, _ in spans) * share >= mark and not in_doubt else "error"


def _turned_round(status: _Status, judged: Sequence[_Judged]) -> _Status:
    """`not`: a failure passes and a pass fails; an error stays one, and what is critical never passes."""
    if status == "error" or any(part.result.critical_failures for part in judged):
        return status
    return "fail" if status == "pass" else "pass"


def _failures(case: Ready, judged: Sequence[_Judged]) -> Iterable[AITestFailure]:
    for part in judged:
        if part.result.passed:
            continue  # nothing is worked out for what passes
        for failure in part.result.failures:
            shown = _about_silence(failure, part.block) if part.silent else failure
            yield AITestFailure(part.block.name, part.path(failure.keys), shown, part.locate(failure.place))


def _about_silence(failure: matchex.Failure, block: Block) -> matchex.Failure:
    """A failure of `tools` for want of messages, said in words of the case."""
    if failure.place[:1] != ("tools",):
        return failure
    message = "nothing is known about tool calls, because the executor returned no `messages`"
    return replace(failure, message=message, expected=block.expected["tools"])


def _errors(case: Ready, judged: Sequence[_Judged]) -> Iterable[AITestIssue]:
    for part in judged:
        for issue in part.result.errors:
            location = part.locate(issue.place)
            yield AITestIssue(issue.kind, issue.message, part.path(issue.keys), location, issue.cause)


def _notes(case: Ready, judged: Sequence[_Judged]) -> Iterable[AITestIssue]:
    for part in judged:
        for note in part.result.notes:
            yield AITestIssue(note.kind, note.message, part.path(note.keys), part.locate(note.place))


def _block_scores(case: Ready, judged: Sequence[_Judged]) -> Iterable[BlockScore]:
    share = case.max_score / len(judged) if judged else 0.0
    for part in judged:
        result = part.result
        yield BlockScore(part.block.name, result.status, result.score, share, result.details)


def _dimensions(judged: Sequence[_Judged]) -> dict[str, float]:
    """Scores per dimension: the mean over the blocks that have it."""
    found: dict[str, list[float]] = {}
    for part in judged:
        for name, score in part.result.dimensions.items() if part.block.dimensions else ():
            found.setdefault(name, []).append(score)
    return {name: sum(scores) / len(scores) for name, scores in found.items()}
