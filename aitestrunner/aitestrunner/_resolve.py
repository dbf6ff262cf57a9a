"""A case made ready: everything rendered, every expectation compiled, before a model call is spent on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from matchex.plugin import parse_path

import matchex
from aitestrunner._errors import AITestError
from aitestrunner._executors import AIExecutionContext
from aitestrunner._expectations import for_result, has_weights, is_for_data, mentions_critical, schema_admits_text
from aitestrunner._keys import KEYS, is_templated
from aitestrunner._log import AITestIssue
from aitestrunner._operators import load_operators
from aitestrunner._options import RunOptions
from aitestrunner._positions import Place, Position
from aitestrunner._references import CodeError
from aitestrunner._settings import Settings
from aitestrunner._templates import Renderer
from aitestrunner._tools import ToolsError, offered_tools
from aitestrunner._variables import expected_variables, variables_of, without_null_fields
from matchex import MISSING

__all__ = ["Block", "NotReady", "Ready", "make_ready"]

_KEY_OF: Final = {"schema": "outputSchema", "output": "output", "expect": "expect"}


class NotReady(AITestError):
    """A case that cannot run: what is wrong with it."""

    def __init__(self, issues: list[AITestIssue]) -> None:
        super().__init__("; ".join(str(issue) for issue in issues))
        self.issues = issues


@dataclass(slots=True)
class Block:
    """One independent check of a case: the schema, the output, or the whole result.

    Args:
        name: `schema`, `output` or `expect`.
        expected: The rendered expectation, as it is checked and logged.
        matcher: The same, compiled.
        when_text: The same for an answer that is text and should have been JSON: it explains why it is none.
        when_silent: The same for a result without messages, where it asks about tool calls.
        reads_json: `always`, `never`, or `auto`: a text answer is read as JSON if it is some.
        critical: Whether some node of it may be critical.
    """

    name: str
    expected: Any
    matcher: matchex.Matcher
    when_text: matchex.Matcher | None = None
    when_silent: matchex.Matcher | None = None
    reads_json: str = "never"
    critical: bool = False


@dataclass(slots=True, kw_only=True)
class Ready:
    """A case that can run."""

    settings: Settings
    context: AIExecutionContext
    input: Any
    blocks: list[Block]
    title: str | None
    script: str | None
    tools: Any
    fixture: Mapping[str, Any] = field(default_factory=dict[str, Any])
    scoring: bool = False
    max_score: float = 100.0
    pass_score: float = 100.0

    def locate(self, block: str, place: Place) -> Position | None:
        """Where what stands at `place` in the expectation of a block was written."""
        return self.settings.locate(_KEY_OF[block], place)


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
        self._operators = dict(operators)
        self._issues: list[AITestIssue] = []
        self._variables = variables_of(settings, options)
        self._renderer = Renderer(self._variables, enabled=settings.templates is not False)

    def ready(self) -> Ready:
        settings = self._settings
        self._load_case_operators()
        title = self._data("title", settings.title)
        script, tools = self._script_and_tools()
        args = self._args(tools)
        scores = {
            name: self._number(name, value)
            for name, value in (
                ("maxScore", settings.max_score),
                ("passScore", settings.pass_score),
                ("unassignedWeight", settings.unassigned_weight),
                ("threshold", settings.threshold),
            )
        }
        rendered = self._rendered_expectations()
        if self._issues:
            raise NotReady(self._issues)
        blocks = self._blocks(rendered, scores)
        if not blocks and not self._issues and settings.allow_unchecked is not True:
            self._issue(
                "unchecked",
                "the case checks nothing: give it `output`, `outputSchema` or `expect` (or `allowUnchecked: true`)",
                settings.case.position(),
            )
        if self._issues:
            raise NotReady(self._issues)
        return Ready(
            settings=settings,
            context=AIExecutionContext(script, args, dict(self._options.user_config), self._case_id),
            input=without_null_fields(args.get("input")),
            blocks=blocks,
            title=None if title is MISSING or title is None else str(title),
            script=script,
            tools=tools,
            fixture=_as_written(settings),
            **self._scoring(blocks, scores),
        )

    def _issue(self, kind: str, message: str, location: Position | None, cause: BaseException | None = None) -> None:
        self._issues.append(AITestIssue(kind, message, "", location, cause))

    def _load_case_operators(self) -> None:
        own = self._settings.case.operators
        if own is MISSING or own is None:
            return
        in_file = self._settings.case.source is not None and self._settings.case.position() is not None
        base_dir = self._settings.defaults.base_dir or self._options.base_dir
        try:
            if in_file and not self._options.allow_code:
                raise CodeError("the case names operators in code, which this run does not allow")
            self._operators.update(
                load_operators(self._data("operators", own), base_dir=base_dir, inside=base_dir if in_file else None)
            )
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

    def _number(self, name: str, value: Any) -> Any:
        value = self._data(name, value)
        key = KEYS[name]
        if value is None or value is MISSING or (key.accepts(value) and not is_templated(value)):
            return value
        self._issue("definition", f"`{name}` takes {key.takes}; got {value!r:.80}", self._settings.locate(name))
        return MISSING

    def _script_and_tools(self) -> tuple[str | None, Any]:
        settings = self._settings
        script = self._data("script", settings.script)
        tester = self._data("toolTester", settings.tool_tester)
        tools = self._data("tools", [settings.tools] if is_templated(settings.tools) else settings.tools)
        try:
            offered, script = offered_tools(tools, script or "", tester or "toolTester")
        except ToolsError as error:
            self._issue("tools", str(error), settings.locate("tools"), error)
            return script, None
        return script, offered

    def _args(self, tools: Any) -> dict[str, Any]:
        from_script = self._options.script_config
        args: dict[str, Any] = {}
        for name, value in self._variables.items():
            # What a script says about itself is full of placeholders for the script's own use.
            rendered = self._data(name, value, keep=name in from_script)
            if rendered is not MISSING:
                args[name] = rendered
        if self._options.expose_expectations:
            args = {**expected_variables(self._settings), **args}
        if tools is not None:
            args["tools"] = tools
        return args

    def _rendered_expectations(self) -> dict[str, Any]:
        settings = self._settings
        written = {"schema": settings.output_schema, "output": settings.output, "expect": settings.expect}
        if settings.check_schema is False:
            written["schema"] = MISSING
        rendered: dict[str, Any] = {}
        for name, expected in written.items():
            if expected is MISSING:
                continue
            try:
                rendered[name] = self._renderer.expectation(expected)
            except matchex.MatchexError as error:
                self._issue("template", f"`{_KEY_OF[name]}`: {error}", self._locate_template(name, expected), error)
        return rendered

    def _locate_template(self, name: str, expected: Any) -> Position | None:
        """The first text in an expectation that cannot be rendered."""
        return self._settings.locate(_KEY_OF[name], _first_failing(self._renderer, expected))

    def _blocks(self, rendered: Mapping[str, Any], scores: Mapping[str, Any]) -> list[Block]:
        options = self._match_options(rendered, scores)
        blocks = [self._block(name, expected, options) for name, expected in rendered.items()]
        return [block for block in blocks if block is not None]

    def _match_options(self, rendered: Mapping[str, Any], scores: Mapping[str, Any]) -> dict[str, Any]:
        settings = self._settings
        baseline = rendered.get("output")
        options = {
            "strict": settings.strict,
            "max_score": scores["maxScore"] or None,
            "unassigned_weight": scores["unassignedWeight"],
            "auto_confidence": settings.auto_confidence,
            "threshold": scores["threshold"],
            "heuristic_schema": settings.heuristic_schema,
            "templates": False,  # everything is rendered by now
            "diff": _or_none(settings.case.diff),
            "diff_permissive": _or_none(settings.case.diff_permissive),
            "diff_baseline": baseline if isinstance(baseline, str) else None,
            "operators": self._operators or None,
            "allow_operator_override": settings.allow_operator_override,
            "base_dir": settings.defaults.base_dir or self._options.base_dir,
        }
        return {name: value for name, value in options.items() if value is not None}

    def _block(self, name: str, expected: Any, options: Mapping[str, Any]) -> Block | None:
        asked = {"$schema": expected} if name == "schema" else expected
        if name == "expect":
            asked = for_result(expected, self._settings.output, has_messages=True)
        matcher = self._compile(name, asked, options)
        if matcher is None:
            return None
        block = Block(
            name, expected, matcher, reads_json=self._reads_json(name, expected), critical=mentions_critical(asked)
        )
        if name == "expect" and isinstance(expected, Mapping) and "tools" in expected:
            silent = for_result(cast("Any", expected), self._settings.output, has_messages=False)
            block.when_silent = self._compile(name, silent, options)
        if block.reads_json != "never":
            block.when_text = self._compile(name, {"$json": asked}, options)
        return block

    def _reads_json(self, name: str, expected: Any) -> str:
        parse = self._settings.parse
        if name == "expect" or parse == "none":
            return "never"
        if parse == "json":
            return "always"
        for_data = not schema_admits_text(expected) if name == "schema" else is_for_data(expected)
        return "auto" if for_data else "never"

    def _compile(self, name: str, expected: Any, options: Mapping[str, Any]) -> matchex.Matcher | None:
        try:
            return matchex.compile(expected, **options)
        except matchex.ExpectationError as error:
            for problem in error.problems:
                location = self._settings.locate(_KEY_OF[name], parse_path(problem.path) if problem.path else ())
                where = f"`{_KEY_OF[name]}{_joined(problem.path)}`"
                hint = (
                    f" (did you mean {problem.suggestion}?)"
                    if problem.suggestion and problem.suggestion not in problem.message
                    else ""
                )
                self._issues.append(AITestIssue("definition", f"{where}: {problem.message}{hint}", "", location, error))
        except (TypeError, ValueError) as error:
            self._issue("definition", str(error), self._settings.case.position(), error)
        return None

    def _scoring(self, blocks: list[Block], scores: Mapping[str, Any]) -> dict[str, Any]:
        scoring = self._settings.scoring
        if scoring == "auto":
            scoring = any(has_weights(block.expected) for block in blocks if block.name != "schema")
        max_score = 100.0 if scores["maxScore"] is None else float(scores["maxScore"])
        pass_score = scores["passScore"]
        if pass_score is None:
            pass_score = max_score
        elif isinstance(pass_score, str):
            pass_score = float(pass_score.rstrip("%")) / 100 * max_score
        return {"scoring": bool(scoring), "max_score": max_score, "pass_score": float(pass_score)}


def _or_none(value: Any) -> Any:
    return None if value is MISSING else value


def _joined(path: str) -> str:
    return f".{path}" if path and not path.startswith("[") else path


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
