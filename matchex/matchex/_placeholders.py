r"""Placeholders in texts: where they stand, and what a text says once its escapes are undone.

Rendering is a plugin's work. Finding placeholders is the core's: an expectation with placeholders and no plugin is an
error that names the package, and the escapes (`\{{`, `\<<`, `{% raw %}`) mean the same with and without it.

What counts: `{{ … }}`, `{% … %}`, and `<< path >>`. What does not: opening braces that nothing closes, `<<` without a
path and `>>` after it, and `{# … #}`. A backslash before an opening delimiter makes it text and goes away; a pair of
backslashes is two backslashes, as in a regex.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

__all__ = ["STANDARD", "Delimiters", "Part", "has_placeholders", "is_path", "split", "unescape"]

Pair = tuple[str, str]


@dataclass(frozen=True)
class Delimiters:
    """What opens and closes a placeholder.

    Args:
        value: Around a path or an expression.
        block: Around a statement (`if`, `for`, `raw`); None: there are none, and no `raw`.
        path: Around a path and nothing else; None: there are none.

    Raises:
        ValueError: An empty delimiter, blanks, quotes or backslashes in one, or two that open alike.

    Example:
        >>> from matchex.plugin import Delimiters, split
        >>> [part.kind for part in split("a [[ b ]]", Delimiters(value=("[[", "]]")))]
        ['text', 'value']
    """

    value: Pair = ("{{", "}}")
    block: Pair | None = ("{%", "%}")
    path: Pair | None = ("<<", ">>")

    def __post_init__(self) -> None:
        for pair in self._pairs:
            if len(pair) != 2 or not all(_DELIMITER.fullmatch(text) for text in pair):
                raise ValueError(
                    f"a pair of delimiters is two texts without letters, blanks, quotes or \\, not {pair!r}"
                )
        openings = [pair[0] for pair in self._pairs]
        for text in openings:
            if sum(other.startswith(text) for other in openings) > 1:
                raise ValueError(f"{text!r} opens two kinds of placeholders")

    @property
    def _pairs(self) -> list[Pair]:
        return [pair for pair in (self.value, self.block, self.path) if pair is not None]

    @functools.cached_property
    def opening(self) -> re.Pattern[str]:
        """Matches an opening delimiter."""
        return re.compile("|".join(re.escape(pair[0]) for pair in self._pairs))

    @functools.cached_property
    def whole_path(self) -> re.Pattern[str] | None:
        """Matches a path in its delimiters."""
        if self.path is None:
            return None
        return re.compile(rf"{re.escape(self.path[0])}\s*({_PATH})\s*{re.escape(self.path[1])}", re.DOTALL)

    @functools.cached_property
    def end_raw(self) -> re.Pattern[str] | None:
        """Matches the end of a raw block, with the marks for blanks at its two sides."""
        if self.block is None:
            return None
        return re.compile(rf"{re.escape(self.block[0])}([-+]?)\s*endraw\s*([-+]?){re.escape(self.block[1])}")


class Part(NamedTuple):
    """A piece of a text.

    Attributes:
        kind: `text`, or a placeholder: `value` (a path or an expression), `path` (a path and nothing else), `block`.
        text: What a text says (escapes undone), or what stands between the delimiters.
        source: The piece as it is written.

    Example:
        >>> from matchex.plugin import split
        >>> [(part.kind, part.text) for part in split("n = {{ n }}")]
        [('text', 'n = '), ('value', ' n ')]
    """

    kind: Literal["text", "value", "path", "block"]
    text: str
    source: str


_DELIMITER: Final = re.compile(r"""[^\w\s"'\\]+""")
# Every character beyond ASCII may belong to a word here; `is_path` looks at the words themselves.
_WORD: Final = r"[^\x00-\x2f:-@\[-^`{-\x7f\s]+"
_QUOTED: Final = r"""(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*')"""
_PATH: Final = rf"(?![0-9]){_WORD}(?:\.{_WORD}|\[-?[0-9]{{1,9}}\]|\[{_QUOTED}\])*"
_PATH_ALONE: Final = re.compile(_PATH, re.DOTALL)
_PATH_WORDS: Final = re.compile(rf"\[{_QUOTED}\]|({_WORD})", re.DOTALL)
_IN_EXPRESSION: Final = re.compile(rf"""{_QUOTED}|["'(\[{{}}\])]""", re.DOTALL)
_BLANKS: Final = re.compile(r"\s+")
_LINE_END: Final = re.compile(r"\r?\n")


def is_path(text: str) -> bool:
    """Whether a text is a path that begins with a letter or `_`, and nothing else.

    Example:
        >>> from matchex.plugin import is_path
        >>> is_path("users[0].name"), is_path('a["x y"]'), is_path("a + b"), is_path("1")
        (True, True, False, False)
    """
    return _PATH_ALONE.fullmatch(text) is not None and (text.isascii() or _are_words(text))


def _are_words(path: str) -> bool:
    words = (found[1] for found in _PATH_WORDS.finditer(path) if found[1])
    return all(f"_{word}".isidentifier() for word in words) and path[0].isidentifier()


def has_placeholders(text: str, delimiters: Delimiters | None = None) -> bool:
    r"""Whether there is a placeholder in a text; escaped and unclosed ones are none.

    Example:
        >>> from matchex.plugin import has_placeholders
        >>> [has_placeholders(text) for text in ("{{ a }}", r"\{{ a }}", "a << b", "{% off", "<< a >>")]
        [True, False, False, False, True]
    """
    return any(part.kind != "text" for part in split(text, delimiters))


def unescape(text: str, delimiters: Delimiters | None = None) -> str:
    r"""A text with its escapes undone. Placeholders in it stay as they are.

    Example:
        >>> from matchex.plugin import unescape
        >>> unescape(r"use \{{ x }} and {% raw %}{{ y }}{% endraw %}")
        'use {{ x }} and {{ y }}'
    """
    return "".join(part.text if part.kind == "text" else part.source for part in split(text, delimiters))


def split(text: str, delimiters: Delimiters | None = None) -> Iterator[Part]:
    """The parts of a text, in order, as they are found; texts do not follow one another.

    Example:
        >>> from matchex.plugin import split
        >>> [(part.kind, part.text) for part in split("n={{ n }}; 1 << 2")]
        [('text', 'n='), ('value', ' n '), ('text', '; 1 << 2')]
    """
    delimiters = delimiters or STANDARD
    if delimiters.opening.search(text) is None:
        if text:
            yield Part("text", text, text)
        return
    pending: list[Part] = []
    for part in _Scanner(text, delimiters).parts():
        if part.kind == "text":
            pending.append(part)
            continue
        if pending:
            yield _joined(pending)
            pending = []
        yield part
    if pending:
        yield _joined(pending)


def _joined(texts: list[Part]) -> Part:
    return Part("text", "".join(part.text for part in texts), "".join(part.source for part in texts))


class _Scanner:
    """Finds the parts of one text from left to right, looking at no character more often than a few times."""

    def __init__(self, text: str, delimiters: Delimiters) -> None:
        self.text = text
        self.delimiters = delimiters
        self.done = 0  # everything before this position has been handed out
        self.unclosed: set[str] = set()  # closing delimiters that do not come any more
        self.balanced = True  # so far; after a placeholder whose brackets do not add up no other is worth a long look

    def parts(self) -> Iterator[Part]:
        at = 0
        while (opening := self.delimiters.opening.search(self.text, at)) is not None:
            start = opening.start()
            if self._backslashes(start) % 2:
                yield self._text(self.done, start - 1, until=start)
                yield self._text(start, opening.end())
                at = self.done
                continue
            found = self._placeholder(start, opening.group())
            if found is None:
                at = start + 1
            elif found.kind == "block" and found.text.strip("-+ \t\r\n") == "raw":
                yield from self._raw(start, found)
                at = self.done
            else:
                if start > self.done:
                    yield self._text(self.done, start)
                yield found
                at = self.done = start + len(found.source)
        if self.done < len(self.text):
            yield self._text(self.done, len(self.text))

    def _text(self, start: int, end: int, until: int | None = None) -> Part:
        """Hand out the text from `start` to `end`; what lies from there to `until` belongs to it but is not shown."""
        self.done = end if until is None else until
        return Part("text", self.text[start:end], self.text[start : self.done])

    def _backslashes(self, position: int) -> int:
        first = position
        while first > self.done and self.text[first - 1] == "\\":
            first -= 1
        return position - first

    def _placeholder(self, start: int, opening: str) -> Part | None:
        delimiters = self.delimiters
        if delimiters.path is not None and opening == delimiters.path[0]:
            match = delimiters.whole_path.match(self.text, start) if delimiters.whole_path else None
            if match is None or not is_path(match[1]):
                return None
            return Part("path", match[1], match[0])
        is_value = opening == delimiters.value[0]
        closing = delimiters.value[1] if is_value or delimiters.block is None else delimiters.block[1]
        inside = start + len(opening)
        end = self._closing(inside, closing)
        if end is None:
            return None
        source = self.text[start : end + len(closing)]
        return Part("value" if is_value else "block", self.text[inside:end], source)

    def _closing(self, start: int, closing: str) -> int | None:
        """Where `closing` stands outside quotes and brackets; where brackets do not add up, where it stands first."""
        if closing in self.unclosed:
            return None
        first = self.text.find(closing, start)
        if first == -1:
            self.unclosed.add(closing)
            return None
        if not self.balanced or _IN_EXPRESSION.search(self.text, start, first) is None:
            return first
        outside = self._outside(start, closing)
        self.balanced = outside is not None
        return first if outside is None else outside

    def _outside(self, start: int, closing: str) -> int | None:
        """Where `closing` stands outside quotes and brackets, or None."""
        depth, at = 0, start
        for found in _IN_EXPRESSION.finditer(self.text, start):
            if depth == 0:
                close = self.text.find(closing, at, found.start() + len(closing))
                if close != -1:
                    return close
            mark, at = found.group(), found.end()
            depth += (mark in "([{") - (mark in ")]}")
            if depth < 0 or mark in ("'", '"'):
                return None
        close = self.text.find(closing, at)
        return close if depth == 0 and close != -1 else None

    # -- raw blocks

    def _raw(self, start: int, begin: Part) -> Iterator[Part]:
        inside = start + len(begin.source)
        end = self._end_raw(inside)
        if end is None:  # a block that never ends: the one who renders says so
            if start > self.done:
                yield self._text(self.done, start)
            yield begin
            self.done = inside
            return
        yield self._text(self.done, self._end_of_text(self.done, start, begin.text[:1]), until=start)
        content = self._start_of_text(inside, begin.text[-1:])
        yield Part("text", "", self.text[start:content])
        stop = max(content, self._end_of_text(content, end.start(), end[1]))
        after = self._start_of_text(end.end(), end[2])
        yield self._text(content, stop, until=after)

    def _end_raw(self, start: int) -> re.Match[str] | None:
        pattern = self.delimiters.end_raw
        end = None if pattern is None or "endraw" in self.unclosed else pattern.search(self.text, start)
        if end is None:
            self.unclosed.add("endraw")
        return end

    def _end_of_text(self, start: int, end: int, mark: str) -> int:
        """Where the text before a block tag ends: the indentation of a tag that begins its line is not part of it."""
        if mark == "-":
            return start + len(self.text[start:end].rstrip())
        if mark == "+":
            return end
        kept = start + len(self.text[start:end].rstrip(" \t"))
        return kept if kept == 0 or self.text[kept - 1] == "\n" else end

    def _start_of_text(self, position: int, mark: str) -> int:
        """Where the text after a block tag begins: the line end directly after the tag is not part of it."""
        if mark == "+":
            return position
        pattern = _BLANKS if mark == "-" else _LINE_END
        match = pattern.match(self.text, position)
        return match.end() if match else position


STANDARD: Final = Delimiters()
"""The delimiters of the language: `{{ }}`, `{% %}` and `<< >>`."""
