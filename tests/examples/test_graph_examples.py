"""The suites of the graph example: the same report on Python functions and on LangGraph."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from aitestrunner._cli import main
from aitestrunner.graph import run_eval

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "graphs"
VARYING = {
    "duration_ms",
    "tokens",
    "total_tokens_used",
    "used",
}  # LangGraph tells no tokens where there are no messages


@pytest.fixture
def example(monkeypatch):
    """The modules of the example, which are imported by their plain names."""
    monkeypatch.syspath_prepend(str(EXAMPLE))
    names = ("suites", "python_graphs", "lang_graphs")
    yield {name: importlib.import_module(name) for name in names}
    for name in names:
        del sys.modules[name]


def constant(value):
    """A report without what varies from run to run."""
    if isinstance(value, dict):
        return {key: constant(item) for key, item in value.items() if key not in VARYING}
    return [constant(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("index", range(3))
def test_both_libraries_get_the_same_report(example, index):
    suite_of = example["suites"].suites
    reports = [run_eval(suite_of(example[name].graphs())[index]) for name in ("python_graphs", "lang_graphs")]
    assert all(report.all_passed for report in reports), [report.to_dict() for report in reports]
    assert constant(reports[0].to_dict()) == constant(reports[1].to_dict())


def test_it_runs_as_the_readme_says():
    done = subprocess.run([sys.executable, str(EXAMPLE / "run.py")], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = done.stdout.split("--- LangGraph\n")
    assert first.removeprefix("--- Python functions\n") == second
    assert "pass  waits for a person  (prepare > review)" in second


def test_the_fixture_file_passes(capsys):
    assert main(["run", str(EXAMPLE)]) == 0
    assert "2 passed" in capsys.readouterr().out
