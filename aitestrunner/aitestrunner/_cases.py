"""A case as data, and how one is read from the mapping that a person wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from aitestrunner._errors import FixtureProblem
from aitestrunner._keys import FILE_KEYS, KEYS, SIMPLE_KEYS, Key, is_templated, near_miss, snake_case
from aitestrunner._positions import Node, Place, Position
from aitestrunner._records import record_of
from matchex import MISSING

__all__ = ["AITestFixture", "Defaults", "read_case", "read_defaults"]


@dataclass(frozen=True, kw_only=True)  # without slots, for `record_of`
class AITestFixture:
    """One test case. In files the same keys are written in camelCase (`passScore`, `outputSchema`).

    A field that is not given takes the default of its file or run; `None` clears that default.

    Args:
        title: What the case is about.
        id: A name that stays when cases move.
        tags: Labels to select cases by: a text or a list of texts.
        input: What the executor is given; the fields of a mapping are template variables too.
        output: An expectation for the answer. `None` expects null.
        output_schema: A JSON Schema for the answer.
        expect: An expectation for the whole result.
        driver: `"graph"` where a workflow answers, which is judged by the state that it ends in.
        assertions: What must hold in that state: a list of mappings with `type`.
        oracles: Judges of the answer: a list of mappings with `type` and `config`, or of `OracleEntry`s.
        scoring_weights: What each type of oracle is worth, in place of the weights of `oracles`.
        not_: The case passes when its checks fail.
        allow_unchecked: Accept that the case checks nothing.
        script: What runs, in place of the run's script.
        executor: What answers, where the run names nothing: a name, a reference, or a mapping of `name` and options.
        tools: Tools to offer: `True`, a name, a mapping, or a list of these.
        tool_tester: The script that is given the tools.
        turns: A conversation: a list of mappings with `input` and expectations, keys as in files.
        tool_results: What tools answer: a mapping by tool, a function of name and arguments, or a reference to one.
        max_rounds: How often the executor is asked in one turn.
        strict: `True`, `False`, or some of `object`, `array`, `diff`, `text`.
        check_schema: Whether `output_schema` is checked.
        disable_heuristic_schema: A mapping that looks like a JSON Schema is compared as it is.
        operators: Operators of your own: names to functions or references.
        allow_operator_override: Your operators may replace built-in ones.
        scoring: `True`, `False` or `"auto"`.
        max_score: Points that a perfect answer earns.
        pass_score: Points that pass, or a share like `"70%"`.
        unassigned_weight: What all siblings without a weight share.
        auto_confidence: Whether weights below 1 are shares: `True`, `False` or `"force"`.
        threshold: What a number returned by an operator must reach, 0..1.
        timeout: Seconds in which the executor must answer.
        repeat: How often the case runs.
        min_pass_rate: The share of the runs that must pass, 0..1.
        diff: Texts are compared as wholes, with these changes allowed.
        diff_permissive: Changes that `diff` does not list are allowed.
        parse: `"json"`, `"none"` or `"auto"`.
        templates: Whether `{{name}}` is a placeholder.
        vars: Template variables.
        skip: `True` or a reason: the case does not run.
        only: Nothing but the cases with `only` runs.
        source: Where the case was written, when it came from a file.

    Example:
        >>> from aitestrunner import AITestFixture
        >>> AITestFixture(input="2 + 2", output="/^4$/").output
        '/^4$/'
    """

    title: Any = MISSING
    id: Any = MISSING
    tags: Any = MISSING
    input: Any = MISSING
    output: Any = MISSING
    output_schema: Any = MISSING
    expect: Any = MISSING
    driver: Any = MISSING
    assertions: Any = MISSING
    oracles: Any = MISSING
    scoring_weights: Any = MISSING
    not_: Any = MISSING
    allow_unchecked: Any = MISSING
    script: Any = MISSING
    executor: Any = MISSING
    tools: Any = MISSING
    tool_tester: Any = MISSING
    turns: Any = MISSING
    tool_results: Any = MISSING
    max_rounds: Any = MISSING
    strict: Any = MISSING
    check_schema: Any = MISSING
    disable_heuristic_schema: Any = MISSING
    operators: Any = MISSING
    allow_operator_override: Any = MISSING
    scoring: Any = MISSING
    max_score: Any = MISSING
    pass_score: Any = MISSING
    unassigned_weight: Any = MISSING
    auto_confidence: Any = MISSING
    threshold: Any = MISSING
    timeout: Any = MISSING
    repeat: Any = MISSING
    min_pass_rate: Any = MISSING
    diff: Any = MISSING
    diff_permissive: Any = MISSING
    parse: Any = MISSING
    templates: Any = MISSING
    vars: Mapping[str, Any] = field(default_factory=dict[str, Any])
    skip: Any = MISSING
    only: Any = MISSING
    source: Node | None = None

    def position(self, path: Place = ()) -> Position | None:
        """Where the case, or what stands at `path` in it (keys as in files), was written.

        Example:
            >>> from aitestrunner import AITestFixture
            >>> AITestFixture(input="made in Python").position() is None
            True
        """
        return self.source.locate(path) if self.source else None


@dataclass(frozen=True, slots=True)
class Defaults:
    """What the cases of a file, or of a run, take where they say nothing themselves."""

    settings: AITestFixture = field(default_factory=AITestFixture)
    node: Node | None = None
    base_dir: str | None = None

    def position(self, path: Place = ()) -> Position | None:
        """Where the default at `path` was written."""
        return self.node.locate(path) if self.node else None


_FIELDS: Final = {name: snake_case(name) for name in KEYS}


def read_case(node: Node) -> tuple[AITestFixture, list[FixtureProblem]]:
    """Read one case; what is wrong with it comes back as problems beside what could be read."""
    reader = _Reader(node, "a case")
    return reader.read(), reader.problems


def read_defaults(node: Node, *, in_file: bool = True) -> tuple[AITestFixture, list[FixtureProblem]]:
    """Read front matter (or the `fixture_config` of a run), whose keys are defaults for cases.

    In a file, keys that mean something in a case alone are problems; in `fixture_config` they are left aside.
    """
    reader = _Reader(node, "front matter", defaults=True, in_file=in_file)
    return reader.read(), reader.problems


class _Reader:
    def __init__(self, node: Node, what: str, *, defaults: bool = False, in_file: bool = True) -> None:
        self._node = node
        self._what = what
        self._defaults = defaults
        self._in_file = in_file
        self.problems: list[FixtureProblem] = []

    def read(self) -> AITestFixture:
        value = self._node.value
        if not isinstance(value, Mapping):
            self._problem(
                (), f"{self._what} is a mapping of keys to values, like `input: …` and `output: …`; got {value!r:.80}"
            )
            return AITestFixture(source=self._node)
        fields: dict[str, Any] = {"source": self._node}
        variables: dict[str, Any] = {}
        for name, content in cast("Mapping[Any, Any]", value).items():
            key = KEYS.get(name)
            if key is None:
                if self._is_variable(name):
                    variables[name] = content
            elif self._is_setting(name, key, content):
                fields[_FIELDS[name]] = content
        variables.update(fields.get("vars") or {})
        fields["vars"] = variables
        return record_of(AITestFixture, fields)

    def _is_setting(self, name: str, key: Key, content: Any) -> bool:
        if self._defaults and key.own:
            if self._in_file:
                self._problem((name,), f"`{name}` belongs to a case; as a default for all cases it has no effect")
            return False
        if (
            content is None
            or key.accepts(content)
            or (is_templated(content) and (name in SIMPLE_KEYS or name == "outputSchema"))
        ):
            return True
        self._problem((name,), f"`{name}` takes {key.takes}; got {_shown(content)}{_hint(name, content)}")
        return False

    def _is_variable(self, name: Any) -> bool:
        if not isinstance(name, str):
            self._problem((), f"a key is a text; got {name!r}")
            return False
        if name in FILE_KEYS and self._defaults:
            return False
        if name == "<<":
            self._problem((name,), "merge keys (`<<`) are not part of YAML 1.2; put what cases share into front matter")
            return False
        meant = near_miss(name)
        if meant is None:
            return True
        if meant == name:
            self._problem((name,), f"`{name}` belongs to front matter, or beside the defaults of a file, not to a case")
        else:
            self._problem(
                (name,),
                f"unknown key `{name}`; did you mean `{meant}`? (If `{name}` is a template variable of yours, put it "
                f"under `vars:`)",
            )
        return False

    def _problem(self, path: Place, message: str) -> None:
        self.problems.append(FixtureProblem(message, self._node.locate(path)))


def _shown(value: Any) -> str:
    shown = "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "…"


def _hint(name: str, value: Any) -> str:
    if isinstance(value, dict) and len(cast("dict[Any, Any]", value)) == 1 and name in ("title", "script", "id"):
        return ' (a text that begins with `{{` needs quotes: "{{name}}")'
    if isinstance(value, str) and value.lower() in ("yes", "no", "on", "off"):
        return f" (YAML 1.2: write {'true' if value.lower() in ('yes', 'on') else 'false'})"
    return ""
