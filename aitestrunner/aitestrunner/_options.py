"""The options of a run, checked once."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from matchex.plugin import nearest

from aitestrunner._cases import Defaults, read_defaults
from aitestrunner._errors import FixtureError
from aitestrunner._messages import MessageAdapter
from aitestrunner._positions import Node
from matchex import MISSING

__all__ = ["RunOptions"]


def _nothing() -> Mapping[str, Any]:
    return {}


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
        expose_expectations: `args` holds the expected answer too, for executors that need it.
        allow_code: Whether fixture files may name Python files below their own folder.
        allow_env: The variables of the environment that executors named by fixture files may be given.
        message_adapter: Reads messages of a shape that is not built in.

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
    expose_expectations: bool = False
    allow_code: bool = True
    allow_env: Sequence[str] = ()
    message_adapter: MessageAdapter | None = None

    def __post_init__(self) -> None:
        for name in ("fixture_config", "user_config", "script_config"):
            if not isinstance(getattr(self, name), Mapping):
                raise TypeError(f"{name} must be a mapping, got {getattr(self, name)!r:.80}")
        if cast("object", self.skips) is None:
            raise TypeError("skips must be a list of indexes or a mapping of indexes to flags, got None")

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
