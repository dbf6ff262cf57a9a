"""A case made ready: everything rendered, every expectation compiled, before a model call is spent on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import matchex
from aitestrunner._blocks import KEY_OF, Block, BlockCompiler
from aitestrunner._case_assertions import expectation_of_case
from aitestrunner._case_oracles import CaseOracles, oracles_of_case
from aitestrunner._errors import AITestError
from aitestrunner._executors import AIExecutionContext
from aitestrunner._expectations import has_weights
from aitestrunner._keys import KEYS, SIMPLE_KEYS, is_templated
from aitestrunner._log import AITestIssue
from aitestrunner._operators import written_operators
from aitestrunner._options import RunOptions
from aitestrunner._positions import Place, Position
from aitestrunner._references import CodeError
from aitestrunner._rules import RULE_DEFAULTS
from aitestrunner._settings import Settings
from aitestrunner._templates import Renderer, copied
from aitestrunner._tools import ToolsError, offered_tools
from aitestrunner._turn_checks import TurnChecks
from aitestrunner._turns import read_turns
from aitestrunner._variables import variables_of, without_null_fields
from matchex import MISSING

__all__ = ["NotReady", "Ready", "make_ready"]


class NotReady(AITestError):
    """A case that cannot run: what is wrong with it."""

    def __init__(self, issues: list[AITestIssue]) -> None:
        super().__init__("; ".join(str(issue) for issue in issues))
        self.issues = issues


@dataclass(slots=True, kw_only=True)
class Ready:
    """A case that can run."""

    settings: Settings
    context: AIExecutionContext
    args: Mapping[str, Any]
    input: Any
    blocks: list[Block]
    title: str | None
    script: str | None
    fixture: Mapping[str, Any] = field(default_factory=dict[str, Any])
    turns: TurnChecks | None = None
    oracles: CaseOracles | None = None
    scoring: bool = False
    max_score: float = 100.0
    pass_score: float = 100.0

    def locate(self, block: str, place: Place) -> Position | None:
        """Where what stands at `place` in the expectation of a block was written."""
        return self.settings.locate(KEY_OF[block], place)


def make_ready(settings: Settings, options: RunOptions, operators: Mapping[str, Any], case_id: str) -> Ready:
    """Render and compile a case.

    Args:
        settings: What holds for it.
        options: The options of the run.
        operators: The operators of the run and of the case's file.
        case_id: Its id.

    Raises:
        NotReady: Something in it is wrong; all that was found.
    """
    return _Preparation(settings, options, operators, case_id).ready()


class _Preparation:
    def __init__(self, settings: Settings, options: RunOptions, operators: Mapping[str, Any], case_id: str) -> None:
        self._settings = settings
        self._options = options
        self._case_id = case_id
        self._operators = operators
        self._issues: list[AITestIssue] = []
        self._variables = variables_of(settings, options)
        self._renderer = Renderer(self._variables, enabled=settings.templates is not False)

    def ready(self) -> Ready:
        settings = self._settings = self._with_rules_rendered()
        self._load_case_operators()
        title = self._data("title", settings.title)
        script, tools = self._script_and_tools()
        rendered = self._rendered_expectations()
        args = self._args(tools, rendered)
        if self._issues:
            raise NotReady(self._issues)
        blocks = self._compiled(rendered)
        turns = self._turns()
        oracles, problems = oracles_of_case(settings, self._options, self._renderer, args, rendered)
        self._issues += problems
        checked = bool(blocks) or oracles is not None or (turns is not None and turns.exist)
        if not checked and not self._issues and settings.rules.allow_unchecked is not True:
            self._issue(
                "unchecked",
                "the case checks nothing: give it `output`, `outputSchema` or `expect` (or `allowUnchecked: true`)",
                settings.case.position(),
            )
        if self._issues:
            raise NotReady(self._issues)
        return Ready(
            settings=settings,
            # The executor may write into what it gets; what is checked and logged stays as it was.
            context=AIExecutionContext(script, copied(args), dict(self._options.user_config), self._case_id),
            args=args,
            input=without_null_fields(args.get("input")),
            blocks=blocks,
            title=None if title is MISSING or title is None else str(title),
            script=script,
            fixture=_as_written(settings),
            turns=turns,
            oracles=oracles,
            **_points(settings, [*blocks, *(turns.blocks if turns else ())]),
        )

    def _turns(self) -> TurnChecks | None:
        """The checks of the turns; what can be known to be wrong with them is an issue now, not after the answers."""
        if self._settings.turns is None:
            return None
        turns, problems = read_turns(self._settings)
        self._issues += [AITestIssue("definition", problem.message, "", problem.position) for problem in problems]
        checks = TurnChecks(turns, self._variables, self._operators, self._options.base_dir)
        self._issues += checks.try_out()
        return checks

    def _issue(self, kind: str, message: str, location: Position | None, cause: BaseException | None = None) -> None:
        self._issues.append(AITestIssue(kind, message, "", location, cause))

    def _load_case_operators(self) -> None:
        own = self._settings.case.operators
        if own is MISSING or own is None:
            return
        in_file = self._settings.case.source is not None and self._settings.case.position() is not None
        base_dir = self._settings.defaults.base_dir or self._options.base_dir
        named = self._data("operators", own)
        if named is MISSING:
            return
        try:
            loaded = written_operators(named, base_dir=base_dir, in_file=in_file, allow_code=self._options.allow_code)
            self._operators = {**self._operators, **loaded}
        except CodeError as error:
            self._issue("operators", str(error), self._settings.locate("operators"), error)

    def _data(self, name: str, value: Any, *, keep: bool = False) -> Any:
        """A rendered value for the executor or the runner itself; MISSING where that failed and was noted."""
        try:
            return self._renderer.data(value)
        except matchex.MatchexError as error:
            if keep:
                return value
            self._issue("template", f"`{name}`: {error}", self._settings.locate(name), error)
            return MISSING

    def _with_rules_rendered(self) -> Settings:
        """Rules that are written as placeholders become what they stand for, and are checked like written ones."""
        rules, before = self._settings.rules, len(self._issues)
        if rules.final:
            return self._settings
        rendered: dict[str, Any] = {}
        for name, attribute in SIMPLE_KEYS.items():
            written, default = getattr(rules, attribute), RULE_DEFAULTS[attribute]
            value = self._data(name, written) if is_templated(written) else written
            if value is not MISSING and value is not None and not KEYS[name].accepts(value):
                self._issue(
                    "definition", f"`{name}` takes {KEYS[name].takes}; got {value!r:.80}", self._settings.locate(name)
                )
            elif value is not written:  # null clears, as where it is written
                rendered[attribute] = default if value is MISSING or value is None else value
        if rendered:
            return dataclasses.replace(self._settings, rules=dataclasses.replace(rules, **rendered))
        rules.final = len(self._issues) == before
        return self._settings

    def _script_and_tools(self) -> tuple[str | None, Any]:
        settings = self._settings
        name = self._data("script", settings.script)
        script = name if isinstance(name, str) else None
        if settings.tools is None and not is_templated(settings.tool_tester):
            return script, None
        tester = self._data("toolTester", settings.tool_tester)
        tools = self._data("tools", [settings.tools] if is_templated(settings.tools) else settings.tools)
        try:
            offered, script = offered_tools(tools, script, tester or "toolTester")
        except ToolsError as error:
            self._issue("tools", str(error), settings.locate("tools"), error)
            return script, None
        return script, offered

    def _args(self, tools: Any, expectations: Mapping[str, Any]) -> dict[str, Any]:
        from_script = self._options.script_config
        args: dict[str, Any] = {}
        for name, value in self._variables.items():
            # What a script says about itself is full of placeholders for the script's own use.
            rendered = self._data(name, value, keep=name in from_script)
            if rendered is not MISSING:
                args[name] = rendered
        if self._options.expose_expectations:
            args = {**{KEY_OF[name]: expected for name, expected in expectations.items()}, **args}
        if tools is not None:
            args["tools"] = tools
        return args

    def _rendered_expectations(self) -> dict[str, Any]:
        settings = self._settings
        written = {"schema": settings.output_schema, "output": settings.output, "expect": settings.expect}
        if not settings.rules.check_schema:
            written["schema"] = MISSING
        rendered: dict[str, Any] = {}
        for name, expected in written.items():
            if expected is MISSING:
                continue
            try:
                rendered[name] = self._renderer.expectation(expected)
            except matchex.MatchexError as error:
                self._issue("template", f"`{KEY_OF[name]}`: {error}", self._locate_template(name, expected), error)
        asserted, issues = expectation_of_case(settings, self._renderer)
        self._issues += issues
        return rendered if asserted is MISSING else {**rendered, "assertions": asserted}

    def _locate_template(self, name: str, expected: Any) -> Position | None:
        """The first text in an expectation that cannot be rendered."""
        return self._settings.locate(KEY_OF[name], _first_failing(self._renderer, expected))

    def _compiled(self, rendered: Mapping[str, Any]) -> list[Block]:
        compiler = BlockCompiler(self._settings, self._operators, self._options.base_dir, rendered)
        blocks = [block for name in rendered if (block := compiler.block(name)) is not None]
        self._issues += compiler.issues
        return blocks


def _points(settings: Settings, blocks: list[Block]) -> dict[str, Any]:
    """Whether points decide, how many there are, and how many pass."""
    rules = settings.rules
    scoring = rules.scoring
    if scoring == "auto":
        scoring = any(has_weights(block.expected) for block in blocks if block.name != "schema")
    max_score, pass_score = float(rules.max_score), rules.pass_score
    if isinstance(pass_score, str):
        pass_score = float(pass_score.rstrip("%")) / 100 * max_score
    return {
        "scoring": bool(scoring),
        "max_score": max_score,
        "pass_score": max_score if pass_score is None else float(pass_score),
    }


def _as_written(settings: Settings) -> Mapping[str, Any]:
    """The case as its author wrote it: what expressions and operators see as `fixture`."""
    source = settings.case.source
    return cast("Mapping[str, Any]", source.value) if source is not None else dict(settings.case.vars)


def _first_failing(renderer: Renderer, expected: Any, path: tuple[str | int, ...] = ()) -> tuple[str | int, ...]:
    """The path of the innermost part of an expectation that cannot be rendered."""
    if isinstance(expected, Mapping):
        children: list[tuple[str | int, Any]] = list(cast("Mapping[str, Any]", expected).items())
    elif isinstance(expected, list):
        children = list(enumerate(cast("list[Any]", expected)))
    else:
        return path
    for key, child in children:
        try:
            renderer.expectation(child)
        except matchex.MatchexError:
            return _first_failing(renderer, child, (*path, key))
    return path
