"""What was raised by code that is not ours, in words."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import Final

__all__ = ["describe_error"]

_OURS: Final = frozenset({"matchex", "matchex_schema", "matchex_template", "aitestrunner"})


def describe_error(error: BaseException) -> str:
    """The type and message of an exception, and the line of the called code that it comes from, where there is one.

    Code that is called (an operator, an executor) may call libraries, which then raise; the line told is its own.

    Args:
        error: An exception that was caught.

    Example:
        >>> from matchex.plugin import describe_error
        >>> try:
        ...     int("two")
        ... except ValueError as error:
        ...     described = describe_error(error)
        >>> described.startswith("ValueError: invalid literal")
        True
    """
    try:
        said = str(error)
    except Exception:
        said = "(its text cannot be had)"
    where = _line_of(error)
    return f"{type(error).__name__}{f': {said}' if said else ''}{f' ({where})' if where else ''}"


def _line_of(error: BaseException) -> str:
    file, line = "", 0
    for frame, number in traceback.walk_tb(error.__traceback__):
        name: object = frame.f_globals.get("__name__", "")
        here = frame.f_code.co_filename
        if not file and (str(name).partition(".")[0] in _OURS or here.startswith("<")):
            continue
        file = file or here
        if here == file:
            line = number
    if not file:
        return ""
    path = Path(file)
    try:
        shown = os.path.relpath(file) if path.is_relative_to(Path.cwd()) else path.name
    except OSError:  # the working directory is gone
        shown = path.name
    return f"{shown}:{line}"
