"""The folder `.aitest`: the logs of the latest runs here, and which of them is the last that ended."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from aitestrunner._cli._common import usage_error

__all__ = ["last_failed", "log_file"]

_FOLDER: Final = Path(".aitest")
_RUNS: Final = _FOLDER / "runs"
_LAST: Final = _FOLDER / "last"
_KEPT: Final = 20
_UNENDED_KEPT: Final = 7 * 86_400.0  # seconds


@contextmanager
def log_file(options: Mapping[str, Any]) -> Generator[Path]:
    """Where the log of a run goes; a run that ends within it is the last one for `--last-failed`.

    A log that nobody asked for and that cannot stay is a temporary file.
    """
    given = options["resume"] or options["log"]
    keeps = not options["no_log"] and _can_keep()
    if given or keeps:
        path = Path(given) if given else _RUNS / f"{datetime.now().astimezone():%Y%m%d-%H%M%S}-{os.getpid()}.jsonl"
        yield path
        if keeps:
            _remember(path)
            _forget_old()
        return
    with tempfile.TemporaryDirectory(prefix="aitest-", ignore_cleanup_errors=True) as folder:
        yield Path(folder, "run.jsonl")


def _can_keep() -> bool:
    try:
        _RUNS.mkdir(parents=True, exist_ok=True)
        ignored = _FOLDER / ".gitignore"
        if not ignored.exists():  # recordings are for version control, logs are not
            ignored.write_text("/runs/\n/last\n", "utf-8")
    except OSError:
        return False
    return os.access(_RUNS, os.W_OK)


def _forget_old() -> None:
    """Remove all but the latest logs. One of a run that goes on, or can be resumed, stays for a week."""
    from aitestrunner._runlog import has_ended

    with suppress(OSError):  # another run was quicker
        logs = sorted(_RUNS.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
        for path in logs[:-_KEPT]:
            if has_ended(path) or time.time() - path.stat().st_mtime > _UNENDED_KEPT:
                path.unlink()


def _remember(path: Path) -> None:
    with suppress(OSError):  # a folder that cannot be written remembers nothing
        _LAST.write_text(str(path), "utf-8")


def last_failed() -> list[str]:
    """The ids of the cases that did not pass in the last run that ended.

    Raises:
        click.UsageError: There is none.
        LogError: Its log cannot be read.
    """
    from aitestrunner._runlog import LoggedRun

    try:
        return LoggedRun.read(_LAST.read_text("utf-8")).unhappy_ids()
    except FileNotFoundError as error:
        raise usage_error("--last-failed: no run has ended here yet, or its log is gone") from error
