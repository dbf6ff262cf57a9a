"""The same workflows as graphs of LangGraph."""

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    """What the graphs remember."""

    goal: str
    topic: str
    max_token_budget: int
    fetch_result: dict[str, Any]
    transform_result: str
    supervisor_result: str
    billing_result: str
    support_result: str
    reply_result: str
    prepare_result: str
    review_result: str
    finalize_result: str


def linear() -> Any:
    """Fetches, then transforms."""
    builder = StateGraph(State)
    builder.add_node("fetch", lambda state: {"fetch_result": {"orders": [7, 9]}})
    builder.add_node("transform", lambda state: {"transform_result": f"late: {state['fetch_result']['orders']}"})
    builder.add_edge(START, "fetch")
    builder.add_edge("fetch", "transform")
    builder.add_edge("transform", END)
    return builder.compile()


def supervisor() -> Any:
    """Sends a question to the worker that knows the answer."""
    builder = StateGraph(State)
    chosen = {"refunds": "billing"}
    builder.add_node("supervisor", lambda state: {"supervisor_result": chosen.get(state["topic"], "support")})
    builder.add_node("billing", lambda state: {"billing_result": f"about {state['topic']}: five days"})
    builder.add_node("support", lambda state: {"support_result": f"about {state['topic']}: reset it"})
    builder.add_node("reply", lambda state: {"reply_result": "sent"})
    builder.add_edge(START, "supervisor")
    builder.add_conditional_edges("supervisor", lambda state: state["supervisor_result"], ["billing", "support"])
    builder.add_edge("billing", "reply")
    builder.add_edge("support", "reply")
    builder.add_edge("reply", END)
    return builder.compile()


def approval() -> Any:
    """Prepares a draft, and asks before it is published."""
    builder = StateGraph(State)
    builder.add_node("prepare", lambda state: {"prepare_result": f"draft of: {state['goal']}"})
    builder.add_node("review", lambda state: {"review_result": interrupt("Publish the draft?")})
    builder.add_node("finalize", lambda state: {"finalize_result": "published"})
    builder.add_edge(START, "prepare")
    builder.add_edge("prepare", "review")
    builder.add_edge("review", "finalize")
    builder.add_edge("finalize", END)
    return builder.compile()


def graphs() -> dict[str, Any]:
    """The three graphs, by name."""
    return {"linear": linear(), "supervisor": supervisor(), "approval": approval()}
