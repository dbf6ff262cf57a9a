"""The wall: what a compiled expression may consist of. Whatever is not listed here is refused, whoever built it."""

from __future__ import annotations

import ast
import re
from collections.abc import Container
from typing import Final, cast

__all__ = ["check"]

_ALLOWED_NODES: Final = frozenset(
    {
        *(ast.Module, ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Assign, ast.Return, ast.NamedExpr),
        *(ast.Name, ast.Load, ast.Store, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Starred, ast.Subscript),
        *(ast.Call, ast.IfExp, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not),
        *(ast.BinOp, ast.Add, ast.Sub, ast.Mult),
        *(ast.Compare, ast.Is, ast.IsNot, ast.In, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
    }
)
_LOCAL_NAME: Final = re.compile(r"scope|meter|[vt][0-9]+")


def check(module: ast.Module, known: Container[str]) -> None:
    """Refuse a syntax tree with a node that is not allowed, or a name that is neither `known` nor a numbered local.

    Raises:
        AssertionError: The tree holds something else: a mistake in the compiler, never of the expression.
    """
    pending: list[ast.AST] = [module]
    while pending:
        node = pending.pop()
        if type(node) not in _ALLOWED_NODES:
            raise AssertionError(f"an expression must not be compiled to {type(node).__name__}")
        name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else None
        if name is not None and name not in known and not _LOCAL_NAME.fullmatch(name):
            raise AssertionError(f"an expression must not be compiled to the name {name}")
        for field in node._fields:
            part = getattr(node, field)
            if isinstance(part, list):
                pending.extend(item for item in cast("list[object]", part) if isinstance(item, ast.AST))
            elif isinstance(part, ast.AST):
                pending.append(part)
