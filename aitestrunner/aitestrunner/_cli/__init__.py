"""The command line: `aitest run|validate|list|merge|compare|schema|check|init|mock-server`."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click

from aitestrunner._cli._check import check
from aitestrunner._cli._common import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_USAGE, Stop
from aitestrunner._cli._compare import compare
from aitestrunner._cli._init import init
from aitestrunner._cli._list import list_cases
from aitestrunner._cli._merge import merge
from aitestrunner._cli._mock_server import mock_server
from aitestrunner._cli._run import run
from aitestrunner._cli._schema import schema
from aitestrunner._cli._validate import validate

__all__ = ["main"]

_VERSION_OF = ("aitestrunner", "matchex", "matchex-schema", "matchex-template")


_HELP = """\
Test prompts, agents and workflows against expectations written as data.

A fixture file says what a good answer looks like:

\b
    # bot.fixture.yaml
    - title: greets by name
      input: {name: Ann}
      output: Hello, Ann
    - title: never promises a refund
      input: {question: "Where is my order?"}
      expect:
        output: {$not: /refund/i}
        tools: [{name: find_order}]

Something answers: a Python function (`--executor ./bot.py:answer`), or answers recorded in a file
(`bot.answers.jsonl`, one `{"output": …}` a line):

\b
    aitest run bot.fixture.yaml --executor ./bot.py:answer
    aitest run tests/              # with recorded answers beside the files

\b
Exit status: 0 all passed · 1 something failed or could not be judged · 2 interrupted · 3 a fault of aitest
itself · 4 wrong usage or wrong fixture files · 5 nothing to run
"""


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version

    for name in _VERSION_OF:
        try:
            click.echo(f"{name} {version(name)}")
        except PackageNotFoundError:
            click.echo(f"{name} is not installed")
    context.exit()


@click.group(help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the versions of everything that judges.",
)
def cli() -> None:
    """Test prompts, agents and workflows against expectations written as data."""


for command in (run, validate, list_cases, merge, compare, schema, check, init, mock_server):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status; `sys.exit` is the caller's."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a file or pipe in a locale that cannot say everything
            stream.reconfigure(errors="backslashreplace")
    try:
        with _ending_on_signals():
            status = cli.main(arguments, prog_name="aitest", standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        return EXIT_INTERRUPTED
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        return EXIT_INTERRUPTED
    except Stop as stop:
        return _stopped(stop)
    except BrokenPipeError:
        return _stopped(Stop(EXIT_INTERRUPTED))
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except SystemExit as error:  # an exit status of 0 would say that all is well
        click.echo(f"code that was called ended the program: sys.exit({error.code!r})", err=True)
        return EXIT_INTERNAL
    except Exception as error:
        import traceback

        traceback.print_exc()
        click.echo(f"aitest failed by its own fault: {type(error).__name__}: {error}", err=True)
        return EXIT_INTERNAL
    return status if isinstance(status, int) else 0


@contextmanager
def _ending_on_signals() -> Generator[None]:
    """Within it SIGTERM and SIGHUP end a run as Ctrl-C does, so that the programs that it started end too."""
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        numbers = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))  # Windows has no SIGHUP
        before = {number: signal.SIG_DFL for number in numbers if number and signal.getsignal(number) is signal.SIG_DFL}
    for number in before:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stopped(stop: Stop) -> int:
    """Say why, and leave nothing in the buffer of an output that nobody reads: Python would complain at its exit."""
    if stop.message:
        click.echo(stop.message, err=True)
    else:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 (it stays open to the end)
    return stop.status
