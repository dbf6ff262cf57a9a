"""What authors of plugins and operators need, beside the public names of `matchex`.

Example:
    >>> import matchex
    >>> from matchex.plugin import hookimpl
    >>> class Shouting:
    ...     @hookimpl
    ...     def matchex_operators(self):
    ...         return [matchex.Operator("$shouts", lambda actual, expected: actual.isupper() is expected)]
    >>> [operator.name for operator in Shouting().matchex_operators()]
    ['$shouts']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from matchex._aggregate import Aggregate, Child, Operand
from matchex._asking import Loop
from matchex._context import Context
from matchex._diff import render_ansi, render_plain
from matchex._errors import MatchexError, MatchingError, SchemaProblem, TemplateError, TemplateProblem
from matchex._jsontext import json_text, number_text
from matchex._paths import format_path, lookup, nearest, parse_path
from matchex._placeholders import STANDARD, Delimiters, has_placeholders, is_path, split, unescape
from matchex._placeholders import Part as TextPart
from matchex._plugins import PluginWarning
from matchex._raised import describe_error
from matchex._references import load_reference
from matchex._regex import Pattern, PatternError, PatternTimeout, compile_pattern
from matchex._schema import SchemaEngine, SchemaValidator, Violation
from matchex._show import show
from matchex._strategies import Part, Strategy, WeightOptions
from matchex._strict_json import JsonTextError, parse_json_text
from matchex._templates import Rendered, Template, TemplateEngine
from matchex._values import (
    MISSING,
    Literal,
    as_list,
    as_mapping,
    as_number,
    compare,
    contains_equal,
    equal,
    kind_of,
    trim,
    type_name,
)

__all__ = [
    "MISSING",
    "STANDARD",
    "Aggregate",
    "Child",
    "Context",
    "Delimiters",
    "JsonTextError",
    "Literal",
    "Loop",
    "MatchexError",
    "MatchingError",
    "Operand",
    "Part",
    "Pattern",
    "PatternError",
    "PatternTimeout",
    "PluginWarning",
    "Rendered",
    "SchemaEngine",
    "SchemaProblem",
    "SchemaValidator",
    "Strategy",
    "Template",
    "TemplateEngine",
    "TemplateError",
    "TemplateProblem",
    "TextPart",
    "Violation",
    "WeightOptions",
    "as_list",
    "as_mapping",
    "as_number",
    "compare",
    "compile_pattern",
    "contains_equal",
    "describe_error",
    "equal",
    "format_path",
    "has_placeholders",
    "hookimpl",
    "is_path",
    "json_text",
    "kind_of",
    "load_reference",
    "lookup",
    "nearest",
    "number_text",
    "parse_json_text",
    "parse_path",
    "render_ansi",
    "render_plain",
    "show",
    "split",
    "trim",
    "type_name",
    "unescape",
]

_F = TypeVar("_F", bound=Callable[..., Any])


def hookimpl(function: _F) -> _F:
    """Mark a function as one of the hooks of a plugin: `matchex_operators`, `matchex_strategies` and so on.

    It is pluggy's marker for the project `matchex`; pluggy itself is loaded when plugins are looked for.

    Example:
        >>> from matchex.plugin import hookimpl
        >>> @hookimpl
        ... def matchex_operators():
        ...     return []
        >>> matchex_operators()
        []
    """
    import pluggy

    return pluggy.HookimplMarker("matchex")(function)
