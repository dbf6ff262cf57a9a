"""Why an expression has its value: the values of the parts that decided it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from matchex._expr._render import preview
from matchex._expr._tree import Compare, Conditional, Constant, Logical, MethodCall, Name, Node, Unary
from matchex._values import MISSING, compare, kind_of, type_name

__all__ = ["explain_tree"]

_LENGTH = 600
_ORDERINGS = ("<", "<=", ">", ">=")
_WORDS = {"===": "==", "!==": "!=", "is": "==", "is not": "!="}


def explain_tree(tree: Node, text: str, values: Mapping[int, object]) -> str:
    """One line such as `actual.price * actual.quantity = 420; 420 >= 500 is false`, cut where it is too long.

    Args:
        tree: The expression.
        text: Its text.
        values: The values of its parts by `id(node)`; a part that was not evaluated is not there.
    """
    explanation = _Explanation(text, values)
    parts: list[str] = []
    length = 0
    for part in explanation.parts(tree):
        if part in parts:
            continue
        length += len(part) + 2
        if length > _LENGTH:
            parts.append("…")
            break
        parts.append(part)
    return "; ".join(parts)


class _Explanation:
    def __init__(self, text: str, values: Mapping[int, object]) -> None:
        self.text = text
        self.values = values

    def source(self, node: Node) -> str:
        text = " ".join(self.text[node.start : node.end].split())
        return text if len(text) <= 120 else text[:119] + "…"

    def known(self, node: Node) -> bool:
        return isinstance(node, Constant) or id(node) in self.values

    def shown(self, node: Node) -> str:
        if isinstance(node, Constant):
            return preview(node.value)
        return preview(self.values[id(node)]) if id(node) in self.values else self.source(node)

    def parts(self, node: Node) -> Iterator[str]:
        """What there is to say about a node, the parts it rests on first; of one that failed, about its parts."""
        match node:
            case Logical():
                for operand in node.operands:
                    yield from self.parts(operand)
            case Unary(operator="not"):
                yield from self.parts(node.operand)
            case Conditional():
                for part in (node.test, node.then, node.otherwise):
                    yield from self.parts(part)
            case Compare():
                yield from self.comparison(node)
            case MethodCall():
                yield from self.operand(node.value)
                yield from self.operand(node)
            case _:
                yield from self.operand(node)

    def comparison(self, node: Compare) -> Iterator[str]:
        for operand in node.operands:
            yield from self.operand(operand)
        if not self.known(node):
            return
        result = "true" if self.values[id(node)] is True else "false"
        row = self.shown(node.operands[0])
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            row += f" {_WORDS.get(operator, operator)} {self.shown(operand)}"
        yield f"{row} is {result}{self.disorder(node)}"

    def disorder(self, node: Compare) -> str:
        """What is to be said of two values that have no order, where they were asked for it."""
        for operator, left, right in zip(node.operators, node.operands, node.operands[1:], strict=False):
            a, b = self.value(left), self.value(right)
            if operator in _ORDERINGS and compare(a, b) is None and a is not MISSING and b is not MISSING:
                zones = kind_of(a) == kind_of(b) == "date"
                reason = "only one of them has a time zone" if zones else f"{type_name(a)} and {type_name(b)}"
                return f" ({reason}: no order)"
        return ""

    def value(self, node: Node) -> object:
        return node.value if isinstance(node, Constant) else self.values.get(id(node), MISSING)

    def operand(self, node: Node) -> Iterator[str]:
        if isinstance(node, Constant) or not self.known(node) or (isinstance(node, Name) and node.id == "undefined"):
            return
        yield f"{self.source(node)} = {self.shown(node)}"
