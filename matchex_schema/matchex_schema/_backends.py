"""Which library validates: jsonschema (`python`), or jsonschema-rs (`rust`) where it is there and fit for it."""

from __future__ import annotations

import functools
import os
from typing import Final, Literal

__all__ = ["BackendName", "backends", "checked_name", "current_backend", "use_backend", "wants_rust"]

BackendName = Literal["auto", "python", "rust"]

VARIABLE: Final = "MATCHEX_SCHEMA_BACKEND"
_NAMES: Final = ("auto", "python", "rust")
_DISTRIBUTIONS: Final = {"python": "jsonschema", "rust": "jsonschema-rs"}

_chosen: str | None = None


def backends() -> dict[str, str]:
    """The backends that are installed, each with the version of its library.

    Returns:
        The names `python` (jsonschema, always there) and `rust` (jsonschema-rs, with `matchex-schema[fast]`) as keys.

    Example:
        >>> import matchex_schema
        >>> "python" in matchex_schema.backends()
        True
    """
    return dict(_versions())


@functools.cache
def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, str] = {}
    for name, distribution in _DISTRIBUTIONS.items():
        try:
            found[name] = version(distribution)
        except PackageNotFoundError:
            continue
    return found


def use_backend(name: str) -> str:
    """Choose the backend for every schema that is compiled from now on in this process.

    Both give the same verdicts and the same failures; the choice is about speed, or about ruling one out. It stands
    above the environment variable `MATCHEX_SCHEMA_BACKEND`, and below the `backend` of a `Schema`.

    Args:
        name: `auto` (jsonschema-rs where it is installed and fit for the schema, else jsonschema), `python` (jsonschema
            only) or `rust` (as `auto`, but jsonschema-rs must be installed).

    Returns:
        The name that was chosen before, for putting it back.

    Raises:
        ValueError: There is no such backend.
        ModuleNotFoundError: `rust`, and jsonschema-rs is not installed.

    Example:
        >>> import matchex_schema
        >>> before = matchex_schema.use_backend("python")
        >>> matchex_schema.current_backend()
        'python'
        >>> _ = matchex_schema.use_backend(before)
    """
    global _chosen
    before = _setting()
    _chosen = checked_name(name, "backend")
    return before


def current_backend() -> str:
    """The backend that a schema compiled now would get if it is fit for it: `python` or `rust`.

    Raises:
        ValueError: The environment variable `MATCHEX_SCHEMA_BACKEND` names no backend.
        ModuleNotFoundError: It says `rust`, and jsonschema-rs is not installed.

    Example:
        >>> import matchex_schema
        >>> matchex_schema.current_backend() in matchex_schema.backends()
        True
    """
    return "rust" if wants_rust(None) else "python"


def wants_rust(name: BackendName | None) -> bool:
    """Whether jsonschema-rs is to be tried, for a schema that asks for `name` or for nothing (None)."""
    setting = checked_name(name, "backend") if name else _setting()
    return setting == "rust" or (setting == "auto" and "rust" in _versions())


def _setting() -> str:
    if _chosen is not None:
        return _chosen
    return checked_name(os.environ.get(VARIABLE) or "auto", f"the environment variable {VARIABLE}")


def checked_name(name: str, what: str) -> BackendName:
    """`name` if it is that of a backend which can be used here.

    Raises:
        ValueError: There is no such backend.
        ModuleNotFoundError: The backend is not installed.
    """
    if name not in _NAMES:
        raise ValueError(f"{what} must be auto, python or rust, not {name!r}")
    if name == "rust" and "rust" not in _versions():
        raise ModuleNotFoundError("the backend rust needs jsonschema-rs: pip install 'matchex-schema[fast]'")
    return name
