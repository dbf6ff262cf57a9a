"""Messages of any provider as `Message` and `ToolCall`, so that one expectation fits them all.

Understood are our own shape (`tools: [{name, args, result}]`), OpenAI's chat (`tool_calls`, and messages of role
`tool`) and Anthropic's (`tool_use` and `tool_result` blocks); anything else through an adapter given to the runner.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from matchex import MISSING

__all__ = ["Message", "MessageAdapter", "ToolCall", "calls_of", "normalize_messages"]

_ASSISTANT: Final = frozenset({"assistant", "ai", "model"})


@dataclass(slots=True)
class ToolCall:
    """A tool that the assistant called.

    Args:
        name: The tool.
        args: Its arguments: a mapping; the text itself where the provider sent text that is no JSON.
        result: What it answered, when a later message says so.
        id: The provider's id of the call.

    Example:
        >>> from aitestrunner import ToolCall
        >>> ToolCall("search", {"query": "weather"}).to_dict()
        {'name': 'search', 'args': {'query': 'weather'}}
    """

    name: Any
    args: Any = MISSING
    result: Any = MISSING
    id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_dict(self) -> dict[str, Any]:
        """The call as expectations see it: fields that are not there are left out."""
        fields = {"id": self.id, "name": self.name, "args": self.args, "result": self.result, **self.extra}
        return {
            key: value for key, value in fields.items() if value is not MISSING and (key != "id" or value is not None)
        }


@dataclass(slots=True)
class Message:
    """One message of a conversation.

    Args:
        role: `system`, `user`, `assistant` or `tool`; other names stay as they are.
        content: Its text; a list of parts where they are not all text.
        tools: The calls it makes, in order.
        extra: Further fields of the provider, which can be asserted too.

    Example:
        >>> from aitestrunner import Message, ToolCall
        >>> Message("assistant", "One moment.", [ToolCall("search", {})]).to_dict()["tools"]
        [{'name': 'search', 'args': {}}]
    """

    role: str
    content: Any = MISSING
    tools: Sequence[ToolCall] = ()
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_dict(self) -> dict[str, Any]:
        """The message as expectations see it: fields that are not there are left out."""
        fields: dict[str, Any] = {"role": self.role}
        if self.content is not MISSING:
            fields["content"] = self.content
        if self.tools:
            fields["tools"] = [call.to_dict() for call in self.tools]
        return {**fields, **self.extra}


MessageAdapter = Callable[[Any], "Message | Mapping[str, Any] | None"]
"""Turns one message of a provider into a `Message` (or our own shape), or answers None to leave it to the built-in."""


def normalize_messages(messages: Iterable[Any], adapter: MessageAdapter | None = None) -> list[Message]:
    """Messages of a provider as `Message`s, with the results of tool calls joined to the calls by id.

    Messages that do nothing but carry results of calls stay in the list, as role `tool`.

    Args:
        messages: Mappings, or objects of a provider's library.
        adapter: Asked first for each message.

    Raises:
        TypeError: A message is neither.

    Example:
        >>> from aitestrunner import normalize_messages
        >>> function = {"name": "search", "arguments": '{"query": "weather"}'}
        >>> chat = [
        ...     {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": function}]},
        ...     {"role": "tool", "tool_call_id": "1", "content": "sunny"},
        ... ]
        >>> normalize_messages(chat)[0].tools[0].to_dict()
        {'id': '1', 'name': 'search', 'args': {'query': 'weather'}, 'result': 'sunny'}
    """
    result: list[Message] = []
    calls: dict[str, ToolCall] = {}
    for raw in messages:
        message, answers = _read(raw, adapter)
        result.append(message)
        calls.update({call.id: call for call in message.tools if call.id is not None})
        for call_id, answer in answers:
            if call_id in calls and calls[call_id].result is MISSING:
                calls[call_id].result = answer
    return result


def calls_of(messages: Iterable[Message]) -> list[ToolCall]:
    """The calls that the assistant made, in order."""
    return [call for message in messages if message.role in _ASSISTANT for call in message.tools]


_Answers = list[tuple[str, Any]]  # results of calls that a message brings, by the id of the call


def _read(raw: Any, adapter: MessageAdapter | None) -> tuple[Message, _Answers]:
    adapted = adapter(raw) if adapter else None
    if isinstance(adapted, Message):
        return adapted, []
    fields = _as_fields(raw if adapted is None else adapted)
    if fields is None:
        raise TypeError(f"a message is a mapping or an object with fields, got {raw!r:.200}")
    if isinstance(raw, Message):
        return dataclasses.replace(raw, tools=[dataclasses.replace(call) for call in raw.tools]), []
    role = str(fields.get("role", "assistant"))
    content, calls, answers = fields.get("content", MISSING), _own_calls(fields.get("tools")), _Answers()
    for call in _sequence(fields.get("tool_calls")):
        calls.append(_openai_call(_as_fields(call) or {}))
    if role == "tool" and isinstance(fields.get("tool_call_id"), str):
        answers.append((cast("str", fields["tool_call_id"]), content))
    elif isinstance(content, (list, tuple)):
        content, role = _anthropic_blocks(cast("Sequence[Any]", content), role, calls, answers)
    known = ("role", "content", "tools", "tool_calls")
    extra = {key: value for key, value in fields.items() if key not in known and value is not None}
    if "tools" in fields and not isinstance(fields["tools"], (list, tuple)):
        extra["tools"] = fields["tools"]  # none of our shape: kept for the expectation to see
    return Message(role, content, calls, extra), answers


def _own_calls(tools: Any) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for tool in _sequence(tools):
        fields = _as_fields(tool)
        if fields is None:
            calls.append(ToolCall(tool))
            continue
        extra = {key: value for key, value in fields.items() if key not in ("id", "name", "args", "result")}
        calls.append(
            ToolCall(
                fields.get("name", MISSING),
                _arguments(fields.get("args", MISSING)),
                fields.get("result", MISSING),
                fields.get("id"),
                extra,
            )
        )
    return calls


def _openai_call(fields: Mapping[str, Any]) -> ToolCall:
    function = _as_fields(fields.get("function")) or fields
    return ToolCall(function.get("name"), _arguments(function.get("arguments", {})), id=fields.get("id"))


def _anthropic_blocks(blocks: Sequence[Any], role: str, calls: list[ToolCall], answers: _Answers) -> tuple[Any, str]:
    """Take calls and results out of content blocks; what is left is the content: one text if it is all text."""
    texts: list[str] = []
    rest: list[Any] = []
    carried = len(answers)
    for block in blocks:
        fields = _as_fields(block) or {}
        kind = fields.get("type")
        if kind == "tool_use":
            calls.append(ToolCall(fields.get("name"), _arguments(fields.get("input", {})), id=fields.get("id")))
        elif kind == "tool_result" and isinstance(fields.get("tool_use_id"), str):
            answers.append((cast("str", fields["tool_use_id"]), _text_of(fields.get("content", MISSING))))
        else:
            rest.append(block)
            if kind == "text" and isinstance(fields.get("text"), str):
                texts.append(cast("str", fields["text"]))
    if not rest and len(answers) > carried:
        return answers[-1][1] if len(answers) == carried + 1 else [answer for _, answer in answers[carried:]], "tool"
    if not rest:
        return (MISSING if blocks else []), role
    return ("\n".join(texts) if len(texts) == len(rest) else rest), role


def _text_of(content: Any) -> Any:
    """The content of a tool's result: one text if it is all text blocks."""
    parts = [_as_fields(part) or {} for part in _sequence(content)]
    if parts and all(part.get("type") == "text" for part in parts):
        return "\n".join(str(part.get("text", "")) for part in parts)
    return content


def _arguments(arguments: Any) -> Any:
    """Arguments as data; text that is no JSON stays text, so that a check of them fails and quotes it."""
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _sequence(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else ()


def _as_fields(value: Any) -> Mapping[str, Any] | None:
    """A message or part of one as a mapping: objects of providers' libraries are pydantic models or dataclasses."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return cast("Mapping[str, Any]", dump())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: getattr(value, entry.name) for entry in dataclasses.fields(value)}
    return None
