"""What can be set for a session or for one request, and what each setting takes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict, cast

from matchex.plugin import nearest

from aitestrunner.chat._errors import InvalidRequestError

__all__ = ["ChatSettings", "checked"]


class ChatSettings(TypedDict, total=False):
    """Settings of a session, or of one request, where they replace those of the session.

    `temperature` is from 0 to 2, `max_tokens` at least 1, `top_p` from 0 to 1, the penalties from -2 to 2, `stop` a
    text or a list of them; `tools` are mappings with `name`, `description` and `parameters`, or as OpenAI has them.

    Example:
        >>> from aitestrunner.chat import ChatClient
        >>> client = ChatClient("mock-model", temperature=0.5)
        >>> client.complete("hi", temperature=2.5)
        Traceback (most recent call last):
        aitestrunner.chat._errors.InvalidRequestError: `temperature` is a number from 0 to 2; got 2.5
    """

    temperature: float
    max_tokens: int
    top_p: float
    frequency_penalty: float
    presence_penalty: float
    stop: str | Sequence[str]
    seed: int
    tools: Sequence[Mapping[str, Any]]
    tool_choice: str | Mapping[str, Any]
    response_format: Mapping[str, Any]


def checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of settings, with the tools as OpenAI writes them.

    Raises:
        InvalidRequestError: One is unknown, or has a value that it cannot have.
    """
    for name, value in settings.items():
        if name not in _SETTINGS:
            guess = nearest(name, list(_SETTINGS))
            hint = f"; did you mean `{guess}`?" if guess else f"; known are {', '.join(_SETTINGS)}"
            raise InvalidRequestError(f"unknown setting `{name}`{hint}")
        takes, holds_for = _SETTINGS[name]
        if not holds_for(value):
            raise InvalidRequestError(f"`{name}` is {takes}; got {value!r:.80}")
    found = {name: copy.deepcopy(value) for name, value in settings.items()}
    if "tools" in found:
        found["tools"] = [
            tool if "function" in tool else {"type": "function", "function": tool} for tool in found["tools"]
        ]
    return found


def _between(low: float, high: float) -> Callable[[Any], bool]:
    def holds_for(value: Any) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high

    return holds_for


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value >= 1


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _are_texts(value: Any) -> bool:
    return isinstance(value, str) or _is_list_of(value, lambda item: isinstance(item, str))


def _are_tools(value: Any) -> bool:
    return _is_list_of(value, lambda item: isinstance(item, Mapping) and ("function" in item or "name" in item))


def _is_list_of(value: Any, holds_for: Callable[[Any], bool]) -> bool:
    return isinstance(value, (list, tuple)) and all(map(holds_for, cast("Sequence[Any]", value)))


_SETTINGS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "temperature": ("a number from 0 to 2", _between(0, 2)),
    "max_tokens": ("a whole number, at least 1", _is_count),
    "top_p": ("a number from 0 to 1", _between(0, 1)),
    "frequency_penalty": ("a number from -2 to 2", _between(-2, 2)),
    "presence_penalty": ("a number from -2 to 2", _between(-2, 2)),
    "stop": ("a text or a list of texts", _are_texts),
    "seed": ("a whole number", _is_whole),
    "tools": ("a list of mappings with a `name` or a `function`", _are_tools),
    "tool_choice": ("a text or a mapping", lambda value: isinstance(value, (str, Mapping))),
    "response_format": ("a mapping", _is_mapping),
}
