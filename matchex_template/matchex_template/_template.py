"""A parsed text: literal pieces, and slots that values go into."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from matchex.plugin import MISSING, Literal, Rendered, TemplateError, format_path, lookup, parse_path, trim

from matchex_template._limits import Budget, Limits
from matchex_template._names import undefined_path
from matchex_template._scope import Parser, Scope
from matchex_template._text import pattern_source, text_of

__all__ = [
    "Body",
    "ParsedTemplate",
    "Part",
    "PathSlot",
    "Slot",
    "TextBody",
    "WholeBody",
    "finished",
    "inserted",
    "is_blank",
]

Quote = Callable[[str], str]


class Part(Protocol):
    """A piece of a text, as `matchex.plugin.split` gives it."""

    @property
    def kind(self) -> str:
        """`text`, `value`, `path` or `block`."""
        ...

    @property
    def text(self) -> str:
        """What the text says, or what stands between the delimiters."""
        ...

    @property
    def source(self) -> str:
        """The piece as it is written."""
        ...


class Slot(Protocol):
    """A place for a value."""

    def value(self, scope: Scope) -> Rendered:
        """The value itself; placeholders inside a container are left to the caller."""
        ...

    def shown(self, scope: Scope) -> object:
        """The value for insertion into a text."""
        ...


class PathSlot:
    """A slot for what a path leads to. The whole path as one literal key comes first."""

    def __init__(self, written: str) -> None:
        self._key = written
        self._steps = parse_path(written)
        self._name = format_path(self._steps)

    def _find(self, scope: Scope) -> object:
        found = scope.variables.get(self._key, MISSING)
        if found is MISSING:
            found = lookup(scope.variables, self._steps)
        if found is MISSING:
            raise TemplateError(undefined_path(scope.variables, self._steps))
        if self._name in scope.chain:
            scope.through(self._name)
        return found

    def value(self, scope: Scope) -> Rendered:
        return scope.rendered(self._find(scope), self._name)

    def shown(self, scope: Scope) -> object:
        return scope.enter(self._find(scope), self._name)


class Body(Protocol):
    """What a template consists of."""

    def evaluate(self, scope: Scope, quote: Quote | None) -> Rendered:
        """Its value; with `quote` a text for a regex."""
        ...


class WholeBody:
    """Nothing but one slot: the value keeps its type."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot

    def evaluate(self, scope: Scope, quote: Quote | None) -> Rendered:
        if quote is None:
            return self._slot.value(scope)
        return Rendered(inserted(self._slot.shown(scope), scope, quote), scope.chain)


class TextBody:
    """Literal pieces and slots."""

    def __init__(self, pieces: Sequence[str | Slot]) -> None:
        self._pieces = tuple(pieces)

    def evaluate(self, scope: Scope, quote: Quote | None) -> Rendered:
        texts: list[str] = []
        for piece in self._pieces:
            if isinstance(piece, str):
                texts.append(piece)
            else:
                scope.budget.step()
                texts.append(inserted(piece.shown(scope), scope, quote))
        return finished("".join(texts), scope, quote)


def inserted(value: object, scope: Scope, quote: Quote | None) -> str:
    """A value as the text that goes into a text, or quoted into a regex, where a pattern goes in as it is."""
    source = None if quote is None or isinstance(value, str) else pattern_source(value)
    text = text_of(value) if source is None else source
    scope.budget.produce(len(text))
    return text if quote is None or source is not None else quote(text)


def finished(text: str, scope: Scope, quote: Quote | None) -> Rendered:
    """A rendered text; one that a `Literal` went into is literal, but in a regex, where it is quoted."""
    return Rendered(Literal(text) if scope.literal and quote is None else text, scope.chain)


class ParsedTemplate:
    """A text with placeholders, ready to be rendered with any variables.

    Attributes:
        text: The text.
        whole: Whether it is, but for blanks, one placeholder, and so gives a value of any type.
    """

    def __init__(self, text: str, body: Body, parser: Parser, limits: Limits) -> None:
        self.text = text
        self.whole = isinstance(body, WholeBody)
        self._body = body
        self._parser = parser
        self._limits = limits

    def __repr__(self) -> str:
        return f"ParsedTemplate({self.text!r})"

    def render(
        self, variables: Mapping[str, Any], *, chain: tuple[str, ...] = (), quote: Quote | None = None
    ) -> Rendered:
        """Render the text; see `matchex.plugin.Template`."""
        try:
            return self.evaluate(Scope(self._parser, variables, Budget(self._limits), chain), quote)
        except RecursionError:
            raise TemplateError("the value is nested too deeply (or holds itself)") from None

    def evaluate(self, scope: Scope, quote: Quote | None = None) -> Rendered:
        """Render the text as part of a larger rendering."""
        return self._body.evaluate(scope, quote)


def is_blank(text: str) -> bool:
    """Whether nothing is left of a text once it is trimmed."""
    return not trim(text)
