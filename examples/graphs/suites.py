"""Three suites about three workflows: what must hold, whatever library the graphs are built with."""

from collections.abc import Mapping
from typing import Any

from aitestrunner.graph import EvalCase, EvalSuite

FETCHED = {"orders": [7, 9]}
COMPLETED = {"type": "status_equals", "expected": "completed"}


def visited(node_id: str) -> dict[str, Any]:
    """An assertion: the run entered that node."""
    return {"type": "node_visited", "node_id": node_id}


def suites(graphs: Mapping[str, Any]) -> list[EvalSuite]:
    """The suites for the graphs `linear`, `supervisor` and `approval`."""
    return [
        EvalSuite(
            name="linear completion",
            cases=[
                EvalCase(
                    name="fetches, then transforms",
                    graph=graphs["linear"],
                    input={"goal": "list the late orders", "max_token_budget": 0},
                    assertions=[
                        COMPLETED,
                        visited("fetch"),
                        visited("transform"),
                        {"type": "memory_not_empty", "key": "transform_result"},
                        {
                            "type": "memory_matches",
                            "key": "fetch_result",
                            "mode": "exact",
                            "expected": {"orders": [7, 9]},
                        },
                        {"type": "token_budget_respected"},
                    ],
                )
            ],
        ),
        EvalSuite(
            name="supervisor routing",
            cases=[
                EvalCase(
                    name=f"sends {topic} to {worker}",
                    graph=graphs["supervisor"],
                    input={"goal": f"answer a question about {topic}", "topic": topic},
                    assertions=[
                        COMPLETED,
                        {"type": "memory_matches", "key": f"{worker}_result", "mode": "contains", "expected": topic},
                        {"type": "state_expect", "expect": {"visited_nodes": {"$eq": ["supervisor", worker, "reply"]}}},
                    ],
                )
                for topic, worker in [("refunds", "billing"), ("passwords", "support")]
            ],
        ),
        EvalSuite(
            name="approval gate",
            cases=[
                EvalCase(
                    name="waits for a person",
                    graph=graphs["approval"],
                    input={"goal": "publish the notes"},
                    assertions=[
                        {"type": "status_equals", "expected": "waiting"},
                        visited("prepare"),
                        visited("review"),
                        {"type": "state_expect", "expect": {"visited_nodes": {"$none": {"$eq": "finalize"}}}},
                        {"type": "memory_matches", "key": "prepare_result", "mode": "regex", "pattern": "^draft of"},
                        {
                            "type": "state_expect",
                            "expect": {"interrupts": [{"node": "review", "value": "Publish the draft?"}]},
                        },
                    ],
                )
            ],
        ),
    ]
