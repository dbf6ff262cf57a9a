"""The template engine: it parses texts, and keeps what it has parsed."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

from matchex.plugin import Delimiters, TemplateError, TemplateProblem, is_path, split, unescape

from matchex_template._limits import Limits
from matchex_template._scope import Nested
from matchex_template._template import Body, ParsedTemplate, Part, PathSlot, Slot, TextBody, WholeBody, is_blank

__all__ = ["TemplateEngine"]

_LARGE: Final = 10_000
_CONSTANTS: Final = frozenset({"true", "false", "none", "True", "False", "None"})


class TemplateEngine:
    """Placeholders in texts: paths by themselves, everything else by Jinja in a sandbox.

    The installed package serves every match with an engine that has the defaults. Make one of your own for other
    delimiters or limits, and pass it on: `matchex.validate(..., templates=engine)`.

    Args:
        delimiters: What opens and closes placeholders. A pair of texts stands for `{{` and `}}`.
        max_steps: How many placeholders, turns of loops, and items looked at by filters one rendering may take.
        max_output: How many characters and list items one rendering may produce, intermediate ones included.
        timeout: Seconds that one rendering may take.

    Raises:
        ValueError: Delimiters that cannot be told apart, or a limit that is not positive.

    Example:
        >>> from matchex_template import TemplateEngine
        >>> engine = TemplateEngine(delimiters=("[[", "]]"))
        >>> engine.parse("Hello [[ user.name ]]!").render({"user": {"name": "Ann"}}).value
        'Hello Ann!'
    """

    def __init__(
        self,
        *,
        delimiters: Delimiters | tuple[str, str] | None = None,
        max_steps: int = 1_000_000,
        max_output: int = 10_000_000,
        timeout: float = 5.0,
    ) -> None:
        if not (max_steps > 0 and max_output > 0 and timeout > 0):
            raise ValueError("max_steps, max_output and timeout are positive numbers")
        if not isinstance(delimiters, Delimiters):
            delimiters = Delimiters() if delimiters is None else Delimiters(value=delimiters)
        self.delimiters = delimiters
        self._limits = Limits(max_steps, max_output, timeout)
        self._kept = functools.lru_cache(2048)(self._parse)
        self._kept_large = functools.lru_cache(8)(self._parse)
        self._slot = functools.lru_cache(4096)(self._new_slot)

    def __reduce__(self) -> tuple[Any, ...]:
        limits = self._limits
        return _engine_of, (self.delimiters, limits.steps, limits.output, limits.seconds)

    def parse(self, text: str) -> ParsedTemplate | None:
        """The template in a text, or None where there is no placeholder in it.

        Raises:
            TemplateProblem: Braces that close but do not parse; a filter, test or statement that does not exist.

        Example:
            >>> from matchex_template import TemplateEngine
            >>> template = TemplateEngine().parse("{{ a + b }}")
            >>> template.whole, template.render({"a": 3, "b": 4}).value
            (True, 7)
            >>> TemplateEngine().parse("std::cout << x {{") is None
            True
        """
        if self.delimiters.opening.search(text) is None:
            return None
        return self._kept(text) if len(text) <= _LARGE else self._kept_large(text)

    def unescape(self, text: str) -> str:
        r"""What a text without placeholders says once its escapes are undone.

        Example:
            >>> from matchex_template import TemplateEngine
            >>> TemplateEngine().unescape(r"use \{{ x }}")
            'use {{ x }}'
        """
        return unescape(text, self.delimiters)

    def nested(self, text: str, name: str) -> Nested | str:
        """The template in a text that is the value of `name`; where there is none in it, what it says.

        Raises:
            TemplateError: The text does not parse.
        """
        if self.delimiters.opening.search(text) is None:
            return text
        try:
            return self.parse(text) or self.unescape(text)
        except TemplateProblem:
            raise TemplateError(
                f"the value of `{name}` has braces that do not parse; where they are meant as text, wrap the value in "
                "matchex.Literal"
            ) from None

    def marked(self, text: str) -> bool:
        """Whether there is anything in a text that would be rendered, or an escape that would be undone."""
        return self.delimiters.opening.search(text) is not None

    def _parse(self, text: str) -> ParsedTemplate | None:
        parts: list[Part] = []
        slots: dict[int, Slot] = {}
        has_blocks = False
        for position, part in enumerate(split(text, self.delimiters)):
            parts.append(part)
            if part.kind == "block":
                has_blocks = True
            elif part.kind != "text":
                slots[position] = self._slot(part.kind, _inside(part.text), part.source)
        if not slots and not has_blocks:
            return None
        return ParsedTemplate(text, self._body(parts, slots, has_blocks=has_blocks), self, self._limits)

    def _body(self, parts: Sequence[Part], slots: dict[int, Slot], *, has_blocks: bool) -> Body:
        if has_blocks:
            from matchex_template._jinja import BlockBody  # Jinja is loaded only by texts that need it

            return BlockBody(parts, self.delimiters, self.marked)
        if len(slots) == 1 and all(part.kind != "text" or is_blank(part.source) for part in parts):
            return WholeBody(*slots.values())
        return TextBody([slots.get(position, text) for position, text in enumerate(_trimmed(parts))])

    def _new_slot(self, kind: str, inside: str, source: str) -> Slot:
        if kind == "path" or (is_path(inside) and inside not in _CONSTANTS):
            return PathSlot(inside)
        from matchex_template._jinja import ExpressionSlot

        return ExpressionSlot(inside, source, self.delimiters, self.marked)


def _engine_of(delimiters: Delimiters, steps: int, output: int, seconds: float) -> TemplateEngine:
    return TemplateEngine(delimiters=delimiters, max_steps=steps, max_output=output, timeout=seconds)


def _inside(text: str) -> str:
    """What stands between delimiters, without blanks and the marks that strip blanks around."""
    return text.removeprefix("-").removesuffix("-").strip()


def _trimmed(parts: Sequence[Part]) -> list[str]:
    """The texts of the parts with the blanks gone at which `{{-` and `-}}` point."""
    texts = [part.text for part in parts]
    for position, part in enumerate(parts):
        if part.kind != "value":
            continue
        if part.text.startswith("-") and position > 0:
            texts[position - 1] = texts[position - 1].rstrip()
        if part.text.endswith("-") and position + 1 < len(parts):
            texts[position + 1] = texts[position + 1].lstrip()
    return texts
