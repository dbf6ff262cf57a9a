"""Shortest edit scripts of two sequences, within a budget of steps.

Sequences are texts whose characters stand for tokens, so that slices compare at the speed of C. A script is the list
of blocks that both sides share; what lies between the blocks was removed or added.

Two ways lead to a shortest script. The greedy one of Myers is quick when little differs, and its choices among equally
short scripts are the ones that jsdiff makes. The table of bit vectors costs the product of the lengths, however
different the texts are. Both are bounded in steps, never in seconds, so that every machine gives the same answer.
"""

from __future__ import annotations

from matchex._diff._lcs import common_prefix, common_suffix, lcs_rows

Block = tuple[int, int, int]
"""Start in the old sequence, start in the new one, length."""

_MOST_CELLS = 150_000_000
"""Bits that a kept table may have: 20 MB."""

_ADDED, _REMOVED = 1, 0


class Work:
    """A budget of steps; what is spent is gone."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps


def edit_cost(blocks: list[Block], old_length: int, new_length: int) -> int:
    """Give the number of tokens that a script removes and adds."""
    return old_length + new_length - 2 * sum(block[2] for block in blocks)


def shortest(old: str, new: str, work: Work) -> list[Block] | None:
    """Find a shortest script of two sequences, or give None when the work that is left does not suffice."""
    table_cost = _table_cost(len(old), len(new))
    if table_cost > work.left:
        return greedy(old, new, work, work.left)
    found = greedy(old, new, work, min(work.left - table_cost, table_cost))
    return _by_table(old, new, work) if found is None else found


def greedy(old: str, new: str, work: Work, limit: int) -> list[Block] | None:
    """Find a shortest script by Myers' greedy algorithm in `limit` steps at most, else None.

    The furthest points on all diagonals (old position minus new position) are advanced by one edit at a time. Of two
    ways to a diagonal the one further in the old sequence is taken, on a tie the addition; a diagonal on which an end
    was reached bounds those beyond it.
    """
    old_length, new_length = len(old), len(new)
    start = common_prefix(old, new)
    if start == old_length == new_length:
        return [(0, 0, start)] if start else []
    if limit <= 0:
        return None
    most_edits = min(old_length + new_length, limit // 2 + 1)
    furthest = [-1] * (2 * most_edits + 5)  # negative diagonals stand at the end of the list
    furthest[0] = start
    lowest, highest = -(new_length + 1), old_length + 1
    if start == old_length:
        highest = -1
    if start == new_length:
        lowest = 1
    choices: list[tuple[int, bytearray]] = []
    steps = 0
    edits = 0
    while steps <= limit:
        edits += 1
        first = max(lowest, -edits)
        row = bytearray()
        choices.append((first, row))
        diagonal = first
        while diagonal <= highest and diagonal <= edits:
            x, other = furthest[diagonal - 1], furthest[diagonal + 1]
            can_add = other >= 0 and other - diagonal <= new_length
            if can_add and (x < other or x >= old_length):
                x = other
                row.append(_ADDED)
            elif 0 <= x < old_length:
                x += 1
                row.append(_REMOVED)
            else:
                furthest[diagonal] = -1
                row.append(_REMOVED)
                diagonal += 2
                continue
            y = x - diagonal
            if x < old_length and y < new_length and old[x] == new[y]:
                run = common_prefix(old, new, x, y)
                steps += 4 + (run >> 8)
                x += run
                y += run
            furthest[diagonal] = x
            if x >= old_length:
                if y >= new_length:
                    work.left -= steps
                    return _replay(old, new, choices, diagonal)
                highest = diagonal - 1
            elif y >= new_length:
                lowest = diagonal + 1
            diagonal += 2
        steps += len(row) + 1
    work.left -= steps
    return None


def _replay(old: str, new: str, choices: list[tuple[int, bytearray]], diagonal: int) -> list[Block]:
    """Turn the choices that led to the end into blocks: backwards for the moves, forwards for the runs between them."""
    moves: list[int] = []
    for first, row in reversed(choices):
        move = row[(diagonal - first) >> 1]
        moves.append(move)
        diagonal += 1 if move == _ADDED else -1
    blocks: list[Block] = []
    x = y = 0
    for move in [*reversed(moves), None]:
        run = common_prefix(old, new, x, y)
        if run:
            blocks.append((x, y, run))
            x += run
            y += run
        if move == _ADDED:
            y += 1
        else:
            x += 1
    return blocks


def _table_cost(old_length: int, new_length: int) -> int:
    """Give the steps that a table takes, or more than any budget when it would not fit into memory."""
    cells = old_length * new_length
    return new_length * 4 + cells // 1500 if cells <= _MOST_CELLS else 1 << 62


def _by_table(old: str, new: str, work: Work) -> list[Block]:
    """Find a shortest script through the table of longest common subsequences, read backwards from its end."""
    work.left -= _table_cost(len(old), len(new))
    head = common_prefix(old, new)
    tail = common_suffix(old, new, len(old), len(new), min(len(old), len(new)) - head)
    column, row = len(old) - tail - head, len(new) - tail - head
    table = list(lcs_rows(old[head : head + column], new[head : head + row]))
    blocks: list[Block] = [(len(old) - tail, len(new) - tail, tail)]
    while column and row:
        if table[row - 1] >> (column - 1) & 1:
            column -= 1
            continue
        row -= 1
        if row and not table[row - 1] >> (column - 1) & 1:
            continue
        column -= 1
        _prepend(blocks, head + column, head + row)
    blocks.reverse()
    return join_blocks([(0, 0, head), *blocks])


def _prepend(blocks: list[Block], x: int, y: int) -> None:
    last_x, last_y, length = blocks[-1]
    if (last_x, last_y) == (x + 1, y + 1):
        blocks[-1] = (x, y, length + 1)
    else:
        blocks.append((x, y, 1))


def join_blocks(blocks: list[Block]) -> list[Block]:
    """Join blocks that touch and drop empty ones."""
    joined: list[Block] = []
    for x, y, length in blocks:
        if not length:
            continue
        if joined and (joined[-1][0] + joined[-1][2], joined[-1][1] + joined[-1][2]) == (x, y):
            joined[-1] = (joined[-1][0], joined[-1][1], joined[-1][2] + length)
        else:
            joined.append((x, y, length))
    return joined
