"""A canary: a key of the environment goes out with a request, comes back, and is in no file and no stream."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from aitestrunner._cli import main
from aitestrunner.executors import create_executor

from aitestrunner import AITestRunner

KEY = "sk-canary-5c1e77b0"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        sent = self.headers["authorization"]
        self.server.seen.append(sent)
        message = {"role": "assistant", "content": f"I got {sent}"}
        body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "error": {"message": sent}})
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.seen, server.status = [], 200
        server.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("status", [200, 401, 503])
@pytest.mark.parametrize("name", ["http", "openai"])
def test_command_line(server, name, status, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CANARY", KEY)
    server.status = status
    options = {
        "http": f"url: '{server.url}', headers: {{Authorization: 'Bearer ${{CANARY}}'}}",
        "openai": f"model: m, baseUrl: '{server.url}', apiKey: '${{CANARY}}'",
    }
    Path("bot.fixture.yaml").write_text(
        f"---\nexecutor: {{name: {name}, {options[name]}, retries: 0}}\n---\n- {{input: hello, output: nothing}}\n"
    )
    arguments = ["--allow-env", "CANARY", "--verbose", "--json", "a.json", "--jsonl", "a.jsonl", "--markdown", "a.md"]
    assert main(["run", "bot.fixture.yaml", *arguments]) == 1
    assert server.seen == [f"Bearer {KEY}"]
    printed = "".join(capfd.readouterr())
    assert "bot.fixture.yaml" in printed
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"a.json", "a.jsonl", "a.md"} <= {path.name for path in written}
    assert KEY not in printed
    assert not [path for path in written if KEY in path.read_text()]


def test_run_log_and_recordings(server, tmp_path, monkeypatch):
    monkeypatch.setenv("CANARY", KEY)
    executor = create_executor(
        "openai", model="m", base_url=server.url, api_key="${CANARY}", headers={"X": "${CANARY}"}
    )
    options = {
        "log": tmp_path / "run.jsonl",
        "record": "new",
        "recordings": tmp_path / "recordings.jsonl",
    }
    result = AITestRunner(executor).run_sync("bot", [{"input": "hello", "output": "I got"}], log_vars=True, **options)
    assert result.passed, result.logs
    for name in ("run.jsonl", "recordings.jsonl"):
        text = (tmp_path / name).read_text()
        assert "I got" in text
        assert KEY not in text


@pytest.mark.parametrize(
    "options",
    [
        f"headers: {{Authorization: 'Bearer {KEY}'}}",
        f"headers: {{x-api-key: {KEY}}}",
        f"body: {{nested: {{token: {KEY}}}}}",
    ],
)
def test_keys_are_not_written_down(options, tmp_path, monkeypatch, capfd):
    """What stands in a file or on the command line would be in run logs, recordings and events."""
    monkeypatch.chdir(tmp_path)
    executor = f"{{name: http, url: 'http://127.0.0.1:9/x', {options}}}"
    Path("bot.fixture.yaml").write_text(f"---\nexecutor: {executor}\n---\n- {{input: hello, output: nothing}}\n")
    assert main(["run", "bot.fixture.yaml", "--record", "new", "--recordings", "r.jsonl"]) == 1
    name, _, value = options.partition(": ")
    arguments = ["-e", "http", "--executor-option", "url=http://127.0.0.1:9/x", "--executor-option", f"{name}={value}"]
    assert main(["run", "bot.fixture.yaml", *arguments]) == 4
    assert main(["run", "bot.fixture.yaml", "-e", "http", "--executor-option", f"url=http://h/?api_key={KEY}"]) == 4
    printed = "".join(capfd.readouterr())
    assert printed.count("write ${NAME} there") == 3
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "bot.fixture.yaml"]
    assert written
    assert not [path for path in written if KEY in path.read_text()]
