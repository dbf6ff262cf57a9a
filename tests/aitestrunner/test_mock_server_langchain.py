"""A second client over loopback, unmodified: LangChain's."""

import pytest
from aitestrunner.mock import MockProvider, MockServer

langchain_openai = pytest.importorskip("langchain_openai", reason="needs langchain-openai")


@pytest.fixture
def server():
    with MockServer() as server:
        yield server


@pytest.fixture
def model(server):
    return langchain_openai.ChatOpenAI(
        model="gpt-4o-mini", base_url=server.url, api_key="any", max_retries=2, timeout=20
    )


def test_chat(model):
    answer = model.invoke([("system", "be short"), ("user", "<echo>yes</echo>")])
    assert (answer.content, answer.response_metadata["finish_reason"]) == ("yes", "stop")
    assert answer.usage_metadata["output_tokens"] == 0
    assert answer.usage_metadata["input_tokens"] > 0


def test_stream_with_usage(server):
    model = langchain_openai.ChatOpenAI(model="gpt-4o-mini", base_url=server.url, api_key="any", stream_usage=True)
    chunks = list(model.stream("<echo>日本語のテキスト</echo>"))
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert whole.content == "日本語のテキスト"
    assert whole.usage_metadata["output_tokens"] == 6


def test_tools_round_trip(model, server):
    from langchain_core.messages import HumanMessage, ToolMessage

    def get_weather(place: str) -> str:
        """Tell the weather of a place."""
        return f"27 degrees in {place}"

    server.provider = MockProvider(
        [
            {"when": {"messages": {"$last": {"role": "tool", "content": "27 degrees"}}}, "reply": "warm"},
            {"reply": {"toolCalls": [{"name": "get_weather", "args": {"place": "Rimini"}}]}},
        ]
    )
    asking = model.bind_tools([get_weather])
    messages = [HumanMessage("weather?")]
    messages.append(asking.invoke(messages))
    (call,) = messages[-1].tool_calls
    messages.append(ToolMessage(get_weather(**call["args"]), tool_call_id=call["id"]))
    assert asking.invoke(messages).content == "warm"


def test_structured_output(model):
    from pydantic import BaseModel

    class Answer(BaseModel):
        total: int

    answer = model.with_structured_output(Answer).invoke('<echo>{"total": 4}</echo>')
    assert answer == Answer(total=4)


@pytest.mark.parametrize("error", [{"status": 429, "retryAfter": 0.01}, "reset"])
def test_retry(model, server, error):
    server.provider = MockProvider([{"replies": [{"error": error, "times": 2}, "yes"]}])
    assert model.invoke("hi").content == "yes"
    assert server.provider.received == 3


def test_embeddings(server):
    embedding = langchain_openai.OpenAIEmbeddings(
        model="text-embedding-3-small",
        base_url=server.url,
        api_key="any",
        check_embedding_ctx_length=False,  # would load a tokenizer from the network
    )
    one, two = embedding.embed_documents(["a", "b"])
    assert one == embedding.embed_query("a") != two
    assert len(one) == 256
