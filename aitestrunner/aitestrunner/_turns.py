"""The turns of a case: read from its key `turns`, and checked one by one when the conversation has ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aitestrunner._cases import AITestFixture, read_case
from aitestrunner._errors import FixtureProblem
from aitestrunner._keys import KEYS, is_templated
from aitestrunner._positions import Node
from aitestrunner._settings import Settings
from matchex import MISSING

__all__ = ["Turn", "read_turns", "turns_of"]

_KEYS: Final = ("title", "input", "output", "outputSchema", "expect", "strict", "parse", "vars")
_CHECKS: Final = {"schema": "output_schema", "output": "output", "expect": "expect"}


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn.

    Args:
        settings: What holds for its checks: that of the case, with the turn's own expectations, placed at the turn.
    """

    settings: Settings

    @property
    def input(self) -> Any:
        """What the user says; MISSING where the case's input is said again."""
        return self.settings.case.input

    @property
    def variables(self) -> Mapping[str, Any]:
        """Its own variables, not yet rendered."""
        return self.settings.case.vars

    def written(self) -> dict[str, Any]:
        """The expectations of its blocks, not yet rendered."""
        case = self.settings.case
        named = {name: getattr(case, attribute) for name, attribute in _CHECKS.items()}
        null_checks_nothing = {name: value for name, value in named.items() if name == "output" or value is not None}
        return {name: value for name, value in null_checks_nothing.items() if value is not MISSING}


def turns_of(settings: Settings) -> list[Turn] | None:
    """The turns of a case; None where it has none. What is wrong with them is told by `read_turns`."""
    return None if settings.turns is None else read_turns(settings)[0]


def read_turns(settings: Settings) -> tuple[list[Turn], list[FixtureProblem]]:
    """The turns of a case, and what is wrong with them."""
    source = settings.case.source.field("turns") if settings.case.source else None
    turns: list[Turn] = []
    problems: list[FixtureProblem] = []
    for node in (source or Node(settings.turns)).children():
        case, found = read_case(node)
        problems += found
        problems += [
            FixtureProblem(f"`{key}` does not belong to a turn, which takes {', '.join(_KEYS)}", node.locate((key,)))
            for key in _keys_of_cases(node)
            if key not in _KEYS
        ]
        problems += [
            FixtureProblem(f"`{name}` of a turn cannot be a placeholder", node.locate((name,)))
            for name in ("strict", "parse")
            if is_templated(getattr(case, name))
        ]
        turns.append(Turn(_settings_of(settings, case)))
    return turns, problems


def _keys_of_cases(node: Node) -> Sequence[str]:
    return [key for key in node.fields if key in KEYS]


def _settings_of(settings: Settings, case: AITestFixture) -> Settings:
    given = {name: getattr(case, name) for name in ("strict", "parse")}
    own: dict[str, Any] = {name: value for name, value in given.items() if value is not MISSING and value is not None}
    return dataclasses.replace(
        settings,
        case=case,
        output=case.output,
        output_schema=_none_as_missing(case.output_schema),
        expect=_none_as_missing(case.expect),
        rules=dataclasses.replace(settings.rules, diff=None, diff_permissive=None, **own),
        turns=None,
    )


def _none_as_missing(value: Any) -> Any:
    return MISSING if value is None else value
