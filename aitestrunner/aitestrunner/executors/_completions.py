"""A chat completion of an OpenAI-compatible provider as the result of a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from aitestrunner._errors import ExecutionError
from aitestrunner._executors import AIExecutionResult

__all__ = ["result_of_completion"]


def result_of_completion(
    completion: Any, messages: Sequence[Mapping[str, Any]], *, cost: float | None = None
) -> AIExecutionResult:
    """The result: the text as output, the conversation with the new message, usage, model and finish reason.

    Args:
        completion: The JSON of the response.
        messages: What was sent.
        cost: What it cost, where that is known.

    Raises:
        ExecutionError: It is no chat completion.
    """
    fields = _mapping(completion)
    choices = fields.get("choices")
    choice = _mapping(cast("list[Any]", choices)[0]) if isinstance(choices, list) and choices else {}
    message = _mapping(choice.get("message"))
    if not message:
        raise ExecutionError("answer", f"the response is no chat completion: {completion!r:.200}")
    message = {"role": "assistant", **{name: value for name, value in message.items() if value is not None}}
    meta = {
        "model": fields.get("model"),
        "finishReason": choice.get("finish_reason"),
        "reasoning": message.get("reasoning_content"),
    }
    return AIExecutionResult(
        message.get("content", message.get("refusal")),
        messages=[*messages, message],
        meta={name: value for name, value in meta.items() if value is not None},
        usage=_mapping(fields.get("usage")) or None,
        cost=cost,
    )


def _mapping(value: Any) -> dict[str, Any]:
    return dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else {}
