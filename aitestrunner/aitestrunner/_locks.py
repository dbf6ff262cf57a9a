"""Locks between processes of this machine that use one file."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

from filelock import FileLock

__all__ = ["lock_for"]


def lock_for(path: Path, purpose: str) -> FileLock:
    """The lock for a file, the same in every process. It lies in the folder for temporary files, not beside the file.

    Args:
        path: The file, which need not be there.
        purpose: What the lock is for: locks for different purposes do not exclude each other.
    """
    user = os.getuid() if sys.platform != "win32" else ""
    text = f"{purpose} {user} {path.resolve()}"
    name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return FileLock(Path(tempfile.gettempdir(), f"aitest-{name}.lock"), thread_local=False)
