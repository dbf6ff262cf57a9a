"""Replies in the shape that OpenAI's chat completions have: whole, or as the chunks of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aitestrunner.mock._echo import count_tokens, joined_text, pieces_of
from aitestrunner.mock._replies import MockReply

__all__ = ["Answering"]


@dataclass(frozen=True, slots=True)
class Answering:
    """A request with its number and the reply that was chosen for it."""

    number: int
    request: Mapping[str, Any]
    reply: MockReply

    def whole(self) -> dict[str, Any]:
        """The reply as one `chat.completion`."""
        message: dict[str, Any] = {"role": "assistant", "content": self.reply.text}
        if self.reply.reasoning is not None:
            message["reasoning_content"] = self.reply.reasoning
        if self.reply.tool_calls:
            message["tool_calls"] = self._tool_calls()
        choices = [
            {"index": index, "message": dict(message), "logprobs": None, "finish_reason": self._finish_reason()}
            for index in range(self._wanted_choices())
        ]
        return {**self._head("chat.completion"), "choices": choices, "usage": self.usage()}

    def chunks(self, piece_size: int) -> Iterator[dict[str, Any]]:
        """The reply as `chat.completion.chunk`s: role, reasoning, text, calls, finish reason, usage."""
        for choice in range(self._wanted_choices()):
            for chunk in self._chunks_of_choice(piece_size):
                chunk["choices"][0]["index"] = choice
                yield chunk
        if self._wants_usage():
            yield {**self._head("chat.completion.chunk"), "choices": [], "usage": self.usage()}

    def _chunks_of_choice(self, piece_size: int) -> Iterator[dict[str, Any]]:
        yield self._chunk({"role": "assistant", "content": ""})
        for piece in pieces_of(self.reply.reasoning or "", piece_size):
            yield self._chunk({"reasoning_content": piece})
        for piece in pieces_of(self.reply.text or "", piece_size):
            yield self._chunk({"content": piece})
        for index, call in enumerate(self._tool_calls()):
            function = call["function"]
            opened = {**call, "index": index, "function": {"name": function["name"], "arguments": ""}}
            yield self._chunk({"tool_calls": [opened]})
            for piece in pieces_of(function["arguments"], piece_size):
                yield self._chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        yield self._chunk({}, self._finish_reason())

    def usage(self) -> dict[str, int]:
        """Tokens: a quarter of the bytes of all messages, and of the reply, each rounded down; then added.

        Where a request wants several choices (`n`), the reply counts for each of them.
        """
        counted = {
            "prompt_tokens": count_tokens(joined_text(self.request["messages"])),
            "completion_tokens": count_tokens(self.reply.text or "") * self._wanted_choices(),
            **(self.reply.usage or {}),
        }
        return {**counted, "total_tokens": counted["prompt_tokens"] + counted["completion_tokens"]}

    def _head(self, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self.number:016x}",
            "object": kind,
            "created": 0,
            "model": self.request.get("model", "mock-model"),
            "system_fingerprint": None,
        }

    def _chunk(self, delta: Mapping[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._head("chat.completion.chunk"), "choices": [choice]}

    def _finish_reason(self) -> str:
        return self.reply.finish_reason or ("tool_calls" if self.reply.tool_calls else "stop")

    def _wanted_choices(self) -> int:
        wanted = self.request.get("n")
        return wanted if isinstance(wanted, int) and wanted > 0 else 1

    def _wants_usage(self) -> bool:
        options = self.request.get("stream_options")
        return isinstance(options, Mapping) and options.get("include_usage") is True  # pyright: ignore[reportUnknownMemberType]

    def _tool_calls(self) -> list[dict[str, Any]]:
        return [self._tool_call(index, call) for index, call in enumerate(self.reply.tool_calls)]

    def _tool_call(self, index: int, call: Mapping[str, Any]) -> dict[str, Any]:
        arguments = call.get("args", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        call_id = call.get("id", f"call_{self.number}_{index}")
        return {"id": call_id, "type": "function", "function": {"name": call["name"], "arguments": text}}
