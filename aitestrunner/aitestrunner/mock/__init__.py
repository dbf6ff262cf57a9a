"""A model for tests: it says what it is told to, without a network, a key or luck."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from aitestrunner.mock._echo import DEFAULT_REPLY, count_tokens
from aitestrunner.mock._faults import MockFault
from aitestrunner.mock._provider import MockProvider
from aitestrunner.mock._replies import MockReply

if TYPE_CHECKING:
    from aitestrunner.mock._server import MockServer

__all__ = ["DEFAULT_REPLY", "MockFault", "MockProvider", "MockReply", "MockServer", "count_tokens"]


def __getattr__(name: str) -> Any:
    if name != "MockServer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module("aitestrunner.mock._server").MockServer
