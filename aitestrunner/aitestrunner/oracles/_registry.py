"""Oracles by name: the built-in ones, those that installed distributions add, those of a file that a user names."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from matchex.plugin import nearest

from aitestrunner._errors import AITestError
from aitestrunner._references import CodeError, load_reference

__all__ = ["GROUP", "LoadedOracles", "OracleNameError", "Oracles", "create_oracle", "load_oracles", "oracle_types"]

GROUP: Final = "aitestrunner.oracles"
"""The entry-point group in which distributions register oracles."""

_BUILT_IN: Final = {
    "exact-match": ("_exact", "ExactMatch"),
    "expect": ("_expect", "Expect"),
    "llm-judge": ("_llm_judge", "LlmJudge"),
    "schema-validate": ("_schema", "SchemaValidate"),
    "sql-validate": ("_sql", "SqlValidate"),
    "trace-no-errors": ("_trace", "TraceNoErrors"),
}


class OracleNameError(AITestError):
    """There is no such oracle, or what was registered as one is none; the message says what there is.

    Example:
        >>> from aitestrunner.oracles import create_oracle
        >>> create_oracle("exact-mach")
        Traceback (most recent call last):
        aitestrunner.oracles._registry.OracleNameError: there is no oracle 'exact-mach'; did you mean 'exact-match'?
    """


class Oracles:
    """The oracles that a run knows: those given here, the built-in ones, and those of installed distributions.

    Args:
        own: Oracles of the run: objects with `type` and `evaluate`, or classes of such that take no arguments. They go
            before others of the same type.

    Raises:
        OracleNameError: One of them is no oracle.

    Example:
        >>> from aitestrunner.oracles import Oracles
        >>> Oracles().get("exact-match").type
        'exact-match'
    """

    def __init__(self, own: Any = ()) -> None:
        self._known: dict[str, Any] = {}
        for candidate in own:
            oracle = _instance(candidate)
            self._known[oracle.type] = oracle

    def types(self) -> list[str]:
        """The types, sorted.

        Example:
            >>> from aitestrunner.oracles import Oracles
            >>> "llm-judge" in Oracles().types()
            True
        """
        return sorted({*self._known, *_BUILT_IN, *_entry_points()})

    def get(self, type_: str) -> Any:
        """The oracle of a type, made once.

        Raises:
            OracleNameError: There is none, or it cannot be loaded.
        """
        if type_ not in self._known:
            self._known[type_] = self._made(type_)
        return self._known[type_]

    def _made(self, type_: str) -> Any:
        if type_ in _BUILT_IN:
            module, name = _BUILT_IN[type_]
            return getattr(importlib.import_module(f"aitestrunner.oracles.{module}"), name)()
        entry_point = _entry_points().get(type_)
        if entry_point is None:
            guess = nearest(type_, self.types())
            hint = f"did you mean {guess!r}?" if guess else f"there are {', '.join(self.types())}"
            raise OracleNameError(f"there is no oracle {type_!r}; {hint}")
        try:
            loaded = entry_point.load()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise OracleNameError(f"the oracle {type_!r} of {entry_point.value} cannot be loaded: {said}") from error
        return _instance(loaded)


def create_oracle(type_: str) -> Any:
    """A built-in oracle, or one that an installed distribution adds.

    Raises:
        OracleNameError: There is none of this type.

    Example:
        >>> from aitestrunner.oracles import OracleInput, create_oracle
        >>> create_oracle("exact-match").evaluate_now(OracleInput(actual=5), {"expected": 5}).passed
        True
    """
    return Oracles().get(type_)


def oracle_types() -> list[str]:
    """The types of all built-in and installed oracles, sorted.

    Example:
        >>> from aitestrunner.oracles import oracle_types
        >>> {"exact-match", "expect", "llm-judge", "schema-validate", "sql-validate"} <= set(oracle_types())
        True
    """
    return Oracles().types()


@dataclass(frozen=True, slots=True)
class LoadedOracles:
    """What a module file gave.

    Args:
        path: The file.
        oracles: Its oracles, in the order of their definition.
        skipped: What looks like an oracle and is none: names to reasons.

    Example:
        >>> from aitestrunner.oracles import LoadedOracles
        >>> LoadedOracles("checks.py").oracles
        ()
    """

    path: str
    oracles: tuple[Any, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict[str, str])


def load_oracles(path: str | Path) -> LoadedOracles:
    r"""The oracles that a Python file defines: classes with `type` and `evaluate`, and objects with both.

    A class that cannot be made without arguments is skipped, and told. What the file only imports is left alone.

    Raises:
        CodeError: There is no such file, or it cannot be run.

    Example:
        >>> from pathlib import Path
        >>> import tempfile
        >>> from aitestrunner.oracles import load_oracles
        >>> code = "class Always:\n    type = 'always'\n    def evaluate(self, given, config): ...\n"
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "checks.py")
        ...     _ = file.write_text(code)
        ...     [oracle.type for oracle in load_oracles(file).oracles]
        ['always']
    """
    names = _names_in(Path(path))
    found: list[Any] = []
    skipped: dict[str, str] = {}
    seen: set[int] = set()
    for name, value in names.items():
        if name.startswith("_") or not _looks_like_oracle(value) or id(value) in seen:
            continue
        seen.add(id(value))
        if inspect.isclass(value) and value.__module__ != names["__name__"]:
            continue
        try:
            found.append(_instance(value))
        except OracleNameError as error:
            skipped[name] = str(error)
    return LoadedOracles(str(path), tuple(found), skipped)


def _names_in(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        raise CodeError(f"there is no file {path}")
    return dict(load_reference(f"{path.resolve()}:__dict__"))


def _looks_like_oracle(value: Any) -> bool:
    return callable(getattr(value, "evaluate", None)) and hasattr(value, "type")


def _instance(candidate: Any) -> Any:
    """An oracle, made where a class is given.

    Raises:
        OracleNameError: It is none.
    """
    oracle = candidate
    if inspect.isclass(candidate):
        try:
            oracle = candidate()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise OracleNameError(
                f"the oracle {candidate.__name__} cannot be made without arguments: {said}"
            ) from error
    name = getattr(oracle, "type", None)
    if not isinstance(name, str) or not name.strip():
        raise OracleNameError(f"an oracle has a text as `type`; got {cast('Any', oracle)!r:.100}")
    if not callable(getattr(oracle, "evaluate", None)):
        raise OracleNameError(f"the oracle {name!r} has no method `evaluate`")
    return oracle


@functools.cache
def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {entry_point.name: entry_point for entry_point in entry_points(group=GROUP)}
