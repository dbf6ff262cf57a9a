"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Table"]


@dataclass
class Table:
    """A table with a title, and what has to be said below it.

    Attributes:
        title: Its heading.
        columns: The columns; the first holds the names of the rows.
        rows: One mapping of columns to values for each row; what is missing stays blank.
        notes: Sentences below the table.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Mapping[str, object]]
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        cells = [list(self.columns), *([str(row.get(column, "")) for column in self.columns] for row in self.rows)]
        widths = [max(len(line[i]) for line in cells) for i in range(len(self.columns))]
        lines = ["| " + " | ".join(self._aligned(line, widths)) + " |" for line in cells]
        rule = "|".join("-" * (width + 1) + ("-" if i == 0 else ":") for i, width in enumerate(widths))
        lines.insert(1, f"|{rule}|")
        notes = [f"* {note}" for note in self.notes]
        return "\n".join([f"## {self.title}", "", *lines, *([""] if notes else []), *notes, ""])

    @staticmethod
    def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
        return [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
