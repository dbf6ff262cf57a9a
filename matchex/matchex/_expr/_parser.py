"""A Pratt parser of the union of both spellings: `a.b === 1 && c` and `a.b == 1 and c` give the same tree.

Where the two languages read the same text differently, the text is refused with the advice to write parentheses.
"""

from __future__ import annotations

from typing import Final, cast

from matchex._expr._advice import ABOUT_OPERATORS, ABOUT_WORDS, NO_FUNCTIONS
from matchex._expr._errors import ExpressionSyntaxError
from matchex._expr._limits import ExpressionLimits
from matchex._expr._tokens import Token, tokenize
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

__all__ = ["parse"]

LEVELS_PER_DEPTH: Final = 3

_CONSTANTS: Final[dict[str, object]] = {
    **{"true": True, "True": True, "false": False, "False": False, "null": None, "None": None},
    **{"NaN": float("nan"), "Infinity": float("inf")},
}
_ORDERINGS: Final = frozenset({"<", "<=", ">", ">="})

# How tightly operators bind; `not` stands between `and` and the comparisons, as in Python.
_LOOSEST = _OR = 1
_AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _UNARY, _POWER = range(2, 9)
_INFIX: Final[dict[str, tuple[str, int]]] = {
    **{"or": ("or", _OR), "||": ("or", _OR), "??": ("??", _OR), "and": ("and", _AND), "&&": ("and", _AND)},
    **{mark: (mark, _COMPARISON) for mark in ("<", "<=", ">", ">=", "==", "!=", "===", "!==", "in", "is")},
    **{mark: (mark, _SUM) for mark in ("+", "-")},
    **{mark: (mark, _PRODUCT) for mark in ("*", "/", "//", "%")},
    "**": ("**", _POWER),
}
_PREFIX: Final[dict[str | None, tuple[str, int]]] = {
    **{"not": ("not", _NOT), "!": ("not", _UNARY), "typeof": ("typeof", _UNARY)},
    **{"-": ("-", _UNARY), "+": ("+", _UNARY)},
}

_TOO_DEEP = "the expression is nested too deeply: the limit depth was reached"
_MIXED = "?? beside && or || needs parentheses around one of them"
_KEYWORDS: Final = frozenset(ABOUT_WORDS) | {"not", "typeof", "undefined"} | frozenset(_CONSTANTS)


def parse(text: str, limits: ExpressionLimits) -> Node:
    """The tree of an expression.

    Raises:
        ExpressionSyntaxError: The text is no expression, with the column and what to write instead.
    """
    if len(text) > limits.size:
        raise ExpressionSyntaxError(f"the expression is longer than the limit size={limits.size}", text, 0)
    try:
        tokens = tokenize(text, limits.depth)
        tree = _Parser(text, tokens, limits.depth).whole()
    except RecursionError:
        raise ExpressionSyntaxError("the expression is nested too deeply", text, 0) from None
    _check_depth(tree, text, limits.depth * LEVELS_PER_DEPTH)
    return tree


def _check_depth(tree: Node, text: str, limit: int) -> None:
    """Refuse trees too deep to compile: a row of operators nests to the left without any parentheses."""
    level, depth = [tree], 0
    while level:
        depth += 1
        if depth > limit:
            message = f"the row of operators is longer than {limit}, {LEVELS_PER_DEPTH} times the limit depth"
            raise ExpressionSyntaxError(message, text, level[0].start)
        level = [child for node in level for child in children(node)]


class _Parser:
    def __init__(self, text: str, tokens: list[Token], depth: int) -> None:
        self.text = text
        self.tokens = tokens
        self.depth = depth
        self.at = 0

    # -- tokens ------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    @property
    def last_end(self) -> int:
        return self.tokens[self.at - 1].end

    def fail(self, message: str, column: int | None = None) -> ExpressionSyntaxError:
        return ExpressionSyntaxError(message, self.text, self.token.start if column is None else column)

    def operator(self) -> str | None:
        """The operator that comes next, or None where something else does."""
        token = self.token
        return str(token.value) if token.kind == "operator" else None

    def next_is_word(self, word: str, ahead: int = 0) -> bool:
        position = min(self.at + ahead, len(self.tokens) - 1)
        token = self.tokens[position]
        return token.kind == "word" and token.value == word

    def accept(self, operator: str) -> bool:
        found = self.operator() == operator
        self.at += found
        return found

    def expect(self, operator: str, after: str) -> None:
        if not self.accept(operator):
            raise self.unexpected(f"expected {operator} {after}")

    def unexpected(self, expected: str = "") -> ExpressionSyntaxError:
        """What to say about the token that comes next and does not fit."""
        token = self.token
        advice = ""
        if token.kind == "operator":
            advice = ABOUT_OPERATORS.get(str(token.value), "")
        elif token.kind == "word":
            advice = ABOUT_WORDS.get(str(token.value), "")
        if token.kind == "end":
            return self.fail(expected or "the expression ends where a value is missing")
        if advice:
            return self.fail(advice)
        found = self.text[token.start : token.end]
        return self.fail(f"unexpected {found[:40]}" + (f": {expected}" if expected else ""))

    # -- from the loosest to the tightest operators ------------------------------------------------------------------

    def whole(self) -> Node:
        if self.token.kind == "end":
            raise self.fail("the expression is empty")
        tree = self.expression()
        if self.token.kind != "end":
            raise self.unexpected()
        return tree

    def expression(self) -> Node:
        start = self.token.start
        self.descend(start)
        node = self.level(_LOOSEST)
        if self.accept("?"):
            then = self.expression()
            self.expect(":", "and the value for the other case, as in test ? x : y")
            node = Conditional(start, self.last_end, node, then, self.expression())
        elif self.next_is_word("if"):
            self.at += 1
            test = self.level(_LOOSEST)
            if not self.next_is_word("else"):
                raise self.unexpected("expected else, as in x if test else y")
            self.at += 1
            node = Conditional(start, self.last_end, test, node, self.expression())
        self.depth += 1
        return node

    def level(self, minimum: int) -> Node:
        """A value with all operators after it that bind at least as tightly as `minimum`."""
        start = self.token.start
        node = self.prefix(minimum)
        while True:
            operator, power = self.infix()
            if power < max(minimum, _LOOSEST):
                return node
            if power in (_OR, _AND):
                node = self.logical(start, node, operator, power)
            elif power == _COMPARISON:
                node = self.comparison(start, node)
            else:
                self.at += 1
                right = self.level(_UNARY if power == _POWER else power + 1)
                node = Binary(start, self.last_end, operator, node, right)

    def infix(self) -> tuple[str, int]:
        """The infix operator that comes next and how tightly it binds; 0 where something else comes."""
        token = self.token
        if token.kind == "word" and token.value == "not":
            return ("not in", _COMPARISON) if self.next_is_word("in", ahead=1) else ("", 0)
        if token.kind not in ("operator", "word"):
            return "", 0
        return _INFIX.get(str(token.value), ("", 0))

    def prefix(self, minimum: int) -> Node:
        start = self.token.start
        operator = self.operator() if self.token.kind == "operator" else str(self.token.value)
        if operator not in _PREFIX or self.token.kind not in ("operator", "word"):
            return self.postfix()
        name, power = _PREFIX[operator]
        if power < minimum:
            raise self.fail(f"put `{operator} …` in parentheses here")
        self.at += 1
        self.descend(start)
        operand = self.level(power)
        self.depth += 1
        return Unary(start, self.last_end, name, operand)

    def descend(self, column: int) -> None:
        self.depth -= 1
        if self.depth < 0:
            raise self.fail(_TOO_DEEP, column)

    def logical(self, start: int, first: Node, found: str, power: int) -> Node:
        """A row of `and`, `or` or `??`; `??` does not mix with the others, as in JavaScript."""
        operands, columns = [first], [start]
        while self.infix()[0] == found:
            self.at += 1
            columns.append(self.token.start)
            operands.append(self.level(power + 1))
        if power == _OR and self.infix()[1] == _OR:
            raise self.fail(_MIXED)
        if found == "??":
            for operand, column in zip(operands, columns, strict=True):
                if isinstance(operand, Logical) and operand.start == column:  # not in parentheses
                    raise self.fail(_MIXED, column)
        return Logical(start, self.last_end, found, tuple(operands))

    def comparison(self, start: int, first: Node) -> Node:
        operands, operators, columns = [first], list[str](), list[int]()
        while self.infix()[1] == _COMPARISON:
            columns.append(self.token.start)
            operators.append(self.comparison_operator())
            operands.append(self.level(_COMPARISON + 1))
        self.check_identity(operators, operands, columns)
        if len(operators) == 1 or _ORDERINGS.issuperset(operators) or set(operators) == {"=="}:
            return Compare(start, self.last_end, tuple(operators), tuple(operands))
        return self.equality_of_orderings(start, operators, operands, columns)

    def comparison_operator(self) -> str:
        """Take a comparison operator, of one or two words."""
        operator = self.infix()[0]
        negated = operator == "is" and self.next_is_word("not", ahead=1)
        self.at += 2 if negated or operator == "not in" else 1
        return "is not" if negated else operator

    def check_identity(self, operators: list[str], operands: list[Node], columns: list[int]) -> None:
        for index, operator in enumerate(operators):
            if operator not in ("is", "is not"):
                continue
            if not any(_is_singleton(operand) for operand in operands[index : index + 2]):
                equality = "==" if operator == "is" else "!="
                raise self.fail(f"`{operator}` is only for None, True and False: write {equality}", columns[index])

    def equality_of_orderings(self, start: int, operators: list[str], operands: list[Node], columns: list[int]) -> Node:
        """`a > 1 === b > 1`: only JavaScript writes `===`, and there it binds looser than an ordering."""
        strict = [index for index, operator in enumerate(operators) if operator in ("===", "!==")]
        if len(strict) != 1 or not _ORDERINGS.issuperset(operators[: strict[0]] + operators[strict[0] + 1 :]):
            message = "the two spellings read this row of comparisons differently: write parentheses"
            raise self.fail(message, columns[1])
        middle = strict[0]
        left = _chain(operators[:middle], operands[: middle + 1], start)
        right = _chain(operators[middle + 1 :], operands[middle + 1 :], operands[middle + 1].start)
        return Compare(start, self.last_end, (operators[middle],), (left, right))

    # -- members, indexes and calls ----------------------------------------------------------------------------------

    def postfix(self) -> Node:
        start = self.token.start
        node = self.primary()
        while True:
            operator = self.operator()
            if operator in (".", "?."):
                self.at += 1
                if self.operator() == "[" and operator == "?.":
                    node = self.index(start, node, optional=True)
                else:
                    node = self.member(start, node, optional=operator == "?.")
            elif operator == "[":
                node = self.index(start, node, optional=False)
            elif operator == "(":
                node = self.call(start, node)
            elif self.token.kind == "template":
                raise self.fail("tagged templates are not supported")
            else:
                return node

    def member(self, start: int, value: Node, *, optional: bool) -> Node:
        if self.token.kind != "word":
            if optional and self.operator() == "(":
                raise self.fail("?.( is not supported: methods are always there, write .name(…) or ?.name(…)")
            raise self.unexpected("expected the name of a field after the dot")
        name = str(self.token.value)
        self.at += 1
        return Member(start, self.last_end, value, name, optional)

    def index(self, start: int, value: Node, *, optional: bool) -> Node:
        self.at += 1
        parts: list[Node | None] = []
        colons = 0
        while self.operator() != "]":
            if self.accept(":"):
                colons += 1
                parts += [None] * (colons - len(parts))
            elif len(parts) > colons or colons > 2:
                raise self.unexpected("expected ] after the index")
            else:
                parts.append(self.expression())
        if not parts:
            raise self.fail("an index is missing between [ and ]")
        if colons > 2:
            raise self.fail("a slice has at most three parts, as in a[1:5:2]")
        self.at += 1
        if not colons:
            assert parts[0] is not None
            return Index(start, self.last_end, value, parts[0], optional)
        lower, upper, step = (parts + [None] * 3)[:3]
        return Slice(start, self.last_end, value, lower, upper, step, optional)

    def call(self, start: int, callee: Node) -> Node:
        opening = self.token.start
        arguments, named = self.arguments()
        end = self.last_end
        if isinstance(callee, Name) and callee.id != "undefined":
            return Call(start, end, callee.id, arguments, named)
        if isinstance(callee, Member) and callee.start == start:
            return MethodCall(start, end, callee.value, callee.name, arguments, named, callee.optional)
        raise self.fail("only functions such as len(x) and methods such as x.trim() can be called", opening)

    def arguments(self) -> tuple[tuple[Node, ...], tuple[Pair, ...]]:
        self.at += 1
        arguments, named = list[Node](), list[Pair]()
        while not self.accept(")"):
            start = self.token.start
            if self.token.kind == "word" and self.tokens[self.at + 1].value == "=":
                key = Constant(start, self.token.end, str(self.token.value))
                self.at += 2
                value = self.argument()
                named.append(Pair(start, self.last_end, key, value))
            elif named:
                raise self.fail("an argument without a name must come before the named ones")
            elif self.accept("..."):
                arguments.append(Spread(start, self.last_end, self.expression()))
            elif self.operator() in ("*", "**"):
                raise self.fail(f"{self.operator()} does not spread arguments here: write ...values")
            else:
                arguments.append(self.generator_or_argument(first=not arguments))
            if self.operator() != ")":
                self.expect(",", "or ) after the argument")
        return tuple(arguments), tuple(named)

    def generator_or_argument(self, *, first: bool) -> Node:
        start = self.token.start
        node = self.argument()
        if not self.next_is_word("for"):
            return node
        if isinstance(node, Function):
            raise self.fail(NO_FUNCTIONS, start)
        if not first:
            raise self.fail("a generator must be the only argument: put it in brackets")
        clauses = self.clauses()
        if self.operator() != ")":
            raise self.unexpected("expected ) after the generator")
        return Comprehension(start, self.last_end, node, clauses, lazy=True)

    def argument(self) -> Node:
        """An argument of a call: the one place where functions are written."""
        if self.next_is_word("lambda"):
            return self.lambda_function()
        if self.at_arrow_function():
            return self.arrow_function()
        return self.expression()

    # -- functions ---------------------------------------------------------------------------------------------------

    def at_arrow_function(self) -> bool:
        if self.token.kind == "word":
            return self.tokens[self.at + 1].value == "=>" and self.tokens[self.at + 1].kind == "operator"
        if self.operator() != "(":
            return False
        open_brackets = 0
        for position in range(self.at, len(self.tokens)):
            token = self.tokens[position]
            if token.kind == "operator":
                open_brackets += (token.value in ("(", "[", "{")) - (token.value in (")", "]", "}"))
                if not open_brackets:
                    following = self.tokens[position + 1]
                    return following.kind == "operator" and following.value == "=>"
            elif token.kind != "word":
                return False
        return False

    def arrow_function(self) -> Node:
        start = self.token.start
        parameters: list[Target] = []
        if self.accept("("):
            while not self.accept(")"):
                parameters.append(self.pattern())
                if self.operator() != ")":
                    self.expect(",", "or ) after the parameter")
        else:
            parameters.append(self.pattern())
        self.at += 1
        if self.operator() == "{":
            raise self.fail(
                "the body of a function is a single value: write x => x > 1, or x => ({a: x}) for an object"
            )
        return self.function(start, parameters)

    def lambda_function(self) -> Node:
        start = self.token.start
        self.at += 1
        parameters: list[Target] = []
        while not self.accept(":"):
            parameters.append(self.pattern())
            if self.operator() != ":":
                self.expect(",", "or : after the parameter")
        return self.function(start, parameters)

    def function(self, start: int, parameters: list[Target]) -> Node:
        names = [name for parameter in parameters for name in parameter.names]
        if len(set(names)) != len(names):
            raise self.fail("two parameters have the same name", start)
        if self.at_arrow_function() or self.next_is_word("lambda"):
            raise self.fail("a function cannot answer with another function")
        body = self.expression()
        return Function(start, self.last_end, tuple(parameters), body)

    def pattern(self) -> Target:
        """A parameter: `x`, `[a, b]` or `{a, b: c}`."""
        start = self.token.start
        if self.accept("["):
            names = [name for _, name in self.names("]", renamed=False)]
            return Target(start, self.last_end, tuple(names), whole=False)
        if self.accept("{"):
            pairs = self.names("}", renamed=True)
            keys = tuple(key for key, _ in pairs)
            return Target(start, self.last_end, tuple(name for _, name in pairs), keys, whole=False)
        name = self.variable()
        return Target(start, self.last_end, (name,))

    def names(self, closing: str, *, renamed: bool) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        while not self.accept(closing):
            key = name = self.variable()
            if renamed and self.accept(":"):
                name = self.variable()
            found.append((key, name))
            if self.operator() != closing:
                self.expect(",", f"or {closing} after the name")
        if not found:
            raise self.fail("the pattern names nothing", self.tokens[self.at - 1].start)
        return found

    def variable(self) -> str:
        token = self.token
        if token.kind != "word":
            what = "= gives a default, which parameters cannot have" if self.operator() == "=" else "expected a name"
            raise self.fail(what)
        if token.value in _KEYWORDS:
            raise self.fail(f"{token.value} cannot be the name of a parameter")
        self.at += 1
        return str(token.value)

    # -- comprehensions ----------------------------------------------------------------------------------------------

    def clauses(self) -> tuple[Clause, ...]:
        found: list[Clause] = []
        while self.next_is_word("for"):
            start = self.token.start
            self.at += 1
            target = self.target()
            if not self.next_is_word("in"):
                raise self.unexpected("expected in, as in x for x in actual")
            self.at += 1
            values = self.level(_LOOSEST)
            conditions: list[Node] = []
            while self.next_is_word("if"):
                self.at += 1
                conditions.append(self.level(_LOOSEST))
            found.append(Clause(start, self.last_end, target, values, tuple(conditions)))
        return tuple(found)

    def target(self) -> Target:
        """The variables of a `for`: `x`, `k, v` or `(k, v)`."""
        start = self.token.start
        opened = self.accept("(")
        names = [self.variable()]
        single = True
        while self.accept(","):
            single = False
            if self.next_is_word("in") or self.operator() == ")":
                break
            names.append(self.variable())
        if opened:
            self.expect(")", "after the variables")
        if len(set(names)) != len(names):
            raise self.fail("two variables have the same name", start)
        return Target(start, self.last_end, tuple(names), whole=single)

    # -- values ------------------------------------------------------------------------------------------------------

    def primary(self) -> Node:
        token = self.token
        if token.kind == "word":
            return self.word()
        if token.kind in ("number", "text"):
            self.at += 1
            return Constant(token.start, token.end, token.value)
        if token.kind == "template":
            return self.template()
        if token.kind == "regex":
            self.at += 1
            source, flags = cast("tuple[str, str]", token.value)
            return Regex(token.start, token.end, source, flags)
        operator = self.operator()
        if operator == "(":
            return self.group()
        if operator == "[":
            return self.list_literal()
        if operator == "{":
            return self.mapping_literal()
        raise self.unexpected()

    def word(self) -> Node:
        token = self.token
        word = str(token.value)
        if word in _CONSTANTS:
            self.at += 1
            return Constant(token.start, token.end, _CONSTANTS[word])
        if word in ABOUT_WORDS:
            if word == "from" and self.tokens[self.at + 1].kind != "word":
                return self.name()
            raise self.fail(ABOUT_WORDS[word])
        if self.at_arrow_function():
            raise self.fail(NO_FUNCTIONS)
        return self.name()

    def name(self) -> Node:
        token = self.token
        self.at += 1
        return Name(token.start, token.end, str(token.value))

    def template(self) -> Node:
        token = self.token
        self.at += 1
        parts: list[Node] = []
        for part in cast("list[str | list[Token]]", token.value):
            if isinstance(part, str):
                if part:
                    parts.append(Constant(token.start, token.end, part))
                continue
            parts.append(_Parser(self.text, part, self.depth).whole())
        return Template(token.start, token.end, tuple(parts))

    def group(self) -> Node:
        """Parentheses, or a tuple of Python's spelling, which is a list."""
        start = self.token.start
        if self.at_arrow_function():
            raise self.fail(NO_FUNCTIONS)
        self.at += 1
        if self.accept(")"):
            return ListLiteral(start, self.last_end, ())
        node = self.expression()
        if self.next_is_word("for"):
            clauses = self.clauses()
            self.expect(")", "after the generator")
            return Comprehension(start, self.last_end, node, clauses, lazy=False)
        if self.operator() != ",":
            self.expect(")", "to close the parenthesis")
            return node
        items = [node]
        while self.accept(",") and self.operator() != ")":
            items.append(self.expression())
        self.expect(")", "to close the parenthesis")
        return ListLiteral(start, self.last_end, tuple(items))

    def list_literal(self) -> Node:
        start = self.token.start
        self.at += 1
        items: list[Node] = []
        while not self.accept("]"):
            if self.operator() == ",":
                raise self.fail("an item is missing before ,")
            items.append(self.spread_or_expression())
            if len(items) == 1 and self.next_is_word("for") and not isinstance(items[0], Spread):
                clauses = self.clauses()
                self.expect("]", "after the comprehension")
                return Comprehension(start, self.last_end, items[0], clauses, lazy=False)
            if self.operator() != "]":
                self.expect(",", "or ] after the item")
        return ListLiteral(start, self.last_end, tuple(items))

    def spread_or_expression(self) -> Node:
        start = self.token.start
        if self.operator() in ("*", "**"):
            raise self.fail(f"{self.operator()} does not spread here: write ...values")
        if self.accept("..."):
            value = self.expression()
            return Spread(start, self.last_end, value)
        return self.expression()

    def mapping_literal(self) -> Node:
        start = self.token.start
        self.at += 1
        entries: list[Node] = []
        while not self.accept("}"):
            bare = self.token.kind == "word"
            entry = self.entry()
            if self.next_is_word("for") and not entries and isinstance(entry, Pair):
                if bare and isinstance(entry.key, Constant):
                    variable = Name(entry.key.start, entry.key.end, str(entry.key.value))
                    entry = Pair(entry.start, entry.end, variable, entry.value)
                clauses = self.clauses()
                self.expect("}", "after the comprehension")
                return Comprehension(start, self.last_end, entry, clauses, lazy=False)
            entries.append(entry)
            if self.operator() != "}":
                self.expect(",", "or } after the value")
        return MappingLiteral(start, self.last_end, tuple(entries))

    def entry(self) -> Node:
        """`a: 1`, `'a': 1`, `[key]: 1`, `a` (for `a: a`), `...other`."""
        token, start = self.token, self.token.start
        following = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if self.operator() in ("...", "*", "**"):
            return self.spread_or_expression()
        if token.kind == "word" and following.kind == "operator" and following.value in (":", ",", "}"):
            self.at += 1
            key: Node = Constant(start, token.end, str(token.value))
            if following.value == ":":
                self.at += 1
                return Pair(start, self.token.end, key, self.expression())
            if token.value in _KEYWORDS:
                raise self.fail(f"{token.value} needs a value here: write {{{token.value}: …}}", start)
            return Pair(start, self.last_end, key, Name(start, token.end, str(token.value)))
        if self.accept("["):
            key = self.expression()
            self.expect("]", "after the computed key")
        else:
            key = self.expression()
        if self.operator() in (",", "}") or self.next_is_word("for"):
            raise self.fail("sets are not written in braces: write a list [a, b], or {key: value} for an object", start)
        self.expect(":", "and the value after the key")
        return Pair(start, self.token.end, key, self.expression())


def _chain(operators: list[str], operands: list[Node], start: int) -> Node:
    if not operators:
        return operands[0]
    return Compare(start, operands[-1].end, tuple(operators), tuple(operands))


def _is_singleton(node: Node) -> bool:
    if isinstance(node, Name):
        return node.id == "undefined"
    return isinstance(node, Constant) and (node.value is None or isinstance(node.value, bool))
