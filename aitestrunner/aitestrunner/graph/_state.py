"""The state that a run of a graph ends in: all that assertions look at."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from aitestrunner._assertions import STATUSES, check_status
from aitestrunner._messages import MessageAdapter, calls_of, normalize_messages

__all__ = ["STATUSES", "WorkflowState", "budget_of"]


@dataclass(slots=True, kw_only=True)
class WorkflowState:
    """What a run of a graph has come to, whether it completed or not. Expectations see its fields by these names.

    Args:
        status: `completed`, `failed`, `waiting`, `timeout`, … (see `STATUSES`).
        memory: What the graph remembers: a mapping of names to any values.
        visited_nodes: The ids of the nodes entered, in order, repeats kept.
        total_tokens_used: Tokens, or None where nothing is known about them.
        max_token_budget: Tokens that were allowed; None or 0 is no budget.
        cost: What the run cost, in a unit of your choice.
        error: Why the run did not complete.
        interrupts: What a waiting run asks for, one entry per question.
        messages: The conversation, in any provider's shape.
        duration_ms: Milliseconds from beginning to end.
        extra: Further fields, which can be asserted too.

    Raises:
        ValueError: There is no such status.

    Example:
        >>> from aitestrunner.graph import WorkflowState
        >>> WorkflowState(status="completed", visited_nodes=["plan", "act"]).fields()["steps"]
        2
    """

    status: str
    memory: Any = field(default_factory=dict[str, Any])
    visited_nodes: Sequence[str] = ()
    total_tokens_used: float | None = None
    max_token_budget: float | None = None
    cost: float | None = None
    error: str | None = None
    interrupts: Sequence[Any] = ()
    messages: Sequence[Any] | None = None
    duration_ms: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        check_status(self.status)

    def fields(self, adapter: MessageAdapter | None = None) -> dict[str, Any]:
        """The state as expectations see it: only fields that are there, `steps`, messages normalised, calls in `tools`.

        Args:
            adapter: Reads messages of a shape that is not built in.

        Raises:
            TypeError: A message cannot be read.

        Example:
            >>> from aitestrunner.graph import WorkflowState
            >>> sorted(WorkflowState(status="failed", error="no route").fields())
            ['error', 'interrupts', 'memory', 'status', 'steps', 'visited_nodes']
        """
        given = {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)}
        found = {
            name: value for name, value in given.items() if value is not None and name not in ("extra", "messages")
        }
        found["visited_nodes"], found["interrupts"] = list(self.visited_nodes), list(self.interrupts)
        found["steps"] = len(self.visited_nodes)
        if self.messages is not None:
            messages = normalize_messages(self.messages, adapter)
            found["messages"] = [message.to_dict() for message in messages]
            found["tools"] = [call.to_dict() for call in calls_of(messages)]
        return {**self.extra, **found}

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> WorkflowState:
        """A state from a mapping with the fields above; further ones become `extra`.

        Raises:
            ValueError: There is no status, or an unknown one.

        Example:
            >>> from aitestrunner.graph import WorkflowState
            >>> WorkflowState.of({"status": "completed", "memory": {"n": 1}, "region": "eu"}).extra
            {'region': 'eu'}
        """
        names = {entry.name for entry in dataclasses.fields(cls)} - {"extra"}
        known = {name: value for name, value in fields.items() if name in names}
        if "status" not in known:
            raise ValueError(f"a state has a `status`, one of {', '.join(STATUSES)}")
        return cls(**known, extra={name: value for name, value in fields.items() if name not in names})


def budget_of(given: Any) -> float | None:
    """The token budget that an input names under `max_token_budget`, or None.

    Raises:
        ValueError: It is no number of tokens, and would silently limit nothing.
    """
    if not isinstance(given, Mapping):
        return None
    budget: Any = cast("Mapping[str, Any]", given).get("max_token_budget")
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, (int, float)) or not math.isfinite(budget):
        raise ValueError(f"`max_token_budget` is a number of tokens (0: no limit); got {budget!r:.80}")
    return budget
