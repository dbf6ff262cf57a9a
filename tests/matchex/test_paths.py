"""Paths: reading, walking, writing, guessing."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matchex._paths import format_path, format_place, lookup, nearest, parse_path, resolve
from matchex._values import MISSING, Literal


@dataclasses.dataclass
class User:
    name: str
    tags: list[str]


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a", ("a",)),
        ("a.b[0]['x y'].c", ("a", "b", 0, "x y", "c")),
        ("a.0.b", ("a", "0", "b")),
        ("a[-1]", ("a", -1)),
        ("[0].a", (0, "a")),
        ('["a.b"].c', ("a.b", "c")),
        (r"""a['it\'s "q"']""", ("a", 'it\'s "q"')),
        (r'a["\u00e4\n"]', ("a", "ä\n")),
        ("a[b]", ("a", "b")),
        ("k-k", ("k-k",)),
        ("名前.太郎[0]", ("名前", "太郎", 0)),
    ],
)
def test_parse(text, steps):
    assert parse_path(text) == steps


@pytest.mark.parametrize("text", ["", "a..b", ".a", "a.", "a[", "a]b", "a[0]b", "a.[0]", 'a["x]', r'a["\x"]', "."])
def test_what_is_no_path_is_one_key(text):
    assert parse_path(text) == (text,)


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ((), ""),
        (("output", "items", 0, "name"), "output.items[0].name"),
        (("a", "x.y"), 'a["x.y"]'),
        (("a.b",), '["a.b"]'),
        (("/^x/",), '["/^x/"]'),
        (("a", "0"), 'a["0"]'),
        (("a", ""), 'a[""]'),
        (("a", 'say "ä"\n'), 'a["say \\"ä\\"\\n"]'),
        ((3, "名前", "_x1"), "[3].名前._x1"),
        (("$or",), '["$or"]'),
        (("a", True, None), 'a["True"]["None"]'),
    ],
)
def test_format(keys, text):
    assert format_path(keys) == text


def test_a_place_in_an_expectation_shows_operators_plainly():
    assert format_place(("user", "$or", 0, "a.b", "$gte")) == 'user.$or[0]["a.b"].$gte'


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1) | st.integers(0, 10**6), min_size=1))
def test_what_is_written_is_read_back(keys):
    assert parse_path(format_path(keys)) == tuple(keys)


@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        ({"a": {"b": 1}}, "a.b", 1),
        ({"a": [{"b": 1}, {"b": 2}]}, "a[1].b", 2),
        ({"a": [{"b": 1}, {"b": 2}]}, "a[-1].b", 2),
        ({"a": [{"b": 1}]}, "a.0.b", 1),
        ({"a": (1, 2)}, "a.-1", 2),
        ({"a": {"x y": 1}}, 'a["x y"]', 1),
        ({"a": {"0": "text"}}, "a[0]", "text"),
        ({"a": {0: "number"}}, "a.0", "number"),
        ({"a": {-1: "number"}}, "a[-1]", "number"),
        (OrderedDict(a=OrderedDict(b=1)), "a.b", 1),
        (User("Ann", ["x"]), "tags[0]", "x"),
        ({"p": Point(1, 2)}, "p.y", 2),
        ({"a": None}, "a", None),
    ],
)
def test_lookup(value, path, found):
    assert lookup(value, parse_path(path)) == found


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": 1}, "b"),
        ({"a": 1}, "a.b"),
        ({"a": None}, "a.b"),
        ({"a": [1]}, "a[1]"),
        ({"a": [1]}, "a[-2]"),
        ({"a": [1]}, "a.length"),
        ({"a": "text"}, "a[0]"),
        ({"a": "text"}, "a.upper"),
        (User("Ann", []), "__class__"),
        ({"p": Point(1, 2)}, "p[0]"),
        ({"a": MISSING}, "a"),
    ],
)
def test_lookup_of_nothing(value, path):
    assert lookup(value, parse_path(path)) is MISSING


def test_lookup_creates_no_key():
    from collections import defaultdict

    value = {"a": defaultdict(list)}
    assert lookup(value, ("a", "b")) is MISSING
    assert not value["a"]


def test_what_is_inside_a_literal_is_literal():
    value = {"a": Literal({"b": ["{{ x }}", Literal(2)]})}
    assert lookup(value, ("a", "b", 0)) == Literal("{{ x }}")
    assert lookup(value, ("a", "b", -1)) == Literal(2)
    assert lookup(value, ("a", "c")) is MISSING
    assert resolve(value, ("a", "b", "-1")) == ("a", "b", 1)


@pytest.mark.parametrize(
    ("value", "steps", "real"),
    [
        ({"a": [1, 2]}, ("a", "-1"), ("a", 1)),
        ({"a": [1, 2]}, ("a", "0"), ("a", 0)),
        ({"a": {0: {"b": 1}}}, ("a", "0", "b"), ("a", 0, "b")),
        ({"a": {"0": 1}}, ("a", 0), ("a", "0")),
        ({"a": [1]}, ("a", -5, "b"), ("a", -5, "b")),
        ({"a": 1}, ("a", "b", "0"), ("a", "b", "0")),
    ],
)
def test_resolve(value, steps, real):
    assert resolve(value, steps) == real


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("$endswith", ["$eq", "$endsWith"], "$endsWith"),
        ("pass_score", ["score", "passScore"], "passScore"),
        ("nmae", ["age", "name"], "name"),
        ("usr", ["user"], "user"),
        ("$contians", ["$count", "$contains"], "$contains"),
        ("threshhold", ["title", "threshold"], "threshold"),
        ("$start", ["$sort", "$startsWith"], "$startsWith"),
        ("$equals", ["$ne", "$eq"], "$eq"),
        ("first", ["first-name"], "first-name"),
        ("nope", ["limit", "tags", "name"], None),
        ("x", ["y"], None),
        ("name", [], None),
        ("a", [1, None, "", "A"], "A"),
        ("x" * 5000, ["y" * 5000], None),
    ],
)
def test_nearest(name, known, meant):
    assert nearest(name, known) == meant
