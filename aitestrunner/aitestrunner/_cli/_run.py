"""`aitest run`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aitestrunner._cli._common import (
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_USAGE,
    load_files,
    show_problems,
    split_line,
    usage_error,
)
from aitestrunner._cli._executor import chosen_executor
from aitestrunner._cli._options import (
    how_it_goes,
    report_options,
    what_answers,
    what_is_kept,
    what_is_shown,
    where_it_runs,
    which_cases,
)
from aitestrunner._cli._remote import ray_engine
from aitestrunner._cli._reports import check_reports, status_of, write_reports
from aitestrunner._cli._resume import command_of, resumed
from aitestrunner._cli._run_options import run_options
from aitestrunner._cli._runs import last_failed, log_file
from aitestrunner._cli._terminal import shown

if TYPE_CHECKING:
    from aitestrunner._files import FixtureFile
    from aitestrunner._log import AITestFixtureResult

__all__ = ["run"]


_HELP = """\
Run the cases of fixture files and show what does not hold, and where.

PATHS are fixture files or folders; FILE:LINE is the case at that line. In folders, files named *.fixture.* and
*.aitest.* count (.yaml, .json, .jsonl).

\b
Examples:
    aitest run tests/ --executor ./bot.py:answer --jobs 8 --timeout 60
    aitest run bot.fixture.yaml:12 --answers monday.jsonl
    aitest run tests/ -e py:my_app.bot:answer -d language=de --junit result.xml
    aitest run --resume .aitest/runs/20260102-101500-4711.jsonl
"""


@click.command(help=_HELP, short_help="Run the cases of fixture files.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@what_answers
@which_cases
@how_it_goes
@where_it_runs
@what_is_kept
@report_options
@what_is_shown
def run(paths: tuple[Path, ...], **options: Any) -> int:
    """Run the cases of fixture files and show what does not hold, and where."""
    from aitestrunner._errors import AITestError

    check_reports(
        options, {"--log": options["log"], "--resume": options["resume"], "--recordings": options["recordings"]}
    )
    try:
        if options["resume"]:
            paths, options = resumed(paths, options)
        elif options["last_failed"]:
            options["ids"] = last_failed()
        if not paths:
            raise usage_error("name fixture files or folders to run, or a log with --resume")
        places = [split_line(path) for path in paths]
        files = load_files(path for path, _ in places)
        if not files:
            click.echo(
                "there are no fixture files (*.fixture.yaml, *.aitest.yaml, …) below " + ", ".join(map(str, paths)),
                err=True,
            )
            return EXIT_NOTHING
        check_reports(options, _read_for(files, options))
        if show_problems(problem for file in files for problem in file.problems):
            return EXIT_USAGE
        lines = [(str(path), line) for path, line in places if line is not None]
        return _run_files(files, {**options, "lines": lines}, command_of(paths, options))
    except AITestError as error:
        click.echo(str(error), err=True)
        return EXIT_USAGE


def _run_files(files: list[FixtureFile], options: dict[str, Any], command: dict[str, Any]) -> int:
    from aitestrunner._runlog import LoggedRun
    from aitestrunner._runner import AITestRunner

    if options["engine"] == "ray":
        from aitestrunner._ray_engine import keep_to_loopback

        keep_to_loopback()  # before code of the user's is loaded, which may import Ray itself
    runner = AITestRunner(chosen_executor(files, options))
    chosen = run_options(options) | {"log_fields": {"command": command}}
    if options["engine"] == "ray":
        chosen["engine"] = ray_engine([file.path for file in files], options)
    here = Path.cwd()
    with log_file(options) as log:
        place = {"resume": log} if options["resume"] else {"log": log}
        try:
            with shown(runner, options):
                result = runner.run_sync(options["script"], files, **chosen, **place)
        except KeyboardInterrupt:
            os.chdir(here)
            return _interrupted(log, options)
        except OSError as error:
            raise usage_error(f"cannot read or write {error.filename or log}: {error.strerror or error}") from error
        finally:
            os.chdir(here)  # an executor may have changed it
        _say_what_was_not_selected(result)
        write_reports(result, LoggedRun.read(log), options)
    return status_of(result)


def _read_for(files: list[FixtureFile], options: dict[str, Any]) -> dict[str, Any]:
    """The files that a run reads, with what they are."""
    from aitestrunner._answers import default_answers_path

    read: dict[str, Any] = {f"the fixture file {file.path}": file.path for file in files}
    read |= {f"the answers of {file.path}": default_answers_path(file.path) for file in files}
    return read | {"--answers": options["answers"]}


def _interrupted(log: Path, options: dict[str, Any]) -> int:
    from aitestrunner._runlog import LoggedRun

    if not log.exists():
        click.echo("interrupted before the first case", err=True)
        return EXIT_INTERRUPTED
    logged = LoggedRun.read(log)
    kept = options["log"] or options["resume"] or not options["no_log"]
    onward = f"; go on with: aitest run --resume {log}" if kept else ""
    click.echo(f"interrupted after {len(logged)} of {logged.header['cases']} cases{onward}", err=True)
    return EXIT_INTERRUPTED


def _say_what_was_not_selected(result: AITestFixtureResult) -> None:
    if result.deselected and not result.tally.total:
        click.echo(f"none of the {result.deselected} cases was selected", err=True)
