"""What is done to a parsed Jinja text before it is compiled.

What is not allowed is refused; what Python would do by itself (attributes, slices, `~`, loops, output) goes through
filters of the sandbox.
"""

from __future__ import annotations

from typing import Any, Final

from jinja2 import nodes
from jinja2.visitor import NodeTransformer
from matchex.plugin import format_path, nearest

from matchex_template._jinja._filters import FILTER_NAMES
from matchex_template._jinja._sandbox import INTERNAL, Sandbox
from matchex_template._names import UNNAMED, child

__all__ = ["Refused", "prepared"]

_STATEMENTS: Final = (nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Assign, nodes.With)
_TAGS: Final = {
    "AssignBlock": "set … endset",
    "CallBlock": "call",
    "FilterBlock": "filter",
    "FromImport": "from",
    "Scope": "autoescape",
}
_PARTS: Final = (nodes.Expr, nodes.Helper)


class Refused(Exception):
    """A text that is Jinja, but not in our language."""


def prepared(tree: nodes.Template, sandbox: Sandbox, *, whole: bool) -> nodes.Template:
    """The tree as it is compiled.

    Args:
        tree: A parsed text.
        sandbox: The environment that it will be compiled in.
        whole: Whether the value of its one expression is wanted, and no text.

    Raises:
        Refused: A statement, filter or test that does not exist here.
    """
    changed = _Preparation(sandbox, "keep" if whole else "insert").visit(tree)
    changed.set_environment(sandbox)
    return changed


class _Preparation(NodeTransformer):
    def __init__(self, sandbox: Sandbox, output: str) -> None:
        self._sandbox = sandbox
        self._output = output

    def generic_visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        if not isinstance(node, (*_STATEMENTS, *_PARTS)):
            kind = type(node).__name__
            tag = _TAGS.get(kind, kind.lower())
            raise Refused(f"the statement `{tag}` does not exist here, only if, for, set, with and raw")
        return super().generic_visit(node, *args, **kwargs)

    def visit_Output(self, node: nodes.Output) -> nodes.Node:
        node.nodes = [
            part if isinstance(part, nodes.TemplateData) else _call(self._output, self.visit(part))
            for part in node.nodes
        ]
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:
        if node.recursive:
            raise Refused("a loop cannot be recursive here")
        changed = self.generic_visit(node)
        node.iter = _call("loop", node.iter)
        return changed

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:
        _check_name("filter", node.name, FILTER_NAMES)
        return self.generic_visit(node)

    def visit_Test(self, node: nodes.Test) -> nodes.Node:
        _check_name("test", node.name, self._sandbox.tests)
        return self.generic_visit(node)

    def visit_Getattr(self, node: nodes.Getattr) -> nodes.Node:
        return self._member(node, nodes.Const(node.attr))

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:
        if isinstance(node.arg, nodes.Slice):
            bounds = (node.arg.start, node.arg.stop, node.arg.step)
            cut = [nodes.Const(None) if bound is None else self.visit(bound) for bound in bounds]
            return _call("cut", self.visit(node.node), *cut, lineno=node.lineno)
        return self._member(node, self.visit(node.arg))

    def _member(self, node: nodes.Getattr | nodes.Getitem, step: nodes.Expr) -> nodes.Node:
        label, computed = nodes.Const(_label(node.node)), nodes.Const(not isinstance(step, nodes.Const))
        return _call("member", self.visit(node.node), step, label, computed, lineno=node.lineno)

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:
        if node.expr2 is None:  # `x if y` without `else` is nothing, not an undefined variable
            node.expr2 = nodes.Const(None, lineno=node.lineno)
        return self.generic_visit(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        return _call("concat", nodes.List([self.visit(part) for part in node.nodes], lineno=node.lineno))


def _call(name: str, value: Any, *args: nodes.Expr, lineno: int | None = None) -> nodes.Filter:
    line = value.lineno if lineno is None else lineno
    call = nodes.Filter(value, INTERNAL + name, list(args), [], None, None, lineno=line)
    for argument in args:
        argument.set_lineno(line)
    return call


def _check_name(kind: str, name: str, known: Any) -> None:
    if name in known:
        return
    guess = nearest(name, (text for text in known if text.isidentifier()))
    hint = (
        f"did you mean `{guess}`?" if guess else f"there are {', '.join(sorted(t for t in known if t.isidentifier()))}"
    )
    raise Refused(f"there is no {kind} `{name}`; {hint}")


def _label(node: nodes.Node) -> str:
    """The path that an expression is, for messages; `…` where it is more than a path."""
    if isinstance(node, nodes.Name):
        return format_path((node.name,))
    if isinstance(node, nodes.Getattr):
        return child(_label(node.node), node.attr)
    if isinstance(node, nodes.Getitem):
        key: object = node.arg.value if isinstance(node.arg, nodes.Const) else None
        return child(_label(node.node), key) if isinstance(key, (str, int)) else f"{_label(node.node)}[…]"
    return UNNAMED
