"""From an outcome to what a reader sees: failures, errors, notes, details, dimensions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Final

from matchex._given import Given, given_details
from matchex._node import At, Keys, Link, Marked, failures_in, links_in
from matchex._outcome import FAIL, PASS, Outcome, Trouble
from matchex._paths import format_path, nearest
from matchex._report import Detail, Failure, Issue, Note
from matchex._scalars import Exists
from matchex._show import show
from matchex._values import MISSING, as_list, as_mapping

__all__ = ["dimensions_of", "errors_of", "failures_of", "notes_of", "root_detail"]

_MISSING_WORDS: Final = "the field is missing"
_MOST_HINTS: Final = 20


def failures_of(out: Outcome) -> tuple[Failure, ...]:
    """The failures that stand; none below a node that passed."""
    hints = _Hints(out.actual)
    found = failures_in(out, At())
    return tuple(_with_hint(failure, hints) if failure.actual is MISSING else failure for failure in found)


def _with_hint(failure: Failure, hints: _Hints) -> Failure:
    """A failure at a missing value, which says what there is in its place."""
    hint = hints.what_is_there(failure.keys) if failure.keys and _MISSING_WORDS in failure.message else None
    if hint is None:
        return failure
    message = failure.message.replace(_MISSING_WORDS, f"{_MISSING_WORDS}; {hint}", 1)
    return dataclasses.replace(failure, message=message)


class _Hints:
    """What there is where a value is missing. Looking for similar names takes long, so only the first few are told.

    Args:
        root: The value that was matched.
    """

    def __init__(self, root: object) -> None:
        self._root = root
        self._left = _MOST_HINTS

    def what_is_there(self, keys: Keys) -> str | None:
        """What a reader should know about the place where `keys` leave the value."""
        depth, value = _followed(self._root, keys)
        where, items, mapping = format_path(keys[:depth]), as_list(value), as_mapping(value)
        if depth == len(keys):
            return None
        if items is not None:
            return f"{where or 'the list'} has {len(items)} item{'s' * (len(items) != 1)}"
        if mapping is None:
            return None
        broken = f"{where or 'the value'} has no {keys[depth]}" if depth < len(keys) - 1 else None
        guess = self._nearest(keys[depth], mapping)
        return "; ".join(filter(None, (broken, guess and f"did you mean {guess}?"))) or None

    def near_key(self, keys: Keys) -> str | None:
        """The key that is there and resembles the one at which `keys` leave the value."""
        depth, value = _followed(self._root, keys)
        mapping = as_mapping(value)
        return self._nearest(keys[depth], mapping) if mapping is not None and depth < len(keys) else None

    def _nearest(self, key: object, mapping: Mapping[Any, Any]) -> str | None:
        self._left -= 1
        return nearest(str(key), mapping) if self._left >= 0 else None


def _followed(value: object, keys: Keys) -> tuple[int, object]:
    """How many of the keys lead somewhere, and where."""
    for depth, key in enumerate(keys):
        mapping, items = as_mapping(value), as_list(value)
        if mapping is not None and key in mapping:
            value = mapping[key]
        elif items is not None and isinstance(key, int) and -len(items) <= key < len(items):
            value = items[key]
        else:
            return depth, value
    return len(keys), value


def errors_of(out: Outcome) -> tuple[Issue, ...]:
    """Every error in the tree, whatever came of it."""
    return tuple(_errors(out, ()))


def _errors(out: Outcome, keys: Keys) -> Iterator[Issue]:
    node = out.node
    if node is None:
        return
    if isinstance(out.info, Trouble):
        yield Issue(keys, node.place, out.info.kind, out.info.message, out.info.cause)
    for link in links_in(out):
        yield from _errors(link.outcome, (*keys, *link.keys))


def notes_of(recorded: Outcome) -> tuple[Note, ...]:
    """What a reader should know about the passes in a recorded outcome."""
    return tuple(_notes(recorded, (), _Hints(recorded.actual)))


def _notes(out: Outcome, keys: Keys, hints: _Hints) -> Iterator[Note]:
    node = out.node
    if node is None:
        return
    if out.status is PASS:
        for kind, message in node.notes(out):
            yield Note(keys, node.place, kind, message)
        if isinstance(node, Exists) and out.actual is MISSING and (guess := hints.near_key(keys)):
            message = f"$exists: false held because {_MISSING_WORDS}; did you mean {guess}?"
            yield Note(keys, node.place, "near-key", message)
    for link in links_in(out):
        below = (*keys, *link.keys)
        if link.weight < 0:
            yield from _penalty_notes(link, below)
        elif link.counts:  # what did not count has nothing to say about the verdict
            yield from _notes(link.outcome, below, hints)


def _penalty_notes(link: Link, keys: Keys) -> Iterator[Note]:
    node, out = link.outcome.node, link.outcome
    if node is not None and out.status is PASS:
        title = f"{show(node.title)}: " if isinstance(node, Marked) and node.title else ""
        message = f"the penalty {title}{show(node.written)} matches: {link.weight * out.score:+.4g}"
        yield Note(keys, node.place, "penalty", message)


def root_detail(recorded: Outcome) -> Detail:
    """The root itself as a detail."""
    return _detail(Link("", (), 1.0, recorded), ())


def _detail(link: Link, above: Keys) -> Detail:
    keys = (*above, *link.keys)
    out, node = link.outcome, link.outcome.node
    assert node is not None, "details are built from recorded outcomes"
    title = dimension = None
    critical = False
    shown = out
    while isinstance(node, Marked) and shown.children:
        title = title or node.title
        dimension = dimension or node.dimension
        critical = critical or node.critical
        shown = shown.children[0]
        node = shown.node
        assert node is not None
    below = tuple(_detail(child, keys) for child in links_in(shown))
    if isinstance(shown.info, Given):
        title = title or shown.info.title
        dimension = dimension or shown.info.dimension
        critical = critical or shown.info.critical
        below = below or given_details(shown.info, node.place, keys)
    return Detail(
        link.label,
        keys,
        node.place,
        out.status,
        out.score,
        link.weight,
        title,
        dimension,
        critical,
        _message(out),
        below,
        link.counts,
    )


def _message(out: Outcome) -> str | None:
    """Why a node does not pass, where it says so itself."""
    if isinstance(out.info, Trouble):
        return out.info.message
    if out.status is not FAIL or out.node is None:
        return None
    first = next(failures_in(out, At()), None)
    return first.message if first is not None and not first.keys else None


def dimensions_of(root: Detail) -> Mapping[str, float]:
    """Score per dimension: the mean of its topmost nodes, each by its weight in the whole; penalties are left out."""
    sums: dict[str, tuple[float, float]] = {}
    for name, weight, score in _by_dimension(root, 1.0):
        earned, total = sums.get(name, (0.0, 0.0))
        sums[name] = (earned + weight * score, total + weight)
    return {name: (earned / total if total else 0.0) for name, (earned, total) in sums.items()}


def _by_dimension(detail: Detail, share: float) -> Iterator[tuple[str, float, float]]:
    share *= detail.weight
    if share <= 0 or not detail.counts:
        return
    if detail.dimension is not None:
        yield detail.dimension, share, detail.score
        return
    for child in detail.details:
        yield from _by_dimension(child, share)
