"""Descriptions of models: files, what is wrong in them, and that they are honoured."""

import pytest
from aitestrunner.chat import (
    ChatClient,
    GenerationError,
    InvalidRequestError,
    NotSupportedError,
    UnknownModelError,
    UnknownProviderError,
    load_models,
)

from aitestrunner import FixtureError

SAMPLE = """{"models": [{"name": "mock-model", "provider": "mock", "ranking": 1, "description": \
"Mock provider for testing", "capabilities": {"completion": true, "streaming": true, "embeddings": false}}]}"""


def client_of(**model):
    return ChatClient("m", models={"models": [{"name": "m", "provider": "mock", **model}]})


@pytest.mark.parametrize("name", ["models.json", "models.yaml"])
def test_a_file_loads_and_works(tmp_path, name):
    path = tmp_path / name
    path.write_text(SAMPLE, "utf-8")
    for source in (path, str(path), tmp_path):
        client = ChatClient("mock-model", models=source)
        assert client.complete("<echo>4</echo>").text == "4"
        assert client.stream("<echo>5</echo>", lambda *_: None).text == "5"
        with pytest.raises(NotSupportedError, match="embeddings"):
            client.embed("text")


def test_a_folder_with_several(tmp_path):
    (tmp_path / "a.yaml").write_text("models:\n- {model: low, provider: mock, ranking: 1}\n", "utf-8")
    (tmp_path / "b.json").write_text('{"models": [{"name": "B", "provider": "mock"}]}', "utf-8")
    (tmp_path / "c.yml").write_text("models: [{name: a, provider: mock}]", "utf-8")
    (tmp_path / "readme.md").write_text("no models", "utf-8")
    assert list(load_models(tmp_path)) == ["a", "B", "low"]


def test_every_mistake_has_its_place(tmp_path):
    path = tmp_path / "models.yaml"
    path.write_text(
        "models:\n"
        "- name: a\n  provider: mock\n  rankin: 5\n"
        "- name: b\n  provider: mock\n  capabilities: {streaming: yes please}\n"
        "- provider: mock\n"
        "- name: d\n  model: d\n  provider: mock\n"
        "- name: e\n"
        "- name: f\n  provider: mock\n  prices: {input: 1}\n"
        "- name: g\n  provider: mock\n  limits: {maxOutput: 1, maxInputTokens: 0}\n"
        "- name: h\n  provider: mock\n  ranking: 101\n"
        "- text\n"
        "- {name: i, provider: mock}\n"
        "- {name: i, provider: mock}\n",
        "utf-8",
    )
    with pytest.raises(FixtureError) as raised:
        load_models(path)
    found = [(problem.position.line, problem.message) for problem in raised.value.problems]
    assert [line for line, _ in found] == [4, 7, 8, 9, 12, 15, 18, 18, 21, 22, 24]
    assert "did you mean `ranking`" in found[0][1]
    assert "true or false" in found[1][1]
    assert f"{path}:23:3" in found[-1][1]


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"models": {}}', '{"models": [], "other": 1}', '{"models": [], "models": []}']
)
def test_what_is_no_configuration(tmp_path, text):
    path = tmp_path / "models.json"
    path.write_text(text, "utf-8")
    with pytest.raises(FixtureError, match=r"models\.json:1:"):
        load_models(path)


def test_an_empty_folder_and_none(tmp_path):
    with pytest.raises(FixtureError, match="no models"):
        load_models(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_models(tmp_path / "none.json")


def test_unknown_names_say_what_there_is():
    models = {"models": [{"name": "small", "provider": "mock"}, {"name": "far", "provider": "mokc"}]}
    with pytest.raises(UnknownModelError, match=r"did you mean 'small'\? There is far, small"):
        ChatClient("smal", models=models)
    with pytest.raises(UnknownProviderError, match=r"did you mean 'mock'\? There is mock"):
        ChatClient("far", models=models)
    client = ChatClient("small", models=models)
    client.complete("hi")
    for name, error in (("far", UnknownProviderError), ("none", UnknownModelError)):
        with pytest.raises(error):
            client.use_model(name)
    assert client.model.name == "small"
    assert client.statistics.completions == 1


def test_capabilities_are_honoured():
    calls = {
        "completion": lambda client: client.complete("hi"),
        "streaming": lambda client: client.stream("hi", lambda *_: None),
        "embeddings": lambda client: client.embed("hi"),
        "tools": lambda client: client.complete("hi", tools=[{"name": "f"}]),
    }
    for capability, call in calls.items():
        call(client_of(capabilities={capability: True}))
        with pytest.raises(NotSupportedError, match=capability):
            call(client_of(capabilities={capability: False}))


def test_limits_are_honoured():
    with pytest.raises(InvalidRequestError, match="maxOutputTokens"):
        client_of(limits={"maxOutputTokens": 10}).complete("hi", max_tokens=11)
    with pytest.raises(InvalidRequestError, match="maxInputTokens"):
        client_of(limits={"maxInputTokens": 10}).complete("x" * 44)
    with pytest.raises(InvalidRequestError, match="contextWindow"):
        client_of(limits={"contextWindow": 20}).complete("x" * 43, max_tokens=10)
    client_of(limits={"contextWindow": 20, "maxInputTokens": 10, "maxOutputTokens": 10}).complete(
        "x" * 39, max_tokens=10
    )


def test_costs_are_counted_and_limited():
    models = {"models": [{"name": "m", "provider": "mock", "prices": {"input": 1e6, "output": 2e6}}]}
    client = ChatClient("m", models=models, cost_limit=20)
    request = {"role": "user", "content": "<echo>four</echo>"}  # 17 bytes and a line end: 4 tokens
    assert client.complete(request).cost == 4 + 2
    assert client.stream(request, lambda *_: None).cost == 10 + 2  # the history is read again
    assert client.statistics.cost == 18
    with pytest.raises(GenerationError, match="the limit is 20"):
        client.complete(request)
    assert client.statistics.cost == 18
