"""The options of a match, checked once."""

from __future__ import annotations

import dataclasses
import functools
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from matchex._expr import ExpressionLimits
from matchex._paths import nearest

__all__ = ["STRICT_NAMES", "Options", "check_data"]

STRICT_NAMES: Final = ("object", "array", "diff", "text")


def _nothing() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, kw_only=True)
class Options:
    """How an expectation is compiled and matched. Every field can be given to `validate` and `compile` by name.

    Attributes:
        data: Variables for placeholders and expressions.
        input: The input of the case, also looked up by placeholders (it wins over `data`).
        fixture: What expressions and operators see as `fixture`; the input where it is not given.
        strict: `True`, `False`, `"object"` (no surplus keys), `"array"` (no surplus items), `"diff"` (every item of a
            white-list must occur), `"text"` (texts are equal, not contained), or a list of these names.
        scoring: Carried for callers (a runner decides by it); it changes nothing here.
        max_score: The number of points that a weight above 1 is a part of.
        pass_score: Points of `max_score` (of 100, where that is not given) that the root must reach, where it has no
            threshold of its own. Less than one point of many is warned of.
        unassigned_weight: The budget shared by siblings without a weight, when the explicit ones would use up all.
        auto_confidence: Weights below 1 are fractions, above 1 points; `False`: all are points; `"force"`: fractions.
        heuristic_schema: Take a mapping that looks like a JSON Schema for one.
        templates: Render placeholders; or the template engine to use instead of the installed one.
        diff: A diff instead of the containment test for every plain text: `True`, a type, a white-list,
            `{type, items, permissive}`, or a function.
        diff_permissive: Whether white-lists without a word of their own allow unlisted changes.
        diff_baseline: The text that `$diff` without `value` compares with.
        operators: Custom operators: a mapping of names to functions, operators or references, or a list of them.
        allow_operator_override: Whether a custom operator may replace a built-in one.
        base_dir: The folder that relative references (operators, local `$ref`) start from.
        threshold: What a number returned by an operator, function or expression must reach (0 to 1).
        regex_timeout: Seconds that one regex search may take.
        max_depth: How deeply expectations, and values where they are walked, may be nested.
        expression_limits: Bounds for `$expr`: a mapping with any of `steps, size, number_bits, depth, seconds`.

    Raises:
        TypeError: An unknown option (the nearest name is in the message), or a value of the wrong type.
        ValueError: A value out of its range.

    Example:
        >>> import matchex
        >>> options = matchex.Options(strict="object", data={"limit": 5})
        >>> matchex.validate({"a": 1, "b": 2}, {"a": 1}, options=options).passed
        False
    """

    data: Mapping[str, Any] = field(default_factory=_nothing)
    input: Any = None
    fixture: Any = None
    strict: bool | str | Sequence[str] = False
    scoring: bool | str | None = None
    max_score: float | None = None
    pass_score: float | None = None
    unassigned_weight: float = 0.1
    auto_confidence: bool | str = True
    heuristic_schema: bool = True
    templates: Any = True
    diff: Any = None
    diff_permissive: bool | None = None
    diff_baseline: str | None = None
    operators: Any = None
    allow_operator_override: bool = False
    base_dir: str | Path | None = None
    threshold: float = 0.5
    regex_timeout: float = 1.0
    max_depth: int = 100
    expression_limits: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        _check_strict(self.strict)
        for name in ("max_score", "pass_score", "unassigned_weight", "threshold", "regex_timeout", "max_depth"):
            _check_number(name, getattr(self, name), optional=name in ("max_score", "pass_score"))
        if self.regex_timeout <= 0 or self.max_depth < 1:
            raise ValueError("regex_timeout and max_depth must be positive")
        if self.max_score is not None and self.max_score <= 0:
            raise ValueError(f"max_score must be positive, not {self.max_score}")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must lie between 0 and 1, not {self.threshold}")
        if self.root_threshold is not None and not 0 <= self.root_threshold <= 1:
            most = 100 if self.max_score is None else self.max_score
            raise ValueError(f"pass_score must lie between 0 and max_score ({most:g}), not {self.pass_score}")
        self._doubt_pass_score()
        for name in ("heuristic_schema", "allow_operator_override"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if not isinstance(cast("object", self.max_depth), int):
            raise TypeError(f"max_depth must be a whole number, not {self.max_depth!r}")
        _check_kinds(self)
        if self.auto_confidence not in (True, False, "force"):
            raise ValueError(f"auto_confidence must be True, False or 'force', not {self.auto_confidence!r}")
        check_data(self.data)

    def _doubt_pass_score(self) -> None:
        """Warn of a pass mark that is nearly nothing, where a share of the points was probably meant."""
        most = 100 if self.max_score is None else self.max_score
        if self.pass_score is not None and 0 < self.pass_score < 1 < most:
            warnings.warn(
                f"pass_score counts points: {self.pass_score:g} of {most:g} pass; {self.pass_score:.0%} of them is "
                f"pass_score={self.pass_score * most:g}",
                stacklevel=_levels_to_the_caller(),
            )

    def is_strict(self, name: str) -> bool:
        """Whether strictness of the given kind (one of `object array diff text`) is on."""
        strict = self.strict
        return (
            strict if isinstance(strict, bool) else strict == name or (not isinstance(strict, str) and name in strict)
        )

    @property
    def root_threshold(self) -> float | None:
        """The threshold of a root that has none of its own, or None."""
        if self.pass_score is None:
            return None
        return self.pass_score / (100.0 if self.max_score is None else self.max_score)

    @functools.cached_property
    def limits_of_expressions(self) -> ExpressionLimits:
        """The bounds of `$expr`."""
        return ExpressionLimits(**cast("Mapping[str, Any]", self.expression_limits or {}))

    @classmethod
    def build(cls, base: Options | None, changes: Mapping[str, Any]) -> Options:
        """`base` (or the defaults) with `changes` laid over it."""
        if not changes:
            return base if base is not None else _DEFAULTS
        unknown = [name for name in changes if name not in _NAMES]
        if unknown:
            guess = nearest(unknown[0], _NAMES)
            hint = f"; did you mean {guess!r}?" if guess else f"; known options: {', '.join(_NAMES)}"
            raise TypeError(f"unknown option {unknown[0]!r}{hint}")
        return cls(**changes) if base is None else dataclasses.replace(base, **changes)


def _levels_to_the_caller() -> int:
    """The `stacklevel` of a warning for the line that called matchex."""
    level, frame = 1, sys._getframe(1)  # pyright: ignore[reportPrivateUsage] (the one way, documented in `sys`)
    while frame is not None and f"{frame.f_globals.get('__name__')}.".startswith("matchex."):
        level, frame = level + 1, frame.f_back
    return level


def _check_kinds(options: Options) -> None:
    kinds: dict[str, tuple[tuple[type, ...], str]] = {
        "diff_permissive": ((bool,), "True or False"),
        "diff_baseline": ((str,), "a text"),
        "base_dir": ((str, Path), "a folder"),
        "expression_limits": ((Mapping,), "a mapping of limits"),
    }
    for name, (types, words) in kinds.items():
        value = getattr(options, name)
        if value is not None and not isinstance(value, types):
            raise TypeError(f"{name} must be {words}, not {value!r}")


def check_data(data: object) -> None:
    """Refuse variables that have no names."""
    if not isinstance(data, Mapping):
        raise TypeError(f"data must be a mapping of names to values, not {type(data).__name__}")


def _check_strict(strict: object) -> None:
    names = [strict] if isinstance(strict, str) else strict
    if isinstance(names, bool):
        return
    if not isinstance(names, Sequence) or any(name not in STRICT_NAMES for name in cast("Sequence[object]", names)):
        raise ValueError(f"strict must be True, False, or some of {', '.join(STRICT_NAMES)}; not {strict!r}")


def _check_number(name: str, value: object, *, optional: bool) -> None:
    if value is None and optional:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, not {value!r}")
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"{name} must be finite, not {value!r}")


_NAMES: Final = tuple(option.name for option in dataclasses.fields(Options))
_DEFAULTS: Final = Options()
