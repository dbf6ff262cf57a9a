"""Which value wins: a case's own, its file's, the run's.

The rules, beside the plain order *case, front matter, options of the run*:

* an input that is a mapping is completed by the default's fields at any depth; lists and everything else replace;
* `null` clears a default (`output: null` alone is an expectation: the answer must be null);
* operators of the case, the file and the run add up, by name;
* `id not only skip diff diffPermissive` belong to a case and have no default.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, cast

from aitestrunner._cases import AITestFixture, Defaults
from aitestrunner._keys import KEYS, snake_case
from aitestrunner._merge import given, with_defaults
from aitestrunner._options import RunOptions
from aitestrunner._positions import Place, Position
from matchex import MISSING

__all__ = ["BUILT_IN", "Settings", "Settler", "settle", "with_run_defaults"]

BUILT_IN: Final[Mapping[str, Any]] = {
    "allow_operator_override": False,
    "allow_unchecked": False,
    "auto_confidence": True,
    "check_schema": True,
    "diff": None,
    "diff_permissive": None,
    "disable_heuristic_schema": False,
    "max_score": 100,
    "min_pass_rate": 1.0,
    "not_": False,
    "parse": "auto",
    "pass_score": None,
    "repeat": 1,
    "scoring": False,
    "strict": False,
    "templates": True,
    "threshold": 0.5,
    "timeout": None,
    "unassigned_weight": 0.1,
}
"""What holds where nobody says anything."""

_OF_FILES: Final[Mapping[str, Any]] = {
    "assertions": None,
    "driver": None,
    "executor": None,
    "expect": MISSING,
    "max_rounds": 10,
    "oracles": None,
    "scoring_weights": None,
    "script": None,
    "title": None,
    "tool_results": None,
    "tool_tester": "toolTester",
    "tools": None,
}
"""What holds where neither the case nor its file says anything; the run has no word in it."""

_OF_CASES: Final = frozenset({"diff", "diff_permissive", "not_"})
_OF_USERS: Final = {"disable_heuristic_schema": "disableHeuristicSchema", "strict": "strict"}


def with_run_defaults(file: Defaults, run: Defaults) -> Defaults:
    """The front matter of a file, completed by the `fixture_config` of the run."""
    if run.node is None or not run.node.value:
        return file
    if file.node is None:
        return Defaults(run.settings, None, file.base_dir or run.base_dir)
    own, base = file.settings, run.settings
    merged = {
        entry.name: getattr(own, entry.name) if getattr(own, entry.name) is not MISSING else getattr(base, entry.name)
        for entry in dataclasses.fields(AITestFixture)
    }
    merged["input"] = with_defaults(own.input, base.input)
    merged["output_schema"] = with_defaults(own.output_schema, base.output_schema)
    merged["vars"] = {**base.vars, **own.vars}
    return Defaults(AITestFixture(**merged), file.node, file.base_dir or run.base_dir)


@dataclass(slots=True, kw_only=True)  # not frozen: that makes one of so many fields twice as slow
class Settings:
    """What holds for one case. MISSING and None mean that there is none, but for `output`."""

    case: AITestFixture
    defaults: Defaults
    title: Any
    input: Any
    output: Any
    output_schema: Any
    expect: Any
    driver: Any
    assertions: Any
    oracles: Any
    scoring_weights: Any
    script: Any
    executor: Any
    tools: Any
    tool_tester: Any
    turns: Any
    tool_results: Any
    max_rounds: Any
    check_schema: Any
    strict: Any
    disable_heuristic_schema: Any
    allow_operator_override: Any
    scoring: Any
    max_score: Any
    pass_score: Any
    unassigned_weight: Any
    auto_confidence: Any
    threshold: Any
    timeout: Any
    repeat: Any
    min_pass_rate: Any
    parse: Any
    templates: Any
    allow_unchecked: Any
    not_: Any
    diff: Any
    diff_permissive: Any

    def locate(self, name: str, path: Place = ()) -> Position | None:
        """Where the value of a key (as in files) or variable, or what stands at `path` in it, was written."""
        for fixture, node in ((self.case, self.case.source), (self.defaults.settings, self.defaults.node)):
            if node is None or not _says(fixture, name):
                continue
            return node.locate((name, *path) if name in node.fields else ("vars", name, *path))
        return self.case.position()


_FALLBACK: Final[Mapping[str, Any]] = {**BUILT_IN, **_OF_FILES}
_WHOLE: Final = tuple(_FALLBACK)
"""Settings whose value is one person's word: they are not merged from several."""
_whole_of: Final = attrgetter(*_WHOLE)


class Settler:
    """Finds out what holds for the cases of a run. What the cases of one file share is found once.

    Args:
        options: The options of the run.
        script: The script that runs where nobody names one.
    """

    def __init__(self, options: RunOptions, script: str | None) -> None:
        self._options = options
        self._script = script
        self._shared: dict[int, tuple[Defaults, dict[str, Any]]] = {}

    def settle(self, case: AITestFixture, defaults: Defaults) -> Settings:
        """What holds for a case."""
        whole = self._where_silent(defaults).copy()
        for name, value in zip(_WHOLE, _whole_of(case), strict=True):
            if value is not MISSING:
                whole[name] = _FALLBACK[name] if value is None else value
        whole["script"] = whole["script"] or self._script
        if self._options.user_config.get("checkSchema") is not None:
            whole["check_schema"] = self._options.user_config["checkSchema"]
        base = defaults.settings
        return Settings(
            case=case,
            defaults=defaults,
            input=with_defaults(case.input, base.input),
            output=case.output if case.output is not MISSING else base.output,
            output_schema=_schema(case, base, self._options.script_config),
            turns=given(case.turns),
            **whole,
        )

    def _where_silent(self, defaults: Defaults) -> dict[str, Any]:
        """Whole settings where a case says nothing. The defaults are kept, so that their id stays theirs."""
        found = self._shared.get(id(defaults))
        if found is None:
            base = defaults.settings
            whole = {name: _simple(name, base, self._options) for name in BUILT_IN}
            whole |= {name: given(getattr(base, name), default=_OF_FILES[name]) for name in _OF_FILES}
            found = self._shared[id(defaults)] = defaults, whole
        return found[1]


def settle(case: AITestFixture, defaults: Defaults, options: RunOptions, script: str | None) -> Settings:
    """Find out what holds for one case."""
    return Settler(options, script).settle(case, defaults)


def _simple(name: str, base: AITestFixture, options: RunOptions) -> Any:
    """The value of a setting of a simple form where a case says nothing."""
    for value in (
        MISSING if name in _OF_CASES else getattr(base, name),
        options.user_config.get(_OF_USERS[name], MISSING) if name in _OF_USERS else MISSING,
        getattr(options, name, MISSING),
    ):
        if value is not MISSING:
            return BUILT_IN[name] if value is None else value
    return BUILT_IN[name]


def _says(fixture: AITestFixture, name: str) -> bool:
    """Whether a case, or front matter, itself gives a key or variable. A row may have a column of a key's name."""
    if name in KEYS and name != "vars":
        return getattr(fixture, snake_case(name)) is not MISSING
    return name in fixture.vars


def _schema(case: AITestFixture, base: AITestFixture, script_config: Mapping[str, Any]) -> Any:
    """The case's schema, completed by the file's and then by what the script says about its output; null clears."""
    if case.output_schema is MISSING and base.output_schema is MISSING and not script_config:
        return MISSING
    own = _unwrapped(case.output_schema)
    if own is None:
        return MISSING
    schema = with_defaults(own, _unwrapped(base.output_schema))
    if schema is None:
        return MISSING
    script_output = script_config.get("output", MISSING)
    return with_defaults(schema, script_output if isinstance(script_output, (Mapping, bool)) else MISSING)


def _unwrapped(schema: Any) -> Any:
    """The schema itself, where the tag `!schema` or `!json-schema` made the operator of it."""
    if isinstance(schema, Mapping):
        fields = cast("Mapping[str, Any]", schema)
        if len(fields) == 1 and isinstance(fields.get("$schema"), (Mapping, bool)):
            return fields["$schema"]
    return cast("Any", schema)
