"""YAML by the core rules of 1.2, with positions, and nothing that runs code."""

import json
import math

import pytest
import yaml
from aitestrunner._yaml import MAX_DEPTH, parse_yaml
from hypothesis import given
from hypothesis import strategies as st

from aitestrunner import FixtureError


def load(text):
    return parse_yaml(text, "a.yaml").value


def problem_of(text):
    with pytest.raises(FixtureError) as caught:
        parse_yaml(text, "a.yaml")
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("True", True),
        ("false", False),
        ("tRue", "tRue"),
        ("null", None),
        ("~", None),
        ("", None),
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("+12", 12),
        ("-0", 0),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2021-04-30", "2021-04-30"),
        ("05/02/2021", "05/02/2021"),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-.inf", -math.inf),
        ("1.2.3", "1.2.3"),
        ("-", None),
        ("'1'", "1"),
        ('"true"', "true"),
        ("! 1", "1"),
        ("!!str 1", "1"),
        ("!!int 1", 1),
        ("!!float 1", 1.0),
        ("=", "="),
        ("<<", "<<"),
        ("/abc/i", "/abc/i"),
    ],
)
def test_core_scalars(scalar, value):
    (got,) = load(f"- {scalar}\n") if scalar != "-" else [None]
    assert got == value
    assert type(got) is type(value)


def test_not_a_number():
    assert math.isnan(load(".nan"))


def test_merge_key_is_a_plain_key():
    assert load("a: &x {b: 1}\nc: {<<: *x, d: 2}")["c"] == {"<<": {"b": 1}, "d": 2}


def test_tags_for_patterns_and_schemas():
    assert load("- !re /a b/i\n- !schema {type: string}\n- !json-schema false\n") == [
        "/a b/i",
        {"$schema": {"type": "string"}},
        {"$schema": False},
    ]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, 3, "`c` is given twice"),
        ("- !re abc", 1, 3, "between slashes"),
        ("- !fn |\n    return 1\n", 1, 3, "holds code"),
        ("- !call x", 1, 3, "holds code"),
        ("- !!python/object/apply:os.system [ls]", 1, 3, "plain data"),
        ("- !whatever x", 1, 3, "unknown tag !whatever"),
        ("a: [1, 2\nb: 3", 2, 2, "not YAML"),
        ("- a: b: c", 1, 7, "needs quotes"),
        ("-\tx: 1\n\ty: 2", 1, 2, "tabs"),
        ("- *nowhere", 1, 3, "no anchor"),
        ("a: &a [*a]", 1, 8, "inside its own anchor"),
        ("- {[1]: 2}", 1, 4, "cannot be a key"),
        ("- title: {{name}}", 1, 11, 'needs quotes: "{{name}}"'),
        ("a: 1\n---\nb: 2\n", 2, 1, "second document"),
        ("- " + "9" * 5000, 1, 3, "digits"),
        ("!!int x", 1, 1, "no int"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, line, column, words):
    problem = problem_of(text)
    assert (problem.position.line, problem.position.column) == (line, column)
    assert words in problem.message


def test_alias_bomb():
    levels = ["a0: &b0 [1,1,1,1,1,1,1,1,1,1]"]
    levels += [f"a{n}: &b{n} [{','.join([f'*b{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert "alias bomb" in problem_of("\n".join(levels)).message


@pytest.mark.parametrize("text", ["- " * (MAX_DEPTH + 1) + "1", "[" * 100_000, "{a: " * (MAX_DEPTH + 1)])
def test_depth_is_bounded(text):
    assert "deep" in problem_of(text).message or "depth" in problem_of(text).message


def test_depth_through_aliases_is_bounded():
    lines, previous = ["- &x0 [1]"], "x0"
    for n in range(1, MAX_DEPTH + 1):
        lines.append(f"- &x{n} [*{previous}]")
        previous = f"x{n}"
    assert "levels deep" in problem_of("\n".join(lines)).message


def test_aliases_share_and_are_placed_where_they_stand():
    node = parse_yaml("- &a {x: [1, 2]}\n- *a\n", "a.yaml")
    assert node.value[1] == {"x": [1, 2]}
    assert node.locate((1, "x", 0)).line == 2


def test_every_value_has_its_place():
    node = parse_yaml("- a: 1\n  b:\n    - x\n    - {c: d}\n", "a.yaml")
    places = {path: node.locate(path)[1:] for path in [(), (0,), (0, "a"), (0, "b", 1), (0, "b", 1, "c")]}
    assert places == {(): (1, 1), (0,): (1, 3), (0, "a"): (1, 3), (0, "b", 1): (4, 7), (0, "b", 1, "c"): (4, 8)}


def test_a_place_that_is_not_there_is_that_of_what_holds_it():
    node = parse_yaml("tools:\n  - name: x\n", "a.yaml")
    assert node.locate(("tools", "$all", 0, "name", "$eq")).line == 2
    assert node.locate(("tools", 7)).line == 1


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Co"], exclude_characters="\ufeff"))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_json_is_yaml(value):
    """What JSON writes comes back as it was (but for characters that YAML wants escaped in its own way)."""
    assert load(json.dumps(value, ensure_ascii=False)) == value


@given(st.text(alphabet="-:[]{},&*!|>'\"%@` \n#ab1<{", max_size=40))
def test_no_text_crashes_the_loader(text):
    try:
        load(text)
    except FixtureError as error:
        assert error.problems[0].position.line >= 1


@given(st.text(alphabet="abc:-[]{} \n1.", max_size=30))
def test_we_accept_what_the_parser_accepts(text):
    """But for keys given twice and keys that are no texts, nothing that PyYAML reads is refused."""
    try:
        yaml.load(text, yaml.BaseLoader)
    except (yaml.YAMLError, TypeError, ValueError):
        return
    try:
        load(text)
    except FixtureError as error:
        assert any(words in str(error) for words in ("given twice", "key must be", "cannot be a key", "needs quotes"))
