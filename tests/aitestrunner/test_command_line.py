"""`aitest` as a person or a build server calls it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aitestrunner._cli import main

ROOT = Path(__file__).resolve().parents[2]
FIXTURE = "- title: greets\n  id: hi\n  input: {name: Ann}\n  output: Hello Ann\n- title: leaves\n  output: /bye/\n"


@pytest.fixture
def aitest(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def aitest(*arguments):
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return aitest


@pytest.fixture
def fixture(tmp_path):
    (tmp_path / "bot.fixture.yaml").write_text(FIXTURE)
    (tmp_path / "bot.py").write_text("def answer(context):\n    return f\"Hello {context.args.get('name')}, bye\"\n")
    return "bot.fixture.yaml"


class TestRun:
    def test_function(self, aitest, fixture):
        status, out, _ = aitest("run", fixture, "--executor", "./bot.py:answer")
        assert status == 0
        assert "pass  bot.fixture.yaml:1:3  greets" in out
        assert "2 passed" in out
        assert "\x1b" not in out

    def test_module(self, aitest, fixture):
        assert aitest("run", fixture, "-e", "py:bot:answer")[0] == 0

    def test_failure_shows_place_expectation_actual_and_diff(self, aitest, fixture):
        Path("bot.answers.jsonl").write_text('{"output": "Hello Anna"}\n{"output": "Hello Bo"}\n')
        Path(fixture).write_text("- output: Hello Bob\n- output: Bo\n")
        status, out, _ = aitest("run", fixture)
        assert status == 1
        for words in (
            "FAIL  bot.fixture.yaml:1:3",
            'expected: "Hello Bob"',
            'actual:   "Hello Anna"',
            "[-Bob-]",
            "bot.fixture.yaml:1:3  (output)",
        ):
            assert words in out
        assert "1 passed, 1 failed" in out

    @pytest.mark.parametrize(
        "answers",
        [
            '{"output": "Hello Ann"}\n{"output": "bye"}\n',
            '{"i": 1, "output": "bye"}\n{"id": "hi", "output": "Hello Ann"}\n',
        ],
    )
    def test_recorded_answers(self, aitest, fixture, answers):
        Path("other.jsonl").write_text(answers)
        assert aitest("run", fixture, "--answers", "other.jsonl")[0] == 0

    def test_an_answer_that_is_not_there(self, aitest, fixture):
        Path("bot.answers.jsonl").write_text('{"output": "Hello Ann"}\n')
        status, out, _ = aitest("run", fixture)
        assert status == 1
        assert "no answer is recorded" in out

    @pytest.mark.parametrize(
        ("answers", "words"),
        [
            ('{"id": "nobody", "output": 1}', "id 'nobody'"),
            ('{"i": 7, "output": 1}', "index 7"),
            ('{"text": "x"}', "needs `output`"),
            ("[1]", "a row is a mapping"),
            ("{", "not JSON"),
        ],
    )
    def test_recordings_that_do_not_fit(self, aitest, fixture, answers, words):
        Path("bot.answers.jsonl").write_text(answers)
        status, _, err = aitest("run", fixture)
        assert status == 4
        assert "bot.answers.jsonl:1:" in err
        assert words in err

    def test_data_operators_and_script(self, aitest, fixture):
        Path(fixture).write_text("- output: {$is: '{{lang}} s 3'}\n  n: '{{number}}'\n")
        Path("bot.py").write_text(
            "def answer(c):\n    return f\"{c.args['lang']} {c.script} {c.args['n']}\"\n\n"
            "def is_(actual, expected):\n    return actual == expected\n"
        )
        arguments = ["run", fixture, "-e", "./bot.py:answer", "-d", "lang=de", "-d", "number=3", "-s", "s"]
        status, out, err = aitest(*arguments, "-o", "is=./bot.py:is_")
        assert status == 0, out + err

    def test_reports(self, aitest, fixture):
        status, _, _ = aitest("run", fixture, "-e", "./bot.py:answer", "--jsonl", "l", "--json", "j", "--markdown", "m")
        assert status == 0
        lines = [json.loads(line) for line in Path("l").read_text().splitlines()]
        assert [line["status"] for line in lines] == ["pass", "pass"]
        assert json.loads(Path("j").read_text())["passedCount"] == 2
        assert "| pass | hi | greets |" in Path("m").read_text()

    def test_a_report_on_standard_output_is_alone_there(self, aitest, fixture):
        _, out, _ = aitest("run", fixture, "-e", "./bot.py:answer", "--json", "-")
        assert json.loads(out)["passedCount"] == 2

    def test_quiet_and_verbose(self, aitest, fixture):
        Path(fixture).write_text("- output: {a: {$each: 1}}\n")
        Path("bot.answers.jsonl").write_text('{"output": {"a": []}}\n')
        assert "note: output.a" in aitest("run", fixture)[1]
        assert "pass  " not in aitest("run", fixture, "-q")[1]
        status, out, _ = aitest("run", fixture, "--strict-vacuous")
        assert status == 1
        assert "held on nothing" in out

    def test_a_locale_that_cannot_say_everything(self, aitest, fixture):
        Path(fixture).write_text("- {output: 天气, title: Zoë}\n", "utf-8")
        Path("bot.answers.jsonl").write_text('{"output": "晴"}\n', "utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "aitestrunner", "run", fixture],
            capture_output=True,
            timeout=60,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        )
        assert done.returncode == 1, done.stderr
        assert "Zoë".encode("cp1252") in done.stdout
        assert rb"\u5929\u6c14" in done.stdout

    def test_nobody_reads_to_the_end(self, aitest, fixture):
        Path(fixture).write_text("- {output: x}\n" * 2000)
        Path("bot.answers.jsonl").write_text('{"output": "x"}\n' * 2000)
        command = f'"{sys.executable}" -m aitestrunner run {fixture} | head -n 1'
        done = subprocess.run(command, shell=True, capture_output=True, timeout=120, check=False)
        assert done.stdout.startswith(b"pass  bot.fixture.yaml:1:3")
        assert done.stderr == b""

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_a_full_disk(self, aitest, fixture):
        status, _, err = aitest("run", fixture, "-e", "./bot.py:answer", "--jsonl", "/dev/full")
        assert status == 3
        assert "cannot write: No space left" in err

    def test_control_characters_do_not_reach_the_terminal(self, aitest, fixture):
        Path(fixture).write_text("- output: x\n")
        Path("bot.answers.jsonl").write_text(json.dumps({"output": "a\x1b[2Jb\x07\u202e"}) + "\n")
        _, out, _ = aitest("run", fixture)
        assert "\x1b" not in out
        assert "\x07" not in out


class TestExitStatus:
    def test_wrong_files(self, aitest, fixture):
        Path(fixture).write_text("- outptu: x\n")
        status, _, err = aitest("run", fixture, "-e", "./bot.py:answer")
        assert status == 4
        assert err.startswith("bot.fixture.yaml:1:3: unknown key `outptu`")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["run"],
            ["run", "nowhere"],
            ["run", "bot.fixture.yaml"],
            ["run", "bot.fixture.yaml", "-e", "./nowhere.py:x"],
            ["run", "bot.fixture.yaml", "-e", "./bot.py:anwser"],
            ["run", "bot.fixture.yaml", "-e", "./bot.py:answer", "-a", "x"],
            ["run", "bot.fixture.yaml", "-e", "./bot.py:answer", "-d", "x"],
            ["run", "bot.fixture.yaml", "-e", "./bot.py:answer", "--json", "-", "--jsonl", "-"],
            ["run", "bot.fixture.yaml", "-e", "./bot.py:answer", "--json", "no/such/folder/x"],
            ["run", "bot.fixture.yaml", "-e", "./bot.py:answer", "--jsonl", "no/such/folder/x"],
            ["run", "--unknown"],
            ["unknown"],
            ["check", "{$gtt: 1}", "bot.fixture.yaml"],
            ["check", "x", "nowhere.json"],
        ],
    )
    def test_wrong_usage(self, aitest, fixture, arguments):
        status, _, err = aitest(*arguments)
        assert status == 4
        assert err

    def test_nothing_to_run(self, aitest, fixture):
        Path("empty").mkdir()
        assert aitest("run", "empty", "-e", "./bot.py:answer")[0] == 5
        Path(fixture).write_text("- {output: x, skip: true}\n")
        assert aitest("run", fixture, "-e", "./bot.py:answer")[0] == 5

    def test_interrupted(self, aitest, fixture):
        Path("bot.py").write_text("def answer(context):\n    raise KeyboardInterrupt\n")
        status, _, err = aitest("run", fixture, "-e", "./bot.py:answer")
        assert status == 2
        assert "interrupted" in err

    def test_a_fault_of_aitest(self, aitest, fixture, monkeypatch):
        monkeypatch.setattr("aitestrunner._report_text.summary_lines", lambda *a: 1 / 0)
        status, _, err = aitest("run", fixture, "-e", "./bot.py:answer")
        assert status == 3
        assert "ZeroDivisionError" in err


class TestOtherCommands:
    def test_list(self, aitest, fixture):
        status, out, _ = aitest("list", ".")
        assert status == 0
        assert out.splitlines() == [
            "bot.fixture.yaml:1:3  hi  greets",
            "bot.fixture.yaml:5:3  bot.fixture.yaml#1  leaves",
            "2 cases in 1 file",
        ]

    def test_schema(self, aitest):
        status, out, _ = aitest("schema")
        assert status == 0
        schema = json.loads(out)
        import jsonschema

        validator = jsonschema.Draft7Validator(schema)
        jsonschema.Draft7Validator.check_schema(schema)
        assert validator.is_valid([{"output": 1, "passScore": "70%", "strict": ["object"], "question": "x"}])
        assert validator.is_valid({"cases": [{"output": None}], "script": "x"})
        assert not validator.is_valid([{"output": 1, "skip": 5}])
        assert not validator.is_valid({"cases": [{"threshold": 5}]})

    @pytest.mark.parametrize(
        ("expectation", "actual", "status", "words"),
        [
            ("{a: {$gte: 1}}", '{"a": 2}', 0, "PASS"),
            ("{a: {$gte: 3}}", '{"a": 2}', 1, "a: expected"),
            ("{a: 1}", '{"a": 1}\n\n{"a": 2}\n', 1, "1 of 2 match"),
            ("{a: 1}", '{"a": 1}\n{"a": 1}\n', 0, "2 of 2 match"),
            ("@expected.yaml", '{"a": 1}', 0, "PASS"),
        ],
    )
    def test_check(self, aitest, expectation, actual, status, words):
        Path("expected.yaml").write_text("a: 1\n")
        Path("actual.json").write_text(actual)
        got, out, _ = aitest("check", expectation, "actual.json")
        assert got == status
        assert words in out

    def test_check_lines_are_numbered_as_in_the_file(self, aitest):
        Path("a.jsonl").write_text('{"a": 1}\n\n{"a": 2}\n')
        assert "a.jsonl:3: FAIL" in aitest("check", "{a: 1}", "a.jsonl")[1]

    def test_check_text(self, aitest):
        Path("a.txt").write_text("some text")
        assert aitest("check", "some", "a.txt", "--text")[0] == 0

    def test_check_standard_input(self):
        done = subprocess.run(
            [sys.executable, "-m", "aitestrunner", "check", "{a: 1}"],
            input=b'{"a": 1}',
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    @pytest.mark.parametrize("arguments", [[], ["--help"], ["run", "--help"], ["check", "-h"]])
    def test_help(self, aitest, arguments):
        assert "Usage: aitest" in "".join(aitest(*arguments)[1:])

    def test_version(self, aitest):
        status, out, _ = aitest("--version")
        assert status == 0
        assert "matchex" in out


def test_importing_is_light():
    program = "import sys, aitestrunner\nprint(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    heavy = {"rich", "httpx", "click", "jsonschema", "jsonschema_rs", "jinja2", "yaml", "asyncio", "pluggy"}
    assert not heavy & set(json.loads(done.stdout.replace("'", '"')))


def test_everything_of_matchex_is_here():
    import aitestrunner
    import matchex

    assert set(matchex.__all__) <= set(aitestrunner.__all__)
    assert all(getattr(aitestrunner, name) is getattr(matchex, name) for name in matchex.__all__)
