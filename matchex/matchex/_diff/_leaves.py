"""The diff of two JSON values: by leaf, whatever the order of keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from matchex._diff._model import Change, Diff, Sign
from matchex._values import as_list, as_mapping, as_number, equal

MAX_DEPTH = 500
"""How deep values may nest."""

_NAME = re.compile(r"[^\W\d]\w*")


def diff_json(expected: object, actual: object) -> Diff:
    """Give the leaves in which two JSON values differ.

    Leaves are scalars and empty containers. Their paths read `a.b[0]["x y"]`, the root's is empty. A leaf that differs
    is removed, then added. A container that was empty and now holds something has not changed itself: what it holds
    was added.

    Args:
        expected: the expected value.
        actual: the actual value.

    Raises:
        ValueError: a value nests deeper than `MAX_DEPTH` levels, or contains itself.

    >>> [(change.sign, change.text) for change in diff_json({"a": 1, "b": 2}, {"b": 2.0, "a": 3}).changes]
    [('-', 'a: 1'), ('+', 'a: 3')]
    """
    old, old_inner = _flatten(expected)
    new, new_inner = _flatten(actual)
    changes: list[Change] = []
    for path in sorted(old.keys() | new.keys(), key=_utf16):
        if path in old and path in new and equal(old[path], new[path]):
            continue
        if path in old and not _was_filled(old[path], new_inner.get(path)):
            changes.append(_change("-", path, old[path]))
        if path in new and not _was_filled(new[path], old_inner.get(path)):
            changes.append(_change("+", path, new[path]))
    return Diff("json", tuple(changes))


def _flatten(root: object) -> tuple[dict[str, object], dict[str, str]]:
    """Give the leaves, and the kinds of the containers that hold something, by path; without recursion."""
    leaves: dict[str, object] = {}
    inner: dict[str, str] = {}
    todo: list[tuple[str, object, int]] = [("", root, 0)]
    while todo:
        path, value, depth = todo.pop()
        children = list(_children(path, value))
        if not children:
            leaves[path] = value
            continue
        if depth == MAX_DEPTH:
            raise ValueError(f"a value nests deeper than {MAX_DEPTH} levels, at {path[:80]}…")
        inner[path] = _container(value)
        todo.extend((child_path, child, depth + 1) for child_path, child in children)
    return leaves, inner


def _children(path: str, value: object) -> Iterator[tuple[str, object]]:
    mapping = as_mapping(value)
    if mapping is not None:
        for key, item in mapping.items():
            yield _join(path, key), item
        return
    for index, item in enumerate(as_list(value) or ()):
        yield f"{path}[{index}]", item


def _join(path: str, key: object) -> str:
    name = str(key)
    if not _NAME.fullmatch(name):
        return f"{path}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{path}.{name}" if path else name


def _container(value: object) -> str:
    if as_mapping(value) is not None:
        return "mapping"
    return "scalar" if as_list(value) is None else "list"


def _was_filled(leaf: object, other: str | None) -> bool:
    """Tell whether a leaf is an empty container that holds something on the other side."""
    return other is not None and _container(leaf) == other


def _change(sign: Sign, path: str, value: object) -> Change:
    text = _json(value)
    return Change(sign, f"{path}: {text}" if path else text, 1, path, value)


def _json(leaf: object) -> str:
    kind = _container(leaf)
    if kind != "scalar":
        return "{}" if kind == "mapping" else "[]"
    number = as_number(leaf)
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e21:
        number = int(number)
    try:
        return json.dumps(leaf, ensure_ascii=False, default=str) if number is None else str(number)
    except ValueError:  # an integer beyond the digits that Python converts
        return hex(leaf) if isinstance(leaf, int) else repr(leaf)


def _utf16(path: str) -> bytes:
    return path.encode("utf-16-be", "surrogatepass")
