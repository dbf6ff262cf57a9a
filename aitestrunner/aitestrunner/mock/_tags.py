"""Control tags: what a message can ask of the mock besides the text of the reply, without a script.

They count in the newest message of the user only, so that an old turn in a history does not fail, wait or call a tool
again; and a call of a tool is made until its result stands behind that message.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aitestrunner.mock._echo import tagged, text_of
from aitestrunner.mock._faults import MockFault
from aitestrunner.mock._replies import MockReply, read_reply, reply_problems

__all__ = ["with_tags"]

_TAGS: Final = {
    "echo-tool": "toolCalls",
    "echo-reasoning": "reasoning",
    "echo-finish": "finishReason",
    "echo-delay": "delay",
    "echo-error": "error",
}
_ANY: Final = re.compile("<echo-", re.IGNORECASE | re.ASCII)


def with_tags(reply: MockReply, messages: Sequence[Mapping[str, Any]]) -> MockReply:
    """A reply with what the control tags of the newest user message add to it.

    Raises:
        MockFault: A tag holds what it cannot hold; a refused request with the reason.
    """
    newest = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].get("role") == "user"), None)
    if newest is None:
        return reply
    text = text_of(messages[newest].get("content"))
    if _ANY.search(text) is None:
        return reply
    answered = any(message.get("role") == "tool" for message in messages[newest:])
    asked = {key: _value(tag, found) for tag, key in _TAGS.items() if (found := tagged(text, tag)) is not None}
    if answered:
        asked.pop("toolCalls", None)
    problem = next(reply_problems(asked), None)
    if problem is not None:
        raise _refused(problem[1])
    wanted = read_reply(asked)
    changes = {field.name: getattr(wanted, field.name) for field in dataclasses.fields(MockReply)}
    given = {name: value for name, value in changes.items() if value and name not in ("echoes", "times")}
    return dataclasses.replace(reply, **given, echoes=reply.echoes and "toolCalls" not in asked)


def _value(tag: str, found: str) -> Any:
    if tag in ("echo-reasoning", "echo-finish"):
        return found
    if tag == "echo-error" and not found.startswith(("{", "[")) and not found.isdigit():
        return found
    try:
        value = json.loads(found)
    except ValueError as error:
        raise _refused(f"the tag <{tag}> holds JSON: {error}") from None
    return [value] if tag == "echo-tool" and isinstance(value, dict) else value


def _refused(message: str) -> MockFault:
    return MockFault("status", status=400, message=f"the mock cannot read the request: {message}")
