"""The parser of JavaScript's regular expressions (ECMAScript 2024; without u and v with the web's Annex B)."""

from __future__ import annotations

import re

from . import _charset
from ._ast import (
    NOTHING,
    BackReference,
    Capture,
    Chars,
    Choice,
    End,
    Expression,
    Look,
    Node,
    Repeat,
    RepeatMode,
    Sequence,
    Start,
    WordEdge,
)
from ._charset import CharSet
from ._classes import parse_class
from ._errors import PatternError
from ._source import DIGITS, Source

FLAGS = "dgimsuvy"
_BRACES = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_PYTHON_NAME = re.compile(r"P<(\w{1,40})>")
_PYTHON_REFERENCE = re.compile(r"P=(\w{1,40})\)")
_INLINE_FLAGS = re.compile(r"([ims]{1,3})[:)]")
_INFINITE = 2**31 - 1
"""Larger repeat counts mean "without limit", as in V8."""

_ANY = Chars(_charset.ANY)
_NOT_LINE_TERMINATOR = Chars(~_charset.LINE_TERMINATOR)
_LINE_START = Look(_NOT_LINE_TERMINATOR, behind=True, negative=True)
_LINE_END = Look(_NOT_LINE_TERMINATOR, behind=False, negative=True)
_LOOKS = (("(?=", False, False), ("(?!", False, True), ("(?<=", True, False), ("(?<!", True, True))


def check_flags(flags: str) -> None:
    """Raise PatternError unless the flags are distinct, known, and not both u and v."""
    unknown = sorted(set(flags) - set(FLAGS))
    if unknown:
        raise PatternError(f"unknown flag {unknown[0]!r}; there are {' '.join(FLAGS)}")
    if len(set(flags)) < len(flags):
        raise PatternError(f"a flag is given twice in {flags!r}")
    if "u" in flags and "v" in flags:
        raise PatternError("the flags u and v exclude each other")


def parse(text: str, flags: str) -> Expression:
    """Parse the source of a pattern.

    Raises:
        PatternError: the source is no JavaScript pattern under these flags, or uses what is not supported.
    """
    return _Parser(text, flags).parse()


class _Parser(Source):
    def __init__(self, text: str, flags: str) -> None:
        super().__init__(text, flags)
        self._characters: dict[int, Chars] = {}
        self._next_group = 1

    def parse(self) -> Expression:
        self._count_groups()
        root = self._choice()
        if self.position < len(self.text):
            raise self.error("unmatched )")
        return Expression(root, self.group_count, self.names)

    # ---- groups, which references may name before they are opened ----

    def _count_groups(self) -> None:
        depth_of_class = 0
        while self.position < len(self.text):
            char = self.peek()
            self.position += 1
            if char == "\\":
                self.position += 1
            elif char == "[":
                depth_of_class = depth_of_class + 1 if self.sets_mode else 1
            elif char == "]":
                depth_of_class = max(depth_of_class - 1, 0)
            elif char == "(" and not depth_of_class:
                self._count_group()
        self.position = 0

    def _count_group(self) -> None:
        if self.peek() != "?":
            self.group_count += 1
        elif self.peek(1) == "<" and self.peek(2) not in ("=", "!"):
            self.group_count += 1
            self.position += 2
            start = self.position
            name = self._group_name()
            if name in self.names:
                raise self.error(f"duplicate group name {name!r}", start)
            self.names[name] = self.group_count

    def _group_name(self) -> str:
        """A name and its `>`; the cursor stands behind the `<`."""
        start = self.position
        name = ""
        while not self.eat(">"):
            code_point = self._name_character(start)
            if not _may_stand_in_name(code_point, first=not name):
                raise self.error("invalid group name", start)
            name += chr(code_point)
        if not name:
            raise self.error("invalid group name: it is empty", start)
        return name

    def _name_character(self, start: int) -> int:
        char = self.peek()
        if not char:
            raise self.error("invalid group name: > expected", start)
        self.position += 1
        if char != "\\":
            return ord(char)
        if self.eat("u"):
            code_point = self.braced_escape() if self.peek() == "{" else self.unicode_escape()
            if code_point is not None:
                return code_point
        raise self.error("invalid escape in group name", start)

    # ---- the grammar ----

    def _choice(self) -> Node:
        options = [self._sequence()]
        while self.eat("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        items: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            items.append(self._term())
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _term(self) -> Node:
        start = self.position
        node = self._assertion()
        if node is None:
            return self._quantified(self._atom(), start)
        if isinstance(node, Look) and not node.behind and not self.unicode_mode and self.text[start] == "(":
            return self._quantified(node, start)
        return node

    def _assertion(self) -> Node | None:
        if self.eat("^"):
            return _LINE_START if self.multiline else Start()
        if self.eat("$"):
            return _LINE_END if self.multiline else End()
        if self.eat("\\b"):
            return WordEdge(_charset.WORD, negative=False)
        if self.eat("\\B"):
            return WordEdge(_charset.WORD, negative=True)
        for opening, behind, negative in _LOOKS:
            start = self.position
            if self.eat(opening):
                return Look(self._group_body(start), behind, negative)
        return None

    def _group_body(self, start: int) -> Node:
        """The inside of a group and its `)`."""
        self.descend()
        body = self._choice()
        if not self.eat(")"):
            raise self.error("unterminated group", start)
        self.ascend()
        return body

    def _atom(self) -> Node:
        char = self.peek()
        start = self.position
        if char == "(":
            return self._group()
        if char in "*+?" or (not self.unicode_mode and char == "{" and self._braces() is not None):
            raise self.error("nothing to repeat", start)
        if self.unicode_mode and char in "{}]":
            raise self.error(f"lone {char}: with the flag u or v it must be escaped", start)
        self.position += 1
        match char:
            case "\\":
                return self._escape()
            case ".":
                return _ANY if self.dot_all else _NOT_LINE_TERMINATOR
            case "[":
                return parse_class(self)
            case _:
                return self._character(ord(char))

    def _character(self, code_point: int) -> Chars:
        folded = self.folded_point(code_point)
        if folded not in self._characters:
            self._characters[folded] = Chars(CharSet([(folded, folded)]))
        return self._characters[folded]

    def _group(self) -> Node:
        start = self.position
        if self.eat("(?:"):
            return self._group_body(start)
        if self.eat("(?<"):
            self._group_name()
        elif self.eat("(?"):
            raise self.error(f"invalid group: {self._what_group_is_meant()}", start)
        else:
            self.position += 1
        index = self._next_group
        self._next_group += 1
        return Capture(self._group_body(start), index)

    def _what_group_is_meant(self) -> str:
        """What somebody who knows other dialects has to write; the cursor stands behind a `(?`."""
        if named := _PYTHON_NAME.match(self.text, self.position):
            return f"Python's (?P<{named[1]}>…) is (?<{named[1]}>…) here"
        if named := _PYTHON_REFERENCE.match(self.text, self.position):
            return f"Python's (?P={named[1]}) is \\k<{named[1]}> here"
        if flags := _INLINE_FLAGS.match(self.text, self.position):
            return f"flags stand behind the pattern and hold for all of it: /…/{flags[1]}"
        return "(?: (?= (?! (?<= (?<! or (?<name> expected"

    def _escape(self) -> Node:
        start = self.position - 1
        if self.peek() == "k" and (self.unicode_mode or self.names):
            return self._named_reference(start)
        reference = self._numbered_reference()
        if reference is not None:
            return reference
        found = self.class_escape()
        if found is not None:
            chars, native = found
            return Chars(self.folded(chars), None if self.ignore_case else native)
        return self._character(self.character_escape(in_class=False))

    def _named_reference(self, start: int) -> Node:
        self.position += 1
        if not self.eat("<"):
            raise self.error("invalid named reference: \\k needs <name>", start)
        name = self._group_name()
        if name not in self.names:
            raise self.error(f"reference to the group {name!r}, which does not exist", start)
        return BackReference(self.names[name], empty_when_unset=True)

    def _numbered_reference(self) -> Node | None:
        if self.peek() in ("", "0") or self.peek() not in DIGITS:
            return None
        end = self.position
        while end < len(self.text) and self.text[end] in DIGITS:
            end += 1
        number = _clamped(self.text[self.position : end])
        if number > self.group_count:
            return None
        self.position = end
        return BackReference(number, empty_when_unset=True)

    # ---- quantifiers ----

    def _quantified(self, body: Node, start: int) -> Node:
        if self.peek() and self.peek() in "*+?":
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[self.peek()]
            self.position += 1
        else:
            braces = self._braces()
            if braces is None:
                return body
            least, most, self.position = braces
            if most is not None and least > most:
                raise self.error("numbers out of order in {} quantifier", start)
        return _repeat(body, least, most, "lazy" if self.eat("?") else "greedy")

    def _braces(self) -> tuple[int, int | None, int] | None:
        """A quantifier in braces at the cursor: least, most, and the place behind it."""
        found = _BRACES.match(self.text, self.position)
        if found is None:
            return None
        low, comma, high = found.groups()
        least = _clamped(low)
        most = _clamped(high) if high else None if comma else least
        return least, (None if most == _INFINITE else most), found.end()


def _clamped(digits: str) -> int:
    significant = digits.lstrip("0")
    return _INFINITE if len(significant) > 10 else min(int(significant or "0"), _INFINITE)


def _repeat(body: Node, least: int, most: int | None, mode: RepeatMode) -> Node:
    """A repetition; those that can only match the empty text are resolved here.

    JavaScript drops an optional repetition that consumed nothing, with its captures. A lookahead consumes nothing.
    """
    if isinstance(body, Look):
        return body if least else NOTHING
    if most == 0:
        return NOTHING
    if least == most == 1:
        return body
    return Repeat(body, least, most, mode)


def _may_stand_in_name(code_point: int, *, first: bool) -> bool:
    char = chr(code_point)
    if char in "$_" or (char.isascii() and char.isalpha()):
        return True
    if char.isascii():
        return not first and char.isdigit()
    if not first and char in "\u200c\u200d":
        return True
    return char.isidentifier() if first else ("a" + char).isidentifier()
