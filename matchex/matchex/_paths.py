"""Paths: reading `a.b[0]["x y"]`, walking a value along it, writing it, and guessing the name that was meant.

A step is a text (a key of a mapping or a field of a record) or an integer (an index). What is written as a path is
cheap to walk: `lookup` is called while values are matched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Final, cast

from matchex._values import MISSING, Literal, as_list, as_mapping

__all__ = ["Keys", "Label", "format_path", "format_place", "lookup", "nearest", "parse_path", "resolve"]

Keys = tuple[str | int, ...]


class Label(str):
    """A step of a path that is no key but a name that an operator gave: written as it is, never quoted."""

    __slots__ = ()


_STEP: Final = re.compile(
    r"""
    (?P<dot> \. )? (?P<name> [^.\[\]]+ )      # a  .a  .0
    | \[ (?P<index> -?\d{1,9} ) \]            # [0]  [-1]
    | \[ (?P<quoted> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' ) \]
    | \[ (?P<bare> [^\[\]"']+ ) \]            # [a]
    """,
    re.VERBOSE | re.DOTALL,
)
_INDEX: Final = re.compile(r"-?[0-9]{1,9}")


def parse_path(text: str) -> Keys:
    """The steps of a path.

    Args:
        text: `a.b`, `a[0].b`, `a.0.b`, `a["x y"]` (or with single quotes), `a[-1]`.

    Returns:
        Keys as texts, indexes in brackets as integers. A text that is no path (`a..b`, `a[`) is one key as it stands.

    Example:
        >>> from matchex.plugin import parse_path
        >>> parse_path("a.b[0]['x y'].c")
        ('a', 'b', 0, 'x y', 'c')
    """
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or (match["name"] is not None and (match["dot"] is None) != (at == 0)):
            return (text,)
        step = _step_of(match)
        if step is None:
            return (text,)
        steps.append(step)
        at = match.end()
    return tuple(steps) or (text,)


def _step_of(match: re.Match[str]) -> str | int | None:
    if match["index"] is not None:
        return int(match["index"])
    if match["quoted"] is not None:
        return _unquote(match["quoted"])
    return match["name"] if match["name"] is not None else match["bare"]


def _unquote(quoted: str) -> str | None:
    """The text of a quoted key, or None where its escapes are wrong."""
    if quoted[0] == "'":
        inner = re.sub(r"""\\(')|(")""", lambda found: "'" if found[1] else '\\"', quoted[1:-1])
        quoted = f'"{inner}"'
    try:
        return cast("str", json.loads(quoted, strict=False))
    except ValueError:
        return None


def lookup(value: object, steps: Iterable[str | int]) -> object:
    """The value that a path leads to, or `MISSING`.

    A list takes indexes, also negative ones and those written as a name (`a.0`); a mapping or record takes keys. What
    is found inside a `Literal` is a `Literal`.

    Example:
        >>> from matchex.plugin import lookup
        >>> lookup({"a": [{"b": 1}, {"b": 2}]}, ("a", -1, "b"))
        2
    """
    for step in steps:
        found: object = MISSING
        if type(value) is dict:  # nearly every case; the rest is decided in a function of its own
            found = cast("dict[object, object]", value).get(step, MISSING)
        if found is MISSING:
            found = _walk(cast("object", value), step)
        if found is MISSING:
            return MISSING
        value = found
    return value


def _walk(value: object, step: str | int) -> object:
    if type(value) is Literal:
        found = _walk(value.value, step)
        return found if found is MISSING or type(found) is Literal else Literal(found)
    mapping = as_mapping(value)
    if mapping is not None:
        key = _key_in(mapping, step)
        return MISSING if key is MISSING else mapping[key]
    items = as_list(value)
    if items is not None:
        index = _index_in(items, step)
        return MISSING if index is None else items[index]
    return MISSING


def _key_in(mapping: object, step: str | int) -> object:
    """The key of `mapping` that `step` means: `[0]` and `.0` also find a key of the other type."""
    keys = cast("dict[object, object]", mapping)
    if step in keys:
        return step
    if isinstance(step, int):
        return str(step) if str(step) in keys else MISSING
    if _INDEX.fullmatch(step) and int(step) in keys:
        return int(step)
    return MISSING


def _index_in(items: Sequence[object], step: str | int) -> int | None:
    """The index from the front that `step` means, or None where there is no such item."""
    if isinstance(step, str):
        if _INDEX.fullmatch(step) is None:
            return None
        step = int(step)
    index = step + len(items) if step < 0 else step
    return index if 0 <= index < len(items) else None


def resolve(value: object, steps: Keys) -> Keys:
    """The steps as they really are in `value`: indexes from the front, keys of the type found there.

    From the first missing step on they stay as they are.

    Example:
        >>> from matchex._paths import resolve
        >>> resolve({"a": [1, 2]}, ("a", "-1", "b"))
        ('a', 1, 'b')
    """
    real: list[str | int] = []
    for position, step in enumerate(steps):
        key = _real_step(value, step)
        if key is MISSING:
            return (*real, *steps[position:])
        real.append(cast("str | int", key))
        value = _walk(value, cast("str | int", key))
    return tuple(real)


def _real_step(value: object, step: str | int) -> object:
    if type(value) is Literal:
        return _real_step(value.value, step)
    mapping = as_mapping(value)
    if mapping is not None:
        return _key_in(mapping, step)
    items = as_list(value)
    index = None if items is None else _index_in(items, step)
    return MISSING if index is None else index


def format_path(keys: Iterable[object]) -> str:
    """A path as text.

    Args:
        keys: Keys and indexes from the root. A key that is no word (a letter or `_`, then letters, digits, `_`, in any
            script) is quoted as JSON.

    Example:
        >>> from matchex.plugin import format_path
        >>> format_path(["output", "items", 0, "name"]), format_path(["a.b", "c"])
        ('output.items[0].name', '["a.b"].c')
    """
    return "".join(_formatted(keys, operators=False))


def format_place(keys: Iterable[object]) -> str:
    """A path in an expectation as text: like `format_path`, but the names of operators stand unquoted.

    Example:
        >>> from matchex._paths import format_place
        >>> format_place(["user", "$or", 0, "$gte"])
        'user.$or[0].$gte'
    """
    return "".join(_formatted(keys, operators=True))


def _formatted(keys: Iterable[object], *, operators: bool) -> Iterable[str]:
    dot = ""
    for key in keys:
        if type(key) is int:
            yield f"[{key}]"
        elif type(key) is Label:
            yield key if key[:1] == "[" else dot + key
        elif isinstance(key, str) and (key.isidentifier() or (operators and key[:1] == "$" and key[1:].isidentifier())):
            yield dot + key
        else:
            yield f"[{json.dumps(str(key), ensure_ascii=False)}]"
        dot = "."


_MAX_CANDIDATES: Final = 1000
_MAX_NAME: Final = 60


def nearest(name: str, candidates: Iterable[object]) -> str | None:
    """The candidate that was probably meant by `name`, or None where none is near.

    A candidate that differs only by case, `_` or `-` wins (`pass_score` for `passScore`); then the fewest edits
    (transposed letters are one), at most a third of the letters; then a longer or shorter form of the same word.

    Example:
        >>> from matchex.plugin import nearest
        >>> nearest("$endswith", ["$eq", "$endsWith"]), nearest("nmae", ["age", "name"]), nearest("x", ["name"])
        ('$endsWith', 'name', None)
    """
    known = _some_texts(candidates)
    wanted = _folded(name)
    same = next((candidate for candidate in known if _folded(candidate) == wanted), None)
    if same is not None or len(wanted) > _MAX_NAME:
        return same
    best, fewest = None, max(1, len(wanted.lstrip("$")) // 3) + 1
    for candidate in known:
        edits = _edits(wanted, _folded(candidate), fewest - 1)
        if edits < fewest and edits < len(candidate.lstrip("$")):
            best, fewest = candidate, edits
    return best if best is not None else _same_beginning(wanted, known)


def _some_texts(candidates: Iterable[object]) -> list[str]:
    """The candidates that are texts; a guess may cost only so much."""
    known: list[str] = []
    for candidate in candidates:
        if isinstance(candidate, str) and candidate:
            known.append(candidate)
            if len(known) == _MAX_CANDIDATES:
                break
    return known


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _same_beginning(wanted: str, known: Iterable[str]) -> str | None:
    """The shortest candidate that goes on where `wanted` ends, or of which `wanted` is a longer form."""
    if len(wanted) < 3:
        return None
    longer = [candidate for candidate in known if _folded(candidate).startswith(wanted)]
    if longer:
        return min(longer, key=len)
    shorter = [text for text in known if len(text) >= 3 and wanted.startswith(_folded(text))]
    return max(shorter, key=len, default=None)


def _edits(a: str, b: str, limit: int) -> int:
    """Insertions, deletions, replacements, swaps of neighbours between two texts; above `limit` any larger number."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        two_before, before, row = before, row, [i]
        for j, right in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]
