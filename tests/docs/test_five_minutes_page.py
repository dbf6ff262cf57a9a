"""The page "Test your agent without a model in five minutes", followed literally in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "test-without-a-model.md").read_text("utf-8")
BLOCKS = re.findall(r"^```([^\n]*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FILES = {name[1]: body for _, body in BLOCKS if (name := re.match(r"# (\S+\.py)\n", body))}
CONSOLE = [body for language, body in BLOCKS if language == "console"]
(SERVER,), (BY_HAND,), TEST_RUNS = (
    [block for block in CONSOLE if block.startswith(f"$ {command}")]
    for command in ("aitest mock-server", "python agent.py", "python -m pytest")
)


@pytest.fixture
def folder(tmp_path):
    for name, body in FILES.items():
        (tmp_path / name).write_text(body, "utf-8")
    return tmp_path


def run(folder, *arguments, **variables):
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1", **variables}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=120
    )


def assert_tests_print(folder, block):
    """The lines that the page shows are among those that are printed; only the time may differ."""
    ran = run(folder, "-m", "pytest", "-q")
    printed = re.sub(r"in \d+\.\d\ds", "in … s", ran.stdout).splitlines()
    _, *shown = re.sub(r"in \d+\.\d\ds", "in … s", block).splitlines()
    assert [line for line in shown if line not in printed] == [], ran.stdout


def test_by_hand(folder):
    command = [sys.executable, "-m", "aitestrunner", "mock-server", "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            told = server.stdout.readline()
            assert re.sub(r":\d+/", ":8000/", told) == SERVER.splitlines(keepends=True)[1]
            url = re.search(r"http://\S+", told)[0]
            for asked, shown in re.findall(r"^\$ python agent.py '(.*)'\n(.*)$", BY_HAND, re.MULTILINE):
                ran = run(folder, "agent.py", asked, OPENAI_BASE_URL=url, OPENAI_API_KEY="any")
                assert ran.stdout == f"{shown}\n", ran.stderr
        finally:
            server.kill()


def test_the_tests_pass(folder):
    assert_tests_print(folder, TEST_RUNS[0])


def test_a_wrong_number_fails(folder):
    changed = FILES["agent.py"].replace('"degrees": 27', '"degrees": 28')
    (folder / "agent.py").write_text(changed, "utf-8")
    assert_tests_print(folder, TEST_RUNS[1])


def test_a_forgotten_result_fails(folder):
    before, line, after = FILES["agent.py"].rpartition("messages.append")
    (folder / "agent.py").write_text(f"{before}# {line}{after}", "utf-8")
    assert_tests_print(folder, TEST_RUNS[2])
