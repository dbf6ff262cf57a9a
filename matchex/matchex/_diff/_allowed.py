"""White-lists: which changes are allowed, and which are required."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from matchex._diff._model import NO_VALUE, Change, Diff
from matchex._show import show
from matchex._values import equal, trim

_SHOWN = 80
_MOST_SHOWN = 5


class SearchPattern(Protocol):
    """A compiled pattern whose search is bounded in time."""

    def search(self, text: str, /, *, timeout: float) -> object:
        """Give something true when the pattern occurs in the text; raise when the seconds run out."""
        ...


@dataclass(frozen=True, slots=True)
class AllowedChange:
    """One item of a white-list; whatever of value, path and val is given has to agree.

    Attributes:
        value: the text of the change, compared trimmed, or a pattern to be found in it.
        path: the path of a JSON leaf, or a pattern to be found in it.
        val: the value of a JSON leaf.
        added: True for added parts, False for none, None for either (unless `removed` says otherwise).
        removed: the same for removed parts.
        required: the change must occur.
        penalty: the item only costs; it is never missed.
    """

    value: str | SearchPattern | None = None
    path: str | SearchPattern | None = None
    val: object = NO_VALUE
    added: bool | None = None
    removed: bool | None = None
    required: bool = False
    penalty: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a white-list says about a diff.

    Attributes:
        passed: nothing forbidden occurred and nothing required is missing.
        credited: the indexes of the items that were found.
        unlisted: the changes that no item covers, whether or not they are permitted.
        missing: the indexes of the required items that were not found.
        reasons: why it did not pass, in words.
        doubtful: the diff ran out of budget, so other changes might be found with more of it: the caller reports an
            error instead of the verdict.
    """

    passed: bool
    credited: tuple[int, ...]
    unlisted: tuple[Change, ...]
    missing: tuple[int, ...]
    reasons: tuple[str, ...]
    doubtful: bool


def judge_changes(
    diff: Diff,
    items: Sequence[AllowedChange],
    *,
    permissive: bool = False,
    strict: bool = False,
    equal: Callable[[object, object], bool] = equal,
    timeout: float = 1.0,
) -> Verdict:
    """Judge the changes of a diff by a white-list.

    An item covers a change of its sign when the texts are equal after trimming, or its pattern is found. A change
    credits the first item, in the order of the list, that covers it and has no credit yet; one item may cover several.

    Args:
        diff: the diff.
        items: the white-list.
        permissive: changes that no item covers are permitted, and a change is covered by a part of it.
        strict: every item is required, and changes that no item covers are not permitted even so.
        equal: how the values of JSON leaves are compared.
        timeout: seconds for one search of a pattern.

    Raises:
        Exception: whatever a pattern raises when its time runs out.

    >>> from matchex._diff import diff_texts
    >>> judge_changes(diff_texts("abc", "abcde"), [AllowedChange("de", added=True)]).passed
    True
    """
    credited: set[int] = set()
    unlisted: list[Change] = []
    for change in diff.changes:
        if change.sign == " ":
            continue
        covered = False
        for index, item in enumerate(items):
            if covered and index in credited:
                continue
            if _covers(item, change, permissive, equal, timeout):
                covered = True
                if index not in credited:
                    credited.add(index)
                    break
        if not covered:
            unlisted.append(change)
    missing = [
        index
        for index, item in enumerate(items)
        if index not in credited and (item.required or strict) and not item.penalty
    ]
    forbidden = unlisted if strict or not permissive else []
    reasons = (*_forbidden_reason(forbidden), *(_missing_reason(index, items[index], strict) for index in missing))
    doubtful = not diff.minimal and diff.changed and bool(items)
    return Verdict(not reasons, tuple(sorted(credited)), tuple(unlisted), tuple(missing), reasons, doubtful)


def _covers(
    item: AllowedChange, change: Change, permissive: bool, equal: Callable[[object, object], bool], timeout: float
) -> bool:
    if not _has_sign(item, change):
        return False
    if item.path is not None and not _path_agrees(item.path, change.path, timeout):
        return False
    if item.val is not NO_VALUE and (change.val is NO_VALUE or not equal(item.val, change.val)):
        return False
    return item.value is None or _text_agrees(item.value, change.text, permissive, timeout)


def _has_sign(item: AllowedChange, change: Change) -> bool:
    """Tell whether the sign agrees; the flag that is not given is the opposite of the other one."""
    own, other = (item.added, item.removed) if change.sign == "+" else (item.removed, item.added)
    return not other if own is None else own


def _path_agrees(wanted: str | SearchPattern, path: str | None, timeout: float) -> bool:
    if path is None:
        return False
    return wanted == path if isinstance(wanted, str) else bool(wanted.search(path, timeout=timeout))


def _text_agrees(wanted: str | SearchPattern, text: str, permissive: bool, timeout: float) -> bool:
    trimmed = trim(text)
    if not isinstance(wanted, str):
        # The blanks at its ends belong to a change too, for a pattern that asks for them.
        return bool(wanted.search(trimmed, timeout=timeout)) or (
            trimmed != text and bool(wanted.search(text, timeout=timeout))
        )
    wanted = trim(wanted)
    return wanted == trimmed or (permissive and wanted != "" and wanted in trimmed)


def _forbidden_reason(changes: list[Change]) -> list[str]:
    if not changes:
        return []
    shown = ", ".join(f"{change.sign}{_quoted(change.text)}" for change in changes[:_MOST_SHOWN])
    more = f" and {len(changes) - _MOST_SHOWN:,} more" if len(changes) > _MOST_SHOWN else ""
    verb = "is" if len(changes) == 1 else "are"
    noun = "change" if len(changes) == 1 else "changes"
    return [f"{len(changes):,} {noun} {verb} not allowed: {shown}{more}"]


def _missing_reason(index: int, item: AllowedChange, strict: bool) -> str:
    why = "" if item.required or not strict else " (strict: every item must occur)"
    return f"item {index} did not occur{why}: {_describe(item)}"


def _describe(item: AllowedChange) -> str:
    signs = [change.sign for change in (Change("-", "", 0), Change("+", "", 0)) if _has_sign(item, change)]
    parts: list[str] = []
    if item.path is not None:
        parts.append(f"path {_pattern_or_text(item.path)}")
    if item.value is not None:
        parts.append(_pattern_or_text(item.value))
    if item.val is not NO_VALUE:
        parts.append(f"val {_quoted(item.val)}")
    return "/".join(signs) + " ".join(parts)


def _pattern_or_text(wanted: str | SearchPattern) -> str:
    return _quoted(wanted) if isinstance(wanted, str) else str(getattr(wanted, "text", wanted))


def _quoted(value: object) -> str:
    shown = show(value, 1000)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}… ({len(shown):,} characters)"
