"""A diff as text: inline for one line, marked lines for several, plain or with ANSI colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from matchex._diff._model import Change, Diff
from matchex._diff._readable import Part, to_parts
from matchex._diff._texts import diff_texts
from matchex._diff._visible import fold, visible

DEFAULT_CONTEXT: Final = 40
DEFAULT_MAX_LENGTH: Final = 4000

_CONTEXT_LINES = 2
_MARKS = 4
"""Characters of the marks around a change."""
_MUCH_LONGER = 8
"""How many times as long as the result the changes may be that are looked at."""
_FINE_KINDS = ("chars", "words", "wordsWithSpace")
_MOST_COMPARED = 20_000
"""Characters of two lines up to which what differs inside them is looked for."""
_COARSE = "(the texts differ so much that the changes are shown coarser than they could be)"


@dataclass(frozen=True, slots=True)
class _Style:
    """What stands around removed and added parts, lines and notes."""

    removed: tuple[str, str]
    added: tuple[str, str]
    removed_line: tuple[str, str]
    added_line: tuple[str, str]
    note: tuple[str, str]


_PLAIN = _Style(("[-", "-]"), ("{+", "+}"), ("", ""), ("", ""), ("", ""))
# Struck through and underlined, so that the colours are not needed to tell them apart.
_ANSI = _Style(
    removed=("\x1b[31;9m", "\x1b[39;29m"),
    added=("\x1b[32;4m", "\x1b[39;24m"),
    removed_line=("\x1b[31m", "\x1b[39m"),
    added_line=("\x1b[32m", "\x1b[39m"),
    note=("\x1b[2m", "\x1b[22m"),
)


def render_plain(diff: Diff, *, context: int = DEFAULT_CONTEXT, max_length: int = DEFAULT_MAX_LENGTH) -> str:
    """Show a diff without colours: `[-old-]{+new+}` in one line, or lines marked with `-` and `+`.

    Control and invisible characters are spelt out, characters that a reader sees as one are never torn apart, long
    unchanged runs are folded with their length.

    Args:
        diff: the diff.
        context: unchanged characters that are kept on either side of a change.
        max_length: about how many characters the result may have; what is left out is counted.

    Example:
        >>> import matchex
        >>> from matchex.plugin import render_plain
        >>> result = matchex.validate("the slow fox jumps", "the quick fox jumps")
        >>> render_plain(result.failures[0].diff)
        'the [-quick-]{+slow+} fox jumps'
    """
    return _render(diff, _PLAIN, context, max_length)


def render_ansi(diff: Diff, *, context: int = DEFAULT_CONTEXT, max_length: int = DEFAULT_MAX_LENGTH) -> str:
    r"""Show a diff for a terminal: removed parts red and struck through, added ones green and underlined.

    The arguments are those of `render_plain`. Control characters of the texts never reach the terminal.

    Example:
        >>> import matchex
        >>> from matchex.plugin import render_ansi
        >>> render_ansi(matchex.validate("cut", "cat").failures[0].diff).count("\x1b[") > 0
        True
    """
    return _render(diff, _ANSI, context, max_length)


def _render(diff: Diff, style: _Style, context: int, max_length: int) -> str:
    if not diff.changed:
        return "no difference"
    changes = _first_changes(diff, max_length)
    left_out = sum(change.sign != " " for change in diff.changes[len(changes) :])
    if diff.kind == "json":
        rows = [_Row(change.sign, [(change.text, False)]) for change in changes]
        shown = _bounded(_shown_rows(rows, style, context, max_length), "\n", left_out, style, max_length)
    else:
        parts = to_parts(changes, clean_up=diff.kind in _FINE_KINDS)
        if any("\n" in part.old or "\n" in part.new for part in parts):
            shown = _bounded(_shown_rows(_rows(parts), style, context, max_length), "\n", left_out, style, max_length)
        else:
            shown = _bounded(_shown_parts(parts, style, context, max_length), "", left_out, style, max_length)
    return shown if diff.minimal else f"{shown}\n{_in(style.note, _COARSE)}"


def _first_changes(diff: Diff, max_length: int) -> list[Change]:
    """Leave out what has no chance to be shown, before work is put into it, and cut what is far too long."""
    changes: list[Change] = []
    left = _MUCH_LONGER * max_length
    for change in diff.changes:
        if left <= 0:
            break
        if change.sign != " ":
            left -= len(change.text) + _MARKS
            if len(change.text) > _MUCH_LONGER * max_length:
                head, note, tail = fold(change.text, max_length, max_length, "characters more")
                change = replace(change, text=f"{head}{note}{tail}")
        changes.append(change)
    return changes


def _bounded(pieces: list[str], separator: str, left_out: int, style: _Style, max_length: int) -> str:
    """Join as many pieces as fit, one at least, and count the rest."""
    fitting, length = 0, 0
    for piece in pieces:
        length += len(piece) + len(separator)
        if fitting and length > max_length:
            break
        fitting += 1
    notes = [f"{len(pieces) - fitting:,} more {'lines' if separator else 'parts'}"] if fitting < len(pieces) else []
    notes += [f"{left_out:,} more changes"] if left_out else []
    rest = [_in(style.note, f"… {' and '.join(notes)} not shown …")] if notes else []
    return separator.join([*pieces[:fitting], *rest])


def _in(marks: tuple[str, str], text: str) -> str:
    return f"{marks[0]}{text}{marks[1]}"


def _cut_change(text: str, max_length: int) -> str:
    """Spell out a removed or added text; of a long one the ends are enough."""
    keep = max(max_length // 8, 10)
    head, note, tail = fold(text, keep, keep, "characters more")
    return visible(head, changed=True) + note + visible(tail, changed=True)


def _shown_parts(parts: list[Part], style: _Style, context: int, max_length: int) -> list[str]:
    """Show parts one after the other in one line."""
    shown: list[str] = []
    for index, part in enumerate(parts):
        if part.same:
            before, after = context if index else 0, context if index < len(parts) - 1 else 0
            if len(parts) == 1:
                before = max_length // 2
            head, note, tail = fold(part.old, before, after)
            shown.append(visible(head, changed=False) + _note(note, style) + visible(tail, changed=False))
        else:
            removed = _in(style.removed, _cut_change(part.old, max_length)) if part.old else ""
            added = _in(style.added, _cut_change(part.new, max_length)) if part.new else ""
            shown.append(removed + added)
    return shown


def _note(text: str, style: _Style) -> str:
    return _in(style.note, text) if text else ""


@dataclass(frozen=True, slots=True)
class _Row:
    """A line: its mark, and its pieces, each with whether it is what differs."""

    mark: str
    pieces: list[tuple[str, bool]]


def _rows(parts: list[Part]) -> list[_Row]:
    """Turn parts into lines; a line in which something differs is shown as it was and as it is."""
    rows: list[_Row] = []
    for old, new in _line_groups(parts):
        rows.extend(_group_rows(old, new))
    return rows


_Pieces = list[tuple[str, bool]]


def _line_groups(parts: Iterable[Part]) -> Iterator[tuple[_Pieces, _Pieces]]:
    """Give stretches of both texts that end where both have a newline in common."""
    old: _Pieces = []
    new: _Pieces = []
    for part in parts:
        if not part.same:
            old.append((part.old, True))
            new.append((part.new, True))
            continue
        for line in part.old.splitlines(keepends=True) if "\n" in part.old else [part.old]:
            old.append((line, False))
            new.append((line, False))
            if line.endswith("\n"):
                yield old, new
                old, new = [], []
    if old or new:
        yield old, new


def _group_rows(old: _Pieces, new: _Pieces) -> list[_Row]:
    old_lines, new_lines = _split_lines(old), _split_lines(new)
    if old_lines == new_lines:
        return [_Row(" ", line) for line in old_lines]
    rows: list[_Row] = []
    removed: list[_Pieces] = []
    added: list[_Pieces] = []
    for change in diff_texts(_as_text(old_lines), _as_text(new_lines), "lines").changes:
        if change.sign == "-":
            removed, old_lines = old_lines[: change.count], old_lines[change.count :]
        elif change.sign == "+":
            added, new_lines = new_lines[: change.count], new_lines[change.count :]
        else:
            rows.extend(_changed_rows(removed, added))
            removed, added = [], []
            rows.extend(_Row(" ", [(_text(line), False)]) for line in new_lines[: change.count])
            old_lines, new_lines = old_lines[change.count :], new_lines[change.count :]
    return [*rows, *_changed_rows(removed, added)]


def _changed_rows(removed: list[_Pieces], added: list[_Pieces]) -> Iterator[_Row]:
    if len(removed) == len(added):
        pairs = [_inside(before, after) for before, after in zip(removed, added, strict=True)]
        removed, added = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    yield from (_Row("-", _unless_whole(line)) for line in removed)
    yield from (_Row("+", _unless_whole(line)) for line in added)


def _as_text(lines: list[_Pieces]) -> str:
    return "".join(_text(line) + "\n" for line in lines)


def _split_lines(pieces: _Pieces) -> list[_Pieces]:
    """Cut pieces at newlines, which are dropped; one at the very end begins no line."""
    lines: list[_Pieces] = [[]]
    for text, changed in pieces:
        first, *others = text.split("\n")
        lines[-1].append((first, changed))
        lines.extend([(other, changed)] for other in others)
    if not _text(lines[-1]):
        lines.pop()
    return lines


def _text(line: _Pieces) -> str:
    return "".join(text for text, _ in line)


def _inside(old: _Pieces, new: _Pieces) -> tuple[_Pieces, _Pieces]:
    """Look for what differs inside two lines that were replaced as a whole."""
    whole = all(changed for text, changed in [*old, *new] if text)
    before, after = _text(old), _text(new)
    if not whole or len(before) + len(after) > _MOST_COMPARED:
        return old, new
    parts = to_parts(diff_texts(before, after, "wordsWithSpace").changes, clean_up=True)
    same = sum(len(part.old) for part in parts if part.same)
    if 2 * same < max(len(before), len(after)):
        return old, new
    return [(part.old, not part.same) for part in parts], [(part.new, not part.same) for part in parts]


def _unless_whole(line: _Pieces) -> _Pieces:
    """Mark nothing inside a line of which everything differs: the mark before it says so."""
    if any(text.strip() for text, changed in line if not changed):
        return line
    return [(_text(line), False)]


def _shown_rows(rows: list[_Row], style: _Style, context: int, max_length: int) -> list[str]:
    shown: list[str] = []
    for start, end in _runs(rows):
        if rows[start].mark != " ":
            shown.extend(_shown_row(row, style, context, max_length) for row in rows[start:end])
            continue
        head, tail = _CONTEXT_LINES if start else 0, _CONTEXT_LINES if end < len(rows) else 0
        if end - start <= head + tail + 1:
            head, tail = end - start, 0
        shown.extend(_shown_row(row, style, context, max_length) for row in rows[start : start + head])
        if head + tail < end - start:
            shown.append("  " + _in(style.note, f"… {end - start - head - tail:,} lines unchanged …"))
        shown.extend(_shown_row(row, style, context, max_length) for row in rows[end - tail : end])
    return shown


def _runs(rows: list[_Row]) -> Iterator[tuple[int, int]]:
    """Give the stretches of unchanged and of changed lines."""
    start = 0
    for index in range(1, len(rows) + 1):
        if index == len(rows) or (rows[index].mark == " ") != (rows[start].mark == " "):
            yield start, index
            start = index


def _shown_row(row: _Row, style: _Style, context: int, max_length: int) -> str:
    inner = style.removed if row.mark == "-" else style.added
    marked = any(changed for _, changed in row.pieces)
    shown: list[str] = []
    for text, changed in row.pieces:
        if changed:
            shown.append(_in(inner, _cut_change(text, max_length)) if text else "")
        elif row.mark != " " and not marked:
            shown.append(_cut_change(text, max_length))
        else:
            keep = 2 * context
            head, note, tail = fold(text, keep, keep)
            shown.append(visible(head, changed=False) + _note(note, style) + visible(tail, changed=False))
    line = f"{row.mark} {''.join(shown)}"
    if row.mark == " ":
        return line
    return _in(style.removed_line if row.mark == "-" else style.added_line, line)
