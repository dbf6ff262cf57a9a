"""A maximum pairing of operands with items."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["pair_up"]


def pair_up(candidates: Sequence[Sequence[int]]) -> list[int | None]:
    """Give every operand an item of its own, as many operands as possible.

    Args:
        candidates: For each operand the items that it matches, the preferred first.

    Returns:
        For each operand its item, or None. A maximum bipartite matching by augmenting paths (Berge 1957), walked
        without recursion, so that long chains do not end in the interpreter's stack.
    """
    owner: dict[int, int] = {}
    pairs: list[int | None] = [None] * len(candidates)
    for operand in range(len(candidates)):
        _augment(operand, candidates, owner, pairs)
    return pairs


def _augment(operand: int, candidates: Sequence[Sequence[int]], owner: dict[int, int], pairs: list[int | None]) -> None:
    """Look for a chain of re-assignments that ends at a free item, and carry it out."""
    came_from: dict[int, int] = {}  # item -> the operand that asks for it
    queue = [operand]
    for asking in queue:
        for item in candidates[asking]:
            if item in came_from:
                continue
            came_from[item] = asking
            if item in owner:
                queue.append(owner[item])
                continue
            _reassign(item, came_from, owner, pairs)
            return


def _reassign(item: int | None, came_from: dict[int, int], owner: dict[int, int], pairs: list[int | None]) -> None:
    while item is not None:
        asking = came_from[item]
        released, pairs[asking], owner[item] = pairs[asking], item, asking
        item = released
