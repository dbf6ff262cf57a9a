"""The run log: a file of JSON lines, one for each event as it happens. It is the truth of a run.

Lines are `{"event": "run:start", …}`, `{"event": "test", "digest": …, "item": {…}}` with the log item of a case that
has ended, `{"event": "trial", "repeat": …, …}` for each run of a case that runs several times, and `{"event":
"run:end", …}`. Cases stand in the order in which they ended; `i` is their place. Each line is written with one call to
the system and nothing is buffered, so that a killed run loses nothing but the line it was writing.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, cast

from filelock import Timeout

from aitestrunner._errors import AITestError
from aitestrunner._locks import lock_for
from aitestrunner._log import AITestFixtureResult, AITestLogItem
from aitestrunner._report_files import to_json_line
from aitestrunner._stored import item_of

__all__ = ["LogError", "LoggedRun", "RunLog", "has_ended"]

_FORMAT: Final = 1
_LONGEST_END: Final = 65_536
_BEGINNING: Final = b'{"event": "run:start"'


class LogError(AITestError):
    """A file is no run log, or one of another run.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from aitestrunner import LoggedRun, LogError
        >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
        >>> _ = path.write_text("buy milk")
        >>> try:
        ...     LoggedRun.read(path)
        ... except LogError as error:
        ...     print(str(error).replace(str(path), path.name))
        notes.txt is no run log: it does not begin with a line of the event run:start
    """


@dataclass(slots=True)
class LoggedRun:
    """A run log as it is read: what is known without its items, and where each item stands.

    Args:
        path: The file.
        header: The fields of its first line: `cases script version at command shard` ….
        ended: The fields of its last line, or None for a run that did not end.
        length: Bytes up to the end of the last whole line.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from aitestrunner import AITestRunner, LoggedRun
        >>> log = Path(tempfile.mkdtemp()) / "run.jsonl"
        >>> _ = AITestRunner(lambda context: "hello").run_sync("bot", [{"output": "hello", "id": "greets"}], log=log)
        >>> [(item.id, item.status) for item in LoggedRun.read(log)]
        [('greets', 'pass')]
    """

    path: Path
    header: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ended: Mapping[str, Any] | None = None
    length: int = 0
    _cases: dict[str, _Place] = field(default_factory=dict[str, "_Place"])
    _trials: dict[str, dict[int, _Place]] = field(default_factory=dict[str, dict[int, "_Place"]])

    @classmethod
    def read(cls, path: str | Path) -> LoggedRun:
        """Read a run log. A last line that was not written to its end is left out.

        Raises:
            LogError: It is none.
            OSError: It cannot be read.
        """
        found = cls(Path(path))
        with found.path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                found._take(line)
        if not found.header:
            raise LogError(f"{path} is no run log: it does not begin with a line of the event run:start")
        return found

    def _take(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
            event = entry["event"]
        except (ValueError, TypeError, KeyError) as error:
            raise LogError(
                f"{self.path} is no run log: it does not begin with a line of the event run:start"
                if not self.header
                else f"{self.path}: the line at byte {self.length} cannot be read: {error}"
            ) from error
        if not self.header and event != "run:start":
            raise LogError(f"{self.path} is no run log: it does not begin with a line of the event run:start")
        if event == "run:start":
            self.header = self.header or entry
            self.ended = None
            if entry.get("format") != _FORMAT:
                raise LogError(
                    f"{self.path} is a run log of format {entry.get('format')}, which this version cannot read"
                )
        elif event == "test":
            self._add(entry, len(line))
        elif event == "trial":
            place = _Place(self.length, len(line), entry["i"], entry["digest"], entry["status"])
            self._trials.setdefault(entry["id"], {})[entry["repeat"]] = place
        elif event == "run:end":
            self.ended = entry
        self.length += len(line)

    def _add(self, entry: Mapping[str, Any], length: int) -> None:
        """Note where a case stands. A case that was run anew, because it was changed, counts as it was last."""
        item = entry["item"]
        digest = "" if entry.get("stopped") else entry["digest"]  # "" is the digest of nothing
        self._cases[item["id"]] = _Place(self.length, length, item["i"], digest, sys.intern(item["status"]))

    def __len__(self) -> int:
        return len(self._cases)

    def __iter__(self) -> Iterator[AITestLogItem]:
        """The log items in the order of the cases."""
        with self.path.open("rb") as file:
            for place in self._in_order():
                yield place.item(file)

    def lines(self) -> Iterator[bytes]:
        """The lines of the log items as they stand in the file, in the order of the cases."""
        with self.path.open("rb") as file:
            for place in self._in_order():
                file.seek(place.offset)
                yield file.read(place.length)

    def _in_order(self) -> list[_Place]:
        return sorted(self._cases.values(), key=lambda place: place.index)

    def ids(self) -> Iterable[str]:
        """The ids of the cases that ended."""
        return self._cases.keys()

    def unhappy_ids(self) -> list[str]:
        """The ids of the cases that failed or could not be judged."""
        return [case_id for case_id, place in self._cases.items() if place.status in ("fail", "error")]

    def result(self) -> AITestFixtureResult:
        """The result of the run, without its log items."""
        ended = self.ended or {}
        result = AITestFixtureResult(
            duration=ended.get("duration", 0.0),
            deselected=ended.get("deselected", 0),
            stopped=ended.get("stopped") if self.ended else "the run did not end",
        )
        for item in self:
            result.tally.add(item)
        return result

    def find(self, case_id: str) -> AITestLogItem | None:
        """The log item of a case, if it ended."""
        place = self._cases.get(case_id)
        return None if place is None else self._item(place, place.digest)

    def digest(self, case_id: str) -> str | None:
        """A hash of a case, and of what its file says for it, as it was when it ran."""
        place = self._cases.get(case_id)
        return None if place is None else place.digest

    def item(self, case_id: str, digest: str) -> AITestLogItem | None:
        """The log item of a case, if it ended and has not been changed since."""
        return self._item(self._cases.get(case_id), digest)

    def trial(self, case_id: str, repeat: int, digest: str) -> AITestLogItem | None:
        """The log item of one run of a case that runs several times, if it ended and has not been changed since."""
        return self._item(self._trials.get(case_id, {}).get(repeat), digest)

    def _item(self, place: _Place | None, digest: str) -> AITestLogItem | None:
        if place is None or place.digest != digest:
            return None
        with self.path.open("rb") as file:
            return place.item(file)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a log item stands, and what is asked of it without reading it."""

    offset: int
    length: int
    index: int
    digest: str
    status: str

    def item(self, file: BinaryIO) -> AITestLogItem:
        file.seek(self.offset)
        return item_of(json.loads(file.read(self.length))["item"])


class RunLog:
    """Writes a run log.

    Args:
        path: The file. What was there is replaced, unless a run is resumed.
        resumed: The run that goes on in the same file.

    Raises:
        LogError: The file is there and is no run log, so that nobody can want to lose it; or another run writes it.
        OSError: It cannot be written.
    """

    def __init__(self, path: str | Path, *, resumed: LoggedRun | None = None) -> None:
        self.path = Path(path)
        if self.path.is_file() and not _may_be_replaced(self.path):
            raise LogError(f"{path} is there and is no run log; write the log to another file")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = lock_for(self.path, "log")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise LogError(f"{path} is the log of a run that goes on; write the log to another file") from None
        self._file = cast("BinaryIO", self.path.open("wb" if resumed is None else "r+b", buffering=0))
        if resumed is not None:
            self._file.truncate(resumed.length)
            self._file.seek(resumed.length)

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self, fields: Mapping[str, Any]) -> None:
        """Write that a run begins, or goes on."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        entry = {"event": "run:start", "format": _FORMAT, "version": version("aitestrunner"), "at": at, **fields}
        self._write(json.dumps(entry, ensure_ascii=False))

    def case(self, item: AITestLogItem, digest: str, *, stopped: bool = False) -> None:
        """Write what became of a case; `stopped` where it did not run because the run was over."""
        mark = '"stopped": true, ' if stopped else ""
        self._write(f'{{"event": "test", {mark}"digest": "{digest}", "item": {to_json_line(item)}}}')

    def trial(self, item: AITestLogItem, digest: str, repeat: int) -> None:
        """Write what became of one run of a case that runs several times."""
        head = {"event": "trial", "i": item.i, "id": item.id, "repeat": repeat, "status": item.status, "digest": digest}
        self._write(f'{json.dumps(head, ensure_ascii=False)[:-1]}, "item": {to_json_line(item)}}}')

    def end(self, result: AITestFixtureResult) -> None:
        """Write that the run has ended, and make sure that the disk has it."""
        self._write(json.dumps({"event": "run:end", **result.summary()}, ensure_ascii=False))
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        Path(self._lock.lock_file).unlink(missing_ok=True)  # each log has its own, and nobody waits for it
        self._lock.release()

    def _write(self, line: str) -> None:
        data = line.encode("utf-8", "backslashreplace") + b"\n"
        written = self._file.write(data)
        while written < len(data):  # a disk that is nearly full takes a part
            written += self._file.write(data[written:])


def has_ended(path: Path) -> bool:
    """Whether the last line of a log says that its run has ended."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _LONGEST_END))
        return file.read().rpartition(b"\n{")[2].startswith(b'"event": "run:end"')


def _may_be_replaced(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_BEGINNING)) in (_BEGINNING, b"")
