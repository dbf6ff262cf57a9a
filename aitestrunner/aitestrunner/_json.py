"""JSON and JSON Lines with the place of every value.

`json` reads the values; positions are found by a second, slower scan that runs only when one is asked for.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Iterator
from typing import Any, Final

from aitestrunner._errors import FixtureError, FixtureProblem
from aitestrunner._positions import Node, Position, PositionMap
from aitestrunner._yaml import MAX_DEPTH

__all__ = ["parse_json", "parse_json_lines"]

_TOKEN: Final = re.compile(r'[\s,:]*([\[{]|[\]}]|"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s,:\[\]{}"]+)', re.DOTALL)


class _Refused(ValueError):
    """A value that `json` reads and we do not: a key given twice, NaN."""


def parse_json(text: str, file: str, *, first_line: int = 1) -> Node:
    """One JSON document as plain data with positions.

    Raises:
        FixtureError: It is no JSON, has duplicate keys or NaN, or is nested too deeply.
    """
    return Node(_parsed(text, file, first_line), functools.cache(lambda: _positions(text, file, first_line)))


def _parsed(text: str, file: str, first_line: int) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_fields, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        position = Position(file, error.lineno + first_line - 1, error.colno)
        raise FixtureError([FixtureProblem(f"this is not JSON: {error.msg}", position)]) from None
    except RecursionError:
        raise FixtureError(
            [FixtureProblem(f"nested more than {MAX_DEPTH} levels deep", Position(file, first_line, 1))]
        ) from None
    except ValueError as error:  # _Refused, or an integer of thousands of digits
        position = _place_of_refusal(text, file, first_line) or Position(file, first_line, 1)
        raise FixtureError([FixtureProblem(str(error), position)]) from None
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _positions(text, file, first_line)  # checks the depth
    return value


def parse_json_lines(text: str, file: str) -> Iterator[Node]:
    """One value a line; blank lines are skipped."""
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.isspace():
            yield Node(_parsed(line, file, number), _OfLine(line, file, number))


class _OfLine:
    """The positions of one line, found anew each time: of a hundred thousand lines few are asked for, once."""

    __slots__ = ("_file", "_number", "_text")

    def __init__(self, text: str, file: str, number: int) -> None:
        self._text = text
        self._file = file
        self._number = number

    def __call__(self) -> PositionMap:
        return _positions(self._text, self._file, self._number)


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = {sys.intern(key): value for key, value in pairs}  # rows share their keys
    if len(fields) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(f"the key `{twice}` is given twice in one mapping; keep one of them")
    return fields


def _refuse_constant(name: str) -> Any:
    raise _Refused(f"{name} is no JSON")


def _place_of_refusal(text: str, file: str, first_line: int) -> Position | None:
    """Where the first duplicate key, NaN or endless number stands."""
    keys: list[set[str] | None] = []  # per open container: the keys of a mapping, None for a list
    at_value = False
    for match in _TOKEN.finditer(text):
        word = match[1]
        if word in ("}", "]"):
            keys.pop()
            at_value = False
        elif keys and keys[-1] is not None and not at_value:
            if word in keys[-1]:
                return _place(text, match.start(1), file, first_line)
            keys[-1].add(word)
            at_value = True
        else:
            at_value = False
            if word in ("{", "["):
                keys.append(set() if word == "{" else None)
            elif word in ("NaN", "Infinity", "-Infinity") or (len(word) > 4000 and word[-1].isdigit()):
                return _place(text, match.start(1), file, first_line)
    return None


def _place(text: str, offset: int, file: str, first_line: int) -> Position:
    line_start = text.rfind("\n", 0, offset) + 1
    return Position(file, first_line + text.count("\n", 0, offset), offset - line_start + 1)


def _positions(text: str, file: str, first_line: int) -> PositionMap:
    """Scan a text that is known to be JSON, noting where each value stands (a field at its key)."""
    positions = PositionMap(file)
    opened: list[tuple[int, bool]] = []  # number of the container, whether it is a mapping
    at_value = False  # in a mapping: the key has been read
    number = 0
    line, line_start, scanned = first_line, 0, 0
    for match in _TOKEN.finditer(text):
        word, offset = match[1], match.start(1)
        newlines = text.count("\n", scanned, offset)
        if newlines:
            line += newlines
            line_start = text.rfind("\n", scanned, offset) + 1
        scanned = offset
        if word in ("}", "]"):
            positions.close(opened.pop()[0])
            at_value = False
            continue
        in_mapping = bool(opened) and opened[-1][1]
        if in_mapping and not at_value:
            number = positions.open(line, offset - line_start + 1)
            at_value = True
            continue
        if not in_mapping:
            number = positions.open(line, offset - line_start + 1)
        at_value = False
        if word in ("{", "["):
            opened.append((number, word == "{"))
            if len(opened) > MAX_DEPTH:
                position = _place(text, offset, file, first_line)
                raise FixtureError([FixtureProblem(f"nested more than {MAX_DEPTH} levels deep", position)])
    return positions
