"""The workflows as graphs of Python functions."""

from typing import Any

from aitestrunner.graph import Graph, Node


def graphs() -> dict[str, Any]:
    """The three graphs, by name."""
    return {
        "linear": Graph(
            [
                Node("fetch", lambda memory: {"orders": [7, 9]}),
                Node("transform", lambda memory: f"late: {memory['fetch_result']['orders']}"),
            ],
            [("fetch", "transform")],
        ),
        "supervisor": Graph(
            [
                Node("supervisor", lambda memory: "billing" if memory["topic"] == "refunds" else "support"),
                Node("billing", lambda memory: f"about {memory['topic']}: five days"),
                Node("support", lambda memory: f"about {memory['topic']}: reset it"),
                Node("reply", lambda memory: "sent"),
            ],
            [
                ("supervisor", "billing", {"supervisor_result": {"$eq": "billing"}}),
                ("supervisor", "support"),
                ("billing", "reply"),
                ("support", "reply"),
            ],
        ),
        "approval": Graph(
            [
                Node("prepare", lambda memory: f"draft of: {memory['goal']}"),
                Node("review", interrupt="Publish the draft?"),
                Node("finalize", lambda memory: "published"),
            ],
            [("prepare", "review"), ("review", "finalize")],
        ),
    }
