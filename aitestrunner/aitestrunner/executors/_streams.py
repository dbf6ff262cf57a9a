"""The chunks of a streamed chat completion, put together again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from aitestrunner._errors import ExecutionError

__all__ = ["Assembly"]


class Assembly:
    """Collects chunks.

    Args:
        limit: How many characters of text and arguments are collected at most.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._length = 0
        self._head: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish_reason: str | None = None

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Take one chunk in.

        Raises:
            ExecutionError: The whole grows too long, or the service reports an error in the stream.
        """
        if chunk.get("error"):
            raise ExecutionError("status", f"the service ended the stream with an error: {chunk['error']!r:.300}")
        for name in ("id", "model", "usage"):
            if chunk.get(name) is not None:
                self._head[name] = chunk[name]
        for choice in chunk.get("choices") or ():
            if choice.get("index", 0) == 0:
                self._finish_reason = choice.get("finish_reason") or self._finish_reason
                self._add_delta(choice.get("delta") or {})

    def completion(self) -> dict[str, Any]:
        """The completion that the chunks make.

        Raises:
            ExecutionError: The stream ended before the answer did.
        """
        if self._finish_reason is None:
            raise ExecutionError("connection", "the stream ended before the answer did")
        message: dict[str, Any] = {"role": "assistant", "content": None}
        message |= {name: text for name, pieces in self._texts.items() if (text := "".join(pieces)) or not self._calls}
        if self._calls:
            message["tool_calls"] = [self._call(self._calls[index]) for index in sorted(self._calls)]
        return {**self._head, "choices": [{"index": 0, "message": message, "finish_reason": self._finish_reason}]}

    def _add_delta(self, delta: Mapping[str, Any]) -> None:
        for name in ("content", "reasoning_content", "refusal"):
            if isinstance(delta.get(name), str):
                self._texts.setdefault(name, []).append(self._measured(delta[name]))
        for piece in delta.get("tool_calls") or ():
            call = self._calls.setdefault(piece.get("index", 0), {"id": None, "name": None, "arguments": []})
            function = cast("Mapping[str, Any]", piece.get("function") or {})
            call["id"] = piece.get("id") or call["id"]
            call["name"] = function.get("name") or call["name"]
            call["arguments"].append(self._measured(function.get("arguments") or ""))

    def _call(self, call: Mapping[str, Any]) -> dict[str, Any]:
        function = {"name": call["name"], "arguments": "".join(call["arguments"])}
        return {"id": call["id"], "type": "function", "function": function}

    def _measured(self, piece: str) -> str:
        self._length += len(piece)
        if self._length > self._limit:
            raise ExecutionError("limit", f"the answer is longer than {self._limit} characters (the option `maxBytes`)")
        return piece
