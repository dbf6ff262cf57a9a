"""The workflow of approval.fixture.yaml."""

from typing import Any

from aitestrunner.graph import Graph, GraphExecutor, Node


def prepare(memory: dict[str, Any]) -> str:
    """Write a draft."""
    if not memory["goal"]:
        raise ValueError("there is nothing to publish")
    return f"draft of: {memory['goal']}"


flow = GraphExecutor(
    Graph(
        [Node("prepare", prepare), Node("review", interrupt="Publish the draft?"), Node("finalize")],
        [("prepare", "review"), ("review", "finalize")],
    )
)
