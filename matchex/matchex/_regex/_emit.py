"""From the tree to the syntax of an engine.

Only what all engines read alike is written: non-capturing groups, escaped characters, classes without nesting, counted
repeats. Their own dialects (fuzzy matching, POSIX classes, inline flags, possessive quantifiers) never come into it.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Literal

from . import _charset
from ._ast import (
    Atomic,
    BackReference,
    Capture,
    Chars,
    Choice,
    Conditional,
    End,
    Look,
    Node,
    Repeat,
    Sequence,
    Start,
    WordEdge,
)
from ._charset import MAX_CODE_POINT, CharSet

Dialect = Literal["re", "regex", "re2"]

_LITERAL_CHUNK = 64
_LONGEST_PLAIN_LITERAL = 16
LOOP_CHUNK = 4096
_SURROGATES = CharSet([(0xD800, 0xDFFF)])
_NEVER = "(?!)"


@dataclass(frozen=True, slots=True)
class Emitted:
    """A pattern in the syntax of an engine."""

    text: str
    group_numbers: dict[int, int]
    """Which number a group of the source has there; groups left out are not captured."""


def emit(root: Node, dialect: Dialect, captured: Container[int], *, chunked: bool = False) -> Emitted:
    """Write a tree for an engine, to be compiled without flags other than dot-matches-all (and ASCII for `re`).

    Args:
        root: the tree.
        dialect: the engine.
        captured: the numbers of the groups to capture.
        chunked: write loops over one character in pieces. `regex` looks at its clock every 256 steps, and such a loop
            is one step; on subjects of millions of characters that is too seldom.
    """
    emitter = _Emitter(dialect, captured, chunked)
    return Emitted(emitter.write(root), emitter.group_numbers)


def escape_range(low: int, high: int) -> str:
    """A range of code points inside a class, for `re` and `regex`."""
    if low == high:
        return _escaped(low)
    return f"{_escaped(low)}{'-' if high > low + 1 else ''}{_escaped(high)}"


def _escaped(code_point: int) -> str:
    char = chr(code_point)
    if char.isascii() and (char.isalnum() or char in "_ "):
        return char
    if code_point <= 0xFF:
        return f"\\x{code_point:02x}"
    return f"\\u{code_point:04x}" if code_point <= 0xFFFF else f"\\U{code_point:08x}"


def _escaped_for_re2(code_point: int) -> str:
    return f"\\x{{{code_point:x}}}" if code_point > 0x7F else _escaped(code_point)


class _Emitter:
    def __init__(self, dialect: Dialect, captured: Container[int], chunked: bool) -> None:
        self._dialect = dialect
        self._captured = captured
        self._chunked = chunked
        self.group_numbers: dict[int, int] = {}
        self._escape: Callable[[int], str] = _escaped_for_re2 if dialect == "re2" else _escaped

    def write(self, node: Node) -> str:
        match node:
            case Chars():
                return self._chars(node)
            case Sequence():
                return self._sequence(self._flattened(node))
            case Choice(options):
                return f"(?:{'|'.join(self.write(option) for option in options)})"
            case Repeat():
                return self._repeat(node)
            case Capture():
                return self._capture(node)
            case Look(body, behind, negative):
                return f"(?{'<' if behind else ''}{'!' if negative else '='}{self.write(body)})"
            case Start():
                return r"\A"
            case End():
                return r"\z" if self._dialect == "re2" else r"\Z"
            case WordEdge():
                return self._word_edge(node)
            case BackReference():
                return self._back_reference(node)
            case Atomic(body):
                return f"(?>{self.write(body)})"
            case Conditional(group, yes, no):
                return f"(?({self.group_numbers[group]}){self.write(yes)}|{self.write(no)})"

    # ---- characters ----

    def _chars(self, node: Chars) -> str:
        chars = node.chars - _SURROGATES if self._dialect == "re2" else node.chars
        if not chars:
            return r"[^\x00-\x{10ffff}]" if self._dialect == "re2" else _NEVER
        if node.chars == _charset.ANY:
            return "(?s:.)" if self._dialect == "re2" else "."
        if chars.single is not None:
            return self._escape(chars.single)
        if node.properties and self._dialect == "regex":
            return f"[{node.properties}]"
        if 0 in chars and MAX_CODE_POINT in chars:
            return f"[^{self._class_body(~chars)}]"
        return f"[{self._class_body(chars)}]"

    def _class_body(self, chars: CharSet) -> str:
        return "".join(
            self._escape(low) if low == high else f"{self._escape(low)}-{self._escape(high)}"
            for low, high in chars.ranges
        )

    def _word_edge(self, edge: WordEdge) -> str:
        if edge.chars == _charset.WORD and not edge.negative:
            return r"(?a:\b)" if self._dialect == "regex" else r"\b"
        word = self._chars(Chars(edge.chars))
        same, other = ("=", "!") if edge.negative else ("!", "=")
        return f"(?:(?<={word})(?{same}{word})|(?<!{word})(?{other}{word}))"

    # ---- structure ----

    def _flattened(self, node: Node) -> list[Node]:
        """The items of nested sequences in a row, so that long literals are seen as such."""
        if isinstance(node, Sequence):
            return [inner for item in node.items for inner in self._flattened(item)]
        if isinstance(node, Capture) and node.index not in self._captured:
            return self._flattened(node.body)
        return [node]

    def _sequence(self, items: list[Node]) -> str:
        written: list[str] = []
        literal: list[str] = []
        for item in items:
            if isinstance(item, Chars) and item.chars.single is not None:
                literal.append(self._chars(item))
                continue
            written.extend((self._literal(literal), self.write(item)))
            literal = []
        return "".join((*written, self._literal(literal)))

    def _literal(self, characters: list[str]) -> str:
        """A literal; for `regex` in pieces that its optimiser leaves apart: its tables cost the cube of the length."""
        if self._dialect != "regex" or len(characters) <= _LONGEST_PLAIN_LITERAL:
            return "".join(characters)
        chunks = range(0, len(characters), _LITERAL_CHUNK)
        return "".join(f"(?>{''.join(characters[at : at + _LITERAL_CHUNK])})" for at in chunks)

    def _repeat(self, node: Repeat) -> str:
        body = self.write(node.body)
        is_single = isinstance(node.body, Chars) and body != _NEVER
        if not is_single:
            body = f"(?:{body})"
        lazy = "?" if node.mode == "lazy" else ""
        if self._chunked and is_single and node.most is None:
            # Whole chunks first, then the rest: the same lengths are tried in the same order.
            exact = f"{body}{{{node.least}}}" if node.least else ""
            repeated = f"{exact}(?:{body}{{{LOOP_CHUNK}}})*{lazy}{body}{{0,{LOOP_CHUNK - 1}}}{lazy}"
        else:
            repeated = f"{body}{_quantifier(node.least, node.most)}{lazy}"
        if node.mode == "possessive":
            return f"(?>{repeated})"
        return f"(?:{repeated})" if self._chunked else repeated

    def _capture(self, node: Capture) -> str:
        if node.index not in self._captured:
            return f"(?:{self.write(node.body)})"
        self.group_numbers[node.index] = len(self.group_numbers) + 1
        return f"({self.write(node.body)})"

    def _back_reference(self, node: BackReference) -> str:
        number = self.group_numbers.get(node.group)
        if number is None:
            return "" if node.empty_when_unset else _NEVER
        again = f"(?i:\\{number})" if node.ignore_case else f"(?:\\{number})"
        return f"(?({number}){again}|)" if node.empty_when_unset else again


def _quantifier(least: int, most: int | None) -> str:
    match least, most:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _, None:
            return f"{{{least},}}"
        case _:
            return f"{{{least}}}" if least == most else f"{{{least},{most}}}"
