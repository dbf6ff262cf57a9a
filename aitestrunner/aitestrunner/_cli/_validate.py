"""`aitest validate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from aitestrunner._cli._common import (
    EXIT_NOTHING,
    EXIT_OK,
    EXIT_USAGE,
    counted,
    load_files,
    pair,
    paths_argument,
    read_value,
    usage_error,
)
from aitestrunner._cli._run_options import oracles_in

__all__ = ["validate"]


_HELP = """\
Check fixture files without running anything.

Every expectation is compiled and every operator looked up. Warned of are weights that cannot work, pass marks that
no answer reaches, variables that nobody uses, and single words that match inside longer text.

\b
Example:
    aitest validate tests/
"""


@click.command(help=_HELP, short_help="Check fixture files without running them.")
@paths_argument
@click.option(
    "--data",
    "-d",
    "data",
    multiple=True,
    metavar="NAME=VALUE",
    help="A variable that the run will give. Can be repeated.",
)
@click.option(
    "--oracles-module",
    "oracles_modules",
    multiple=True,
    metavar="FILE",
    help="A Python file with oracles that the run will give. Can be repeated.",
)
@click.option("--no-code", is_flag=True, help="Do not load the operators that the files name in Python files.")
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
def validate(
    paths: tuple[Path, ...], data: tuple[str, ...], oracles_modules: tuple[str, ...], no_code: bool, strict: bool
) -> int:
    """Check fixture files without running anything."""
    from aitestrunner._errors import AITestError
    from aitestrunner._lint import lint_file
    from aitestrunner._sources import doubled_ids

    files = load_files(paths)
    if not files:
        click.echo("there are no fixture files below " + ", ".join(map(str, paths)), err=True)
        return EXIT_NOTHING
    variables: dict[str, Any] = {}
    for text in data:
        name, value = pair(text, "--data")
        variables[name] = read_value(value)
    try:
        oracles = oracles_in(oracles_modules)
    except AITestError as error:
        raise usage_error(str(error)) from error
    doubled = doubled_ids(entry for file in files for entry in zip(file.ids(), file.cases, strict=True))
    for problem in doubled:
        click.echo(f"{problem.position or problem.message}: error: {problem.message}")
    errors, warnings, cases = len(doubled), 0, 0
    for file in files:
        found = lint_file(file, variables=variables, allow_code=not no_code, oracles=oracles)
        for finding in found:
            click.echo(f"{finding.position or file.path}: {finding.severity}: {finding.message}")
        errors += sum(finding.severity == "error" for finding in found)
        warnings += sum(finding.severity == "warning" for finding in found)
        cases += len(file.cases)
    click.echo(
        f"{counted(cases, 'case')} in {counted(len(files), 'file')}: "
        f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    )
    return EXIT_USAGE if errors or (strict and warnings) else EXIT_OK
