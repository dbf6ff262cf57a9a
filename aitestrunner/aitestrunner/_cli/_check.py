"""`aitest check`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aitestrunner._cli._common import EXIT_FAILED, EXIT_NOTHING, EXIT_OK, EXIT_USAGE, usage_error

if TYPE_CHECKING:
    from aitestrunner._positions import Node

__all__ = ["check"]


_HELP = """\
Match one expectation against data, without fixture and executor.

EXPECTATION is YAML or JSON, or @FILE. ACTUAL is a file, or standard input: JSON, or JSON Lines, where every line is
matched on its own.

\b
Examples:
    aitest check '{status: ok, items: {$length: {$gte: 1}}}' response.json
    curl -s https://example.org/api | aitest check '{items: {$each: {price: {$gt: 0}}}}'
    aitest check '{level: {$ne: error}}' app.jsonl
"""


@click.command(help=_HELP, short_help="Match one expectation against data.")
@click.argument("expectation")
@click.argument("actual", default="-", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--text", is_flag=True, help="The input is one text, not JSON.")
@click.option("--strict", is_flag=True, help="Nothing but the expected is allowed.")
def check(expectation: str, actual: Path, text: bool, strict: bool) -> int:
    """Match one expectation against data, without fixture and executor."""
    import matchex
    from aitestrunner._errors import FixtureError

    try:
        matcher = matchex.compile(_expectation(expectation), strict=strict)
        values = list(_values(_read(actual), str(actual), as_text=text))
    except (FixtureError, matchex.ExpectationError) as error:
        click.echo(str(error), err=True)
        return EXIT_USAGE
    statuses: list[str] = []
    for place, value in values:
        result = matcher.match(value)
        statuses.append(result.status)
        if len(values) == 1:
            click.echo(str(result))
        elif result.status != "pass":
            click.echo(f"{place}: {result}")
    if len(values) > 1:
        click.echo(f"{statuses.count('pass')} of {len(values)} match")
    if not values:
        click.echo("there is nothing to match", err=True)
        return EXIT_NOTHING
    return EXIT_OK if set(statuses) == {"pass"} else EXIT_FAILED


def _expectation(text: str) -> Any:
    if not text.startswith("@"):
        from aitestrunner._yaml import parse_yaml

        return parse_yaml(text, "the expectation").value
    path = Path(text[1:])
    from aitestrunner._yaml import parse_yaml

    return parse_yaml(_read(path), str(path)).value


def _read(path: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise usage_error(f"cannot read {str(path)!r}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise usage_error(f"{str(path)!r} is not UTF-8 (byte {error.start})") from error


def _line_of(node: Node) -> str:
    position = node.locate()
    return f"{position.file}:{position.line}" if position else ""


def _values(text: str, name: str, *, as_text: bool) -> Iterator[tuple[str, Any]]:
    """The values to match, each with its place: one, or one a line for JSON Lines."""
    from aitestrunner._json import parse_json, parse_json_lines

    name = "standard input" if name == "-" else name
    if as_text:
        yield name, text
        return
    try:
        json.loads(text)
    except ValueError:
        if "\n" in text.strip():
            yield from ((_line_of(node), node.value) for node in parse_json_lines(text, name))
            return
    if text.strip():
        yield name, parse_json(text, name).value
