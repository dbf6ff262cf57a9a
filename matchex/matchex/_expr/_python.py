"""Parts of Python's own syntax tree, each with a short name: what expressions are compiled to."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

__all__ = [
    "both",
    "choose",
    "compare",
    "const",
    "definition",
    "either",
    "function_of",
    "item_of",
    "let",
    "load",
    "tuple_of",
]

PLACE: Final[dict[str, Any]] = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
"""Every node needs a place; there is no text, so it is the same for all."""


def load(name: str) -> ast.expr:
    """The value of a local or of a guard."""
    return ast.Name(id=name, ctx=ast.Load(), **PLACE)


def const(value: Any) -> ast.expr:
    """A constant."""
    return ast.Constant(value=value, **PLACE)


def let(name: str, value: ast.expr) -> ast.expr:
    """`(name := value)`."""
    return ast.NamedExpr(target=ast.Name(id=name, ctx=ast.Store(), **PLACE), value=value, **PLACE)


def compare(left: ast.expr, operator: type[ast.cmpop], right: ast.expr) -> ast.expr:
    """`left operator right`."""
    return ast.Compare(left=left, ops=[operator()], comparators=[right], **PLACE)


def both(*parts: ast.expr) -> ast.expr:
    """`a and b and …`."""
    return parts[0] if len(parts) == 1 else ast.BoolOp(op=ast.And(), values=list(parts), **PLACE)


def either(*parts: ast.expr) -> ast.expr:
    """`a or b or …`."""
    return ast.BoolOp(op=ast.Or(), values=list(parts), **PLACE)


def choose(test: ast.expr, then: ast.expr, otherwise: ast.expr) -> ast.expr:
    """`then if test else otherwise`."""
    return ast.IfExp(test=test, body=then, orelse=otherwise, **PLACE)


def tuple_of(parts: list[ast.expr]) -> ast.expr:
    """`(a, b, …)`."""
    return ast.Tuple(elts=parts, ctx=ast.Load(), **PLACE)


def item_of(value: ast.expr, key: ast.expr) -> ast.expr:
    """`value[key]`, for values that are known to be plain."""
    return ast.Subscript(value=value, slice=key, ctx=ast.Load(), **PLACE)


def function_of(names: tuple[str, ...], body: ast.expr) -> ast.expr:
    """`lambda …: body`."""
    return ast.Lambda(args=_parameters(names), body=body, **PLACE)


def _parameters(names: tuple[str, ...]) -> ast.arguments:
    args = [ast.arg(arg=name, **PLACE) for name in names]
    return ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[])


def definition(names: Mapping[str, str], body: ast.expr) -> ast.stmt:
    """A function of scope and meter that first takes the names it reads from the scope."""
    statements: list[ast.stmt] = []
    for name, local in names.items():
        there = compare(const(name), ast.In, load("scope"))
        value = choose(there, item_of(load("scope"), const(name)), load("MISSING"))
        target = ast.Name(id=local, ctx=ast.Store(), **PLACE)
        statements.append(ast.Assign(targets=[target], value=value, **PLACE))
    statements.append(ast.Return(value=body, **PLACE))
    newer: dict[str, Any] = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
    arguments = _parameters(("scope", "meter"))
    return ast.FunctionDef(name="expression", args=arguments, body=statements, decorator_list=[], **newer, **PLACE)
