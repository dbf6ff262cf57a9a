"""The recording store: what executors answered, kept in one file, found by everything that an answer depends on."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, cast

from aitestrunner._errors import ExecutorError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult
from aitestrunner._locks import lock_for
from aitestrunner._plain import plain
from matchex import Literal

__all__ = ["Recording", "RecordingStore", "recording_key", "request_of"]

_KEY: Final = re.compile(rb'\{"key": "([0-9a-f]{64})", ')
_SECRET: Final = re.compile(
    r"(?:\A|api|access|secret|private|auth|signing|encryption)[_-]?key\Z"
    r"|(?:token|secret|password|passwd|credentials?|auth|authorization)\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One answer as it was recorded.

    Args:
        key: What it is found by, see `recording_key`.
        case: The id of the case that it answered, for people; it is no part of the key.
        repeat: Which of the runs of the case it answered, from 0.
        request: What the executor was given.
        answer: The fields of its result, as plain data.
        at: When it was recorded, in UTC.

    Example:
        >>> from aitestrunner import Recording
        >>> recording = Recording(key="0" * 64, case="hi", request={}, answer={"output": "hello"})
        >>> recording.result().output
        'hello'
    """

    key: str
    case: str
    request: Mapping[str, Any]
    answer: Mapping[str, Any]
    repeat: int = 0
    at: str = ""

    def result(self) -> AIExecutionResult:
        """The answer as an executor's result.

        Example:
            >>> from aitestrunner import Recording
            >>> Recording(key="0" * 64, case="hi", request={}, answer={"output": 1, "cost": 2}).result().cost
            2
        """
        fields = {**self.answer}
        return AIExecutionResult(fields.pop("output"), **fields)


def request_of(context: AIExecutionContext, executor: Any) -> dict[str, Any]:
    """Everything that the answer to a case depends on. Keys and passwords among the options are no part of it.

    Args:
        context: What the executor is given.
        executor: What names the executor and its settings, as plain data.
    """
    return {
        "executor": executor,
        "script": context.script,
        "args": context.args,
        "options": _without_secrets(context.options),
    }


def recording_key(request: Mapping[str, Any], repeat: int = 0) -> str:
    """The key of a request: the same for the same data, on every machine, whatever the order of fields.

    Args:
        request: What an answer depends on, as plain data.
        repeat: Which of the runs of one case, from 0: each has an answer of its own.

    Raises:
        ExecutorError: The request holds something that is no data, so that nobody can say whether it is the same.

    Example:
        >>> from aitestrunner import recording_key
        >>> recording_key({"a": 1, "b": 2}) == recording_key({"b": 2, "a": 1})
        True
        >>> recording_key({"a": 1}) == recording_key({"a": 1}, repeat=1)
        False
    """
    try:
        text = json.dumps([request, repeat], sort_keys=True, separators=(",", ":"), default=_as_data)
    except (TypeError, ValueError, RecursionError) as error:
        raise ExecutorError(f"this case cannot be recorded: {error}") from error
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class RecordingStore:
    """Recorded answers in one file of JSON lines, to which new ones are appended. The latest of a key counts.

    Several processes of one machine may use one file. A last line that was not written to its end is dropped.

    Args:
        path: The file; it and its folder are made when the first answer is recorded.

    Raises:
        ExecutorError: The file is no such store.
        OSError: It cannot be read.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from aitestrunner import RecordingStore
        >>> with RecordingStore(Path(tempfile.mkdtemp()) / "recordings.jsonl") as store:
        ...     _ = store.add({"script": "bot", "args": {"input": "hi"}}, {"output": "hello"}, case="greets")
        ...     store.find({"script": "bot", "args": {"input": "hi"}}).answer
        {'output': 'hello'}
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._file_path = self._path.absolute()  # whoever answers may change the working directory
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._file: BinaryIO | None = None
        self._lock = lock_for(self._path, "recordings")
        self._thread_lock = threading.Lock()
        if self._file_path.exists():
            with self._file_path.open("rb") as file:
                self._read_new(file)

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Recording]:
        """The recordings that count, in the order in which their keys were first recorded."""
        for offset, length in list(self._places.values()):
            yield self._read(offset, length)

    def __enter__(self) -> RecordingStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def find(self, request: Mapping[str, Any], repeat: int = 0) -> Recording | None:
        """What was answered to a request, or None.

        Raises:
            ExecutorError: The request cannot be recorded at all.

        Example:
            >>> from aitestrunner import RecordingStore
            >>> RecordingStore("nothing-recorded-yet.jsonl").find({"script": "bot"}) is None
            True
        """
        place = self._places.get(recording_key(request, repeat))
        return self._read(*place) if place else None

    def add(self, request: Mapping[str, Any], answer: Mapping[str, Any], *, case: str, repeat: int = 0) -> Recording:
        """Record an answer.

        Args:
            request: What the answer depends on, see `request_of`.
            answer: The fields of the executor's result. They are recorded as plain data.
            case: The id of the case.
            repeat: Which of its runs.

        Returns:
            What will be found from now on.

        Raises:
            ExecutorError: The request cannot be recorded.
            OSError: The file cannot be written.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> from aitestrunner import RecordingStore
            >>> with RecordingStore(Path(tempfile.mkdtemp()) / "recordings.jsonl") as store:
            ...     store.add({"script": "bot"}, {"output": (1, 2)}, case="counts").answer
            {'output': [1, 2]}
        """
        key = recording_key(request, repeat)
        entry = {
            "key": key,
            "case": case,
            "repeat": repeat,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "request": plain(_without_secrets(request)),
            "answer": plain(answer),
        }
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        with self._thread_lock, self._lock:
            file = self._opened()
            self._read_new(file)
            if self._end < os.fstat(file.fileno()).st_size:
                file.truncate(self._end)  # a line that was not written to its end; nobody is writing it now
            self._places[key] = (self._end, len(line))
            while line:  # a disk that is nearly full takes a part
                line = line[file.write(line) :]
            self._end += self._places[key][1]
        return _recording(entry)

    def close(self) -> None:
        """Close the file. The store can go on being used."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> BinaryIO:
        if self._file is None:
            self._file_path.parent.mkdir(parents=True, exist_ok=True)
            self._file = cast("BinaryIO", self._file_path.open("a+b", buffering=0))
        return self._file

    def _read_new(self, file: BinaryIO) -> None:
        """Learn where the lines are that were not there when we last looked."""
        if os.fstat(file.fileno()).st_size == self._end:
            return
        file.seek(self._end)
        with os.fdopen(os.dup(file.fileno()), "rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                found = _KEY.match(line)
                if found is None:
                    raise ExecutorError(f"{self._path} is no file of recordings (byte {self._end}: {line[:40]!r})")
                self._places[found[1].decode()] = (self._end, len(line))
                self._end += len(line)

    def _read(self, offset: int, length: int) -> Recording:
        with self._file_path.open("rb") as file:
            file.seek(offset)
            line = file.read(length)
        try:
            return _recording(json.loads(line))
        except (ValueError, TypeError, KeyError) as error:
            raise ExecutorError(f"{self._path}: the recording at byte {offset} is damaged: {error!r}") from error


def _recording(entry: Mapping[str, Any]) -> Recording:
    return Recording(**{field.name: entry[field.name] for field in dataclasses.fields(Recording)})


def _as_data(value: Any) -> Any:
    """What is data under another type. Anything else has no stable form: its text may hold an address."""
    if isinstance(value, Literal):
        return value.value
    if isinstance(value, Mapping):
        return dict(cast("Mapping[Any, Any]", value))
    if isinstance(value, date):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: getattr(value, entry.name) for entry in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} is no data ({value!r:.60}); `recorded_as` of an executor names it")


def _without_secrets(options: Any) -> Any:
    if not isinstance(options, Mapping):
        return options
    fields = cast("Mapping[Any, Any]", options)
    return {key: _without_secrets(item) for key, item in fields.items() if not _SECRET.search(str(key))}
