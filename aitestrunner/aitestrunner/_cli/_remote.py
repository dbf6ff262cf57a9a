"""`aitest run --engine ray`: the same command line, read again at the other end."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aitestrunner._cli._common import load_files, usage_error
from aitestrunner._cli._executor import chosen_executor
from aitestrunner._cli._run_options import run_options

if TYPE_CHECKING:
    from aitestrunner._engine import Work
    from aitestrunner._ray_engine import RayEngine

__all__ = ["ray_engine"]

_HERE_ONLY = ("keywords", "tags", "ids", "lines", "shard", "forbid_only", "fail_fast")
"""What the run decides before it gives cases away."""


def ray_engine(paths: Sequence[Path], options: Mapping[str, Any]) -> RayEngine:
    """The engine for the cases of some files.

    Raises:
        ExecutorError: Ray is not installed.
        click.UsageError: An option is given that belongs to one machine.
    """
    from aitestrunner._ray_engine import RayEngine

    if options["record"] in ("auto", "new"):
        raise usage_error("--record auto and new write on one machine; with --engine ray there is --record none only")
    if options["rate"] is not None:
        raise usage_error("--rate is kept by one process; with --engine ray divide it and give it to the executor")
    folder = None if os.environ.get("RAY_ADDRESS") else str(Path.cwd())
    return RayEngine(functools.partial(_work, tuple(paths), dict(options), folder), workers=options["workers"])


def _work(paths: Sequence[Path], options: dict[str, Any], folder: str | None) -> Work:
    """Load at the other end what was loaded here. On a cluster Ray has put the files where the worker begins."""
    from aitestrunner._engine import Work

    if folder is not None:
        os.chdir(folder)
    files = load_files(paths)
    chosen = {name: value for name, value in run_options(options).items() if name not in _HERE_ONLY}
    chosen.pop("keep_logs")
    return Work(chosen_executor(files, options), options["script"], files, chosen)
