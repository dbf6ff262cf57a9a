"""Formats are checked, each by examples; texts of any length are checked in bounded time."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matchex_schema._engine import Engine
from matchex_schema._formats import NUMBER_FORMATS, ORDERED_FORMATS, TEXT_FORMATS, order_key
from matchex_schema._rust import _OWN_FORMATS

from matchex_schema import Schema, backends

CASES: dict[str, dict[str, list[Any]]] = json.loads(Path(__file__).with_name("format_cases.json").read_text("utf-8"))


def compiled(name: str, backend: Any = None, **settings: Any) -> Any:
    return Engine().compile(Schema({"format": name}, backend=backend, **settings), base_dir=None, regex_timeout=1)


def test_every_format_has_examples() -> None:
    assert CASES.keys() == TEXT_FORMATS.keys() | NUMBER_FORMATS.keys()


@pytest.mark.parametrize("backend", sorted(backends()))
@pytest.mark.parametrize("name", sorted(CASES))
def test_examples(name: str, backend: str) -> None:
    validator = compiled(name, backend)
    assert [value for value in CASES[name]["right"] if not validator.is_valid(value)] == []
    assert [value for value in CASES[name]["wrong"] if validator.is_valid(value)] == []
    assert all(validator.is_valid(value) for value in ([], {}, None))


@pytest.mark.parametrize("backend", sorted(backends()))
def test_formats_may_be_annotations(backend: str) -> None:
    for name in CASES:
        validator = compiled(name, backend, formats=False)
        assert all(validator.is_valid(value) for value in CASES[name]["wrong"])


@pytest.mark.parametrize("name", sorted(TEXT_FORMATS))
def test_long_texts_take_bounded_time(name: str) -> None:
    pieces = ["a", "1", "a.", "a@", "%41", "/a", "{a}", "-", ":", '"', "1Y", "xn--", "(", "ä", "~0", "a-"]
    begun = time.monotonic()
    for piece in pieces:
        repeated = piece * (200 if name == "regex" else 5_000)
        for text in (repeated, repeated + "\0"):
            assert TEXT_FORMATS[name](text) in (True, False)
    assert time.monotonic() - begun < 20


def mutated(texts: list[str]) -> st.SearchStrategy[str]:
    """Texts of a format with one character replaced, inserted or taken away."""
    characters = st.sampled_from("019aZzT:/.-+ #?@[]{}~%é٣\n²") | st.characters(exclude_categories=["Cs"])

    def change(text: str, place: int, character: str, removed: int) -> str:
        place %= len(text) + 1
        return text[:place] + character + text[place + removed :]

    return st.builds(change, st.sampled_from(texts), st.integers(0, 100), characters | st.just(""), st.integers(0, 2))


@pytest.mark.skipif("rust" not in backends(), reason="jsonschema-rs is not installed")
@pytest.mark.parametrize("name", sorted(_OWN_FORMATS))
def test_jsonschema_rs_reads_its_own_formats_as_we_do(name: str) -> None:
    fast = compiled(name, "rust")
    assert fast.backend == "rust"

    @given(mutated([*CASES[name]["right"], *CASES[name]["wrong"]]))
    def check(text: str) -> None:
        assert fast._fast(text) == TEXT_FORMATS[name](text)

    check()


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("date", ["0000-12-31", "0001-01-01", "1999-12-31", "2000-01-01"]),
        ("time", ["10:00:00+05:00", "05:00:00.5Z", "05:00:01Z", "03:00:00-03:00"]),
        ("date-time", ["1999-12-31T23:00:00-02:00", "2000-01-01T01:00:01Z", "2000-03-01T00:30:00+01:00"]),
        ("iso-time", ["09:00:00", "10:00:00+00", "11:00:00"]),
        ("iso-date-time", ["2000-02-28 10:00:00", "2000-02-29T10:00:00Z", "2000-03-01T10:00:00"]),
    ],
)  # fmt: skip
def test_order_of_moments(name: str, texts: list[str]) -> None:
    assert name in ORDERED_FORMATS
    keys = [order_key(text, name) for text in texts]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
