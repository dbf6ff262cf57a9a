"""The logs of several machines as one run."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from aitestrunner._log import AITestFixtureResult, AITestLogItem
from aitestrunner._options import read_shard
from aitestrunner._runlog import LogError, LoggedRun

__all__ = ["MergedRuns", "check_ended"]


class MergedRuns:
    """Several logged runs as one.

    Args:
        runs: The runs, at least one.
        partial: Accept that some run did not end, or that a shard is missing.

    Raises:
        LogError: A case is in two of them; or something is missing.
    """

    def __init__(self, runs: Sequence[LoggedRun], *, partial: bool = False) -> None:
        self._runs = runs
        self._check_cases()
        if not partial:
            check_ended(self._runs)
            self._check_shards()

    def _check_cases(self) -> None:
        seen: dict[str, LoggedRun] = {}
        for run in self._runs:
            for case_id in run.ids():
                other = seen.setdefault(case_id, run)
                if other is not run:
                    raise LogError(f"the case {case_id!r} is in {other.path} and in {run.path}")

    def _check_shards(self) -> None:
        shards = {read_shard(run.header["shard"]) for run in self._runs if "shard" in run.header}
        counts = {count for _, count in shards}
        if len(counts) > 1:
            raise LogError(f"the logs are shards of different runs: of {' and of '.join(map(str, sorted(counts)))}")
        if len({run.header.get("shardOf") for run in self._runs if "shard" in run.header}) > 1:
            raise LogError(
                "the logs are shards of different sets of cases, so that some case may be in none of them: every shard "
                "needs the same fixture files and the same selection; accept that with --partial"
            )
        for count in counts:
            missing = [f"{number}/{count}" for number in range(1, count + 1) if (number, count) not in shards]
            if missing:
                raise LogError(f"missing are the shards {', '.join(missing)}; accept that with --partial")

    def __iter__(self) -> Iterator[AITestLogItem]:
        """The log items in the order of the cases."""
        return heapq.merge(*self._runs, key=lambda item: item.i)

    def result(self) -> AITestFixtureResult:
        """The result of all runs, which went on beside each other."""
        results = [run.result() for run in self._runs]
        merged = AITestFixtureResult(
            duration=max(result.duration for result in results),
            deselected=max(result.deselected for result in results),
            stopped=next((result.stopped for result in results if result.stopped), None),
        )
        for item in self:
            merged.tally.add(item)
        return merged

    def write(self, path: str | Path) -> None:
        """Write one log for all runs.

        Raises:
            LogError: The file is one of the logs.
            OSError: It cannot be written.
        """
        path = Path(path)
        if any(path.exists() and path.samefile(run.path) for run in self._runs):
            raise LogError(f"{path} is one of the logs to merge; write to another file")
        first = self._runs[0].header
        header: dict[str, Any] = {name: value for name, value in first.items() if name != "shard"}
        header |= {"cases": sum(len(run) for run in self._runs), "merged": [str(run.path) for run in self._runs]}
        if "command" in header:
            header["command"] = {name: value for name, value in header["command"].items() if name != "shard"}
        with path.open("wb") as file:
            file.write(_line(header))
            for run in self._runs:
                file.writelines(run.lines())
            file.write(_line({"event": "run:end", **self.result().summary()}))


def check_ended(runs: Sequence[LoggedRun]) -> None:
    """Refuse runs that did not end.

    Raises:
        LogError: One of them did not.
    """
    for run in runs:
        if run.ended is None:
            raise LogError(
                f"{run.path}: the run did not end ({len(run)} of {run.header['cases']} cases); "
                f"finish it with `aitest run --resume {run.path}`, or accept that with --partial"
            )


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
