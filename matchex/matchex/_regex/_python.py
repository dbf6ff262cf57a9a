"""Reads compiled patterns of Python's `re`, whose rules they keep.

Python's own parser tells the structure, and its own matcher which characters a class holds, so nothing is guessed. The
tree serves to bound the work, and to run in the `regex` module when no bound is known.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

from . import _charset
from ._ast import (
    NOTHING,
    Atomic,
    BackReference,
    Capture,
    Chars,
    Choice,
    Conditional,
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
from ._charset import MAX_CODE_POINT, CharSet
from ._emit import escape_range
from ._errors import PatternError

_NEWLINE = Chars(CharSet.of("\n"))
_NOT_NEWLINE = Chars(~CharSet.of("\n"))
_ANY = Chars(_charset.ANY)
_CATEGORIES = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w", "NOT_DIGIT": r"\D", "NOT_SPACE": r"\S", "NOT_WORD": r"\W"}
_MODES: dict[str, RepeatMode] = {"MAX_REPEAT": "greedy", "MIN_REPEAT": "lazy", "POSSESSIVE_REPEAT": "possessive"}


def read(pattern: re.Pattern[str]) -> Expression:
    """The tree of a compiled pattern.

    Raises:
        PatternError: it is a pattern for bytes, or holds what this version does not know.
    """
    if not isinstance(pattern.pattern, str):  # pyright: ignore[reportUnnecessaryIsInstance] - users pass bytes patterns too
        raise PatternError("the pattern is for bytes; a pattern for text is needed")
    parsed: Any = import_module("re._parser").parse(pattern.pattern, pattern.flags)
    return Expression(_read_all(parsed, pattern.flags), pattern.groups, dict(pattern.groupindex))


def _read_all(items: Iterable[tuple[Any, Any]], flags: int) -> Node:
    nodes = tuple(_read_item(str(operation), argument, flags) for operation, argument in items)
    return nodes[0] if len(nodes) == 1 else Sequence(nodes)


def _read_item(operation: str, argument: Any, flags: int) -> Node:
    match operation:
        case "LITERAL" | "NOT_LITERAL":
            chars = _literal(argument, flags)
            return Chars(chars if operation == "LITERAL" else ~chars)
        case "ANY":
            return _ANY if flags & re.DOTALL else _NOT_NEWLINE
        case "IN":
            return Chars(_character_class(argument, flags))
        case "BRANCH":
            return Choice(tuple(_read_all(option, flags) for option in argument[1]))
        case "SUBPATTERN":
            group, added, removed, body = argument
            inner = _read_all(body, (flags | added) & ~removed)
            return inner if group is None else Capture(inner, group)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeat(operation, argument, flags)
        case "ATOMIC_GROUP":
            return Atomic(_read_all(argument, flags))
        case "ASSERT" | "ASSERT_NOT":
            direction, body = argument
            return Look(_read_all(body, flags), behind=direction < 0, negative=operation == "ASSERT_NOT")
        case "GROUPREF":
            return BackReference(argument, empty_when_unset=False, ignore_case=bool(flags & re.IGNORECASE))
        case "GROUPREF_EXISTS":
            group, yes, no = argument
            return Conditional(group, _read_all(yes, flags), NOTHING if no is None else _read_all(no, flags))
        case "FAILURE":
            return Chars(_charset.EMPTY)
        case "AT":
            return _assertion(str(argument).removeprefix("AT_"), flags)
        case _:
            raise PatternError(f"the pattern uses {operation}, which is not supported")


def _repeat(operation: str, argument: Any, flags: int) -> Node:
    least, most, items = argument
    body = _read_all(items, flags)
    if most == 0:
        return NOTHING
    return Repeat(body, int(least), None if str(most) == "MAXREPEAT" else int(most), _MODES[operation])


def _assertion(place: str, flags: int) -> Node:
    match place:
        case "BEGINNING" if flags & re.MULTILINE:
            return Look(_NOT_NEWLINE, behind=True, negative=True)
        case "BEGINNING" | "BEGINNING_STRING":
            return Start()
        case "END" if flags & re.MULTILINE:
            return Look(_NOT_NEWLINE, behind=False, negative=True)
        case "END":
            return Look(Sequence((Repeat(_NEWLINE, 0, 1, "greedy"), End())), behind=False, negative=False)
        case "END_STRING":
            return End()
        case "BOUNDARY":
            return WordEdge(_category(r"\w", bool(flags & re.ASCII)), negative=False)
        case "NON_BOUNDARY":
            edge = WordEdge(_category(r"\w", bool(flags & re.ASCII)), negative=True)
            return edge if sys.version_info >= (3, 14) else Sequence((_not_in_empty_text(), edge))
        case _:
            raise PatternError(f"the pattern uses the assertion {place}, which is not supported")


def _not_in_empty_text() -> Node:
    r"""Before Python 3.14 `\B` does not match in an empty text."""
    return Choice((Look(_ANY, behind=False, negative=False), Look(_ANY, behind=True, negative=False)))


# ---- which characters a class holds, asked of `re` itself ----


@cache
def _category(escape: str, is_ascii: bool) -> CharSet:
    every = "".join(map(chr, range(MAX_CODE_POINT + 1)))
    runs = re.finditer(f"{escape}+", every, re.ASCII if is_ascii else 0)
    return CharSet((found.start(), found.end() - 1) for found in runs)


@cache
def _cased() -> str:
    return "".join(char for char in map(chr, range(0x20000)) if char.lower() != char or char.upper() != char)


def _literal(code_point: int, flags: int) -> CharSet:
    own = CharSet([(code_point, code_point)])
    return own | _cased_matches(escape_range(code_point, code_point), flags) if flags & re.IGNORECASE else own


def _character_class(items: list[tuple[Any, Any]], flags: int) -> CharSet:
    ranges: list[tuple[int, int]] = []
    written: list[str] = []
    negated = False
    for operation, argument in items:
        match str(operation):
            case "NEGATE":
                negated = True
            case "CATEGORY":
                escape = _CATEGORIES[str(argument).removeprefix("CATEGORY_")]
                ranges.extend(_category(escape, bool(flags & re.ASCII)).ranges)
                written.append(escape)
            case _:
                low, high = argument if str(operation) == "RANGE" else (argument, argument)
                ranges.append((low, high))
                written.append(escape_range(low, high))
    chars = ~CharSet(ranges) if negated else CharSet(ranges)
    if not flags & re.IGNORECASE:
        return chars
    return (chars - CharSet.of(_cased())) | _cased_matches(f"{'^' if negated else ''}{''.join(written)}", flags)


def _cased_matches(class_body: str, flags: int) -> CharSet:
    """Which letters with case a class holds under the flag IGNORECASE."""
    return CharSet.of("".join(re.findall(f"[{class_body}]", _cased(), flags & (re.ASCII | re.IGNORECASE))))
