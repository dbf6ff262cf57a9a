"""A case as it is sent to the outside world: as JSON, by a template, or as the messages of a chat."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from aitestrunner._errors import ExecutionError
from aitestrunner._executors import AIExecutionContext
from aitestrunner._plain import plain
from aitestrunner._rendering import final_variables
from aitestrunner._rendering import rendered as fill

__all__ = ["case_as_json", "chat_messages", "rendered"]


def case_as_json(context: AIExecutionContext) -> dict[str, Any]:
    """The case as data: what programs read on standard input, and servers as the body."""
    return {
        "id": context.fixture_id,
        "script": context.script,
        "input": plain(context.input),
        "args": plain(context.args),
    }


def rendered(template: Any, context: AIExecutionContext) -> Any:
    """A template with the variables of a case in it. What they hold is final: placeholders in it are plain text.

    Raises:
        ExecutionError: It names something that the case does not have.
    """
    named = {"script": context.script, "id": context.fixture_id}
    return fill(template, final_variables({**context.args, **named}))


def chat_messages(context: AIExecutionContext, *, system: str | None, prompt: str | None) -> list[dict[str, Any]]:
    """The messages of a chat: those that the case gives, or one of the user's.

    Args:
        context: The case. `args["messages"]` are taken as they are; so is an input that is a list of messages. At the
            beginning of a turn a prompt takes the place of its newest message.
        system: The system prompt, a template; it goes before everything.
        prompt: The user's message, a template; without it an input that is a text is the message, any other its JSON.

    Raises:
        ExecutionError: There is nothing to send.
    """
    history: Any = context.args.get("history")
    messages = _given_messages(context)
    if prompt is not None and isinstance(history, list):
        messages = [*cast("list[dict[str, Any]]", history), {"role": "user", "content": rendered(prompt, context)}]
    if messages is None:
        text = rendered(prompt, context) if prompt is not None else _as_text(context.input)
        if text is None:
            raise ExecutionError(
                "input", "there is nothing to send: give the case an `input`, or the executor a prompt"
            )
        messages = [{"role": "user", "content": text}]
    if system is not None:
        messages = [{"role": "system", "content": rendered(system, context)}, *messages]
    return messages


def _given_messages(context: AIExecutionContext) -> list[dict[str, Any]] | None:
    for given in (context.args.get("messages"), context.input):
        if isinstance(given, list) and given and all(_is_message(item) for item in cast("list[Any]", given)):
            return [dict(message) for message in cast("list[Mapping[str, Any]]", given)]
    return None


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(cast("Mapping[str, Any]", value).get("role"), str)


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(plain(value), ensure_ascii=False)
