"""`aitest mock-server`."""

from __future__ import annotations

from pathlib import Path

import click

from aitestrunner._cli._common import EXIT_OK, usage_error

__all__ = ["mock_server"]

_HELP = """\
Serve a model for tests, on your own machine: it says what it is told to.

Clients of OpenAI's chat completions talk to it at http://HOST:PORT/v1, with any key. Whatever stands between <echo>
and </echo> in a message is the reply; a script of replies goes before it, and is read again when it changes.

\b
Examples:
    aitest mock-server
    aitest mock-server --script replies.yaml --port 8001
"""


@click.command(name="mock-server", help=_HELP, short_help="Serve a model for tests.")
@click.option(
    "--script", "-s", metavar="FILE", type=click.Path(path_type=Path), help="A script of replies: YAML or JSON."
)
@click.option("--host", metavar="HOST", default="127.0.0.1", show_default=True, help="Where it can be reached.")
@click.option(
    "--port", metavar="PORT", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Its port."
)
@click.option(
    "--piece-size", metavar="BYTES", type=click.IntRange(1), default=10, show_default=True, help="When streaming."
)
@click.option(
    "--piece-delay",
    metavar="SECONDS",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="After each piece.",
)
def mock_server(script: Path | None, host: str, port: int, piece_size: int, piece_delay: float) -> int:
    """Serve a model for tests."""
    import importlib.util

    if importlib.util.find_spec("uvicorn") is None or importlib.util.find_spec("starlette") is None:
        raise usage_error("mock-server needs two packages more: pip install 'aitestrunner[server]'")
    from aitestrunner._errors import FixtureError
    from aitestrunner.mock._server import ScriptFile, serve

    try:
        provider = ScriptFile(script, piece_size=piece_size, piece_delay=piece_delay)
    except (FixtureError, OSError) as error:
        raise usage_error(f"the script cannot be read: {error}") from error
    try:
        serve(provider, host, port, lambda url: click.echo(f"The mock answers at {url} (Ctrl+C ends it)."))
    except OSError as error:
        raise usage_error(f"cannot serve at {host}:{port}: {error.strerror}") from error
    return EXIT_OK
