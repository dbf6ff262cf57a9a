"""Conversations: a case with several turns, or with tools that answer. It is one execution with one result.

An executor is asked for each turn, and again for each round of tool calls, with the conversation so far in its `args`:
`messages` is all of it, in the shape of OpenAI's chat, the newest message of the user or the results of tools last;
`history` (at the beginning of a turn) is what was before the newest message. What it returns as `messages` may be the
whole conversation or the new part of it; where it returns none, its output is the new message.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from aitestrunner._chat import as_chat, own_part, result_message, sendable, user_message
from aitestrunner._errors import ExecutionError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, Execute
from aitestrunner._merge import with_defaults
from aitestrunner._messages import Message, MessageAdapter, ToolCall, normalize_messages
from aitestrunner._plain import plain
from aitestrunner._rendering import final_variables, rendered
from aitestrunner._settings import Settings
from aitestrunner._tool_results import AnswerTool
from aitestrunner._turns import Turn, turns_of
from aitestrunner._variables import input_fields
from matchex import MISSING

__all__ = ["Conversing"]


@dataclass(slots=True)
class _Turn:
    """What became of one turn."""

    input: Any
    result: AIExecutionResult
    usage: dict[str, Any] = field(default_factory=dict[str, Any])
    cost: float | None = None
    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def to_dict(self) -> dict[str, Any]:
        """The turn as expectations and later turns see it."""
        fields = {
            "input": self.input,
            "output": self.result.output,
            "messages": self.messages,
            "meta": self.result.meta,
            "usage": self.usage or None,
            "cost": self.cost,
            **self.result.extra,
        }
        return {key: value for key, value in fields.items() if value is not None or key == "output"}


class Conversing:
    """Leads a conversation with an executor.

    Args:
        execute: The executor.
        settings: What holds for the case: its turns, and how often the executor is asked in one of them.
        answer_tool: Answers calls of tools; None where the executor does that itself.
        adapter: Reads messages of a shape that is not built in.
    """

    def __init__(
        self, execute: Execute, settings: Settings, answer_tool: AnswerTool | None, adapter: MessageAdapter | None
    ) -> None:
        self._execute = execute
        self._turns = turns_of(settings)
        self._answer_tool = answer_tool
        self._max_rounds = settings.max_rounds
        self._adapter = adapter

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        """Lead it to its end.

        Raises:
            ExecutionError: What the executor raised, or of kind `tool`, `rounds` or `template`; it names the turn.
        """
        if self._turns is None:
            turn = await self._turn(context, [], None)
            return AIExecutionResult(
                **{**turn.result.fields(), **_given(messages=turn.messages, usage=turn.usage or None, cost=turn.cost)}
            )
        done: list[_Turn] = []
        conversation: list[dict[str, Any]] = []
        for number, asked in enumerate(self._turns):
            try:
                turn = await self._turn(_context_of(context, asked, done), conversation, number)
            except ExecutionError as error:
                raise ExecutionError(error.kind, f"turn {number}: {error}") from error
            done.append(turn)
            conversation = [*conversation, *turn.messages]
        last = done[-1].result
        return AIExecutionResult(
            last.output,
            messages=conversation,
            meta=last.meta,
            usage=_sum_of_usage(turn.usage for turn in done) or None,
            cost=_sum_of_costs([turn.cost for turn in done]),
            **{**last.extra, "turns": [turn.to_dict() for turn in done]},
        )

    async def _turn(self, context: AIExecutionContext, before: list[dict[str, Any]], number: int | None) -> _Turn:
        """One turn: the executor is asked until it calls no more tools."""
        given = context.args.get("messages") if number is None else None
        opening = (
            list(cast("list[dict[str, Any]]", given)) if isinstance(given, list) else [user_message(context.input)]
        )
        messages = opening
        usage: dict[str, Any] = {}
        costs: list[float | None] = []
        for asked in range(self._max_rounds):
            args = {**context.args, "messages": sendable([*before, *messages])}
            if asked == 0 and not isinstance(given, list):
                args["history"] = sendable(before)
            result = await self._execute(dataclasses.replace(context, args=args))
            usage = _sum_of_usage([usage, _mapping(plain(result.usage))])
            costs.append(result.cost)
            messages = self._continued(before, messages, result)
            calls = _open_calls(messages)
            if not calls or self._answer_tool is None:
                return _Turn(context.input, result, usage, _sum_of_costs(costs), messages)
            for call in calls:
                text = await self._answer_tool(call, context.args)
                messages = [*messages, result_message(cast("str", call.id), text)]
        raise ExecutionError("rounds", f"after {self._max_rounds} rounds it still calls tools (`maxRounds`)")

    def _continued(
        self, before: list[dict[str, Any]], messages: list[dict[str, Any]], result: AIExecutionResult
    ) -> list[dict[str, Any]]:
        """The messages of a turn with what the executor added."""
        if result.messages is None:
            return [*messages, {"role": "assistant", "content": plain(result.output)}]
        try:
            answered = normalize_messages(result.messages, self._adapter)
        except Exception as error:
            raise ExecutionError("messages", f"the executor's messages cannot be read: {error}") from error
        sent = normalize_messages([*before, *messages])
        own = own_part(answered, sent, normalize_messages(before))
        first_call = len(before) + len(messages)
        if own is None:
            return [*messages, *as_chat(_without_system(answered), first_call)]
        return as_chat(own, first_call)


def _without_system(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.role not in ("system", "developer")]


def _context_of(context: AIExecutionContext, asked: Turn, done: Sequence[_Turn]) -> AIExecutionContext:
    """The context of a turn: its input, its variables, and what the turns before it said."""
    said = final_variables({"turns": [turn.to_dict() for turn in done]})
    known = {**final_variables(context.args), **asked.variables, **said}
    own = MISSING if asked.input is MISSING else rendered(asked.input, known)
    value = with_defaults(own, context.args.get("input"))
    args = {**context.args, **input_fields(value)}
    args |= {name: rendered(variable, known) for name, variable in asked.variables.items()}
    return dataclasses.replace(context, args={**args, "input": value})


def _open_calls(messages: Sequence[Mapping[str, Any]]) -> list[ToolCall]:
    """The calls of the newest message of the assistant that have no result."""
    normalized = normalize_messages(messages)
    last = next((message for message in reversed(normalized) if message.role != "tool"), None)
    return [call for call in last.tools if call.result is MISSING] if last is not None else []


def _sum_of_usage(usages: Any) -> dict[str, Any]:
    """Counts added up, those inside mappings too; of anything else the newest value."""
    total: dict[str, Any] = {}
    for usage in usages:
        for name, value in usage.items():
            old = total.get(name)
            if isinstance(value, Mapping):
                total[name] = _sum_of_usage([_mapping(old), _mapping(value)])
            elif _is_number(value) and _is_number(old):
                total[name] = cast("float", old) + value
            elif value is not None:
                total[name] = value
    return total


def _sum_of_costs(costs: Sequence[Any]) -> float | None:
    """What everything cost; None where one of the costs is not known."""
    return sum(costs) if costs and all(map(_is_number, costs)) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _mapping(value: Any) -> dict[str, Any]:
    return dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else {}


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
