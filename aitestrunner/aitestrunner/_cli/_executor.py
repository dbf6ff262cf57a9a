"""What answers the cases of `aitest run`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aitestrunner._cli._common import pair, read_value, usage_error

if TYPE_CHECKING:
    from aitestrunner._files import FixtureFile

__all__ = ["chosen_executor", "import_from_here"]


def chosen_executor(files: list[FixtureFile], options: Mapping[str, Any]) -> Any:
    """What the command line names, else what files name, else the answers recorded beside them.

    Raises:
        AITestError: It cannot be loaded.
        click.UsageError: Nothing answers, or more than one thing does.
    """
    from aitestrunner._executor_choice import Executors

    if options["executor"] and options["answers"]:
        raise usage_error("give --executor or --answers, not both")
    if options["executor"]:
        return _named_executor(options["executor"], options["executor_options"])
    if options["executor_options"]:
        raise usage_error("--executor-option belongs to --executor")
    if options["answers"]:
        return _recorded(files, options["answers"])
    import_from_here()
    return Executors(fallback=_recorded([file for file in files if _needs_executor(file)], None))


def _named_executor(name: str, given: tuple[str, ...]) -> Any:
    from aitestrunner._references import load_reference
    from aitestrunner.executors._registry import executor_from_options, is_reference

    import_from_here()
    pairs = dict(pair(text, "--executor-option") for text in given)
    if is_reference(name):
        if pairs:
            raise usage_error("a function takes no --executor-option; what it needs comes with --data")
        return load_reference(name)
    return executor_from_options(name, {option: read_value(value) for option, value in pairs.items()})


def _needs_executor(file: FixtureFile) -> bool:
    """Whether some case of a file is left without an executor by itself and its front matter."""
    from aitestrunner._merge import given

    return any(given(case.executor, file.defaults.settings.executor) is None for case in file.cases)


def import_from_here() -> None:
    """Modules of the working directory can be named, as `python -m` does it."""
    import sys

    here = os.getcwd()  # noqa: PTH109 (sys.path holds texts)
    if here not in sys.path:
        sys.path.insert(0, here)


def _recorded(files: list[FixtureFile], answers: Path | None) -> Any:
    from aitestrunner._answers import RecordedAnswers, default_answers_path, read_answers

    if answers is not None and len(files) > 1:
        raise usage_error(
            f"--answers belongs to one fixture file, and there are {len(files)}; record answers beside each of them"
        )
    found: dict[str, Any] = {}
    for file in files:
        path = answers or default_answers_path(file.path)
        if not path.exists():
            raise usage_error(
                f"nothing answers {file.path}: there is no {path}. Name what is tested (--executor "
                './file.py:function), or record its answers there: one {"output": …} a line, in the order of the cases'
            )
        found.update(read_answers(path, file))
    return RecordedAnswers(found)
