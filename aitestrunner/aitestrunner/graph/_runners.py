"""The one link to what is tested: the runner protocol, and which runner fits a graph."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Collection, Mapping
from typing import Any, Protocol, cast, runtime_checkable

from aitestrunner._errors import ExecutorError
from aitestrunner.graph._calls import call
from aitestrunner.graph._python_graph import Graph, PythonGraphRunner
from aitestrunner.graph._state import WorkflowState, budget_of

__all__ = ["FunctionRunner", "GraphRunner", "nodes_of", "runner_for"]


@runtime_checkable
class GraphRunner(Protocol):
    """Anything with this method can run graphs.

    A runner that has a method `node_ids(graph)` too, giving the ids of the graph's nodes, lets `node_visited` refuse
    ids that no node has.

    Example:
        >>> from aitestrunner.graph import GraphRunner, WorkflowState
        >>> class Instant:
        ...     async def run(self, graph, input, *, timeout):
        ...         return WorkflowState(status="completed", memory=input)
        >>> isinstance(Instant(), GraphRunner)
        True
    """

    async def run(self, graph: Any, input: Any, *, timeout: float | None) -> WorkflowState:
        """Run a graph once.

        Args:
            graph: The graph of the case.
            input: Its input, a copy that the run may do with what it likes.
            timeout: Seconds that the run may take.

        Returns:
            The state reached. A run that fails or takes too long ends in a state too, with its `error`; what is raised
            means that there is no state, and is an error of the case.
        """
        ...


class FunctionRunner:
    """Runs a function of the input, `async` or not, as a graph without nodes.

    The function returns a `WorkflowState`, a mapping (the memory), or any value (kept in the memory as `result`). Where
    it raises, the state is `failed`; where it takes too long, `timeout`; the memory is then the input as the function
    left it.

    Example:
        >>> import asyncio
        >>> from aitestrunner.graph import FunctionRunner
        >>> run = FunctionRunner().run(lambda given: {"total": sum(given["n"])}, {"n": [1, 2]}, timeout=5)
        >>> asyncio.run(run).memory
        {'total': 3}
    """

    async def run(self, graph: Any, input: Any, *, timeout: float | None) -> WorkflowState:
        """Call the function once; see `GraphRunner.run`."""
        started, budget = time.perf_counter(), budget_of(input)
        limit = asyncio.timeout(timeout)
        try:
            async with limit:
                state = _as_state(await call(graph, input))
        except Exception as error:
            if limit.expired():
                state = _unfinished(input, "timeout", f"timed out after {timeout:g} s")
            else:
                state = _unfinished(input, "failed", f"{type(error).__name__}: {error}")
        state.max_token_budget = budget if state.max_token_budget is None else state.max_token_budget
        state.duration_ms = (time.perf_counter() - started) * 1000 if state.duration_ms is None else state.duration_ms
        return state


def _as_state(answer: Any) -> WorkflowState:
    if isinstance(answer, WorkflowState):
        return copy.copy(answer)
    if isinstance(answer, Mapping):
        return WorkflowState(status="completed", memory=dict(cast("Mapping[str, Any]", answer)))
    return WorkflowState(status="completed", memory={} if answer is None else {"result": answer})


def _unfinished(given: Any, status: str, error: str) -> WorkflowState:
    # A function that runs on in its thread goes on writing into what it was given.
    memory = copy.deepcopy(cast("dict[str, Any]", given)) if isinstance(given, dict) else {}
    return WorkflowState(status=status, memory=memory, error=error)


def runner_for(graph: Any) -> GraphRunner:
    """The runner that fits a graph.

    Raises:
        ExecutorError: None does.
    """
    if isinstance(graph, Graph):
        return PythonGraphRunner()
    if any(kind.__module__.startswith("langgraph.") for kind in type(graph).__mro__):
        from aitestrunner.graph._langgraph import LangGraphRunner

        return LangGraphRunner()
    if callable(graph) and not isinstance(graph, type):
        return FunctionRunner()
    raise ExecutorError(
        f"nothing runs a graph like {graph!r:.80}; give a `Graph`, a LangGraph graph, a function of the input, or name "
        "a `runner` that runs it"
    )


def nodes_of(runner: GraphRunner, graph: Any) -> Collection[str] | None:
    """The ids of a graph's nodes, where its runner knows them.

    Raises:
        ExecutorError: The runner cannot read the graph.
    """
    node_ids = getattr(runner, "node_ids", None)
    if not callable(node_ids):
        return None
    try:
        return set(cast("Collection[str]", node_ids(graph)))
    except Exception as error:
        name = type(runner).__name__
        raise ExecutorError(
            f"{name} cannot read a graph like {graph!r:.80}: {type(error).__name__}: {error}"
        ) from error
