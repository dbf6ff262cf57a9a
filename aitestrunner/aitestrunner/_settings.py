"""Which value wins: a case's own, its file's, the run's.

The rules, beside the plain order *case, front matter, options of the run*:

* an input that is a mapping is completed by the default's fields at any depth; lists and everything else replace;
* `null` clears a default (`output: null` alone is an expectation: the answer must be null);
* operators of the case, the file and the run add up, by name;
* `id not only skip diff diffPermissive turns` belong to a case and have no default.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from aitestrunner._cases import AITestFixture, Defaults
from aitestrunner._keys import KEYS, snake_case
from aitestrunner._merge import given, with_defaults
from aitestrunner._options import RunOptions
from aitestrunner._positions import Place, Position
from aitestrunner._records import record_of
from aitestrunner._rules import RULE_DEFAULTS, Rules
from matchex import MISSING

__all__ = ["Settings", "Settler", "with_run_defaults"]

_OF_RUNS: Final[Mapping[str, Any]] = {"min_pass_rate": 1.0, "repeat": 1, "templates": True, "timeout": None}
_BUILT_IN: Final[Mapping[str, Any]] = {**RULE_DEFAULTS, **_OF_RUNS}
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
    own, base = file.settings, run.settings
    merged = {
        entry.name: getattr(own, entry.name) if getattr(own, entry.name) is not MISSING else getattr(base, entry.name)
        for entry in dataclasses.fields(AITestFixture)
    }
    merged["input"] = with_defaults(own.input, base.input)
    merged["output_schema"] = with_defaults(own.output_schema, base.output_schema)
    merged["vars"] = {**base.vars, **own.vars}
    return Defaults(AITestFixture(**merged), file.node, file.base_dir or run.base_dir)


@dataclass(kw_only=True)  # without slots, for `record_of`
class Settings:
    """What holds for one case. MISSING and None mean that there is none, but for `output`."""

    case: AITestFixture
    defaults: Defaults
    rules: Rules
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
    timeout: Any
    repeat: Any
    min_pass_rate: Any
    templates: Any

    def locate(self, name: str, path: Place = ()) -> Position | None:
        """Where the value of a key (as in files) or variable, or what stands at `path` in it, was written."""
        for fixture, node in ((self.case, self.case.source), (self.defaults.settings, self.defaults.node)):
            if node is None or not _says(fixture, name):
                continue
            return node.locate((name, *path) if name in node.fields else ("vars", name, *path))
        return self.case.position()


_WHOLE: Final[Mapping[str, Any]] = {**_OF_RUNS, **_OF_FILES}
"""Settings whose value is one person's word: they are not merged from several."""
_MOST_VARIED: Final = 256
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})


class Settler:
    """Finds out what holds for the cases of a run. What the cases of one file share is found once.

    Args:
        options: The options of the run.
        script: The script that runs where nobody names one.
    """

    def __init__(self, options: RunOptions, script: str | None) -> None:
        self._options = options
        self._script = script
        checks = options.user_config.get("checkSchema")
        self._imposed = {} if checks is None else {"check_schema": checks}  # on cases too that say otherwise
        self._shared: dict[int, tuple[Defaults, Rules, dict[str, Any]]] = {}
        self._varied: dict[tuple[Any, ...], Rules] = {}

    def settle(self, case: AITestFixture, defaults: Defaults) -> Settings:
        """What holds for a case."""
        rules, silent = self._where_silent(defaults)
        base, fields, own = defaults.settings, silent.copy(), dict[str, Any]()
        for name, value in _given_by(case):
            if value is MISSING:
                continue
            if name in _WHOLE:
                fields[name] = _WHOLE[name] if value is None else value
            elif name in RULE_DEFAULTS:
                own[name] = RULE_DEFAULTS[name] if value is None else value
        fields["script"] = fields["script"] or self._script
        fields["case"] = case
        fields["defaults"] = defaults
        fields["rules"] = self._changed(rules, own) if own else rules
        fields["input"] = with_defaults(case.input, base.input)
        fields["output"] = case.output if case.output is not MISSING else base.output
        fields["output_schema"] = _schema(case, base, self._options.script_config)
        fields["turns"] = given(case.turns)
        return record_of(Settings, fields)

    def _changed(self, rules: Rules, own: dict[str, Any]) -> Rules:
        """Rules with the changes of a case. Cases of a file that change the same share them."""
        changes = {**own, **self._imposed}
        if any(type(value) not in _PLAIN for value in own.values()):
            return dataclasses.replace(rules, **changes)  # lists and the like may be changed, or be of any kind
        key: tuple[Any, ...] = (id(rules), *((name, type(value), value) for name, value in own.items()))
        found = self._varied.get(key)
        if found is None:
            if len(self._varied) >= _MOST_VARIED:
                self._varied.clear()
            found = self._varied[key] = dataclasses.replace(rules, **changes)
        return found

    def _where_silent(self, defaults: Defaults) -> tuple[Rules, dict[str, Any]]:
        """Rules and whole settings where a case says nothing. The defaults are kept, so that their id stays theirs."""
        found = self._shared.get(id(defaults))
        if found is None:
            base = defaults.settings
            rules = Rules(**{**{name: _simple(name, base, self._options) for name in RULE_DEFAULTS}, **self._imposed})
            whole = {name: _simple(name, base, self._options) for name in _OF_RUNS}
            whole |= {name: given(getattr(base, name), default=_OF_FILES[name]) for name in _OF_FILES}
            found = self._shared[id(defaults)] = defaults, rules, whole
        return found[1:]


def _given_by(case: AITestFixture) -> Iterable[tuple[str, Any]]:
    """The fields of a case by name; of one that was read from a file, only those that are given."""
    if type(case) is AITestFixture:
        return vars(case).items()
    return [(entry.name, getattr(case, entry.name)) for entry in dataclasses.fields(case)]


def _simple(name: str, base: AITestFixture, options: RunOptions) -> Any:
    """The value of a setting of a simple form where a case says nothing."""
    for value in (
        MISSING if name in _OF_CASES else getattr(base, name),
        options.user_config.get(_OF_USERS[name], MISSING) if name in _OF_USERS else MISSING,
        getattr(options, name, MISSING),
    ):
        if value is not MISSING:
            return _BUILT_IN[name] if value is None else value
    return _BUILT_IN[name]


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
