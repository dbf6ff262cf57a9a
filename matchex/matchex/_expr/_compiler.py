"""From the tree of an expression to a Python function.

The function is built as a Python syntax tree, never as text, and compiled once. `_wall` then looks at what was built:
it may hold only the few kinds of nodes listed there, no attribute access at all, and only names that were put there by
this module: guards (the operators, references and the two doors to our functions and methods), constants, numbered
locals. Its globals hold nothing else, and no builtins. Whatever an expression says, it reaches values through guards.

Fast paths for plain dicts, numbers and texts are written into the function itself; all else is a call of a guard.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Final

from matchex._expr import _operators, _references
from matchex._expr._errors import ExpressionSyntaxError
from matchex._expr._functions import CONSTANTS, call_function, constant, function_value
from matchex._expr._limits import ExpressionLimits, Meter
from matchex._expr._members import call_method
from matchex._expr._python import (
    PLACE,
    both,
    choose,
    compare,
    const,
    definition,
    either,
    function_of,
    item_of,
    let,
    load,
    tuple_of,
)
from matchex._expr._registry import FUNCTIONS, Lazy
from matchex._expr._render import Callback, Pattern
from matchex._expr._tree import (
    Binary,
    Call,
    Clause,
    Compare,
    Comprehension,
    Conditional,
    Constant,
    Function,
    Index,
    ListLiteral,
    Logical,
    MappingLiteral,
    Member,
    MethodCall,
    Name,
    Node,
    Pair,
    Regex,
    Slice,
    Spread,
    Target,
    Template,
    Unary,
    children,
)
from matchex._expr._wall import check
from matchex._values import MISSING

__all__ = ["Compiled", "compile_tree"]

Compiled = Callable[[Mapping[str, object], Meter], object]
Names = dict[str, str]
Link = Member | Index | Slice | MethodCall

_GLOBALS: Final[dict[str, object]] = {
    **{"MISSING": MISSING, "SPREAD": _references.SPREAD, "FUNCTIONS": FUNCTIONS, "Callback": Callback, "Lazy": Lazy},
    **{"type": type, "len": len, "dict": dict, "list": list, "str": str, "int": int, "float": float},
    **{
        guard.__name__: guard
        for guard in (
            *(_operators.truth, _operators.equals, _operators.differs, _operators.type_of),
            *(_operators.less, _operators.less_or_equal, _operators.greater, _operators.greater_or_equal),
            *(_operators.member_of, _operators.not_member_of, _operators.negative, _operators.positive),
            *(_operators.add, _operators.bounded, _operators.subtract, _operators.multiply, _operators.divide),
            *(_operators.floor_divide, _operators.modulo, _operators.power),
            *(_references.scope_name, _references.field, _references.field_or_missing),
            *(_references.item, _references.item_or_missing, _references.cut, _references.spread, _references.sized),
            *(_references.build_mapping, _references.part, _references.named_part, _references.each),
            *(_references.each_of_each, _references.collect, _references.template, _references.trace),
            *(_references.answer, call_function, call_method, constant, function_value),
        )
    },
}
_NAMESPACES: Final = {name.partition(".")[0] for name in (*FUNCTIONS, *CONSTANTS) if "." in name}
_NAMESPACE_TYPES: Final = {"Math": "object", "JSON": "object"}

_COMPARISONS: Final[dict[str, tuple[str, type[ast.cmpop]]]] = {
    "<": ("less", ast.Lt),
    "<=": ("less_or_equal", ast.LtE),
    ">": ("greater", ast.Gt),
    ">=": ("greater_or_equal", ast.GtE),
}
_EQUALITIES: Final = {
    **dict.fromkeys(("==", "===", "is"), ("equals", ast.Eq, ast.Is)),
    **dict.fromkeys(("!=", "!==", "is not"), ("differs", ast.NotEq, ast.IsNot)),
}
_MEMBERSHIPS: Final = {"in": "member_of", "not in": "not_member_of"}
_ARITHMETIC: Final = {
    **{"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide", "%": "modulo", "**": "power"},
}
_INLINED: Final = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult}
_SMALL: Final = (1 << 30) - 1  # one digit of an integer: comparing those is cheapest
_WITHOUT_METER: Final = frozenset({"divide", "floor_divide", "modulo"})
_METERED: Final = (Call, MethodCall, Comprehension, Template, Spread, Slice)
_FEW_OPERATIONS: Final = 16
_SHOWN: Final = 80


def compile_tree(tree: Node, text: str, limits: ExpressionLimits, *, tracing: bool) -> tuple[Compiled, frozenset[str]]:
    """The function of a tree, called with a scope and a meter, and the names that it reads from the scope.

    Raises:
        ExpressionSyntaxError: A pattern that does not compile, a call of something that is no function.
    """
    builder = _Builder(text, limits, tracing)
    body = builder.value(tree, {}, lax=False)
    if not _is_boolean(tree):
        body = builder.call("answer", body)
    known = {**_GLOBALS, **builder.patterns}
    module = ast.Module(body=[definition(builder.names, body)], type_ignores=[])
    check(module, known)
    code = next(c for c in compile(module, "<expression>", "exec").co_consts if isinstance(c, CodeType))
    return FunctionType(code, {**known, "__builtins__": {}}), frozenset(builder.names)


def needs_meter(tree: Node) -> bool:
    """Whether an evaluation must be metered: without loops and costly calls it does no more than its text says."""
    operations = 0
    pending = [tree]
    while pending:
        node = pending.pop()
        operations += isinstance(node, (Binary, ListLiteral, MappingLiteral))
        cheap = isinstance(node, Call) and node.function in FUNCTIONS and FUNCTIONS[node.function].cheap
        if (isinstance(node, _METERED) and not cheap) or operations > _FEW_OPERATIONS:
            return True
        pending.extend(children(node))
    return False


def _is_number(value: object) -> bool:
    return type(value) is int or (type(value) is float and value == value)


class _Builder:
    """Builds the Python syntax tree. `names` of a method maps parameters to numbered locals; `lax` allows absence."""

    def __init__(self, text: str, limits: ExpressionLimits, tracing: bool) -> None:
        self.text = text
        self.limits = limits
        self.tracing = tracing
        self.names: dict[str, str] = {}
        self.patterns: dict[str, object] = {}
        self._count = 0
        self._functions = 0

    # -- helpers -----------------------------------------------------------------------------------------------------

    def new(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def call(self, guard: str, *arguments: ast.expr) -> ast.expr:
        return ast.Call(func=load(guard), args=list(arguments), keywords=[], **PLACE)

    def metered(self, guard: str, *arguments: ast.expr) -> ast.expr:
        return self.call(guard, load("meter"), *arguments)

    def source(self, node: Node) -> ast.expr:
        """The text of a node, for messages."""
        text = " ".join(self.text[node.start : node.end].split())
        return const(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")

    def fail(self, message: str, node: Node) -> ExpressionSyntaxError:
        return ExpressionSyntaxError(message, self.text, node.start)

    def truth(self, node: Node, names: Names) -> ast.expr:
        """A test: the value itself where it is a boolean anyway."""
        value = self.value(node, names, lax=False)
        return value if _is_boolean(node) else self.truth_of(value)

    def truth_of(self, value: ast.expr) -> ast.expr:
        name = self.new("t")
        known = compare(let(name, value), ast.Is, const(True))
        unknown = both(compare(load(name), ast.IsNot, const(False)), self.call("truth", load(name)))
        return either(known, unknown)

    # -- one method for each kind of node ----------------------------------------------------------------------------

    def value(self, node: Node, names: Names, *, lax: bool) -> ast.expr:
        """The value of a node; with `lax` it may be undefined, otherwise a reference that is undefined is an error."""
        built = self.build(node, names, lax)
        if self.tracing and not self._functions and not isinstance(node, Constant):
            return self.metered("trace", const(id(node)), built)
        return built

    def build(self, node: Node, names: Names, lax: bool) -> ast.expr:
        match node:
            case Constant():
                return const(node.value)
            case Name():
                return self.name(node, names, lax)
            case Member() | Index() | Slice() | MethodCall():
                return self.chain(node, names, lax)
            case Binary():
                return self.binary(node, names)
            case Compare():
                return self.comparison(node, names)
            case Logical():
                return self.logical(node, names, lax)
            case Conditional():
                then, otherwise = (self.value(part, names, lax=lax) for part in (node.then, node.otherwise))
                return choose(self.truth(node.test, names), then, otherwise)
            case Unary():
                return self.unary(node, names)
            case Call():
                return self.function_call(node, node.function, node.arguments, node.named, names)
            case Comprehension():
                return self.comprehension(node, names)
            case _:
                return self.literal(node, names)

    def literal(self, node: Node, names: Names) -> ast.expr:
        match node:
            case ListLiteral():
                return self.list_literal(node, names)
            case MappingLiteral():
                return self.mapping_literal(node, names)
            case Template():
                parts = tuple_of([self.value(part, names, lax=False) for part in node.parts])
                return self.metered("template", parts, self.source(node))
            case Regex():
                return self.regex(node)
            case _:
                raise AssertionError(f"{type(node).__name__} is no value")

    def name(self, node: Name, names: Names, lax: bool) -> ast.expr:
        if node.id in names:
            return load(names[node.id])
        if node.id == "undefined":
            return load("MISSING")
        value = load(self.names.setdefault(node.id, self.new("v")))
        if lax:
            return value
        missing = self.call("scope_name", load("scope"), const(node.id), load("FUNCTIONS"))
        return choose(compare(value, ast.IsNot, load("MISSING")), value, missing)

    def binary(self, node: Binary, names: Names) -> ast.expr:
        guard = _ARITHMETIC[node.operator]
        left, right = (self.value(operand, names, lax=False) for operand in (node.left, node.right))
        if guard in _WITHOUT_METER:
            return self.call(guard, left, right, self.source(node))
        if node.operator not in _INLINED:
            return self.metered(guard, left, right, self.source(node))
        a, b, result = self.new("t"), self.new("t"), self.new("t")
        numbers = self.are_numbers(a, left, b, right)
        value = let(result, ast.BinOp(left=load(a), op=_INLINED[node.operator](), right=load(b), **PLACE))
        small = ast.Compare(left=const(-_SMALL), ops=[ast.Lt(), ast.Lt()], comparators=[value, const(_SMALL)], **PLACE)
        within = choose(small, load(result), self.metered("bounded", load(result), self.source(node)))
        return choose(numbers, within, self.metered(guard, load(a), load(b), self.source(node)))

    def unary(self, node: Unary, names: Names) -> ast.expr:
        if node.operator == "not":
            return ast.UnaryOp(op=ast.Not(), operand=self.truth(node.operand, names), **PLACE)
        if node.operator == "typeof":
            return self.type_of(node.operand, names)
        guard = "negative" if node.operator == "-" else "positive"
        return self.call(guard, self.value(node.operand, names, lax=False), self.source(node))

    def type_of(self, operand: Node, names: Names) -> ast.expr:
        if self.function_name(operand, names) is not None:
            return const("function")
        if isinstance(operand, Name) and operand.id in _NAMESPACES and operand.id not in names:
            return const(_NAMESPACE_TYPES.get(operand.id, "function"))
        return self.call("type_of", self.value(operand, names, lax=True))

    # -- comparisons and logic ---------------------------------------------------------------------------------------

    def comparison(self, node: Compare, names: Names) -> ast.expr:
        if len(node.operators) != 1:
            return self.comparison_chain(node, names)
        operator, (left, right) = node.operators[0], node.operands
        if operator in _EQUALITIES:
            return self.equality(left, operator, right, names)
        values = [self.value(operand, names, lax=False) for operand in node.operands]
        if operator in _MEMBERSHIPS:
            return self.metered(_MEMBERSHIPS[operator], *values, self.source(node))
        guard, python = _COMPARISONS[operator]
        if not isinstance(right, Constant) or not _is_number(right.value):
            return self.call(guard, *values, self.source(node))
        local = self.new("t")
        test = self.is_number(local, values[0])
        quick = compare(load(local), python, values[1])
        return choose(test, quick, self.call(guard, load(local), const(right.value), self.source(node)))

    def is_number(self, local: str, value: ast.expr) -> ast.expr:
        """Bind `local` to the value, and test whether it is an int or a float."""
        kind = self.new("t")
        return _is_numeric(kind, let(kind, self.call("type", let(local, value))))

    def are_numbers(self, a: str, left: ast.expr, b: str, right: ast.expr) -> ast.expr:
        """Bind `a` and `b` to the values, in this order and in any case, and test whether both are numbers."""
        x, y = self.new("t"), self.new("t")
        kind, other = (
            let(kind, self.call("type", let(local, value))) for kind, local, value in ((x, a, left), (y, b, right))
        )
        numeric = _is_numeric(x, load(x))
        return choose(compare(kind, ast.Is, other), numeric, both(numeric, _is_numeric(y, load(y))))

    def equality(self, left: Node, operator: str, right: Node, names: Names) -> ast.expr:
        guard, python, identity = _EQUALITIES[operator]
        lax = any(isinstance(side, Name) and side.id == "undefined" and side.id not in names for side in (left, right))
        a, b = (self.value(side, names, lax=lax) for side in (left, right))
        if not isinstance(right, Constant) or isinstance(a, ast.Constant):
            return self.metered(guard, a, b)
        constant = right.value
        if constant is None or isinstance(constant, bool):
            return compare(a, identity, b)
        local = self.new("t")
        if isinstance(constant, str):
            test = compare(self.call("type", let(local, a)), ast.Is, load("str"))
        elif _is_number(constant):
            test = self.is_number(local, a)
        else:
            return self.metered(guard, a, b)
        return choose(test, compare(load(local), python, b), self.metered(guard, load(local), const(constant)))

    def comparison_chain(self, node: Compare, names: Names) -> ast.expr:
        """`a < b < c`: each operand is evaluated once, and no more of them than needed."""
        parts: list[ast.expr] = []
        left = self.value(node.operands[0], names, lax=False)
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            local = self.new("t")
            right = let(local, self.value(operand, names, lax=False))
            if operator in _EQUALITIES:
                parts.append(self.metered(_EQUALITIES[operator][0], left, right))
            else:
                parts.append(self.call(_COMPARISONS[operator][0], left, right, self.source(node)))
            left = load(local)
        return both(*parts)

    def logical(self, node: Logical, names: Names, lax: bool) -> ast.expr:
        """`and`, `or`, `??` answer with an operand; the last one may be undefined where the whole may."""
        result = self.value(node.operands[-1], names, lax=lax)
        for operand in reversed(node.operands[:-1]):
            if node.operator == "??":
                local = self.new("t")
                value = let(local, self.value(operand, names, lax=True))
                result = choose(self.is_absent(value, local), result, load(local))
            elif _is_boolean(operand):
                value = self.value(operand, names, lax=False)
                result = both(value, result) if node.operator == "and" else either(value, result)
            else:
                result = self.one_of_two(operand, node.operator, result, names)
        return result

    def one_of_two(self, operand: Node, operator: str, other: ast.expr, names: Names) -> ast.expr:
        local = self.new("t")
        bound = let(local, self.value(operand, names, lax=False))
        test = self.truth_of(bound)
        kept = load(local)
        return choose(test, other, kept) if operator == "and" else choose(test, kept, other)

    def is_absent(self, bound: ast.expr, local: str) -> ast.expr:
        """Whether a value, just bound to `local`, is null or undefined."""
        return either(compare(bound, ast.Is, const(None)), compare(load(local), ast.Is, load("MISSING")))

    # -- members, indexes and methods --------------------------------------------------------------------------------

    def chain(self, node: Link, names: Names, lax: bool) -> ast.expr:
        """A row such as `a.b?.c[0].d()`: where `?.` finds nothing, the rest of the row is not evaluated."""
        if self.is_namespaced(node, names):
            return self.namespaced(node, names, lax)
        links: list[Link] = []
        root: Node = node
        while isinstance(root, Link) and not self.is_namespaced(root, names):
            links.append(root)
            parenthesised = root.value.start != root.start
            root = root.value
            if parenthesised:
                break
        links.reverse()
        return self.links(links, self.value(root, names, lax=links[0].optional), names, lax)

    def links(self, links: list[Link], base: ast.expr, names: Names, lax: bool) -> ast.expr:
        link, rest = links[0], links[1:]
        may_be_absent = link.optional or (rest[0].optional if rest else lax)
        if not link.optional:
            value = self.link(link, base, names, may_be_absent)
            return self.links(rest, self.traced(link, value), names, lax) if rest else value
        local = self.new("t")
        value = self.link(link, load(local), names, may_be_absent)
        found = self.links(rest, self.traced(link, value), names, lax) if rest else value
        return choose(self.is_absent(let(local, base), local), load("MISSING"), found)

    def traced(self, node: Node, built: ast.expr) -> ast.expr:
        if self.tracing and not self._functions:
            return self.metered("trace", const(id(node)), built)
        return built

    def link(self, link: Link, base: ast.expr, names: Names, lax: bool) -> ast.expr:
        match link:
            case Member():
                return self.field(base, link.name, link, lax)
            case Index(index=Constant(value=str() as key)):
                return self.field(base, key, link, lax)
            case Index():
                guard = "item_or_missing" if lax else "item"
                return self.call(guard, base, self.value(link.index, names, lax=False), self.source(link.value))
            case Slice():
                parts = (
                    const(None) if part is None else self.value(part, names, lax=False)
                    for part in (link.lower, link.upper, link.step)
                )
                return self.metered("cut", base, *parts, self.source(link))
            case _:
                arguments, named = self.arguments(link.arguments, link.named, names)
                return self.metered("call_method", base, const(link.name), arguments, named, self.source(link.value))

    def field(self, base: ast.expr, key: str, link: Link, lax: bool) -> ast.expr:
        """`base.key`, quickly for a plain dict, and for the length of a text or list."""
        local = self.new("t")
        name, bound = const(key), self.call("type", let(local, base))
        guard = "field_or_missing" if lax else "field"
        slow = self.call(guard, load(local), name, self.source(link.value))
        if key == "length":
            kind = self.new("t")
            test = compare(let(kind, bound), ast.Is, load("list"))
            return choose(either(test, compare(load(kind), ast.Is, load("str"))), self.call("len", load(local)), slow)
        there = both(compare(bound, ast.Is, load("dict")), compare(name, ast.In, load(local)))
        return choose(there, item_of(load(local), name), slow)

    # -- functions ---------------------------------------------------------------------------------------------------

    def is_namespaced(self, node: Node, names: Names) -> bool:
        """Whether it is `Math.PI`, `Math.max(…)` and the like."""
        if not isinstance(node, (Member, MethodCall)) or not isinstance(node.value, Name):
            return False
        return node.value.id in _NAMESPACES and node.value.id not in names

    def namespaced(self, node: Link, names: Names, lax: bool) -> ast.expr:
        assert isinstance(node, (Member, MethodCall)) and isinstance(node.value, Name)
        name = f"{node.value.id}.{node.name}"
        if isinstance(node, MethodCall):
            return self.function_call(node, name, node.arguments, node.named, names)
        if name in CONSTANTS:
            return const(CONSTANTS[name])
        return load("MISSING") if lax and name not in FUNCTIONS else self.call("constant", const(name))

    def function_name(self, node: Node, names: Names) -> str | None:
        """The name of our function that the node names without calling it, as in `filter(Boolean)`."""
        if isinstance(node, Member) and self.is_namespaced(node, names):
            assert isinstance(node.value, Name)
            name = f"{node.value.id}.{node.name}"
        elif isinstance(node, Name) and node.id not in names:
            name = node.id
        else:
            return None
        return name if name in FUNCTIONS else None

    def function_call(
        self, node: Node, name: str, arguments: tuple[Node, ...], named: tuple[Pair, ...], names: Names
    ) -> ast.expr:
        if name in names:
            raise self.fail(f"{name} is a value here, not a function", node)
        if name in ("any", "all") and len(arguments) == 1 and isinstance(arguments[0], Comprehension):
            loop = self.loop(arguments[0].element, arguments[0].clauses, names)
            return self.metered("call_function", const(name), tuple_of([self.call("Lazy", loop)]), _empty_dict())
        values, by_name = self.arguments(arguments, named, names)
        return self.metered("call_function", const(name), values, by_name)

    def arguments(
        self, arguments: tuple[Node, ...], named: tuple[Pair, ...], names: Names
    ) -> tuple[ast.expr, ast.expr]:
        values = tuple_of([self.argument(argument, names) for argument in arguments])
        keys: list[ast.expr | None] = [self.value(pair.key, names, lax=False) for pair in named]
        return values, ast.Dict(keys=keys, values=[self.argument(pair.value, names) for pair in named], **PLACE)

    def argument(self, node: Node, names: Names) -> ast.expr:
        if isinstance(node, Function):
            return self.function(node, names)
        if isinstance(node, Spread):
            return self.starred(node, names)
        name = self.function_name(node, names)
        if name is not None:
            return self.metered("function_value", const(name))
        return self.value(node, names, lax=False)

    def starred(self, node: Spread, names: Names) -> ast.expr:
        values = self.metered("spread", self.value(node.value, names, lax=False), self.source(node))
        return ast.Starred(value=values, ctx=ast.Load(), **PLACE)

    def function(self, node: Function, names: Names) -> ast.expr:
        parameters, body = self.scoped(node.parameters, names, lambda inner: self.value(node.body, inner, lax=False))
        return self.call("Callback", function_of(parameters, body), const(len(parameters)), const(_size(node.body)))

    def scoped(
        self, targets: tuple[Target, ...], names: Names, build: Callable[[Names], ast.expr]
    ) -> tuple[tuple[str, ...], ast.expr]:
        """Parameters for the targets, and a body that takes them apart before the rest of it."""
        inner, parameters, parts = dict(names), list[str](), list[ast.expr]()
        for target in targets:
            parameter = self.new("v")
            parameters.append(parameter)
            if target.whole:
                inner[target.names[0]] = parameter
                continue
            for index, name in enumerate(target.names):
                inner[name] = self.new("v")
                parts.append(let(inner[name], self.part(parameter, target, index)))
        self._functions += 1
        body = build(inner)
        self._functions -= 1
        return tuple(parameters), item_of(tuple_of([*parts, body]), const(-1)) if parts else body

    def part(self, parameter: str, target: Target, index: int) -> ast.expr:
        if target.keys is None:
            return self.call("part", load(parameter), const(index), self.source(target))
        return self.call("named_part", load(parameter), const(target.keys[index]), self.source(target))

    # -- comprehensions and literals ---------------------------------------------------------------------------------

    def comprehension(self, node: Comprehension, names: Names) -> ast.expr:
        values = self.metered("collect", self.loop(node.element, node.clauses, names))
        return self.metered("build_mapping", values, self.source(node)) if isinstance(node.element, Pair) else values

    def loop(self, element: Node, clauses: tuple[Clause, ...], names: Names) -> ast.expr:
        clause, inner_clauses = clauses[0], clauses[1:]

        def answer(inner: Names) -> ast.expr:
            if inner_clauses:
                return self.loop(element, inner_clauses, inner)
            return self.pair(element, inner) if isinstance(element, Pair) else self.value(element, inner, lax=False)

        def test(inner: Names) -> ast.expr:
            return both(*(self.truth(condition, inner) for condition in clause.conditions))

        values = self.value(clause.values, names, lax=False)
        tested = function_of(*self.scoped((clause.target,), names, test)) if clause.conditions else const(None)
        answered = function_of(*self.scoped((clause.target,), names, answer))
        guard = "each_of_each" if inner_clauses else "each"
        cost = sum(map(_size, clause.conditions)) + (1 if inner_clauses else _size(element))
        return self.metered(guard, values, tested, answered, const(cost), self.source(clause.values))

    def list_literal(self, node: ListLiteral, names: Names) -> ast.expr:
        items = [
            self.starred(item, names) if isinstance(item, Spread) else self.value(item, names, lax=False)
            for item in node.items
        ]
        built = ast.List(elts=items, ctx=ast.Load(), **PLACE)
        return self.metered("sized", built) if any(isinstance(item, Spread) for item in node.items) else built

    def mapping_literal(self, node: MappingLiteral, names: Names) -> ast.expr:
        pairs = [
            tuple_of([load("SPREAD"), self.value(entry.value, names, lax=False)])
            if isinstance(entry, Spread)
            else self.pair(entry, names)
            for entry in node.entries
        ]
        return self.metered("build_mapping", tuple_of(pairs), self.source(node))

    def pair(self, node: Node, names: Names) -> ast.expr:
        assert isinstance(node, Pair)
        return tuple_of([self.value(node.key, names, lax=False), self.value(node.value, names, lax=False)])

    def regex(self, node: Regex) -> ast.expr:
        from matchex._regex import PatternError, compile_pattern

        written = f"/{node.source}/{node.flags}"
        try:
            pattern = Pattern(compile_pattern(node.source, node.flags), node.flags, written)
        except PatternError as error:
            column = node.start + 1 + (error.position or 0)
            raise ExpressionSyntaxError(f"the pattern {written}: {error.message}", self.text, column) from None
        name = self.new("p")
        self.patterns[name] = pattern
        return load(name)


def _is_numeric(name: str, kind: ast.expr) -> ast.expr:
    """Whether a type, bound to `name` by `kind`, is int or float."""
    return either(compare(kind, ast.Is, load("int")), compare(load(name), ast.Is, load("float")))


def _empty_dict() -> ast.expr:
    return ast.Dict(keys=[], values=[], **PLACE)


def _is_boolean(node: Node) -> bool:
    """Whether the value of a node is certainly true or false."""
    if isinstance(node, Constant):
        return isinstance(node.value, bool)
    if isinstance(node, Logical):
        return node.operator != "??" and all(_is_boolean(operand) for operand in node.operands)
    return isinstance(node, Compare) or (isinstance(node, Unary) and node.operator == "not")


def _size(node: Node) -> int:
    """The number of parts of a node: what one round of a loop costs."""
    size, pending = 0, [node]
    while pending:
        size += 1
        pending.extend(children(pending.pop()))
    return size
