"""The diff of JSON values."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matchex._diff import diff_json, diff_texts
from matchex._values import equal

values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([1.0, 0.5, "", "a", "x.y"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "x y", "é"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def changes(expected, actual):
    return [change.sign + change.text for change in diff_json(expected, actual).changes]


@pytest.mark.parametrize(
    ("expected", "actual", "wanted"),
    [
        ({"a": 2, "b": [1]}, {"a": 1, "b": [1, 2]}, ["-a: 2", "+a: 1", "+b[1]: 2"]),
        ({"a": 1}, {"a": {"b": 2}}, ["-a: 1", "+a.b: 2"]),
        ({}, {"a": 1, "B": 2, "a10": 3, "a2": 4}, ["+B: 2", "+a: 1", "+a10: 3", "+a2: 4"]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ("xyz", "abc", ['-"xyz"', '+"abc"']),
        (None, False, ["-null", "+false"]),
        (1, True, ["-1", "+true"]),
        (1, 1.0, []),
        (0.5, 2.0, ["-0.5", "+2"]),
        (9007199254740993, 9007199254740992.0, ["-9007199254740993", "+9007199254740992"]),
        ({"a": []}, {"a": {}}, ["-a: []", "+a: {}"]),
        ({"a": [], "b": {}}, {"a": {}}, ["-a: []", "+a: {}", "-b: {}"]),
        ({"a": {}}, {"a": {"b": 1}}, ["+a.b: 1"]),  # still an object, with something added
        ({"a": [1]}, {"a": []}, ["-a[0]: 1"]),
        ({"a": {}}, {"a": [1]}, ["-a: {}", "+a[0]: 1"]),
        ({"a": {"b": 1}}, {"a.b": 1}, ['+["a.b"]: 1', "-a.b: 1"]),
        ({"ключ": {"a b": 1}}, {"ключ": {"a b": 2}}, ['-ключ["a b"]: 1', '+ключ["a b"]: 2']),
        ({}, {"a": None}, ["+a: null"]),
        (float("nan"), float("nan"), ["-nan", "+nan"]),
    ],
)
def test_leaves(expected, actual, wanted):
    assert changes(expected, actual) == wanted


def test_a_change_carries_path_and_value():
    removed, added = diff_json({"a": [1]}, {"a": ["x"]}).changes
    assert (removed.path, removed.val, removed.count) == ("a[0]", 1, 1)
    assert (added.path, added.val) == ("a[0]", "x")


def test_texts_are_parsed_where_they_can_be():
    assert not diff_texts('{"a": 1}', '{ "a" : 1.0 }', "json").changed
    assert [change.text for change in diff_texts("xyz", "abc", "json").changes] == ['"xyz"', '"abc"']
    assert [change.text for change in diff_texts("{}", "oops", "json").changes] == ["{}", '"oops"']
    assert diff_texts("[1]", "```\n[1]\n```", "json").changed  # a fence is no JSON


def test_records_are_read_as_mappings():
    @dataclass
    class Point:
        x: int

    assert changes({"p": {"x": 1}}, {"p": Point(2)}) == ["-p.x: 1", "+p.x: 2"]


def test_numbers_of_any_size_are_shown():
    (change,) = diff_json([], [10**5000]).changes
    assert change.text.startswith("[0]: 0x")
    assert change.val == 10**5000


def test_nesting_is_bounded():
    deep = []
    for _ in range(400):
        deep = [deep]
    assert changes(deep, deep) == []
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="deeper than 500 levels"):
        diff_json(endless, 1)


@given(values, values)
def test_nothing_differs_exactly_when_the_values_are_equal(a, b):
    assert diff_json(a, b).changed == (not equal(a, b))


@given(values, values)
def test_the_other_way_round_the_signs_change(a, b):
    there = {(change.sign, change.text) for change in diff_json(a, b).changes}
    back = {({"+": "-", "-": "+"}[change.sign], change.text) for change in diff_json(b, a).changes}
    assert there == back
