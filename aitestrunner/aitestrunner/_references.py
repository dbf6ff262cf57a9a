"""Code that is named rather than passed: `py:package.module:attr`, `package.module:attr`, `./file.py:attr`.

Importing runs code, so the caller says where code may come from: a name typed on the command line or in Python is
taken as it is; one that stands in a fixture file reaches files below that file's folder and nothing else.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from aitestrunner._errors import AITestError

__all__ = ["CodeError", "load_reference", "reference_name"]


class CodeError(AITestError):
    """Code that was named cannot be loaded; the message says what was looked for, where, and what is there.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> AITestRunner(len).run_sync("bot", [], operators={"$twice": "./nowhere.py:twice"})
        Traceback (most recent call last):
        aitestrunner._references.CodeError: './nowhere.py:twice': there is no file ...
    """


def load_reference(reference: str, base_dir: str | Path | None = None, *, inside: str | Path | None = None) -> Any:
    """What a reference names.

    Args:
        reference: `py:package.module:attr`, `package.module:attr` or `./file.py:attr` (`#` serves for the last `:`).
        base_dir: What relative files are relative to; by default the working directory.
        inside: Only files below this folder may be loaded, and no installed modules.

    Raises:
        CodeError: It is malformed, not allowed, or not there.
    """
    where, attribute = _split(reference)
    if where.endswith(".py") or "/" in where or "\\" in where:
        module = _load_file(_allowed_file(where, base_dir, inside, reference), reference)
    elif inside is not None:
        raise CodeError(
            f"{reference!r} names an installed module; a fixture file may name only Python files below its own folder, "
            f"like ./checks.py:{attribute or 'name'} (or name the module on the command line)"
        )
    else:
        module = _import(where, reference)
    return _attribute(module, attribute, reference)


def reference_name(reference: str) -> str:
    """The name that a reference suggests: its attribute, else the file's or module's name in camelCase."""
    where, attribute = _split(reference)
    if attribute:
        return attribute.rpartition(".")[2]
    stem = Path(where).name.removesuffix(".py") if "/" in where or where.endswith(".py") else where.rpartition(".")[2]
    first, *rest = [word for word in stem.replace("-", ".").split(".") if word] or ["operator"]
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _split(reference: str) -> tuple[str, str]:
    text = reference.removeprefix("py:")
    where, mark, attribute = text.rpartition("#")
    if not mark:
        where, mark, attribute = text.rpartition(":")
        if len(where) == 1:  # a drive letter: C:\checks.py
            where, mark = "", ""
    return (where, attribute) if mark else (text, "")


def _allowed_file(where: str, base_dir: str | Path | None, inside: str | Path | None, reference: str) -> Path:
    path = (Path(base_dir or ".") / where).resolve()
    if inside is not None and not path.is_relative_to(Path(inside).resolve()):
        raise CodeError(f"{reference!r} leads out of the fixture file's folder; move the file below it")
    if not path.is_file():
        raise CodeError(f"{reference!r}: there is no file {str(path)!r}")
    return path


def _load_file(path: Path, reference: str) -> Any:
    name = f"_aitest_{path.stem}_{abs(hash(str(path))):x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CodeError(f"{reference!r}: {str(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickling look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise CodeError(f"{reference!r}: {str(path)!r} raised {type(error).__name__}: {error}") from error
    return module


def _import(name: str, reference: str) -> Any:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise CodeError(f"{reference!r}: cannot import {name!r} ({type(error).__name__}: {error})") from error


def _attribute(module: Any, attribute: str, reference: str) -> Any:
    if not attribute:
        raise CodeError(f"{reference!r} does not say what to take from the module; write {reference}:name")
    target = module
    for part in attribute.split("."):
        target = getattr(target, part, None)
        if target is None:
            names = sorted(name for name in vars(module) if not name.startswith("_"))
            raise CodeError(f"{reference!r}: there is no {attribute!r}; the module has {', '.join(names) or 'nothing'}")
    return target
