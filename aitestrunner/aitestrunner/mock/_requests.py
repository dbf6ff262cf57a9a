"""Requests for chat completions, checked as the real service checks them: with its codes, and the parameter by name."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, cast

from aitestrunner.mock._faults import refused

__all__ = ["check_chat_request"]

_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
_NUMBERS: Final = {
    "temperature": (0, 2),
    "top_p": (0, 1),
    "presence_penalty": (-2, 2),
    "frequency_penalty": (-2, 2),
}
_COUNTS: Final = {"n": 128, "max_tokens": math.inf, "max_completion_tokens": math.inf}


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _stop(value: Any) -> bool:
    stops: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    return len(stops) <= 4 and all(isinstance(stop, str) for stop in stops)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_OTHERS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "stream": ("true or false", _flag),
    "stream_options": ("an object", _object),
    "response_format": ("an object with a `type`", lambda value: _object(value) and isinstance(value.get("type"), str)),
    "seed": ("a whole number", _whole),
    "stop": ("a text or at most 4 of them", _stop),
    "tools": ("a list of {type: function, function: {name: …}}", lambda value: isinstance(value, list)),
}


def check_chat_request(request: Mapping[str, Any]) -> None:
    """Check a request; a parameter that is null counts as left out.

    Raises:
        MockFault: The real service would refuse it.
    """
    if not isinstance(request.get("model"), str) or not request["model"]:
        raise refused("you must provide a `model`", "missing_required_parameter", "model")
    _check_messages(request.get("messages"))
    for name, (low, high) in _NUMBERS.items():
        _check_number(name, request.get(name), low, high)
    for name, most in _COUNTS.items():
        value = request.get(name)
        if value is not None and not (_whole(value) and 1 <= value <= most):
            upper = "" if most == math.inf else f" to {most}"
            raise refused(
                f"`{name}` is a whole number from 1{upper or ' up'}; got {value!r:.60}", "invalid_value", name
            )
    for name, (wanted, holds) in _OTHERS.items():
        value = request.get(name)
        if value is not None and not holds(value):
            raise refused(f"`{name}` is {wanted}; got {value!r:.60}", "invalid_type", name)
    if request.get("stream_options") is not None and not request.get("stream"):
        raise refused("`stream_options` go with `stream: true` only", "invalid_value", "stream_options")
    for index, tool in enumerate(cast("list[Any]", request.get("tools") or [])):
        _check_tool(f"tools[{index}]", tool)
    if request.get("tool_choice") is not None and not request.get("tools"):
        raise refused("`tool_choice` goes with `tools` only", "invalid_value", "tool_choice")


def _check_number(name: str, value: Any, low: float, high: float) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:  # the last: NaN
        raise refused(f"`{name}` is a number from {low} to {high}; got {value!r:.60}", "invalid_type", name)
    if not low <= value <= high:
        code = f"decimal_{'above_max' if value > high else 'below_min'}_value"
        raise refused(f"`{name}` is a number from {low} to {high}; got {value!r:.60}", code, name)


def _check_tool(where: str, tool: Any) -> None:
    fields = cast("dict[str, Any]", tool) if isinstance(tool, dict) else {}
    kind = fields.get("type")
    if kind not in ("function", "custom"):
        raise refused(f"`{where}.type` is function or custom; got {kind!r:.60}", "invalid_value", f"{where}.type")
    definition: Any = fields.get(kind)
    if not isinstance(definition, dict) or not isinstance(cast("dict[str, Any]", definition).get("name"), str):
        raise refused(f"`{where}.{kind}` needs a `name`", "missing_required_parameter", f"{where}.{kind}.name")


def _check_messages(messages: Any) -> None:
    if messages is None:
        raise refused("`messages` is missing: a list of at least one message", "missing_required_parameter", "messages")
    if not isinstance(messages, list):
        raise refused("`messages` is a list of at least one message", "invalid_type", "messages")
    if not messages:
        raise refused("`messages` is a list of at least one message", "empty_array", "messages")
    checked = cast("list[Any]", messages)
    for index, message in enumerate(checked):
        _check_message(f"messages[{index}]", message)
    _check_tool_results(checked)


def _check_message(where: str, message: Any) -> None:
    if not isinstance(message, dict):
        raise refused(f"`{where}` is no object", "invalid_type", where)
    fields = cast("dict[str, Any]", message)
    if "role" not in fields:
        raise refused(
            f"`{where}.role` is missing: one of {', '.join(_ROLES)}", "missing_required_parameter", f"{where}.role"
        )
    if fields["role"] not in _ROLES:
        raise refused(
            f"`{where}.role` is one of {', '.join(_ROLES)}; got {fields['role']!r:.60}",
            "invalid_value",
            f"{where}.role",
        )
    content = fields.get("content")
    if not (content is None or isinstance(content, (str, list))):
        raise refused(f"`{where}.content` is a text or a list of parts", "invalid_type", f"{where}.content")
    if content is None and fields["role"] in ("system", "developer", "user"):
        raise refused(f"`{where}.content` is missing: a text or a list of parts", "invalid_type", f"{where}.content")
    if not isinstance(fields.get("name", ""), str):
        raise refused(f"`{where}.name` is a text, or left out", "invalid_type", f"{where}.name")
    if fields["role"] == "tool" and not isinstance(fields.get("tool_call_id"), str):
        raise refused(
            f"`{where}` is the result of a tool and needs `tool_call_id`",
            "missing_required_parameter",
            f"{where}.tool_call_id",
        )


def _check_tool_results(messages: Sequence[Mapping[str, Any]]) -> None:
    """Each call of an assistant is answered before the conversation goes on, and nothing else is answered."""
    open_calls: dict[str, None] = {}  # ordered, and quick to look into
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                given = message["tool_call_id"]
                raise refused(
                    f"`{where}` answers the tool call {given!r:.60}, which the assistant before it does not make",
                    "invalid_value",
                    f"{where}.tool_call_id",
                )
            del open_calls[message["tool_call_id"]]
        elif open_calls:
            raise _unanswered(where, open_calls)
        else:
            open_calls = _calls_of(where, message)
    if open_calls:
        raise _unanswered("messages", open_calls)


def _unanswered(where: str, calls: Collection[str]) -> Exception:
    some = ", ".join(itertools.islice(calls, 5)) + (", …" if len(calls) > 5 else "")
    return refused(
        f"tool calls of the assistant without a message of role `tool` that answers them: {some}",
        "invalid_value",
        where,
    )


def _calls_of(where: str, message: Mapping[str, Any]) -> dict[str, None]:
    calls: Any = message.get("tool_calls") or []
    found: dict[str, None] = {}
    for call in cast("list[Any]", calls if isinstance(calls, list) else [calls]):
        call_id: Any = cast("dict[str, Any]", call).get("id") if isinstance(call, dict) else None
        if not isinstance(call_id, str):
            raise refused(f"`{where}.tool_calls` is a list of calls, each with an `id`", "invalid_type", where)
        found[call_id] = None
    return found
