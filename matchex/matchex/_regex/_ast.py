"""The tree that the parsers build and the analysis, the emitter and the machine read.

Under the flag `i` the tree holds folded characters; the subject is folded before matching (see `_folding`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ._charset import CharSet

RepeatMode = Literal["greedy", "lazy", "possessive"]


@dataclass(frozen=True, slots=True, eq=False)
class Chars:
    """One character out of a set."""

    chars: CharSet
    properties: str | None = None
    """The same set as the body of a class of the `regex` module, when it holds Unicode properties: it looks them up
    faster than hundreds of ranges."""


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """One after the other; empty matches the empty text."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The first option that leads to a match."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """The body `least` to `most` times (None: without limit)."""

    body: Node
    least: int
    most: int | None
    mode: RepeatMode


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """A capturing group."""

    body: Node
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A lookahead or lookbehind."""

    body: Node
    behind: bool
    negative: bool


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """The very start of the text."""


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """The very end of the text."""


@dataclass(frozen=True, slots=True, eq=False)
class WordEdge:
    """The border between characters in the set and others, or (negative) a place that is no such border."""

    chars: CharSet
    negative: bool


@dataclass(frozen=True, slots=True, eq=False)
class BackReference:
    """The text of a group again; of one that took no part: the empty text (JavaScript) or a failure (Python)."""

    group: int
    empty_when_unset: bool
    ignore_case: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Atomic:
    """A group that is not entered again by backtracking (Python only)."""

    body: Node


@dataclass(frozen=True, slots=True, eq=False)
class Conditional:
    """One of two nodes, by whether a group took part (Python only)."""

    group: int
    yes: Node
    no: Node


Node = (
    Chars | Sequence | Choice | Repeat | Capture | Look | Start | End | WordEdge | BackReference | Atomic | Conditional
)

NOTHING = Sequence(())


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A parsed pattern."""

    root: Node
    group_count: int
    names: dict[str, int]


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    match node:
        case Sequence(items):
            return items
        case Choice(options):
            return options
        case Repeat(body=body) | Capture(body=body) | Look(body=body) | Atomic(body=body):
            return (body,)
        case Conditional(yes=yes, no=no):
            return (yes, no)
        case _:
            return ()


def descendants(node: Node) -> list[Node]:
    """The node and all below it, in the order of the source."""
    found: list[Node] = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        found.append(current)
        waiting.extend(reversed(children(current)))
    return found
