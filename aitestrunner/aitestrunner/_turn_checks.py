"""The checks of the turns of a case: tried out before the conversation, filled in and compiled after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from aitestrunner._blocks import KEY_OF, Block, BlockCompiler
from aitestrunner._errors import ExecutionError
from aitestrunner._executors import AIExecutionResult
from aitestrunner._keys import is_templated
from aitestrunner._log import AITestIssue
from aitestrunner._messages import Message, normalize_messages
from aitestrunner._settings import Settings
from aitestrunner._templates import Renderer
from aitestrunner._turns import Turn
from matchex import Literal, MatchexError

__all__ = ["JudgedTurn", "TurnChecks"]


@dataclass(slots=True)
class JudgedTurn:
    """A turn that is over, with its checks compiled."""

    settings: Settings
    blocks: list[Block]
    result: AIExecutionResult
    messages: list[Message]


class TurnChecks:
    """The checks of all turns of a case.

    Args:
        turns: The turns.
        variables: The variables of the case, not yet rendered.
        operators: Its operators.
        base_dir: The folder that relative references start from, where the case's file does not say it.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        variables: Mapping[str, Any],
        operators: Mapping[str, Any],
        base_dir: str | Path | None,
    ) -> None:
        self._turns = turns
        self._variables = variables
        self._operators = operators
        self._base_dir = base_dir
        self.exist = any(turn.written() for turn in turns)
        self.blocks: list[Block] = []

    def try_out(self) -> list[AITestIssue]:
        """Compile what does not hang on what will be said, and tell what is wrong with it."""
        issues: list[AITestIssue] = []
        for turn in self._turns:
            known = {name: value for name, value in turn.written().items() if not _hangs_on_answers(value)}
            blocks, found = self._compiled(turn, known, {**self._variables, **turn.variables})
            self.blocks += blocks
            issues += found
        return issues

    def after(self, result: AIExecutionResult) -> list[JudgedTurn]:
        """The turns with their checks, what was said in earlier ones filled in as plain text.

        Raises:
            ExecutionError: The checks cannot be made, or the result does not have all turns.
        """
        said = result.extra.get("turns")
        turns = cast("list[Mapping[str, Any]]", said) if isinstance(said, list) else []
        if len(turns) != len(self._turns):
            raise ExecutionError("answer", f"the result has {len(turns)} turns, and the case {len(self._turns)}")
        judged: list[JudgedTurn] = []
        for number, (turn, told) in enumerate(zip(self._turns, turns, strict=True)):
            known = {"turns": Literal(turns[:number]), "input": Literal(told.get("input"))}
            blocks, issues = self._compiled(turn, turn.written(), {**self._variables, **turn.variables, **known})
            if issues:
                raise ExecutionError(issues[0].kind, f"turn {number}: {issues[0].message}")
            fields = {name: value for name, value in told.items() if name != "input"}
            answer = AIExecutionResult(**fields)
            judged.append(JudgedTurn(turn.settings, blocks, answer, normalize_messages(told.get("messages") or ())))
        return judged

    def _compiled(
        self, turn: Turn, written: Mapping[str, Any], variables: Mapping[str, Any]
    ) -> tuple[list[Block], list[AITestIssue]]:
        renderer = Renderer(variables, enabled=turn.settings.templates is not False)
        rendered: dict[str, Any] = {}
        issues: list[AITestIssue] = []
        for name, expected in written.items():
            try:
                rendered[name] = renderer.expectation(expected)
            except MatchexError as error:
                location = turn.settings.locate(KEY_OF[name])
                issues.append(AITestIssue("template", f"`{KEY_OF[name]}`: {error}", "", location, error))
        compiler = BlockCompiler(turn.settings, self._operators, self._base_dir, rendered)
        blocks = [block for name in rendered if (block := compiler.block(name)) is not None]
        return blocks, [*issues, *compiler.issues]


def _hangs_on_answers(expected: Any) -> bool:
    """Whether some text of an expectation may speak of earlier turns, which are not there yet."""
    stack: list[Any] = [expected]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            if is_templated(node) and ("turns" in node or "input" in node):
                return True
        elif isinstance(node, Mapping):
            stack += [*cast("Mapping[Any, Any]", node), *cast("Mapping[Any, Any]", node).values()]
        elif isinstance(node, list):
            stack += cast("list[Any]", node)
    return False
