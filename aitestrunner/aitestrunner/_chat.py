"""A conversation in the shape that OpenAI's chat has, which executors are given and most services understand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aitestrunner._messages import Message, ToolCall
from aitestrunner._plain import plain
from matchex import MISSING

__all__ = ["as_chat", "own_part", "result_message", "sendable", "user_message"]

_FIELDS: Final = ("role", "content", "name", "tool_calls", "tool_call_id")


def user_message(value: Any) -> dict[str, Any]:
    """An input as a message of the user: a text as it is, anything else as JSON."""
    return {
        "role": "user",
        "content": value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False),
    }


def result_message(call_id: str, text: str) -> dict[str, Any]:
    """The result of a tool as a message."""
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def as_chat(messages: Sequence[Message], first_call: int) -> list[dict[str, Any]]:
    """Messages of any provider as chat messages, results of tools behind the calls that they answer.

    Args:
        messages: The messages, normalised.
        first_call: The number of the first call that has no id and is given one.
    """
    found: list[dict[str, Any]] = []
    number = first_call
    for message in messages:
        if message.role == "tool":  # stands behind its call by now
            continue
        content = None if message.content is MISSING else plain(message.content)
        chat: dict[str, Any] = {"role": message.role, "content": content, **message.extra}
        found.append(chat)
        for call in message.tools:
            call_id = call.id or f"call_{number}"
            number += 1
            chat.setdefault("tool_calls", []).append(_call(call, call_id))
            if call.result is not MISSING:
                text = call.result if isinstance(call.result, str) else json.dumps(plain(call.result))
                found.append(result_message(call_id, text))
    return found


def _call(call: ToolCall, call_id: str) -> dict[str, Any]:
    arguments: Any = {} if call.args is MISSING else call.args
    text = arguments if isinstance(arguments, str) else json.dumps(plain(arguments), ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": str(call.name), "arguments": text}}


def sendable(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages with the fields that every service takes: some refuse their own further ones when they come back."""
    return [{name: value for name, value in message.items() if name in _FIELDS} for message in messages]


def own_part(answered: Sequence[Message], sent: Sequence[Message], before: Sequence[Message]) -> list[Message] | None:
    """The messages of this turn, where an executor returned the whole conversation; None where only the new ones.

    Args:
        answered: What it returned.
        sent: What it was given.
        before: The part of it that belongs to earlier turns.
    """
    told, given = _spoken(answered), _spoken(sent)
    whole = bool(given) and [message.role for message in told[: len(given)]] == [message.role for message in given]
    return told[len(_spoken(before)) :] if whole else None


def _spoken(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.role not in ("system", "developer", "tool")]
