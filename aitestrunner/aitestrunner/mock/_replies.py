"""A reply of the mock as data: what it says, which tools it calls, how slowly, and what goes wrong with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from matchex.plugin import nearest

from aitestrunner.mock._faults import FAULT_KINDS, MockFault

__all__ = ["MockReply", "read_reply", "reply_problems"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MockReply:
    """One reply. In scripts the same keys are written in camelCase.

    Args:
        text: What it says; None where it only calls tools.
        echoes: The text is not given: it is what the echo tag of the request says, or the default reply.
        tool_calls: Tools to call: mappings with `name`, `args` and, if it matters, `id`.
        reasoning: What a reasoning model tells of its thoughts.
        finish_reason: Why it ended; by default `tool_calls` where there are calls, else `stop`.
        usage: Token counts that replace the counted ones: `prompt_tokens`, `completion_tokens`.
        delay: Seconds before the reply.
        piece_size: UTF-8 bytes of a piece when streaming; the provider's where None.
        piece_delay: Seconds after each piece when streaming; the provider's where None.
        error: What goes wrong.
        times: For how many requests the reply serves before the next one of its rule takes over.

    Example:
        >>> from aitestrunner.mock import MockProvider
        >>> rule = {"reply": {"toolCalls": [{"name": "search", "args": {"query": "weather"}}]}}
        >>> MockProvider([rule]).reply([{"role": "user", "content": "Will it rain?"}]).tool_calls[0]["name"]
        'search'
    """

    text: str | None = None
    echoes: bool = False
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    reasoning: str | None = None
    finish_reason: str | None = None
    usage: Mapping[str, int] | None = None
    delay: float = 0.0
    piece_size: int | None = None
    piece_delay: float | None = None
    error: MockFault | None = None
    times: int = 1

    def to_dict(self) -> dict[str, Any]:
        """The reply as plain data; what is not there is left out."""
        found: dict[str, Any] = {
            "text": self.text,
            "toolCalls": [dict(call) for call in self.tool_calls] or None,
            "reasoning": self.reasoning,
            "finishReason": self.finish_reason,
            "usage": dict(self.usage) if self.usage else None,
            "delay": self.delay or None,
            "error": (self.error.status or self.error.kind) if self.error else None,
        }
        return {key: value for key, value in found.items() if value is not None}


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _seconds(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _counts(value: Any) -> bool:
    """Usage: whole numbers by the provider's names."""
    if not isinstance(value, dict):
        return False
    fields = cast("dict[Any, Any]", value)
    return all(key in ("prompt_tokens", "completion_tokens") and (_count(n) or n == 0) for key, n in fields.items())


def _calls(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    for call in cast("list[Any]", value):
        if not isinstance(call, dict):
            return False
        fields = cast("dict[str, Any]", call)
        if not fields.keys() <= {"name", "args", "id"} or not isinstance(fields.get("name"), str):
            return False
        if not isinstance(fields.get("args", {}), (dict, str)) or not isinstance(fields.get("id", ""), str):
            return False
    return True


_ERROR_KEYS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "kind": (f"one of {', '.join(FAULT_KINDS)}", lambda value: value in FAULT_KINDS),
    "status": ("a number from 400 to 599", lambda value: _count(value) and 400 <= value <= 599),
    "message": ("a text", _text),
    "type": ("a text", _text),
    "code": ("a text", _text),
    "retryAfter": ("seconds", _seconds),
    "after": ("a number of pieces", lambda value: value == 0 or _count(value)),
}
_KEYS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "text": ("a text or null", lambda value: value is None or _text(value)),
    "toolCalls": ("a list of {name: …, args: …}", _calls),
    "reasoning": ("a text", _text),
    "finishReason": ("a text", _text),
    "usage": ("{prompt_tokens: n, completion_tokens: n}", _counts),
    "delay": ("seconds", _seconds),
    "pieceSize": ("a number of bytes, at least 1", _count),
    "pieceDelay": ("seconds", _seconds),
    "error": (
        f"a status (429), {', '.join(FAULT_KINDS[1:])}, or a mapping with status or kind",
        lambda value: isinstance(value, (int, str, dict)),
    ),
    "times": ("a number of requests, at least 1", _count),
}


def reply_problems(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What is wrong with a reply as it was written: the place in it, and what to write instead."""
    if isinstance(value, str):
        return
    if not isinstance(value, dict):
        yield (), f"a reply is a text, or a mapping with {', '.join(_KEYS)}; got {value!r:.60}"
        return
    fields = cast("dict[Any, Any]", value)
    yield from _problems(fields, _KEYS, "reply")
    error = fields.get("error")
    if isinstance(error, dict):
        named = cast("dict[Any, Any]", error)
        yield from (((("error"), *place), message) for place, message in _problems(named, _ERROR_KEYS, "error"))
        if ("status" in named) == ("kind" in named and named["kind"] != "status"):
            yield ("error",), "an error has either a `status` or a `kind` (reset, cut, invalidJson)"
    elif isinstance(error, str) and error not in FAULT_KINDS[1:]:
        yield ("error",), f"an error is a status (429) or one of {', '.join(FAULT_KINDS[1:])}; got {error!r:.60}"
    elif "error" in fields and isinstance(error, int) and not _ERROR_KEYS["status"][1](error):
        yield ("error",), f"the status of an error is {_ERROR_KEYS['status'][0]}; got {error!r}"


def _problems(
    fields: Mapping[Any, Any], known: Mapping[str, tuple[str, Callable[[Any], bool]]], what: str
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for key, value in fields.items():
        if key not in known:
            guess = nearest(str(key), list(known))
            hint = f"; did you mean `{guess}`?" if guess else f"; known are {', '.join(known)}"
            yield (str(key),), f"unknown key `{key}` in a {what}{hint}"
        elif not known[key][1](value):
            yield (key,), f"`{key}` takes {known[key][0]}; got {value!r:.60}"


def read_reply(value: Any) -> MockReply:
    """A reply as it was written, which has no problems."""
    if isinstance(value, str):
        return MockReply(text=value)
    fields = cast("dict[str, Any]", value)
    calls = tuple(cast("list[Mapping[str, Any]]", fields.get("toolCalls", [])))
    return MockReply(
        text=fields.get("text"),
        echoes="text" not in fields and not calls,
        tool_calls=calls,
        reasoning=fields.get("reasoning"),
        finish_reason=fields.get("finishReason"),
        usage=fields.get("usage"),
        delay=float(fields.get("delay", 0)),
        piece_size=fields.get("pieceSize"),
        piece_delay=fields.get("pieceDelay"),
        error=_fault(fields["error"]) if "error" in fields else None,
        times=fields.get("times", 1),
    )


def _fault(error: Any) -> MockFault:
    if isinstance(error, int):
        return MockFault("status", status=error)
    if isinstance(error, str):
        return MockFault(error)
    fields = dict(cast("dict[str, Any]", error))
    kind = fields.pop("kind", "status")
    retry_after = fields.pop("retryAfter", None)
    return MockFault(kind, retry_after=retry_after, **fields)
