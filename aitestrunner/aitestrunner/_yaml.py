"""YAML as fixture files speak it: 1.2 core scalars, plain data, positions, and no way to run code.

PyYAML's C parser delivers the events; everything above them is ours, because PyYAML's own constructor follows YAML 1.1
(`yes` is true, `05/02` ...), keeps the last of two equal keys and builds Python objects on demand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, cast

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    Event,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from aitestrunner._errors import FixtureError, FixtureProblem
from aitestrunner._positions import Node, Position, PositionMap

__all__ = ["MAX_DEPTH", "MAX_SHARED_NODES", "parse_yaml"]

MAX_DEPTH: Final = 200
"""How deeply a document may be nested. No real expectation comes near; deeper ones would end in the interpreter."""

MAX_SHARED_NODES: Final = 1_000_000
"""How many values aliases may stand for, all together: a few lines of nested aliases can mean billions."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the pure Python one where libyaml is not there

_CONSTANTS: Final[dict[str, Any]] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], float("nan")),
    **{sign + name: float(sign + "inf") for sign in ("", "+", "-") for name in (".inf", ".Inf", ".INF")},
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL: Final = re.compile(r"0o[0-7]+\Z")
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_PATTERN: Final = re.compile(r"/.+/[a-z]*\Z", re.DOTALL)
_CORE: Final = "tag:yaml.org,2002:"
_CODE_TAGS: Final = frozenset({"!fn", "!fn#", "!call", "!$", "!js", "!function"})


def parse_yaml(text: str, file: str, *, first_line: int = 1) -> Node:
    """One YAML document as plain data with positions.

    Args:
        text: The document; an empty one is null.
        file: Its name, for positions.
        first_line: The number of the text's first line in the file.

    Raises:
        FixtureError: It is no YAML, has duplicate keys, unknown tags, too many aliases, too deep nesting, or holds
            more than one document.
    """
    positions = PositionMap(file)
    value = _Builder(text, positions, first_line).document()
    return Node(value, lambda: positions)


class _Builder:
    """Builds plain data from the events of one document, and notes the place of every node on the way."""

    def __init__(self, text: str, positions: PositionMap, first_line: int) -> None:
        self._next: Callable[[], Event] = _Loader(text).get_event
        self._positions = positions
        self._first_line = first_line
        self._anchors: dict[str, tuple[Any, int, int]] = {}  # value, number of nodes, depth
        self._shared = 0
        self._nodes = 0
        self._deepest = 0

    def document(self) -> Any:
        try:
            self._next()  # the stream starts
            event = self._next()
            if isinstance(event, StreamEndEvent):
                self._positions.open(self._first_line, 1)
                return None
            value = self._node(self._next(), None, 1)
            self._finish()
        except yaml.YAMLError as error:
            raise self._syntax_error(error) from None
        return value

    def _finish(self) -> None:
        event = self._next()
        while isinstance(event, DocumentEndEvent):
            event = self._next()
        if not isinstance(event, StreamEndEvent):
            raise self._error(
                event,
                "a second document begins here: a fixture file is one list of cases, or front matter between two "
                "`---` lines and then the cases",
            )

    def _node(self, event: Any, key: Event | None, depth: int) -> Any:
        place = (key or event).start_mark
        number = self._positions.open(place.line + self._first_line, place.column + 1)
        self._nodes += 1
        if depth > self._deepest:
            self._deepest = depth
        if depth > MAX_DEPTH:
            raise self._error(event, f"nested more than {MAX_DEPTH} levels deep")
        cls = event.__class__
        if cls is ScalarEvent:
            value = self._scalar(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = (value, 1, 1)
            return value
        if cls is AliasEvent:
            return self._alias(event, depth)
        return self._container(event, number, depth)

    def _container(self, event: Any, number: int, depth: int) -> Any:
        nodes, deepest, self._deepest = self._nodes, self._deepest, depth
        value = self._sequence(depth) if event.__class__ is SequenceStartEvent else self._mapping(depth)
        self._positions.close(number)
        if event.tag is not None:
            value = self._tagged(event, value)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, self._nodes - nodes + 1, self._deepest - depth + 1)
        self._deepest = max(deepest, self._deepest)
        return value

    def _sequence(self, depth: int) -> list[Any]:
        items: list[Any] = []
        event = self._next()
        while event.__class__ is not SequenceEndEvent:
            items.append(self._node(event, None, depth + 1))
            event = self._next()
        return items

    def _mapping(self, depth: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        event = self._next()
        while event.__class__ is not MappingEndEvent:
            key = self._key(event)
            if key in fields:
                raise self._error(event, f"the key `{key}` is given twice in one mapping; keep one of them")
            fields[key] = self._node(self._next(), event, depth + 1)
            event = self._next()
        return fields

    def _key(self, event: Any) -> str:
        if event.__class__ is AliasEvent and event.anchor in self._anchors:
            value = self._anchors[event.anchor][0]
        elif event.__class__ is ScalarEvent:
            value = event.value if event.tag is None or event.tag == "!" else self._scalar(event)
        else:
            raise self._error(
                event,
                'a list or mapping cannot be a key; a text that begins with `{{` needs quotes: "{{name}}"',
            )
        if not isinstance(value, str):
            raise self._error(event, f"a key must be a text, not {value!r}")
        return value

    def _alias(self, event: Any, depth: int) -> Any:
        known = self._anchors.get(event.anchor)
        if known is None:
            raise self._error(
                event, f"the alias *{event.anchor} has no anchor before it, or stands inside its own anchor"
            )
        value, nodes, height = known
        self._shared += nodes
        self._nodes += nodes
        if self._shared > MAX_SHARED_NODES:
            raise self._error(event, f"aliases stand for more than {MAX_SHARED_NODES:,} values (an alias bomb?)")
        if depth + height - 1 > MAX_DEPTH:
            raise self._error(event, f"nested more than {MAX_DEPTH} levels deep through the alias *{event.anchor}")
        self._deepest = max(self._deepest, depth + height - 1)
        return value

    def _scalar(self, event: Any) -> Any:
        tag, text = event.tag, event.value
        if tag is None:
            return self._plain(event, text) if event.implicit[0] else text
        if tag == "!":
            return text
        return self._tagged(event, text)

    def _plain(self, event: Any, text: str) -> Any:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if text[0] not in "-+.0123456789":
            return text
        try:
            if _INTEGER.match(text):
                return int(text)
            if _FLOAT.match(text):
                return float(text)
        except ValueError:  # Python refuses integers of thousands of digits
            raise self._error(event, "a number of so many digits cannot be read; put it in quotes") from None
        if _HEXADECIMAL.match(text):
            return int(text, 16)
        return int(text[2:], 8) if _OCTAL.match(text) else text

    def _tagged(self, event: Any, value: Any) -> Any:
        tag = str(event.tag)
        if tag in ("!json-schema", "!schema"):
            return {"$schema": self._plain(event, value) if isinstance(value, str) else value}
        if tag == "!re":
            return self._pattern(event, value)
        if tag.startswith(_CORE):
            return self._core(event, tag.removeprefix(_CORE), value)
        if tag in _CODE_TAGS:
            raise self._error(
                event,
                f"{tag} holds code, and fixture files are data: put the function into a Python file and name it under "
                "`operators:`, or write `$expr`",
            )
        raise self._error(event, f"unknown tag {tag}; the tags are !re, !schema and !json-schema")

    def _pattern(self, event: Any, value: Any) -> str:
        if not isinstance(value, str) or not _PATTERN.match(value.strip()):
            raise self._error(
                event, f"!re is followed by a pattern between slashes, like !re /total: \\d+/i; got {value!r}"
            )
        return value.strip()

    def _core(self, event: Any, name: str, value: Any) -> Any:
        if not isinstance(value, str):
            if (name == "map" and isinstance(value, dict)) or (name == "seq" and isinstance(value, list)):
                return cast("Any", value)
        elif name == "str":
            return value
        elif name in ("int", "float", "bool", "null"):
            plain = self._plain(event, value)
            if name == "float" and type(plain) is int:
                return float(plain)
            if type(plain).__name__ == {"null": "NoneType"}.get(name, name):
                return plain
            raise self._error(event, f"{value!r} is no {name}")
        raise self._error(event, f"the tag !!{name} is not supported: fixture files hold plain data")

    def _error(self, event: Event, message: str) -> FixtureError:
        mark = event.start_mark
        position = Position(self._positions.file, mark.line + self._first_line, mark.column + 1)
        return FixtureError([FixtureProblem(message, position)])

    def _syntax_error(self, error: yaml.YAMLError) -> FixtureError:
        mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        what = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
        context = getattr(error, "context", None)
        message = f"this is not YAML: {what}" + (f" ({context})" if context else "") + _syntax_hint(what)
        line, column = (mark.line, mark.column) if mark else (0, 0)
        return FixtureError(
            [FixtureProblem(message, Position(self._positions.file, line + self._first_line, column + 1))]
        )


def _syntax_hint(problem: str) -> str:
    """What most often stands behind a message of the parser."""
    if "mapping values are not allowed" in problem:
        return ". Keys of one mapping begin in the same column; a text with `: ` in it needs quotes"
    if "cannot start any token" in problem:
        return ". Indent with blanks, not with tabs; a text that begins with one of ` @ % needs quotes"
    if "did not find expected" in problem:
        return ". Look at the indentation and the quotes of this line and the one above"
    return ""
