"""From an expectation to its tree of nodes.

One `Compiler` reads one expectation. Without a scope it checks all that can be told without values: every mistake
becomes a `Problem`, and `late` tells whether placeholders stand in it. With a scope (the variables of one match) it
renders the placeholders and compiles what they give; parts without placeholders are taken from the first reading, and
what is wrong only through a placeholder's value becomes a node that is in error.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from matchex._custom import CallNode, ExpressionNode, OperatorNode
from matchex._diffspec import build_diff, diff_of_text
from matchex._errors import MatchingError, Problem, SchemaProblem, TemplateProblem
from matchex._expr import Expression, ExpressionSyntaxError, compile_expression
from matchex._jsontext import json_text
from matchex._lists import ListNode
from matchex._logic import AndNode, OperatorsNode
from matchex._mapping import Field, MappingNode
from matchex._meta import META_KEYS, NO_META, UNKNOWN, Meta, read_meta
from matchex._node import Broken, Keys, Marked, Node
from matchex._operator import Operator
from matchex._operators import Build, Site, Wrong
from matchex._options import Options
from matchex._outcome import Trouble
from matchex._paths import format_place, nearest, parse_path
from matchex._placeholders import has_placeholders, unescape
from matchex._regex import Pattern, PatternError, compile_pattern, escape, from_python, parse_literal
from matchex._registry import Registry
from matchex._scalars import Absent, PatternLeaf, Same, SameNumber, Text, WholeText
from matchex._schema import SchemaEngine, SchemaNode, may_be_schema
from matchex._show import show
from matchex._strategies import MAX, WEIGHTED, Strategy
from matchex._templates import Rendered
from matchex._texts import DiffNode
from matchex._values import MISSING, Literal, as_list, as_mapping, trim, type_name

__all__ = ["Compiler", "Mode", "Scope"]


_MOST_NODES: Final = 300_000
"""How many parts an expectation may have; what holds one part many times, or placeholders, could grow for ever."""
_TOO_LARGE: Final = f"the expectation has more than {_MOST_NODES:,} parts (its placeholders included)"


_AS_DATA: Final = "{$eq: …} compares with data, and $meta beside it makes it data"
_FOREIGN: Final = {
    **dict.fromkeys(("$regex", "$match", "$matches", "$pattern"), "a pattern is a text: /…/i"),
    **dict.fromkeys(("$size", "$len"), "$length takes a number or an expectation"),
    **dict.fromkeys(("$elemMatch", "$some", "$includes", "$has"), "$contains takes what some item must match"),
    **dict.fromkeys(("$every", "$allMatch"), "$each takes what every item must match"),
    **dict.fromkeys(("$any", "$anyOf"), "$or takes expectations of which one must match"),
    **dict.fromkeys(("$oneOf", "$xor"), "$in takes values of which one is equal, $or expectations"),
    **dict.fromkeys(("$allOf",), "$and takes expectations that must all match"),
    **dict.fromkeys(("$nor", "$noneOf"), "$not takes {$or: […]}"),
    **dict.fromkeys(("$between", "$range"), "write {$gte: …, $lte: …}"),
    **dict.fromkeys(("$equals", "$equal", "$is"), "$eq takes the whole value"),
    **dict.fromkeys(("$greaterThan", "$min"), "$gt and $gte take the bound"),
    **dict.fromkeys(("$lessThan", "$max"), "$lt and $lte take the bound"),
    **dict.fromkeys(("$weight", "$points"), "$score gives a weight"),
    **dict.fromkeys(("$ignoreCase", "$caseInsensitive", "$icontains"), "the pattern /…/i ignores the case"),
}
"""What names that people know from other languages are here."""


class Mode(NamedTuple):
    """How an expectation is to be read at some place.

    Attributes:
        keys: Surplus keys are failures (strict object).
        items: Surplus items are failures (strict array).
        literal: All of it is data: no operators, patterns, placeholders.
        reads: A container reads the weight that is written there.
        only: Surplus keys and items are failures, on this level alone (`$only`).
    """

    keys: bool = False
    items: bool = False
    literal: bool = False
    reads: bool = False
    only: bool = False

    def reading(self) -> Mode:
        """For a child of a container that reads weights."""
        return self if self.reads and not self.only else self._replace(reads=True, only=False)

    def lone(self) -> Mode:
        """For an operand whose weight nothing reads."""
        return self._replace(reads=False, only=False) if self.reads or self.only else self

    def lenient(self) -> Mode:
        """Below `$not` and `$none`: strictness would turn round."""
        return self._replace(keys=False, items=False)


_LENIENT: Final = Mode()


class RenderedKey(str):
    """A key whose placeholders were rendered.

    Attributes:
        raw: The key as it was written.
        literal: It is data: no operator, pattern or path.
    """

    raw: str
    literal: bool

    def __new__(cls, text: str, raw: str, *, literal: bool = False) -> RenderedKey:
        made = super().__new__(cls, text)
        made.raw = raw
        made.literal = literal
        return made

    def __reduce__(self) -> Any:
        return _rendered_key, (str(self), self.raw, self.literal)


def _rendered_key(text: str, raw: str, literal: bool) -> RenderedKey:
    return RenderedKey(text, raw, literal=literal)


def _text_of(value: object) -> str:
    """A value as it is written into texts."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value)


class Scope(NamedTuple):
    """What placeholders are rendered from, in one match."""

    variables: Mapping[str, Any]


class _Later(Exception):
    """An operand that is known only when its placeholders are rendered."""


class Compiler:
    """Reads one expectation.

    Args:
        options: The options of the match.
        registry: Operators, strategies and engines.
        scope: The variables of one match; None for the first reading.
        static: Nodes of an earlier reading by place, for the parts without placeholders.
        make_context: Makes the context of user code.
    """

    def __init__(
        self,
        options: Options,
        registry: Registry,
        make_context: Callable[..., Any],
        *,
        scope: Scope | None = None,
        static: dict[tuple[Keys, Mode], Node] | None = None,
    ) -> None:
        self.options = options
        self.registry = registry
        self.make_context = make_context
        self.problems: list[Problem] = []
        self.late = 0
        self.foreign = False
        self._scope = scope
        self._static = static if static is not None else {}
        self._records = scope is None and static is not None
        self._chain: tuple[str, ...] = ()
        self._nodes = 0

    def compile(self, expected: object) -> Node:
        """The tree of an expectation; look at `problems` and `late` afterwards."""
        options = self.options
        mode = Mode(options.is_strict("object"), options.is_strict("array")) if options.strict else _LENIENT
        mark = options.root_threshold
        return self.node(expected, (), mode, NO_META if mark is None else Meta(threshold=mark))

    # -- any expectation

    def node(self, expected: object, place: Keys, mode: Mode, outer: Meta = NO_META) -> Node:
        """The node of an expectation.

        Args:
            expected: The expectation.
            place: Where it stands.
            mode: How it is to be read.
            outer: Metadata of an enclosing `$expect`, which count here.
        """
        if len(place) > self.options.max_depth:
            return self.problem(place, f"nested deeper than {self.options.max_depth} levels (option max_depth)")
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            if self._nodes > _MOST_NODES + 1:
                return Broken(place, None, Trouble("definition", "too large"))
            return self.problem(place, _TOO_LARGE)
        if isinstance(expected, Trouble):  # of a key that could not be rendered
            return Broken(place, None, expected)
        if self._scope is not None and outer is NO_META:
            known = self._static.get((place, mode))
            if known is not None:
                return known
        before = self.late
        node = self._read(expected, place, mode, outer)
        if self._records and self.late == before and outer is NO_META:
            self._static[place, mode] = node
        return node

    def _read(self, expected: object, place: Keys, mode: Mode, outer: Meta) -> Node:
        if isinstance(expected, str):
            return self._text(expected, place, mode, outer)
        mapping = as_mapping(expected)
        if mapping is not None:
            return self._mapping(mapping, place, mode, outer)
        items = as_list(expected)
        if items is not None:
            return self._guard(place, expected, lambda: self._list(expected, items, place, mode, outer))
        return self._childless(self._value(expected, place, mode), outer, place, mode)

    def _childless(self, node: Node, meta: Meta, place: Keys, mode: Mode) -> Node:
        """Finish a node that has no children for a strategy."""
        if meta.strategy is not None:
            return self.problem((*place, "$strategy"), "only a mapping or a list has children for a strategy")
        return self._finish(node, meta, place, mode)

    def _guard(self, place: Keys, expected: object, build: Callable[[], Node]) -> Node:
        """Build a node, or the one that stands for what went wrong."""
        try:
            return build()
        except Wrong as wrong:
            return self.problem((*place, *wrong.keys), wrong.message, wrong.suggestion)
        except _Later:
            return Same(place, expected)  # never asked: a tree with late parts is compiled again for each match
        except MatchingError as error:
            return Broken(place, expected, Trouble(error.kind, error.message, error))

    def _value(self, expected: object, place: Keys, mode: Mode) -> Node:
        if expected is MISSING:
            return Absent(place, MISSING)
        if expected is None or isinstance(expected, (bool, date, time, bytes, bytearray, memoryview)):
            return Same(place, cast("object", expected))
        if isinstance(expected, (int, float, Decimal)):
            return SameNumber(place, expected)
        if isinstance(expected, Literal):
            return self.node(expected.value, place, mode._replace(literal=True))
        if isinstance(expected, Pattern):
            return PatternLeaf(place, expected, expected, self.options.regex_timeout)
        if isinstance(expected, re.Pattern):
            pattern = cast("re.Pattern[Any]", expected)
            return self._guard(place, pattern, lambda: self._python_pattern(pattern, place))
        if hasattr(expected, "__matchex_schema__"):
            return self.schema_node(cast("Any", expected).__matchex_schema__, place)
        if isinstance(expected, type):
            return self.problem(
                place, f"the class {expected.__name__} is no expectation; {{$type: …}} asks for a type of JSON"
            )
        if callable(expected):
            return CallNode(place, expected, self.options.threshold, self.make_context)
        return self.problem(place, f"{type_name(expected)} is no expectation; {{$eq: …}} compares with any value")

    def _finish(self, node: Node, meta: Meta, place: Keys, mode: Mode) -> Node:
        """Lay the metadata of an expectation on its node."""
        if meta.weight is not None and meta.weight < 0 and not mode.reads:
            where = "the fields of a mapping, the items of a list, or the operands of $and, $or, $all, $sequence"
            return self.problem(place, f"a penalty ({meta.weight:g}) has no effect here; put it among {where}")
        if meta.critical or meta.threshold is not None or meta.title or meta.dimension:
            node = Marked(
                node,
                critical=bool(meta.critical),
                threshold=meta.threshold,
                title=meta.title,
                dimension=meta.dimension,
            )
        if meta.weight is not None:
            if self._scope is not None:
                node = copy.copy(node)  # it may be one of the first reading, which other matches use too
            node.weight = float(meta.weight)
        return node

    # -- texts

    def _text(self, text: str, place: Keys, mode: Mode, outer: Meta) -> Node:
        if mode.literal:
            return self._childless(self._plain_text(text, place), outer, place, mode)
        literal = parse_literal(text)
        if literal is not None:
            node = self._guard(place, text, lambda: self._pattern(literal, text, place))
            return self._childless(node, outer, place, mode)
        if not self._may_hold_placeholder(text):
            return self._childless(self._plain(text, place), outer, place, mode)
        return self._guard(place, text, lambda: self._rendered(text, place, mode, outer))

    def _rendered(self, text: str, place: Keys, mode: Mode, outer: Meta) -> Node:
        """The node of what a text with placeholders gives; placeholders in there are rendered too."""
        rendered = self._render(text, place)
        value = rendered.value
        if isinstance(value, str):
            literal = parse_literal(value)
            node = self._plain(value, place) if literal is None else self._compiled(literal, value, place)
            return self._childless(node, outer, place, mode)
        before, self._chain = self._chain, rendered.chain
        node = self.node(value, place, mode, outer)
        self._chain = before
        return node

    def _plain(self, text: str, place: Keys) -> Node:
        if self.options.diff is None or self.options.diff is False:
            return self._plain_text(text, place)
        return self._guard((), text, lambda: diff_of_text(self, text, place))

    def _plain_text(self, text: str, place: Keys) -> Text:
        whole = self.options.is_strict("text") or not trim(text)
        return WholeText(place, text) if whole else Text(place, text)

    def _pattern(self, literal: tuple[str, str], text: str, place: Keys) -> Node:
        return self._compiled((self._source(literal[0], place), literal[1]), text, place)

    def _source(self, source: str, place: Keys, quote: Callable[[str], str] = escape) -> str:
        """The source of a pattern, what is inserted quoted."""
        if not self._may_hold_placeholder(source):
            return source
        return str(self._render(source, place, quote).value)

    def _compiled(self, literal: tuple[str, str], text: object, place: Keys) -> Node:
        try:
            pattern = compile_pattern(*literal)
        except PatternError as error:
            raise Wrong(f"the pattern {show(text)} does not compile: {error}") from error
        return PatternLeaf(place, text, pattern, self.options.regex_timeout)

    def _python_pattern(self, pattern: re.Pattern[Any], place: Keys) -> Node:
        if not isinstance(pattern.pattern, str):
            raise Wrong("a pattern of bytes finds nothing in texts; compile it from a text")
        source = self._source(pattern.pattern, place, re.escape)
        try:
            compiled = from_python(pattern if source == pattern.pattern else re.compile(source, pattern.flags))
        except (PatternError, re.error) as error:
            raise Wrong(f"the pattern {show(source)} cannot be used: {error}") from error
        return PatternLeaf(place, pattern, compiled, self.options.regex_timeout)

    # -- mappings and lists

    def _list(self, expected: object, items: Any, place: Keys, mode: Mode, outer: Meta) -> Node:
        strategy = self.strategy(outer.strategy)
        inside = mode.reading()
        nodes = [self.node(item, (*place, i), inside) for i, item in enumerate(items)]
        exact = mode.items or mode.only
        node = ListNode(place, expected, nodes, self.options, exact=exact, strategy=strategy)
        return self._finish(node, outer, place, mode)

    def _mapping(self, mapping: Mapping[Any, Any], place: Keys, mode: Mode, outer: Meta) -> Node:
        if mode.literal:
            return self._finish(self._fields(mapping, mapping, place, mode, WEIGHTED), outer, place, mode)
        if self._scope is not None:
            mapping = self._with_rendered_keys(mapping, place)
        return self._guard(place, mapping, lambda: self._read_mapping(mapping, place, mode, outer))

    def _read_mapping(self, mapping: Mapping[Any, Any], place: Keys, mode: Mode, outer: Meta) -> Node:
        has_meta = not META_KEYS.isdisjoint(mapping)
        meta = (self.meta(mapping, place) if has_meta else NO_META).over(outer)
        rest = {key: value for key, value in mapping.items() if key not in META_KEYS} if has_meta else mapping
        schema = None if mode.only else self._heuristic_schema(rest, place)
        if schema is not None:
            return self._childless(schema, meta, place, mode)
        if len(rest) == 1:
            (name,) = rest
            if self._is_operator(name, mapping):
                return self._lone_operator(name, rest[name], place, mode, meta)
        strategy = self.strategy(meta.strategy)
        return self._finish(self._fields(mapping, rest, place, mode, strategy), meta, place, mode)

    def _lone_operator(self, name: str, operand: object, place: Keys, mode: Mode, meta: Meta) -> Node:
        if name == "$expect":
            return self.node(operand, (*place, name), mode, meta)
        if mode.only and self.registry.operator(name) is not None:
            return self.problem(place, f"$only takes a mapping of plain keys, or a list; {name} is an operator")
        if meta.strategy is not None:
            return self.problem(
                (*place, "$strategy"), f"{name} has its own strategy; $strategy is for mappings and lists"
            )
        mark = self.options.threshold if meta.threshold is None else meta.threshold
        site = Site(name, (*place, name), mode.lone(), sibling=False, mark=mark)
        return self._finish(self._operator(operand, site), meta, place, mode)

    def _fields(
        self, expected: Mapping[Any, Any], rest: Mapping[Any, Any], place: Keys, mode: Mode, strategy: Strategy
    ) -> Node:
        """The node of operators and fields that stand together."""
        inside = mode.reading()
        fields = [self._field(key, value, expected, place, mode, inside) for key, value in rest.items()]
        if strategy is MAX and fields and all((field.node.weight or 0.0) < 0 for field in fields):
            raise Wrong("alternatives need at least one that is no penalty", ("$strategy",))
        if fields and strategy is WEIGHTED and all(field.whole for field in fields):
            names = [str(field.label) for field in fields]
            return OperatorsNode(place, expected, names, [field.node for field in fields], self.options)
        return MappingNode(
            place,
            expected,
            fields,
            self.options,
            strategy=strategy,
            strict=mode.keys or mode.only,
            strict_items=mode.items,
            timeout=self.options.regex_timeout,
        )

    def _field(
        self, key: Any, value: object, expected: Mapping[Any, Any], place: Keys, mode: Mode, inside: Mode
    ) -> Field:
        """One sibling; `mode` is that of the mapping, `inside` that of its fields."""
        here = (*place, key.raw if isinstance(key, RenderedKey) else key)
        if not isinstance(key, str) or mode.literal or (isinstance(key, RenderedKey) and key.literal):
            return Field(key, self.node(value, here, inside))
        if key[:1] == "$" and self._is_operator(key, expected):
            site = Site(key, here, mode.lone(), sibling=True, mark=self.options.threshold)
            return Field(key, self._operator(value, site), whole=True)
        if self._scope is None and self._may_hold_placeholder(key):
            return self._late_field(key, value, here, inside)
        return self._named_field(key, self.node(value, here, inside), here)

    def _with_rendered_keys(self, mapping: Mapping[Any, Any], place: Keys) -> Mapping[Any, Any]:
        """A mapping with its keys rendered; where one cannot be, the trouble stands as its value."""
        if not any(isinstance(key, str) and self._may_hold_placeholder(key) for key in mapping):
            return mapping
        rendered: dict[Any, Any] = {}
        for key, value in mapping.items():
            try:
                new = self._rendered_key(key, (*place, key))
            except Wrong as wrong:
                rendered[key] = Trouble("definition", wrong.message)
                continue
            except MatchingError as error:
                rendered[key] = Trouble(error.kind, error.message, error)
                continue
            if new in rendered or (new != key and new in mapping):
                rendered[new] = Trouble("definition", f"two keys are {show(new)} once they are rendered")
            else:
                rendered[new] = value
        return rendered

    def _rendered_key(self, key: Any, place: Keys) -> Any:
        if not isinstance(key, str) or not self._may_hold_placeholder(key):
            return key
        literal = parse_literal(key)
        if literal is not None:
            return RenderedKey(f"/{self._source(literal[0], place)}/{literal[1]}", key)
        value = self._render(key, place).value
        if isinstance(value, Literal):
            return RenderedKey(_text_of(value.value), key, literal=True)
        return RenderedKey(_text_of(value), key)

    def _late_field(self, key: str, value: object, here: Keys, mode: Mode) -> Field:
        """A field whose key has placeholders, in the first reading: checked as far as can be."""
        node = self.node(value, here, mode)
        name = key

        def build() -> Node:
            nonlocal name
            name = str(self._rendered_key(key, here))  # escapes are undone now; placeholders wait for the match
            return node

        built = self._guard(here, value, build)
        return self._named_field(name, built, here) if built is node else Field(key, built)

    def _named_field(self, key: str, node: Node, here: Keys) -> Field:
        literal = parse_literal(key) if key[:1] == "/" else None
        if literal is not None:
            try:
                return Field(key, node, pattern=compile_pattern(*literal))
            except PatternError as error:
                return Field(key, self.problem(here, f"the key {show(key)} does not compile as a pattern: {error}"))
        if key[:1] == "$":
            return Field(key, node, noted=True)
        if "." in key or "[" in key:
            steps = parse_path(key)
            return Field(key, node, steps=steps if steps != (key,) else None)
        return Field(key, node)

    # -- operators

    def _is_operator(self, name: object, mapping: Mapping[Any, Any]) -> bool:
        """Whether a key names an operator; an unknown name counts as one unless `$meta` says that it is data."""
        if not isinstance(name, str) or name[:1] != "$" or (isinstance(name, RenderedKey) and name.literal):
            return False
        return "$meta" not in mapping or self.registry.operator(name) is not None

    def _operator(self, operand: object, site: Site) -> Node:
        found = self.registry.operator(site.name)
        if found is None:
            return self._unknown_name(site.name, site.place)
        return self._guard(site.place, operand, lambda: self._built(found, operand, site))

    def _built(self, found: Build | Operator, operand: object, site: Site) -> Node:
        """The node of an operator; an operand that is one placeholder is its value, but for a text, which stays one."""
        before = self._chain
        if isinstance(operand, str) and self._may_hold_placeholder(operand):
            rendered = self._render(operand, site.place)
            if not isinstance(rendered.value, str):
                operand, self._chain = rendered.value, rendered.chain
        try:
            return self._custom(found, operand, site) if isinstance(found, Operator) else found(self, operand, site)
        finally:
            self._chain = before

    def _unknown_name(self, name: str, place: Keys) -> Node:
        guess = nearest(name, [*self.registry.names(), *META_KEYS])
        hint = _FOREIGN.get(name) or (f"did you mean {guess}?" if guess else _AS_DATA)
        return self.problem(place, f"unknown operator {name}; {hint}{self.registry.apology()}", guess)

    def _custom(self, operator: Operator, operand: object, site: Site) -> Node:
        self.foreign = True  # user code might change what it is given
        options: Mapping[str, Any] = {}
        mapping = as_mapping(operand)
        place = site.place
        if mapping is not None and "$value" in mapping:
            options = {
                str(key): self.literal(value, (*place, key)) for key, value in mapping.items() if key != "$value"
            }
            operand, place = mapping["$value"], (*place, "$value")
        nodes: list[Node] = []
        if operator.operand == "expectation":
            nodes = [self.node(operand, place, site.mode)]
        elif operator.operand == "expectations":
            items = as_list(self.shape(operand, place))
            if items is None:
                raise Wrong(f"{operator.name} takes a list of expectations, not {type_name(operand)}")
            nodes = [self.node(item, (*place, i), site.mode.reading()) for i, item in enumerate(items)]
        else:
            operand = self.literal(operand, place)
        strategy = self.strategy(operator.strategy)
        return OperatorNode(site.place, operator, operand, nodes, options, site.mark, self.make_context, strategy)

    # -- what operators ask for

    def operand(self, operand: object, site: Site, mode: Mode) -> Node:
        """The node of an operand that is one expectation."""
        return self.node(operand, site.place, mode.reading() if site.sibling else mode)

    def carry(self, node: Node, inner: Node, site: Site) -> Node:
        """Give an operator among siblings the weight of its operand; a negative one makes it a penalty."""
        if not site.sibling or inner.weight is None:
            return node
        if inner.weight < 0 and isinstance(inner, Marked):
            node = Marked(node, critical=inner.critical, title=inner.title)
        node.weight = inner.weight
        return node

    def rest(self, mapping: Mapping[Any, Any], taken: str, site: Site) -> Node | None:
        """The node of what an option mapping says beside its option; None where that is nothing (or metadata only)."""
        rest = {key: value for key, value in mapping.items() if key != taken}
        if all(key in META_KEYS for key in rest):
            self.meta(rest, site.place)
            return None
        if "$value" in rest and all(key in META_KEYS or key == "$value" for key in rest):
            meta = self.meta(rest, site.place)
            return self.node(rest["$value"], (*site.place, "$value"), site.mode, meta)
        if "$value" in rest:
            other = next(key for key in rest if key not in META_KEYS and key != "$value")
            raise Wrong(f"{other} stands beside $value, which says it all; write one of them", (str(other),))
        return self.node(rest, site.place, site.mode)

    def anything(self, site: Site) -> Node:
        """A node that every value matches."""
        return AndNode(site.place, [], [], self.options)

    def part(self, operand: object, item: Node, site: Site) -> Node:
        """The node of `$contains` for what is no list: a part of a text, or of a mapping."""
        bare = item.inner if isinstance(item, Marked) else item
        if isinstance(bare, MappingNode) and bare.strict:
            return bare.partial()
        text = operand.value if isinstance(operand, Literal) else operand
        is_text = isinstance(text, str) and not isinstance(bare, PatternLeaf)
        if not is_text or not isinstance(bare, (Text, DiffNode)):
            return item
        part = bare.text if isinstance(bare, Text) else str(bare.value)
        return Text(site.place, part) if part else item

    def only(self, operand: Any, site: Site) -> Node:
        """The node of `$only`: strict for this one mapping or list."""
        return self.node(operand, site.place, site.mode.lone()._replace(only=True))

    def expression(self, text: str, place: Keys) -> Expression:
        """A compiled expression."""
        rendered = self.literal(text, place)
        if not isinstance(rendered, str):
            raise Wrong(f"$expr takes an expression as text, not {type_name(rendered)}")
        try:
            return compile_expression(rendered, limits=self.options.limits_of_expressions)
        except ExpressionSyntaxError as error:
            raise Wrong(str(error)) from error

    def expression_node(self, text: str, site: Site) -> Node:
        """The node of `$expr`."""
        return ExpressionNode(site.place, self.expression(text, site.place), site.mark)

    def diff_node(self, operand: object, site: Site) -> Node:
        """The node of `$diff`."""
        return build_diff(self, operand, site)

    def schema_node(self, schema: Any, place: Keys, *, guessed: bool = False) -> Node:
        """The node of a JSON Schema; `guessed` where a mapping only looks like one."""
        engine = self.registry.schema_engine()
        if engine is None:
            return self.problem(
                place, f"JSON Schema needs a plugin: pip install matchex-schema{self.registry.apology()}"
            )
        return self._guard(place, schema, lambda: self._compiled_schema(engine, schema, place, guessed=guessed))

    def _compiled_schema(self, engine: SchemaEngine, schema: Any, place: Keys, *, guessed: bool) -> Node:
        self.foreign = True
        base = None if self.options.base_dir is None else Path(self.options.base_dir)
        rendered = self.literal(schema, place)
        try:
            validator = engine.compile(rendered, base_dir=base, regex_timeout=self.options.regex_timeout)
        except SchemaProblem as problem:
            hint = " (heuristic_schema=False takes the mapping for data)" if guessed else ""
            raise Wrong(f"the schema is wrong: {problem.message}{hint}", problem.keys) from problem
        return SchemaNode(place, schema, validator, guessed=guessed)

    def _heuristic_schema(self, rest: Mapping[Any, Any], place: Keys) -> Node | None:
        """The node of a mapping that looks like a schema, where schemas are looked for and a plugin knows them."""
        if not self.options.heuristic_schema or not may_be_schema(rest):
            return None
        if "$schema" in rest and (not isinstance(rest["$schema"], str) or len(rest) == 1):
            return None
        engine = self.registry.schema_engine()
        if engine is None or not engine.looks_like_schema(rest):
            return None
        return self.schema_node(rest, place, guessed=True)

    def meta(self, mapping: Mapping[Any, Any], place: Keys) -> Meta:
        """The metadata of a mapping.

        Raises:
            Wrong, MatchingError: In a match: what a placeholder gives is no such metadata, or it cannot be rendered.
        """

        def report(where: Keys, message: str, suggestion: str | None) -> None:
            if self._scope is not None:
                raise Wrong(message, where[len(place) :], suggestion)
            self.problem(where, message, suggestion)

        return read_meta(mapping, place, self._meta_value, report)

    def _meta_value(self, value: object, place: Keys) -> object:
        try:
            return self.literal(value, place)
        except _Later:
            return UNKNOWN

    def strategy(self, name: str | None) -> Strategy:
        """A strategy by name; the weighted sum where none is named."""
        if name is None:
            return WEIGHTED
        known = self.registry.strategies(name)
        found = known.get(name)
        if found is None:
            guess = nearest(name, known)
            hint = f"; did you mean {guess}?" if guess else f"; there are {', '.join(known)}"
            raise Wrong(f"unknown strategy {name!r}{hint}", ("$strategy",), guess)
        return found

    def pattern_or_text(self, value: object, place: Keys) -> Any:
        """A text with its placeholders rendered, or the pattern that it is; None where it is neither."""
        if isinstance(value, Pattern):
            return value
        if isinstance(value, re.Pattern):
            return from_python(cast("re.Pattern[str]", value))
        if not isinstance(value, str):
            return None
        literal = parse_literal(value)
        if literal is None:
            value = str(self.literal(value, place))
            literal = parse_literal(value)
            if literal is None:
                return value
        try:
            return compile_pattern(self._source(literal[0], place), literal[1])
        except PatternError as error:
            raise Wrong(f"the pattern {show(value)} does not compile: {error}") from error

    # -- placeholders

    def shape(self, value: object, place: Keys) -> object:
        """An operand as its operator sees it: a text that is one placeholder becomes its value."""
        if isinstance(value, str) and self._may_hold_placeholder(value):
            return self._render(value, place).value
        return value

    def literal(self, value: object, place: Keys, depth: int = 0) -> Any:
        """Data with all placeholders in it rendered."""
        if isinstance(value, str):
            if not self._may_hold_placeholder(value):
                return value
            rendered = self._render(value, place)
            if isinstance(rendered.value, str):
                return rendered.value
            before, self._chain = self._chain, rendered.chain
            try:
                return self.literal(rendered.value, place, depth + 1)
            finally:
                self._chain = before
        if isinstance(value, Literal):
            return value.value
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise Wrong(_TOO_LARGE)
        if depth + len(place) > self.options.max_depth:
            raise Wrong(f"nested deeper than {self.options.max_depth} levels (option max_depth)")
        if isinstance(value, dict):
            mapping = cast("dict[Any, Any]", value)
            return {
                self._literal_key(key, place): self.literal(item, place, depth + 1) for key, item in mapping.items()
            }
        if isinstance(value, list):
            return [self.literal(item, place, depth + 1) for item in cast("list[Any]", value)]
        return value

    def _literal_key(self, key: Any, place: Keys) -> Any:
        if not isinstance(key, str) or not self._may_hold_placeholder(key):
            return key
        value = self._render(key, place).value
        return _text_of(value.value if isinstance(value, Literal) else value)

    def _may_hold_placeholder(self, text: str) -> bool:
        """Whether a text is worth a closer look for placeholders or their escapes."""
        templates = self.options.templates
        if templates is True:
            return "{{" in text or "{%" in text or "<<" in text
        return templates is not False

    def _render(self, text: str, place: Keys, quote: Callable[[str], str] | None = None) -> Rendered:
        """What a text says once its placeholders are rendered and its escapes undone.

        Raises:
            _Later: There is a placeholder, and this is the first reading.
            Wrong: The text does not parse, or no plugin renders placeholders.
            TemplateError: It cannot be rendered.
        """
        engine = self.registry.template_engine()
        delimiters = getattr(engine, "delimiters", None)
        if not has_placeholders(text, delimiters):
            return Rendered(unescape(text, delimiters))
        if engine is None:
            message = f"{show(text)} has placeholders, which need a plugin: pip install matchex-template"
            raise Wrong(f"{message} (templates=False takes it as it is){self.registry.apology()}")
        try:
            template = engine.parse(text)
        except TemplateProblem as problem:
            raise Wrong(str(problem)) from problem
        if template is None:
            return Rendered(unescape(text, delimiters))
        if self._scope is None:
            self.late += 1
            raise _Later
        return template.render(self._scope.variables, chain=self._chain, quote=quote)

    # -- mistakes

    def problem(self, place: Keys, message: str, suggestion: str | None = None) -> Node:
        """Note a mistake; the node that stands for it is in error, should it ever be asked."""
        self.problems.append(Problem(format_place(place), message, suggestion))
        return Broken(place, None, Trouble("definition", message))
