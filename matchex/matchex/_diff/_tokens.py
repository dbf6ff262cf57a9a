"""How each diff type cuts a text into tokens, and which tokens count as equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from matchex._values import trim

BLANK: Final = "[\\s\ufeff]"
"""What trimming strips, as a character class."""

# Letters of the Latin alphabets, digits, the underscore and the soft hyphen. All else stands for itself, so a text
# without blanks between its words (Chinese, Japanese) is compared by character.
_LETTER = "a-zA-Z0-9_\u00ad\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02c6\u02c8-\u02d7\u02de-\u02ff\u1e00-\u1eff"

_WORD = re.compile(rf"(?:\A{BLANK}+)?(?:[{_LETTER}]+|[^\s\ufeff]){BLANK}*")
_CHARACTER = re.compile(rf"(?:\A{BLANK}+)?[^\s\ufeff]{BLANK}*")
_WORD_OR_BLANKS = re.compile(rf"\r?\n|[{_LETTER}]+|(?:(?![\r\n]){BLANK})+|[^{_LETTER}]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LINE_OR_NEWLINE = re.compile(r"\r?\n|(?:(?!\r?\n)[^\n])+")
_SENTENCE_END = re.compile(rf"(?<=[.!?])({BLANK}+)")
_BLANKS = re.compile(f"{BLANK}+")
_LEADING = re.compile(f"{BLANK}*")


@dataclass(frozen=True, slots=True)
class Options:
    """What a comparison of tokens ignores, and how lines are cut."""

    ignore_case: bool
    ignore_whitespace: bool | None
    ignore_newline_at_eof: bool
    newline_is_token: bool
    strip_trailing_cr: bool


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text.

    Attributes:
        texts: the tokens; a text stands for its characters.
        keys: what is compared instead of them.
        glued: whether a token carries the blanks around it, so that neighbours share them; `texts` then has only the
            blanks behind it, and before the first one.
    """

    texts: Sequence[str]
    keys: Sequence[str]
    glued: bool = False

    def join(self, start: int, end: int) -> str:
        """Give the text of the tokens from `start` up to `end`."""
        part = self.texts[start:end]
        text = part if isinstance(part, str) else "".join(part)
        return trailing_blanks(self.texts[start - 1]) + text if self.glued and start else text


class TooManyTokens(Exception):
    """More different tokens than there are characters to stand for them."""


def tokenize(text: str, kind: str, options: Options) -> Tokens:
    """Cut a text into the tokens of a diff type other than `auto` and `json`."""
    if options.strip_trailing_cr:
        text = text.replace("\r\n", "\n")
    tokens = _CUTTERS[kind](text, options)
    if not options.ignore_case:
        return tokens
    return Tokens(tokens.texts, _lower(tokens.keys), tokens.glued)


def encode(expected: Tokens, actual: Tokens) -> tuple[str, str]:
    """Let one character stand for each different token, so that sequences of tokens are texts.

    Raises:
        TooManyTokens: there are more than a million different tokens.
    """
    if isinstance(expected.keys, str) and isinstance(actual.keys, str):
        return expected.keys, actual.keys
    symbols = _Symbols()
    return (
        "".join(map(symbols.__getitem__, expected.keys)),
        "".join(map(symbols.__getitem__, actual.keys)),
    )


class _Symbols(dict[str, str]):
    def __missing__(self, key: str) -> str:
        try:
            symbol = chr(len(self))
        except ValueError:
            raise TooManyTokens from None
        self[key] = symbol
        return symbol


def leading_blanks(text: str) -> str:
    """Give the blanks at the start of a text."""
    match = _LEADING.match(text)
    return match[0] if match else ""


def trailing_blanks(text: str) -> str:
    """Give the blanks at the end of a text."""
    return leading_blanks(text[::-1])[::-1]


def _lower(keys: Sequence[str]) -> Sequence[str]:
    if isinstance(keys, str):
        return keys.lower() if keys.isascii() else [key.lower() for key in keys]
    return [key.lower() for key in keys]


def _chars(text: str, options: Options) -> Tokens:
    return _glue(_CHARACTER, text) if options.ignore_whitespace else Tokens(text, text)


def _words(text: str, options: Options) -> Tokens:
    return _words_with_space(text, options) if options.ignore_whitespace is False else _glue(_WORD, text)


def _glue(pattern: re.Pattern[str], text: str) -> Tokens:
    texts: list[str] = pattern.findall(text) or ([text] if text else [])
    strip = trim if "\ufeff" in text else str.strip
    return Tokens(texts, [strip(token) for token in texts], glued=True)


def _words_with_space(text: str, options: Options) -> Tokens:
    return _with_equal_blanks(_WORD_OR_BLANKS.findall(text), options)


def _lines(text: str, options: Options) -> Tokens:
    lines: list[str] = (_LINE_OR_NEWLINE if options.newline_is_token else _LINE).findall(text)
    if options.ignore_whitespace:
        keep = options.newline_is_token
        return Tokens(lines, [line if keep and "\n" in line else trim(line) for line in lines])
    if options.ignore_newline_at_eof and not options.newline_is_token:
        return Tokens(lines, [line.removesuffix("\n") for line in lines])
    return Tokens(lines, lines)


def _sentences(text: str, options: Options) -> Tokens:
    return _with_equal_blanks(filter(None, _SENTENCE_END.split(text)), options)


def _with_equal_blanks(tokens: Iterable[str], options: Options) -> Tokens:
    texts = list(tokens)
    if not options.ignore_whitespace:
        return Tokens(texts, texts)
    return Tokens(texts, [_BLANKS.sub(" ", token) for token in texts])


_CUTTERS: Final[dict[str, Callable[[str, Options], Tokens]]] = {
    "chars": _chars,
    "words": _words,
    "wordsWithSpace": _words_with_space,
    "lines": _lines,
    "sentences": _sentences,
}
