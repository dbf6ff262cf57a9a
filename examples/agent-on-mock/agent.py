"""A support agent: it asks a model, runs the tools that the model calls, and goes on until the model has an answer.

The model is the mock, so that the agent itself is what is tested. With a real one, `ask` is the only thing to change.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aitestrunner.mock import MockFault, MockProvider

from aitestrunner import AIExecutionContext, AIExecutionResult, ExecutionError

SCRIPT = Path(__file__).with_name("model.yaml")
MOST_STEPS = 5
ATTEMPTS = 3
ORDERS = {
    "4711": {"status": "shipped", "total": 54.9, "days": 2},
    "4712": {"status": "delivered", "total": 320.0, "days": 40},
}


def look_up_order(order: str) -> dict[str, Any]:
    return ORDERS.get(order, {"error": f"there is no order {order}"})


def refund(order: str, amount: float) -> dict[str, Any]:
    if amount > 100:
        return {"error": "a person has to agree to refunds above 100 EUR"}
    return {"refunded": amount, "order": order}


def ask_a_person(reason: str) -> dict[str, Any]:
    return {"ticket": 17, "reason": reason}


TOOLS: dict[str, Callable[..., dict[str, Any]]] = {
    "look_up_order": look_up_order,
    "refund": refund,
    "ask_a_person": ask_a_person,
}


def answer(context: AIExecutionContext) -> AIExecutionResult:
    """Answer one customer."""
    model = MockProvider(SCRIPT)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are the support agent of a web shop."},
        {"role": "user", "content": context.input},
    ]
    for _ in range(MOST_STEPS):
        message = ask(model, messages)
        messages.append(message)
        calls = message.get("tool_calls", [])
        if not calls:
            return AIExecutionResult(message["content"], messages=messages, meta={"asked": model.received})
        messages += [run_tool(call) for call in calls]
    raise ExecutionError("rounds", f"the agent found no answer in {MOST_STEPS} steps")


def ask(model: MockProvider, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Ask the model; when it is overloaded, wait as long as it says and ask again."""
    for _ in range(ATTEMPTS - 1):
        try:
            return model.complete({"model": "support", "messages": messages})["choices"][0]["message"]
        except MockFault as fault:
            if fault.status != 429:
                raise
            time.sleep(fault.retry_after or 0)
    return model.complete({"model": "support", "messages": messages})["choices"][0]["message"]


def run_tool(call: dict[str, Any]) -> dict[str, Any]:
    """Run one tool. What goes wrong is told to the model, which may do better in the next step."""
    function = call["function"]
    try:
        result = TOOLS[function["name"]](**json.loads(function["arguments"]))
    except (KeyError, TypeError, ValueError) as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    return {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)}
