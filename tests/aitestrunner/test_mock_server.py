"""The mock over loopback: the official client, unmodified; faults on the wire; many at once; requests that are none."""

import asyncio
import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time

import httpx
import openai
import pytest
from aitestrunner.mock import DEFAULT_REPLY, MockProvider, MockServer
from aitestrunner.mock._server import MAX_BODY


@pytest.fixture
def server():
    with MockServer() as server:
        yield server


@pytest.fixture
def client(server):
    with openai.OpenAI(base_url=server.url, api_key="any", timeout=20, max_retries=0) as client:
        yield client


def user(text):
    return [{"role": "user", "content": text}]


def ask(client, text="<echo>yes</echo>", **options):
    return client.chat.completions.create(model="m", messages=user(text), **options)


def script(server, *rules):
    server.provider = MockProvider(list(rules))


class TestOfficialClient:
    def test_chat(self, client):
        answer = ask(client, "<echo>héllo</echo>")
        assert answer.choices[0].message.content == "héllo"
        assert (answer.choices[0].finish_reason, answer.usage.completion_tokens, answer.model) == ("stop", 1, "m")
        assert ask(client, "hi").choices[0].message.content == DEFAULT_REPLY

    def test_streaming_with_usage(self, client):
        stream = ask(client, "<echo>日本語のテキスト</echo>", stream=True, stream_options={"include_usage": True})
        chunks = list(stream)
        assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "日本語のテキスト"
        assert chunks[-1].usage.completion_tokens == 6

    def test_tools_round_trip(self, client, server):
        script(
            server,
            {"when": {"messages": {"$last": {"role": "tool"}}}, "reply": "sunny"},
            {"reply": {"toolCalls": [{"name": "get_weather", "args": {"place": "Rimini"}}]}},
        )
        tools = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}]
        message = ask(client, "weather?", tools=tools).choices[0].message
        (call,) = message.tool_calls
        assert call.function.arguments == '{"place": "Rimini"}'
        result = {"role": "tool", "tool_call_id": call.id, "content": "27 degrees"}
        answer = client.chat.completions.create(model="m", messages=[*user("weather?"), message, result])
        assert answer.choices[0].message.content == "sunny"

    def test_structured_output(self, client):
        import pydantic

        class Answer(pydantic.BaseModel):
            total: int

        text = '<echo>{"total": 4}</echo>'
        answer = client.chat.completions.parse(model="m", messages=user(text), response_format=Answer)
        assert answer.choices[0].message.parsed.total == 4

    @pytest.mark.parametrize(
        "error", [{"status": 429, "retryAfter": 0.01}, {"status": 500, "retryAfter": 0.01}, "reset"]
    )
    def test_retries(self, client, server, error):
        script(server, {"replies": [{"error": error, "times": 2}, "yes"]})
        assert ask(client.with_options(max_retries=2)).choices[0].message.content == "yes"
        assert server.provider.received == 3

    @pytest.mark.parametrize(
        ("error", "raised"),
        [
            (400, openai.BadRequestError),
            (401, openai.AuthenticationError),
            (429, openai.RateLimitError),
            (500, openai.InternalServerError),
            ("reset", openai.APIConnectionError),
            ("cut", openai.APIConnectionError),
        ],
    )
    def test_errors(self, client, server, error, raised):
        script(server, {"reply": {"text": "some text", "error": error}})
        with pytest.raises(raised):
            ask(client)

    @pytest.mark.parametrize("error", ["cut", "invalidJson"])
    def test_a_stream_that_breaks(self, client, server, error):
        script(server, {"reply": {"text": "some long text", "error": {"kind": error, "after": 1}}})
        got = []
        with pytest.raises(Exception) as caught:
            got.extend(chunk.choices[0].delta.content for chunk in ask(client, stream=True))
        assert not isinstance(caught.value, AssertionError)
        assert got == ["", "some long "]

    def test_timeout(self, client, server):
        script(server, {"reply": {"text": "yes", "delay": 5}})
        with pytest.raises(openai.APITimeoutError):
            ask(client.with_options(timeout=0.2))

    def test_embeddings_and_models(self, client):
        one, two = client.embeddings.create(model="e", input=["a", "b"], dimensions=16).data
        again = client.embeddings.create(model="e", input="a", dimensions=16).data[0]
        plain = client.embeddings.create(model="e", input="a", dimensions=16, encoding_format="float").data[0]
        assert one.embedding == again.embedding != two.embedding
        assert one.embedding == pytest.approx(plain.embedding, abs=1e-6)
        assert sum(value * value for value in plain.embedding) == pytest.approx(1)
        assert [model.id for model in client.models.list()] == ["mock-model"]
        assert client.models.retrieve("gpt-4o-mini").id == "gpt-4o-mini"

    def test_several_choices(self, client):
        answer = ask(client, n=2)
        assert [(choice.index, choice.message.content) for choice in answer.choices] == [(0, "yes"), (1, "yes")]
        chunks = [chunk.choices[0] for chunk in ask(client, n=2, stream=True)]
        assert [(choice.index, choice.delta.content) for choice in chunks if choice.delta.content] == [
            (0, "yes"),
            (1, "yes"),
        ]

    def test_tools_in_a_stream(self, client):
        text = '<echo-tool>{"name": "get_weather", "args": {"place": "Rimini"}}</echo-tool>'
        with client.chat.completions.stream(model="m", messages=user(text)) as stream:
            (call,) = stream.get_final_completion().choices[0].message.tool_calls
        assert (call.function.name, call.function.arguments) == ("get_weather", '{"place": "Rimini"}')

    def test_a_refusal_names_the_parameter(self, client):
        with pytest.raises(openai.BadRequestError, match="`temperature` is a number from 0 to 2") as caught:
            ask(client, temperature=9)
        assert (caught.value.param, caught.value.code) == ("temperature", "decimal_above_max_value")

    def test_async_client(self, server):
        async def main():
            async with openai.AsyncOpenAI(base_url=server.url, api_key="any") as client:
                return await client.chat.completions.create(model="m", messages=user("<echo>yes</echo>"))

        assert asyncio.run(main()).choices[0].message.content == "yes"


class TestRequestsThatAreNone:
    @pytest.fixture(scope="class")
    @classmethod
    def server(cls):
        with MockServer() as server:
            yield server

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            (b"{", "no JSON"),
            (b"[" * 100_000, "no JSON"),
            (b"[]", "no JSON object"),
            (b"{}", "`model`"),
            (b'{"model": "m"}', "`messages`"),
            (b'{"model": "m", "messages": []}', "`messages`"),
            (b'{"model": "m", "messages": ["x"]}', "messages[0]"),
            (b'{"model": "m", "messages": [{"role": "wizard", "content": "x"}]}', "messages[0].role"),
            (b'{"model": "m", "messages": [{"role": "tool", "content": "x"}]}', "tool_call_id"),
            (b'{"model": "m", "messages": [{"content": "x"}]}', "messages[0].role"),
            (b'{"model": "m", "messages": [{"role": "user"}]}', "messages[0].content"),
            (b'{"model": "m", "messages": [{"role": "user", "content": "x", "name": null}]}', "messages[0].name"),
        ],
    )
    def test_chat(self, server, body, words):
        answer = httpx.post(f"{server.url}/chat/completions", content=body)
        assert answer.status_code == 400
        assert words in answer.json()["error"]["message"]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("temperature", 9),
            ("temperature", "hot"),
            ("temperature", True),
            ("temperature", 10**400),
            ("top_p", 1.1),
            ("presence_penalty", -3),
            ("n", 0),
            ("n", 129),
            ("max_tokens", 1.5),
            ("stream", "yes"),
            ("stream_options", {"include_usage": True}),
            ("response_format", "json"),
            ("seed", "x"),
            ("stop", ["a", "b", "c", "d", "e"]),
            ("tools", {}),
            ("tools", [{"name": "f"}]),
            ("tools", [{"type": "function", "function": {}}]),
            ("tool_choice", "required"),
        ],
    )
    def test_parameters(self, server, name, value):
        request = {"model": "m", "messages": user("x"), name: value}
        answer = httpx.post(f"{server.url}/chat/completions", json=request)
        assert answer.status_code == 400
        error = answer.json()["error"]
        assert error["param"].startswith(name)
        assert name in error["message"]

    def test_a_parameter_that_is_null_is_left_out(self, server):
        left_out = dict.fromkeys(["temperature", "n", "stop", "stream", "stream_options", "tools", "tool_choice"])
        request = {"model": "m", "messages": user("<echo>yes</echo>"), **left_out}
        answer = httpx.post(f"{server.url}/chat/completions", json=request).json()
        assert answer["choices"][0]["message"]["content"] == "yes"

    @pytest.mark.parametrize(
        ("pattern", "words"),
        [
            ("a1 t1 u", ""),
            ("a12 t2 t1 u", ""),
            ("t1 u", "messages[1]` answers the tool call '1'"),
            ("a1 t2", "messages[2]` answers the tool call '2'"),
            ("a1 t1 t1", "messages[3]` answers the tool call '1'"),
            ("a1 u", "that answers them: 1"),
            ("a12 t1", "that answers them: 2"),
        ],
    )
    def test_results_answer_calls(self, server, pattern, words):
        function = {"name": "f", "arguments": "{}"}
        messages = user("x")
        for kind, *ids in pattern.split():
            if kind == "a":
                calls = [{"id": number, "type": "function", "function": function} for number in ids]
                messages.append({"role": "assistant", "content": None, "tool_calls": calls})
            elif kind == "t":
                messages.append({"role": "tool", "tool_call_id": ids[0], "content": "result"})
            else:
                messages += user("next")
        answer = httpx.post(f"{server.url}/chat/completions", json={"model": "m", "messages": messages})
        assert answer.status_code == (400 if words else 200)
        assert words in answer.text

    @pytest.mark.parametrize("given", [None, "", [], [""], [1.5], {"a": 1}])
    def test_embeddings(self, server, given):
        answer = httpx.post(f"{server.url}/embeddings", json={"model": "m", "input": given})
        assert answer.status_code == 400

    def test_other_places(self, server):
        assert httpx.get(server.url.replace("/v1", "/health")).json() == {"status": "ok"}
        assert httpx.get(f"{server.url}/nowhere").status_code == 404
        assert httpx.get(f"{server.url}/chat/completions").status_code == 405

    def test_a_body_of_50_megabytes(self, server):
        body = b'{"model": "' + b"x" * 50_000_000
        answer = httpx.post(f"{server.url}/chat/completions", content=body, timeout=60)
        assert answer.status_code == 413
        assert str(MAX_BODY) in answer.json()["error"]["message"]


class TestMany:
    def test_concurrent_streams_are_not_mixed_up(self, server):
        async def one(client, number):
            stream = await client.chat.completions.create(
                model="m", messages=user(f"<echo>{number} {'é' * 100}</echo>"), stream=True
            )
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

        async def main():
            async with openai.AsyncOpenAI(base_url=server.url, api_key="any", timeout=60) as client:
                return await asyncio.gather(*(one(client, number) for number in range(64)))

        assert asyncio.run(main()) == [f"{number} {'é' * 100}" for number in range(64)]

    def test_slow_readers_and_those_who_go_away_block_nobody(self, server):
        script(
            server,
            {"when": {"model": {"$eq": "slow"}}, "reply": {"text": "x" * 3_000_000, "pieceSize": 30_000}},
            {"when": {"model": {"$eq": "dripping"}}, "reply": {"text": "x" * 1000, "pieceDelay": 0.1}},
        )
        host = server.url.removeprefix("http://").removesuffix("/v1")
        connections = []
        for model in ("slow", "dripping") * 4:
            connection = http.client.HTTPConnection(host, timeout=20)
            body = f'{{"model": "{model}", "stream": true, "messages": [{{"role": "user", "content": "x"}}]}}'
            connection.request("POST", "/v1/chat/completions", body)
            connections.append(connection)
        for connection in connections[:4]:
            connection.close()
        started = time.perf_counter()
        with openai.OpenAI(base_url=server.url, api_key="any", timeout=20) as client:
            assert ask(client).choices[0].message.content == "yes"
        assert time.perf_counter() - started < 15
        for connection in connections[4:]:
            connection.close()

    def test_it_ends_though_clients_are_connected(self):
        with MockServer([{"reply": {"text": "x" * 100, "pieceDelay": 1, "pieceSize": 1}}]) as server:
            stream = httpx.stream(
                "POST", f"{server.url}/chat/completions", json={"model": "m", "stream": True, "messages": user("x")}
            )
            with stream as response:
                next(response.iter_bytes())
                started = time.perf_counter()
                server.__exit__(None, None, None)
                assert time.perf_counter() - started < 10
        assert not any(thread.name == "mock-server" for thread in threading.enumerate())


class TestCommand:
    @pytest.fixture
    def aitest(self, tmp_path):
        running = []

        def start(*arguments):
            process = subprocess.Popen(
                [sys.executable, "-m", "aitestrunner", "mock-server", "--port", "0", *arguments],
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
            running.append(process)
            line = process.stdout.readline()
            return process, re.search(r"http://\S+", line)[0]

        yield start
        for process in running:
            process.kill()
            process.communicate()

    def post(self, url):
        for _ in range(200):
            try:
                return httpx.post(f"{url}/chat/completions", json={"model": "m", "messages": user("x")}).json()
            except httpx.ConnectError:
                time.sleep(0.02)
        raise AssertionError("nobody is there")

    def test_a_script_that_changes(self, aitest, tmp_path):
        path = tmp_path / "replies.yaml"
        path.write_text("- reply: one\n")
        process, url = aitest("--script", "replies.yaml")
        assert self.post(url)["choices"][0]["message"]["content"] == "one"
        path.write_text("- reply: another\n")
        assert self.post(url)["choices"][0]["message"]["content"] == "another"
        path.write_text("- repyl: broken now\n")
        assert "did you mean `reply`" in self.post(url)["error"]["message"]
        process.send_signal(signal.SIGINT)
        assert process.wait(20) in (0, 2)

    def test_wrong_usage(self, tmp_path, capsys):
        from aitestrunner._cli import main

        assert main(["mock-server", "--script", str(tmp_path / "nowhere.yaml")]) == 4
        assert "cannot be read" in capsys.readouterr().err
        with MockServer() as server:
            port = server.url.rpartition(":")[2].removesuffix("/v1")
            assert main(["mock-server", "--port", port]) == 4
        assert "cannot serve" in capsys.readouterr().err
