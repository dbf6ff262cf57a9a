"""What the how-to pages print is what aitest prints.

A block whose first line is a comment with a file name is that file; a `json` block before a command is the recording
that the command reads; a `console` block is one command after `$ ` and its output, but for the time that it took.
"""

import re
from pathlib import Path

import pytest
from aitestrunner._cli import main
from aitestrunner._keys import FILE_KEYS, KEYS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ["run-fixtures", "executors", "fix-fixture-errors", "check-tool-calls", "score-answers"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def without_times(text):
    return re.sub(r"in \d+\.\d\d s", "in … s", text)


def recording_name(command):
    given = re.search(r"--answers (\S+)", command)
    return given[1] if given else re.search(r"(\S+)\.fixture\.yaml", command)[1] + ".answers.jsonl"


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_shows(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    recording, commands = None, 0
    for language, body in BLOCK.findall((DOCS / "how-to" / f"{page}.md").read_text("utf-8")):
        name = re.match(r"# (\S+\.(?:yaml|py))\n", body)
        if name:
            Path(name[1]).write_text(body, "utf-8")
        elif language == "json":
            recording = body
        elif language == "console":
            command, _, shown = body.partition("\n")
            if recording:
                Path(recording_name(command)).write_text(recording, "utf-8")
            main(command.removeprefix("$ aitest ").split())
            printed = capsys.readouterr()
            assert without_times(printed.out + printed.err) == without_times(shown)
            commands += 1
    assert commands


def test_the_page_on_many_cases_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _, body in BLOCK.findall((DOCS / "how-to" / "many-cases.md").read_text("utf-8")):
        name = re.match(r"# (\S+\.yaml)\n", body)
        if name:
            Path(name[1]).write_text(body, "utf-8")
    Path("quiz.jsonl").write_text('{"id": "q1", "question": "x", "answer": "/a.b/"}\n')
    Path("bot.py").write_text(
        "def answer(c):\n    return '/a.b/' if c.input == 'x' else '= ' + str(eval(c.args['sum']))\n"
    )
    assert main(["run", ".", "-e", "./bot.py:answer"]) == 0
    assert "in German" in capsys.readouterr().out


def test_the_reference_lists_every_key():
    page = (DOCS / "reference" / "fixtures.md").read_text("utf-8")
    for name, key in {**KEYS, **FILE_KEYS}.items():
        assert f"| `{name}` | {key.takes} | {key.about} |" in page
