"""Texts and slots that Jinja renders."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Final

import jinja2
from jinja2 import nodes
from matchex.plugin import (
    MISSING,
    Delimiters,
    MatchexError,
    Rendered,
    TemplateError,
    TemplateProblem,
    parse_path,
)

from matchex_template._jinja._filters import environment
from matchex_template._jinja._sandbox import BLOCK, VALUE
from matchex_template._jinja._state import RUN, Run
from matchex_template._jinja._tree import Refused, prepared
from matchex_template._scope import Scope, exported
from matchex_template._template import Part, finished

__all__ = ["BlockBody", "ExpressionSlot"]

Marked = Callable[[str], bool]

_SHOWN: Final = 80
_RESERVED: Final = frozenset("\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4\ufdd5")


class ExpressionSlot:
    """A slot for the value of an expression. A variable whose whole name is the expression comes first."""

    def __init__(self, expression: str, source: str, delimiters: Delimiters, marked: Marked) -> None:
        self._name = expression
        self._marked = marked
        tree = _parsed(VALUE[0] + expression.join("  ") + VALUE[1], source, delimiters)
        single = len(tree.body) == 1 and isinstance(tree.body[0], nodes.Output) and len(tree.body[0].nodes) == 1
        if not single:
            raise TemplateProblem(f"`{_short(source)}` is no expression{_hint(delimiters)}")
        self._template = _compiled(tree, source, delimiters, whole=True)

    def value(self, scope: Scope) -> Rendered:
        if self._name in scope.variables:
            return scope.rendered(scope.variables[self._name], self._name)
        chain = scope.through(self._name)
        return Rendered(exported(self._evaluated(scope), scope, self._marked), chain)

    def shown(self, scope: Scope) -> object:
        found = scope.variables.get(self._name, MISSING)
        return self._evaluated(scope) if found is MISSING else scope.enter(found, self._name)

    def _evaluated(self, scope: Scope) -> object:
        run = Run(Scope(scope.parser, scope.variables, scope.budget, scope.through(self._name), scope.taint))
        _text_of(self._template, run, self._name)
        return run.result


class BlockBody:
    """A text with statements."""

    def __init__(self, parts: Sequence[Part], delimiters: Delimiters, marked: Marked) -> None:
        source = "".join(part.source for part in parts)
        tree = _parsed("".join(map(_jinja_source, parts)), source, delimiters)
        self._template = _compiled(tree, source, delimiters, whole=False)
        self._name = source

    def evaluate(self, scope: Scope, quote: Callable[[str], str] | None) -> Rendered:
        text = _text_of(self._template, Run(scope, quote), self._name)
        return finished(text, scope, quote)


def _jinja_source(part: Part) -> str:
    """A part as it stands in the text that Jinja parses, where only its own delimiters open anything."""
    if part.kind == "text":
        return part.text
    if part.kind == "block":
        return BLOCK[0] + part.text + BLOCK[1]
    inside = part.text
    if part.kind == "path":
        first, *steps = parse_path(part.text)
        inside = f" {first}" + "".join(f"[{json.dumps(step, ensure_ascii=False)}]" for step in steps) + " "
    return VALUE[0] + inside + VALUE[1]


def _parsed(text: str, source: str, delimiters: Delimiters) -> nodes.Template:
    """The tree of a text."""
    if not _RESERVED.isdisjoint(source):
        raise TemplateProblem("the characters U+FDD0 to U+FDD5 cannot stand in a text with expressions or statements")
    try:
        return environment().parse(text)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateProblem(f"`{_short(source)}` does not parse: {_reason(error)}{_hint(delimiters)}") from None
    except RecursionError:
        raise TemplateProblem(f"`{_short(source)}` is nested too deeply") from None


def _compiled(tree: nodes.Template, source: str, delimiters: Delimiters, *, whole: bool) -> jinja2.Template:
    sandbox = environment()
    try:
        return sandbox.from_string(prepared(tree, sandbox, whole=whole))
    except Refused as error:
        raise TemplateProblem(f"`{_short(source)}`: {error}") from None
    except jinja2.TemplateSyntaxError as error:  # what only the compiler sees, such as two arguments of one name
        raise TemplateProblem(f"`{_short(source)}` does not parse: {_reason(error)}{_hint(delimiters)}") from None
    except (RecursionError, MemoryError, SyntaxError):  # Python's own bounds on nested code
        raise TemplateProblem(f"`{_short(source)}` is nested too deeply") from None


def _text_of(template: jinja2.Template, run: Run, name: str) -> str:
    """Run a compiled template; whatever goes wrong in it becomes a message without values."""
    context = template.new_context({RUN: run}, shared=True)
    try:
        return "".join(template.root_render_func(context))
    except jinja2.UndefinedError as error:
        raise TemplateError(error.message or "undefined variable") from None
    except (MatchexError, RecursionError) as error:
        raise error from None
    except Exception as error:
        chain = run.scope.chain
        where = f"the value of `{chain[-1]}`" if chain and chain[-1] != name else f"`{_short(name)}`"
        raise TemplateError(f"rendering {where} fails: {type(error).__name__}") from None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _reason(error: jinja2.TemplateSyntaxError) -> str:
    """Jinja's message, in words that fit a text in which nothing is printed."""
    message = "".join(char for char in error.message or "" if char not in _RESERVED)
    return message.replace("print statement", "expression").rstrip(".")


def _hint(delimiters: Delimiters) -> str:
    if delimiters.block is None:
        return f"; for braces that are meant as text write \\{delimiters.value[0]}"
    begin, end = delimiters.block
    return f"; braces that are meant as text stand inside {begin} raw {end}…{begin} endraw {end}"
