"""Writes docs/reference/operators.md from the docstrings of the built-in operators.

    .venv/bin/python docs/generate_reference.py

A test fails while the committed page is not what this writes.
"""

import inspect
import re
from dataclasses import dataclass
from pathlib import Path

from matchex._operators import GROUPS  # the docstrings of the builders are the source of this page

PAGE = Path(__file__).parent / "reference" / "operators.md"
NEEDED = ("Operand", "Empty", "Score")
"""Rows that every operator has; beside them it says what each kind of value means to it."""

HEAD = """\
# Operators

A key that begins with `$` is an operator: a check of the whole value at its place. Several operators in one mapping
must all hold, and plain keys beside them too: `{$gte: 0.5, $lte: 0.9}` means both. What texts, lists and mappings mean
without an operator, and how scores are computed, is told in [semantics](semantics.md). The names below are built in;
[custom operators](../how-to/custom-operators.md) and plugins add others.

The table of an operator says what it takes, what it means for each kind of value, what is empty to it, and its score. A
row *Anything else* speaks of every kind that has no row, null and a missing value among them; *Any value* of every kind
but those with a row. "Fails" is a failure with a message that names the kinds that the operator takes; what cannot be
checked is an error and never a pass. Records (dataclasses, attrs, pydantic, namedtuples) are mappings, tuples and sets
are lists.

This page is generated from the docstrings of the operators.
"""


@dataclass(frozen=True)
class Entry:
    """What the docstring of an operator says.

    Attributes:
        name: Its name.
        summary: Its meaning in a sentence.
        rows: What it says of the operand, the kinds of value, the empty case, the score.
        example: A session that runs.
    """

    name: str
    summary: str
    rows: dict[str, str]
    example: str

    @property
    def operand(self) -> str:
        """The operand in a few words."""
        return re.split(r"[.;:] |[.;:]$", self.rows["Operand"], maxsplit=1)[0]


def entry_of(name: str, docstring: str) -> Entry:
    """Read the docstring of an operator.

    Raises:
        ValueError: It has not the form that the page needs.
    """
    summary, _, rest = inspect.cleandoc(docstring).partition("\n\n")
    table, _, example = rest.partition("\n\n>>> ")
    rows: dict[str, str] = {}
    for line in re.sub(r"\n\s+", " ", table).splitlines():
        label, colon, text = line.partition(": ")
        if not colon:
            raise ValueError(f"{name}: {line!r} is no row 'Label: text' (a continuation is indented)")
        rows[label] = text
    missing = [label for label in NEEDED if label not in rows]
    if missing or len(rows) == len(NEEDED):
        raise ValueError(f"{name}: the docstring lacks {', '.join(missing) or 'what it means for each kind of value'}")
    if not example:
        raise ValueError(f"{name}: the docstring has no example")
    return Entry(name, summary.replace("\n", " "), rows, f">>> {example}")


def anchor(heading: str) -> str:
    """Return what a link to a heading is written with."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def cell(text: str) -> str:
    """Return a text as a cell of a table."""
    return text.replace("|", "\\|")


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def contents(groups: dict[str, list[Entry]]) -> str:
    """Return the table at the top: every operator in a line."""
    lines = ["| operator | operand | passes when |", "|---|---|---|"]
    for title, entries in groups.items():
        lines.append(f"| **[{title}](#{anchor(title)})** | | |")
        for entry in entries:
            meaning = entry.summary[0].lower() + entry.summary[1:].removesuffix(".")
            lines.append(f"| [`{entry.name}`](#{anchor(entry.name)}) | {cell(entry.operand)} | {cell(meaning)} |")
    return "\n".join(lines) + "\n"


def section(entry: Entry) -> str:
    """Return what the page says of one operator."""
    rows = "".join(f"| **{label}** | {cell(sentence(text))} |\n" for label, text in entry.rows.items())
    return f"### {entry.name}\n\n{entry.summary}\n\n| | |\n|---|---|\n{rows}\n```pycon\n{entry.example}\n```\n"


def page() -> str:
    """Return the whole page."""
    groups = {
        title: [entry_of(name, build.__doc__ or "") for name, build in operators.items()]
        for title, operators in GROUPS.items()
    }
    parts = [HEAD, contents(groups)]
    for title, entries in groups.items():
        parts.append(f"## {title}\n")
        parts.extend(section(entry) for entry in entries)
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
