"""What a run log keeps of the command line, so that `aitest run --resume LOG` needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

import click
from click.core import ParameterSource

from aitestrunner._cli._common import usage_error

__all__ = ["command_of", "resumed"]

_WHAT: Final = (
    *("script", "executor", "executor_options", "allow_env", "answers", "data", "operators", "strict_vacuous"),
    *("oracles_module", "no_code", "keywords", "tags", "shard", "repeat", "min_pass_rate"),
)
"""Options that decide what runs and how it is judged: the same for a whole run."""

_HOW: Final = ("engine", "workers", "jobs", "timeout", "retries", "rate", "fail_fast", "record", "recordings")
"""Options that may be others when a run goes on."""

_SECRET: Final = re.compile(
    r"(?:\b|[_-])(?:(?:api|access|secret|private|auth|signing|encryption)[_-]?)?"
    r"(?:key|token|secret|passw(?:or)?d|credentials?|auth(?:orization)?)(?:[_-]\w+)?=",
    re.IGNORECASE,
)
_MASK: Final = "***"


def command_of(paths: tuple[Path, ...], options: Mapping[str, Any]) -> dict[str, Any]:
    """The command line as data. Values that sound like secrets are left out."""
    named = {name: _kept(options[name]) for name in (*_WHAT, *_HOW) if options[name] not in (None, (), False)}
    command = {"paths": [str(path) for path in paths], **named}
    if options.get("ids") is not None:
        command["ids"] = list(options["ids"])
    return command


def _kept(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_masked(str(text)) for text in cast("list[Any]", value)]
    return str(value) if isinstance(value, Path) else value


def _masked(text: str) -> str:
    found = _SECRET.search(text)
    return text if found is None or "${" in text else text[: found.end()] + _MASK


def resumed(paths: tuple[Path, ...], options: dict[str, Any]) -> tuple[tuple[Path, ...], dict[str, Any]]:
    """The command line of the run that goes on, with what is given anew.

    Raises:
        LogError: The log is none.
        click.UsageError: What is given would make it another run, or a secret is missing.
    """
    from aitestrunner._runlog import LoggedRun

    if options["log"]:
        raise usage_error("--resume goes on in the same log; leave out --log")
    command = LoggedRun.read(options["resume"]).header.get("command")
    if command is None:
        raise usage_error(f"{options['resume']} was not written by `aitest run`; only that can resume it here")
    if paths and [str(path) for path in paths] != command["paths"]:
        raise usage_error(f"--resume goes on with the run of {' '.join(command['paths'])}; other files are another run")
    found = dict(options)
    context = click.get_current_context()
    for name in (*_WHAT, *_HOW):
        given = context.get_parameter_source(name) is not ParameterSource.DEFAULT
        if name in command and not given:
            found[name] = _restored(name, command[name], _flag(context, name))
        elif name in _WHAT and given and _kept(options[name]) != command.get(name):
            raise usage_error(f"--resume goes on with the same run; it began with another {_flag(context, name)}")
    if "ids" in command:
        found["ids"] = command["ids"]
    return tuple(Path(path) for path in command["paths"]), found


def _flag(context: click.Context, name: str) -> str:
    """An option as it is written on the command line, in its long form where it has one."""
    parameter = next(one for one in context.command.params if one.name == name)
    return max(parameter.opts, key=len)


def _restored(name: str, value: Any, flag: str) -> Any:
    if isinstance(value, list):
        texts = tuple(cast("list[str]", value))
        if any(text.endswith(f"={_MASK}") for text in texts):
            raise usage_error(f"the log keeps no secrets; give {flag} again")
        return texts
    return Path(value) if name == "answers" else value
