"""Graphs of LangGraph, as they are: nothing in them is replaced or patched, what they do is read from their stream."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, cast

from aitestrunner._errors import ExecutorError
from aitestrunner.graph._state import WorkflowState, budget_of

__all__ = ["LangGraphRunner"]

DEFAULT_STEPS: Final = 50
_HIDDEN: Final = ("__interrupt__",)
_ROLES: Final = {"ai": "assistant", "human": "user"}


class LangGraphRunner:
    """Runs graphs of LangGraph, compiled or not.

    The memory is the graph's state. Nodes count as visited when they begin, in that order; nodes of subgraphs belong
    to the subgraph. A graph that is interrupted is `waiting`. A graph without a checkpointer gets one in memory for the
    run; each run has a thread of its own. Tokens are those of the messages that nodes returned (`usage_metadata`).

    Args:
        recursion_limit: Supersteps that a run may take.
        config: Further configuration of the run, as LangGraph takes it.
        messages_key: The key of the state that holds the conversation.

    Example:
        >>> import asyncio
        >>> from typing import TypedDict
        >>> from langgraph.graph import StateGraph
        >>> from aitestrunner.graph import LangGraphRunner
        >>> builder = StateGraph(TypedDict("State", {"n": int}))
        >>> _ = builder.add_node("double", lambda state: {"n": 2 * state["n"]})
        >>> _ = builder.set_entry_point("double")
        >>> state = asyncio.run(LangGraphRunner().run(builder.compile(), {"n": 4}, timeout=5))
        >>> state.status, state.memory, state.visited_nodes
        ('completed', {'n': 8}, ['double'])
    """

    def __init__(
        self,
        *,
        recursion_limit: int = DEFAULT_STEPS,
        config: Mapping[str, Any] | None = None,
        messages_key: str = "messages",
    ) -> None:
        self._recursion_limit = recursion_limit
        self._config = dict(config or {})
        self._messages_key = messages_key

    def node_ids(self, graph: Any) -> Collection[str]:
        """The ids of the graph's nodes."""
        if not hasattr(graph, "nodes"):
            raise ExecutorError(f"LangGraphRunner runs graphs of LangGraph; got {graph!r:.80}")
        return [name for name in graph.nodes if name != "__start__"]

    async def run(self, graph: Any, input: Any, *, timeout: float | None) -> WorkflowState:
        """Run the graph once; see `GraphRunner.run`."""
        ready = _compiled(graph)
        config: dict[str, Any] = {"recursion_limit": self._recursion_limit, **self._config}
        config["configurable"] = {"thread_id": str(uuid.uuid4()), **config.get("configurable", {})}
        watch = _Watch(input, self._messages_key)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(timeout):
                await watch.follow(ready, input, config)
        except TimeoutError:
            watch.state.status, watch.state.error = "timeout", f"timed out after {timeout:g} s"
        return watch.finish(time.perf_counter() - started)


def _compiled(graph: Any) -> Any:
    """The graph, ready to run and to be asked where it stands."""
    from langgraph.checkpoint.memory import InMemorySaver

    if not hasattr(graph, "astream"):
        return graph.compile(checkpointer=InMemorySaver())
    if graph.checkpointer:
        return graph
    return graph.copy({"checkpointer": InMemorySaver()})


class _Watch:
    """Writes down what a run tells of itself."""

    def __init__(self, given: Any, messages_key: str) -> None:
        budget = budget_of(given)
        self._path: list[str] = []
        self.state = WorkflowState(status="running", visited_nodes=self._path, max_token_budget=budget)
        self._messages_key = messages_key
        self._counted = {_identity(message) for message in _messages_in(given)}

    async def follow(self, graph: Any, given: Any, config: dict[str, Any]) -> None:
        from langgraph.errors import GraphRecursionError

        stream = graph.astream(given, config, stream_mode=["tasks", "values"])
        try:
            async for mode, chunk in stream:
                self._read(mode, chunk)
                if self._is_over_budget():
                    return
            self.state.status = "completed"
            if (await graph.aget_state(config)).next:
                self.state.status = "waiting"
        except GraphRecursionError as error:
            self._fail(str(error).partition("\n")[0])
        except TimeoutError as error:  # a node's own; that of the run cancels instead
            self._fail(self._where(error))
        except Exception as error:
            self._fail(self._where(error))
        finally:
            await stream.aclose()

    def finish(self, seconds: float) -> WorkflowState:
        """The state reached, complete."""
        memory = self.state.memory
        messages: Any = (
            cast("Mapping[str, Any]", memory).get(self._messages_key) if isinstance(memory, Mapping) else None
        )
        if isinstance(messages, list):
            self.state.messages = [_as_message(message) for message in cast("list[Any]", messages)]
        self.state.duration_ms = seconds * 1000
        return self.state

    def _read(self, mode: str, chunk: Any) -> None:
        if mode == "values":
            self.state.memory = _without_hidden(chunk)
            if not self._path:  # the input as the graph took it: its messages may have got their ids only now
                self._counted |= {_identity(message) for message in _messages_in(chunk)}
        elif "input" in chunk:
            self._path.append(chunk["name"])
        else:
            self._count(_messages_in(chunk.get("result")))
            asked = [{"node": chunk["name"], "value": entry["value"]} for entry in chunk.get("interrupts") or ()]
            self.state.interrupts = [*self.state.interrupts, *asked]

    def _count(self, messages: Iterable[Any]) -> None:
        """Add up tokens; a message that is handed on is counted once, one of the input never."""
        for message in messages:
            usage = getattr(message, "usage_metadata", None)
            if not isinstance(usage, Mapping) or _identity(message) in self._counted:
                continue
            self._counted.add(_identity(message))
            tokens = cast("Mapping[str, Any]", usage).get("total_tokens", 0)
            self.state.total_tokens_used = (self.state.total_tokens_used or 0) + tokens

    def _is_over_budget(self) -> bool:
        used, budget = self.state.total_tokens_used or 0, self.state.max_token_budget
        if not budget or used <= budget:
            return False
        self._fail(f"token budget exceeded: {used:g} used, {budget:g} allowed")
        return True

    def _where(self, error: Exception) -> str:
        where = f"node {self._path[-1]!r} raised " if self._path else ""
        return f"{where}{type(error).__name__}: {error}"

    def _fail(self, error: str) -> None:
        self.state.status, self.state.error = "failed", error


def _without_hidden(values: Any) -> Any:
    """The graph's own state; what a functional graph returned is kept as it is."""
    if not isinstance(values, Mapping):
        return values
    return {name: value for name, value in cast("Mapping[str, Any]", values).items() if name not in _HIDDEN}


def _as_message(message: Any) -> Any:
    """A message of LangChain in the runner's own shape; anything else as it is."""
    if not _is_message(message):
        return message
    fields: dict[str, Any] = {"role": _ROLES.get(message.type, message.type), "content": message.content}
    if calls := getattr(message, "tool_calls", None):
        fields["tools"] = [{"id": call["id"], "name": call["name"], "args": call["args"]} for call in calls]
    if (answered := getattr(message, "tool_call_id", None)) is not None:
        fields["tool_call_id"] = answered
    return fields


def _is_message(value: Any) -> bool:
    return hasattr(value, "content") and hasattr(value, "type")


def _identity(message: Any) -> Any:
    return getattr(message, "id", None) or id(message)


def _messages_in(value: Any, depth: int = 4) -> Iterable[Any]:
    """The messages in what a node returned, or in an input: anything with a `type` and `content`."""
    if depth == 0:
        return
    if isinstance(value, Mapping):
        for item in cast("Mapping[Any, Any]", value).values():
            yield from _messages_in(item, depth - 1)
    elif isinstance(value, (list, tuple)):
        for item in cast("list[Any]", value):
            yield from _messages_in(item, depth - 1)
    elif _is_message(value):
        yield value
