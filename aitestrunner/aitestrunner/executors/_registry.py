"""Executors by name: the built-in ones, and those that installed distributions add."""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final, cast

from matchex.plugin import describe_error, nearest

from aitestrunner._errors import ExecutionError, ExecutorError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, as_execute
from aitestrunner._references import CodeError, code_name, load_reference
from aitestrunner._secrets import Secrets, filled_in, is_secret_name, literal_secret, variables_in
from aitestrunner.executors._checks import check, is_text

__all__ = ["GROUP", "create_executor", "executor_from_file", "executor_from_options", "executor_names", "is_reference"]

GROUP: Final = "aitestrunner.executors"
"""The entry-point group in which distributions register executors."""

_BUILT_IN: Final = {
    "command": ("_command", "CommandExecutor"),
    "http": ("_http", "HttpExecutor"),
    "mock": ("_mock", "MockExecutor"),
    "openai": ("_openai", "OpenAIExecutor"),
    "replay": ("_replay", "ReplayExecutor"),
}
_WITHOUT_CODE: Final = frozenset({"mock", "replay"})
_LOGGERS: Final = ("aitestrunner", "httpx", "httpx2", "openai", "openai._base_client")


def executor_names() -> list[str]:
    """The names of all executors, sorted.

    Example:
        >>> from aitestrunner.executors import executor_names
        >>> {"command", "function", "http", "mock", "openai", "replay"} <= set(executor_names())
        True
    """
    return sorted({"function", *_BUILT_IN, *_entry_points()})


def create_executor(name: str, /, **options: Any) -> Any:
    """An executor by its name.

    Args:
        name: `function`, `command`, `http`, `openai`, `replay`, `mock`, or one that a distribution adds.
        options: Its options. `${NAME}` in their texts is read from the environment.

    Raises:
        ExecutorError: There is no such executor, or it does not take these options.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> from aitestrunner.executors import create_executor
        >>> runner = AITestRunner(create_executor("mock", script=[{"reply": "hello"}]))
        >>> runner.run_sync("bot", [{"input": "hi", "output": "hello"}]).passed
        True
    """
    return _created(name, options, base_dir=options.pop("base_dir", None))


def executor_from_options(name: str, options: Mapping[str, Any]) -> Any:
    """An executor by its name, with options spelt as in files.

    Raises:
        ExecutorError: There is no such executor, it does not take these options, or they hold a key as it is.
    """
    _refuse_literal_secret(name, options)
    return _created(name, _in_python(name, options), base_dir=None)


def executor_from_file(
    named: str | Mapping[str, Any],
    *,
    base_dir: str | Path | None,
    in_file: bool,
    allow_code: bool,
    allow_env: Collection[str],
) -> Any:
    """The executor that a fixture names: a name, a reference to a function, or a mapping with `name` and options.

    Args:
        named: What it says.
        base_dir: The folder of its file.
        in_file: Whether it stands in a file, which is data: what it starts must lie below its folder.
        allow_code: Whether a file may start code or use the network.
        allow_env: The variables of the environment that a file may send somewhere.

    Raises:
        ExecutorError: It cannot be made, or may not.
    """
    if isinstance(named, str):
        options: dict[str, Any] = {}
        name = named
        if is_reference(named):
            name, options = "function", {"reference": named}
    else:
        options = dict(named)
        name = options.pop("name", None)
        check("executor", "name", name, is_text, f"a name: {', '.join(executor_names())}")
    _refuse_literal_secret(name, options)
    if in_file and not allow_code and name not in _WITHOUT_CODE:
        raise ExecutorError(
            f"the fixture file names the executor {name!r}, which starts code or uses the network; this run allows "
            f"fixture files {' and '.join(sorted(_WITHOUT_CODE))} only"
        )
    return _created(
        name,
        _in_python(name, options),
        base_dir=base_dir,
        inside=base_dir or "." if in_file else None,
        allow_env=allow_env if in_file else None,
    )


def _refuse_literal_secret(name: str, options: Mapping[str, Any]) -> None:
    found = literal_secret(options)
    if found is not None:
        raise ExecutorError(
            f"the options of the executor {name!r} hold a secret under {found!r}; write ${{NAME}} there and set the "
            "environment variable NAME, so that no file, log or shell history has it"
        )


def is_reference(text: str) -> bool:
    """Whether a text names code (`./bot.py:answer`, `py:my_app.bot:answer`) rather than an executor."""
    return bool(re.search(r"[:#/.]", text))


def _created(
    name: str,
    options: Mapping[str, Any],
    *,
    base_dir: str | Path | None,
    inside: str | Path | None = None,
    allow_env: Collection[str] | None = None,
) -> Any:
    factory = _factory(name)
    secrets = Secrets()
    given = filled_in(options, secrets, allowed=allow_env)
    places = {"base_dir": base_dir, "inside": inside}
    parameters = _parameters(factory)
    accepted = {key: value for key, value in places.items() if key in parameters}
    _check_options(name, parameters, given)
    try:
        executor = factory(**given, **accepted)
    except ExecutorError as error:
        failed = ExecutorError(secrets.mask(str(error)))
    except (TypeError, ValueError) as error:
        failed = ExecutorError(secrets.mask(f"the executor {name!r} does not take these options: {error}"))
    else:
        as_execute(executor)
        written = code_name(given["reference"], base_dir) if name == "function" else {"name": name, "options": options}
        own = getattr(executor, "recorded_as", None)
        return _Named(executor, secrets, _recorded_as(written if own is None else secrets.masked(own), options))
    raise failed


def _recorded_as(named: Any, options: Mapping[str, Any]) -> Any:
    """What names an executor in recordings, beside a hash of each variable of the environment that is no secret.

    No value of a variable is stored: names do not tell for sure which ones are secrets.
    """
    values = variables_in(options)
    if not values:
        return named
    hashes = {
        name: hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:16]
        for name, value in values.items()
        if not is_secret_name(name)
    }
    return {"executor": named, "written": options, "variables": hashes}


class _Named:
    """An executor that was made of a name and options. Its answers and errors go through its secrets, if it has any.

    Args:
        executor: The executor, one of ours or not.
        secrets: What was filled in from the environment.
        written: What names it in recordings.
    """

    def __init__(self, executor: Any, secrets: Secrets, written: Any) -> None:
        self._executor = executor
        self._execute = as_execute(executor)
        self._secrets = secrets
        self.recorded_as = written
        self.replays = getattr(executor, "replays", False)
        if secrets:
            for name in _LOGGERS:
                secrets.keep_out_of_log(name)

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        if not self._secrets:
            return await self._execute(context)
        try:
            result = await self._execute(context)
        except Exception as error:
            failed = _masked_error(error, self._secrets)
        else:
            return AIExecutionResult(**self._secrets.masked(result.fields()))
        raise failed

    async def aclose(self) -> None:
        close = getattr(self._executor, "aclose", None)
        if close is not None:
            await close()


def _masked_error(error: Exception, secrets: Secrets) -> Exception:
    """The error itself where nothing is secret about it; else a new one, which holds no other."""
    if isinstance(error, ExecutionError):
        return ExecutionError(error.kind, secrets.mask(str(error)))
    return ExecutionError("executor", secrets.mask(f"the executor raised {describe_error(error)}"))


def _factory(name: str) -> Callable[..., Any]:
    if name == "function":
        return _function
    if name in _BUILT_IN:
        module, attribute = _BUILT_IN[name]
        return getattr(importlib.import_module(f"aitestrunner.executors.{module}"), attribute)
    entry_point = _entry_points().get(name)
    if entry_point is None:
        guess = nearest(name, executor_names())
        hint = f"; did you mean {guess!r}?" if guess else f"; there are {', '.join(executor_names())}"
        raise ExecutorError(f"there is no executor {name!r}{hint} (code is named like ./bot.py:answer)")
    try:
        return entry_point.load()
    except Exception as error:
        raise ExecutorError(
            f"the executor {name!r} of {entry_point.value} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


@functools.cache
def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {entry_point.name: entry_point for entry_point in entry_points(group=GROUP)}


def _function(reference: str, *, base_dir: str | Path | None = None, inside: str | Path | None = None) -> Any:
    """The executor `function`: what a reference names."""
    check("function", "reference", reference, is_text, "a reference like ./bot.py:answer or py:my_app.bot:answer")
    try:
        return load_reference(reference, base_dir, inside=inside)
    except CodeError as error:
        raise ExecutorError(str(error)) from error


def _parameters(factory: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(factory).parameters


def _check_options(name: str, parameters: Mapping[str, inspect.Parameter], options: Mapping[str, Any]) -> None:
    """Name the option that was probably meant, and those that are missing."""
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    known = [key for key in parameters if key not in ("base_dir", "inside")]
    for option in options:
        if option not in known:
            guess = nearest(option, known)
            hint = f"; did you mean {guess!r}?" if guess else f"; it takes {', '.join(known)}"
            raise ExecutorError(f"the executor {name!r} has no option {option!r}{hint}")
    missing = [key for key in known if parameters[key].default is inspect.Parameter.empty and key not in options]
    if missing:
        raise ExecutorError(f"the executor {name!r} needs the option {missing[0]!r}")


def _in_python(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options spelt as in files (`responsePath`) by their names in Python."""
    found: dict[str, Any] = {}
    for option, value in options.items():
        if "_" in option:
            meant = re.sub(r"_(\w)", lambda match: cast("str", match[1]).upper(), option)
            raise ExecutorError(f"the option {option!r} of the executor {name!r} is written {meant!r} here")
        found[re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), option)] = value
    return found
