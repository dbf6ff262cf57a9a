"""JSON and JSON Lines, with the same care as YAML."""

import json

import pytest
from aitestrunner._json import parse_json, parse_json_lines
from hypothesis import given
from hypothesis import strategies as st

from aitestrunner import FixtureError


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('{"a": 1,\n "a": 2}', 2, 2, "`a` is given twice"),
        ('[{"a": NaN}]', 1, 8, "NaN is no JSON"),
        ("[1,\n 2", 2, 3, "not JSON"),
        ('{"a": ' * 250 + "1" + "}" * 250, 1, 1201, "levels deep"),
        ("[" * 100_000, 1, 1, "levels deep"),
        ("[" + "9" * 5000 + "]", 1, 2, "digits"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, line, column, words):
    with pytest.raises(FixtureError) as caught:
        parse_json(text, "a.json")
    (problem,) = caught.value.problems
    assert (problem.position.line, problem.position.column) == (line, column)
    assert words in problem.message


def test_places():
    node = parse_json('[\n  {"a": [1, {"b": "x{"}],\n   "c": {}}\n]', "a.json")
    places = {path: node.locate(path)[1:] for path in [(0,), (0, "a"), (0, "a", 1), (0, "a", 1, "b"), (0, "c")]}
    assert places == {(0,): (2, 3), (0, "a"): (2, 4), (0, "a", 1): (2, 13), (0, "a", 1, "b"): (2, 14), (0, "c"): (3, 4)}


def test_lines_keep_their_numbers():
    nodes = list(parse_json_lines('{"a": 1}\n\n{"b": 2}\n', "a.jsonl"))
    assert [node.locate().line for node in nodes] == [1, 3]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


def paths_of(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield from paths_of(child, (*path, key))


@given(values, st.sampled_from([None, 1]))
def test_every_value_has_a_place_of_its_own(value, indent):
    """Values stand in reading order: later ones in a walk never stand before earlier ones, and no two together."""
    node = parse_json(json.dumps(value, indent=indent), "a.json")
    places = [node.locate(path)[1:] for path in paths_of(value)]
    assert places == sorted(places)
    assert len(set(places)) == len(places)
