"""Real graphs of LangGraph: agents with tools, approvals and loops are judged by where they ended."""

import asyncio
import operator
import sys
from typing import Annotated, TypedDict

import pytest
from aitestrunner.graph import LangGraphRunner, run_eval
from aitestrunner.mock import MockProvider
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic import BaseModel

DONE = {"type": "status_equals", "expected": "completed"}
FAILED = {"type": "status_equals", "expected": "failed"}
WAITING = {"type": "status_equals", "expected": "waiting"}


class State(TypedDict, total=False):
    n: int
    log: Annotated[list, operator.add]


def expect(expectation):
    return {"type": "state_expect", "expect": expectation}


def evaluate(graph, *assertions, runner=None, **fields):
    case = {"name": "case", "graph": graph, "assertions": list(assertions), **fields}
    return run_eval({"name": "suite", "cases": [case]}, runner=runner).cases[0]


def chain(*functions, **options):
    builder = StateGraph(State)
    names = [function.__name__ for function in functions]
    for function in functions:
        builder.add_node(function.__name__, function)
    for source, target in zip([START, *names], [*names, END], strict=True):
        builder.add_edge(source, target)
    return builder.compile(**options)


def first(state):
    return {"log": ["first"]}


async def second(state):
    return {"log": ["second"], "n": state["n"] + 1}


CALL = {"toolCalls": [{"name": "get_weather", "args": {"place": "Rimini"}}]}
RULES = [
    {"when": {"messages": {"$last": {"role": "tool"}}}, "reply": "It will be sunny in Rimini."},
    {"when": {"messages": {"$last": {"role": "user"}}}, "reply": CALL},
]


class TestAgentWithTools:
    """An agent on the mock provider: asks for the weather, then tells it."""

    def graph(self, rules=RULES):
        provider = MockProvider(rules)
        roles = {"human": "user", "ai": "assistant", "tool": "tool"}

        @tool
        def get_weather(place: str) -> str:
            """The weather of a place."""
            return f"{place}: sunny"

        def agent(state):
            asked = [{"role": roles[message.type], "content": message.content} for message in state["messages"]]
            reply = provider.reply(asked)
            calls = [
                {"name": call["name"], "args": call["args"], "id": f"call-{len(asked)}"} for call in reply.tool_calls
            ]
            usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
            return {"messages": [AIMessage(reply.text or "", tool_calls=calls, usage_metadata=usage)]}

        builder = StateGraph(MessagesState)
        builder.add_node("agent", agent)
        builder.add_node("tools", ToolNode([get_weather]))
        builder.add_edge(START, "agent")
        builder.add_edge("tools", "agent")
        builder.add_conditional_edges("agent", lambda state: "tools" if state["messages"][-1].tool_calls else END)
        return builder.compile()

    def ask(self, *assertions, rules=RULES, **given):
        question = {"messages": [HumanMessage("What will the weather be in Rimini?")]}
        return evaluate(self.graph(rules), *assertions, input={**question, **given})

    def test_it_is_judged_by_path_calls_answer_and_tokens(self):
        case = self.ask(
            DONE,
            {"type": "node_visited", "node_id": "tools"},
            {"type": "memory_not_empty", "key": "messages"},
            expect({"visited_nodes": {"$eq": ["agent", "tools", "agent"]}}),
            expect({"tools": [{"name": "get_weather", "args": {"place": "Rimini"}, "result": "Rimini: sunny"}]}),
            expect({"messages": {"$first": {"role": "user"}, "$last": {"role": "assistant", "content": "sunny"}}}),
            expect({"memory": {"messages": {"$last": {"content": "sunny"}}}}),
        )
        assert case.passed, [result.message for result in case.assertions]
        assert case.tokens == 30

    def test_a_wrong_call_fails(self):
        rules = [RULES[0], {"reply": {"toolCalls": [{"name": "get_weather", "args": {"place": "Rome"}}]}}]
        case = self.ask(DONE, expect({"tools": [{"args": {"place": "Rimini"}}]}), rules=rules)
        assert [result.status for result in case.assertions] == ["pass", "fail"]
        assert case.assertions[1].message == 'tools[0].args.place: expected the text to contain "Rimini", got "Rome"'

    def test_an_agent_that_does_not_ask_fails(self):
        case = self.ask({"type": "node_visited", "node_id": "tools"}, rules=[{"reply": "Sunny, I guess."}])
        assert case.status == "fail" and case.path == ("agent",)

    def test_an_agent_that_never_stops_hits_the_limit(self):
        graph = self.graph([{"reply": CALL}])
        case = evaluate(
            graph,
            FAILED,
            expect({"error": "Recursion limit of 6 reached", "steps": 6, "tools": {"$length": 3}}),
            runner=LangGraphRunner(recursion_limit=6),
            input={"messages": [HumanMessage("?")]},
        )
        assert case.passed, [result.message for result in case.assertions]
        assert case.tokens == 45
        assert evaluate(graph, {"type": "node_visited", "node_id": "tools"}, input={"messages": []}).status == "error"

    def test_the_budget(self):
        case = self.ask(FAILED, {"type": "token_budget_respected"}, max_token_budget=20)
        assert [result.status for result in case.assertions] == ["pass", "fail"]
        assert case.error == "token budget exceeded: 30 used, 20 allowed"
        assert self.ask(DONE, {"type": "token_budget_respected"}, max_token_budget=30).passed


class TestApproval:
    def approve(self):
        def approve(state):
            return {"log": [interrupt({"question": "Go on?"})]}

        return approve

    @pytest.mark.parametrize("options", [{}, {"checkpointer": InMemorySaver()}])
    def test_a_dynamic_interrupt(self, options):
        graph = chain(first, self.approve(), second, **options)
        asked = expect({"interrupts": [{"node": "approve", "value": {"question": "Go on?"}}]})
        kept = {"type": "memory_matches", "key": "log", "mode": "exact", "expected": ["first"]}
        for _ in range(2):  # each run has a thread of its own
            case = evaluate(graph, WAITING, asked, kept, input={"n": 1})
            assert case.passed, [result.message for result in case.assertions]
            assert case.path == ("first", "approve") and case.error is None

    def test_an_interrupt_before_a_node(self):
        case = evaluate(chain(first, second, interrupt_before=["second"]), WAITING, input={"n": 1})
        assert case.passed and case.path == ("first",)

    def test_a_run_that_should_have_asked(self):
        assert evaluate(chain(first, second), WAITING, input={"n": 1}).status == "fail"


class TestRuns:
    def test_a_graph_that_is_not_compiled(self):
        builder = StateGraph(State)
        builder.add_node("first", first)
        builder.add_edge(START, "first")
        assert evaluate(builder, DONE, {"type": "node_visited", "node_id": "first"}).passed

    def test_memory_is_the_state_and_the_input_stays(self):
        given = {"n": 1, "log": ["in"]}
        exact = {"type": "memory_matches", "key": "log", "mode": "exact", "expected": ["in", "first", "second"]}
        assert evaluate(chain(first, second), DONE, exact, input=given).passed
        assert given == {"n": 1, "log": ["in"]}

    def test_a_node_that_the_graph_does_not_have(self):
        case = evaluate(chain(first, second), {"type": "node_visited", "node_id": "secnod"}, input={"n": 1})
        assert case.status == "error" and "did you mean 'second'" in case.error

    def test_a_node_that_raises(self):
        def boom(state):
            raise ValueError("it exploded")

        kept = {"type": "memory_matches", "key": "log", "mode": "exact", "expected": ["first"]}
        case = evaluate(
            chain(first, boom, second), FAILED, kept, {"type": "node_visited", "node_id": "boom"}, input={"n": 1}
        )
        assert case.passed and case.error == "node 'boom' raised ValueError: it exploded"

    def test_a_timeout_cancels(self):
        cancelled = []

        async def hang(state):
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                cancelled.append(True)
                raise

        timeout = {"type": "status_equals", "expected": "timeout"}
        case = evaluate(chain(first, hang, second), timeout, timeout_ms=300, input={"n": 1})
        assert case.passed and cancelled == [True] and case.path == ("first", "hang")

    def test_branches_are_in_the_path(self):
        builder = StateGraph(State)
        for name in ("a", "b", "join"):
            builder.add_node(name, lambda state, name=name: {"log": [name]})
        builder.add_edge(START, "a")
        builder.add_edge(START, "b")
        builder.add_edge(["a", "b"], "join")
        case = evaluate(builder.compile(), DONE, expect({"visited_nodes": {"$unordered": ["a", "b", "join"]}}))
        assert case.passed and case.path[-1] == "join"

    def test_a_node_that_chooses_the_next(self):
        builder = StateGraph(State)
        builder.add_node("route", lambda state: Command(goto="b", update={"log": ["to b"]}), destinations=("a", "b"))
        builder.add_node("a", first)
        builder.add_node("b", first)
        builder.add_edge(START, "route")
        assert evaluate(builder.compile(), DONE).path == ("route", "b")

    def test_tokens_count_once_and_not_those_of_the_input(self):
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        old = [AIMessage("old", id="old", usage_metadata=usage), AIMessage("without id", usage_metadata=usage)]

        def answer(state):
            return {"messages": [*state["messages"], AIMessage("new", id="new", usage_metadata=usage)]}

        def forget(state):
            return {"messages": [RemoveMessage(id="new")]}

        builder = StateGraph(MessagesState)
        builder.add_node("answer", answer)
        builder.add_node("forget", forget)
        builder.add_edge(START, "answer")
        builder.add_edge("answer", "forget")
        case = evaluate(builder.compile(), DONE, input={"messages": old})
        assert case.passed and case.tokens == 2

    def test_without_messages_nothing_is_known_about_tokens(self):
        case = evaluate(chain(first), {"type": "token_budget_respected"}, input={"n": 1, "max_token_budget": 5})
        assert case.tokens is None and case.status == "fail"
        assert "tells no number of tokens" in case.assertions[0].message

    def test_a_state_that_is_a_model(self):
        class Model(BaseModel):
            n: int
            text: str = ""

        builder = StateGraph(Model)
        builder.add_node("double", lambda state: {"text": "x" * state.n})
        builder.add_edge(START, "double")
        exact = {"type": "memory_matches", "key": "text", "mode": "exact", "expected": "xx"}
        assert evaluate(builder.compile(), DONE, exact, input={"n": 2}).passed
        assert evaluate(builder.compile(), DONE, exact, input={"n": "two"}).status == "fail"

    def test_a_functional_graph(self):
        @task
        async def double(n):
            return 2 * n

        @entrypoint()
        async def workflow(given):
            return await double(given["n"])

        case = evaluate(workflow, DONE, expect({"memory": 8, "visited_nodes": ["workflow", "double"]}), input={"n": 4})
        assert case.passed, (case.error, [result.message for result in case.assertions])

    def test_something_else(self):
        case = evaluate(lambda given: {}, DONE, runner=LangGraphRunner())
        assert case.status == "error" and "LangGraphRunner runs graphs of LangGraph" in case.error


def test_the_package_does_not_load_langgraph():
    import subprocess

    code = "import sys, aitestrunner.graph as g; g.LangGraphRunner(); assert 'langgraph' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
