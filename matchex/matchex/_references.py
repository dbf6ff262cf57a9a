"""Operators given for one call: functions, `Operator` objects, or references to code by name.

A reference is `py:package.module:attr`, `package.module:attr`, or `./checkers.py:attr` (relative to the base folder);
`#` may stand in place of the last `:`. Without an attribute the function named like the file, or like the operator, is
taken.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, cast

from matchex._errors import ExpectationError, Problem
from matchex._operator import Operator, named
from matchex._paths import nearest
from matchex._raised import describe_error
from matchex._values import as_list, as_mapping, type_name

__all__ = ["load_reference", "resolve_operators"]


class _Unusable(Exception):
    """A reference that leads nowhere."""


def resolve_operators(operators: object, base_dir: str | Path | None) -> dict[str, Operator]:
    """The operators of a call, by name.

    Args:
        operators: A mapping of names (completed with `$`) to functions, operators or references; or a list of these,
            named by themselves.
        base_dir: The folder that `./file.py` starts from; the working folder where it is None.

    Raises:
        ExpectationError: With one problem for each entry that cannot be used.
    """
    mapping = as_mapping(operators)
    entries: list[tuple[str | None, Any]]
    if mapping is not None:
        entries = [(str(name), entry) for name, entry in mapping.items()]
    else:
        items = as_list(operators)
        if items is None:
            raise ExpectationError([Problem("", f"operators takes a mapping or a list, not {type_name(operators)}")])
        entries = [(None, entry) for entry in items]
    found: dict[str, Operator] = {}
    problems: list[Problem] = []
    for name, entry in entries:
        try:
            operator = _resolve(name, entry, base_dir)
        except (_Unusable, ValueError, TypeError) as error:
            problems.append(Problem("", f"operator {name or entry!r}: {error}"))
            continue
        found[operator.name] = operator
    if problems:
        raise ExpectationError(problems)
    return found


def _resolve(name: str | None, entry: Any, base_dir: str | Path | None) -> Operator:
    if isinstance(entry, str):
        reference = _parse(entry)
        name = name or reference.name
        entry = _load(reference, named(name)[1:], base_dir)
    if isinstance(entry, Operator):
        if name is None or named(name) == entry.name:
            return entry
        return Operator(named(name), entry.function, entry.operand, entry.virtual, entry.strategy)
    if not callable(entry):
        raise _Unusable(f"takes a function, a matchex.Operator or a reference to one, not {type_name(entry)}")
    if name is None:
        name = getattr(entry, "__name__", None)
        if name is None or name == "<lambda>":
            raise _Unusable("a function without a name needs one: pass operators as a mapping of names to functions")
    return Operator(named(name), cast("Callable[..., Any]", entry))


class _Reference(NamedTuple):
    text: str
    target: str
    attribute: str | None

    @property
    def is_file(self) -> bool:
        return self.target.endswith(".py") or self.target.startswith((".", "/", "~"))

    @property
    def name(self) -> str:
        """The name of the operator that this refers to: the attribute, or the file's name in camelCase."""
        if self.attribute is not None:
            return self.attribute
        stem = Path(self.target).name.removesuffix(".py") if self.is_file else self.target.rpartition(".")[2]
        first, *others = [word for word in re.split(r"[-._\s]+", stem) if word] or [stem]
        return first + "".join(word[:1].upper() + word[1:] for word in others)


def _parse(text: str) -> _Reference:
    body = text.removeprefix("py:")
    match = re.fullmatch(r"(?P<target>.+?)[:#](?P<attribute>[^\W\d]\w*)", body)
    if match is None:
        if not body or body[-1] in ":#":
            raise _Unusable("write it as package.module:function or ./file.py:function")
        return _Reference(text, body, None)
    return _Reference(text, match["target"], match["attribute"])


def load_reference(text: str, base_dir: str | Path | None = None) -> Any:
    """The object that a reference names.

    Args:
        text: `package.module:attr`, `py:package.module:attr` or `./file.py:attr`.
        base_dir: The folder that relative files start from; the working folder where it is None.

    Raises:
        ImportError: It leads nowhere; the message says what was looked for, where, and what was found instead.

    Example:
        >>> from matchex.plugin import load_reference
        >>> load_reference("math:isclose").__name__
        'isclose'
    """
    try:
        reference = _parse(text)
        return _load(reference, reference.name, base_dir)
    except _Unusable as error:
        raise ImportError(f"{text}: {error}") from error


def _load(reference: _Reference, name: str, base_dir: str | Path | None) -> Any:
    module = _load_file(reference, base_dir) if reference.is_file else _load_module(reference)
    wanted = [reference.attribute] if reference.attribute is not None else [reference.name, name, _snake(name)]
    for candidate in wanted:
        if hasattr(module, candidate):
            return getattr(module, candidate)
    public = sorted(
        key
        for key, value in vars(module).items()
        if callable(value) and not key.startswith("_") and getattr(value, "__module__", None) == module.__name__
    )
    guess = nearest(wanted[0], public)
    hint = f"; did you mean {guess!r}?" if guess else f"; it has {', '.join(public[:10]) or 'no function'}"
    raise _Unusable(f"there is no {wanted[0]!r} in {reference.target}{hint}")


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _load_module(reference: _Reference) -> ModuleType:
    try:
        return importlib.import_module(reference.target)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name and reference.target.startswith(error.name):
            raise _Unusable(f"there is no module {error.name!r} on the Python path") from error
        raise _Unusable(f"importing {reference.target} failed: {error}") from error
    except (Exception, SystemExit) as error:
        raise _Unusable(f"importing {reference.target} raised {describe_error(error)}{_hint(error)}") from error


def _load_file(reference: _Reference, base_dir: str | Path | None) -> ModuleType:
    folder = Path(base_dir) if base_dir is not None else Path.cwd()
    path = (folder / Path(reference.target).expanduser()).resolve()
    if not path.is_file():
        beside = sorted(file.name for file in path.parent.glob("*.py")) if path.parent.is_dir() else None
        found = (
            "that folder does not exist" if beside is None else f"it holds {', '.join(beside[:10]) or 'no .py file'}"
        )
        raise _Unusable(f"there is no file {path.name} in {path.parent}; {found}")
    module_name = f"matchex_code_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
    with _loading:
        known = sys.modules.get(module_name)
        return known if known is not None else _execute(module_name, path)


_loading: Final = threading.RLock()


def _execute(module_name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise _Unusable(f"{path.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[module_name]
        if not isinstance(error, (Exception, SystemExit)):
            raise
        raise _Unusable(f"loading {path.name} raised {describe_error(error)}{_hint(error)}") from error
    return module


def _hint(error: BaseException) -> str:
    """What to do about a script that ends the program, whatever its status, as soon as it is loaded."""
    return '; put what runs it under `if __name__ == "__main__":`' if isinstance(error, SystemExit) else ""
