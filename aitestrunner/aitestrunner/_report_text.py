"""A run as a person reads it: what failed and where, what came instead, and how the whole stands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from aitestrunner._log import AITestFailure, AITestFixtureResult, AITestIssue, AITestLogItem, Repeats
from aitestrunner._plain import plain
from matchex import MISSING

__all__ = ["Palette", "item_lines", "summary_lines"]

_MAX_SHOWN: Final = 400
_MAX_DIFF_LINES: Final = 40
_BAR: Final = 20
_TOLD: Final = ("vacuous", "other-kind")
"""Kinds of notes that everybody should see."""
_WORDS: Final = {"pass": "pass", "fail": "FAIL", "error": "ERROR", "skip": "skip"}
_COLOURS: Final = {"pass": "32", "fail": "31", "error": "33", "skip": "2"}


class Palette:
    """Colours for a terminal, or none.

    Args:
        enabled: Whether to write ANSI codes.

    Example:
        >>> Palette(enabled=False).paint("text", "1")
        'text'
    """

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled

    def paint(self, text: str, code: str) -> str:
        """`text` in the style of an ANSI code (`1` bold, `2` faint, `31` red …)."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.enabled and text else text


def item_lines(item: AITestLogItem, palette: Palette, *, verbose: bool = False) -> Iterator[str]:
    """The lines about one case. A pass is one line, and what held for no good reason; `verbose` tells all notes."""
    yield _headline(item, palette)
    if item.status == "skip":
        return
    for failure in _shown_failures(item):
        yield from _failure_lines(failure, palette)
    if item.status == "fail" and not item.failures:
        yield from _silent_fail_lines(item)
    if item.status in ("fail", "error"):
        for issue in item.errors:
            yield from _issue_lines(issue, palette)
        yield from _answer_lines(item, palette)
    for note in item.notes:
        if verbose or note.kind in _TOLD:
            yield palette.paint(f"  note: {note.path}: {note.message}", "2")


def _headline(item: AITestLogItem, palette: Palette) -> str:
    word = palette.paint(f"{_WORDS[item.status]:<5}", _COLOURS[item.status])
    title = f"  {item.title}" if item.title else ""
    where = str(item.location) if item.location else item.id
    facts = [_points(item)] if item.score is not None else []
    if item.not_:
        facts.append("not")
    if item.repeats is not None:
        facts.append(_repeats(item.repeats))
    if item.attempts > 1 and item.repeats is None:
        facts.append(f"asked {item.attempts} times")
    if item.recorded:
        facts.append("recorded")
    if item.skipped_because and item.skipped_because != "skip":
        facts.append(item.skipped_because)
    shown = palette.paint(f"  ({', '.join(facts)})", "2") if facts else ""
    return f"{word} {palette.paint(where, '1' if item.status in ('fail', 'error') else '2')}{title}{shown}"


def _repeats(repeats: Repeats) -> str:
    low, high = repeats.interval
    flaky = ", flaky" if repeats.flaky else ""
    rate = f"{repeats.passed} of {len(repeats.runs)} runs passed"
    return f"{rate}, at 95 % between {low:.0%} and {high:.0%}, {repeats.min_pass_rate:.0%} to pass{flaky}"


def _points(item: AITestLogItem) -> str:
    to_pass = "" if item.pass_score is None else f", {item.pass_score:.4g} to pass"
    return f"{item.score:.4g} of {item.max_score:.4g} points{to_pass}"


def _shown_failures(item: AITestLogItem) -> Iterable[AITestFailure]:
    """A case that passes in spite of failures (by points, or turned round by `not`) need not list them."""
    return item.failures if item.status != "pass" else ()


def _silent_fail_lines(item: AITestLogItem) -> Iterator[str]:
    if item.not_:
        yield "    every check holds, but the case says `not: true`"
    elif item.score is not None and item.pass_score is not None and item.score < item.pass_score:
        yield f"    nothing failed, but {_points(item)}"
    elif any(note.kind == "vacuous" for note in item.notes):
        yield "    a check held on nothing, and --strict-vacuous does not accept that:"


def _failure_lines(failure: AITestFailure, palette: Palette) -> Iterator[str]:
    mark = palette.paint(" critical", "31") if failure.critical else ""
    title = f" [{failure.title}]" if failure.title and failure.title not in failure.message else ""
    yield f"  {palette.paint(failure.path, '1')}{mark}{title}: {failure.message}"
    yield _pair("expected", failure.expected)
    yield _pair("actual", failure.actual)
    yield from _diff_lines(failure, palette)
    where = f"{failure.location}" if failure.location else ""
    if where or failure.expected_path:
        place = f"{failure.block}: {failure.expected_path}" if failure.expected_path else failure.block
        yield palette.paint(f"      from:     {f'{where}  ' if where else ''}({place})", "2")


def _diff_lines(failure: AITestFailure, palette: Palette) -> Iterator[str]:
    if failure.diff is None:
        return
    lines = failure.diff_text(coloured=palette.enabled).split("\n")
    for number, line in enumerate(lines[:_MAX_DIFF_LINES]):
        yield f"      {'diff:    ' if number == 0 else '         '} {line}"
    if len(lines) > _MAX_DIFF_LINES:
        yield f"                … {len(lines) - _MAX_DIFF_LINES} more lines"


def _issue_lines(issue: AITestIssue, palette: Palette) -> Iterator[str]:
    path = f"{issue.path}: " if issue.path else ""
    yield f"  {path}{issue.message}"
    if issue.location:
        yield palette.paint(f"      from:     {issue.location}", "2")


def _answer_lines(item: AITestLogItem, palette: Palette) -> Iterator[str]:
    """The whole answer, where the failures do not show it anyway."""
    whole = any(failure.path == "output" for failure in item.failures)
    if item.actual is not MISSING and not whole:
        yield palette.paint(f"  the answer: {_shown(item.actual)}", "2")


def _pair(name: str, value: Any) -> str:
    return f"      {name + ':':<9} {_shown(value)}"


def _shown(value: Any) -> str:
    if value is MISSING:
        return "(missing)"
    # A text that is shown alone keeps its backslashes as they are: patterns are unreadable otherwise.
    text = f'"{value}"'.replace("\n", "\\n") if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}… ({len(text):,} characters)"


def summary_lines(result: AITestFixtureResult, palette: Palette) -> Iterator[str]:
    """The counts, the points and the dimensions of a run."""
    yield ""
    counts = (
        (result.passed_count, "passed", "32"),
        (result.failed_count, "failed", "31"),
        (result.error_count, "in error", "33"),
        (result.skipped_count, "skipped", "2"),
    )
    shown = [palette.paint(f"{count} {word}", code) for count, word, code in counts if count or word == "passed"]
    yield f"{', '.join(shown)}  {palette.paint(f'in {result.duration / 1000:.2f} s', '2')}"
    if result.stopped:
        yield palette.paint(f"stopped before the end: {result.stopped}", "33")
    yield from _remarks(result, palette)
    tally = result.tally
    if tally.scored:
        cases = "case" if tally.scored == 1 else "cases"
        yield f"{tally.points:.4g} of {tally.max_points:.4g} points in {tally.scored} scored {cases}"
    yield from _dimension_lines(result.dimensions)


def _remarks(result: AITestFixtureResult, palette: Palette) -> Iterator[str]:
    """What is true of some of the cases and would otherwise be noticed by nobody."""
    tally = result.tally
    remarks = (
        (result.deselected, f"{result.deselected:,} not selected"),
        (tally.flaky, f"{tally.flaky:,} flaky"),
        (tally.retried, f"{tally.retried:,} asked again"),
        (tally.recorded, f"{tally.recorded:,} from recordings"),
        (tally.cost, f"cost {tally.cost:.4g}"),
    )
    said = [text for value, text in remarks if value]
    if said:
        yield palette.paint(", ".join(said), "2")


def _dimension_lines(dimensions: dict[str, float]) -> Iterator[str]:
    width = max(map(len, dimensions), default=0)
    for name, score in dimensions.items():
        filled = round(score * _BAR)
        yield f"  {name:<{width}}  {'█' * filled}{'░' * (_BAR - filled)}  {score:.0%}"
