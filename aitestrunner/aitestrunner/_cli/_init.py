"""`aitest init`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from aitestrunner._cli._common import EXIT_OK, usage_error

__all__ = ["init"]


_HELP = """\
Write a small example that runs: something that answers, cases, and a workflow for GitHub Actions.

Nothing that is there is overwritten.

\b
Example:
    aitest init my-tests
    cd my-tests
    aitest run .
"""

_BOT: Final = '''\
"""What is tested. Put the call of your model here; `context.input` is the input of the case."""


def answer(context):
    question = context.input["question"]
    if "open" in question:
        return "We are open from 8 to 18, Monday to Friday."
    return f"I do not know, {context.input['name']}. Shall I ask a colleague?"
'''

_FIXTURE: Final = """\
---
executor: ./bot.py:answer
tags: bot
input:
  name: Ann
---
- title: says when it opens
  input: {question: When do you open?}
  output: /\\b(8|eight)\\b/i

- title: admits what it does not know, by name
  input: {question: Who won the cup?}
  output:
    $and:
      - Ann
      - /(do not|don't) know/i

- title: promises nothing
  input: {question: Can I have it for free?}
  output: {$not: /free/i}
"""

_WORKFLOW: Final = """\
name: aitest
on: [push, pull_request]

jobs:
  aitest:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install aitestrunner
      - run: >-
          aitest run . --jobs 4 --timeout 60 --retries 2 --forbid-only --plain --quiet
          --junit result.xml --markdown "$GITHUB_STEP_SUMMARY"
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: aitest
          path: result.xml
"""

_FILES: Final = {
    "bot.py": _BOT,
    "bot.fixture.yaml": _FIXTURE,
    ".github/workflows/aitest.yml": _WORKFLOW,
}


@click.command(help=_HELP, short_help="Write a small example that runs.")
@click.argument("folder", default=".", type=click.Path(file_okay=False, path_type=Path))
def init(folder: Path) -> int:
    """Write a small example that runs: something that answers, cases, and a workflow for GitHub Actions."""
    paths = {folder / name: text for name, text in _FILES.items()}
    there = [str(path) for path in paths if path.exists()]
    if there:
        raise usage_error(f"{', '.join(there)}: there already; name another folder")
    for path, text in paths.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise usage_error(f"cannot write {str(path)!r}: {error.strerror}") from error
        click.echo(f"wrote {path}")
    click.echo(f"now:  aitest run {folder}")
    return EXIT_OK
