"""Operators that look at another value than their own: an item, the length, the keys, the JSON in a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from matchex._errors import MatchingError
from matchex._items import first_reason
from matchex._lists import real_index
from matchex._node import At, Keys, Link, Node, failures_in, match_below
from matchex._outcome import CLEAN, ERROR, FAIL, Outcome, Run
from matchex._report import Failure
from matchex._shape_hint import shape_hint
from matchex._strict_json import JsonTextError, parse_json_text
from matchex._values import as_list, as_mapping, trim, type_name

__all__ = ["JsonNode", "KeysNode", "LengthNode", "NthNode", "ValuesNode", "View", "ViewNode"]


class View(NamedTuple):
    """What an operator looks at instead of the value itself.

    Attributes:
        value: The value that the operand is matched against.
        keys: Its path below the operator's.
        refusal: Why there is nothing to look at; then the operator fails.
    """

    value: object
    keys: Keys = ()
    refusal: str | None = None


def refused(reason: str) -> View:
    """Nothing to look at."""
    return View(None, (), reason)


class ViewNode(Node):
    """Base: the operand is matched against a view of the value."""

    __slots__ = ("inner", "name")

    def __init__(self, place: Keys, expected: object, name: str, inner: Node) -> None:
        super().__init__(place, expected, (inner,))
        self.name = name
        self.inner = inner

    def view(self, actual: object, run: Run) -> View:
        """What to look at.

        Raises:
            MatchingError: It cannot be told.
        """
        raise NotImplementedError

    def match(self, actual: object, run: Run) -> Outcome:
        try:
            view = self.view(actual, run)
        except MatchingError as error:
            return self.broken(actual, error.kind, error.message, error.__cause__)
        if view.refusal is not None:
            return Outcome(self, actual, FAIL, 0.0, info=view)
        inner = match_below(self.inner, view.value, view.keys, run)
        if inner is CLEAN:
            return CLEAN
        out = Outcome(self, actual, inner.status, inner.score, (inner,), view)
        out.critical, out.doubtful = inner.critical, inner.doubtful
        if inner.status is ERROR:
            out.span = (0.0, 1.0)
        return out

    def quick(self, actual: object, run: Run) -> bool | None:
        view = self.view(actual, run)
        return False if view.refusal is not None else self.inner.quick(view.value, run)

    def links(self, out: Outcome) -> Iterable[Link]:
        if out.children:
            yield Link(self.name, out.info.keys, 1.0, out.children[0])

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if not isinstance(out.info, View):
            return
        child = out.children[0] if out.children else None
        if child is None:
            yield self.failure(out, at, out.info.refusal)
        else:
            yield from failures_in(child, at.below(out.info.keys))


class NthNode(ViewNode):
    """`$nth`, `$first`, `$last`: one item of a list."""

    __slots__ = ("index",)

    def __init__(self, place: Keys, expected: object, name: str, inner: Node, index: int) -> None:
        super().__init__(place, expected, name, inner)
        self.index = index

    def view(self, actual: object, run: Run) -> View:
        items = as_list(actual)
        if items is None:
            return refused(f"{self.name} takes a list, got {type_name(actual)}")
        index = self.index + len(items) if self.index < 0 else self.index
        if not 0 <= index < len(items):
            return refused(f"{self.name}: there is no item {self.index} in a list of {len(items)}")
        return View(items[index], (real_index(items, index),))


class JsonNode(ViewNode):
    """`$json`: the text is parsed, then matched."""

    __slots__ = ()

    def view(self, actual: object, run: Run) -> View:
        if not isinstance(actual, str):
            return refused(f"$json takes a text with JSON in it, got {type_name(actual)}")
        try:
            return View(parse_json_text(trim(actual)))
        except JsonTextError as error:
            hint = shape_hint(self.expected, None).replace("; ", "\n", 1)
            return refused(f"the text is no JSON: {error}{hint}")


class MeasureNode(ViewNode):
    """Base of `$length $keys $values`: they report at the value itself, as one failure."""

    __slots__ = ()
    words: str
    kinds: str

    def measure(self, actual: object) -> object:
        """The view of a value of the right kind, else None."""
        raise NotImplementedError

    def view(self, actual: object, run: Run) -> View:
        found = self.measure(actual)
        return refused(f"{self.name} takes {self.kinds}, got {type_name(actual)}") if found is None else View(found)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if not isinstance(out.info, View):
            return
        if not out.children:
            yield self.failure(out, at, out.info.refusal)
            return
        critical = at.critical or out.critical
        reason = first_reason(out.children[0])
        message = f"its {self.words}: {reason}"
        yield self.failure(out, At(at.keys, critical, at.title), message)


class LengthNode(MeasureNode):
    """`$length`: number of characters, items or keys."""

    __slots__ = ()
    words = "length"
    kinds = "a text, a list or a mapping"

    def measure(self, actual: object) -> object:
        if isinstance(actual, str):
            return len(actual)
        sized = as_list(actual)
        if sized is None:
            sized = as_mapping(actual)
        return None if sized is None else len(sized)


class KeysNode(MeasureNode):
    """`$keys`: the keys of a mapping, as a list."""

    __slots__ = ()
    words = "keys"
    kinds = "a mapping"

    def measure(self, actual: object) -> object:
        mapping = as_mapping(actual)
        return None if mapping is None else list(mapping)


class ValuesNode(MeasureNode):
    """`$values`: the values of a mapping, as a list."""

    __slots__ = ()
    words = "values"
    kinds = "a mapping"

    def measure(self, actual: object) -> object:
        mapping = as_mapping(actual)
        return None if mapping is None else list(mapping.values())
