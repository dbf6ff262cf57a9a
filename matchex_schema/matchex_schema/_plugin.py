"""The entry point: what matchex loads when an expectation first needs JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchex.plugin import hookimpl

if TYPE_CHECKING:
    from ._engine import Engine


@hookimpl
def matchex_schema_engine() -> Engine:
    """Answer the hook of the same name."""
    from ._engine import Engine  # jsonschema is loaded only when a schema engine is really asked for

    return Engine()
