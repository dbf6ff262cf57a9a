"""The parts of a diff as a reader wants to see them: no crumbs of equality, no torn characters.

What a verdict depends on is the list of changes; this only serves for showing it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from matchex._diff._graphemes import is_boundary
from matchex._diff._model import Change

_MOST_CLEANED = 10_000
"""Characters up to which a group of changes is cleaned up; the time for it can grow with their square."""

_EDGE = 100
"""Characters of an unchanged run that count as near to a change; longer runs separate groups."""

_Pairs = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Part:
    """What the expected and the actual text have at one place: the same, or something different."""

    old: str
    new: str

    @property
    def same(self) -> bool:
        """Whether nothing differs here."""
        return self.old == self.new


def to_parts(changes: Iterable[Change], *, clean_up: bool) -> list[Part]:
    """Give the parts of a diff in order.

    Args:
        changes: the changes.
        clean_up: whether single characters or words that happen to agree between changes may be taken into them.
    """
    pairs: _Pairs = [(change.sign, change.text) for change in changes]
    if clean_up:
        pairs = [pair for group in _groups(pairs) for pair in _cleaned(group)]
    return _whole_graphemes(_paired(pairs))


def _groups(pairs: _Pairs) -> Iterator[_Pairs]:
    """Cut a diff in the middle of long unchanged runs: no clean-up reaches across them."""
    group: _Pairs = []
    for sign, text in pairs:
        if sign != " " or len(text) <= 2 * _EDGE:
            group.append((sign, text))
            continue
        yield [*group, (" ", text[:_EDGE])]
        yield [(" ", text[_EDGE:-_EDGE])]
        group = [(" ", text[-_EDGE:])]
    yield group


def _cleaned(pairs: _Pairs) -> _Pairs:
    if len(pairs) < 2 or sum(len(text) for _, text in pairs) > _MOST_CLEANED:
        return pairs
    module: Any = import_module("diff_match_patch")  # loaded only when a diff is shown; it comes without types
    operations: list[tuple[int, str]] = [({"-": -1, "+": 1}.get(sign, 0), text) for sign, text in pairs]
    module.diff_match_patch().diff_cleanupSemantic(operations)
    return [(" +-"[operation], text) for operation, text in operations]


def _paired(pairs: _Pairs) -> list[Part]:
    """Put what was removed and what was added at one place into one part, and unchanged neighbours into one."""
    parts: list[Part] = []
    old = new = same = ""
    for sign, text in [*pairs, (" ", "")]:
        if sign == " ":
            _append(parts, old, new)
            old = new = ""
            same += text
            continue
        _append(parts, same, same)
        same = ""
        old += text if sign == "-" else ""
        new += text if sign == "+" else ""
    _append(parts, same, same)
    return parts


def _append(parts: list[Part], old: str, new: str) -> None:
    if old or new:
        parts.append(Part(old, new))


def _whole_graphemes(parts: list[Part]) -> list[Part]:
    """Move the borders of what is the same until none of them cuts a user-perceived character in either text."""
    old_text, new_text = "".join(part.old for part in parts), "".join(part.new for part in parts)
    result: list[Part] = []
    old_at = new_at = 0
    old_open = new_open = 0  # what lies behind these positions is not in a part yet
    for part in parts:
        length = len(part.old)
        if part.same:
            start, end = 0, length
            while start < end and not _may_cut(old_text, old_at + start, new_text, new_at + start):
                start += 1
            while start < end and not _may_cut(old_text, old_at + end, new_text, new_at + end):
                end -= 1
            if start < end:
                _append(result, old_text[old_open : old_at + start], new_text[new_open : new_at + start])
                old_open, new_open = old_at + end, new_at + end
                result.append(Part(old_text[old_at + start : old_open], old_text[old_at + start : old_open]))
        old_at, new_at = old_at + length, new_at + len(part.new)
    _append(result, old_text[old_open:], new_text[new_open:])
    return result


def _may_cut(old: str, old_index: int, new: str, new_index: int) -> bool:
    return is_boundary(old, old_index) and is_boundary(new, new_index)
