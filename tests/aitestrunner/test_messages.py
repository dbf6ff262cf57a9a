"""Messages of providers, normalised at the border."""

from dataclasses import dataclass

import pytest

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
