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
from typing import Any, cast

from aitestrunner._cases import AITestFixture, Defaults
from aitestrunner._keys import KEYS, snake_case
from aitestrunner._merge import given, with_defaults
from aitestrunner._options import RunOptions
from aitestrunner._positions import Place, Position
from matchex import MISSING

__all__ = ["Settings", "settle", "with_run_defaults"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What holds for one case. MISSING and None mean that there is none, but for `output`."""

    case: AITestFixture
    defaults: Defaults
    title: Any
    input: Any
    output: Any
    output_schema: Any
    expect: Any
    script: Any
    tools: Any
    tool_tester: Any
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


def settle(case: AITestFixture, defaults: Defaults, options: RunOptions, script: str | None) -> Settings:
    """Find out what holds for a case."""
    base, user = defaults.settings, options.user_config
    checked = (user.get("checkSchema"), given(case.check_schema, base.check_schema))
    plain_compare = (
        case.disable_heuristic_schema,
        base.disable_heuristic_schema,
        user.get("disableHeuristicSchema", MISSING),
        options.disable_heuristic_schema,
    )
    return Settings(
        case=case,
        defaults=defaults,
        title=given(case.title, base.title),
        input=with_defaults(case.input, base.input),
        output=case.output if case.output is not MISSING else base.output,
        output_schema=_schema(case, base, options.script_config),
        expect=given(case.expect, base.expect, default=MISSING),
        script=given(case.script, base.script) or script,
        tools=given(case.tools, base.tools),
        tool_tester=given(case.tool_tester, base.tool_tester) or "toolTester",
        check_schema=next((flag for flag in checked if flag is not None), True),
        strict=given(case.strict, base.strict, user.get("strict", MISSING), options.strict, default=False),
        disable_heuristic_schema=given(*plain_compare, default=False),
        allow_operator_override=given(
            case.allow_operator_override, base.allow_operator_override, options.allow_operator_override, default=False
        ),
        scoring=given(case.scoring, base.scoring, options.scoring, default=False),
        max_score=given(case.max_score, base.max_score, options.max_score, default=100),
        pass_score=given(case.pass_score, base.pass_score, options.pass_score),
        unassigned_weight=given(case.unassigned_weight, base.unassigned_weight, options.unassigned_weight, default=0.1),
        auto_confidence=given(case.auto_confidence, base.auto_confidence, options.auto_confidence, default=True),
        threshold=given(case.threshold, base.threshold, options.threshold, default=0.5),
        parse=given(case.parse, base.parse, default="auto"),
        templates=given(case.templates, base.templates, default=True),
        allow_unchecked=given(case.allow_unchecked, base.allow_unchecked, default=False),
        not_=given(case.not_, default=False),
        diff=given(case.diff),
        diff_permissive=given(case.diff_permissive),
    )


def _says(fixture: AITestFixture, name: str) -> bool:
    """Whether a case, or front matter, itself gives a key or variable. A row may have a column of a key's name."""
    if name in KEYS and name != "vars":
        return getattr(fixture, snake_case(name)) is not MISSING
    return name in fixture.vars


def _schema(case: AITestFixture, base: AITestFixture, script_config: Mapping[str, Any]) -> Any:
    """The case's schema, completed by the file's and then by what the script says about its output; null clears."""
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
