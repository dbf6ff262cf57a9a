"""The reference of the operators is what their docstrings say, and each docstring says all that is needed."""

import importlib.util
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generator() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("generate_reference", ROOT / "docs" / "generate_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_page_is_current(generator: types.ModuleType) -> None:
    current = generator.PAGE.read_text("utf-8")
    assert current == generator.page(), "run docs/generate_reference.py and commit docs/reference/operators.md"


def test_every_operator_has_its_section_and_its_line(generator: types.ModuleType) -> None:
    from matchex._operators import OPERATORS

    text = generator.page()
    for name in OPERATORS:
        assert f"\n### {name}\n" in text
        assert f"\n| [`{name}`](#{name[1:].lower()}) | " in text


GOOD = """It is so.

Operand: a text; or
    a list.
Text: is so.
Empty: never.
Score: 1 or 0.

>>> 1
1
"""


def test_a_docstring_is_read(generator: types.ModuleType) -> None:
    entry = generator.entry_of("$so", GOOD)
    assert entry.summary == "It is so."
    assert entry.rows["Operand"] == "a text; or a list."
    assert entry.operand == "a text"
    assert entry.example == ">>> 1\n1"


@pytest.mark.parametrize(
    ("docstring", "lack"),
    [
        ("", "Operand"),
        (GOOD.replace("Empty: never.\n", ""), "Empty"),
        (GOOD.replace("Text: is so.\n", ""), "each kind of value"),
        (GOOD.replace("    a list.", "a list."), "no row"),
        (GOOD.partition(">>>")[0], "no example"),
    ],
)
def test_a_docstring_that_lacks_something_is_refused(generator: types.ModuleType, docstring: str, lack: str) -> None:
    with pytest.raises(ValueError, match=lack):
        generator.entry_of("$so", docstring)
