"""A small graph of Python functions, for tests and examples: nodes, edges with conditions, interrupts, a step limit."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from matchex.plugin import nearest

import matchex
from aitestrunner._errors import ExecutorError
from aitestrunner.graph._calls import call
from aitestrunner.graph._state import WorkflowState, budget_of

__all__ = ["Edge", "Graph", "Node", "PythonGraphRunner", "Update"]

DEFAULT_STEPS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What a node may return to do more than leave one value behind.

    Args:
        memory: Values by the names under which the graph remembers them.
        tokens: Tokens that the node used.
        cost: What it cost.
        messages: Messages to append to the conversation, in any provider's shape.

    Example:
        >>> from aitestrunner.graph import Update
        >>> Update(memory={"draft": "…"}, tokens=30).tokens
        30
    """

    memory: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tokens: float = 0
    cost: float | None = None
    messages: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One step of a graph.

    Args:
        id: Its name.
        run: A function of (a copy of) the memory, `async` or not. What it returns is remembered under `result`; an
            `Update` says itself what is remembered. Without a function nothing happens.
        interrupt: What a person is asked when the run comes here. The run then waits: the node counts as visited, its
            function and its successors do not run.

    Example:
        >>> from aitestrunner.graph import Node
        >>> Node("search", lambda memory: ["a", "b"]).result
        'search_result'
    """

    id: str
    run: Callable[[dict[str, Any]], Any] | None = None
    interrupt: Any = None

    @property
    def result(self) -> str:
        """The name under which the memory keeps what its function returns."""
        return f"{self.id}_result"


@dataclass(frozen=True, slots=True)
class Edge:
    """The way from one node to another.

    Args:
        source: The id of the node that it leaves.
        target: The id of the node that it leads to.
        when: Its condition: a function of the memory, or a matchex expectation on the memory. None holds always.

    Example:
        >>> from aitestrunner.graph import Edge
        >>> Edge("triage", "refund", {"amount": {"$lt": 50}}).holds({"amount": 20})
        True
    """

    source: str
    target: str
    when: Any = None

    def holds(self, memory: Mapping[str, Any]) -> bool:
        """Whether its condition holds.

        Raises:
            matchex.MatchError: The condition could not be tested.

        Example:
            >>> from aitestrunner.graph import Edge
            >>> Edge("a", "b", lambda memory: memory["n"] > 1).holds({"n": 1})
            False
        """
        if self.when is None:
            return True
        if callable(self.when):
            return bool(self.when(memory))
        return bool(matchex.validate(memory, self.when, templates=False))


class Graph:
    """Nodes and the ways between them. From a node the run takes the first edge whose condition holds.

    Args:
        nodes: The nodes, with different ids.
        edges: The edges: `Edge`s, or tuples of their fields.
        start: The id of the first node, by default that of the first in the list.
        end: The ids of the nodes that end the run, by default those that no edge leaves.
        max_steps: Nodes that a run may enter.

    Raises:
        ExecutorError: Ids that are given twice or belong to no node; a step limit below 1.

    Example:
        >>> from aitestrunner.graph import Graph, Node
        >>> graph = Graph([Node("plan", lambda memory: "3 steps"), Node("act")], [("plan", "act")])
        >>> list(graph.nodes), graph.start, sorted(graph.end)
        (['plan', 'act'], 'plan', ['act'])
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        edges: Sequence[Edge | tuple[Any, ...]] = (),
        *,
        start: str | None = None,
        end: Collection[str] | None = None,
        max_steps: int = DEFAULT_STEPS,
    ) -> None:
        if not nodes:
            raise ExecutorError("a graph has at least one node")
        if max_steps < 1:
            raise ExecutorError(f"`max_steps` is at least 1; got {max_steps}")
        self.nodes = {node.id: node for node in nodes}
        if len(self.nodes) != len(nodes):
            raise ExecutorError(f"two nodes have the same id; the ids are {', '.join(node.id for node in nodes)}")
        self.edges = [edge if isinstance(edge, Edge) else Edge(*edge) for edge in edges]
        self.start = nodes[0].id if start is None else start
        leaving = {edge.source for edge in self.edges}
        self.end = frozenset(set(self.nodes) - leaving if end is None else end)
        self.max_steps = max_steps
        for name in (
            self.start,
            *sorted(self.end),
            *(end for edge in self.edges for end in (edge.source, edge.target)),
        ):
            self._check(name)

    def _check(self, name: str) -> None:
        if name not in self.nodes:
            guess = nearest(name, self.nodes)
            hint = f"; did you mean {guess!r}?" if guess else f"; there are {', '.join(self.nodes)}"
            raise ExecutorError(f"the graph has no node {name!r}{hint}")


class PythonGraphRunner:
    """Runs a `Graph`.

    Example:
        >>> import asyncio
        >>> from aitestrunner.graph import Graph, Node, PythonGraphRunner
        >>> graph = Graph([Node("double", lambda memory: 2 * memory["n"])])
        >>> asyncio.run(PythonGraphRunner().run(graph, {"n": 4}, timeout=5)).memory
        {'n': 4, 'double_result': 8}
    """

    def node_ids(self, graph: Graph) -> Collection[str]:
        """The ids of the graph's nodes."""
        return graph.nodes.keys()

    async def run(self, graph: Graph, input: Any, *, timeout: float | None) -> WorkflowState:
        """Run the graph once; see `GraphRunner.run`."""
        if not isinstance(input, Mapping):
            raise ExecutorError(f"the input of a `Graph` is a mapping, its first memory; got {input!r:.80}")
        memory = dict(cast("Mapping[str, Any]", input))
        state = WorkflowState(status="running", memory=memory, visited_nodes=[], total_tokens_used=0)
        state.max_token_budget = budget_of(memory)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(timeout):
                await _Walk(graph, state).to_its_end()
        except TimeoutError:
            state.status, state.error = "timeout", f"timed out after {timeout:g} s, in node {state.visited_nodes[-1]!r}"
        state.duration_ms = (time.perf_counter() - started) * 1000
        return state


class _Walk:
    """One run, from node to node."""

    def __init__(self, graph: Graph, state: WorkflowState) -> None:
        self._graph = graph
        self._state = state
        self._path = cast("list[str]", state.visited_nodes)

    async def to_its_end(self) -> None:
        node: Node | None = self._graph.nodes[self._graph.start]
        while node is not None and self._state.status == "running":
            node = await self._step(node)

    async def _step(self, node: Node) -> Node | None:
        """Do one node, and find the next."""
        if len(self._path) == self._graph.max_steps:
            return self._fail(f"the limit of {self._graph.max_steps} steps is reached before node {node.id!r}")
        self._path.append(node.id)
        if node.interrupt is not None:
            self._state.status, self._state.interrupts = "waiting", [{"node": node.id, "value": node.interrupt}]
            return None
        try:
            if node.run is not None:
                # A node that runs on in its thread after a timeout must not reach what is judged.
                self._remember(node, await call(node.run, copy.deepcopy(self._state.memory)))
            used, budget = self._state.total_tokens_used or 0, self._state.max_token_budget
            if budget and used > budget:
                return self._fail(f"token budget exceeded in node {node.id!r}: {used:g} used, {budget:g} allowed")
            return self._after(node)
        except TimeoutError as error:  # the node's own; that of the run cancels instead
            return self._fail(f"node {node.id!r} raised {type(error).__name__}: {error}")
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            self._fail(f"node {node.id!r} was cancelled")
            self._state.status = "cancelled"
            return None
        except Exception as error:
            return self._fail(f"node {node.id!r} raised {type(error).__name__}: {error}")

    def _after(self, node: Node) -> Node | None:
        if node.id in self._graph.end:
            self._state.status = "completed"
            return None
        leaving = [edge for edge in self._graph.edges if edge.source == node.id]
        for edge in leaving:
            if edge.holds(self._state.memory):
                return self._graph.nodes[edge.target]
        return self._fail(f"node {node.id!r} is no end, and none of the {len(leaving)} edges that leave it holds")

    def _remember(self, node: Node, answer: Any) -> None:
        state = self._state
        if not isinstance(answer, Update):
            state.memory[node.result] = answer
            return
        state.memory.update(answer.memory)
        state.total_tokens_used = (state.total_tokens_used or 0) + answer.tokens
        if answer.cost is not None:
            state.cost = (state.cost or 0.0) + answer.cost
        if answer.messages:
            state.messages = [*(state.messages or ()), *answer.messages]

    def _fail(self, error: str) -> None:
        self._state.status, self._state.error = "failed", error
