"""The oracles of a case: read, rendered and checked before it runs, and let judge after it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import matchex
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, Execute
from aitestrunner._log import AITestFailure, AITestIssue
from aitestrunner._messages import Message
from aitestrunner._options import RunOptions
from aitestrunner._recorder import Recorder
from aitestrunner._settings import Settings
from aitestrunner._templates import Renderer
from aitestrunner.oracles._contract import OracleInput, OracleResult, Resources
from aitestrunner.oracles._entries import EntryProblem, OracleEntry, check_entries, read_oracles, rendered_config
from aitestrunner.oracles._registry import OracleNameError, Oracles
from aitestrunner.oracles._verdict import JudgedOracle, OracleVerdict, judge_with_oracles, verdict_of
from matchex import MISSING

__all__ = ["CaseOracles", "OracleJudgement", "oracles_of_case"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleJudgement:
    """What the oracles of a case say, for its log item.

    Args:
        status: Their verdict, that of the blocks not among it.
        verdict: All that judged, the blocks too, with the score of all.
        failures: What does not match for an oracle that gates.
        errors: What kept one from judging.
        notes: What a reader should know, also of those that are advisory.
    """

    status: Any
    verdict: OracleVerdict
    failures: tuple[AITestFailure, ...]
    errors: tuple[AITestIssue, ...]
    notes: tuple[AITestIssue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOracles:
    """The oracles of a case, ready to judge."""

    settings: Settings
    entries: Sequence[OracleEntry]
    oracles: Oracles
    given: OracleInput

    def recorded(self, recorder: Recorder, repeat: int) -> CaseOracles:
        """The same, with models that answer from recordings, and whose answers are recorded.

        Args:
            recorder: The recordings of the run.
            repeat: Which of the runs of the case.
        """

        def through(execute: Execute, name: Any) -> Execute:
            async def ask(context: AIExecutionContext) -> AIExecutionResult:
                found = recorder.find(context, name, repeat)
                if found is not None:
                    return found
                return recorder.keep(context, name, repeat, await execute(context), None)

            return ask

        resources = dataclasses.replace(self.given.resources, through=through)
        return dataclasses.replace(self, given=dataclasses.replace(self.given, resources=resources))

    async def judge(
        self, result: AIExecutionResult, messages: Sequence[Message] | None, blocks: Sequence[tuple[str, Any, float]]
    ) -> OracleJudgement:
        """Let them judge a result.

        Args:
            result: What the executor answered.
            messages: Its messages, normalised.
            blocks: The name, the status and the score of each block that judged already.
        """
        given = dataclasses.replace(self.given, actual=result.output, result=result.fields(), messages=messages)
        own = (await judge_with_oracles(self.entries, given, oracles=self.oracles)).oracles
        before = [JudgedOracle(OracleResult(name, status=status, score=score)) for name, status, score in blocks]
        gate = [it for it in own if not it.result.advisory]
        return OracleJudgement(
            status=verdict_of(own).status if gate or not blocks else "pass",
            verdict=verdict_of([*before, *own], scoring_weights=self.settings.scoring_weights),
            failures=tuple(failure for i, it in enumerate(own) if it in gate for failure in self._failures(i, it)),
            errors=tuple(issue for i, it in enumerate(own) if it in gate for issue in self._errors(i, it)),
            notes=tuple(issue for i, it in enumerate(own) for issue in self._notes(i, it)),
        )

    def _failures(self, index: int, judged: JudgedOracle) -> list[AITestFailure]:
        result = judged.result
        if result.status != "fail":
            return []
        found = list(result.failures) or [
            matchex.Failure((), (), result.message, dict(self.entries[index].config), MISSING)
        ]
        found = [dataclasses.replace(it, title=it.title or judged.title) for it in found]
        location = self.settings.locate("oracles", (index,))
        return [AITestFailure(result.oracle_type, _path(index, it.path), it, location) for it in found]

    def _errors(self, index: int, judged: JudgedOracle) -> list[AITestIssue]:
        if judged.result.status != "error":
            return []
        message = f"oracle {judged.result.oracle_type}: {judged.result.message}"
        return [AITestIssue("oracle", message, _path(index), self.settings.locate("oracles", (index,)))]

    def _notes(self, index: int, judged: JudgedOracle) -> list[AITestIssue]:
        result, location = judged.result, self.settings.locate("oracles", (index,))
        notes = [AITestIssue(note.kind, note.message, _path(index, note.path), location) for note in result.notes]
        if result.advisory and not result.passed:
            message = f"{judged.title or result.oracle_type} ({result.status}, advisory): {result.message}"
            notes.append(AITestIssue("advisory", message, _path(index), location))
        return notes


def oracles_of_case(
    settings: Settings, options: RunOptions, renderer: Renderer, args: Mapping[str, Any], rendered: Mapping[str, Any]
) -> tuple[CaseOracles | None, list[AITestIssue]]:
    """The oracles of a case, and what is wrong with them.

    Args:
        settings: What holds for the case.
        options: The options of the run.
        renderer: Fills in placeholders.
        args: The variables of the case, rendered.
        rendered: The rendered expectations of its blocks, by name.
    """
    if settings.oracles is None:
        return None, _without_oracles(settings)
    written, problems = read_oracles(settings.oracles)
    entries: list[OracleEntry] = []
    issues = _issues(settings, problems)
    for index, entry in enumerate(written):
        try:
            entries.append(dataclasses.replace(entry, config=rendered_config(entry.config, renderer.data)))
        except matchex.MatchexError as error:
            place = settings.locate("oracles", (index,))
            issues.append(AITestIssue("template", f"`oracles[{index}]`: {error}", "", place, error))
    try:
        oracles = Oracles(options.oracles)
    except OracleNameError as error:
        return None, [*issues, AITestIssue("definition", str(error), "", settings.locate("oracles"), error)]
    if issues or not entries:
        return None, issues
    given = OracleInput(
        expected=rendered.get("output", MISSING),
        schema=rendered.get("schema", MISSING),
        input=args.get("input", MISSING),
        variables=args,
        resources=_resources(settings, options),
    )
    problems = check_entries(
        entries, oracles, given, scoring_weights=settings.scoring_weights, other_types=list(rendered)
    )
    return CaseOracles(settings=settings, entries=entries, oracles=oracles, given=given), _issues(settings, problems)


def _without_oracles(settings: Settings) -> list[AITestIssue]:
    if settings.scoring_weights is None:
        return []
    message = "`scoringWeights` are those of `oracles`, which the case has not"
    return [AITestIssue("definition", message, "", settings.locate("scoringWeights"))]


def _resources(settings: Settings, options: RunOptions) -> Resources:
    base_dir = settings.defaults.base_dir or options.base_dir
    in_file = settings.locate("oracles") is not None
    return Resources(
        base_dir=base_dir,
        inside=(base_dir or ".") if in_file else None,
        allow_code=options.allow_code or not in_file,
        allow_env=options.allow_env,
        executors=options.judges,
    )


def _issues(settings: Settings, problems: Sequence[EntryProblem]) -> list[AITestIssue]:
    found: list[AITestIssue] = []
    for problem in problems:
        name, *place = problem.place
        found.append(AITestIssue("definition", problem.message, "", settings.locate(cast("str", name), tuple(place))))
    return found


def _path(index: int, path: str = "") -> str:
    if not path:
        return f"oracles[{index}]"
    return f"oracles[{index}]{path}" if path.startswith("[") else f"oracles[{index}].{path}"
