"""The plan of a run: which of the cases run, how often, which are skipped and why, and which are not meant at all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from aitestrunner._errors import FixtureError, FixtureProblem
from aitestrunner._options import RunOptions, read_shard
from aitestrunner._selection import read_words
from aitestrunner._sources import Item
from matchex import MISSING

__all__ = ["Plan", "Planned", "make_plan", "shard_of", "tags_of"]


class Planned(NamedTuple):
    """A case of the plan, and why it does not run, if it does not."""

    item: Item
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is about.

    Args:
        items: The selected cases, in order.
        only: Whether nothing but cases with `only` runs.
        deselected: How many cases were not selected, apart from those of other shards.
        all_ids: A hash of the ids of the cases of all shards, where there are some.
    """

    items: Sequence[Item]
    options: RunOptions
    only: bool
    deselected: int
    all_ids: str | None = None

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Planned]:
        for item in self.items:
            yield Planned(item, self._skipped(item))

    def _skipped(self, item: Item) -> str | None:
        """Why a case does not run, or None. A case with both `skip` and `only` is skipped."""
        skip = item.case.skip
        if skip is not MISSING and skip is not None and skip is not False:
            return skip if isinstance(skip, str) else "skip"
        if self.options.skips_index(item.index):
            return "skips"
        return "another case has `only`" if self.only and item.case.only is not True else None


def make_plan(items: Sequence[Item], options: RunOptions) -> Plan:
    """Select the cases of a run.

    What is not selected is no part of the run; what is skipped is. Shards are cut last: they agree about `only`.

    Raises:
        FixtureError: A case has `only`, and the run forbids it.
        SelectionError: The words or the shard cannot be read.
    """
    if options.forbid_only:
        _check_no_only(items)
    selected = _selected(items, options)
    only = any(item.case.only is True for item in selected)
    deselected = len(items) - len(selected)
    if options.shard is None:
        return Plan(selected, options, only, deselected)
    number, count = read_shard(options.shard)
    own = [item for item in selected if shard_of(item.id, count) == number]
    return Plan(own, options, only, deselected, _hash_of([item.id for item in selected]))


def _hash_of(ids: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(ids)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _check_no_only(items: Iterable[Item]) -> None:
    message = "`only` is forbidden in this run (--forbid-only): with it the other cases would not run"
    problems = [FixtureProblem(message, item.case.position(("only",))) for item in items if item.case.only is True]
    if problems:
        raise FixtureError(problems)


def _selected(items: Sequence[Item], options: RunOptions) -> Sequence[Item]:
    if options.keywords:
        test = read_words(options.keywords)
        items = [item for item in items if test(_words_of(item))]
    if options.tags:
        wanted = set(options.tags)
        items = [item for item in items if wanted.intersection(tags_of(item))]
    if options.ids is not None:
        ids = frozenset(options.ids)
        items = [item for item in items if item.id in ids]
    if options.lines:
        items = _at_lines(items, options)
    return items


def _at_lines(items: Sequence[Item], options: RunOptions) -> list[Item]:
    """The cases at the named lines: each is the last one that begins at or above its line. Other files stay whole."""
    chosen: set[str] = set()
    for file, line in options.lines:
        above: Item | None = None
        for item in items:
            position = item.case.position()
            if position is not None and position.file == file and position.line <= line:
                above = item
        if above is not None:
            chosen.add(above.id)
    files = {file for file, _ in options.lines}
    return [item for item in items if item.id in chosen or not _is_in(item, files)]


def _is_in(item: Item, files: set[str]) -> bool:
    position = item.case.position()
    return position is not None and position.file in files


def _words_of(item: Item) -> str:
    title = item.case.title if item.case.title is not MISSING else item.defaults.settings.title
    return " ".join([item.id, title if isinstance(title, str) else "", *tags_of(item)])


def tags_of(item: Item) -> tuple[str, ...]:
    """The tags of a case: those of its file and its own."""
    written = item.defaults.settings.tags, item.case.tags
    if written == (MISSING, MISSING):
        return ()
    found: list[str] = []
    for tags in written:
        if isinstance(tags, str):
            found.append(tags)
        elif isinstance(tags, list):
            found += cast("list[str]", tags)
    return tuple(dict.fromkeys(found))


def shard_of(case_id: str, count: int) -> int:
    """The shard of a case, from 1: by its id alone, so that it is the same on every machine and in every run."""
    digest = hashlib.sha256(case_id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % count + 1
