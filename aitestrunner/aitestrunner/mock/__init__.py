"""A model for tests: it says what it is told to, without a network, a key or luck."""

from __future__ import annotations

from aitestrunner.mock._echo import DEFAULT_REPLY, count_tokens
from aitestrunner.mock._faults import MockFault
from aitestrunner.mock._provider import MockProvider
from aitestrunner.mock._replies import MockReply

__all__ = ["DEFAULT_REPLY", "MockFault", "MockProvider", "MockReply", "count_tokens"]
