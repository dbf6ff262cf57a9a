"""The one tree of both spellings. `start` and `end` are columns in the text of the expression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache

__all__ = [
    "Binary",
    "Call",
    "Clause",
    "Compare",
    "Comprehension",
    "Conditional",
    "Constant",
    "Function",
    "Index",
    "ListLiteral",
    "Logical",
    "MappingLiteral",
    "Member",
    "MethodCall",
    "Name",
    "Node",
    "Pair",
    "Regex",
    "Slice",
    "Spread",
    "Target",
    "Template",
    "Unary",
    "children",
]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A part of an expression."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Node):
    """A number, text, boolean or null."""

    value: object


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    """A name: of the scope, of a parameter, or `undefined`."""

    id: str


@dataclass(frozen=True, slots=True, eq=False)
class Regex(Node):
    """A regex literal."""

    source: str
    flags: str


@dataclass(frozen=True, slots=True, eq=False)
class Template(Node):
    """A template literal; its constant parts are `Constant` nodes."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Spread(Node):
    """`...value` in a list, mapping or call."""

    value: Node


@dataclass(frozen=True, slots=True, eq=False)
class ListLiteral(Node):
    """A list, or a tuple of Python's spelling."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pair(Node):
    """A key and its value in a mapping literal, or the name and value of an argument."""

    key: Node
    value: Node


@dataclass(frozen=True, slots=True, eq=False)
class MappingLiteral(Node):
    """`{…}`: pairs and spreads."""

    entries: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    """`-`, `+`, `not` or `typeof`."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    """Arithmetic: `+ - * / // % **`."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True, eq=False)
class Compare(Node):
    """One comparison, or a chain of them: `operands` is one longer than `operators`."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Logical(Node):
    """`and`, `or` or `??` over two or more operands."""

    operator: str
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Node):
    """`test ? then : otherwise` or `then if test else otherwise`."""

    test: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True, eq=False)
class Member(Node):
    """`value.name` or `value?.name`."""

    value: Node
    name: str
    optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class Index(Node):
    """`value[index]` or `value?.[index]`."""

    value: Node
    index: Node
    optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class Slice(Node):
    """`value[lower:upper:step]`."""

    value: Node
    lower: Node | None
    upper: Node | None
    step: Node | None
    optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """A call of one of our functions, such as `len`."""

    function: str
    arguments: tuple[Node, ...]
    named: tuple[Pair, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MethodCall(Node):
    """`value.name(…)` or `value?.name(…)`; also `Math.max(…)`."""

    value: Node
    name: str
    arguments: tuple[Node, ...]
    named: tuple[Pair, ...]
    optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class Target(Node):
    """What a parameter or loop variable takes apart: one name, list positions, or fields (`keys` then is not None)."""

    names: tuple[str, ...]
    keys: tuple[str, ...] | None = None
    whole: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Function(Node):
    """An arrow function or lambda as an argument."""

    parameters: tuple[Target, ...]
    body: Node


@dataclass(frozen=True, slots=True, eq=False)
class Clause(Node):
    """`for target in values if condition …` of a comprehension."""

    target: Target
    values: Node
    conditions: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension(Node):
    """A comprehension; `element` is a `Pair` for a mapping. `lazy` where it is written as a generator."""

    element: Node
    clauses: tuple[Clause, ...]
    lazy: bool


@cache
def _field_names(kind: type[Node]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below `node`, in the order of their fields."""
    for name in _field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:  # pyright: ignore[reportUnknownVariableType]
                if isinstance(item, Node):
                    yield item
