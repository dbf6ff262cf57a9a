"""A subschema with all that gives it its meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Keys", "Place"]

Keys = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A subschema where it stands.

    Attributes:
        schema: The subschema.
        keys: Where it stands in the document; for what a reference leads to, where the reference stands.
        resolver: What references mean here.
        cls: The validator class of its dialect.
        reference: The reference that led here, if one did.
    """

    schema: Any
    keys: Keys
    resolver: Any
    cls: Any
    reference: str | None = None
