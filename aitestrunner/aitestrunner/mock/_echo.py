"""Finding the reply in a request, and how it is counted and cut. Everything here is one pass over the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

__all__ = ["DEFAULT_REPLY", "count_tokens", "echoed", "joined_text", "pieces_of", "tagged", "text_of"]

DEFAULT_REPLY: Final = (
    "This is a mock response. To choose the reply, write it between an opening and a closing echo tag in a message."
)
"""The answer to a request that holds no tag. It holds none itself, so in a history it is a text like any other."""

_TRIMMED: Final = " \t\r\n"


def joined_text(messages: Iterable[Mapping[str, Any]]) -> str:
    """The texts of all messages, whatever their roles, each followed by a line end: what is searched and counted."""
    return "".join(f"{text_of(message.get('content'))}\n" for message in messages)


def text_of(content: Any) -> str:
    """The text of a content: a text itself, or its text parts joined by a space; parts of other kinds are dropped."""
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return ""
    texts: list[str] = []
    for part in cast("list[Any]", content):
        text = cast("Mapping[str, Any]", part).get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            texts.append(text)
    return " ".join(texts)


def echoed(text: str) -> str | None:
    """What stands in the first echo tag of a text, trimmed; None where there is no complete tag."""
    return tagged(text, "echo")


def tagged(text: str, tag: str) -> str | None:
    """What stands between the first `<tag>` and the nearest `</tag>` after it, trimmed; letter case is ignored.

    Only ASCII letters have two cases here. Both searches go forwards and never back, so the time is linear: where the
    first opening tag is not closed, no later one is either.
    """
    flags = re.IGNORECASE | re.ASCII
    opening = re.compile(f"<{tag}>", flags).search(text)
    if opening is None:
        return None
    closing = re.compile(f"</{tag}>", flags).search(text, opening.end())
    return None if closing is None else text[opening.end() : closing.start()].strip(_TRIMMED)


def count_tokens(text: str) -> int:
    """How many tokens a text has: a quarter of its UTF-8 bytes, rounded down.

    Example:
        >>> from aitestrunner.mock import count_tokens
        >>> count_tokens("abcdefg"), count_tokens("日本語")
        (1, 2)
    """
    return _size(text) // 4


def pieces_of(text: str, size: int) -> Iterator[str]:
    """A text in pieces of at most `size` UTF-8 bytes, none of which ends inside a character.

    A character is what a reader takes for one: a letter with its accents, an emoji with its skin tone. One that is
    longer than `size` is a piece of its own.
    """
    if text.isascii() and "\r\n" not in text:
        yield from (text[start : start + size] for start in range(0, len(text), size))
        return
    piece: list[str] = []
    filled = 0
    for character in _characters(text):
        length = _size(character)
        if piece and filled + length > size:
            yield "".join(piece)
            piece, filled = [], 0
        piece.append(character)
        filled += length
    if piece:
        yield "".join(piece)


def _characters(text: str) -> Iterator[str]:
    """Grapheme clusters; two halves of a character that JSON had escaped apart stay together."""
    import regex

    return (match[0] for match in regex.finditer("[\ud800-\udbff][\udc00-\udfff]|\\X", text))


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
