"""`aitest list`."""

from __future__ import annotations

from pathlib import Path

import click

from aitestrunner._cli._common import (
    EXIT_NOTHING,
    EXIT_OK,
    EXIT_USAGE,
    counted,
    load_files,
    paths_argument,
    show_problems,
)

__all__ = ["list_cases"]


_HELP = """\
List the cases of fixture files: where each stands, its id, its title.

\b
Example:
    aitest list tests/
"""


@click.command("list", help=_HELP, short_help="List the cases of fixture files.")
@paths_argument
def list_cases(paths: tuple[Path, ...]) -> int:
    """List the cases of fixture files: where each stands, its id, its title."""
    files = load_files(paths)
    if show_problems(problem for file in files for problem in file.problems):
        return EXIT_USAGE
    count = 0
    for file in files:
        for case_id, case in zip(file.ids(), file.cases, strict=True):
            marks = "".join(
                f" [{name}]"
                for name in ("skip", "only")
                if getattr(case, name) not in (None, False) and getattr(case, name)
            )
            title = f"  {case.title}" if isinstance(case.title, str) else ""
            click.echo(f"{case.position()}  {case_id}{title}{marks}")
            count += 1
    click.echo(f"{counted(count, 'case')} in {counted(len(files), 'file')}")
    return EXIT_OK if count else EXIT_NOTHING
