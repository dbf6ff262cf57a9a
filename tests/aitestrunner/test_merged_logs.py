"""`aitest merge`: shards of several machines as one run; what is missing or twice there is told."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from aitestrunner._cli import main

from aitestrunner import LoggedRun

COUNT = 23


@pytest.fixture
def aitest(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text("def answer(context):\n    return f'answer {context.input}'\n")
    Path("x.fixture.yaml").write_text(
        "".join(f"- id: c{n}\n  input: {n}\n  output: answer {n if n % 5 else 'x'}\n" for n in range(COUNT))
        + "- {id: skipped, output: x, skip: true}\n- {id: many, input: 1, output: answer 1, repeat: 3}\n"
    )

    def aitest(*arguments):
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return aitest


@pytest.fixture
def shards(aitest):
    for number in (1, 2, 3):
        aitest(
            "run",
            ".",
            "-e",
            "./bot.py:answer",
            "--shard",
            f"{number}/3",
            "--log",
            f"{number}.jsonl",
            "-k",
            "c or many or sk",
        )
    return ["1.jsonl", "2.jsonl", "3.jsonl"]


def test_shards_are_the_run(aitest, shards):
    aitest("run", ".", "-e", "./bot.py:answer", "--log", "whole.jsonl")
    status, out, _ = aitest("merge", *shards, "-o", "all.jsonl", "--junit", "j.xml", "--json", "r.json")
    assert status == 1
    assert "19 passed, 5 failed, 1 skipped" in out
    assert 'expected: "answer x"' in out

    def facts(path):
        return [(item.i, item.id, item.status, item.actual) for item in LoggedRun.read(path)]

    assert facts("all.jsonl") == facts("whole.jsonl")
    assert LoggedRun.read("all.jsonl").result().passed_count == 19
    assert ElementTree.parse("j.xml").getroot().get("tests") == "25"
    assert [log["id"] for log in json.loads(Path("r.json").read_text())["logs"]] == [
        item.id for item in LoggedRun.read("whole.jsonl")
    ]


def test_one_log_is_a_report(aitest, shards):
    status, out, _ = aitest("merge", "2.jsonl", "--partial", "--markdown", "-")
    assert status in (0, 1)
    assert out.startswith("# Test run")


def test_a_missing_shard(aitest, shards):
    status, _, err = aitest("merge", "1.jsonl", "3.jsonl")
    assert status == 4
    assert "missing are the shards 2/3" in err
    assert aitest("merge", "1.jsonl", "3.jsonl", "--partial", "-q")[0] == 1


def test_a_case_twice(aitest, shards):
    Path("again.jsonl").write_bytes(Path("1.jsonl").read_bytes())
    status, _, err = aitest("merge", *shards, "again.jsonl")
    assert status == 4
    assert "1.jsonl and in again.jsonl" in err


def test_a_run_that_did_not_end(aitest, shards):
    Path("2.jsonl").write_bytes(b"".join(Path("2.jsonl").read_bytes().splitlines(keepends=True)[:3]))
    status, _, err = aitest("merge", *shards)
    assert status == 4
    assert "aitest run --resume 2.jsonl" in err
    status, out, _ = aitest("merge", *shards, "--partial")
    assert "the run did not end" in out
    assert aitest("run", "--resume", "2.jsonl")[0] in (0, 1)
    assert "19 passed, 5 failed, 1 skipped" in aitest("merge", *shards)[1]


def test_shards_of_different_runs(aitest, shards):
    aitest("run", ".", "-e", "./bot.py:answer", "--shard", "1/2", "-k", "skipped", "--log", "other.jsonl")
    aitest("run", ".", "-e", "./bot.py:answer", "--shard", "2/2", "-k", "skipped", "--log", "other.jsonl")
    Path("1.jsonl").unlink()
    assert aitest("merge", "2.jsonl", "other.jsonl")[0] == 4


@pytest.mark.parametrize("arguments", [("nowhere.jsonl",), ("bot.py",), ("1.jsonl", "--partial", "-o", "1.jsonl"), ()])
def test_wrong_usage(aitest, shards, arguments):
    status, _, err = aitest("merge", *arguments)
    assert status == 4
    assert err


class TestInit:
    def test_the_example_runs(self, aitest):
        status, out, _ = aitest("init", "demo")
        assert status == 0
        assert "aitest run demo" in out
        assert aitest("validate", "demo")[0] == 0
        status, out, _ = aitest("run", "demo", "--forbid-only")
        assert status == 0, out
        assert "3 passed" in out

    def test_the_workflow_is_yaml_and_its_command_is_known(self, aitest):
        import shlex

        import yaml

        Path("bot.py").unlink()
        Path("x.fixture.yaml").unlink()
        aitest("init")
        steps = yaml.safe_load(Path(".github/workflows/aitest.yml").read_text())["jobs"]["aitest"]["steps"]
        (command,) = [step["run"] for step in steps if step.get("run", "").startswith("aitest")]
        status, _, err = aitest(*shlex.split(command.replace("$GITHUB_STEP_SUMMARY", "summary.md"))[1:])
        assert (status, err) == (0, "")
        assert "3 passed" in Path("summary.md").read_text()

    def test_nothing_is_overwritten(self, aitest):
        status, _, err = aitest("init")
        assert status == 4
        assert "bot.py" in err
        assert not Path("bot.fixture.yaml").exists()
