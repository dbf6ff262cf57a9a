"""The options of `aitest run` as those of a runner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from aitestrunner._cli._common import pair, read_value, usage_error
from aitestrunner._cli._executor import import_from_here

__all__ = ["oracles_in", "run_options"]


def run_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """What `AITestRunner.run` is given.

    Raises:
        click.UsageError: A `NAME=VALUE` is none.
    """
    from aitestrunner._references import code_name
    from aitestrunner.executors._registry import is_reference

    chosen: dict[str, Any] = {
        "strict_vacuous": options["strict_vacuous"],
        "allow_code": not options["no_code"],
        "allow_env": options["allow_env"],
        "keep_logs": False,
    }
    same = ("jobs", "timeout", "retries", "rate", "repeat", "min_pass_rate", "fail_fast", "forbid_only", "keywords")
    more = ("tags", "ids", "lines", "shard", "record", "recordings")
    chosen |= {name: options[name] for name in (*same, *more) if options.get(name) is not None}
    data = dict(pair(text, "--data") for text in options["data"])
    if data:
        chosen["user_config"] = {"data": {name: read_value(value) for name, value in data.items()}}
    if options["operators"]:
        import_from_here()
        chosen["operators"] = dict(pair(text, "--operator") for text in options["operators"])
    if options["executor"] and is_reference(options["executor"]):
        chosen["executor_name"] = code_name(options["executor"])
    if options["oracles_module"]:
        import_from_here()
        chosen["oracles"] = oracles_in(options["oracles_module"])
    return chosen


def oracles_in(paths: Sequence[str]) -> list[Any]:
    """The oracles of files. What is none, though it looks like one, is told.

    Raises:
        CodeError: A file is not there, or cannot be run.
        click.UsageError: A file has no oracle.
    """
    from aitestrunner.oracles import load_oracles

    found: list[Any] = []
    for path in paths:
        loaded = load_oracles(path)
        for name, reason in loaded.skipped.items():
            click.echo(f"{path}: {name} is left out: {reason}", err=True)
        if not loaded.oracles:
            raise usage_error(f"there are no oracles in {path}: classes or objects with `type` and `evaluate`")
        found += loaded.oracles
    return found
