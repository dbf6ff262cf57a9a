"""The pytest plugin, asked as its users ask it: in sessions of their own."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

FIXTURE = """\
---
tags: all
---
- title: greets by name
  id: hi
  tags: [smoke, with blank]
  input: Ann
  output: Hello Ann
- title: says good bye
  input: Bo
  output: /bye/
- output: "{{nowhere}}"
- {output: x, skip: not yet}
- title: says good bye
  input: Cy
  output: {$not: /bye/}
"""
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:asyncio"]


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("pytest.ini").write_text("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    Path("bot.fixture.yaml").write_text(FIXTURE)
    Path("bot.py").write_text("def answer(context):\n    return f'Hello {context.input}'\n")

    def session(*arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        done = subprocess.run(
            [*PYTEST, *arguments], capture_output=True, text=True, timeout=100, check=False, env=environment
        )
        return done.returncode, done.stdout + done.stderr

    return session


EXECUTOR = "--aitest-executor=./bot.py:answer"


def test_each_case_is_a_test(session):
    status, out = session(EXECUTOR, "-v")
    assert status == 1
    for line in (
        "bot.fixture.yaml::hi PASSED",
        "bot.fixture.yaml::says good bye FAILED",
        "bot.fixture.yaml::#2 FAILED",
        "bot.fixture.yaml::#3 SKIPPED (not yet)",
        "bot.fixture.yaml::says good bye (2) PASSED",
    ):
        assert line in out
    assert "2 failed, 2 passed, 1 skipped" in out


def test_failures_are_explained_by_our_renderer(session):
    _, out = session(EXECUTOR)
    assert "output: expected a match of /bye/" in out
    assert "bot.fixture.yaml:11:3  (output)" in out
    assert "Traceback" not in out
    assert "runtest" not in out


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (("-m", "smoke", "-k", "greets and name"), 1),
        (("-m", "aitest and not smoke", "-k", "good"), 1),
        (("-n", "2"), 2),
        (("bot.fixture.yaml::hi",), 1),
    ],
)
def test_selection_and_workers(session, arguments, passed):
    _, out = session(EXECUTOR, *arguments)
    assert f"{passed} passed" in out


def test_junit(session):
    session(EXECUTOR, "--junitxml=j.xml")
    (suite,) = ElementTree.parse("j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("5", "2", "1")
    assert suite[0].find("properties/property[@name='id']").get("value") == "hi"


def test_nobody_collects_by_accident(session):
    assert session()[0] == 5
    assert session("--aitest")[0] == 1
    assert "2 passed" in session(EXECUTOR, "bot.fixture.yaml")[1]
    Path("pytest.ini").write_text("[pytest]\naitest_executor = ./bot.py:answer\n")
    assert "2 passed" in session()[1]


def test_recorded_answers_and_named_files(session):
    Path("bot.answers.jsonl").write_text("".join(f"{json.dumps({'output': 'Hello Ann, bye'})}\n" for _ in range(5)))
    status, out = session("bot.fixture.yaml")
    assert "2 passed" in out, out
    assert status == 1


def test_a_conftest_chooses_the_executor(session):
    Path("conftest.py").write_text("def pytest_aitest_executor(path):\n    return lambda context: path.name\n")
    Path("bot.fixture.yaml").write_text("- output: bot.fixture.yaml\n")
    assert "1 passed" in session("--aitest")[1]


def test_files_with_problems_are_errors_of_collection(session):
    Path("bot.fixture.yaml").write_text("- outptu: x\n")
    status, out = session(EXECUTOR)
    assert status == 2
    assert "bot.fixture.yaml:1:3: unknown key `outptu`" in out
    assert "Traceback" not in out


def test_an_executor_that_is_not_there(session):
    status, out = session("--aitest-executor=./bot.py:anwser")
    assert status == 2
    assert "bot.py" in out
    assert "Traceback" not in out


def test_repeats_and_recordings(session):
    Path("bot.fixture.yaml").write_text("- {output: x, repeat: 4, minPassRate: 0.5}\n")
    Path("bot.py").write_text("n = iter('xyxx')\ndef answer(context):\n    return next(n)\n")
    assert "1 passed" in session(EXECUTOR, "--aitest-record=auto")[1]
    assert "1 passed" in session(EXECUTOR, "--aitest-record=none")[1]
    assert len(Path(".aitest/recordings.jsonl").read_text().splitlines()) == 4


def test_the_fixture(session):
    Path("test_bot.py").write_text(
        "import pytest\n\n"
        "def answer(context):\n    return 'Hello'\n\n"
        "def test_good(aitest):\n    assert aitest(answer, [{'output': 'Hello'}]).passed_count == 1\n\n"
        "def test_bad(aitest):\n    aitest(answer, [{'output': 'Hello'}, {'title': 'leaves', 'output': 'bye'}])\n\n"
        "def test_none(aitest):\n    aitest(answer, [])\n\n"
        "def test_async(aitest):\n    import asyncio\n    asyncio.run(aitest.run(answer, [{'output': 'Hello'}]))\n"
    )
    status, out = session("test_bot.py", "-p", "no:xdist")
    assert status == 1
    assert "2 failed, 2 passed" in out
    assert "leaves" in out
    assert 'expected: "bye"' in out
    assert "no case was run" in out
    assert "_pytest_plugin" not in out


def test_a_comparison_with_an_expectation_tells_all_that_does_not_match(session):
    Path("test_it.py").write_text(
        "from matchex import Matches\n\n"
        "def test_it():\n    assert {'a': 1, 'b': 'x'} == Matches({'a': 2, 'b': '/y/'})\n\n"
        "def test_other():\n    assert {'a': 1} == {'a': 2}\n"
    )
    _, out = session("-vv")
    assert "{'a': 1, 'b': 'x'} == Matches({'a': 2, 'b': '/y/'})" in out
    assert "a: expected 2, got 1" in out
    assert 'b: expected a match of /y/, got "x"' in out
    assert "{'a': 2}" in out  # of the comparison that is not ours


def test_a_session_that_does_not_use_it_loads_nothing(session):
    Path("test_x.py").write_text(
        "import sys\n\ndef test():\n"
        "    ours = {name for name in sys.modules if name.startswith(('aitestrunner', 'matchex'))}\n"
        "    assert ours == {'aitestrunner', 'aitestrunner._pytest_plugin'}\n"
    )
    status, out = session("test_x.py")
    assert status == 0, out
