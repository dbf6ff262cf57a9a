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
