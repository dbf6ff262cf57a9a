"""Texts that look equal."""

import pytest
from matchex._diff import hidden_difference

START = "the texts look equal, but differ in "


@pytest.mark.parametrize(
    ("expected", "actual", "named"),
    [
        (
            "café",
            "cafe\u0301",
            "the Unicode normalisation form (expected is NFC, actual is NFD; at 4 expected has "
            "U+00E9 LATIN SMALL LETTER E WITH ACUTE, actual has U+0065 LATIN SMALL LETTER E)",
        ),
        (
            "Ａ1",
            "A1",
            "full-width, half-width or other compatibility forms (at 1 expected has "
            "U+FF21 FULLWIDTH LATIN CAPITAL LETTER A, actual has U+0041 LATIN CAPITAL LETTER A)",
        ),
        ("ab", "a\u200bb", "invisible characters (actual has U+200B ZERO WIDTH SPACE at 2)"),
        ("a\u202eb", "ab", "invisible characters (expected has U+202E RIGHT-TO-LEFT OVERRIDE at 2)"),
        ("a\u00adb", "ab", "invisible characters (expected has U+00AD SOFT HYPHEN at 2)"),
        ("❤", "❤\ufe0f", "invisible characters (actual has U+FE0F VARIATION SELECTOR-16 at 2)"),
        ("ab", "a\x00b", "invisible characters (actual has U+0000 at 2)"),
        ("a b", "a\u00a0b", "the kind of blanks (actual has U+00A0 NO-BREAK SPACE at 2)"),
        ("a\u3000b", "a b", "the kind of blanks (expected has U+3000 IDEOGRAPHIC SPACE at 2)"),
        ("a b", "a\tb", "the kind of blanks (actual has U+0009 at 2)"),
        ("a b", "a   b", "the number of blanks (expected has 1 at 2, actual has 3 at 2)"),
        ("a\nb", "a\r\nb", "line ends (expected has LF, actual has CRLF)"),
        ("a\nb", "a \nb", "blanks at line ends (actual has U+0020 SPACE at 2)"),
        (
            "a\u200bb\u200bc",
            "a\u200bbc",
            "invisible characters (expected has U+200B ZERO WIDTH SPACE at 4)",
        ),
        (
            "a\u200bb",
            "ab\u200b",
            "invisible characters (expected has U+200B ZERO WIDTH SPACE at 2, actual has U+200B ZERO WIDTH SPACE at 3)",
        ),
    ],
)
def test_the_difference_is_named(expected, actual, named):
    assert hidden_difference(expected, actual) == START + named


def test_several_differences_are_named_together():
    named = hidden_difference("a b\nc", "a\u00a0b\r\nc\u200b")
    assert named is not None
    assert "line ends" in named
    assert "NO-BREAK SPACE" in named
    assert "ZERO WIDTH SPACE" in named
    assert "normalisation" not in named


def test_many_places_are_counted():
    named = hidden_difference("a b c d e f g h", "a\tb\tc\td\te\tf\tg\th")
    assert named == START + "the kind of blanks (actual has U+0009 at 2, U+0009 at 4, U+0009 at 6 and 4 more)"


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("a", "a"), ("a", "b"), ("", "a"), ("a", "A"), ("a\ud800", "b"), ("a b", "a\u00a0c"), ("ab", "a b")],
)
def test_equal_texts_and_visible_differences_have_none(expected, actual):
    assert hidden_difference(expected, actual) is None
