"""What a run leaves behind: one log item per case, and the result of the whole."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from matchex.plugin import render_ansi, render_plain

import matchex
from aitestrunner._later import Later
from aitestrunner._plain import plain
from aitestrunner._positions import Position
from matchex import MISSING

__all__ = [
    "AITestFailure",
    "AITestFixtureResult",
    "AITestIssue",
    "AITestLogItem",
    "BlockScore",
    "Outcome",
    "Repeats",
    "Tally",
]

Outcome = Literal["pass", "fail", "error", "skip"]
_LONGEST_DIFF: Final = 1200


@dataclass(frozen=True, slots=True)
class AITestFailure:
    """One thing that does not match in one block of a case.

    Args:
        block: `schema`, `output`, `expect` or `assertions`.
        path: Where in the result, beginning with one of its fields: `output.items[0].name`.
        failure: What matchex found.
        location: The file, line and column of the expectation that failed.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> run = AITestRunner(lambda context: "good bye").run_sync("bot", [{"output": "hello"}])
        >>> run.logs[0].failures[0].path
        'output'
    """

    block: str
    path: str
    failure: matchex.Failure
    location: Position | None = None

    @property
    def message(self) -> str:
        """What was expected and what came."""
        return self.failure.message

    @property
    def expected(self) -> Any:
        """The expectation, or operand, that does not match."""
        return self.failure.expected

    @property
    def actual(self) -> Any:
        """The value at that very place."""
        return self.failure.actual

    @property
    def critical(self) -> bool:
        """Whether a critical check failed by it."""
        return self.failure.critical

    @property
    def title(self) -> str | None:
        """The title of the check, where it has one."""
        return self.failure.title

    @property
    def diff(self) -> Any:
        """For texts: how the actual text differs."""
        return self.failure.diff

    @property
    def expected_path(self) -> str:
        """Where in the block's expectation it stands."""
        return self.failure.expected_path

    def diff_text(self, *, coloured: bool = False) -> str:
        """The diff as a person reads it: `[-expected-]{+actual+}`; empty where there is none.

        Args:
            coloured: With ANSI codes in place of the marks, where the log item was not read from a file.

        Example:
            >>> from aitestrunner import AITestRunner
            >>> run = AITestRunner(lambda context: "good bye").run_sync("bot", [{"output": "good day"}])
            >>> run.logs[0].failures[0].diff_text()
            'good [-day-]{+bye+}'
        """
        diff = self.diff
        if diff is None or isinstance(diff, str):
            return diff or ""
        return (render_ansi if coloured else render_plain)(diff, max_length=_LONGEST_DIFF)

    def to_dict(self) -> dict[str, Any]:
        """The failure as plain data."""
        diff = self.diff
        found = {
            "block": self.block,
            "path": self.path,
            "message": self.message,
            "expected": plain(self.expected),
            "actual": MISSING if self.actual is MISSING else plain(self.actual),
            "expectedPath": self.expected_path,
            "critical": self.critical or MISSING,
            "title": MISSING if self.title is None else self.title,
            "diff": MISSING if diff is None else self.diff_text(),
            "location": MISSING if self.location is None else str(self.location),
        }
        return {key: value for key, value in found.items() if value is not MISSING}


@dataclass(frozen=True, slots=True)
class AITestIssue:
    """Something that kept a case from being judged, or that a reader should know about a pass.

    Args:
        kind: `definition template operators tools executor messages unchecked` …, or a kind of matchex: `expression
            operator timeout vacuous contained` ….
        message: What happened, and what to do about it.
        path: Where in the result, where it concerns a place.
        location: The file, line and column of what it is about.
        cause: The exception behind it.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> run = AITestRunner(lambda context: "hi").run_sync("bot", [{"output": "{{nmae}}", "name": "Bo"}])
        >>> run.logs[0].errors[0].kind
        'template'
    """

    kind: str
    message: str
    path: str = ""
    location: Position | None = None
    cause: BaseException | None = None

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message

    def to_dict(self) -> dict[str, Any]:
        """The issue as plain data."""
        found: dict[str, Any] = {"kind": self.kind, "message": self.message}
        if self.path:
            found["path"] = self.path
        if self.location:
            found["location"] = str(self.location)
        if self.cause is not None:
            found["cause"] = type(self.cause).__name__
        return found


@dataclass(frozen=True, slots=True)
class BlockScore:
    """What one block of a case earned.

    Args:
        key: `schema`, `output` or `expect`.
        status: `pass`, `fail` or `error`.
        score: 0..1.
        weight: The points that it could earn.
        details: The tree of scored nodes below.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> run = AITestRunner(lambda context: "hi").run_sync("bot", [{"output": "hi"}], scoring=True)
        >>> run.logs[0].score_details[0].weight
        100.0
    """

    key: str
    status: str
    score: float
    weight: float
    details: tuple[matchex.Detail, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The block as plain data."""
        return {
            "key": self.key,
            "score": self.score,
            "weight": self.weight,
            "pass": self.status == "pass",
            "details": [_detail(node) for node in self.details],
        }


def _detail(node: matchex.Detail) -> dict[str, Any]:
    found: dict[str, Any] = {"key": node.path, "score": node.score, "weight": node.weight, "pass": node.passed}
    for name in ("title", "dimension", "message"):
        if getattr(node, name) is not None:
            found[name] = getattr(node, name)
    if node.critical:
        found["critical"] = True
    if node.details:
        found["details"] = [_detail(child) for child in node.details]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """What several runs of one case say together.

    Args:
        runs: The log items of all runs, in order.
        passed: How many passed.
        pass_rate: Their share, 0..1.
        min_pass_rate: The share that the case had to reach.
        interval: The bounds of the true pass rate at 95 % confidence, by Wilson's score.
        pass_power: pass^k for k = 1, 2, … 10 at most: how likely k runs are to pass all.
        flaky: Whether some passed and some did not.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> answers = iter(["hello", "bye", "hello", "hello"])
        >>> case = {"output": "hello", "repeat": 4, "minPassRate": 0.7}
        >>> (item,) = AITestRunner(lambda context: next(answers)).run_sync("bot", [case]).logs
        >>> item.status, item.repeats.pass_rate, item.repeats.flaky
        ('pass', 0.75, True)
    """

    runs: tuple[AITestLogItem, ...]
    passed: int
    pass_rate: float
    min_pass_rate: float
    interval: tuple[float, float]
    pass_power: tuple[float, ...]
    flaky: bool

    def to_dict(self) -> dict[str, Any]:
        """The repeats as plain data."""
        return {
            "passed": self.passed,
            "passRate": self.pass_rate,
            "minPassRate": self.min_pass_rate,
            "interval": list(self.interval),
            "passPower": list(self.pass_power),
            "flaky": self.flaky,
            "runs": [run.to_dict() for run in self.runs],
        }


@dataclass(slots=True, kw_only=True, repr=False)
class AITestLogItem:
    """Everything about one case of a run. In files (`to_dict`) the names are camelCase.

    Args:
        i: Its index among the cases of the run, from 0.
        id: Its id.
        status: `pass`, `fail`, `error` or `skip`.
        title: Its title, rendered.
        tags: Its tags.
        script: What really ran: with tools, the tool tester.
        input: What the executor was given.
        actual: What it answered.
        parsed: The answer read as JSON, where `parse` made the runner read it.
        expected: The rendered `output`, exactly as it was checked.
        expected_schema: The rendered `outputSchema`, exactly as it was checked.
        expected_trace: The rendered `expect`, exactly as it was checked.
        actual_trace: The messages, normalised.
        actual_meta: The executor's `meta`.
        usage: The executor's `usage`.
        cost: The executor's `cost`.
        tools: The tools offered.
        vars: The variables, where `log_vars` asked for them.
        reason: What the answer says about its reasons (`thinking`, `reasoning`, `reason`, `explanation` …).
        score: Points earned, with scoring.
        max_score: Points to earn, with scoring.
        pass_score: Points that pass, with scoring.
        score_details: What each block earned.
        oracles: With oracles, what each of them and each block said, as plain data: `status score oracles cost`.
        failures: What does not match.
        failed_critical: Those of the failures that are critical.
        errors: What kept the case from being judged.
        notes: What a reader should know about a pass.
        dimensions: Scores per dimension, 0..1.
        not_: Whether the verdict was turned round.
        skipped_because: Why it did not run.
        duration: Milliseconds from the beginning of the case to the executor's answer.
        attempts: How often the executor was asked.
        recorded: Whether the answer comes from a recording.
        repeats: The runs of the case, where there were several.
        location: Where the case was written.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> run = AITestRunner(lambda context: "hello").run_sync("bot", [{"title": "greets", "output": "hello"}])
        >>> run.logs[0].title, run.logs[0].passed
        ('greets', True)
    """

    i: int
    id: str
    status: Outcome
    title: str | None = None
    tags: tuple[str, ...] = ()
    script: str | None = None
    input: Any = MISSING
    actual: Any = MISSING
    parsed: Any = MISSING
    expected: Any = MISSING
    expected_schema: Any = MISSING
    expected_trace: Any = MISSING
    actual_trace: Sequence[Any] | None = None
    actual_meta: Any = MISSING
    usage: Any = MISSING
    cost: Any = MISSING
    tools: Any = MISSING
    vars: Mapping[str, Any] | None = None
    reason: Any = MISSING
    score: float | None = None
    max_score: float | None = None
    pass_score: float | None = None
    score_details: Sequence[BlockScore] = ()
    oracles: Mapping[str, Any] | None = None
    failures: tuple[AITestFailure, ...] = ()
    failed_critical: tuple[AITestFailure, ...] = ()
    errors: tuple[AITestIssue, ...] = ()
    notes: Sequence[AITestIssue] = ()
    dimensions: Mapping[str, float] = field(default_factory=dict[str, float])
    not_: bool = False
    skipped_because: str | None = None
    duration: float = 0.0
    attempts: int = 1
    recorded: bool = False
    repeats: Repeats | None = None
    location: Position | None = None

    def __repr__(self) -> str:
        return f"<AITestLogItem {self.id!r} {self.status}>"

    @property
    def passed(self) -> bool:
        """Whether the case passed.

        Example:
            >>> from aitestrunner import AITestLogItem
            >>> AITestLogItem(i=0, id="a", status="error").passed
            False
        """
        return self.status == "pass"

    @property
    def skipped(self) -> bool:
        """Whether the case did not run.

        Example:
            >>> from aitestrunner import AITestLogItem
            >>> AITestLogItem(i=0, id="a", status="skip").skipped
            True
        """
        return self.status == "skip"

    @property
    def error(self) -> AITestIssue | None:
        """The first thing that kept the case from being judged, when it is an error.

        Example:
            >>> from aitestrunner import AITestLogItem
            >>> AITestLogItem(i=0, id="a", status="pass").error is None
            True
        """
        return self.errors[0] if self.status == "error" and self.errors else None

    def to_dict(self) -> dict[str, Any]:
        """The item as plain data, ready for JSON; what is not there is left out.

        Example:
            >>> from aitestrunner import AITestLogItem
            >>> AITestLogItem(i=0, id="a", status="pass", actual="hi").to_dict()["actual"]
            'hi'
        """
        found: dict[str, Any] = {"i": self.i, "id": self.id, "status": self.status, "passed": self.passed}
        for name, attribute in _WHERE_GIVEN:
            value = getattr(self, attribute)
            if value is not MISSING and value is not None and not (isinstance(value, (tuple, Later)) and not value):
                found[name] = plain(value)
        for name, attribute in _WHERE_TRUE:
            value = getattr(self, attribute)
            if value:
                found[name] = value
        if self.attempts > 1:
            found["attempts"] = self.attempts
        if self.dimensions:
            found["dimensions"] = plain(self.dimensions)
        if self.location is not None:
            found["location"] = str(self.location)
        found["duration"] = round(self.duration, 3)
        for name in ("input", "actual", "expected"):  # null is a value here
            if getattr(self, name) is None:
                found[name] = None
        return found


_WHERE_GIVEN: Final = (
    *((name, name) for name in ("title", "tags", "script", "input", "actual", "parsed", "expected")),
    ("expectedSchema", "expected_schema"),
    ("expectedTrace", "expected_trace"),
    ("actualTrace", "actual_trace"),
    ("actualMeta", "actual_meta"),
    *((name, name) for name in ("usage", "cost", "tools", "vars", "reason", "score")),
    ("maxScore", "max_score"),
    ("passScore", "pass_score"),
    ("scoreDetails", "score_details"),
    ("oracles", "oracles"),
    ("failures", "failures"),
    ("failedCritical", "failed_critical"),
    ("errors", "errors"),
    ("notes", "notes"),
    ("skippedBecause", "skipped_because"),
    ("repeats", "repeats"),
)
"""Fields of a log item that files have where they are given, with their names there."""
_WHERE_TRUE: Final = (("not", "not_"), ("recorded", "recorded"))


def _finite(cost: Any) -> float:
    """A cost as a number that can be summed up; 0 for what is none."""
    try:
        found = float(cost) if isinstance(cost, (int, float)) else 0.0
    except OverflowError:
        return 0.0
    return found if math.isfinite(found) else 0.0


@dataclass(slots=True)
class Tally:
    """What is counted and summed over the cases of a run, so that their log items need not be kept for it."""

    counts: dict[Outcome, int] = field(default_factory=lambda: {"pass": 0, "fail": 0, "error": 0, "skip": 0})
    scored: int = 0
    points: float = 0.0
    max_points: float = 0.0
    cost: float = 0.0
    recorded: int = 0
    retried: int = 0
    flaky: int = 0
    dimension_sums: dict[str, tuple[float, int]] = field(default_factory=dict[str, tuple[float, int]])

    @property
    def total(self) -> int:
        """How many cases were counted."""
        return sum(self.counts.values())

    def add(self, item: AITestLogItem) -> None:
        """Count a case."""
        self.counts[item.status] += 1
        if item.score is not None and item.max_score:
            self.scored += 1
            self.points += item.score
            self.max_points += item.max_score
        self.cost += _finite(item.cost)
        self.recorded += item.recorded
        runs = 1 if item.repeats is None else len(item.repeats.runs)
        self.retried += item.attempts > runs
        self.flaky += item.repeats is not None and item.repeats.flaky
        for name, score in item.dimensions.items():
            total, number = self.dimension_sums.get(name, (0.0, 0))
            self.dimension_sums[name] = total + score, number + 1


@dataclass(slots=True, kw_only=True, repr=False)
class AITestFixtureResult:
    """The result of a run. As a truth value it says whether the run passed.

    Args:
        logs: One item per case, in the order of the cases; empty where the run did not keep them (`keep_logs=False`).
        duration: Milliseconds that the whole run took.
        listener_errors: What listeners raised.
        deselected: How many cases were not selected, and so were no part of the run.
        stopped: Why the run ended before its last case, if it did.
        tally: The sums behind the counts; by default those of `logs`.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> run = AITestRunner(lambda context: "hello").run_sync("bot", [{"output": "hello"}, {"output": "bye"}])
        >>> run.passed_count, run.failed_count, run.passed
        (1, 1, False)
    """

    logs: list[AITestLogItem] = field(default_factory=list["AITestLogItem"])
    duration: float = 0.0
    listener_errors: list[Exception] = field(default_factory=list[Exception])
    deselected: int = 0
    stopped: str | None = None
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        for item in self.logs:
            self.tally.add(item)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        # Short also because asyncio writes the repr of a finished task's result, for nobody to read.
        counts = f"{self.passed_count} passed, {self.failed_count} failed, {self.error_count} in error"
        return f"<AITestFixtureResult {counts}, {self.skipped_count} skipped>"

    def count(self, status: Outcome) -> int:
        """How many cases ended so.

        Example:
            >>> from aitestrunner import AITestFixtureResult
            >>> AITestFixtureResult().count("error")
            0
        """
        return self.tally.counts[status]

    @property
    def passed_count(self) -> int:
        """How many cases passed."""
        return self.count("pass")

    @property
    def failed_count(self) -> int:
        """How many cases failed."""
        return self.count("fail")

    @property
    def error_count(self) -> int:
        """How many cases could not be judged."""
        return self.count("error")

    @property
    def skipped_count(self) -> int:
        """How many cases did not run."""
        return self.count("skip")

    @property
    def passed(self) -> bool:
        """Whether some case passed, and none failed or could not be judged."""
        return self.passed_count > 0 and self.failed_count == 0 and self.error_count == 0

    @property
    def cost(self) -> float:
        """What the cases that know their cost cost together."""
        return self.tally.cost

    @property
    def dimensions(self) -> dict[str, float]:
        """The mean score of each dimension over the cases that have it, 0..1."""
        return {name: total / number for name, (total, number) in self.tally.dimension_sums.items()}

    def summary(self) -> dict[str, Any]:
        """The counts and sums as plain data.

        Example:
            >>> from aitestrunner import AITestFixtureResult
            >>> AITestFixtureResult().summary()["passedCount"]
            0
        """
        found: dict[str, Any] = {
            "passedCount": self.passed_count,
            "failedCount": self.failed_count,
            "errorCount": self.error_count,
            "skippedCount": self.skipped_count,
            "duration": round(self.duration, 3),
            "dimensions": self.dimensions,
        }
        more = {
            "deselected": self.deselected,
            "stopped": self.stopped,
            "cost": self.cost,
            "recorded": self.tally.recorded,
            "retried": self.tally.retried,
            "flaky": self.tally.flaky,
        }
        return found | {name: value for name, value in more.items() if value}

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON."""
        return {**self.summary(), "logs": [item.to_dict() for item in self.logs]}
