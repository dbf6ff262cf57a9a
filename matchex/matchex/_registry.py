"""The operators, strategies and engines that an expectation may use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from matchex._errors import ExpectationError, Problem
from matchex._operator import Operator, registered
from matchex._operators import OPERATORS, Build
from matchex._options import Options
from matchex._plugins import plugins
from matchex._references import resolve_operators
from matchex._schema import SchemaEngine
from matchex._strategies import STRATEGIES, Strategy
from matchex._templates import TemplateEngine

__all__ = ["Registry"]


class Registry:
    """Finds operators by name: those of the call, then built-in ones, registered ones, and those of plugins.

    Args:
        options: The options of the match.

    Raises:
        ExpectationError: `options.operators` cannot be read.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._own = resolve_operators(options.operators, options.base_dir) if options.operators else {}
        if not options.allow_operator_override:
            _refuse_override(self._own)

    def operator(self, name: str) -> Build | Operator | None:
        """The operator of that name, or None."""
        own = self._own.get(name)
        if own is not None:
            return own
        built_in = OPERATORS.get(name)
        if built_in is not None:
            return built_in
        found = registered.get(name) or plugins().operators.get(name)
        if found is not None:
            self._check_claim(f"operator {name}")
        return found

    def names(self) -> Iterable[str]:
        """Every operator's name."""
        return [*OPERATORS, *self._own, *registered, *plugins().operators]

    def strategies(self, name: str) -> Mapping[str, Strategy]:
        """The strategies to look for a name among; plugins are asked only for one that is not built in."""
        if name in STRATEGIES:
            return STRATEGIES
        found = plugins().strategies
        self._check_claim(f"strategy {name}")
        return found

    def template_engine(self) -> TemplateEngine | None:
        """The engine that renders placeholders, or None."""
        own = self._options.templates
        if not isinstance(own, bool):
            return cast("TemplateEngine", own)
        self._check_claim("template engine")
        return plugins().template_engine

    def schema_engine(self) -> SchemaEngine | None:
        """The engine that compiles schemas, or None."""
        self._check_claim("schema engine")
        return plugins().schema_engine

    def apology(self) -> str:
        """What to add to a message about something missing: the plugins that could not be loaded."""
        broken = plugins().broken
        return "".join(f"; the plugin {name!r} could not be used: {reason}" for name, reason in broken.items())

    @staticmethod
    def _check_claim(what: str) -> None:
        conflict = plugins().conflicts.get(what)
        if conflict is not None:
            raise ExpectationError([Problem("", conflict)])


def _refuse_override(own: Mapping[str, Any]) -> None:
    taken = [name for name in own if name in OPERATORS]
    if taken:
        message = f"{taken[0]} is built in; allow_operator_override=True lets an operator of yours replace it"
        raise ExpectationError([Problem("", message)])
