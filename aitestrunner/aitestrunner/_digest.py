"""A short hash of a case as it was written: whether what a log says about it still concerns it."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from typing import Any, Final

from aitestrunner._cases import AITestFixture, Defaults
from aitestrunner._positions import Node
from aitestrunner._sources import Item

__all__ = ["Digests"]

_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")


class Digests:
    """Makes the digests of the cases of a run. What the cases of one file share is read once."""

    def __init__(self) -> None:
        self._shared: dict[int, str] = {}

    def of(self, item: Item) -> str:
        """The digest of a case: of what it says itself and what its file says for it."""
        shared = self._shared.get(id(item.defaults))
        if shared is None:
            shared = self._shared[id(item.defaults)] = _hash(_written(item.defaults))
        return _hash(f"{shared} {_written(item.case)}")


def _written(part: AITestFixture | Defaults) -> str:
    node: Node | None = part.source if isinstance(part, AITestFixture) else part.node
    if node is not None:
        return repr(node.value)
    fixture = part if isinstance(part, AITestFixture) else part.settings
    values: list[Any] = [getattr(fixture, entry.name) for entry in dataclasses.fields(fixture)]
    return repr(values)


def _hash(text: str) -> str:
    """Objects in cases made in Python have addresses, which differ from one process to the next."""
    if " at 0x" in text:
        text = _ADDRESS.sub("", text)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
