"""What a model's limits and prices say about a request before it is sent; its tokens are estimated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aitestrunner.chat._errors import InvalidRequestError
from aitestrunner.chat._models import ChatModel
from aitestrunner.mock import count_tokens
from aitestrunner.mock._echo import joined_text

__all__ = ["check_limits", "estimated_cost"]


def check_limits(model: ChatModel, request: Mapping[str, Any]) -> None:
    """Refuse a request that the model has no room for.

    Raises:
        InvalidRequestError: It asks for too much, or is too long.
    """
    output = request.get("max_tokens", 0)
    read = _estimated_tokens(request) if model.limits else 0
    for limit, tokens, what in (
        ("maxOutputTokens", output, "`max_tokens` is"),
        ("maxInputTokens", read, "the messages have about"),
        ("contextWindow", read + output, "the messages and `max_tokens` are together about"),
    ):
        if tokens > model.limits.get(limit, tokens):
            raise InvalidRequestError(f"{what} {tokens}; `{limit}` of {model.name!r} is {model.limits[limit]}")


def estimated_cost(model: ChatModel, request: Mapping[str, Any]) -> float:
    """What the messages of a request will cost about; nothing for a model without prices."""
    return _estimated_tokens(request) * model.prices["input"] / 1_000_000 if model.prices else 0.0


def _estimated_tokens(request: Mapping[str, Any]) -> int:
    return count_tokens(joined_text(request["messages"]))
