"""Tool calls, and what tools answered, as providers write them: parts of a message, or messages of their own.

| provider | a call | an answer |
|---|---|---|
| OpenAI chat | `tool_calls: [{id, function: {name, arguments}}]`, `function_call: {…}` | roles `tool`, `function` |
| OpenAI responses | `{type: function_call, call_id, name, arguments}`, `web_search_call` … | `function_call_output` … |
| Anthropic | `{type: tool_use, id, name, input}`, `server_tool_use` … | `{type: tool_result, tool_use_id, content}` |
| Bedrock | `{toolUse: {toolUseId, name, input}}` | `{toolResult: {toolUseId, content}}` |
| Gemini | `{functionCall: {name, args}}` | `{functionResponse: {name, response}}` |
| LangChain | `tool_calls: [{id, name, args}]` | type `tool` with `tool_call_id` |
| Vercel's AI SDK | `{type: tool-call, toolCallId, toolName, input}`, `tool-NAME` … | `{type: tool-result, output}` |
| pydantic-ai | `ToolCallPart` | `ToolReturnPart` |
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from aitestrunner._plain import plain
from matchex import MISSING

__all__ = [
    "CALL_LISTS",
    "WireAnswer",
    "WireCall",
    "answer_in",
    "arguments_of",
    "call_in",
    "call_of",
    "fields_of",
    "text_of",
    "unread_call",
]

CALL_LISTS: Final = ("tool_calls", "toolCalls", "invalid_tool_calls", "toolInvocations")
"""Fields of a message that hold a list of calls."""

_CALLS: Final = ("functionCall", "function_call", "toolUse", "toolCall")
_ANSWERS: Final = ("functionResponse", "function_response", "toolResult")
_NAMES: Final = ("name", "toolName", "tool_name")
_ARGUMENTS: Final = ("arguments", "args", "input", "parameters")
_IDS: Final = ("call_id", "tool_use_id", "tool_call_id", "toolUseId", "toolCallId", "id")
_VALUES: Final = ("content", "output", "result", "response")
_ABOUT: Final = frozenset({"type", "id", "status"})
_KINDS: Final = ("type", "part_kind", "kind")
_LIKE_CALL: Final = re.compile(r"(tool|function)[-_]?(calls?|uses?)", re.IGNORECASE)


class WireCall(NamedTuple):
    """A call as it was found, its fields in the order of a `ToolCall`."""

    name: Any
    args: Any
    result: Any
    id: str | None


class WireAnswer(NamedTuple):
    """What a tool answered; to which call says its id or, where there is none, the name of the tool."""

    id: str | None
    name: str | None
    value: Any


def call_in(part: Mapping[str, Any]) -> WireCall | None:
    """The call that a part of a message is, or a message itself; None where it is something else."""
    kind = _kind(part)
    is_call = kind.endswith(("tool_use", "_call")) or "toolCallId" in part or _inner(part, _CALLS) is not None
    return call_of(part) if is_call else None


def call_of(part: Mapping[str, Any]) -> WireCall:
    """A part that is known to be a call, as an item of `tool_calls` is."""
    fields = _inner(part, ("function", *_CALLS)) or part
    name, args = _first(fields, _NAMES), _first(fields, _ARGUMENTS)
    kind = _kind(part)
    if name is MISSING and kind.startswith("tool_"):  # {type: tool-search, toolCallId, input, output}
        name = str(part["type"])[len("tool-") :]
    if name is MISSING and kind.endswith("_call"):  # a built-in tool: {type: web_search_call, action: {…}}
        name = kind.removesuffix("_call")
        args = {key: value for key, value in fields.items() if key not in _ABOUT} if args is MISSING else args
    call_id = _first({**part, **fields}, _IDS)
    return WireCall(
        None if name is MISSING else name,
        arguments_of({} if args is MISSING else args),
        _first(fields, ("output", "result")),
        call_id if isinstance(call_id, str) and call_id else None,
    )


def answer_in(part: Mapping[str, Any]) -> WireAnswer | None:
    """What a tool answered, where a part of a message, or a message itself, says it."""
    inner = _inner(part, _ANSWERS)
    if inner is None and not _kind(part).endswith(("tool_result", "tool_return", "_call_output")):
        return None
    fields = inner or part
    found, name = _first(fields, _IDS), _first(fields, _NAMES)
    return WireAnswer(
        found if isinstance(found, str) and found else None,
        name if isinstance(name, str) else None,
        text_of(_first(fields, _VALUES)),
    )


def text_of(content: Any) -> Any:
    """Content as one text, if it is all parts of text."""
    parts = cast("Sequence[Any]", content) if isinstance(content, (list, tuple)) else ()
    texts = [text for part in parts if (text := _text_in(part)) is not None]
    return "\n".join(texts) if texts and len(texts) == len(parts) else cast("Any", content)


def _text_in(part: Any) -> str | None:
    fields = fields_of(part) or {}
    is_text = _kind(fields) in ("text", "output_text", "input_text") or list(fields) == ["text"]
    text = fields.get("text")
    return text if is_text and isinstance(text, str) else None


def unread_call(fields: Mapping[str, Any], parts: Iterable[Any]) -> str | None:
    """What looks like a call among further fields of a message, and parts of it, that were not understood."""
    for key, value in fields.items():
        if value and _LIKE_CALL.fullmatch(key):
            return f"{key}: {json.dumps(plain(value), ensure_ascii=False)}"
    for part in parts:
        found = {key: item for key, item in (fields_of(part) or {}).items() if item}
        if _LIKE_CALL.search(_kind(found)) or any(_LIKE_CALL.fullmatch(str(key)) for key in found):
            return json.dumps(plain(found), ensure_ascii=False)
    return None


def arguments_of(arguments: Any) -> Any:
    """Arguments as data; text that is no JSON stays text, so that a check of them fails and quotes it."""
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _kind(part: Mapping[str, Any]) -> str:
    found = _first(part, _KINDS)
    return "" if found is MISSING else str(getattr(found, "value", found)).replace("-", "_")


def _inner(part: Mapping[str, Any], names: Iterable[str]) -> Mapping[str, Any] | None:
    return next((found for name in names if (found := fields_of(part.get(name))) is not None), None)


def _first(fields: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), MISSING)


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """A message or part of one as a mapping: objects of providers' libraries are models, records, or plain objects."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    if value is None or isinstance(value, (str, bytes, int, float, list, tuple, type)):
        return None
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return cast("Mapping[str, Any]", dump())
    if dataclasses.is_dataclass(value):
        return {entry.name: getattr(value, entry.name) for entry in dataclasses.fields(value)}
    own: dict[str, Any] = getattr(value, "__dict__", {})
    return {name: item for name, item in own.items() if not name.startswith("_")} or None
