"""The chat client: history, settings, streams, cache, statistics, errors."""

import threading

import aitestrunner.chat
import pytest
from aitestrunner.chat import (
    ChatClient,
    ChatError,
    GenerationError,
    InvalidRequestError,
    InvalidResponseError,
    MissingKeyError,
    ModelNotFoundError,
    NetworkError,
    NotSupportedError,
)
from aitestrunner.mock import DEFAULT_REPLY, MockProvider


def scripted(*rules, **options):
    return ChatClient("mock-model", providers={"mock": MockProvider(list(rules))}, **options)


def user(text):
    return {"role": "user", "content": text}


class TestWhoseTagsCount:
    def test_each_turn_has_its_own(self):
        client = ChatClient("mock-model")
        texts = [client.complete(text).text for text in ("<echo>a</echo>", "<echo>b</echo>", "none", "<echo>c</echo>")]
        assert texts == ["a", "b", DEFAULT_REPLY, "c"]

    def test_the_system_prompt_comes_after_the_turn(self):
        client = ChatClient("mock-model", system="<echo>prompt</echo>")
        assert [client.complete(text).text for text in ("<echo>own</echo>", "none")] == ["own", "prompt"]

    def test_all_messages_the_oldest_first(self):
        client = ChatClient("mock-model", history="all", system="<echo>prompt</echo>")
        assert client.complete("<echo>own</echo>").text == "prompt"

    def test_an_empty_tag_counts_and_is_remembered(self):
        client = ChatClient("mock-model", system="<echo>prompt</echo>")
        assert client.complete("<echo></echo>").text == ""
        assert client.messages[1:] == [user("<echo></echo>"), {"role": "assistant", "content": ""}]

    def test_a_turn_goes_on_after_a_tool(self):
        client = ChatClient("mock-model")
        client.complete("<echo>old</echo>")
        response = client.complete('<echo-tool>{"name": "f", "args": {"x": 1}}</echo-tool> <echo>done</echo>')
        assert response.finish_reason == "tool_calls"
        client.add_tool_result(response.tool_calls[0]["id"], "42")
        assert client.complete().text == "done"
        assert [m["role"] for m in client.messages[2:]] == ["user", "assistant", "tool", "assistant"]


class TestHistory:
    def test_system_messages_of_a_request_are_sent_and_forgotten(self):
        client = ChatClient("mock-model")
        client.complete([{"role": "system", "content": "S"}, user("U")])
        assert [m["role"] for m in client.messages] == ["user", "assistant"]

    def test_what_was_sent_is_the_history_and_the_request(self):
        provider = MockProvider()
        client = ChatClient("mock-model", providers={"mock": provider}, system="S", max_tokens=5)
        client.complete("one", temperature=1)
        client.complete("two", max_tokens=7)
        sent = provider.requests
        assert [m["content"] for m in sent[1]["messages"]] == ["S", "one", DEFAULT_REPLY, "two"]
        assert [(r.get("temperature"), r["max_tokens"]) for r in sent] == [(1, 5), (None, 7)]

    def test_tools_of_a_request_replace_those_of_the_session(self):
        provider = MockProvider()
        client = ChatClient("mock-model", providers={"mock": provider}, tools=[{"name": "f"}])
        client.complete("one")
        client.complete("two", tools=[{"type": "function", "function": {"name": "g"}}])
        client.complete("three", tools=[])
        names = [[tool["function"]["name"] for tool in sent.get("tools", [])] for sent in provider.requests]
        assert names == [["f"], ["g"], []]
        assert "tools" not in provider.requests[2]

    def test_a_failure_leaves_no_trace(self):
        client = ChatClient("mock-model")
        with pytest.raises(GenerationError):
            client.complete("<echo-error>500</echo-error>")
        assert client.messages == []
        assert client.statistics.completions == 0

    def test_nothing_of_the_callers_is_kept_or_changed(self):
        message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
        client = ChatClient("mock-model")
        client.complete([message])
        message["content"][0]["text"] = "changed"
        client.messages.clear()
        assert client.messages[0]["content"][0]["text"] == "hi"

    @pytest.mark.parametrize("said", [5, [5], {"content": "x"}, [{"role": "robot", "content": "x"}]])
    def test_what_is_no_message(self, said):
        with pytest.raises(InvalidRequestError):
            ChatClient("mock-model").complete(said)


class TestSettings:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("temperature", -0.1),
            ("temperature", 2.1),
            ("temperature", float("nan")),
            ("temperature", True),
            ("temperature", "1"),
            ("max_tokens", 0),
            ("max_tokens", 1.5),
            ("top_p", 2),
            ("frequency_penalty", 3),
            ("presence_penalty", -3),
            ("stop", [1]),
            ("seed", 1.5),
            ("tools", [{}]),
            ("tools", "f"),
            ("tool_choice", 1),
            ("response_format", "json"),
        ],
    )
    def test_what_none_takes(self, name, value):
        with pytest.raises(InvalidRequestError, match=name):
            ChatClient("mock-model", **{name: value})
        with pytest.raises(InvalidRequestError, match=name):
            ChatClient("mock-model").complete("hi", **{name: value})

    @pytest.mark.parametrize(
        ("name", "value"), [("temperature", 0), ("temperature", 2), ("max_tokens", 1), ("top_p", 1)]
    )
    def test_bounds_are_inside(self, name, value):
        assert ChatClient("mock-model", **{name: value}).complete("<echo>x</echo>").text == "x"

    def test_an_unknown_one(self):
        with pytest.raises(InvalidRequestError, match="did you mean `temperature`"):
            ChatClient("mock-model").complete("hi", temprature=1)

    @pytest.mark.parametrize("options", [{"history": "old"}, {"cache_ttl": -1}, {"cost_limit": float("nan")}])
    def test_other_arguments(self, options):
        with pytest.raises(ValueError, match=next(iter(options))):
            ChatClient("mock-model", **options)


class TestStreams:
    def test_pieces_then_done_once(self):
        heard = []
        client = ChatClient("mock-model")
        response = client.stream("<echo>Hello streaming</echo>", lambda *told: heard.append(told))
        assert heard == [("Hello stre", False), ("aming", False), ("", True)]
        assert response.text == "Hello streaming"
        assert response.usage["completion_tokens"] == client.statistics.completion_tokens == 3

    def test_an_empty_answer_is_only_done(self):
        heard = []
        ChatClient("mock-model").stream("<echo></echo>", lambda *told: heard.append(told))
        assert heard == [("", True)]

    def test_the_callback_uses_the_client(self):
        seen = []

        def listen(piece, done):
            if done:
                seen.append([m["content"] for m in client.messages])
            else:
                client.complete("inner <echo>in</echo>")

        client = ChatClient("mock-model")
        thread = threading.Thread(target=client.stream, args=("outer <echo>out</echo>", listen), daemon=True)
        thread.start()
        thread.join(30)
        assert not thread.is_alive()
        assert seen == [["inner <echo>in</echo>", "in", "outer <echo>out</echo>", "out"]]
        assert client.statistics.completions == 2

    def test_what_a_callback_raises_is_its_own(self):
        def listen(piece, done):
            raise KeyError(piece)

        client = ChatClient("mock-model")
        with pytest.raises(KeyError):
            client.stream("<echo>x</echo>", listen)
        assert client.messages == []

    def test_a_stream_that_breaks(self):
        heard = []
        client = scripted({"reply": {"text": "Hello streaming", "error": "cut"}})
        with pytest.raises(NetworkError):
            client.stream("hi", lambda *told: heard.append(told))
        assert heard == [("Hello stre", False)]
        assert client.messages == []

    def test_threads_lose_nothing(self):
        client = ChatClient("mock-model")

        def talk(number):
            for turn in range(10):
                client.complete(f"<echo>{number}-{turn}</echo>")

        threads = [threading.Thread(target=talk, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        said = client.messages
        assert client.statistics.completions == 40
        assert [m["content"] for m in said[::2]] == [f"<echo>{m['content']}</echo>" for m in said[1::2]]


class TestCache:
    def test_the_same_request_is_a_hit_though_the_history_grew(self):
        client = ChatClient("mock-model", cache_ttl=60)
        first, second = client.complete("a <echo>A</echo>"), client.complete("a <echo>A</echo>")
        assert (first.from_cache, second.from_cache, second.text) == (False, True, "A")
        assert len(client.messages) == 2
        assert client.statistics.cached_responses == client.statistics.completions == 1
        assert (client.cache.hits, client.cache.misses) == (1, 1)

    @pytest.mark.parametrize("settings", [{"temperature": 1}, {"max_tokens": 3}, {"tools": [{"name": "f"}]}])
    def test_settings_are_part_of_the_key(self, settings):
        client = ChatClient("mock-model", cache_ttl=60)
        client.complete("a")
        assert not client.complete("a", **settings).from_cache
        assert client.complete("a", **settings).from_cache

    def test_the_history_alone_is_its_own_key(self):
        client = scripted({"replies": ["one", "two"]}, cache_ttl=60)
        client.add(user("a"))
        assert [client.complete().text for _ in range(2)] == ["one", "two"]

    def test_what_is_too_old_is_asked_again(self, monkeypatch):
        now = [100.0]
        monkeypatch.setattr("aitestrunner.chat._cache.time.monotonic", lambda: now[0])
        client = ChatClient("mock-model", cache_ttl=10)
        client.complete("a")
        now[0] = 109.9
        assert client.complete("a").from_cache
        now[0] = 110.0
        assert not client.complete("a").from_cache
        assert client.cache.expired == 1

    def test_it_is_bounded(self, monkeypatch):
        monkeypatch.setattr("aitestrunner.chat._cache._MOST", 2)
        client = ChatClient("mock-model", cache_ttl=60)
        for text in ("a", "b", "a", "c"):
            client.complete(text)
        assert [client.complete(text).from_cache for text in ("a", "b")] == [True, False]
        assert client.cache.evicted == 2

    def test_streams_neither_read_nor_write_it(self):
        client = ChatClient("mock-model", cache_ttl=60)
        client.stream("a", lambda *_: None)
        assert not client.complete("a").from_cache
        assert not client.stream("a", lambda *_: None).from_cache

    def test_a_changed_response_does_not_change_what_is_kept(self):
        client = ChatClient("mock-model", cache_ttl=60)
        client.complete("a <echo>A</echo>").message["content"] = "changed"
        assert client.complete("a <echo>A</echo>").message["content"] == "A"

    def test_what_is_no_plain_data(self):
        with pytest.raises(InvalidRequestError, match="plain data"):
            ChatClient("mock-model").complete({"role": "user", "content": {1, 2}})


class TestErrors:
    @pytest.mark.parametrize(
        ("error", "kind"),
        [
            (400, InvalidRequestError),
            (401, MissingKeyError),
            (404, ModelNotFoundError),
            (429, GenerationError),
            (500, GenerationError),
            ("reset", NetworkError),
            ("invalidJson", InvalidResponseError),
        ],
    )
    def test_faults_of_a_provider(self, error, kind):
        with pytest.raises(ChatError) as raised:
            scripted({"reply": {"error": error}}).complete("hi")
        assert type(raised.value) is kind

    def test_each_code_has_one_class(self):
        classes = [getattr(aitestrunner.chat, name) for name in aitestrunner.chat.__all__ if name.endswith("Error")]
        assert sorted(kind.code for kind in classes if kind is not ChatError) == list(range(1, 15))

    @pytest.mark.parametrize("answer", [None, {}, {"choices": []}, "text"])
    def test_an_answer_that_is_none(self, answer):
        class Broken:
            def complete(self, request):
                return answer

            def stream(self, request):
                yield {"choices": [{"delta": {"content": "x"}}]}

        models = {"models": [{"name": "m", "provider": "broken"}]}
        client = ChatClient("m", models=models, providers={"broken": Broken()})
        with pytest.raises(InvalidResponseError):
            client.complete("hi")
        with pytest.raises(NetworkError, match="ended before"):
            client.stream("hi", lambda *_: None)
        with pytest.raises(NotSupportedError, match="no embeddings"):
            client.embed("hi")
