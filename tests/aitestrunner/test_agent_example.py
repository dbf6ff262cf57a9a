"""The example of an agent on the mock passes, and would fail if the agent behaved otherwise."""

from pathlib import Path

import pytest
from aitestrunner._cli import main
from aitestrunner._references import load_reference

from aitestrunner import AITestRunner

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "agent-on-mock"


def test_it_passes(capsys):
    assert main(["run", str(EXAMPLE)]) == 0
    assert "4 passed" in capsys.readouterr().out


def test_its_file_is_in_order(capsys):
    assert main(["validate", "--strict", str(EXAMPLE)]) == 0


@pytest.fixture
def agent():
    return load_reference("./agent.py:answer", EXAMPLE)


def test_an_agent_without_tools_fails(agent, monkeypatch):
    monkeypatch.setitem(agent.__globals__, "TOOLS", {})
    result = AITestRunner(agent).run_sync(None, EXAMPLE)
    assert [log.status for log in result.logs] == ["fail", "fail", "fail", "pass"]


def test_an_agent_that_gives_up_when_the_model_is_overloaded_is_an_error(agent, monkeypatch):
    monkeypatch.setitem(agent.__globals__, "ATTEMPTS", 1)
    result = AITestRunner(agent).run_sync(None, EXAMPLE)
    assert [log.status for log in result.logs] == ["pass", "error", "pass", "pass"]
