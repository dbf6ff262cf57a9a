"""Files as Windows writes them, in a locale that is not UTF-8: the same verdicts, reports and logs."""

import json
import locale
import os
import subprocess
import sys
from pathlib import Path

import pytest

FIXTURE = """\
---
executor: ./bot.py:answer
---
- title: 问候
  input: 安
  output: 你好，安
- title: zeigt Größe
  input: Zoë
  output: {$not: /Zoë/}
- input: "line\\nbreak"
  output: "line\\nbreak"
"""
REPORTS = ("--json", "j.out", "--junit", "x.out", "--log", "l.out")
BOT = "def answer(context):\n    return f'你好，{context.input}'\n"


def verdicts(folder, **environment):
    for path in folder.glob("*.out"):
        path.unlink()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "aitestrunner",
            "run",
            ".",
            "--json",
            "j.out",
            "--junit",
            "x.out",
            "--log",
            "l.out",
            "-j",
            "2",
        ],
        cwd=folder,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.stderr == b""
    logs = json.loads((folder / "j.out").read_text("utf-8"))["logs"]
    (folder / "x.out").read_text("utf-8")
    return done.returncode, [(log["status"], log.get("title"), log["actual"], log.get("location")) for log in logs]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bot.fixture.yaml").write_text(FIXTURE, "utf-8", newline="\n")
    (tmp_path / "bot.py").write_text(BOT, "utf-8", newline="\n")
    return tmp_path


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONUTF8": "0", "LC_ALL": "zh_CN.GBK"},
        {"PYTHONIOENCODING": "cp936"},
        {"PYTHONIOENCODING": "cp1252:strict"},
    ],
)
@pytest.mark.parametrize(("mark", "ends"), [(b"", b"\n"), (b"\xef\xbb\xbf", b"\r\n")])
def test_same_verdicts(folder, environment, mark, ends):
    wanted = verdicts(folder)
    assert wanted[0] == 1
    assert [status for status, *_ in wanted[1]] == ["pass", "fail", "pass"]
    for name in ("bot.fixture.yaml", "bot.py"):
        path = folder / name
        path.write_bytes(mark + path.read_bytes().replace(b"\n", ends))
    assert verdicts(folder, **environment) == wanted


def test_a_locale_that_writes_other_bytes(folder):
    """The locale of Chinese Windows itself, where the system has it; Python then opens files as cp936 by default."""
    program = "import locale; print(locale.getpreferredencoding(False))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "zh_CN.GBK", "PYTHONUTF8": "0"},
    )
    if done.stdout.strip().lower() not in ("gbk", "gb2312", "cp936"):
        pytest.skip(f"this system has no such locale ({locale.getpreferredencoding(False)} only)")
    assert verdicts(folder, LC_ALL="zh_CN.GBK", PYTHONUTF8="0") == verdicts(folder)


def test_nothing_is_opened_without_an_encoding():
    """In a locale like cp936 a forgotten encoding reads other characters; Python warns of it when it is asked to."""
    program = (
        "import warnings; warnings.simplefilter('error', EncodingWarning)\n"
        "from aitestrunner._cli import main; raise SystemExit(main(['run', '.', '-q', '--json', 'j', '--junit', 'x', "
        "'--markdown', 'm', '--jsonl', 'l']))"
    )
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        Path(name, "bot.fixture.yaml").write_text(FIXTURE, "utf-8")
        Path(name, "bot.py").write_text(BOT, "utf-8")
        done = subprocess.run(
            [sys.executable, "-X", "warn_default_encoding", "-c", program],
            cwd=name,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1, done.stderr
    assert "EncodingWarning" not in done.stderr
