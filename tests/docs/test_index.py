"""The index of the documentation leads to every page."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_page_is_in_the_index() -> None:
    index = DOCS / "README.md"
    linked = {(DOCS / target).resolve() for target in re.findall(r"\]\(([^)#]+\.md)", index.read_text("utf-8"))}
    missing = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md") if page not in {*linked, index}]
    assert not sorted(missing), f"docs/README.md has no link to {sorted(missing)}"
