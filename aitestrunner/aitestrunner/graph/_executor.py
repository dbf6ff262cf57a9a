"""A graph as an executor, so that fixture files with `driver: graph` can run it."""

from __future__ import annotations

import copy
from typing import Any, Final

from aitestrunner._executors import AIExecutionContext, AIExecutionResult
from aitestrunner.graph._runners import GraphRunner, runner_for

__all__ = ["GraphExecutor"]

_TOLD_OTHERWISE: Final = ("messages", "tools", "cost")
"""Fields of a state that a result has anyway."""


class GraphExecutor:
    """Answers cases with the state that a graph ends in: its memory is the output, its other fields stand beside it.

    Args:
        graph: A `Graph`, a LangGraph graph, a function of the input, or whatever the runner takes.
        runner: What runs it; by default what fits.
        timeout: Seconds that a run may take.

    Raises:
        ExecutorError: Nothing runs such a graph.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> from aitestrunner.graph import Graph, GraphExecutor, Node
        >>> flow = GraphExecutor(Graph([Node("greet", lambda memory: f"Hello, {memory['name']}!")]))
        >>> case = {
        ...     "driver": "graph",
        ...     "input": {"name": "Ann"},
        ...     "assertions": [{"type": "status_equals", "expected": "completed"}],
        ...     "output": {"greet_result": "Ann"},
        ... }
        >>> AITestRunner(flow).run_sync("flow", [case]).passed
        True
    """

    def __init__(self, graph: Any, *, runner: GraphRunner | None = None, timeout: float = 60.0) -> None:
        self._graph = graph
        self._runner = runner or runner_for(graph)
        self._timeout = timeout

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        """Run the graph on the input of a case.

        Args:
            context: The case.

        Returns:
            The state: `status`, `memory`, `visited_nodes`, `steps` and so on, with the memory as `output` too.
        """
        given: Any = {} if context.input is None else copy.deepcopy(context.input)
        state = await self._runner.run(self._graph, given, timeout=self._timeout)
        used = state.total_tokens_used
        return AIExecutionResult(
            state.memory,
            messages=state.messages,
            usage=None if used is None else {"total_tokens": used},
            cost=state.cost,
            **{name: value for name, value in state.fields().items() if name not in _TOLD_OTHERWISE},
        )
