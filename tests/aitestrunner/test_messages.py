"""Messages of providers, normalised at the border."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from aitestrunner._messages import calls_of

from aitestrunner import AIExecutionResult, AITestRunner, Message, ToolCall, normalize_messages


def dicts(messages, adapter=None):
    return [message.to_dict() for message in normalize_messages(messages, adapter)]


def test_our_own_shape_stays():
    chat = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tools": [{"name": "a", "args": {"x": 1}, "result": 3}]},
        {"role": "assistant", "content": None, "mood": "calm"},
    ]
    assert dicts(chat) == chat


def test_openai_chat():
    chat = [
        {"role": "system", "content": "be brief"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}},
                {"id": "c2", "type": "function", "function": {"name": "b", "arguments": ""}},
            ],
        },
        {"role": "tool", "tool_call_id": "c2", "content": "second"},
        {"role": "tool", "tool_call_id": "c1", "content": "first"},
    ]
    assert dicts(chat)[1] == {
        "role": "assistant",
        "content": None,
        "tools": [
            {"id": "c1", "name": "a", "args": {"x": 1}, "result": "first"},
            {"id": "c2", "name": "b", "args": {}, "result": "second"},
        ],
    }
    assert [message["role"] for message in dicts(chat)] == ["system", "assistant", "tool", "tool"]


def test_anthropic():
    chat = [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me"},
                {"type": "text", "text": "look."},
                {"type": "tool_use", "id": "t1", "name": "a", "input": {"x": 1}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "sunny"}]}],
        },
        {"role": "user", "content": [{"type": "image", "source": {}}, {"type": "text", "text": "this?"}]},
    ]
    first, second, third = dicts(chat)
    assert first == {
        "role": "assistant",
        "content": "Let me\nlook.",
        "tools": [{"id": "t1", "name": "a", "args": {"x": 1}, "result": "sunny"}],
    }
    assert second == {"role": "tool", "content": "sunny"}
    assert third["content"] == chat[2]["content"]


CALL = {"id": "c1", "name": "refund", "args": {"amount": 900}, "result": "done"}
WITHOUT_ID = {name: value for name, value in CALL.items() if name != "id"}
TEXT = '{"amount": 900}'
SHAPES = {
    "openai-chat-legacy": (
        [
            {"role": "assistant", "content": None, "function_call": {"name": "refund", "arguments": TEXT}},
            {"role": "function", "name": "refund", "content": "done"},
        ],
        WITHOUT_ID,
    ),
    "openai-responses": (
        [
            {"type": "reasoning", "id": "r", "summary": []},
            {"type": "function_call", "id": "fc", "call_id": "c1", "name": "refund", "arguments": TEXT, "status": "x"},
            {"type": "function_call_output", "call_id": "c1", "output": "done"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]},
        ],
        CALL,
    ),
    "openai-mcp": (
        [{"type": "mcp_call", "id": "c1", "name": "refund", "arguments": TEXT, "output": "done", "server_label": "s"}],
        CALL,
    ),
    "anthropic-server-tool": (
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "server_tool_use", "id": "c1", "name": "refund", "input": {"amount": 900}},
                    {"type": "refund_tool_result", "tool_use_id": "c1", "content": "done"},
                ],
            }
        ],
        CALL,
    ),
    "bedrock": (
        [
            {
                "role": "assistant",
                "content": [
                    {"text": "One moment."},
                    {"toolUse": {"toolUseId": "c1", "name": "refund", "input": {"amount": 900}}},
                ],
            },
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "done"}]}}]},
        ],
        CALL,
    ),
    "gemini": (
        [
            {
                "role": "model",
                "parts": [{"text": "Well"}, {"functionCall": {"name": "refund", "args": {"amount": 900}}}],
            },
            {"role": "user", "parts": [{"functionResponse": {"name": "refund", "response": "done"}}]},
        ],
        WITHOUT_ID,
    ),
    "langchain": (
        [
            {"type": "human", "content": "money back"},
            {"type": "ai", "content": "", "tool_calls": [{"name": "refund", "args": {"amount": 900}, "id": "c1"}]},
            {"type": "tool", "content": "done", "tool_call_id": "c1", "name": "refund"},
        ],
        CALL,
    ),
    "vercel": (
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "tool-call", "toolCallId": "c1", "toolName": "refund", "input": {"amount": 900}},
                ],
            },
            {
                "role": "tool",
                "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "refund", "output": "done"}],
            },
        ],
        CALL,
    ),
    "vercel-interface": (
        [
            {
                "role": "assistant",
                "parts": [
                    {"type": "text", "text": "Well"},
                    {"type": "tool-refund", "toolCallId": "c1", "input": {"amount": 900}, "output": "done"},
                ],
            }
        ],
        CALL,
    ),
    "vercel-invocations": (
        [
            {
                "role": "assistant",
                "content": "Well",
                "toolInvocations": [
                    {
                        "state": "result",
                        "toolCallId": "c1",
                        "toolName": "refund",
                        "args": {"amount": 900},
                        "result": "done",
                    }
                ],
            }
        ],
        CALL,
    ),
    "langchain-twice": (
        [
            {
                "type": "ai",
                "content": [{"type": "tool_use", "id": "c1", "name": "refund", "input": {"amount": 900}}],
                "tool_calls": [{"name": "refund", "args": {"amount": 900}, "id": "c1"}],
            },
            {"type": "tool", "content": "done", "tool_call_id": "c1"},
        ],
        CALL,
    ),
    "ollama": (
        [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": "refund", "arguments": {"amount": 900}}}],
            },
            {"role": "tool", "tool_name": "refund", "content": "done"},
        ],
        WITHOUT_ID,
    ),
    "empty-ids": (
        [
            {"role": "assistant", "tool_calls": [{"id": "", "name": "refund", "parameters": {"amount": 900}}]},
            {"role": "tool", "tool_call_id": "", "name": "refund", "content": "done"},
        ],
        WITHOUT_ID,
    ),
    "typed-with-a-role": (
        [
            {"role": "assistant", "type": "function_call", "call_id": "c1", "name": "refund", "arguments": TEXT},
            {"type": "function_call_output", "call_id": "c1", "output": "done"},
        ],
        CALL,
    ),
    "choice": (
        [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "tool_calls": [{"id": "c1", "function": {"name": "refund", "arguments": TEXT}}],
                },
            },
            {"role": "tool", "tool_call_id": "c1", "content": "done"},
        ],
        CALL,
    ),
    "candidate": (
        [
            {"content": {"role": "model", "parts": [{"functionCall": {"name": "refund", "args": {"amount": 900}}}]}},
            {"role": "user", "parts": [{"functionResponse": {"name": "refund", "response": "done"}}]},
        ],
        WITHOUT_ID,
    ),
    "one-part-alone": (
        [
            {
                "role": "CHATBOT",
                "content": {"type": "tool_use", "id": "c1", "name": "refund", "input": {"amount": 900}},
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "done"}]},
        ],
        CALL,
    ),
    "plain-objects": (
        [
            SimpleNamespace(
                kind="response",
                parts=[
                    SimpleNamespace(part_kind="text", text="Well"),
                    SimpleNamespace(part_kind="tool-call", tool_name="refund", args=TEXT, tool_call_id="c1"),
                ],
            ),
            SimpleNamespace(
                kind="request",
                parts=[SimpleNamespace(part_kind="tool-return", tool_name="refund", content="done", tool_call_id="c1")],
            ),
        ],
        CALL,
    ),
    "camel-case": (
        [
            {"role": "assistant", "toolCalls": [{"id": "c1", "function": {"name": "refund", "arguments": TEXT}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "done"},
        ],
        CALL,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_call_is_seen_in_the_shape_of_every_provider(name):
    messages, call = SHAPES[name]
    assert [found.to_dict() for found in calls_of(normalize_messages(messages))] == [call]
    runner = AITestRunner(lambda context: AIExecutionResult("x", messages=messages))
    (log,) = runner.run_sync("s", [{"expect": {"tools": {"$none": {"name": "refund"}}}}]).logs
    assert log.status == "fail"


def test_what_a_server_offers_was_not_called():
    chat = [{"type": "mcp_list_tools", "id": "l", "server_label": "s", "tools": [{"name": "refund"}]}]
    assert calls_of(normalize_messages(chat)) == []


def test_content_that_is_data_stays_as_it_is():
    chat = [{"role": "assistant", "content": content} for content in ({"city": "Rome"}, {"text": "hi"}, [], ["a"], 5)]
    assert dicts(chat) == chat


def test_a_long_conversation_is_read_in_time():
    calls = [{"role": "assistant", "tool_calls": [{"id": str(n), "name": "a", "args": {}}]} for n in range(20_000)]
    answers = [{"role": "tool", "tool_call_id": str(n), "content": n} for n in range(20_000)]
    assert [call.result for call in calls_of(normalize_messages([*calls, *answers]))] == list(range(20_000))


def test_parts_with_empty_fields_are_read():
    part = {"text": "hi", "function_call": None, "functionResponse": None, "thought": None}
    (message,) = normalize_messages([{"role": "model", "parts": [part]}])
    assert message.content == [part]


def test_a_built_in_tool_is_a_call():
    item = {"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "weather"}}
    (call,) = calls_of(normalize_messages([item]))
    assert (call.name, call.args) == ("web_search", {"action": {"query": "weather"}})


def test_roles_and_texts_of_other_providers():
    chat = [
        {"type": "human", "content": "hi"},
        {"role": "model", "parts": [{"text": "Hello"}, {"text": "again"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yo"}]},
    ]
    assert [(message.role, message.content) for message in normalize_messages(chat)] == [
        ("user", "hi"),
        ("model", "Hello\nagain"),
        ("assistant", "Yo"),
    ]


def test_answers_without_an_id_go_to_the_first_call_of_their_name_that_waits():
    calls = [{"functionCall": {"name": "a", "args": {"n": n}}} for n in (1, 2)]
    answers = [{"functionResponse": {"name": "a", "response": n}} for n in ("first", "second")]
    chat = [{"role": "model", "parts": calls}, {"role": "user", "parts": answers}]
    assert [call.result for call in calls_of(normalize_messages(chat))] == ["first", "second"]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "x", "functionCalls": [{"name": "refund"}]},
        {"role": "assistant", "tool_calls": "refund"},
        {"role": "assistant", "function_call": "refund"},
        {"role": "assistant", "content": [{"kind": "x", "tool_uses": [{"name": "refund"}]}]},
    ],
)
def test_what_looks_like_a_call_and_is_not_understood_is_an_error(message):
    runner = AITestRunner(lambda context: AIExecutionResult("x", messages=[message]))
    (log,) = runner.run_sync("s", [{"expect": {"tools": []}}]).logs
    assert (log.status, log.error.kind) == ("error", "messages")
    assert "message_adapter" in log.error.message


def test_objects_of_libraries():
    @dataclass
    class Function:
        name: str
        arguments: str

    @dataclass
    class Call:
        id: str
        function: Function

    class Reply:
        """Like a pydantic model."""

        def model_dump(self):
            return {
                "role": "assistant",
                "content": None,
                "tool_calls": [Call("1", Function("a", '{"x": 1}'))],
                "refusal": None,
            }

    assert dicts([Reply()])[0]["tools"] == [{"id": "1", "name": "a", "args": {"x": 1}}]


def test_arguments_that_are_no_json_stay_text():
    chat = [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "a", "arguments": "{x"}}]}]
    assert dicts(chat)[0]["tools"][0]["args"] == "{x"


def test_results_of_unknown_calls_are_left_where_they_are():
    assert dicts([{"role": "tool", "tool_call_id": "?", "content": "x"}]) == [
        {"role": "tool", "content": "x", "tool_call_id": "?"}
    ]


def test_an_adapter_is_asked_first():
    def adapter(raw):
        return Message("assistant", raw["text"], [ToolCall("a")]) if "text" in raw else None

    assert dicts([{"text": "hi"}, {"role": "user", "content": "yo"}], adapter) == [
        {"role": "assistant", "content": "hi", "tools": [{"name": "a"}]},
        {"role": "user", "content": "yo"},
    ]


def test_normalising_changes_nothing_that_was_passed():
    call = ToolCall("a", {}, id="1")
    chat = [Message("assistant", "x", [call]), {"role": "tool", "tool_call_id": "1", "content": "r"}]
    assert normalize_messages(chat)[0].tools[0].result == "r"
    assert call.to_dict() == {"id": "1", "name": "a", "args": {}}


@pytest.mark.parametrize("messages", [["text"], [None], 5, [object()]])
def test_what_is_no_message_makes_the_case_an_error(messages):
    runner = AITestRunner(lambda context: AIExecutionResult("x", messages=messages))
    (log,) = runner.run_sync("s", [{"output": "x"}]).logs
    assert (log.status, log.error.kind, log.actual) == ("error", "messages", "x")
