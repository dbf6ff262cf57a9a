"""The checks of a case, compiled: one block each for its schema, its output and the whole result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal

from matchex.plugin import parse_path

import matchex
from aitestrunner._expectations import (
    for_result,
    is_for_data,
    may_be_for_data,
    mentions_critical,
    mentions_dimension,
    schema_admits_text,
)
from aitestrunner._log import AITestIssue
from aitestrunner._settings import Settings
from aitestrunner._tools import ToolsError

__all__ = ["KEY_OF", "Block", "BlockCompiler"]

KEY_OF: Final = {"schema": "outputSchema", "output": "output", "expect": "expect", "assertions": "assertions"}
"""The key of a case that each block comes from."""


@dataclass(slots=True)
class Block:
    """One independent check of a case.

    Args:
        name: `schema`, `output`, `expect` or `assertions`.
        expected: The rendered expectation, as it is checked and logged.
        matcher: The same, compiled.
        reads_json: Whether a text answer is read as JSON.
        when_silent: The matcher for a result without messages, where the block asks about calls.
    """

    name: str
    expected: Any
    matcher: matchex.Matcher
    reads_json: Literal["always", "auto", "never"] = "never"
    when_silent: matchex.Matcher | None = None

    @property
    def is_scalar(self) -> bool:
        """Whether it asks for a text, a number, a truth value or null, and so is one node."""
        return isinstance(self.expected, (str, int, float, NoneType))

    @property
    def critical(self) -> bool:
        """Whether some node of it may be critical."""
        return mentions_critical(self.matcher.expected)

    @property
    def dimensions(self) -> bool:
        """Whether some node of it names a dimension."""
        return mentions_dimension(self.matcher.expected)

    def for_text(self) -> matchex.Matcher:
        """The matcher for an answer that should have been JSON and is none: it explains why."""
        if self.reads_json == "auto" and self.name == "output" and not is_for_data(self.expected):
            return self.matcher  # what is combined, as by `$not`, may well hold for a text
        return matchex.compile({"$json": self.matcher.expected}, options=self.matcher.options)


class BlockCompiler:
    """Compiles the blocks of one case, and collects what is wrong with them.

    Args:
        settings: What holds for the case.
        operators: Its operators.
        base_dir: The folder that relative references start from, where the case's file does not say it.
        rendered: The rendered expectations, by the names of the blocks.
    """

    def __init__(
        self,
        settings: Settings,
        operators: Mapping[str, Any],
        base_dir: str | Path | None,
        rendered: Mapping[str, Any],
    ) -> None:
        self.issues: list[AITestIssue] = []
        self._settings = settings
        self._rendered = rendered
        self._operators = operators
        self._base_dir = settings.defaults.base_dir or base_dir
        output = rendered.get("output")
        self._baseline = output if isinstance(output, str) else None  # of a `$diff` in `expect`

    def block(self, name: str) -> Block | None:
        """One block, or None where something is wrong with it."""
        expected = self._rendered[name]
        try:
            asked = self._asked(name, expected)
        except ToolsError as error:
            place = self._settings.locate("expect", ("tools",))
            self.issues.append(AITestIssue("definition", f"`expect.tools`: {error}", "", place, error))
            return None
        matcher = self._compile(name, asked)
        if matcher is None:
            return None
        block = Block(name, expected, matcher, self._reads_json(name, expected))
        if name == "expect" and isinstance(expected, Mapping) and "tools" in expected:
            block.when_silent = self._compile(name, self._asked(name, expected, has_messages=False))
        return block

    def _asked(self, name: str, expected: Any, *, has_messages: bool = True) -> Any:
        """What matchex is asked."""
        if name == "schema":
            return {"$schema": expected}
        if name == "expect":
            return for_result(expected, self._rendered.get("output"), has_messages=has_messages)
        return expected

    def _reads_json(self, name: str, expected: Any) -> Literal["always", "auto", "never"]:
        parse = self._settings.rules.parse
        if name in ("expect", "assertions") or parse == "none":
            return "never"
        if parse == "json":
            return "always"
        for_data = not schema_admits_text(expected) if name == "schema" else may_be_for_data(expected)
        return "auto" if for_data else "never"

    def _compile(self, name: str, expected: Any) -> matchex.Matcher | None:
        changes: dict[str, Any] = {}
        if name == "assertions" and self._settings.rules.strict:
            changes["strict"] = False  # each says itself what is exact, and names some fields of a state that has more
        if name == "expect" and self._baseline is not None:
            changes["diff_baseline"] = self._baseline
        try:
            options = self._settings.rules.match_options(self._operators, self._base_dir)
            return matchex.compile(expected, options=options, **changes)
        except matchex.ExpectationError as error:
            self.issues += [self._issue_of(name, problem, error) for problem in error.problems]
        except (TypeError, ValueError) as error:  # an option that matchex refuses
            self.issues.append(AITestIssue("definition", str(error), "", self._settings.case.position(), error))
        return None

    def _issue_of(self, name: str, problem: matchex.Problem, error: matchex.ExpectationError) -> AITestIssue:
        key, path = KEY_OF[name], problem.path
        if name == "schema":  # the operator around it is ours
            path = path.removeprefix("$schema").removeprefix(".")
        location = self._settings.locate(key, parse_path(path) if path else ())
        where = f"{key}.{path}" if path and not path.startswith("[") else f"{key}{path}"
        guess = problem.suggestion
        hint = f" (did you mean {guess}?)" if guess and guess not in problem.message else ""
        return AITestIssue("definition", f"`{where}`: {problem.message}{hint}", "", location, error)
