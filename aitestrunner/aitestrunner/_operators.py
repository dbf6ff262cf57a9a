"""Operators of one's own: every way to name them, as one mapping of names to functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from aitestrunner._references import CodeError, load_reference, reference_name

__all__ = ["load_operators"]


def load_operators(operators: Any, *, base_dir: str | Path | None, inside: str | Path | None) -> dict[str, Any]:
    """Names (completed with `$`) to operators.

    Args:
        operators: A mapping of names to functions or references, or a list of these, whose names are then inferred.
        base_dir: What relative references are relative to.
        inside: Only files below this folder may be named (for fixture files), or None for no limit.

    Raises:
        CodeError: A reference leads nowhere, or to something that cannot be called.
    """
    if isinstance(operators, Mapping):
        named = cast("Mapping[str, Any]", operators).items()
    else:
        named = [(_inferred_name(item, i), item) for i, item in enumerate(cast("Sequence[Any]", operators))]
    loaded: dict[str, Any] = {}
    for name, operator in named:
        name = name if name.startswith("$") else f"${name}"
        if isinstance(operator, str):
            operator = load_reference(operator, base_dir, inside=inside)
        if not callable(operator):
            raise CodeError(
                f"the operator {name} must be a function or a reference like ./checks.py:name, got {operator!r:.80}"
            )
        loaded[name] = operator
    return loaded


def _inferred_name(item: Any, index: int) -> str:
    if isinstance(item, str):
        return reference_name(item)
    return str(getattr(item, "name", None) or getattr(item, "__name__", None) or f"op{index}")


def written_operators(
    operators: Any, *, base_dir: str | Path | None, in_file: bool, allow_code: bool
) -> dict[str, Any]:
    """The operators that a case or a file names.

    Args:
        operators: As for `load_operators`.
        base_dir: What relative references are relative to.
        in_file: Whether they stand in a file, which is data and may name only code below its folder.
        allow_code: Whether files may name code at all.

    Raises:
        CodeError: One of them cannot be loaded, or may not.
    """
    if in_file and not allow_code:
        raise CodeError("operators in code are named in a file, which this run does not allow")
    return load_operators(operators, base_dir=base_dir, inside=(base_dir or ".") if in_file else None)
