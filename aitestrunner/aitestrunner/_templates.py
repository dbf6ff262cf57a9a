"""Rendering what a case holds, with the template engine of matchex-template, loaded when a text needs it."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from matchex import Literal

if TYPE_CHECKING:
    from matchex_template import TemplateEngine

__all__ = ["Renderer", "copied"]

_PATTERN: Final = re.compile(r"\s*/.+/[a-z]*\s*\Z", re.DOTALL)
_SPECIAL: Final = re.compile(r"[\\^$.*+?()\[\]{}|/]")
_Chain = tuple[str, ...]


class Renderer:
    """Renders the texts of one case.

    Args:
        variables: What placeholders see, themselves not yet rendered.
        enabled: Whether placeholders count at all.
    """

    def __init__(self, variables: Mapping[str, Any], *, enabled: bool = True) -> None:
        self._variables = variables
        self._enabled = enabled

    def data(self, value: Any) -> Any:
        """A value for the executor: rendered, and plain (text of foreign origin is just text here).

        Raises:
            MatchexError: A text does not parse, or has an undefined name.
        """
        if value is None or (isinstance(value, str) and not _may_hold_placeholder(value)):
            return value
        if not isinstance(value, (str, Mapping, list, Literal)):
            return value
        return copied(_Rendering(self._variables, quoting=False).render(value, ())) if self._enabled else copied(value)

    def expectation(self, expected: Any) -> Any:
        """An expectation: rendered, text inserted into patterns quoted, text of foreign origin kept literal.

        Raises:
            MatchexError: A text does not parse, or has an undefined name.
        """
        if not self._enabled or (isinstance(expected, str) and not _may_hold_placeholder(expected)):
            return expected
        return _Rendering(self._variables, quoting=True).render(expected, ())


def _may_hold_placeholder(text: str) -> bool:
    return "{" in text or "<<" in text


@functools.cache
def _engine() -> TemplateEngine:
    from matchex_template import TemplateEngine

    return TemplateEngine()


class _Rendering:
    """Walks a value. A chain names the variables passed through, so that a cycle through nested data is found."""

    def __init__(self, variables: Mapping[str, Any], *, quoting: bool) -> None:
        self._variables = variables
        self._quoting = quoting

    def render(self, value: Any, chain: _Chain) -> Any:
        if isinstance(value, str):
            return self._text(value, chain) if _may_hold_placeholder(value) else value
        if isinstance(value, Mapping):
            fields = cast("Mapping[Any, Any]", value)
            return {self._key(key, chain): self.render(item, chain) for key, item in fields.items()}
        if isinstance(value, (list, tuple)):
            return [self.render(item, chain) for item in cast("list[Any]", value)]
        return value

    def _key(self, key: Any, chain: _Chain) -> Any:
        if not isinstance(key, str):
            return key
        rendered = self._text(key, chain)
        return (
            rendered
            if isinstance(rendered, str)
            else str(rendered.value if isinstance(rendered, Literal) else rendered)
        )

    def _text(self, text: str, chain: _Chain) -> Any:
        template = _engine().parse(text)
        if template is None:
            return _engine().unescape(text)
        quote = _quoted if self._quoting and _PATTERN.match(text) else None
        rendered = template.render(self._variables, chain=chain, quote=quote)
        found = _without_last_newline(rendered.value) if text.endswith("\n") and not template.whole else rendered.value
        # A text is final, but the texts of a mapping or list that a placeholder gave may have placeholders themselves.
        return found if isinstance(found, (str, Literal)) else self.render(found, rendered.chain)


def _without_last_newline(rendered: Any) -> Any:
    """A rendered text without its last line end: a block of YAML (`|`) has one that nobody means."""
    if isinstance(rendered, Literal) and isinstance(rendered.value, str):
        return Literal(rendered.value.removesuffix("\n"))
    return rendered.removesuffix("\n") if isinstance(rendered, str) else rendered


def _quoted(text: str) -> str:
    """A text as the pattern that matches it."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def copied(value: Any) -> Any:
    """A copy of a value, without `Literal`s: whoever gets it may do with it what he likes."""
    if isinstance(value, Literal):
        return copied(value.value)
    if isinstance(value, dict):
        return {key: copied(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list):
        return [copied(item) for item in cast("list[Any]", value)]
    return value
