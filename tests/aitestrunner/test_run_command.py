"""`aitest run` at scale: selection, logs, interruption, resumption, reports of every kind."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import pytest
from aitestrunner._cli import main

from aitestrunner import LoggedRun

BOT = """\
import os

def answer(context):
    if os.path.exists("down"):
        raise ConnectionError("down")
    return f"answer {context.input}"
"""


@pytest.fixture
def aitest(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text(BOT)

    def aitest(*arguments):
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return aitest


def write_cases(count=6, fails=()):
    lines = [
        f"- id: c{number}\n  input: {number}\n  output: {'wrong' if number in fails else f'answer {number}'}\n  tags: "
        f"{'odd' if number % 2 else 'even'}\n"
        for number in range(count)
    ]
    Path("x.fixture.yaml").write_text("".join(lines))


RUN = ("run", "x.fixture.yaml", "-e", "./bot.py:answer")


def cases_in(out):
    return re.findall(r"^(?:pass|FAIL|ERROR|skip) +x\.fixture\.yaml:(\d+)", out, re.MULTILINE)


class TestSelection:
    @pytest.mark.parametrize(
        ("arguments", "lines"),
        [
            (("-k", "c1 or c3"), ["5", "13"]),
            (("--tag", "even"), ["1", "9", "17"]),
            (("-t", "odd", "-k", "not c1"), ["13", "21"]),
        ],
    )
    def test_words_and_tags(self, aitest, arguments, lines):
        write_cases()
        status, out, _ = aitest(*RUN, *arguments)
        assert status == 0
        assert cases_in(out) == lines
        assert "not selected" in out

    def test_a_line(self, aitest):
        write_cases()
        assert cases_in(aitest("run", "x.fixture.yaml:7", "-e", "./bot.py:answer")[1]) == ["5"]

    def test_nothing_selected(self, aitest):
        write_cases()
        status, _, err = aitest(*RUN, "-k", "nothing")
        assert status == 5
        assert "none of the 6 cases was selected" in err

    def test_last_failed(self, aitest):
        write_cases(fails=(2, 4))
        assert aitest(*RUN, "--lf")[0] == 4
        assert aitest(*RUN)[0] == 1
        status, out, _ = aitest(*RUN, "--last-failed")
        assert status == 1
        assert cases_in(out) == ["9", "17"]
        write_cases(fails=(4,))
        assert cases_in(aitest(*RUN, "--lf")[1]) == ["9", "17"]
        assert cases_in(aitest(*RUN, "--lf", "--log", "other.jsonl")[1]) == ["17"]
        write_cases()
        assert aitest(*RUN, "--lf")[0] == 0
        assert aitest(*RUN, "--lf")[0] == 5

    def test_only_can_be_forbidden(self, aitest):
        Path("x.fixture.yaml").write_text("- output: x\n- output: x\n  only: true\n")
        status, _, err = aitest(*RUN, "--forbid-only")
        assert status == 4
        assert err.startswith("x.fixture.yaml:3:3: `only` is forbidden")

    @pytest.mark.parametrize(
        "arguments",
        [("-k", "a and"), ("--shard", "3/2"), ("--rate", "fast"), ("--rate", "0/s"), ("-j", "0"), ("--repeat", "0")],
    )
    def test_wrong_usage(self, aitest, arguments):
        write_cases()
        status, _, err = aitest(*RUN, *arguments)
        assert status == 4
        assert err


def test_jobs_repeats_and_recordings(aitest):
    write_cases(3)
    status, out, _ = aitest(*RUN, "-j", "4", "--repeat", "3", "--record", "auto", "--rate", "500/s", "--timeout", "60")
    assert status == 0
    assert "3 of 3 runs passed" in out
    Path("down").touch()
    status, out, _ = aitest(*RUN, "--repeat", "3", "--record", "none")
    assert status == 0
    assert "3 from recordings" in out
    assert aitest(*RUN, "--record", "new", "-x")[0] == 1


class TestLogs:
    def test_the_latest_are_kept(self, aitest):
        write_cases(1)
        runs = Path(".aitest/runs")
        runs.mkdir(parents=True)
        for number in range(25):
            old = runs / f"old-{number}.jsonl"
            old.touch()
            os.utime(old, (number, number))
        aitest(*RUN)
        assert {path.name for path in runs.glob("old-*")} == {f"old-{number}.jsonl" for number in range(6, 25)}
        assert len(list(runs.iterdir())) == 20
        assert "/runs/" in Path(".aitest/.gitignore").read_text()

    def test_none_is_left_behind(self, aitest):
        write_cases(1)
        assert aitest(*RUN, "--no-log")[0] == 0
        assert not Path(".aitest").exists()

    def test_a_folder_that_cannot_be_written(self, aitest):
        write_cases(1)
        Path(".aitest").write_text("a file is in the way")
        assert aitest(*RUN, "--json", "r.json")[0] == 0
        assert json.loads(Path("r.json").read_text())["logs"][0]["id"] == "c0"

    def test_logs_keep_no_secrets(self, aitest):
        write_cases(1)
        aitest(*RUN, "-d", "apiKey=s3cret", "-d", "language=de", "--log", "l")
        command = json.loads(Path("l").read_text().splitlines()[0])["command"]
        assert command["data"] == ["apiKey=***", "language=de"]
        status, _, err = aitest("run", "--resume", "l")
        assert status == 4
        assert "give --data again" in err

    def test_resume_needs_the_log_alone(self, aitest):
        write_cases(6, fails=(2,))
        assert aitest(*RUN, "-k", "not c5", "--log", "l", "-j", "3")[0] == 1
        whole = Path("l").read_bytes().splitlines(keepends=True)
        Path("l").write_bytes(b"".join(whole[:3]) + whole[3][:20])
        status, out, _ = aitest("run", "--resume", "l", "--junit", "j.xml")
        assert status == 1
        assert cases_in(out) == ["1", "5", "9", "13", "17"]
        assert "4 passed, 1 failed" in out
        assert ElementTree.parse("j.xml").getroot().get("tests") == "5"

    @pytest.mark.parametrize(
        "arguments",
        [("-k", "c1"), ("-e", "./bot.py:other"), ("other.fixture.yaml",), ("--log", "m"), ("--repeat", "2")],
    )
    def test_what_would_be_another_run(self, aitest, arguments):
        write_cases()
        aitest(*RUN, "--log", "l")
        assert aitest("run", "--resume", "l", *arguments)[0] == 4

    def test_resume_a_log_from_python(self, aitest):
        from aitestrunner import AITestRunner

        AITestRunner(len).run_sync("s", [{"output": 1}], log="l")
        status, _, err = aitest("run", "--resume", "l")
        assert status == 4
        assert "not written by `aitest run`" in err


def start(*arguments, **more):
    command = [sys.executable, "-m", "aitestrunner", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def wait_for_lines(path, count, process):
    deadline = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.002)


def items_of(path):
    entries = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return Counter(entry["item"]["id"] for entry in entries if entry["event"] == "test")


SLOW_BOT = "import time\n\ndef answer(context):\n    time.sleep(0.002)\n    return f'answer {context.input}'\n"


def test_killed_and_resumed_again_and_again(aitest):
    """Killed at random moments, three times: all 200 cases, each once, and the log can be read all along."""
    write_cases(200)
    Path("bot.py").write_text(SLOW_BOT)
    log, dice = Path("l.jsonl"), random.Random(7)
    arguments = (*RUN, "-q", "-j", "4", "--log", "l.jsonl")
    for goal in sorted(dice.sample(range(5, 150), 3)):
        process = start(*arguments)
        wait_for_lines(log, goal, process)
        process.kill()
        process.communicate()
        assert set(items_of_whole_lines(log)) == set(LoggedRun.read(log).ids())
        arguments = ("run", "--resume", "l.jsonl", "-q")
    process = start(*arguments)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "200 passed" in out
    assert items_of(log) == Counter(f"c{number}" for number in range(200))


def items_of_whole_lines(path):
    whole = path.read_bytes().rpartition(b"\n")[0].splitlines()
    return [entry["item"]["id"] for entry in map(json.loads, whole) if entry["event"] == "test"]


@pytest.mark.skipif(sys.platform == "win32", reason="another way to interrupt")
@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize("jobs", ["1", "3"])
def test_interrupted(aitest, kind, jobs):
    wait = "time.sleep(60)" if kind == "def" else "await asyncio.sleep(60)"
    Path("bot.py").write_text(
        f"import asyncio, time\n\n{kind} answer(context):\n    if context.input > 4:\n        {wait}\n"
        "    return f'answer {context.input}'\n"
    )
    write_cases(20)
    process = start(*RUN, "--log", "l.jsonl", "-j", jobs)
    wait_for_lines(Path("l.jsonl"), 6, process)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2, err
    assert err == "interrupted after 5 of 20 cases; go on with: aitest run --resume l.jsonl\n"
    Path("bot.py").write_text(BOT)
    assert aitest("run", "--resume", "l.jsonl")[0] == 0
    assert items_of(Path("l.jsonl")) == Counter(f"c{number}" for number in range(20))


class TestReports:
    NASTY = "a\x00b\x1b[31m\x07 <&>\"' \ufffe\uffff ]]> é 天 \U0001f600 \x85\u2028"

    def test_junit_is_valid_for_any_output(self, aitest):
        Path("x.fixture.yaml").write_text(
            "- title: 'a <b> & \"c\"'\n  output: hello\n- output: a\n- {output: a, skip: why}\n"
        )
        Path("x.answers.jsonl").write_text(json.dumps({"output": self.NASTY}) + '\n{"output": "a"}\n')
        assert aitest("run", "x.fixture.yaml", "--junit", "j.xml")[0] == 1
        root = ElementTree.parse("j.xml").getroot()
        assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
            "tests": "3",
            "failures": "1",
            "errors": "0",
            "skipped": "1",
        }
        (suite,) = root
        failed, passed, skipped = suite
        assert failed.get("name") == 'a <b> & "c"'
        assert r"a\x00b\x1b[31m\x07 <&>" in failed.find("failure").text
        assert "x.fixture.yaml:2:3" in failed.find("failure").text
        assert failed.get("line") == "1"
        assert passed.find("failure") is None
        assert skipped.find("skipped").get("message") == "why"

    @pytest.mark.parametrize(
        "characters", [range(0x20), range(0x7F, 0xA0), range(0xD7F0, 0xE010), range(0xFFF0, 0x10010)]
    )
    def test_every_character(self, characters):
        from aitestrunner._junit import junit_parts

        from aitestrunner import AITestFixtureResult, AITestLogItem

        items = [
            AITestLogItem(i=c, id=f"{chr(c)}", title=f"a{chr(c)}b", status="pass", tags=(chr(c),)) for c in characters
        ]
        text = "".join(junit_parts(AITestFixtureResult(logs=items), items))
        root = ElementTree.fromstring(text.encode())
        assert len(root[0]) == len(items)

    def test_a_suite_for_each_file(self, aitest):
        for name in "ab":
            Path(f"{name}.fixture.yaml").write_text("- output: answer\n- output: wrong\n")
        aitest("run", ".", "-e", "./bot.py:answer", "--junit", "j.xml")
        suites = [(s.get("name"), s.get("tests"), s.get("failures")) for s in ElementTree.parse("j.xml").getroot()]
        assert suites == [("a.fixture.yaml", "2", "1"), ("b.fixture.yaml", "2", "1")]

    def test_json_holds_every_case(self, aitest):
        write_cases(3, fails=(1,))
        _, out, _ = aitest(*RUN, "--json", "-")
        found = json.loads(out)
        assert [item["status"] for item in found["logs"]] == ["pass", "fail", "pass"]
        assert (found["passedCount"], found["failedCount"]) == (2, 1)

    def test_two_on_standard_output(self, aitest):
        write_cases(1)
        assert aitest(*RUN, "--json", "-", "--junit", "-")[0] == 4


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
@pytest.mark.parametrize("plain", [False, True])
def test_progress_on_a_terminal_only(aitest, plain):
    import pty

    write_cases(30, fails=(3,))
    Path("bot.py").write_text(SLOW_BOT.replace("0.002", "0.02"))
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "aitestrunner", *RUN, *(["--plain"] if plain else [])]
    process = subprocess.Popen(command, stdout=follower, env={**os.environ, "TERM": "xterm", "COLUMNS": "100"})
    os.close(follower)
    shown = b""
    try:
        while chunk := os.read(leader, 65536):
            shown += chunk
    except OSError:  # the other end was closed
        pass
    assert process.wait(timeout=60) == 1
    text = shown.decode()
    assert ("━" in text and "/30" in text and "1 failed" in text) != plain
    assert "29 passed" in text
    assert "FAIL" in text
