"""`aitest schema`."""

from __future__ import annotations

import json

import click

from aitestrunner._cli._common import EXIT_OK

__all__ = ["schema"]


_HELP = """\
Print a JSON Schema of fixture files, for editors that complete and check while you type.

\b
Example, with the YAML extension of VS Code:
    aitest schema > fixture.schema.json
    # then in settings.json:
    "yaml.schemas": {"./fixture.schema.json": ["*.fixture.yaml", "*.aitest.yaml"]}
"""


@click.command(help=_HELP, short_help="Print a JSON Schema of fixture files for editors.")
def schema() -> int:
    """Print a JSON Schema of fixture files, for editors that complete and check while you type."""
    from aitestrunner._format_schema import format_schema

    click.echo(json.dumps(format_schema(), indent=2))
    return EXIT_OK
