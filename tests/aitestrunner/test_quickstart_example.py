"""The example that a newcomer runs first: it fails where it says so, and nowhere else."""

from pathlib import Path

import pytest
from aitestrunner._cli import main

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "quickstart"
FAILING = {
    "the order as JSON has the agreed form",
    "never promises a refund by itself",
    "keeps to the wording that the lawyers approved",
    "a summary that misses the point",
    "pays nothing without being asked",
    "searches at most twice, with the right dates",
    "山里的雨（模型改了一个词）",
}


def test_it_fails_on_purpose_and_explains_why(capsys):
    assert main(["run", str(EXAMPLE)]) == 1
    out = capsys.readouterr().out
    headlines = [line for line in out.splitlines() if line.startswith(("FAIL", "ERROR"))]
    assert {line.split("  ")[2] for line in headlines} == FAILING
    assert "7 passed, 7 failed, 1 skipped" in out
    assert "[-竹-]{+松+}" in out
    assert "[-30-]{+14+}" in out


def test_its_files_are_in_order(capsys):
    assert main(["validate", "--strict", str(EXAMPLE)]) == 0


@pytest.mark.parametrize("name", ["support-bot", "travel-agent", "分段"])
def test_each_file_runs_alone(name, capsys):
    assert main(["run", str(EXAMPLE / f"{name}.fixture.yaml")]) == 1
