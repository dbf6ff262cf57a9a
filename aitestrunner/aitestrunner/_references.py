"""Code that is named rather than passed: `py:package.module:attr`, `package.module:attr`, `./file.py:attr`.

Importing runs code, so the caller says where code may come from: a name typed on the command line or in Python is
taken as it is; one that stands in a fixture file reaches files below that file's folder and nothing else.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final

from matchex.plugin import load_reference as load_any

from aitestrunner._errors import AITestError

__all__ = ["CodeError", "code_name", "load_reference", "reference_name"]

_REFERENCE: Final = re.compile(r"(?:py:)?(?P<where>.+?)(?:[:#](?P<attribute>[^\W\d]\w*))?\Z")


class CodeError(AITestError):
    """Code that was named cannot be loaded; the message says what was looked for, where, and what is there.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> AITestRunner(len).run_sync("bot", [], operators={"$twice": "./nowhere.py:twice"})
        Traceback (most recent call last):
        aitestrunner._references.CodeError: ./nowhere.py:twice: there is no file nowhere.py in ...
    """


def load_reference(reference: str, base_dir: str | Path | None = None, *, inside: str | Path | None = None) -> Any:
    """What a reference names.

    Args:
        reference: `py:package.module:attr`, `package.module:attr` or `./file.py:attr` (`#` serves for the last `:`).
        base_dir: What relative files are relative to; by default the working directory.
        inside: Only files below this folder may be loaded, and no installed modules.

    Raises:
        CodeError: It is not allowed, or leads nowhere.
    """
    if inside is not None:
        _check_inside(reference, Path(base_dir or "."), Path(inside))
    try:
        return load_any(reference, base_dir)
    except ImportError as error:
        raise CodeError(str(error)) from error


def code_name(reference: str, base_dir: str | Path | None = None) -> str:
    """The name of code that is the same from wherever it is named: files as they lie from the working directory.

    Args:
        reference: As for `load_reference`.
        base_dir: What relative files are relative to; by default the working directory.

    Example:
        >>> code_name("./bot.py:answer", "tests/../tests"), code_name("py:shop.bot:answer")
        ('tests/bot.py:answer', 'shop.bot:answer')
    """
    where, attribute = _split(reference)
    if _is_file(where):
        path = (Path(base_dir or ".") / Path(where).expanduser()).resolve()
        try:
            where = Path(os.path.relpath(path)).as_posix()
        except ValueError:  # on another drive
            where = path.as_posix()
    return f"{where}:{attribute}" if attribute else where


def reference_name(reference: str) -> str:
    """The name that a reference suggests: its attribute, else the file's or module's name in camelCase.

    Example:
        >>> reference_name("./checks.py:isEven"), reference_name("./my-check.py")
        ('isEven', 'myCheck')
    """
    where, attribute = _split(reference)
    if attribute:
        return attribute
    stem = Path(where).name.removesuffix(".py") if _is_file(where) else where.rpartition(".")[2]
    first, *rest = [word for word in re.split(r"[-._\s]+", stem) if word] or ["operator"]
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _check_inside(reference: str, base_dir: Path, inside: Path) -> None:
    where, attribute = _split(reference)
    if not _is_file(where):
        raise CodeError(
            f"{reference!r} names an installed module; a fixture file may name only Python files below its own folder, "
            f"like ./checks.py:{attribute or 'name'} (whoever runs it may name modules on the command line)"
        )
    if not (base_dir / where).resolve().is_relative_to(inside.resolve()):
        raise CodeError(f"{reference!r} leads out of the folder of the fixture file; move the Python file below it")


def _split(reference: str) -> tuple[str, str | None]:
    match = _REFERENCE.match(reference)
    return (match["where"], match["attribute"]) if match else (reference, None)


def _is_file(where: str) -> bool:
    return where.endswith(".py") or where.startswith((".", "/", "~"))
