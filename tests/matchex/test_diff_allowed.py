"""White-lists."""

import re

import pytest
from matchex._diff import AllowedChange as Item
from matchex._diff import Change, Diff, diff_json, diff_texts, judge_changes


class Pattern:
    def __init__(self, source):
        self.compiled = re.compile(source)
        self.timeouts = []

    def search(self, text, /, *, timeout):
        self.timeouts.append(timeout)
        return self.compiled.search(text) is not None

    def __str__(self):
        return f"/{self.compiled.pattern}/"


def judge(expected, actual, *items, kind="chars", **options):
    return judge_changes(diff_texts(expected, actual, kind), items, **options)


@pytest.mark.parametrize(
    ("expected", "actual", "items", "passed", "credited"),
    [
        ("abc", "abcde", [Item("de", added=True)], True, [0]),
        ("abc", "abcde", [Item("d", added=True)], False, []),  # only a part
        ("abcd", "abc", [Item("d", removed=True)], True, [0]),
        ("abcd", "abc", [Item("d", added=True)], False, []),  # the other sign
        ("abcd", "abc", [Item("d", added=False)], True, [0]),
        ("abcd", "abc", [Item("d", removed=False)], False, []),
        ("abY", "abX", [Item("X"), Item("Y")], True, [0, 1]),
        ("abY", "abX", [Item(Pattern("[XY]"), added=True, removed=True)], True, [0]),
        ("abc", "ab c", [Item("", added=True)], True, [0]),  # a blank is nothing, trimmed
        ("hello", "hello world", [Item(" world", added=True)], True, [0]),
        ("hello", "hello world", [Item("world", added=True)], True, [0]),
        ("abxy", "ab12xy34", [Item(Pattern(r"\d"), added=True)], True, [0]),
        ("ab", "ab12", [Item(Pattern(r"^\d+$"), added=True)], True, [0]),
        ("hello", "hello you", [Item(Pattern("^you$"))], True, [0]),
        ("hello", "hello you", [Item(Pattern("^ you"))], True, [0]),
        ("ab", "aXbX", [Item("X", added=True), Item("X", added=True, required=True)], True, [0, 1]),
        ("a", "Xa", [Item("X", required=True), Item("X", required=True)], False, [0]),
        ("abcd", "aXbXcXd", [Item("X")], True, [0]),  # one item covers several
        ("abc", "abc", [Item("d", removed=True, required=True)], False, []),
        ("abc", "abc", [Item("b", required=True)], False, []),  # never an unchanged part
        ("abc", "abcd", [], False, []),
        ("abc", "abc", [], True, []),
        ("abc", "abc", [Item("x")], True, []),  # may be missing
        ("a😁", "a😀", [Item("😀", added=True), Item("😁", removed=True)], True, [0, 1]),
    ],
)
def test_texts(expected, actual, items, passed, credited):
    verdict = judge(expected, actual, *items)
    assert (verdict.passed, list(verdict.credited)) == (passed, credited)
    assert verdict.passed == (verdict.reasons == ())
    assert not verdict.doubtful


@pytest.mark.parametrize(
    ("expected", "actual", "items", "passed", "credited", "unlisted"),
    [
        ("abc", "abcde", [Item("d", added=True)], True, [0], 0),
        ("abcd", "abXcdY", [Item("X", added=True)], True, [0], 1),
        ("abc", "abcd", [], True, [], 1),
        ("Hello", "Hello big User", [Item("User", added=True, required=True)], True, [0], 0),
        ("Hello", "Hello big Man", [Item("User", added=True, required=True)], False, [], 1),
        ("a", "ab", [Item("", required=True)], False, [], 1),  # the empty text is no part of anything
    ],
)
def test_permissive(expected, actual, items, passed, credited, unlisted):
    verdict = judge(expected, actual, *items, permissive=True)
    assert (verdict.passed, list(verdict.credited), len(verdict.unlisted)) == (passed, credited, unlisted)


def test_strict_requires_every_item_and_permits_nothing_else():
    verdict = judge("abc", "abc", Item("x", added=True), strict=True)
    assert verdict.missing == (0,)
    assert verdict.reasons == ('item 0 did not occur (strict: every item must occur): +"x"',)
    assert not judge("abc", "abcd", strict=True, permissive=True).passed
    assert judge("abc", "abcd", Item("d"), strict=True).passed
    assert judge("abc", "abc", Item("x", penalty=True), strict=True).passed  # a penalty need not occur


@pytest.mark.parametrize(
    ("items", "passed"),
    [
        ([Item(path="a")], True),
        ([Item(path="a", val=1, added=True), Item(path="a", val=2, removed=True)], True),
        ([Item(path="a", val=1.0, added=True), Item(path=Pattern("^a$"), removed=True)], True),
        ([Item(path="a", val=True, added=True), Item(path="a", removed=True)], False),
        ([Item(path="a", value="a: 1", added=True), Item(value="a: 2", removed=True)], True),
        ([Item(path="b")], False),
        ([Item(val=1), Item(val=2)], True),
        ([Item(path="a", val=1)], False),
    ],
)
def test_json(items, passed):
    assert judge_changes(diff_json({"a": 2}, {"a": 1}), items).passed is passed


def test_path_and_val_never_cover_a_change_of_texts():
    assert not judge("abc", "abc1", Item(path="zzz", added=True)).passed
    assert not judge("abc", "abc1", Item(val=1)).passed


def test_values_are_compared_as_the_caller_says():
    diff = diff_json({"a": 2}, {"a": 1})
    assert judge_changes(diff, [Item(val="any")], equal=lambda wanted, value: True).passed


def test_reasons_name_the_changes_and_the_items():
    verdict = judge("abcd", "xbcdy", Item("d", removed=True, required=True), Item(Pattern("q+"), required=True))
    assert verdict.reasons == (
        '3 changes are not allowed: -"a", +"x", +"y"',
        'item 0 did not occur: -"d"',
        "item 1 did not occur: -/+/q+/",
    )
    many = judge("", "a".join("bcdefghi"), kind="chars")
    assert many.reasons == ('1 change is not allowed: +"bacadaeafagahai"',)


def test_reasons_are_bounded():
    verdict = judge("b" * 9, "a".join("b" * 9) + "a" * 500, Item("y" * 500, required=True))
    assert "and 4 more" in verdict.reasons[0]
    assert "(502 characters)" in verdict.reasons[1]
    assert all(len(reason) < 700 for reason in verdict.reasons)


def test_a_diff_that_is_not_minimal_makes_a_white_list_doubtful():
    diff = Diff("chars", (Change("-", "a", 1), Change("+", "b", 1)), minimal=False)
    assert judge_changes(diff, [Item("b")]).doubtful
    assert not judge_changes(diff, []).doubtful  # it changed, whatever the changes are


def test_patterns_get_the_timeout_and_their_errors_pass_through():
    pattern = Pattern("x")
    judge("a", "ab", Item(pattern), timeout=0.25)
    assert pattern.timeouts == [0.25]

    class Slow:
        def search(self, text, /, *, timeout):
            raise TimeoutError

    with pytest.raises(TimeoutError):
        judge("a", "ab", Item(Slow()))
