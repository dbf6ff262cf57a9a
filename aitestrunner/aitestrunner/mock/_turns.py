"""Whose echo tags count: those of all messages, or in a session those of the newest turn, then the system prompt's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from aitestrunner.mock._echo import echoed, joined_text

__all__ = ["History", "echo_in"]

History = Literal["all", "newest"]


def echo_in(messages: Sequence[Mapping[str, Any]], history: History) -> str | None:
    """What the echo tag of a conversation says; None where there is none that counts."""
    if history == "all":
        return echoed(joined_text(messages))
    system = [message for message in messages if message.get("role") == "system"]
    turn = [message for message in messages[_newest_turn(messages) :] if message.get("role") != "system"]
    own = echoed(joined_text(turn))
    return echoed(joined_text(system)) if own is None else own


def _newest_turn(messages: Sequence[Mapping[str, Any]]) -> int:
    """Where it begins: behind the last answer. A message that calls tools is none yet."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].get("role") == "assistant" and not messages[index].get("tool_calls"):
            return index + 1
    return 0
