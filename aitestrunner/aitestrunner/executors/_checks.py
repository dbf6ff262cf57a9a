"""Options of executors, checked when the executor is made: a wrong one must not wait for the first case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from aitestrunner._errors import ExecutorError

__all__ = ["check", "inside_folder", "is_count", "is_seconds", "is_text", "is_text_mapping"]


def check(executor: str, option: str, value: Any, accepts: Callable[[Any], bool], takes: str) -> None:
    """Refuse a value that an option does not take.

    Raises:
        ExecutorError: It is none.
    """
    if not accepts(value):
        raise ExecutorError(f"the option `{option}` of the executor `{executor}` takes {takes}; got {value!r:.80}")


def is_text(value: Any) -> bool:
    """A text that says something."""
    return isinstance(value, str) and bool(value)


def is_seconds(value: Any) -> bool:
    """A time above 0."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf


def is_count(value: Any) -> bool:
    """A whole number of at least 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_text_mapping(value: Any) -> bool:
    """A mapping of texts to texts."""
    if not isinstance(value, Mapping):
        return False
    fields = cast("Mapping[Any, Any]", value)
    return all(isinstance(key, str) and isinstance(item, str) for key, item in fields.items())


def inside_folder(path: str | Path, base_dir: str | Path | None, inside: str | Path | None, what: str) -> Path:
    """A path relative to `base_dir`; where a fixture file names it, it may not lead out of that file's folder.

    Raises:
        ExecutorError: It does.
    """
    found = Path(base_dir or ".") / path
    if inside is not None and not found.resolve().is_relative_to(Path(inside).resolve()):
        raise ExecutorError(f"{what} {str(path)!r} leads out of the folder of the fixture file; move it below it")
    return found
