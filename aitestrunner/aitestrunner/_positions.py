"""Where each value of a loaded document stands: file, line and column, addressed by path.

A document's positions are two flat arrays in reading order: the place of every node, and how many nodes its subtree
has. That is twelve bytes a node, where a tree of objects would outweigh the document itself.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

__all__ = ["Node", "Place", "Position", "PositionMap"]

Place = Sequence[str | int]
"""A path into a document: keys and list indexes."""

_COLUMN_BITS = 24
_COLUMN_MASK = (1 << _COLUMN_BITS) - 1


class Position(NamedTuple):
    """A place in a file. Lines and columns count from 1.

    Example:
        >>> from aitestrunner import Position
        >>> str(Position("bot.fixture.yaml", 12, 5))
        'bot.fixture.yaml:12:5'
    """

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class PositionMap:
    """The positions of one document, filled in reading order: a list item at itself, a field at its key."""

    __slots__ = ("_places", "_sizes", "file")

    def __init__(self, file: str) -> None:
        self.file = file
        self._places = array("Q")
        self._sizes = array("I")

    def open(self, line: int, column: int) -> int:
        """Note that a node begins at a place (from 1); returns its number, to be given to `close`."""
        self._places.append(line << _COLUMN_BITS | min(column, _COLUMN_MASK))
        self._sizes.append(1)
        return len(self._places) - 1

    def close(self, node: int) -> None:
        """Note that everything below a node has been read."""
        self._sizes[node] = len(self._places) - node

    def position(self, node: int) -> Position:
        """The place of a node."""
        place = self._places[node]
        return Position(self.file, place >> _COLUMN_BITS, place & _COLUMN_MASK)

    def children(self, node: int) -> Iterator[int]:
        """The numbers of a node's direct children, in reading order."""
        end = node + self._sizes[node]
        child = node + 1
        while child < end:
            yield child
            child += self._sizes[child]


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document together with its positions.

    `load` gives the positions when they are first asked for: most documents are never asked. Without it the value came
    from Python, and has no place.
    """

    value: Any
    load: Callable[[], PositionMap] | None = None
    number: int = 0

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of a mapping; nothing for any other value."""
        value = cast("object", self.value)
        return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}

    def children(self) -> Iterator[Node]:
        """The items of a list or the fields' values of a mapping, each with its own positions."""
        value: Any = self.value
        values: Any = list(self.fields.values()) or value
        if self.load is None:
            yield from map(Node, values)
            return
        numbers = list(self.load().children(self.number))
        if len(numbers) != len(values):  # an alias: its content stands elsewhere, and is placed where the alias is
            numbers = [self.number] * len(values)
        for child, number in zip(values, numbers, strict=True):
            yield Node(child, self.load, number)

    def field(self, key: str) -> Node | None:
        """One field of a mapping."""
        for name, node in zip(self.fields, self.children(), strict=False):
            if name == key:
                return node
        return None

    def locate(self, path: Place = ()) -> Position | None:
        """The place of what stands at `path`, or of the nearest thing above it that the document has.

        A step into an operator that the document does not have is skipped: the runner writes some of them itself
        (`tools: [...]` is judged as `tools: {$all: [...]}`).
        """
        if self.load is None:
            return None
        positions = self.load()
        value: Any = self.value
        number = self.number
        for step in path:
            index = _index_of(value, step)
            if index is None:
                if isinstance(step, str) and step.startswith("$"):
                    continue
                break
            child = next((c for i, c in enumerate(positions.children(number)) if i == index), None)
            if child is None:  # below an alias: its anchor's content stands elsewhere
                break
            value, number = value[index if isinstance(value, list) else step], child
        return positions.position(number)


def _index_of(value: Any, step: str | int) -> int | None:
    """Which child of `value` a step of a path goes to."""
    if isinstance(value, dict):
        fields = cast("dict[Any, Any]", value)
        return list(fields).index(step) if step in fields else None
    if isinstance(value, list):
        items = cast("list[Any]", value)
        index = int(step) if isinstance(step, int) or step.isdigit() else -1
        return index if 0 <= index < len(items) else None
    return None
