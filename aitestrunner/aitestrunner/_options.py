"""The options of a run, checked once."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from matchex.plugin import nearest

from aitestrunner._cases import Defaults, read_defaults
from aitestrunner._engine import Engine
from aitestrunner._errors import FixtureError
from aitestrunner._keys import KEYS, snake_case
from aitestrunner._messages import MessageAdapter
from aitestrunner._positions import Node
from matchex import MISSING

__all__ = ["RunOptions", "read_shard"]


def _nothing() -> Mapping[str, Any]:
    return {}


def _count(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_shard(value: Any) -> bool:
    try:
        read_shard(value)
    except ValueError:
        return False
    return True


_CHECKED: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    **{snake_case(name): (KEYS[name].takes, KEYS[name].accepts) for name in ("timeout", "repeat", "minPassRate")},
    "jobs": ("a number of at least 1", lambda value: _count(value, 1)),
    "retries": ("a number of at least 0", lambda value: _count(value, 0)),
    "retry_delay": ("seconds of at least 0", lambda value: _number(value) and value >= 0),
    "rate": ("a number of questions a second above 0", lambda value: _number(value) and value > 0),
    "shard": ("a text like 2/3, the second of three", _is_shard),
    "record": ("auto, new or none", lambda value: value in ("auto", "new", "none")),
}
"""Options of which a wrong value would otherwise be noticed late or never."""


def read_shard(shard: Any) -> tuple[int, int]:
    """The number and the count of a shard: `2/3` is the second of three.

    Raises:
        ValueError: It is no such text.
    """
    number, mark, count = str(shard).partition("/")
    if not (mark and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ValueError(f"a shard is written like 2/3, the second of three; got {shard!r:.80}")
    return int(number), int(count)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run goes. Every field can be given to `AITestRunner.run` by name.

    Args:
        fixture_config: Defaults for all cases, keys as in files; front matter goes before it.
        user_config: Settings for the executor (its `context.options`). Of them `data` are variables for templates, and
            `checkSchema`, `strict` and `disableHeuristicSchema` count as settings of the run.
        script_config: What the script says about itself: variables, and in `output` a JSON Schema for its answers.
        skips: Cases not to run: their indexes, or a mapping of indexes to flags.
        base_dir: The folder that relative references to code start from.
        log_vars: Keep the variables of a case in its log item: `True`, or `"error"` for cases that do not pass.
        strict: See `AITestFixture`, like the following.
        disable_heuristic_schema: A mapping that looks like a JSON Schema is compared as it is.
        operators: Operators of your own: names to functions or references.
        allow_operator_override: Your operators may replace built-in ones.
        scoring: `True`, `False` or `"auto"`.
        max_score: Points that a perfect answer earns.
        pass_score: Points that pass, or a share like `"70%"`.
        unassigned_weight: What all siblings without a weight share.
        auto_confidence: Whether weights below 1 are shares: `True`, `False` or `"force"`.
        threshold: What a number returned by an operator must reach, 0..1.
        strict_vacuous: A check that held on a missing value or an empty list fails.
        oracles: Oracles of your own, which the `oracles` of cases may name by their types.
        judges: Executors by name, which the `model` of an oracle may name.
        expose_expectations: `args` holds the expected answer too, for executors that need it.
        allow_code: Whether fixture files may name Python files below their own folder.
        allow_env: The variables of the environment that executors named by fixture files may be given.
        message_adapter: Reads messages of a shape that is not built in.
        timeout: Seconds that a case may take, where neither it nor its file says.
        repeat: How often each case runs, where neither it nor its file says.
        min_pass_rate: The share of the runs of a case that must pass, likewise.
        jobs: How many cases run at the same time. Executors that are not `async` are called in threads when it is more
            than one.
        retries: How often an executor that raised is asked again.
        retry_delay: Seconds before the first retry; each later one waits twice as long.
        rate: How many questions a second executors are asked at most.
        keywords: Select cases whose id, title or tags hold words: `"refund and not german"`.
        tags: Select cases that have one of these tags.
        ids: Select cases by their ids.
        lines: Select cases of files by lines: pairs of a file, as it was given to the run, and a line in the case.
        shard: Run one part of the cases: `"2/3"` is the second of three. A case is in the same part in every run.
        forbid_only: A case with `only` is an error.
        fail_fast: Stop after the first case that fails or is an error; the others count as skipped.
        log: Write a run log to this file, see `LoggedRun`.
        resume: Go on with the run of this log: what ended is taken from it, the rest runs and is added to it.
        log_fields: More fields for the first line of the log.
        record: Use recorded answers: `"auto"` asks for what is not recorded and records it, `"new"` asks for everything
            and records it, `"none"` asks for nothing.
        recordings: The file of recordings.
        executor_name: What names the executor in recordings, as plain data; by default what it says in `recorded_as`,
            else the module and name of the function or class.
        engine: Runs the cases in other processes; by default they run in this one.
        keep_logs: Whether the result keeps the log items. A run of very many cases is better read from its log.

    Raises:
        TypeError: An unknown option; the nearest name is in the message.
        ValueError: A value that an option does not take.

    Example:
        >>> from aitestrunner import RunOptions
        >>> RunOptions(scoring="auto", pass_score="70%").pass_score
        '70%'
    """

    fixture_config: Mapping[str, Any] = field(default_factory=_nothing)
    user_config: Mapping[str, Any] = field(default_factory=_nothing)
    script_config: Mapping[str, Any] = field(default_factory=_nothing)
    skips: Mapping[Any, Any] | Sequence[Any] = ()
    base_dir: str | Path | None = None
    log_vars: bool | str = False
    strict: Any = MISSING
    disable_heuristic_schema: Any = MISSING
    operators: Any = MISSING
    allow_operator_override: Any = MISSING
    scoring: Any = MISSING
    max_score: Any = MISSING
    pass_score: Any = MISSING
    unassigned_weight: Any = MISSING
    auto_confidence: Any = MISSING
    threshold: Any = MISSING
    strict_vacuous: bool = False
    oracles: Sequence[Any] = ()
    judges: Mapping[str, Any] = field(default_factory=_nothing)
    expose_expectations: bool = False
    allow_code: bool = True
    allow_env: Sequence[str] = ()
    message_adapter: MessageAdapter | None = None
    timeout: Any = MISSING
    repeat: Any = MISSING
    min_pass_rate: Any = MISSING
    jobs: int = 1
    retries: int = 0
    retry_delay: float = 0.5
    rate: float | None = None
    keywords: str | None = None
    tags: Collection[str] = ()
    ids: Collection[str] | None = None
    lines: Sequence[tuple[str, int]] = ()
    shard: str | None = None
    forbid_only: bool = False
    fail_fast: bool = False
    log: str | Path | None = None
    resume: str | Path | None = None
    log_fields: Mapping[str, Any] = field(default_factory=_nothing)
    record: str | None = None
    recordings: str | Path = Path(".aitest", "recordings.jsonl")
    executor_name: Any = None
    keep_logs: bool = True
    engine: Engine | None = None

    def __post_init__(self) -> None:
        for name in ("fixture_config", "user_config", "script_config"):
            if not isinstance(getattr(self, name), Mapping):
                raise TypeError(f"{name} must be a mapping, got {getattr(self, name)!r:.80}")
        if cast("object", self.skips) is None:
            raise TypeError("skips must be a list of indexes or a mapping of indexes to flags, got None")
        for name, (takes, accepts) in _CHECKED.items():
            value = getattr(self, name)
            if value is not MISSING and value is not None and not accepts(value):
                raise ValueError(f"{name} takes {takes}; got {value!r:.80}")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> RunOptions:
        """The options given by name."""
        names = [entry.name for entry in dataclasses.fields(cls)]
        for name in options:
            if name not in names:
                guess = nearest(name, names)
                raise TypeError(
                    f"unknown option {name!r}"
                    + (f"; did you mean {guess!r}?" if guess else f"; known are {', '.join(names)}")
                )
        return cls(**options)

    def skips_index(self, index: int) -> bool:
        """Whether the caller asked not to run the case of that index."""
        if isinstance(self.skips, Mapping):
            return bool(self.skips.get(index, self.skips.get(str(index), False)))
        chosen = self.skips
        if chosen and all(isinstance(flag, bool) for flag in chosen):
            return index < len(chosen) and chosen[index]
        return index in chosen

    def defaults(self) -> Defaults:
        """`fixture_config` read as the defaults of cases.

        Raises:
            FixtureError: It holds what a case cannot hold.
        """
        node = Node(self.fixture_config)
        settings, problems = read_defaults(node, in_file=False)
        if problems:
            raise FixtureError(problems)
        return Defaults(settings, node, str(self.base_dir) if self.base_dir else None)
