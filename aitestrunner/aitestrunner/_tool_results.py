"""What the tools of a case answer: `toolResults`, a mapping by tool or a function."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, cast

from matchex.plugin import describe_error, nearest

from aitestrunner._errors import ExecutionError
from aitestrunner._messages import ToolCall
from aitestrunner._plain import plain
from aitestrunner._references import CodeError, load_reference
from aitestrunner._rendering import final_variables, rendered
from matchex import MISSING

__all__ = ["AnswerTool", "load_tool_results"]

AnswerTool = Callable[[ToolCall, Mapping[str, Any]], Awaitable[str]]
"""Answers a call of a tool with the text that the model is given; it may use the variables of the case."""


def load_tool_results(results: Any, *, base_dir: str | Path | None, inside: str | Path | None) -> AnswerTool:
    """`toolResults` as a function.

    Args:
        results: A mapping of tools to what they answer (a value, whose texts are templates, or in Python a function of
            the arguments), or a function of the name and the arguments, or a reference to one.
        base_dir: What a relative reference is relative to.
        inside: The folder that referenced code must lie in, where a fixture file names it.

    Raises:
        CodeError: The reference leads nowhere, or to something that cannot be called.
    """
    if isinstance(results, str):
        function = load_reference(results, base_dir, inside=inside)
        if not callable(function):
            raise CodeError(
                f"`toolResults` is a mapping by tool, or a function (name, args); {results} is {function!r:.80}"
            )
        return _by_function(function)
    if callable(results):
        return _by_function(results)
    return _by_table(cast("Mapping[str, Any]", results))


def _by_function(function: Callable[..., Any]) -> AnswerTool:
    async def answer(call: ToolCall, _: Mapping[str, Any]) -> str:
        return await _called(call, function, call.name, _arguments(call))

    return answer


def _by_table(table: Mapping[str, Any]) -> AnswerTool:
    async def answer(call: ToolCall, variables: Mapping[str, Any]) -> str:
        if call.name not in table:
            guess = nearest(str(call.name), list(table))
            hint = f"; did it mean {guess!r}?" if guess else f"; there are results for {', '.join(map(repr, table))}"
            raise ExecutionError(
                "tool", f"the tool {call.name!r} was called, and `toolResults` has nothing for it{hint}"
            )
        value = table[call.name]
        if callable(value):
            return await _called(call, value, _arguments(call))
        return _as_text(rendered(value, final_variables(variables)))

    return answer


async def _called(call: ToolCall, function: Callable[..., Any], *arguments: Any) -> str:
    try:
        value = function(*arguments)
        if inspect.isawaitable(value):
            value = await value
    except Exception as error:
        raise ExecutionError(
            "tool", f"the function that answers the tool {call.name!r} raised {describe_error(error)}"
        ) from error
    return _as_text(value)


def _arguments(call: ToolCall) -> Any:
    return {} if call.args is MISSING else call.args


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
