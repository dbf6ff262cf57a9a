"""What answers cases, by name and options: a function, a command, a URL, a model, a recording, the mock."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from aitestrunner.executors._command import CommandExecutor
    from aitestrunner.executors._http import HttpExecutor
    from aitestrunner.executors._mock import MockExecutor
    from aitestrunner.executors._openai import OpenAIExecutor
    from aitestrunner.executors._registry import create_executor, executor_names
    from aitestrunner.executors._replay import ReplayExecutor

__all__ = [
    "CommandExecutor",
    "HttpExecutor",
    "MockExecutor",
    "OpenAIExecutor",
    "ReplayExecutor",
    "create_executor",
    "executor_names",
]

_HOMES: Final = {
    "CommandExecutor": "_command",
    "HttpExecutor": "_http",
    "MockExecutor": "_mock",
    "OpenAIExecutor": "_openai",
    "ReplayExecutor": "_replay",
    "create_executor": "_registry",
    "executor_names": "_registry",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"aitestrunner.executors.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
