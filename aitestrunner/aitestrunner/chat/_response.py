"""What a chat client gives back: a response, and the sums of all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from aitestrunner._errors import ExecutionError
from aitestrunner.chat._errors import InvalidResponseError
from aitestrunner.executors._completions import result_of_completion

__all__ = ["ChatResponse", "ChatStatistics", "response_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatResponse:
    """One response.

    Args:
        text: What the model says; empty where it only calls tools.
        tool_calls: The tools that it calls, as OpenAI writes them.
        message: The message as it stands in the history.
        model: The model that answered.
        finish_reason: Why it ended.
        reasoning: The thoughts of a reasoning model.
        usage: `prompt_tokens`, `completion_tokens` and `total_tokens`.
        cost: What it cost, by the prices of the model; 0 where it has none.
        from_cache: Whether it was given before, and nothing was asked now.

    Example:
        >>> from aitestrunner.chat import ChatClient
        >>> response = ChatClient("mock-model").complete("2 + 2? <echo>It is 4</echo>")
        >>> response.text, response.finish_reason, response.usage["completion_tokens"]
        ('It is 4', 'stop', 1)
    """

    text: str
    message: Mapping[str, Any]
    model: str
    finish_reason: str | None = None
    reasoning: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict[str, int])
    cost: float = 0.0
    from_cache: bool = False

    @property
    def tool_calls(self) -> Sequence[Mapping[str, Any]]:
        """The tools that it calls, as OpenAI writes them.

        Example:
            >>> from aitestrunner.chat import ChatClient
            >>> response = ChatClient("mock-model").complete('<echo-tool>{"name": "search"}</echo-tool>')
            >>> response.tool_calls[0]["function"]
            {'name': 'search', 'arguments': '{}'}
        """
        return self.message.get("tool_calls", [])


@dataclass(frozen=True, slots=True)
class ChatStatistics:
    """What a session used since it began, or since `reset_statistics`.

    Args:
        completions: Responses of the model, streamed or not.
        cached_responses: Responses out of the cache; they use and cost nothing.
        prompt_tokens: What was read, the history at each turn.
        completion_tokens: What was written.
        cost: What all of it cost.

    Example:
        >>> from aitestrunner.chat import ChatClient
        >>> client = ChatClient("mock-model")
        >>> _ = client.complete("2 + 2? <echo>It is 4</echo>")
        >>> client.statistics.completions, client.statistics.total_tokens
        (1, 8)
    """

    completions: int = 0
    cached_responses: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def total_tokens(self) -> int:
        """What was read and written.

        Example:
            >>> from aitestrunner.chat import ChatStatistics
            >>> ChatStatistics(prompt_tokens=5, completion_tokens=2).total_tokens
            7
        """
        return self.prompt_tokens + self.completion_tokens

    def plus(self, response: ChatResponse) -> ChatStatistics:
        """The sums with one more response.

        Example:
            >>> from aitestrunner.chat import ChatClient, ChatStatistics
            >>> ChatStatistics().plus(ChatClient("mock-model").complete("hi")).completions
            1
        """
        if response.from_cache:
            return dataclasses.replace(self, cached_responses=self.cached_responses + 1)
        return ChatStatistics(
            self.completions + 1,
            self.cached_responses,
            self.prompt_tokens + response.usage.get("prompt_tokens", 0),
            self.completion_tokens + response.usage.get("completion_tokens", 0),
            self.cost + response.cost,
        )


def response_of(completion: Any, model: str, cost: float | None) -> ChatResponse:
    """A chat completion as a response.

    Raises:
        InvalidResponseError: It is none.
    """
    try:
        result = result_of_completion(completion, [])
    except ExecutionError as error:
        raise InvalidResponseError(str(error)) from None
    meta = cast("Mapping[str, Any]", result.meta or {})
    (message,) = cast("Sequence[Mapping[str, Any]]", result.messages)
    kept = {name: message[name] for name in ("role", "content", "refusal", "tool_calls") if name in message}
    text = result.output if isinstance(result.output, str) else ""
    return ChatResponse(
        text=text,
        message={"role": "assistant", "content": text, **kept},
        model=str(meta.get("model") or model),
        finish_reason=meta.get("finishReason"),
        reasoning=meta.get("reasoning"),
        usage=cast("Mapping[str, int]", result.usage or {}),
        cost=cost or 0.0,
    )
