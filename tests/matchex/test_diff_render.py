"""What a reader sees of a diff."""

import random
import re

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from matchex._diff import Change, Diff, diff_json, diff_texts, render_ansi, render_plain

GRAPHEMES = ["e\u0301", "👩‍👧", "👩‍👦", "🇩🇪", "🇫🇷", "👍🏽", "👍", "क्षि", "각", "a", "b", " ", "\u0301", "\u200d"]


def plain(expected, actual, kind="auto", **options):
    return render_plain(diff_texts(expected, actual, kind), **options)


@pytest.mark.parametrize(
    ("expected", "actual", "kind", "shown"),
    [
        ("the quick fox", "the slow fox", "words", "the [-quick-]{+slow+} fox"),
        ("abc", "abcde", "chars", "abc{+de+}"),
        ("abcd", "abc", "chars", "abc[-d-]"),
        ("the cat is in the house", "the dog is on the house", "chars", "the [-cat-]{+dog+} is [-i-]{+o+}n the house"),
        ("a b", "a\u00a0b", "chars", r"a[- -]{+\xa0+}b"),
        ("a", "a\x1b[31m", "chars", r"a{+\x1b[31m+}"),
        ("a\ud800", "b\ud800", "chars", r"[-a-]{+b+}\ud800"),
        ("café", "cafe\u0301", "chars", "caf[-é-]{+e\u0301+}"),
        ("hi 👩‍👧", "hi 👩‍👦", "chars", "hi [-👩‍👧-]{+👩‍👦+}"),
        ("🇩🇪🇫🇷", "🇩🇪🇫🇮", "chars", "🇩🇪[-🇫🇷-]{+🇫🇮+}"),
        ("ab", "a\u200bb", "chars", r"a{+\u200b+}b"),
        ("same", "same", "chars", "no difference"),
    ],
)
def test_one_line(expected, actual, kind, shown):
    assert plain(expected, actual, kind) == shown


def test_several_lines_are_marked():
    assert plain("a\nb\nc", "a\nB\nc\nd") == "  a\n- b\n+ B\n  c\n+ d"
    assert plain("one\ntwo three four\nend", "one\ntwo 3 four\nend") == (
        "  one\n- two [-three-] four\n+ two {+3+} four\n  end"
    )
    assert plain("a\r\nb", "a\nb") == "- a[-\\r-]\n+ a\n  b"
    assert plain("a b", "a\nb", "chars") == "- a[- -]b\n+ a\n+ b"


def test_long_unchanged_runs_are_folded_with_their_length():
    text = "x" * 600
    assert plain(text + "1" + text, text + "2" + text, context=10) == (
        f"… 590 characters unchanged …{'x' * 10}[-1-]{{+2+}}{'x' * 10}… 590 characters unchanged …"
    )
    lines = "line\n" * 50
    shown = plain(f"{lines}old\n{lines}end", f"{lines}new\n{lines}end").split("\n")
    assert shown[:3] == ["  … 48 lines unchanged …", "  line", "  line"]
    assert shown[-1] == "  … 49 lines unchanged …"
    assert len(shown) == 8


def test_a_long_line_is_folded_too():
    long = "word " * 200
    shown = plain(f"head\n{long}old {long}", f"head\n{long}new {long}")
    assert "characters unchanged" in shown
    assert "[-old-]" in shown
    assert "{+new+}" in shown
    assert len(shown) < 1000


def test_the_result_is_bounded_and_counts_what_is_missing():
    draw = random.Random(1)
    expected = " ".join(str(draw.randrange(10**6)) for _ in range(3000))
    actual = re.sub("7", "seven", expected)
    for render in (render_plain, render_ansi):
        shown = render(diff_texts(expected, actual, "words"), max_length=1000)
        assert len(shown) < 1300
        assert "more parts" in shown
        assert "more changes not shown" in shown
    lines = render_plain(diff_texts("a\n" * 500, "b\n" * 500, "chars"), max_length=1000)
    assert len(lines) < 1300
    assert "more lines" in lines
    assert len(plain("", "x" * 10**6, "chars", max_length=1000)) < 400


def test_json_is_marked_by_leaf():
    assert render_plain(diff_json({"a": 1, "b": []}, {"a": 2, "b": [1]})) == "- a: 1\n+ a: 2\n+ b[0]: 1"
    assert render_plain(diff_json({"a": "\x1b"}, {})) == '- a: "\\u001b"'


def test_coarse_changes_say_so():
    diff = Diff("chars", (Change("-", "a", 1), Change("+", "b", 1)), minimal=False)
    assert render_plain(diff).startswith("[-a-]{+b+}\n(the texts differ so much")


def test_ansi_carries_the_same_and_closes_its_colours():
    diff = diff_texts("the quick fox", "the slow fox", "words")
    assert render_ansi(diff) == "the \x1b[31;9mquick\x1b[39;29m\x1b[32;4mslow\x1b[39;24m fox"
    lines = render_ansi(diff_texts("a\nb", "a\nc"))
    assert lines == "  a\n\x1b[31m- b\x1b[39m\n\x1b[32m+ c\x1b[39m"
    assert render_ansi(diff_texts("a", "b\x1b[0m", "chars")).count("\x1b") == 4


@given(
    st.lists(st.sampled_from(GRAPHEMES), max_size=12).map("".join),
    st.lists(st.sampled_from(GRAPHEMES), max_size=12).map("".join),
    st.sampled_from(["chars", "words"]),
)
@settings(max_examples=300, deadline=None)
def test_no_grapheme_is_torn(expected, actual, kind):
    from matchex._diff._readable import to_parts

    parts = to_parts(diff_texts(expected, actual, kind).changes, clean_up=True)
    for texts in ([part.old for part in parts], [part.new for part in parts]):
        whole = "".join(texts)
        borders = {match.end() for match in regex.finditer(r"\X", whole)} | {0}
        end = 0
        for text in texts:
            end += len(text)
            assert end in borders
    if kind == "chars":
        assert "".join(part.old for part in parts) == expected
        assert "".join(part.new for part in parts) == actual


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["auto", "chars", "words", "lines", "sentences"]))
@settings(max_examples=300, deadline=None)
def test_what_is_shown_can_be_printed_anywhere(expected, actual, kind):
    shown = plain(expected, actual, kind)
    shown.encode("utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", shown)
