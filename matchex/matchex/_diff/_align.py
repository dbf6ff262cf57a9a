"""The alignment of two sequences: shortest wherever the budget allows, from coarse to fine where they are long.

A few edits are found at once by the greedy algorithm. Otherwise chunks that occur once on either side serve as
anchors, and each hunk between two anchors is solved by itself. That alone need not give a
shortest script, so each anchor has to prove that a shortest script passes through it; one that cannot is dropped and
its two hunks are solved as one.

The proof. Let the hunks beside an anchor cost u and v, and let U be the cost of the whole script. A shortest script
costs U at most, so it keeps to the diagonals from which the end is within reach. Where it misses the anchor's diagonal
it runs on one side of it for the whole anchor. A piece of the anchor that has no equal on any of these diagonals costs
at least one edit there, and pieces that do not overlap cost one each. With u + v such pieces in every anchor, missing
some anchors costs no less than the hunks around them; touching them all costs what we found. So what we found is
shortest. When the budget ends before that, the script is still exact, but not known to be shortest.
"""

from __future__ import annotations

import bisect
from collections import Counter
from dataclasses import dataclass

from matchex._diff._lcs import common_prefix, common_suffix
from matchex._diff._shortest import Block, Work, edit_cost, greedy, join_blocks, shortest

_FIRST_TRY = 10_000
"""Steps for the first, greedy try: some 140 edits."""

_CHUNK = 64
"""About how many tokens a chunk should have."""

_PIECES = (6, 12, 24)
"""Lengths of the pieces by which an anchor is proven; the shortest one that is unique is taken."""


@dataclass(slots=True)
class _Hunk:
    """A rectangle of both sequences between two anchors, and its script."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    cost: int = 0
    blocks: tuple[Block, ...] = ()


def align(old: str, new: str, budget: int) -> tuple[list[Block], bool]:
    """Align two sequences.

    Args:
        old: one sequence, each character a token.
        new: the other one.
        budget: the steps of work that may be spent.

    Returns:
        The blocks that both sides share, in order, and whether the script is known to be a shortest one.
    """
    work = Work(budget)
    blocks = greedy(old, new, work, min(budget, _FIRST_TRY))
    if blocks is not None:
        return blocks, True
    hunks, proven = _hunks(old, new, work)
    blocks = _assemble(hunks, len(old), len(new))
    one_sided = edit_cost(blocks, len(old), len(new)) == abs(len(old) - len(new))
    return blocks, proven or one_sided


def _hunks(old: str, new: str, work: Work) -> tuple[list[_Hunk], bool]:
    """Solve all hunks and merge those between which the anchor is not proven."""
    hunks = _between_anchors(old, new)
    solved = [_solve(hunk, old, new, work) for hunk in hunks]
    proven = all(solved)
    reach = sum(hunk.cost for hunk in hunks)
    merged: list[_Hunk] = []
    for hunk in hunks:
        while proven and merged and not _is_proven(merged[-1], hunk, old, new, reach, work):
            both = _Hunk(merged[-1].old_start, hunk.old_end, merged[-1].new_start, hunk.new_end)
            proven = _solve(both, old, new, work)
            if proven:
                merged.pop()
                hunk = both
        merged.append(hunk)
    return merged, proven


def _solve(hunk: _Hunk, old: str, new: str, work: Work) -> bool:
    """Find a shortest script of a hunk; without the work for it the hunk is replaced as a whole."""
    old_part, new_part = old[hunk.old_start : hunk.old_end], new[hunk.new_start : hunk.new_end]
    blocks = shortest(old_part, new_part, work) if old_part and new_part else []
    hunk.cost = edit_cost(blocks or [], len(old_part), len(new_part))
    hunk.blocks = tuple((x + hunk.old_start, y + hunk.new_start, length) for x, y, length in blocks or ())
    return blocks is not None


def _is_proven(before: _Hunk, after: _Hunk, old: str, new: str, reach: int, work: Work) -> bool:
    """Tell whether a shortest script passes through the anchor between two hunks (see the proof above)."""
    needed = before.cost + after.cost
    position, end = before.old_end, after.old_start
    if (end - position) // _PIECES[0] < needed:
        return False
    # Diagonal: old position minus new position. Beyond these two the ends are out of a shortest script's reach.
    slope = len(old) - len(new)
    lowest, highest = -((reach - slope) // 2), (reach + slope) // 2
    shift = position - before.new_end
    price = 8 + (highest - lowest) // 500

    def is_unique(size: int) -> bool:
        work.left -= price
        if position + size > end:
            return False
        piece = old[position : position + size]
        own, first, last = position - shift, max(position - highest, 0), position - lowest + size
        return new.find(piece, first, last) == own and new.find(piece, own + 1, last) < 0

    while needed > 0 and position + _PIECES[0] <= end and work.left > 0:
        size = next(filter(is_unique, _PIECES), None)
        needed -= size is not None
        position += size or _PIECES[0]
    return needed <= 0


def _assemble(hunks: list[_Hunk], old_length: int, new_length: int) -> list[Block]:
    blocks: list[Block] = []
    x = y = 0
    for hunk in hunks:
        blocks.append((x, y, hunk.old_start - x))
        blocks.extend(hunk.blocks)
        x, y = hunk.old_end, hunk.new_end
    blocks.append((x, y, old_length - x))
    return join_blocks(blocks)


def _between_anchors(old: str, new: str) -> list[_Hunk]:
    """Cut both sequences at their anchors, which grow as far as both sides agree."""
    hunks: list[_Hunk] = []
    x = y = common_prefix(old, new)
    tail = common_suffix(old, new, len(old), len(new), min(len(old), len(new)) - x)
    old_end, new_end = len(old) - tail, len(new) - tail
    for anchor_x, anchor_y in _anchors(old, new):
        if anchor_x < x or anchor_y < y or anchor_x >= old_end or anchor_y >= new_end:
            continue
        grown = common_suffix(old, new, anchor_x, anchor_y, min(anchor_x - x, anchor_y - y))
        hunks.append(_Hunk(x, anchor_x - grown, y, anchor_y - grown))
        run = min(common_prefix(old, new, anchor_x, anchor_y), old_end - anchor_x, new_end - anchor_y)
        x, y = anchor_x + run, anchor_y + run
    hunks.append(_Hunk(x, old_end, y, new_end))
    return hunks


def _anchors(old: str, new: str) -> list[tuple[int, int]]:
    """Find the places of chunks that occur once on either side, as many as keep the same order (patience)."""
    cut = _cut(old)
    old_chunks, new_chunks = _once(old, cut), _once(new, cut)
    pairs = sorted((x, new_chunks[chunk]) for chunk, x in old_chunks.items() if chunk in new_chunks)
    return _longest_rising(pairs)


def _cut(sequence: str) -> str | None:
    """Choose the token behind which chunks end, one that occurs about every `_CHUNK` tokens, if there is any."""
    size = min(len(sequence), _CHUNK * 64)
    gaps = {token: size / count for token, count in Counter(sequence[:size]).items() if size <= _CHUNK * 8 * count}
    return min(gaps, key=lambda token: (max(gaps[token], _CHUNK * _CHUNK / gaps[token]), token), default=None)


def _once(sequence: str, cut: str | None) -> dict[str, int]:
    """Give the chunks that occur once, with their positions; without a cut every token is a chunk."""
    chunks = list(sequence) if cut is None else sequence.split(cut)
    step = 0 if cut is None else 1
    once: dict[str, int] = {}
    repeated: set[str] = set()
    position = 0
    for chunk in chunks:
        if chunk in once:
            repeated.add(chunk)
        elif chunk:
            once[chunk] = position
        position += len(chunk) + step
    for chunk in repeated:
        del once[chunk]
    return once


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Give the longest subsequence of pairs (sorted by the first) whose second numbers rise."""
    tops: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for index, (_, y) in enumerate(pairs):
        length = bisect.bisect_left(tops, y)
        previous.append(ends[length - 1] if length else -1)
        if length == len(tops):
            tops.append(y)
            ends.append(index)
        else:
            tops[length] = y
            ends[length] = index
    chain: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    chain.reverse()
    return chain
