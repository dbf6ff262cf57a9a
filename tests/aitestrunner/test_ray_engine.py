"""Cases on other processes: an engine of our own for the order of things, and Ray itself where it is installed."""

import contextlib
import importlib.util
import json
import os
import random
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from aitestrunner._cli import main
from aitestrunner._engine import Work, run_cases
from aitestrunner._stored import item_of

from aitestrunner import AITestRunner, LoggedRun

CASES = [{"id": f"c{n}", "input": n, "output": "x", **({"skip": True} if n == 5 else {})} for n in range(30)]


def answer(context):
    return "y" if context.input == 11 else "x"


class Elsewhere:
    """Gives the log items back in any order."""

    def __init__(self):
        self.asked = []
        self.closed = False

    async def items(self, ids):
        self.asked.append(list(ids))
        lines = [line for lines in run_cases(lambda: Work(answer, "s", CASES, {}), ids) for line in lines]
        random.Random(1).shuffle(lines)
        try:
            for line in lines:
                yield item_of(json.loads(line))
        finally:
            self.closed = True


def test_cases_are_told_in_order_and_logged(tmp_path):
    engine, runner, told = Elsewhere(), AITestRunner(len), []
    for status in ("pass", "fail", "skip"):
        runner.on(f"test:{status}", lambda item: told.append(item.i))
    result = runner.run_sync("s", CASES, engine=engine, log=tmp_path / "l")
    assert told == list(range(30)) == [log.i for log in result.logs]
    assert (result.passed_count, result.failed_count, result.skipped_count) == (28, 1, 1)
    assert "c5" not in engine.asked[0]
    assert engine.closed
    assert LoggedRun.read(tmp_path / "l").result().passed_count == 28


def test_fail_fast_closes_it():
    engine = Elsewhere()
    result = AITestRunner(len).run_sync("s", CASES, engine=engine, fail_fast=True)
    assert [log.i for log in result.logs] == list(range(30))
    assert result.failed_count == 1
    assert engine.closed


def test_only_what_is_not_in_the_log_is_asked(tmp_path):
    log = tmp_path / "l"
    AITestRunner(answer).run_sync("s", CASES, log=log)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:11]))
    engine = Elsewhere()
    result = AITestRunner(len).run_sync("s", CASES, engine=engine, resume=log)
    assert engine.asked == [[f"c{n}" for n in range(10, 30)]]
    assert len(result.logs) == len(LoggedRun.read(log)) == 30
    assert sum(b'"test"' in line for line in log.read_bytes().splitlines()) == 30


def test_what_is_raised_at_the_other_end_is_raised_here():
    def make():
        raise ValueError("not there")

    with pytest.raises(ValueError, match="not there"):
        list(run_cases(make, ["a"]))


def test_ray_is_an_extra(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)
    Path("x.fixture.yaml").write_text("- output: x\n")
    Path("x.answers.jsonl").write_text('{"output": "x"}\n')
    assert main(["run", ".", "--engine", "ray"]) == 4
    assert "pip install 'aitestrunner[ray]'" in capsys.readouterr().err


needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
BOT = """\
import os, time

def answer(context):
    with open("asked", "a") as file:
        file.write(f"{context.fixture_id} {os.getpid()}\\n")
    time.sleep(0.01)
    if context.input == 13 and not os.path.exists("lost"):
        open("lost", "w").close()
        os._exit(1)
    return f"answer {context.input}"
"""


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """The address of a cluster of one machine, which listens on its loopback address alone."""
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", f"--port={port}"]
    command += ["--num-cpus=2", "--include-dashboard=false", "--disable-usage-stats"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as head:
        try:
            deadline = time.monotonic() + 120
            while not _listens(port):
                assert head.poll() is None, "the cluster ended"
                assert time.monotonic() < deadline, "the cluster does not listen"
                time.sleep(0.1)
            yield f"127.0.0.1:{port}"
        finally:
            head.terminate()


def _listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@needs_ray
@pytest.mark.timeout(300)
class TestRay:
    @pytest.fixture
    def run(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("bot.py").write_text(BOT)
        Path("x.fixture.yaml").write_text(
            "".join(f"- id: c{n}\n  input: {n}\n  output: answer {n if n % 10 else 'x'}\n" for n in range(60))
        )

        def run(*arguments):
            done = subprocess.run(
                [sys.executable, "-m", "aitestrunner", "run", ".", "--engine", "ray", *arguments],
                capture_output=True,
                text=True,
                timeout=240,
                check=False,
                env={**os.environ, "PYTHONWARNINGS": "ignore"},
            )
            return done.returncode, done.stdout, done.stderr

        return run

    def test_two_workers_one_of_which_is_lost(self, run):
        status, out, err = run("-e", "./bot.py:answer", "--log", "l.jsonl", "--workers", "2", "--jobs", "2")
        assert status == 1, err
        assert "54 passed, 6 failed" in out
        asked = [line.split() for line in Path("asked").read_text().splitlines()]
        assert {case_id for case_id, _ in asked} == {f"c{n}" for n in range(60)}
        assert len({pid for _, pid in asked}) >= 2
        entries = [json.loads(line) for line in Path("l.jsonl").read_text().splitlines()]
        ended = Counter(entry["item"]["id"] for entry in entries if entry["event"] == "test")
        assert ended == Counter(f"c{n}" for n in range(60))

    def test_a_case_that_takes_its_worker_down_takes_no_other_along(self, run):
        Path("bot.py").write_text(
            "import os\n\ndef answer(context):\n    if context.input == 13:\n        os._exit(1)\n"
            "    return f'answer {context.input}'\n"
        )
        status, out, err = run("-e", "./bot.py:answer", "--workers", "2", "--no-log")
        assert status == 1, err
        assert "53 passed, 6 failed, 1 in error" in out
        assert "no worker ran this case to its end" in out

    def test_it_listens_on_the_loopback_address_alone(self, run):
        """Also where the user's code imports Ray, which reads how it is to listen when it is imported."""
        Path("bot.py").write_text(
            "import json, ray\nfrom pathlib import Path\n\ndef answer(context):\n"
            "    address = ray.get_runtime_context().gcs_address\n"
            "    Path('address').write_text(address)\n    return f'answer {context.input}'\n"
        )
        status, out, err = run("-e", "./bot.py:answer", "--workers", "1", "--no-log")
        assert status == 1, err
        assert "54 passed" in out
        assert Path("address").read_text().startswith("127.0.0.1:")

    def test_a_cluster_gets_the_files_of_this_folder(self, run, cluster, monkeypatch):
        Path("lost").touch()
        monkeypatch.setenv("RAY_ADDRESS", cluster)
        status, out, err = run("-e", "./bot.py:answer", "--workers", "2", "--no-log")
        assert status == 1, err
        assert "54 passed, 6 failed" in out
        assert not Path("asked").exists()  # the workers have a folder of their own

    def test_a_cluster_that_is_not_there(self, run, monkeypatch):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
        status, _, err = run("-e", "./bot.py:answer")
        assert status == 4
        assert f"cannot join the Ray cluster at 127.0.0.1:{port} (RAY_ADDRESS)" in err
        assert len(err.splitlines()) == 1

    def test_what_cannot_be_loaded(self, run):
        Path("lost").touch()
        status, _, err = run("-e", "./bot.py:anwser")
        assert status == 4
        assert "anwser" in err
