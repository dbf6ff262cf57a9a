"""The executors `http` and `openai` against the mock over a real socket: every fault ends in the documented outcome."""

import contextlib
import json
import logging
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from aitestrunner._report_files import json_parts, markdown_parts, to_json_line
from aitestrunner._report_text import Palette, item_lines, summary_lines
from aitestrunner.executors import HttpExecutor, OpenAIExecutor, create_executor
from aitestrunner.mock import MockProvider
from aitestrunner.mock._wire import Broken, respond
from aitestrunner.testing import check_executor

import matchex
from aitestrunner import AIExecutionContext, AITestRunner

KEY = "sk-canary-7f3a9c55e1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.body = body = self.rfile.read(int(self.headers["content-length"]))
        self.close_connection = True
        self.server.headers.append(dict(self.headers))
        special = self.server.special
        if special is not None:
            special(self)
            return
        response = respond(self.server.provider, "POST", self.path.partition("?")[0], body)
        begun = False
        try:
            for step in response.body:
                if isinstance(step, float):
                    time.sleep(step)
                    continue
                if not begun:
                    self.begin(response.status, response.headers)
                    begun = True
                self.wfile.write(b"%x\r\n%s\r\n" % (len(step), step))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except Broken:
            if not begun:
                self.reset()
        except OSError:
            pass  # the client went away

    def begin(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")
        self.end_headers()

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def say(self, status, body, content_type="text/plain"):
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def finish(self):
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.provider = MockProvider()
        self.headers = []
        self.special = None
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def script(self, *rules):
        self.provider = MockProvider(list(rules))

    def handle_error(self, request, client_address):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def http(server, **options):
    messages = [{"role": "user", "content": "{{input}}"}]
    return HttpExecutor(
        f"{server.url}/chat/completions",
        body={"model": "m", "messages": messages, **options.pop("body", {})},
        response_path={"output": "choices[0].message.content", "usage": "usage"},
        **{"retries": 0, "timeout": 5, **options},
    )


def openai(server, **options):
    return OpenAIExecutor("m", **{"base_url": server.url, "retries": 0, "timeout": 5, "api_key": KEY, **options})


def streaming(server, **options):
    return openai(server, stream=True, **options)


BOTH = pytest.mark.parametrize("make", [http, openai, streaming])


def run(executor, text="<echo>yes</echo>", **case):
    (log,) = AITestRunner(executor).run_sync("bot", [{"input": text, **({"output": {"$eq": "yes"}} | case)}]).logs
    return log


@BOTH
def test_an_answer_with_usage(server, make):
    log = run(make(server))
    assert log.passed, log.errors
    assert log.usage["total_tokens"] == 4


FAULTS = {
    400: "status",
    401: "status",
    408: "status",
    429: "status",
    500: "status",
    "reset": "connection",
    "cut": "connection",
    "invalidJson": "answer",
}


@BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_an_error_of_its_kind(server, make, fault):
    server.script({"reply": {"text": "yes, a long answer in pieces", "error": fault}})
    log = run(make(server))
    assert (log.status, log.error.kind) == ("error", FAULTS[fault])
    assert log.failures == ()
    if isinstance(fault, int):
        assert str(fault) in log.error.message


@BOTH
def test_a_server_that_does_not_answer_is_a_timeout(server, make):
    server.script({"reply": {"text": "yes", "delay": 1.5}})
    started = time.perf_counter()
    log = run(make(server, timeout=0.3))
    assert (log.status, log.error.kind) == ("error", "timeout")
    assert time.perf_counter() - started < 1.4


def test_a_stream_that_drips_for_ever_is_a_timeout(server):
    server.script({"reply": {"text": "x" * 1000, "pieceSize": 1, "pieceDelay": 0.1}})
    log = run(streaming(server, timeout=0.5))
    assert (log.status, log.error.kind) == ("error", "timeout")


@BOTH
def test_fail_twice_then_answer(server, make):
    server.script({"replies": [{"error": {"status": 429, "retryAfter": 0}}, {"error": "reset"}, "yes"]})
    assert run(make(server, retries=2)).passed
    assert server.provider.received == 3


def test_retries_are_told(server):
    server.script({"reply": {"error": {"status": 503, "retryAfter": 0}}})
    assert run(http(server, retries=1)).error.message.endswith("(tried 2 times)")


@BOTH
def test_nobody_is_there(make):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    log = run(make(type("Nowhere", (), {"url": url})))
    assert log.error.kind == "connection"


@pytest.mark.parametrize("make", [http, streaming])
def test_an_answer_without_end(server, make):
    server.script({"reply": {"text": "x" * 100_000, "pieceSize": 1000}})
    log = run(make(server, max_bytes=20_000))
    assert (log.status, log.error.kind) == ("error", "limit")


class TestHttp:
    def answered(self, server, body, content_type="application/json", status=200, **options):
        server.special = lambda handler: handler.say(status, body, content_type)
        return run(HttpExecutor(server.url, retries=0, **options))

    @pytest.mark.parametrize(
        ("body", "content_type", "options"),
        [
            (b"yes", "text/plain", {}),
            (b'"yes"', "application/json", {}),
            (b'{"output": "yes", "usage": {"total": 1}}', "application/json", {}),
            (b'{"a": [{"b": "yes"}]}', "application/json", {"response_path": "a[0].b"}),
            (b'{"a": "yes", "m": []}', "text/plain", {"response_path": {"output": "a", "messages": "m"}}),
        ],
    )
    def test_answers(self, server, body, content_type, options):
        assert self.answered(server, body, content_type, **options).passed

    @pytest.mark.parametrize(
        ("body", "options", "words"),
        [
            (b'{"a": 1}', {"response_path": "b.c"}, "nothing at 'b.c': there is no 'b' among 'a'"),
            (b"<html>", {"response_path": "a"}, "no JSON"),
            (b"{", {}, "no JSON"),
            (b"\xff\xfe", {}, "cannot be decoded"),
        ],
    )
    def test_answers_that_are_none(self, server, body, options, words):
        log = self.answered(server, body, **options)
        assert (log.status, log.error.kind) == ("error", "answer")
        assert words in log.error.message

    def test_redirects_are_not_followed(self, server):
        assert self.answered(server, b"", status=302).error.kind == "status"

    def test_the_body_by_default(self, server):
        bodies = []

        def special(handler):
            bodies.append(json.loads(handler.body))
            handler.say(200, b"yes")

        server.special = special
        assert run(HttpExecutor(server.url), {"q": "x"}, id="mine").passed
        args = {"q": "x", "input": {"q": "x"}}
        assert bodies == [{"id": "mine", "script": "bot", "input": {"q": "x"}, "args": args}]

    def test_templates(self, server):
        seen = []

        def special(handler):
            seen.append((handler.path, handler.headers["x-q"], handler.body))
            handler.say(200, b"yes")

        server.special = special
        executor = HttpExecutor(server.url + "/{{script}}/{{id}}", body="say {{q}}", headers={"x-q": "{{q}}"})
        log = run(executor, {"q": "{{ 1 }} is text"}, templates=False, id="mine")
        assert log.passed, log.errors
        assert seen == [("/v1/bot/mine", "{{ 1 }} is text", b"say {{ 1 }} is text")]

    def test_a_template_that_names_nothing(self, server):
        log = run(HttpExecutor(server.url, body={"q": "{{qeustion}}"}), {"question": "x"})
        assert log.error.kind == "template"
        assert "question" in log.error.message

    def test_contract(self, server):
        check_executor(lambda: http(server))


class TestOpenAI:
    def test_tools_go_out_and_calls_come_back(self, server):
        server.script({"reply": {"toolCalls": [{"name": "search", "args": {"q": "x"}}]}})
        for make in (openai, streaming):
            log = run(
                make(server), tools=["search"], output=None, expect={"tools": [{"name": "search", "args": {"q": "x"}}]}
            )
            assert log.passed, (log.errors, log.failures)
        sent = {"tools": [{"type": "function", "function": {"name": {"$eq": "search"}}}]}
        assert matchex.validate(server.provider.requests, [sent, {"stream": True}]).passed

    def test_system_prompt_parameters_and_structured_output(self, server):
        executor = openai(
            server,
            system="You are {{who}}.",
            prompt="Q: {{q}}",
            params={"temperature": 0.5, "seed": 3},
            response_format={"type": "json_object"},
        )
        log = run(executor, {"who": "Ann", "q": '<echo>{"a": 1}</echo>'}, output={"a": 1})
        assert log.passed, (log.errors, log.failures)
        expected = {
            "temperature": 0.5,
            "seed": 3,
            "response_format": {"type": "json_object"},
            "messages": [{"role": "system", "content": {"$eq": "You are Ann."}}, {"role": "user", "content": "Q: "}],
        }
        assert matchex.validate(server.provider.requests[0], expected).passed

    @pytest.mark.parametrize("make", [openai, streaming])
    def test_usage_becomes_cost(self, server, make, tmp_path):
        server.script({"reply": {"text": "yes", "usage": {"prompt_tokens": 1000, "completion_tokens": 500}}})
        assert run(make(server, prices={"m": {"input": 2.0, "output": 10}})).cost == pytest.approx(0.007)
        (tmp_path / "prices.yaml").write_text("'m*': {input: 1, output: 0}\n")
        assert run(make(server, prices=tmp_path / "prices.yaml")).cost == pytest.approx(0.001)
        assert run(make(server, prices={"other": {"input": 1, "output": 1}})).cost is matchex.MISSING

    def test_reasoning_and_finish_reason_are_in_the_meta(self, server):
        server.script({"reply": {"text": "yes", "reasoning": "hm", "finishReason": "length"}})
        for make in (openai, streaming):
            meta = run(make(server)).actual_meta
            assert (meta["reasoning"], meta["finishReason"], meta["model"]) == ("hm", "length", "m")

    def test_a_service_of_ones_own_is_sent_no_key_that_was_not_named(self, server, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert run(OpenAIExecutor("m", base_url=server.url)).passed
        assert KEY not in str(server.headers)

    def test_contract(self, server):
        contexts = [AIExecutionContext("s", {"input": f"<echo>{i}</echo>"}) for i in range(3)]
        check_executor(lambda: openai(server), contexts)
        check_executor(lambda: streaming(server), contexts)


class TestNoKeyIsSeen:
    """A canary: a key that goes out, and that the server sends back wherever it can, appears in no sink."""

    def loud(self, status):
        def special(handler):
            sent = handler.headers.get("authorization", "") + " " + handler.headers.get("x-api-key", "")
            body = {
                "output": f"I got {sent}",
                "error": {"message": f"Incorrect API key provided: {sent}", "code": sent},
                "choices": [{"message": {"content": sent, sent: sent}}],
            }
            handler.say(status, json.dumps(body).encode(), "application/json")

        return special

    def executors(self, server, monkeypatch):
        monkeypatch.setenv("CANARY", KEY)
        url = server.url
        named = {"Authorization": "Bearer ${CANARY}", "X-Api-Key": "${CANARY}"}
        yield HttpExecutor(f"{url}?key={KEY}", headers={"Authorization": f"Bearer {KEY}"}, retries=0)
        yield create_executor("http", url=url + "/${CANARY}?q=${CANARY}", headers=named, retries=1)
        yield create_executor("http", url=url, headers=named, response_path="nowhere", retries=0)
        yield create_executor("openai", model="m", base_url=url, api_key="${CANARY}", headers=named, retries=1)
        yield create_executor("openai", model="m", base_url=url, api_key="${CANARY}", stream=True, retries=0)
        yield OpenAIExecutor("m", base_url=url, api_key=KEY, retries=0)

    @pytest.mark.parametrize("status", [200, 401, 500, "reset"])
    def test_canary(self, server, status, monkeypatch, caplog):
        caplog.set_level(logging.DEBUG)
        server.special = Handler.reset if status == "reset" else self.loud(status)
        for executor in self.executors(server, monkeypatch):
            runner, events = AITestRunner(executor), []
            for name in ("run:start", "test:start", "test:pass", "test:fail", "test:error", "run:end"):
                runner.on(name, events.append)
            result = runner.run_sync("bot", [{"input": "hello", "output": "nothing"}], log_vars=True)
            (log,) = result.logs
            assert log.status in ("fail", "error")
            sinks = [to_json_line(log), repr(events), repr(result)]
            sinks += [*json_parts(result, result.logs), *markdown_parts(result, result.logs)]
            sinks += item_lines(log, Palette(enabled=False), verbose=True)
            sinks += summary_lines(result, Palette(enabled=False))
            error = log.error and log.error.cause
            while error is not None:
                sinks += [str(error), repr(error), repr(vars(error))]
                error = error.__cause__ or error.__context__
            assert not [sink for sink in sinks if KEY in sink]
        assert any(KEY in str(headers) for headers in server.headers) or status == "reset"
        assert KEY not in caplog.text
        assert KEY not in repr([record.args for record in caplog.records])
