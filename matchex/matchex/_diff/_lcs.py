"""Longest common subsequences by bit vectors, and common beginnings and ends.

Python's integers are the bit vectors, so one row of the dynamic programming table costs a handful of operations
whatever its length: two texts of 20 KB take some 60 ms.
"""

from __future__ import annotations

from collections.abc import Iterator

_FEW = 16
"""A character that occurs no more often gets its bits row by row: a stored vector each would fill the memory."""


def common_prefix(a: str, b: str, a_start: int = 0, b_start: int = 0) -> int:
    """Give the length of the common run of two texts from two positions on."""
    limit = min(len(a) - a_start, len(b) - b_start)
    done, size = 0, 16
    while size and done < limit:
        size = min(size, limit - done)
        x, y = a_start + done, b_start + done
        if a[x : x + size] == b[y : y + size]:
            done += size
            size *= 2
        else:
            limit = done + size - 1  # the run ends inside this stretch
            size //= 2
    return done


def common_suffix(a: str, b: str, a_end: int, b_end: int, limit: int) -> int:
    """Give the length of the common run of two texts that ends at two positions, `limit` at most."""
    done, size = 0, 16
    while size and done < limit:
        size = min(size, limit - done)
        x, y = a_end - done, b_end - done
        if a[x - size : x] == b[y - size : y]:
            done += size
            size *= 2
        else:
            limit = done + size - 1
            size //= 2
    return done


def lcs_rows(columns: str, rows: str) -> Iterator[int]:
    """Give the rows of the table of longest common subsequences, one bit a column.

    After row i, a zero bit j says that the longest common subsequence of `columns[:j + 1]` and `rows[:i + 1]` is one
    longer than that of `columns[:j]`; the number of zero bits is its length.
    """
    full = (1 << len(columns)) - 1
    positions = _positions(columns, set(rows))
    vectors = {char: _vector(where, len(columns)) for char, where in positions.items() if len(where) > _FEW}
    row = full
    for char in rows:
        bits = vectors.get(char)
        if bits is None:
            bits = sum(1 << where for where in positions.get(char, ()))
        common = row & bits
        row = ((row + common) | (row - common)) & full
        yield row


def _positions(columns: str, wanted: set[str]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for index, char in enumerate(columns):
        if char in wanted:
            positions.setdefault(char, []).append(index)
    return positions


def _vector(positions: list[int], width: int) -> int:
    packed = bytearray(width // 8 + 1)
    for position in positions:
        packed[position >> 3] |= 1 << (position & 7)
    return int.from_bytes(packed, "little")
