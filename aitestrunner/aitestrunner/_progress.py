"""Progress on a terminal: a bar with rate, time left, running score and cost, below the lines of the cases."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from aitestrunner._log import AITestLogItem, Tally

__all__ = ["ProgressBar"]


class ProgressBar:
    """A bar at the bottom of a terminal. It vanishes at the end.

    Args:
        console: Where it is shown.
    """

    def __init__(self, console: Console) -> None:
        self._tally = Tally()
        self._progress = Progress(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            _RateColumn(),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            TextColumn("{task.fields[score]}"),
            console=console,
            transient=True,
            refresh_per_second=8,
        )
        self._task = self._progress.add_task("", total=None, score="")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, total: int) -> None:
        """Learn how many cases there are."""
        self._progress.update(self._task, total=total)

    def add(self, item: AITestLogItem) -> None:
        """Count a case that has ended."""
        self._tally.add(item)
        self._progress.update(self._task, advance=1, score=score_line(self._tally))

    def print(self, line: str) -> None:
        """Show a line above the bar, with its ANSI codes, however long it is."""
        self._progress.console.print(Text.from_ansi(line), soft_wrap=True, highlight=False)


class _RateColumn(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.1f}/s" if task.speed else "", style="dim")


def score_line(tally: Tally) -> str:
    """The running score and cost in a few words."""
    counts = tally.counts
    parts = [f"{counts['pass']} passed"]
    if counts["fail"]:
        parts.append(f"{counts['fail']} failed")
    if counts["error"]:
        parts.append(f"{counts['error']} in error")
    if tally.max_points:
        parts.append(f"{tally.points / tally.max_points:.0%} of points")
    if tally.cost:
        parts.append(f"cost {tally.cost:.4g}")
    return " · ".join(parts)
