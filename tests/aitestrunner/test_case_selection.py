"""What is selected: words, tags, ids, lines, shards; what is not selected is no part of the run."""

from itertools import chain

import pytest
from aitestrunner._selection import read_words
from hypothesis import given, settings
from hypothesis import strategies as st

from aitestrunner import AITestRunner, SelectionError

CASES = [
    {"id": "greet-de", "title": "says Hallo", "tags": ["german", "smoke"]},
    {"id": "greet-en", "title": "says hello", "tags": "smoke"},
    {"id": "refund", "title": "pays (or not)"},
]


def selected(cases=CASES, **options):
    result = AITestRunner(lambda context: "x").run_sync("s", [{"output": "x", **case} for case in cases], **options)
    assert result.deselected == (0 if "shard" in options else len(cases) - len(result.logs))
    return [log.id for log in result.logs]


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("greet", ["greet-de", "greet-en"]),
        ("HELLO", ["greet-en"]),
        ("greet and not german", ["greet-en"]),
        ("refund or german", ["greet-de", "refund"]),
        ("not (refund or german)", ["greet-en"]),
        ("not refund and smoke or pays", ["greet-de", "greet-en", "refund"]),
        ("'says h'", ["greet-de", "greet-en"]),
        ('"or"', ["refund"]),
        ("not not refund", ["refund"]),
        ("nothing", []),
        ("", ["greet-de", "greet-en", "refund"]),
    ],
)
def test_words(words, ids):
    assert selected(keywords=words) == ids


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("greet and", "missing at the end"),
        ("and greet", "missing before 'and'"),
        ("(greet", "bracket is not closed"),
        ("greet)", "missing before '\\)'"),
        ("two words", "quote words"),
        ("'greet", "quote is not closed"),
        ("()", "missing before"),
    ],
)
def test_words_that_cannot_be_read(words, message):
    with pytest.raises(SelectionError, match=message):
        selected(keywords=words)


@settings(deadline=None)  # a loaded machine is no fault
@given(st.text())
def test_any_text_is_read_or_refused(words):
    try:
        read_words(words)("x")
    except SelectionError as error:
        assert words in str(error)


def test_tags_and_ids():
    assert selected(tags=["german", "other"]) == ["greet-de"]
    assert selected(ids=["refund", "gone"]) == ["refund"]
    assert selected(tags=["smoke"], keywords="hello") == ["greet-en"]


def test_tags_of_a_file_count(tmp_path):
    path = tmp_path / "a.fixture.yaml"
    path.write_text("---\ntags: slow\n---\n- output: x\n")
    assert len(AITestRunner(lambda context: "x").run_sync("s", path, tags=["slow"]).logs) == 1


def test_lines(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.fixture.yaml").write_text(f"- id: {name}1\n  output: x\n- id: {name}2\n  output: x\n")
    path = str(tmp_path / "a.fixture.yaml")

    def at(*lines):
        options = {"lines": [(path, line) for line in lines]}
        return [log.id for log in AITestRunner(lambda context: "x").run_sync("s", [tmp_path], **options).logs]

    assert at(1) == at(2) == ["a1", "b1", "b2"]
    assert at(3) == at(99) == ["a2", "b1", "b2"]
    assert at(2, 4) == ["a1", "a2", "b1", "b2"]


def test_only_counts_among_the_selected():
    cases = [{"id": "a", "only": True}, {"id": "b"}, {"id": "c"}]
    result = AITestRunner(lambda context: "x").run_sync("s", [{"output": "x", **case} for case in cases], ids=["b"])
    assert [log.status for log in result.logs] == ["pass"]


class TestShards:
    def test_they_partition(self):
        cases = [{"id": f"case {number}"} for number in range(60)]
        parts = [selected(cases, shard=f"{number}/4") for number in range(1, 5)]
        assert sorted(chain(*parts)) == sorted(case["id"] for case in cases)
        assert all(parts)

    def test_a_case_stays_where_it_is(self):
        cases = [{"id": f"case {number}"} for number in range(60)]
        assert selected(cases, shard="2/3") == selected(cases[::-1], shard="2/3")[::-1]
        assert set(selected(cases[20:], shard="2/3")) <= set(selected(cases, shard="2/3"))
        assert selected([{"id": "greet-en"}], shard="1/2") == ["greet-en"]

    def test_they_agree_about_only(self):
        cases = [{"id": f"case {number}", "only": number == 7} for number in range(12)]
        statuses = []
        for shard in ("1/3", "2/3", "3/3"):
            logs = (
                AITestRunner(lambda context: "x").run_sync("s", [{"output": "x", **c} for c in cases], shard=shard).logs
            )
            statuses += [log.status for log in logs]
        assert sorted(statuses) == ["pass"] + ["skip"] * 11
