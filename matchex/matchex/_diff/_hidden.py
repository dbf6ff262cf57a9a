"""What differs between two texts that look equal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from matchex._diff._lcs import common_prefix

_SHOWN = 3

# Characters without a shape of their own beside the format characters (category Cf) and controls.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_LINE_END = re.compile("\r\n|[\r\u0085\u2028\u2029]")
_TRAILING = re.compile(r"[^\S\r\n]+(?=[\r\n]|\Z)")
_OTHER_BLANK = re.compile(r"[^\S\n\r ]")
_BLANKS = re.compile(r"[^\S\n]+")


def hidden_difference(expected: str, actual: str) -> str | None:
    r"""Name what differs between two texts that look equal, or give None when they are equal or look different.

    It knows line ends, blanks at line ends, kinds and number of blanks, invisible, bidirectional and control
    characters, normalisation forms, and full-width, half-width and other compatibility forms.

    >>> hidden_difference("a b", "a\u00a0b")
    'the texts look equal, but differ in the kind of blanks (actual has U+00A0 NO-BREAK SPACE at 2)'
    """
    if expected == actual:
        return None
    needed = _needed_causes(expected, actual)
    if not needed:
        return None
    return "the texts look equal, but differ in " + "; ".join(describe(expected, actual) for describe in needed)


_Describe = Callable[[str, str], str]
_Plain = Callable[[str], str]


def _needed_causes(expected: str, actual: str) -> list[_Describe]:
    """Find the causes without which the texts would still differ; none if they differ in what can be seen."""
    if not _equal_under([plain for plain, _ in _CAUSES], expected, actual):
        return []
    kept = list(_CAUSES)
    for cause in reversed(_CAUSES):
        others = [other for other in kept if other is not cause]
        if _equal_under([plain for plain, _ in others], expected, actual):
            kept = others
    return [describe for _, describe in kept]


def _equal_under(steps: list[_Plain], expected: str, actual: str) -> bool:
    for step in steps:
        expected, actual = step(expected), step(actual)
    return expected == actual


def _plain_line_ends(text: str) -> str:
    return _LINE_END.sub("\n", text)


def _describe_line_ends(expected: str, actual: str) -> str:
    return f"line ends (expected has {_line_ends(expected)}, actual has {_line_ends(actual)})"


def _line_ends(text: str) -> str:
    names = {"\n": "LF", "\r\n": "CRLF", "\r": "CR", "\x85": "NEL", "\u2028": "U+2028", "\u2029": "U+2029"}
    found = {names[match[0]] for match in re.finditer("\r\n|[\r\n\u0085\u2028\u2029]", text)}
    return " and ".join(sorted(found)) or "none"


def _without_invisible(text: str) -> str:
    invisible = _invisible_of(text)
    return text.translate(dict.fromkeys(map(ord, invisible))) if invisible else text


def _invisible_of(text: str) -> set[str]:
    return {char for char in set(text) if char not in "\t\n\r\x0b\x0c" and _has_no_shape(char)}


def _has_no_shape(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf") or _INVISIBLE.match(char) is not None


def _describe_invisible(expected: str, actual: str) -> str:
    return f"invisible characters ({_named(expected, actual, _invisible_places)})"


def _invisible_places(text: str) -> Iterator[int]:
    invisible = _invisible_of(text)
    return (index for index, char in enumerate(text) if char in invisible)


def _without_trailing(text: str) -> str:
    return _TRAILING.sub("", text)


def _describe_trailing(expected: str, actual: str) -> str:
    return f"blanks at line ends ({_named(expected, actual, _trailing_places)})"


def _trailing_places(text: str) -> Iterator[int]:
    return (match.start() for match in _TRAILING.finditer(text))


def _plain_blanks(text: str) -> str:
    return _OTHER_BLANK.sub(" ", text)


def _describe_blanks(expected: str, actual: str) -> str:
    return f"the kind of blanks ({_named(expected, actual, _blank_places)})"


def _blank_places(text: str) -> Iterator[int]:
    return (match.start() for match in _OTHER_BLANK.finditer(text))


def _single_blanks(text: str) -> str:
    return _BLANKS.sub(" ", text)


def _describe_number(expected: str, actual: str) -> str:
    expected_runs, actual_runs = _BLANKS.finditer(expected), _BLANKS.finditer(actual)
    for own, other in zip(expected_runs, actual_runs, strict=False):
        if len(own[0]) != len(other[0]):
            return (
                f"the number of blanks (expected has {len(own[0]):,} at {own.start() + 1:,}, "
                f"actual has {len(other[0]):,} at {other.start() + 1:,})"
            )
    return "the number of blanks"


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _describe_form(expected: str, actual: str) -> str:
    return (
        f"the Unicode normalisation form (expected is {_form(expected)}, actual is {_form(actual)}; "
        f"{_first_pair(expected, actual)})"
    )


def _form(text: str) -> str:
    for form in ("NFC", "NFD"):
        if unicodedata.is_normalized(form, text):
            return form
    return "neither NFC nor NFD"


def _compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _describe_width(expected: str, actual: str) -> str:
    return f"full-width, half-width or other compatibility forms ({_first_pair(expected, actual)})"


_CAUSES: tuple[tuple[_Plain, _Describe], ...] = (
    (_plain_line_ends, _describe_line_ends),
    (_without_invisible, _describe_invisible),
    (_without_trailing, _describe_trailing),
    (_plain_blanks, _describe_blanks),
    (_single_blanks, _describe_number),
    (_composed, _describe_form),
    (_compatible, _describe_width),
)
"""What each cause changes in a text to undo it, and how it is told; in the order in which they are undone."""


def _named(expected: str, actual: str, places: Callable[[str], Iterator[int]]) -> str:
    """Name the characters at the places of either text, from the first one on that the other text has not."""
    own, other = list(places(expected)), list(places(actual))
    same = common_prefix("".join(expected[place] for place in own), "".join(actual[place] for place in other))
    if same < max(len(own), len(other)):
        own, other = own[same:], other[same:]
    sides = (("expected", expected, own), ("actual", actual, other))
    return ", ".join(_on_side(side, text, found) for side, text, found in sides if found)


def _on_side(side: str, text: str, places: list[int]) -> str:
    shown = ", ".join(f"{_name(text[place])} at {place + 1:,}" for place in places[:_SHOWN])
    more = f" and {len(places) - _SHOWN:,} more" if len(places) > _SHOWN else ""
    return f"{side} has {shown}{more}"


def _first_pair(expected: str, actual: str) -> str:
    index = next(
        (index for index, (own, other) in enumerate(zip(expected, actual, strict=False)) if own != other),
        min(len(expected), len(actual)),
    )
    own, other = expected[index : index + 1], actual[index : index + 1]
    return f"at {index + 1:,} expected has {_name(own)}, actual has {_name(other)}"


def _name(char: str) -> str:
    if not char:
        return "nothing more"
    name = unicodedata.name(char, "")
    return f"U+{ord(char):04X} {name}" if name else f"U+{ord(char):04X}"
