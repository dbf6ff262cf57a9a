"""The mock provider: finding the reply, scripts, tags, streams, faults, the log."""

import asyncio
import json
import threading
import time

import pytest
import regex
from aitestrunner.mock import DEFAULT_REPLY, MockFault, MockProvider, count_tokens
from hypothesis import given
from hypothesis import strategies as st

import matchex
from aitestrunner import FixtureError


def user(text):
    return [{"role": "user", "content": text}]


def text_of(answer):
    return answer["choices"][0]["message"]["content"]


def streamed(provider, request):
    deltas = [chunk["choices"][0]["delta"] for chunk in provider.stream(request) if chunk["choices"]]
    return [delta["content"] for delta in deltas if delta.get("content")]


class TestEcho:
    @pytest.mark.parametrize(
        ("content", "reply"),
        [
            ("a <echo>b</echo> c", "b"),
            ("<EcHo>b</ECHO>", "b"),
            ("<echo>\n two\nlines \r\n</echo>", "two\nlines"),
            ("</echo> <echo>b</echo>", "b"),
            ("<echo>a <echo>b</echo> c</echo>", "a <echo>b"),
            ("<echo></echo><echo>b</echo>", ""),
            ("<echo x='1'>b</echo>", DEFAULT_REPLY),
            ("<echo/>", DEFAULT_REPLY),
            ("<echo>b", DEFAULT_REPLY),
            ("＜echo＞b＜/echo＞", DEFAULT_REPLY),
            ("", DEFAULT_REPLY),
            ("<echo>\x00</echo>", "\x00"),
            ("<echo>İ</echo>", "İ"),
            (None, DEFAULT_REPLY),
        ],
    )
    def test_reply(self, content, reply):
        assert text_of(MockProvider().complete(user(content))) == reply

    def test_the_default_reply_in_a_history_is_no_tag(self):
        history = [*user("hello"), {"role": "assistant", "content": DEFAULT_REPLY}, *user("<echo>now</echo>")]
        assert "mock response" in DEFAULT_REPLY
        assert text_of(MockProvider().complete(history)) == "now"

    @pytest.mark.parametrize(
        ("content", "length"),
        [
            ("<echo>" + "x" * 1_000_000 + "</echo>", 1_000_000),
            ("<echo>" * 100_000, len(DEFAULT_REPLY)),
            ("<echo>" + "x" * 10_000_000, len(DEFAULT_REPLY)),
            ("<echo>" * 100_000 + "</echo>", 599_994),
        ],
        ids=["long reply", "many opening tags", "never closed", "closed at last"],
    )
    def test_any_length(self, content, length):
        started = time.perf_counter()
        assert len(text_of(MockProvider().complete(user(content)))) == length
        assert time.perf_counter() - started < 20

    def test_same_request_same_reply(self):
        replies = [MockProvider().complete(user("<echo>x</echo>")) for _ in range(2)]
        assert replies[0] == replies[1]

    @pytest.mark.parametrize("request_", [{}, {"messages": "hi"}, {"messages": ["hi"]}])
    def test_what_is_no_request(self, request_):
        with pytest.raises(TypeError, match="`messages`"):
            MockProvider().complete(request_)


class TestStream:
    def test_shape(self):
        request = {"messages": user("<echo>hello, you</echo>"), "stream_options": {"include_usage": True}}
        chunks = list(MockProvider(piece_size=6).stream(request))
        assert [chunk["choices"][0]["delta"] for chunk in chunks[:-1]] == [
            {"role": "assistant", "content": ""},
            {"content": "hello,"},
            {"content": " you"},
            {},
        ]
        assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
        assert chunks[-1]["usage"] == {"prompt_tokens": 6, "completion_tokens": 2, "total_tokens": 8}

    @given(st.text(), st.integers(1, 12))
    def test_pieces(self, text, size):
        provider = MockProvider([{"reply": {"text": text}}], piece_size=size)
        pieces = streamed(provider, user("x"))
        assert "".join(pieces) == text
        assert all(piece and (len(piece.encode()) <= size or regex.fullmatch(r"\X", piece)) for piece in pieces)
        assert regex.findall(r"\X", text) == [one for piece in pieces for one in regex.findall(r"\X", piece)]

    @pytest.mark.parametrize("character", ["é", "👩🏽‍🚀", "🇩🇪", "\r\n", "\ud83d\ude00", "각"])
    def test_a_character_is_never_cut(self, character):
        provider = MockProvider([{"reply": {"text": character * 3}}], piece_size=1)
        assert streamed(provider, user("x")) == [character] * 3

    def test_async_is_the_same(self):
        provider = MockProvider()

        async def main():
            chunks = [chunk async for chunk in provider.stream_async(user("<echo>a b</echo>"))]
            return chunks, await provider.complete_async(user("<echo>a b</echo>"))

        chunks, whole = asyncio.run(main())
        provider.forget()
        assert chunks == list(provider.stream(user("<echo>a b</echo>")))
        assert whole == provider.complete(user("<echo>a b</echo>"))

    def test_delays(self):
        provider = MockProvider([{"reply": {"text": "abc", "delay": 0.05, "pieceSize": 1, "pieceDelay": 0.02}}])
        started = time.perf_counter()
        list(provider.stream(user("x")))
        assert time.perf_counter() - started >= 0.11

    @pytest.mark.parametrize("options", [{"piece_size": 0}, {"piece_delay": -1}])
    def test_wrong_options(self, options):
        with pytest.raises(ValueError, match="piece_"):
            MockProvider(**options)


class TestScript:
    def test_rules_in_order_and_the_tag_where_none_holds(self):
        provider = MockProvider(
            [
                {"when": {"messages": {"$last": {"content": "/rain/i"}}}, "reply": "sunny"},
                {"when": {"model": {"$eq": "big"}}, "reply": {"text": "big"}},
            ]
        )
        asked = [user("Rain?"), {"model": "big", "messages": user("<echo>x</echo>")}, user("<echo>x</echo>")]
        assert [text_of(provider.complete(request)) for request in asked] == ["sunny", "big", "x"]
        assert [entry["by"] for entry in provider.log] == ["0", "1", "echo"]

    def test_fail_twice_then_answer(self):
        provider = MockProvider([{"replies": [{"error": 500, "times": 2}, "at last"]}])
        for _ in range(2):
            with pytest.raises(MockFault) as caught:
                provider.complete(user("x"))
            assert caught.value.status == 500
        assert [text_of(provider.complete(user("x"))) for _ in range(3)] == ["at last"] * 3

    def test_everything_a_reply_can_say(self):
        provider = MockProvider(
            [
                {
                    "reply": {
                        "text": "let me look",
                        "toolCalls": [{"name": "search", "args": {"q": "日本"}}, {"name": "now", "id": "c9"}],
                        "reasoning": "hm",
                        "finishReason": "length",
                        "usage": {"completion_tokens": 7},
                    }
                }
            ],
            piece_size=5,
        )
        whole = provider.complete(user("x"))
        message = whole["choices"][0]["message"]
        assert message["reasoning_content"] == "hm"
        assert [call["id"] for call in message["tool_calls"]] == ["call_1_0", "c9"]
        assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"q": "日本"}
        assert (whole["choices"][0]["finish_reason"], whole["usage"]["completion_tokens"]) == ("length", 7)
        arguments = [
            call["function"]["arguments"]
            for chunk in provider.stream(user("x"))
            for call in chunk["choices"][0]["delta"].get("tool_calls", [])
            if call["index"] == 0
        ]
        assert json.loads("".join(arguments)) == {"q": "日本"}

    @pytest.mark.parametrize(
        ("error", "kind", "status"),
        [
            (429, "status", 429),
            ({"status": 429, "retryAfter": 2}, "status", 429),
            ("reset", "reset", None),
            ("invalidJson", "invalidJson", None),
            ({"kind": "cut", "after": 2}, "cut", None),
        ],
    )
    def test_faults(self, error, kind, status):
        provider = MockProvider([{"reply": {"text": "some long text", "error": error}}], piece_size=2)
        for call in (provider.complete, lambda request: list(provider.stream(request))):
            with pytest.raises(MockFault) as caught:
                call(user("x"))
            assert (caught.value.kind, caught.value.status) == (kind, status)
            assert caught.value.body()["error"]["message"]

    def test_a_stream_is_cut_after_so_many_pieces(self):
        provider = MockProvider([{"reply": {"text": "abcdef", "error": {"kind": "cut", "after": 2}}}], piece_size=1)
        got = []
        with pytest.raises(MockFault):
            got.extend(chunk["choices"][0]["delta"].get("content") for chunk in provider.stream(user("x")))
        assert got == ["", "a", "b"]

    @pytest.mark.parametrize(
        ("script", "words"),
        [
            ("nothing", "no such file"),
            ({"reply": "x"}, "a script is a list"),
            ([{"repyl": "x"}], "did you mean `reply`"),
            ([{}], "either a `reply`"),
            ([{"reply": "x", "replies": ["y"]}], "either a `reply`"),
            ([{"replies": []}], "at least one"),
            ([{"reply": 5}], "a reply is a text"),
            ([{"reply": {"toolCall": []}}], "did you mean `toolCalls`"),
            ([{"reply": {"toolCalls": [{"args": {}}]}}], "`toolCalls` takes"),
            ([{"reply": {"delay": -1}}], "`delay` takes seconds"),
            ([{"reply": {"error": "broken"}}], "an error is a status"),
            ([{"reply": {"error": 200}}], "from 400 to 599"),
            ([{"reply": {"error": {"kind": "cut", "status": 500}}}], "either a `status` or a `kind`"),
            ([{"reply": {"error": {"after": 1}}}], "either a `status` or a `kind`"),
            ([{"when": {"$gtt": 1}, "reply": "x"}], "$gt"),
            (["x"], "a rule is a mapping"),
        ],
    )
    def test_scripts_with_problems(self, script, words):
        with pytest.raises((FixtureError, OSError)) as caught:
            MockProvider(script)
        assert words.lower() in str(caught.value).lower()

    def test_problems_of_a_file_have_their_place(self, tmp_path):
        path = tmp_path / "replies.yaml"
        path.write_text("- reply: x\n- when: {a: {$gtt: 1}}\n  reply: {txt: x}\n- when: {a: {$gtt: 1}}\n  reply: y\n")
        with pytest.raises(FixtureError) as caught:
            MockProvider(path)
        assert [problem.position[1:] for problem in caught.value.problems] == [(3, 11), (4, 3)]

    def test_a_file(self, tmp_path):
        for name, text in (("r.yaml", "- reply: hi\n"), ("r.json", '[{"reply": "hi"}]')):
            (tmp_path / name).write_text(text)
            assert text_of(MockProvider(tmp_path / name).complete(user("x"))) == "hi"

    def test_a_condition_that_cannot_be_judged_is_no_silent_no(self):
        provider = MockProvider([{"when": {"messages": {"$expr": "nothing.there"}}, "reply": "x"}])
        with pytest.raises(MockFault, match="cannot be judged") as caught:
            provider.complete(user("x"))
        assert caught.value.status == 500

    def test_a_script_is_not_changed(self):
        script = [{"replies": [{"toolCalls": [{"name": "a", "args": {}}]}]}]
        before = json.dumps(script)
        MockProvider(script).complete(user("x"))
        assert json.dumps(script) == before


class TestTags:
    def test_a_tool_until_it_has_answered(self):
        provider = MockProvider()
        question = '<echo-tool>{"name": "search", "args": {"q": 1}}</echo-tool><echo>found it</echo>'
        message = provider.complete(user(question))["choices"][0]["message"]
        assert message["tool_calls"][0]["function"]["name"] == "search"
        history = [*user(question), message, {"role": "tool", "tool_call_id": "call_1_0", "content": "5"}]
        answer = provider.complete(history)["choices"][0]
        assert (answer["message"]["content"], answer["finish_reason"]) == ("found it", "stop")
        assert "tool_calls" not in answer["message"]

    def test_reasoning_finish_and_delay(self):
        provider = MockProvider()
        text = (
            "<echo>x</echo><echo-reasoning>hm</echo-reasoning><echo-finish>length</echo-finish><echo-delay>0.02"
            "</echo-delay>"
        )
        reply = provider.reply(user(text))
        assert (reply.text, reply.reasoning, reply.finish_reason, reply.delay) == ("x", "hm", "length", 0.02)

    @pytest.mark.parametrize("error", ["429", "reset", '{"status": 503, "message": "away"}'])
    def test_errors(self, error):
        with pytest.raises(MockFault):
            MockProvider().complete(user(f"<echo-error>{error}</echo-error>"))

    def test_only_the_newest_message_of_the_user_counts(self):
        history = [*user("<echo-error>500</echo-error>"), *user("<echo>fine</echo>")]
        assert text_of(MockProvider().complete(history)) == "fine"

    @pytest.mark.parametrize("tag", ["<echo-delay>soon</echo-delay>", "<echo-tool>{}</echo-tool>"])
    def test_what_a_tag_cannot_hold_is_said(self, tag):
        with pytest.raises(MockFault, match="cannot read the request") as caught:
            MockProvider().complete(user(tag))
        assert caught.value.status == 400


class TestLog:
    def test_is_data_to_assert_on(self):
        provider = MockProvider()
        provider.complete({"model": "m", "messages": user("<echo>x</echo>"), "temperature": 0.5})
        expected = [{"request": {"model": "m", "temperature": {"$lte": 1}}, "by": "echo", "reply": {"text": "x"}}]
        assert matchex.validate(provider.log, expected).passed

    def test_is_a_copy_and_bounded(self):
        provider, messages = MockProvider(log_limit=2), user("1")
        provider.complete(messages)
        messages[0]["content"] = "changed"
        assert provider.requests[0]["messages"][0]["content"] == "1"
        for _ in range(3):
            provider.complete(user("x"))
        assert (len(provider.requests), provider.received) == (2, 4)

    def test_threads_and_tasks_share_a_provider(self):
        provider = MockProvider([{"when": {"messages": {"$last": {"content": "count"}}}, "replies": ["1", "2", "3"]}])
        seen = []

        def work(number):
            seen.extend(text_of(provider.complete(user(f"<echo>{number}-{i}</echo>"))) for i in range(50))
            seen.append(text_of(provider.complete(user("count"))))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seen) == sorted(["1", "2", "3", *(f"{n}-{i}" for n in range(3) for i in range(50))])
        assert len({entry["request"]["messages"][0]["content"] for entry in provider.log}) == 151


def test_tokens():
    assert [count_tokens(text) for text in ("", "abc", "abcd", "日本", "\ud800xy")] == [0, 0, 1, 1, 1]
