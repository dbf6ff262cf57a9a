"""What the runner costs per trivial case, beside pydantic-evals and pytest, and what 100,000 cases need."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from _table import Table
from _timing import FULL, Effort, ratios_of

__all__ = ["runner"]

CASES = 2000
OURS = """
import time
from aitestrunner import AITestRunner
cases = [{{"input": f"hello {{i}}", "output": f"hello {{i}}"}} for i in range({cases})]
runner = AITestRunner(lambda context: context.args["input"])
runner.run_sync(None, cases[:20])
began = time.process_time()
result = runner.run_sync(None, cases, keep_logs={kept})
print(time.process_time() - began)
assert result.passed_count == {cases}
"""
PYDANTIC_EVALS = """
import time
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected

def dataset(count):
    cases = [Case(name=f"c{{i}}", inputs=f"hello {{i}}", expected_output=f"hello {{i}}") for i in range(count)]
    return Dataset(name="echo", cases=cases, evaluators=[EqualsExpected()])

async def echo(text):
    return text

dataset(20).evaluate_sync(echo, progress=False)
whole = dataset({cases})
began = time.process_time()
report = whole.evaluate_sync(echo, progress=False, max_concurrency=1)
print(time.process_time() - began)
assert all(case.assertions["EqualsExpected"].value for case in report.cases)
"""
PYTEST = """
import contextlib, io, os, pytest, time

os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

def seconds(name):
    began = time.process_time()
    assert pytest.main(["-q", "-p", "no:cacheprovider", "--override-ini=addopts=", name]) == 0
    return time.process_time() - began

with contextlib.redirect_stdout(io.StringIO()):
    seconds("test_one.py")  # imports what pytest needs
    one = seconds("test_one.py")
    many = seconds("test_many.py")
print(many - one)
"""
WHOLE_COMMAND = """
import resource, subprocess, sys

def seconds(name):
    command = [sys.executable, "-m", "aitestrunner", "run", name, "-e", "./bot.py:answer"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

seconds("one.fixture.yaml")  # compiles what Python has not compiled yet
one = seconds("one.fixture.yaml")
many = seconds("many.fixture.yaml")
print(many - one)
"""
MANY = """
import pytest

@pytest.mark.parametrize("i", range({cases}))
def test(i):
    assert f"hello {{i}}" == f"hello {{i}}"
"""


def runner(effort: Effort) -> Iterator[Table]:
    """The processor time of 2,000 cases with one job, × pytest with 2,000 parametrised tests."""
    programs = {"pytest": PYTEST}
    if find_spec("pydantic_evals") is not None:
        programs["pydantic-evals"] = PYDANTIC_EVALS.format(cases=CASES)
    programs["aitestrunner"] = OURS.format(cases=CASES, kept=True)
    programs["… log items not kept"] = OURS.format(cases=CASES, kept=False)
    programs["… `aitest run` of a YAML file: reading, run log and output too"] = WHOLE_COMMAND
    rounds: dict[str, list[float]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_one.py").write_text("def test():\n    pass\n", "utf-8")
        Path(folder, "test_many.py").write_text(MANY.format(cases=CASES), "utf-8")
        Path(folder, "bot.py").write_text("def answer(context):\n    return context.input\n", "utf-8")
        for name, count in (("one", 1), ("many", CASES)):
            cases = "".join(f"- input: hello {i}\n  output: hello {i}\n" for i in range(count))
            Path(folder, f"{name}.fixture.yaml").write_text(cases, "utf-8")
        for _ in range(max(3, effort.rounds // 2)):
            for name, program in programs.items():
                rounds[name].append(_seconds(program, folder))
        memory = _memory(folder, 100_000 if effort.largest >= FULL.largest else 5_000)
    ratios = ratios_of(rounds)
    rows = [{"run": name, "time": ratios[name]} for name in list(programs)[1:]]
    yield Table(
        "A trivial case, × pytest without any plugin, 2,000 parametrised tests", ["run", "time"], rows, [memory]
    )


def _seconds(program: str, folder: str) -> float:
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _memory(folder: str, count: int) -> str:
    """What the peak memory of `aitest run` is for many cases of a file."""
    with Path(folder, "many.fixture.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f'{{"input": "hello {i}", "output": "hello {i}"}}\n' for i in range(count))
    command = [sys.executable, "-m", "aitestrunner", "run", "many.fixture.jsonl", "-e", "./bot.py:answer", "-q"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    scale = 1024**2 if sys.platform == "darwin" else 1024
    return f"`aitest run` with {count:,} cases of a file: a peak of {usage.ru_maxrss // scale} MB."
