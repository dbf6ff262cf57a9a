"""What a template sees: variables whose own placeholders are rendered as they are reached, and no sooner.

Data come in unchanged; a container is handed to a template as a view that renders its texts on access. What has been
rendered is final: a text computed from data is never rendered a second time, so no value can smuggle placeholders in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, cast, overload

from matchex.plugin import MISSING, Literal, Rendered, TemplateError, as_list, as_mapping

from matchex_template._limits import Budget
from matchex_template._names import chain_text, child
from matchex_template._text import text_of

__all__ = ["ListView", "MappingView", "Nested", "Parser", "Scope", "exported"]

Chain = tuple[str, ...]


class Nested(Protocol):
    """A parsed text that can be rendered as part of a larger rendering."""

    def evaluate(self, scope: Scope, quote: Callable[[str], str] | None = None) -> Rendered:
        """Render in `scope`."""
        ...


class Parser(Protocol):
    """Parses texts that were met in data."""

    def nested(self, text: str, name: str) -> Nested | str:
        """The parsed text; where there is no placeholder in it, what it says."""
        ...


class _Taint:
    """Whether a `Literal` went into what is being rendered; the result then is one, too."""

    __slots__ = ("literal",)

    def __init__(self) -> None:
        self.literal = False


class Scope:
    """Variables, limits, and the names that have been passed through on the way here."""

    __slots__ = ("budget", "chain", "parser", "taint", "variables")

    def __init__(
        self, parser: Parser, variables: Mapping[str, object], budget: Budget, chain: Chain, taint: _Taint | None = None
    ) -> None:
        self.parser = parser
        self.variables = variables
        self.budget = budget
        self.chain = chain
        self.taint = taint or _Taint()

    @property
    def literal(self) -> bool:
        """Whether a `Literal` has been used in this scope."""
        return self.taint.literal

    def through(self, name: str) -> Chain:
        """The chain with `name` added.

        Raises:
            TemplateError: The name is in it already: a cycle.
        """
        if name in self.chain:
            cycle = self.chain[self.chain.index(name) :]
            raise TemplateError(f"the placeholders form a cycle: {chain_text((*cycle, name))}")
        self.budget.descend(len(self.chain))
        return (*self.chain, name)

    def rendered(self, value: object, name: str) -> Rendered:
        """`value`, found under `name`; a text with its placeholders rendered, everything else as it is."""
        if not isinstance(value, str):
            return Rendered(value, (*self.chain, name))
        nested = self.parser.nested(value, name)
        if isinstance(nested, str):
            return Rendered(nested, (*self.chain, name))
        self.budget.step()
        return nested.evaluate(Scope(self.parser, self.variables, self.budget, self.through(name)))

    def enter(self, value: object, name: str) -> object:
        """What a template gets for `value`, found under `name`: final, or a view."""
        if value is None or isinstance(value, (bool, int, float)):
            return value
        found = self.rendered(value, name)
        if isinstance(found.value, Literal):
            return self.enter_literal(found.value, name)
        within = Scope(self.parser, self.variables, self.budget, found.chain, self.taint)
        return _view(found.value, within, name, literal=False)

    def enter_literal(self, value: object, name: str) -> object:
        """What a template gets for something inside a `Literal`: its texts are final as they are."""
        self.taint.literal = True
        while isinstance(value, Literal):
            value = value.value
        return _view(value, self, name, literal=True)


def _view(value: object, scope: Scope, name: str, *, literal: bool) -> object:
    if isinstance(value, (str, MappingView, ListView)):
        return value
    mapping = as_mapping(value)
    if mapping is not None:
        return MappingView(value, mapping, scope, name, literal=literal)
    items = as_list(value)
    return value if items is None else ListView(value, items, scope, name, literal=literal)


class _View:
    """What the two kinds of views share."""

    __slots__ = ("_literal", "_name", "_scope", "raw")

    def __init__(self, value: object, scope: Scope, name: str, *, literal: bool) -> None:
        self.raw = Literal(value) if literal else value
        self._scope = scope
        self._name = name
        self._literal = literal

    def _enter(self, value: object, step: str | int) -> object:
        self._scope.budget.step()
        if value is None or isinstance(value, (bool, int, float)):
            return value
        name = child(self._name, step)
        return self._scope.enter_literal(value, name) if self._literal else self._scope.enter(value, name)


class MappingView(_View, Mapping[Any, object]):
    """A mapping or record of the data as a template sees it: keys and values rendered."""

    __slots__ = ("_mapping", "_renamed")

    def __init__(self, value: object, mapping: Mapping[Any, object], scope: Scope, name: str, *, literal: bool) -> None:
        super().__init__(value, scope, name, literal=literal)
        self._mapping = mapping
        self._renamed: Mapping[Any, object] | None = mapping if literal else None

    def __getitem__(self, key: Any) -> object:
        value = self._mapping.get(key, MISSING)
        if value is MISSING:
            value = self._fields()[key]
        return self._enter(value, key)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fields())

    def __len__(self) -> int:
        return len(self._fields())

    def _fields(self) -> Mapping[Any, object]:
        if self._renamed is None:
            names = {key: text_of(self._enter(key, key)) for key in self._mapping if isinstance(key, str)}
            changed = any(key != name for key, name in names.items())
            fields = {names.get(key, key): value for key, value in self._mapping.items()} if changed else self._mapping
            self._renamed = cast("Mapping[Any, object]", fields)
        return self._renamed


class ListView(_View, Sequence[object]):
    """A list of the data as a template sees it: items rendered."""

    __slots__ = ("_items",)

    __hash__ = None  # pyright: ignore[reportAssignmentType] (a list has no hash)

    def __init__(self, value: object, items: Sequence[object], scope: Scope, name: str, *, literal: bool) -> None:
        super().__init__(value, scope, name, literal=literal)
        self._items = items

    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> list[object]: ...
    def __getitem__(self, index: int | slice) -> object:
        if isinstance(index, slice):
            return [self._enter(self._items[position], position) for position in range(*index.indices(len(self)))]
        return self._enter(self._items[index], index)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (ListView, list, tuple)) and list(self) == list(cast("Sequence[object]", other))


def exported(value: object, scope: Scope, marked: Callable[[str], bool]) -> object:
    """The result of an expression as the caller gets it, who renders placeholders in containers, but not these.

    Args:
        value: A view, which is handed back as the data that it shows, or something computed, whose texts are final.
        scope: Where it was computed; after the use of a `Literal` the texts in it are literal.
        marked: Whether a text looks as if there were placeholders in it.
    """
    if isinstance(value, (MappingView, ListView)):
        return value.raw
    if isinstance(value, str):
        return Literal(value) if scope.literal or marked(value) else value
    if isinstance(value, (list, tuple)):
        return [exported(item, scope, marked) for item in cast("Sequence[object]", value)]
    if isinstance(value, dict):
        fields = cast("dict[object, object]", value)
        if scope.literal:  # a key, too, may come from the `Literal`
            return Literal(_plain(fields))
        return {key: exported(item, scope, marked) for key, item in fields.items()}
    return value


def _plain(value: object) -> object:
    """A value with every view in it replaced by what it shows."""
    mapping = as_mapping(value)
    if mapping is not None:
        return {key: _plain(item) for key, item in mapping.items()}
    items = as_list(value)
    return value if items is None else [_plain(item) for item in items]
