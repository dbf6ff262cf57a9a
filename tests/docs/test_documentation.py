"""Every Python block of the documentation runs, every relative link leads somewhere.

The blocks of a page share one namespace and run from top to bottom, in an empty folder. A block may use `await`. One
that begins with `>>>` runs as a doctest. One with `no-run` behind the language is only compiled.
"""

import ast
import asyncio
import doctest
import inspect
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["matchex", "matchex_schema", "matchex_template", "aitestrunner"]
PAGES = sorted(
    {
        *ROOT.glob("*.md"),
        *(ROOT / package / "README.md" for package in PACKAGES),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").rglob("*.md"),
    }
)
PYTHON = {"python", "py", "pycon"}
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^ *(?P=fence)`* *$", re.M | re.S)
LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(?P<title>.+?)\s*#*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: what stands behind the fence, the text, and the line of the page on which the text begins."""

    info: list[str]
    text: str
    line: int

    @property
    def is_session(self) -> bool:
        return self.text.lstrip().startswith(">>>")


def blocks_of(markdown: str) -> list[Block]:
    """Return the Python blocks of a page."""
    found: list[Block] = []
    for match in FENCE.finditer(markdown):
        info = match["info"].split()
        if info and info[0].lower() in PYTHON:
            indent = len(match["indent"])
            text = re.sub(rf"^ {{0,{indent}}}", "", match["body"], flags=re.MULTILINE) if indent else match["body"]
            found.append(Block(info, text, markdown.count("\n", 0, match.start("body")) + 1))
    return found


def run_blocks(blocks: list[Block], page: str) -> None:
    namespace: dict[str, Any] = {"__name__": "documentation"}
    for block in blocks:
        if "no-run" in block.info:
            check_syntax(block, page)
        elif block.is_session:
            run_session(block, page, namespace)
        else:
            run_code(block, page, namespace)


def compiled(source: str, block: Block, page: str) -> Any:
    # Empty lines before it give every line the number that it has on the page.
    padded = "\n" * (block.line - 1) + source
    return compile(padded, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def run_code(block: Block, page: str, namespace: dict[str, Any]) -> None:
    code = compiled(block.text, block, page)
    waiting = eval(code, namespace)
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(waiting)


def parsed_session(block: Block, page: str, namespace: dict[str, Any]) -> doctest.DocTest:
    return doctest.DocTestParser().get_doctest(block.text, namespace, page, page, block.line - 1)


def run_session(block: Block, page: str, namespace: dict[str, Any]) -> None:
    test = parsed_session(block, page, namespace)
    report = io.StringIO()
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.write, clear_globs=False)
    assert not report.getvalue(), report.getvalue()
    namespace.update(test.globs)


def check_syntax(block: Block, page: str) -> None:
    if block.is_session:
        for example in parsed_session(block, page, {}).examples:
            compiled(example.source, Block([], "", block.line + example.lineno), page)
    else:
        compiled(block.text, block, page)


def packages_without_code(page: Path, blocks: list[Block]) -> list[str]:
    """Return which of our packages a page needs although they have no code yet."""
    text = "\n".join(block.text for block in blocks)
    own = page.parent.name
    needed = {name for name in PACKAGES if name == own or re.search(rf"\b(?:import|from) {name}\b", text)}
    return sorted(name for name in needed if not (ROOT / name / name / "__init__.py").is_file())


def broken_links(page: Path, markdown: str) -> list[str]:
    """Return the targets of relative links that lead nowhere, be it the file or the heading in it."""
    broken: list[str] = []
    for match in LINK.finditer(FENCE.sub("", markdown)):
        target = unquote(match["target"])
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        name, _, heading = target.partition("#")
        path = page.parent / name if name else page
        if not path.exists() or (heading and heading not in anchors(path)):
            broken.append(target)
    return broken


def anchors(page: Path) -> set[str]:
    titles = [match["title"].lower() for match in HEADING.finditer(FENCE.sub("", page.read_text("utf-8")))]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = blocks_of(page.read_text("utf-8"))
    if lacking := packages_without_code(page, blocks):
        pytest.skip(f"no code yet in {', '.join(lacking)}")
    monkeypatch.chdir(tmp_path)
    run_blocks(blocks, str(page))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page, page.read_text("utf-8")) == []


def test_the_first_page_shows_code() -> None:
    assert blocks_of((ROOT / "README.md").read_text("utf-8"))


class TestTheChecksThemselves:
    """The functions above find what they are meant to find."""

    def test_blocks_share_a_namespace_and_may_await(self) -> None:
        page = (
            "```python\nimport asyncio\nx = 1\n```\n"
            "```python\nx += await asyncio.sleep(0, 1)\n```\n"
            "```pycon\n>>> x\n2\n>>> y = x\n```\n"
            "```python\nassert y == 2\n```\n"
            "```python no-run\nraise SystemExit\n```\n"
            "```sh\nnot python\n```\n"
        )
        blocks = blocks_of(page)
        assert len(blocks) == 5
        run_blocks(blocks, "page.md")

    def test_a_block_in_a_list_loses_its_indentation(self) -> None:
        (block,) = blocks_of("* item\n\n  ```python\n  if True:\n      x = 1\n  ```\n")
        assert block.text == "if True:\n    x = 1\n"
        assert block.line == 4

    @pytest.mark.parametrize(
        ("page", "error"),
        [
            ("```python\nassert 1 == 2\n```\n", AssertionError),
            ("```python\n>>> 1 + 1\n3\n```\n", AssertionError),
            ("```python no-run\nx = = 1\n```\n", SyntaxError),
            ("```python no-run\n>>> x = = 1\n```\n", SyntaxError),
        ],
    )
    def test_what_is_wrong_is_found(self, page: str, error: type[Exception]) -> None:
        with pytest.raises(error):
            run_blocks(blocks_of(page), "page.md")

    def test_a_traceback_names_the_line_of_the_page(self) -> None:
        with pytest.raises(ZeroDivisionError) as caught:
            run_blocks(blocks_of("# Page\n\n```python\nx = 1\n1 / 0\n```\n"), "page.md")
        assert caught.traceback[-1].lineno == 4  # counted from 0

    def test_broken_links_are_found(self, tmp_path: Path) -> None:
        page = tmp_path / "page.md"
        text = "# A title, here\n[a](#a-title-here) [b](page.md#a-title-here) [c](https://example.com)\n"
        text += "[d](no.md) [e](#no)\n"
        page.write_text(text, "utf-8")
        assert broken_links(page, text) == ["no.md", "#no"]
