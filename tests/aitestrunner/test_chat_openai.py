"""The chat client with a service, through the official client and over the wire."""

import pytest
from aitestrunner.chat import (
    ChatClient,
    GenerationError,
    InvalidRequestError,
    InvalidResponseError,
    MissingKeyError,
    NetworkError,
    OpenAIProvider,
)
from aitestrunner.mock import MockServer

MODELS = {"models": [{"name": "small", "provider": "openai", "prices": {"input": 1e6, "output": 1e6}}]}
KEY = "sk-very-secret-key"


@pytest.fixture(scope="module")
def server():
    with MockServer(
        [
            {"when": {"messages": {"$last": {"content": "cut"}}}, "reply": {"text": "a long answer", "error": "cut"}},
            {"when": {"messages": {"$last": {"content": "key"}}}, "reply": {"error": {"status": 401, "message": KEY}}},
        ]
    ) as server:
        yield server


@pytest.fixture
def client(server):
    provider = OpenAIProvider(base_url=server.url, api_key=KEY, retries=0, timeout=20)
    yield ChatClient("small", models=MODELS, providers={"openai": provider})
    provider.close()


def test_a_conversation(client):
    first = client.complete("<echo>Hello there</echo>", temperature=0)
    assert (first.text, first.usage["total_tokens"], first.cost) == ("Hello there", 8, 8)
    client.clear()
    heard = []
    assert (
        client.stream("<echo>Hello streaming</echo>", lambda *told: heard.append(told)).usage["completion_tokens"] == 3
    )
    assert heard == [("Hello stre", False), ("aming", False), ("", True)]
    assert client.statistics.completions == 2


def test_tools(client):
    tool = {"name": "weather", "parameters": {"type": "object"}}
    call = '<echo-tool>{"name": "weather", "args": {"place": "Rimini"}}</echo-tool> <echo>Sunny.</echo>'
    response = client.complete(call, tools=[tool])
    assert response.tool_calls[0]["function"] == {"name": "weather", "arguments": '{"place": "Rimini"}'}
    client.add_tool_result(response.tool_calls[0]["id"], "sunny")
    assert client.complete(tools=[tool]).text == "Sunny."


def test_embeddings(client):
    assert [len(vector) for vector in client.embed(["one", "two"])] == [256, 256]
    with pytest.raises(InvalidRequestError):
        client.embed("")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<echo-error>429</echo-error>", GenerationError),
        ("<echo-error>400</echo-error>", InvalidRequestError),
        ("<echo-error>reset</echo-error>", NetworkError),
        ("<echo-error>invalidJson</echo-error>", InvalidResponseError),
        ("key", MissingKeyError),
        ("cut", NetworkError),
    ],
)
def test_what_goes_wrong(client, text, kind):
    with pytest.raises(kind) as raised:
        client.complete(text)
    assert KEY not in str(raised.value)
    assert raised.value.__cause__ is None
    assert client.messages == []


def test_a_stream_that_breaks(client):
    heard = []
    with pytest.raises(NetworkError):
        client.stream("cut", lambda *told: heard.append(told))
    assert ("", True) not in heard


def test_without_a_key(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingKeyError, match="OPENAI_API_KEY"):
        ChatClient("small", models=MODELS)
