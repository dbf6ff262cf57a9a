"""Methods of texts and of regex literals. Lengths and positions count code points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar

from matchex._expr._errors import ExpressionError, ExpressionLimit
from matchex._expr._limits import Meter
from matchex._expr._operators import repeat as repeated
from matchex._expr._operators import whole_number
from matchex._expr._registry import method, need_text
from matchex._expr._render import Callback, Pattern, describe, to_text
from matchex._values import MISSING, as_list, trim

if TYPE_CHECKING:
    from matchex._regex import PatternMatch

__all__ = ["Match", "join_texts"]

T = TypeVar("T")
_STEPS_OF_SEARCH: Final = 4


class Match(list[object]):
    """What `match` answers: the text found and its groups; also where it was found, and the named groups."""

    __slots__ = ("groups", "position")

    def __init__(self, found: PatternMatch) -> None:
        super().__init__(found.groups)
        self.position = found.start
        self.groups = dict(found.named)


# -- parts and tests -------------------------------------------------------------------------------------------------


@method("text", "includes")
def _includes(meter: Meter, text: str, part: object, start: object = 0) -> bool:
    return need_text(part, "includes") in text[max(whole_number(start, "the start"), 0) :]


@method("text", "startsWith", "startswith")
def _starts_with(meter: Meter, text: str, prefix: object, start: object = 0) -> bool:
    return text.startswith(_texts(prefix, "startsWith"), max(whole_number(start, "the start"), 0))


@method("text", "endsWith", "endswith")
def _ends_with(meter: Meter, text: str, suffix: object, length: object = None) -> bool:
    end = len(text) if length is None else max(whole_number(length, "the length"), 0)
    return text[:end].endswith(_texts(suffix, "endsWith"))


def _texts(value: object, name: str) -> str | tuple[str, ...]:
    """One text, or (Python's tuple) several of which one must fit."""
    items = as_list(value)
    return need_text(value, name) if items is None else tuple(need_text(item, name) for item in items)


@method("text", "indexOf", "find")
def _index_of(meter: Meter, text: str, part: object, start: object = 0) -> int:
    position = min(max(whole_number(start, "the start"), 0), len(text))
    return text.find(need_text(part, "indexOf"), position)


@method("text", "lastIndexOf")
def _last_index_of(meter: Meter, text: str, part: object) -> int:
    return text.rfind(need_text(part, "lastIndexOf"))


@method("text", "index")
def _index(meter: Meter, text: str, part: object) -> int:
    position = text.find(need_text(part, "index"))
    if position < 0:
        raise ExpressionError("index: the text does not contain it (indexOf answers -1 instead)")
    return position


@method("text", "count")
def _count(meter: Meter, text: str, part: object) -> int:
    return text.count(need_text(part, "count"))


@method("text", "isdigit")
def _is_digit(meter: Meter, text: str) -> bool:
    return text.isdigit()


@method("text", "isalpha")
def _is_alpha(meter: Meter, text: str) -> bool:
    return text.isalpha()


@method("text", "isupper")
def _is_upper(meter: Meter, text: str) -> bool:
    return text.isupper()


@method("text", "islower")
def _is_lower(meter: Meter, text: str) -> bool:
    return text.islower()


# -- other texts -----------------------------------------------------------------------------------------------------


@method("text", "trim")
def _trim(meter: Meter, text: str) -> str:
    return trim(text)


@method("text", "strip")
def _strip(meter: Meter, text: str, characters: object = None) -> str:
    return trim(text) if characters is None else text.strip(need_text(characters, "strip"))


@method("text", "trimStart", "lstrip")
def _trim_start(meter: Meter, text: str, characters: object = None) -> str:
    if characters is not None:
        return text.lstrip(need_text(characters, "lstrip"))
    trimmed = trim(text)
    return text[text.find(trimmed) :] if trimmed else ""


@method("text", "trimEnd", "rstrip")
def _trim_end(meter: Meter, text: str, characters: object = None) -> str:
    if characters is not None:
        return text.rstrip(need_text(characters, "rstrip"))
    trimmed = trim(text)
    return text[: text.find(trimmed) + len(trimmed)]


@method("text", "toLowerCase", "lower")
def _lower(meter: Meter, text: str) -> str:
    return text.lower()


@method("text", "toUpperCase", "upper")
def _upper(meter: Meter, text: str) -> str:
    return text.upper()


@method("text", "slice")
def _slice(meter: Meter, text: str, start: object = 0, end: object = None) -> str:
    return text[whole_number(start, "the start") : None if end is None else whole_number(end, "the end")]


@method("text", "substring")
def _substring(meter: Meter, text: str, start: object, end: object = None) -> str:
    first = max(whole_number(start, "the start"), 0)
    last = len(text) if end is None else max(whole_number(end, "the end"), 0)
    return text[min(first, last) : max(first, last)]


@method("text", "at", cheap=True)
def _at(meter: Meter, text: str, index: object) -> object:
    position = whole_number(index, "an index")
    return text[position] if -len(text) <= position < len(text) else MISSING


@method("text", "charAt", cheap=True)
def _char_at(meter: Meter, text: str, index: object = 0) -> str:
    position = whole_number(index, "an index")
    return text[position] if 0 <= position < len(text) else ""


@method("text", "concat")
def _concat(meter: Meter, text: str, *others: object) -> str:
    parts = [need_text(other, "concat") for other in others]
    meter.allow(len(text) + sum(map(len, parts)), "a text")
    return text + "".join(parts)


@method("text", "repeat")
def _repeat(meter: Meter, text: str, times: object) -> object:
    count = whole_number(times, "the count")
    if count < 0:
        raise ExpressionError("repeat: the count must not be negative")
    return repeated(meter, text, count)


@method("text", "padStart")
def _pad_start(meter: Meter, text: str, length: object, fill: object = " ") -> str:
    return _padding(meter, text, length, fill) + text


@method("text", "padEnd")
def _pad_end(meter: Meter, text: str, length: object, fill: object = " ") -> str:
    return text + _padding(meter, text, length, fill)


def _padding(meter: Meter, text: str, length: object, fill: object) -> str:
    wanted, unit = whole_number(length, "the length"), need_text(fill, "padStart")
    missing = wanted - len(text)
    if missing <= 0 or not unit:
        return ""
    meter.allow(wanted, "a text")
    return (unit * (missing // len(unit) + 1))[:missing]


@method("text", "toString")
def _to_string(meter: Meter, text: str) -> str:
    return text


@method("text", "splitlines")
def _split_lines(meter: Meter, text: str) -> list[str]:
    return text.splitlines()


@method("text", "join")
def _join(meter: Meter, text: str, items: object) -> str:
    values = as_list(items)
    if values is None:
        raise ExpressionError(f"join takes a list, not {describe(items)}")
    return join_texts(meter, values, text)


def join_texts(meter: Meter, values: Any, separator: str) -> str:
    """The texts of the values with a separator between; null and undefined are empty, as in JavaScript."""
    texts = ["" if value is None or value is MISSING else to_text(meter, value) for value in values]
    meter.allow(sum(map(len, texts)) + len(separator) * max(len(texts) - 1, 0), "a text")
    return separator.join(texts)


# -- patterns --------------------------------------------------------------------------------------------------------


def _search_all(meter: Meter, pattern: Pattern, text: str) -> Iterator[PatternMatch]:
    """The matches one after the other, each search within the time that is left."""
    start = 0
    while start <= len(text):
        found = _search(meter, pattern, text, start)
        if found is None:
            return
        yield found
        start = found.end if found.end > found.start else found.end + 1


def _search(meter: Meter, pattern: Pattern, text: str, start: int = 0) -> PatternMatch | None:
    return _timed(meter, pattern, lambda seconds: pattern.regex.find(text, start, timeout=seconds))


def _timed(meter: Meter, pattern: Pattern, search: Callable[[float], T]) -> T:
    """Search within the time that is left."""
    from matchex._regex import PatternTimeout

    meter.step(_STEPS_OF_SEARCH)
    try:
        return search(meter.seconds_for_pattern())
    except PatternTimeout:
        raise ExpressionLimit("seconds", meter.limits.seconds, f"the pattern {pattern.text} takes too long") from None


def _pattern(value: object, name: str) -> Pattern:
    if isinstance(value, Pattern):
        return value
    raise ExpressionError(f"{name} takes a pattern such as /a+/, not {describe(value)}")


@method("pattern", "test")
def _test(meter: Meter, pattern: Pattern, text: object) -> bool:
    subject = need_text(text, "test")
    return _timed(meter, pattern, lambda seconds: pattern.regex.search(subject, timeout=seconds))


@method("pattern", "exec")
def _exec(meter: Meter, pattern: Pattern, text: object) -> object:
    subject = need_text(text, "exec")
    found = _search(meter, pattern, subject)
    return None if found is None else Match(found)


@method("text", "match")
def _match(meter: Meter, text: str, pattern: object) -> object:
    wanted = _pattern(pattern, "match")
    if "g" not in wanted.flags:
        return _exec(meter, wanted, text)
    return [text[found.start : found.end] for found in _search_all(meter, wanted, text)] or None


@method("text", "matchAll")
def _match_all(meter: Meter, text: str, pattern: object) -> list[object]:
    return [Match(found) for found in _search_all(meter, _pattern(pattern, "matchAll"), text)]


@method("text", "search")
def _search_index(meter: Meter, text: str, pattern: object) -> int:
    found = _search(meter, _pattern(pattern, "search"), text)
    return -1 if found is None else found.start


@method("text", "split")
def _split(meter: Meter, text: str, separator: object = None, limit: object = None) -> list[Any]:
    if limit is not None:
        raise ExpressionError("split: JavaScript and Python mean different things by a second argument; cut the list")
    if isinstance(separator, Pattern):
        return _split_by_pattern(meter, text, separator)
    if separator is None:
        return text.split()
    part = need_text(separator, "split")
    return text.split(part) if part else list(text)


def _split_by_pattern(meter: Meter, text: str, pattern: Pattern) -> list[Any]:
    parts: list[Any] = []
    begin = 0
    for found in _search_all(meter, pattern, text):
        if found.start == found.end and found.start in (begin, len(text)):
            continue
        parts += [text[begin : found.start], *found.groups[1:]]
        begin = found.end
    return parts if not text and _search(meter, pattern, text) else [*parts, text[begin:]]


@method("text", "replace")
def _replace(meter: Meter, text: str, wanted: object, replacement: Callback | object, count: object = None) -> str:
    if isinstance(wanted, Pattern):
        if count is not None:
            raise ExpressionError("replace: a pattern takes no count; the flag g replaces all")
        return _substitute(meter, text, wanted, replacement, everywhere="g" in wanted.flags)
    part = need_text(wanted, "replace")
    times = text.count(part)
    if count is None and times > 1:
        raise ExpressionError(
            f"replace: {part!r} occurs {min(times, 1000)} times; JavaScript replaces the first, Python all of them: "
            f"write replaceAll(…), or replace(…, …, 1)"
        )
    most = times if count is None else whole_number(count, "the count")
    return _replace_text(meter, text, part, replacement, times if most < 0 else min(times, most))


@method("text", "replaceAll")
def _replace_all(meter: Meter, text: str, wanted: object, replacement: Callback | object) -> str:
    if isinstance(wanted, Pattern):
        return _substitute(meter, text, wanted, replacement, everywhere=True)
    part = need_text(wanted, "replaceAll")
    return _replace_text(meter, text, part, replacement, text.count(part))


def _replace_text(meter: Meter, text: str, part: str, replacement: object, times: int) -> str:
    if isinstance(replacement, Callback):
        replacement = need_text(replacement.call(meter, part), "the replacement")
    new = need_text(replacement, "replace")
    meter.allow(len(text) + times * (len(new) - len(part)), "a text")
    return text.replace(part, new, times)


def _substitute(meter: Meter, text: str, pattern: Pattern, replacement: object, *, everywhere: bool) -> str:
    parts: list[str] = []
    begin = length = 0
    for found in _search_all(meter, pattern, text):
        new = _replacement(meter, text, found, replacement)
        parts += [text[begin : found.start], new]
        length += found.start - begin + len(new)
        meter.allow(length, "a text")
        begin = found.end
        if not everywhere:
            break
    return "".join([*parts, text[begin:]])


_REFERENCE = re.compile(r"\$(?:([$&`'])|([0-9]{1,2})|<([^>]*)>)")


def _replacement(meter: Meter, text: str, found: PatternMatch, replacement: object) -> str:
    whole = text[found.start : found.end]
    if isinstance(replacement, Callback):
        groups = ["" if group is None else group for group in found.groups[1:]]
        return need_text(replacement.call(meter, whole, *groups, found.start, text), "the replacement")
    template = need_text(replacement, "replace")
    if "$" not in template:
        return template

    def expand(reference: re.Match[str]) -> str:
        mark, digits, name = reference.groups()
        if mark:
            return {"$": "$", "&": whole, "`": text[: found.start], "'": text[found.end :]}[mark]
        if digits:
            return _numbered(reference[0], digits, found)
        return (found.named.get(name) or "") if found.named else reference[0]

    expanded = _REFERENCE.sub(expand, template)
    meter.text(len(expanded))
    return expanded


def _numbered(written: str, digits: str, found: PatternMatch) -> str:
    """`$12` is group 12 where there is one, else group 1 followed by 2."""
    for length in (2, 1):
        number = int(digits[:length])
        if len(digits) >= length and 1 <= number < len(found.groups):
            return (found.groups[number] or "") + digits[length:]
    return written


@method("pattern", "toString")
def _pattern_text(meter: Meter, pattern: Pattern) -> str:
    return pattern.text
