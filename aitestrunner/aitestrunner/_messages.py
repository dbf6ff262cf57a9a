"""Messages of any provider as `Message` and `ToolCall`, so that one expectation fits them all.

Understood are our own shape (`tools: [{name, args, result}]`) and those of `_wire_calls`; anything else through an
adapter given to the runner. What looks like a call and is not understood is an error: a check that nothing was called
must not pass because nothing was recognised.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from aitestrunner._wire_calls import (
    CALL_LISTS,
    WireAnswer,
    answer_in,
    arguments_of,
    call_in,
    call_of,
    fields_of,
    text_of,
    unread_call,
)
from matchex import MISSING

__all__ = ["Message", "MessageAdapter", "ToolCall", "calls_of", "normalize_messages"]

_OTHERS: Final = frozenset({"user", "human", "system", "developer", "tool", "function"})
"""Roles whose messages make no calls; every other one is the assistant's, whatever it is called."""
_ROLES_BY_TYPE: Final = {"human": "user", "request": "user", "system": "system", "tool": "tool", "function": "function"}
"""Of messages that have a type in place of a role, as LangChain's; others are the assistant's."""
_READ: Final = frozenset({"role", "content", "tools", "parts", "function_call", *CALL_LISTS})
_ITEM: Final = frozenset({"role", "type", "content", "output"})


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
        TypeError: A message is neither, or holds what looks like a tool call in a shape that is not known.

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
    by_id: dict[str, ToolCall] = {}
    by_name: dict[str, deque[ToolCall]] = {}  # those without a result, in their order
    for raw in messages:
        message, answers = _read(raw, adapter)
        result.append(message)
        for call in message.tools:
            if call.id is not None:
                by_id[call.id] = call
            if isinstance(call.name, str):
                by_name.setdefault(call.name, deque()).append(call)
        for answer in answers:
            call = by_id.get(answer.id) if answer.id is not None else _waiting(by_name.get(answer.name or ""))
            if call is not None and call.result is MISSING:
                call.result = answer.value
    return result


def _waiting(calls: deque[ToolCall] | None) -> ToolCall | None:
    """The first of some calls that has no result yet."""
    while calls and calls[0].result is not MISSING:
        calls.popleft()
    return calls[0] if calls else None


def calls_of(messages: Iterable[Message]) -> list[ToolCall]:
    """The calls that the assistant made, in order."""
    return [call for message in messages if message.role.lower() not in _OTHERS for call in message.tools]


def _read(raw: Any, adapter: MessageAdapter | None) -> tuple[Message, list[WireAnswer]]:
    adapted = adapter(raw) if adapter else None
    if isinstance(adapted, Message):
        return adapted, []
    fields = fields_of(raw if adapted is None else adapted)
    if fields is None:
        raise TypeError(f"a message is a mapping or an object with fields, got {raw!r:.200}")
    if isinstance(raw, Message):
        return dataclasses.replace(raw, tools=[dataclasses.replace(call) for call in raw.tools]), []
    fields = _unwrapped(fields)
    if (answer := answer_in(fields)) is not None:
        return Message("tool", answer.value, (), _without(fields, _ITEM)), [answer]
    if _READ.isdisjoint(fields.keys() - {"role"}) and (call := call_in(fields)) is not None:
        return Message(_role_of(fields), MISSING, [ToolCall(*call)]), []
    return _read_message(fields)


def _unwrapped(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message itself, where what was given is a choice of OpenAI's or a candidate of Gemini's around it."""
    for name, inside in (("message", "role"), ("content", "parts")):
        inner = fields_of(fields.get(name))
        if inner is not None and inside in inner and "role" not in fields:
            return inner
    return fields


def _read_message(fields: Mapping[str, Any]) -> tuple[Message, list[WireAnswer]]:
    role = _role_of(fields)
    offers = str(fields.get("type", "")).endswith("list_tools")  # what a server has, not what was called
    calls, answers = [] if offers else _own_calls(fields.get("tools")), list[WireAnswer]()
    for name in CALL_LISTS:
        calls += [ToolCall(*call_of(fields_of(call) or {})) for call in _sequence(fields.get(name))]
    if (function := fields_of(fields.get("function_call"))) is not None:
        calls.append(ToolCall(*call_of(function)))
    content = fields.get("content", MISSING)
    parts = [*_parts_of(content), *_parts_of(fields.get("parts"))]
    if role in ("tool", "function") and (answer := _answer_of(fields, content)) is not None:
        answers.append(answer)
    elif parts:
        content, role = _read_parts(parts, role, calls, answers)
    extra = _without(fields, _READ if _sequence(fields.get("tools")) or "tools" not in fields else _READ - {"tools"})
    unread = unread_call({**extra, **_unreadable(fields)}, _sequence(content))
    if unread is not None:
        raise TypeError(
            f"what looks like a tool call has a shape that is not known: {unread:.200}; "
            f"a `message_adapter` given to the run can read it"
        )
    return Message(role, content, calls, extra), answers


def _role_of(fields: Mapping[str, Any]) -> str:
    role, kind = fields.get("role"), fields.get("type", fields.get("kind"))
    return str(getattr(role, "value", role)) if role is not None else _ROLES_BY_TYPE.get(str(kind), "assistant")


def _parts_of(content: Any) -> Sequence[Any]:
    """The parts of content, also of one call or answer alone; other mappings are content as they are."""
    fields = fields_of(content)
    if fields is None:
        return _sequence(content)
    return [content] if call_in(fields) is not None or answer_in(fields) is not None else ()


def _answer_of(fields: Mapping[str, Any], content: Any) -> WireAnswer | None:
    """What a message of a tool says, with the id of the call or, where there is none, the name of the tool."""
    call_id, name = fields.get("tool_call_id"), fields.get("tool_name", fields.get("name"))
    if isinstance(call_id, str) and call_id:
        return WireAnswer(call_id, None, content)
    return WireAnswer(None, name, content) if isinstance(name, str) else None


def _unreadable(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields that ought to hold calls and hold something else."""
    named = {name: fields[name] for name in CALL_LISTS if fields.get(name) and not _sequence(fields[name])}
    function = fields.get("function_call")
    return {**named, "function_call": function} if function and fields_of(function) is None else named


def _without(fields: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in known and value is not None}


def _own_calls(tools: Any) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for tool in _sequence(tools):
        fields = fields_of(tool)
        if fields is None:
            calls.append(ToolCall(tool))
            continue
        extra = {key: value for key, value in fields.items() if key not in ("id", "name", "args", "result")}
        calls.append(
            ToolCall(
                fields.get("name", MISSING),
                arguments_of(fields.get("args", MISSING)),
                fields.get("result", MISSING),
                fields.get("id"),
                extra,
            )
        )
    return calls


def _read_parts(parts: Sequence[Any], role: str, calls: list[ToolCall], answers: list[WireAnswer]) -> tuple[Any, str]:
    """Take calls and answers out of the parts; what is left is the content: one text if it is all text."""
    rest: list[Any] = []
    found: list[WireAnswer] = []
    before = len(calls)
    for part in parts:
        fields = fields_of(part) or {}
        if (answer := answer_in(fields)) is not None:
            found.append(answer)
        elif (call := call_in(fields)) is not None:
            if call.id is None or all(call.id != known.id for known in calls):  # LangChain tells some twice
                calls.append(ToolCall(*call))
        else:
            rest.append(part)
    answers += found
    if not rest and found and len(calls) == before:
        return found[0].value if len(found) == 1 else [answer.value for answer in found], "tool"
    return text_of(rest) if rest else MISSING, role


def _sequence(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else ()
