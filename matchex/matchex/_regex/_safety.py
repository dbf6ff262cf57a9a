r"""How much work a backtracking search may cost at worst, proven from the tree.

The work is bounded by a polynomial in the length of the subject. A search whose bound fits into the time allowed may
run without a clock; all others run under one. A repetition whose rounds can divide the same text in several ways has no
polynomial bound at all.

Per node two bounds are kept: `work`, the steps of trying every way through it from one place, and `ways`, how many ways
there are (each makes the engine try again what follows). What keeps ordinary patterns cheap is that most choices are no
choices: in `[^"]*"` or `(?:\w+\s)+` the next character decides, so only one way goes on.
"""

from __future__ import annotations

from collections.abc import Sequence as Series
from dataclasses import dataclass
from itertools import zip_longest
from math import inf

from . import _charset
from ._ast import (
    Atomic,
    BackReference,
    Capture,
    Chars,
    Choice,
    Conditional,
    Look,
    Node,
    Repeat,
    Sequence,
    Start,
    children,
    descendants,
)
from ._charset import CharSet

_MOST_DEGREE = 8
_LONGEST_SUBJECT = 2**40
_LARGE_COUNT = 1000
"""Counts beyond this are bounded by the length of the subject instead."""

_MOST_NODES = 5000
_FOLLOWERS_LOOKED_AT = 32

_LOOP_STEP = 0.125
"""A round of a loop over one character costs this part of an ordinary step."""

_COMPLEX_LOOP_LENGTH = 100_000
"""`re` keeps some hundred bytes per round of any other loop: no longer subjects for those."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """A polynomial in the length of the subject (plus one): its coefficients, the constant first."""

    coefficients: tuple[float, ...]

    def __add__(self, other: _Bound) -> _Bound:
        pairs = zip_longest(self.coefficients, other.coefficients, fillvalue=0.0)
        return _Bound(tuple(one + another for one, another in pairs))

    def __mul__(self, other: _Bound) -> _Bound:
        if self is _UNBOUNDED or other is _UNBOUNDED or self.degree + other.degree > _MOST_DEGREE:
            return _UNBOUNDED
        product = [0.0] * (self.degree + other.degree + 1)
        for power, factor in enumerate(self.coefficients):
            for other_power, other_factor in enumerate(other.coefficients):
                product[power + other_power] += factor * other_factor
        return _Bound(tuple(product))

    @property
    def degree(self) -> int:
        return len(self.coefficients) - 1

    def at(self, length: int) -> float:
        """The value for subjects of a length."""
        value = 0.0
        for factor in reversed(self.coefficients):
            value = value * (length + 1) + factor
        return value


def _constant(value: float) -> _Bound:
    return _Bound((value,))


def _per_character(factor: float) -> _Bound:
    return _Bound((0.0, factor))


_ZERO = _constant(0)
_ONE = _constant(1)
_LENGTH = _per_character(1)
_UNBOUNDED = _constant(inf)


@dataclass(frozen=True, slots=True)
class _Cost:
    ways: _Bound
    work: _Bound
    idle: _Bound
    """The work when the next character is none that a match may begin with."""
    first: CharSet
    """The characters a match may begin with."""
    nullable: bool
    """Whether it may match the empty text."""


_ACCEPT = _Cost(_ONE, _ZERO, _ZERO, _charset.EMPTY, nullable=False)
"""What follows the whole pattern: success, which is never tried again."""


def longest_fast_subject(root: Node, steps: float) -> int:
    """The length up to which an unanchored search by `re` costs at most so many steps; -1 when no bound is known."""
    if len(descendants(root)) > _MOST_NODES:
        return -1
    cost = _Analysis().cost(root, (_ACCEPT,))
    search = cost.work + _LENGTH if _is_anchored(root) else (cost.work + _ONE) * _LENGTH
    low, high = -1, _COMPLEX_LOOP_LENGTH if _has_complex_loop(root) else _LONGEST_SUBJECT
    while low < high:
        middle = (low + high + 1) // 2
        if search.at(middle) <= steps:
            low = middle
        else:
            high = middle - 1
    return low


def expanded_size(node: Node, *, loop: int = 1) -> int:
    """How many nodes an engine holds that writes out counted repetitions (`regex` copies the body of `{n}` n times).

    Args:
        node: the tree.
        loop: what an unlimited loop over one character counts.
    """
    match node:
        case Repeat(body=Chars(), most=None, least=least):
            return least + loop
        case Repeat(body=body, least=least):
            return max(least, 1) * expanded_size(body, loop=loop)
        case _:
            return 1 + sum(expanded_size(child, loop=loop) for child in children(node))


def _is_anchored(root: Node) -> bool:
    while isinstance(root, (Capture, Sequence)):
        if isinstance(root, Capture):
            root = root.body
        elif root.items:
            root = root.items[0]
        else:
            return False
    return isinstance(root, Start)


def _has_complex_loop(root: Node) -> bool:
    return any(
        isinstance(node, Repeat)
        and not isinstance(node.body, Chars)
        and (node.most is None or node.most > _LARGE_COUNT)
        for node in descendants(root)
    )


class _Analysis:
    def __init__(self) -> None:
        self._beginnings: dict[int, tuple[CharSet, bool]] = {}

    def cost(self, node: Node, follow: Series[_Cost] = ()) -> _Cost:
        """The cost of a node in front of what follows it (up to a node that takes a character, if there is one)."""
        match node:
            case Chars(chars):
                work = _constant(1 + len(chars.ranges) / 16)
                return _Cost(_ONE, work, work, chars, nullable=False)
            case Sequence(items):
                return self._sequence(items, follow)
            case Choice() | Conditional():
                return self._choice(children(node), follow)
            case Repeat():
                return self._repeat(node, follow)
            case Capture(body=body):
                return self.cost(body, follow)
            case Look(body):
                work = self.cost(body, (_ACCEPT,)).work + _ONE
                return _Cost(_ONE, work, work, _charset.EMPTY, nullable=True)
            case BackReference():
                return _Cost(_ONE, _LENGTH, _LENGTH, _charset.ANY, nullable=True)
            case Atomic(body):
                cost = self.cost(body, (_ACCEPT,))
                return _Cost(_ONE, cost.work, cost.work, cost.first, cost.nullable)
            case _:
                return _Cost(_ONE, _ONE, _ONE, _charset.EMPTY, nullable=True)

    def _sequence(self, items: tuple[Node, ...], follow: Series[_Cost]) -> _Cost:
        costs: list[_Cost] = list(reversed(follow))
        for item in reversed(items):
            costs.append(self.cost(item, _until_character(costs)))
        own = costs[len(follow) :][::-1]
        ways, work = _ONE, _ZERO
        for cost in own:
            work += ways * cost.work
            ways *= cost.ways
        first, nullable = _first(own)
        return _Cost(ways, work, _idle(own), first, nullable)

    def _choice(self, options: tuple[Node, ...], follow: Series[_Cost]) -> _Cost:
        costs = [self.cost(option, follow) for option in options]
        seen = _charset.EMPTY
        apart = True
        for cost in costs:
            apart = apart and not cost.nullable and seen.isdisjoint(cost.first)
            seen = seen | cost.first
        ways = _largest([cost.ways for cost in costs]) if apart else _total([cost.ways for cost in costs])
        work = _total([cost.work for cost in costs])
        idle = _total([cost.idle for cost in costs])
        return _Cost(ways, work, idle, seen, any(cost.nullable for cost in costs))

    def _repeat(self, node: Repeat, follow: Series[_Cost]) -> _Cost:
        following, open_end = _first(follow)
        body = self._body(node, following, open_end)
        idle = body.idle + _ONE
        nullable = body.nullable or node.least == 0
        unlimited = node.most is None or node.most > _LARGE_COUNT
        rounds = _LENGTH if unlimited else _constant(node.most or 0)
        exits = _ONE if node.least == node.most else rounds + _ONE
        if isinstance(node.body, Chars):
            work = rounds * body.work * _constant(_LOOP_STEP) + _ONE
        elif body.ways == _ONE and not body.nullable:
            work = self._deterministic_rounds(node, body, rounds)
        elif node.most == 1:
            exits, work = body.ways + _ONE, body.work + _ONE
        else:
            return _Cost(_UNBOUNDED, _UNBOUNDED, idle, body.first, nullable)
        decided = body.ways == _ONE and not body.nullable and not open_end and body.first.isdisjoint(following)
        if node.mode == "possessive" or decided:
            retries = exits * (_idle(follow) + _ONE) * _constant(_LOOP_STEP)
            return _Cost(_ONE, work + retries, idle, body.first, nullable)
        return _Cost(exits, work, idle, body.first, nullable)

    def _body(self, node: Repeat, following: CharSet, open_end: bool) -> _Cost:
        """The cost of one round, followed by another or by what follows the repetition."""
        if isinstance(node.body, Chars):
            return self.cost(node.body)
        first, nullable = self._begins_with(node.body)
        if nullable or open_end:
            return self.cost(node.body)
        return self.cost(node.body, (_Cost(_ONE, _ONE, _ONE, first | following, nullable=False),))

    def _deterministic_rounds(self, node: Repeat, body: _Cost, rounds: _Bound) -> _Bound:
        """The work of rounds without choices: what all of them together take is no longer than the subject.

        Lookarounds and references may look further than what a round takes, so there each round counts in full.
        """
        looks_further = any(
            isinstance(inner, (Look, BackReference, Atomic, Conditional)) for inner in descendants(node)
        )
        if looks_further or body.work.degree > 1 or rounds.degree == 0:
            return rounds * (body.work + _ONE)
        return _per_character(3 * sum(body.work.coefficients) + 1)

    def _begins_with(self, node: Node) -> tuple[CharSet, bool]:
        """The characters a node may begin with, and whether it may be empty (without the rest of its cost)."""
        known = self._beginnings.get(id(node))
        if known is None:
            known = self._beginnings[id(node)] = self._find_beginning(node)
        return known

    def _find_beginning(self, node: Node) -> tuple[CharSet, bool]:
        match node:
            case Chars(chars):
                return chars, False
            case BackReference():
                return _charset.ANY, True
            case Sequence(items):
                return _first([_Cost(_ONE, _ONE, _ONE, *self._begins_with(item)) for item in items])
            case Choice() | Conditional():
                parts = [self._begins_with(option) for option in children(node)]
                return CharSet(span for chars, _ in parts for span in chars.ranges), any(empty for _, empty in parts)
            case Capture(body=body) | Atomic(body=body):
                return self._begins_with(body)
            case Repeat(body=body, least=least):
                chars, nullable = self._begins_with(body)
                return chars, nullable or least == 0
            case _:
                return _charset.EMPTY, True


def _until_character(costs_behind: list[_Cost]) -> list[_Cost]:
    """What follows, up to the first node that must take a character; given back to front."""
    found: list[_Cost] = []
    for cost in reversed(costs_behind[-_FOLLOWERS_LOOKED_AT:]):
        found.append(cost)
        if not cost.nullable:
            break
    return found


def _first(costs: Series[_Cost]) -> tuple[CharSet, bool]:
    """The characters that a row of nodes may begin with, and whether the row may be empty."""
    first = _charset.EMPTY
    for cost in costs:
        first = first | cost.first
        if not cost.nullable:
            return first, False
    return first, True


def _idle(costs: Series[_Cost]) -> _Bound:
    """The work of a row of nodes when the next character is none that it may begin with."""
    idle = _ZERO
    for cost in costs:
        idle += cost.idle
        if not cost.nullable:
            break
    return idle


def _total(bounds: list[_Bound]) -> _Bound:
    total = _ZERO
    for bound in bounds:
        total += bound
    return total


def _largest(bounds: list[_Bound]) -> _Bound:
    by_power = zip_longest(*(bound.coefficients for bound in bounds), fillvalue=0.0)
    return _Bound(tuple(max(factors) for factors in by_power))
