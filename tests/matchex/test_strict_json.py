"""JSON texts."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matchex._strict_json import JsonTextError, parse_json_text

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        (" \ufeff{}\n", {}),
        ('{"a": 1, "b": [true, 1.5]}', {"a": 1, "b": [True, 1.5]}),
        ("9007199254740993", 9007199254740993),
        ("1" + "0" * 4000, 10**4000),
        ('"\\ud800"', "\ud800"),
        ('"\\ud83d\\ude00"', "😀"),
        ('"a\\"[{"', 'a"[{'),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("```\n[1]\n```", [1]),
        ("~~~ JSON\r\n\r\n[1]\r\n~~~", [1]),
        ("  ````json\n[1]\n````  ", [1]),
        ('```json\n{"a": "```"}\n```', {"a": "```"}),
        ("```json\n[1]```", [1]),
        ("[" * 200 + "]" * 200, None),
    ],
)
def test_what_is_read(text, value):
    result = parse_json_text(text)
    if value is not None:
        assert result == value


@given(values)
def test_reads_what_json_writes(value):
    assert parse_json_text(json.dumps(value)) == value
    assert parse_json_text(json.dumps(value, ensure_ascii=False, indent=1)) == value


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "there is no JSON text"),
        ("  \n ", 1, 1, "there is no JSON text"),
        ("```json\n```", 2, 1, "there is no JSON text"),
        ('{"a": 1', 1, 8, "it looks cut off"),
        ('{\n  "a" 1}', 2, 7, "expected ':' after the key"),
        ('{"a": 1 "b": 2}', 1, 9, "expected ',' or a closing bracket"),
        ("{'a': 1}", 1, 2, "JSON writes texts in double quotes"),
        ("[True]", 1, 2, "JSON writes true, false and null"),
        ("[1, // one\n2]", 1, 5, "JSON has no comments"),
        ('{"a": 1} thanks', 1, 10, "something follows"),
        ("Sure! [1]", 1, 1, "expected a value"),
        ('{"a": 1, "b": {"a": 2}, "a": 3}', 1, 25, 'the key "a" occurs twice'),
        ('{"a": {"b": 1, "b" : 2}}', 1, 16, 'the key "b" occurs twice'),
        ('{"\\u0061": 1, "a": 2}', 1, 15, 'the key "a" occurs twice'),
        ("[1, NaN]", 1, 5, "NaN is no JSON number"),
        ('["NaN", -Infinity]', 1, 9, "-Infinity is no JSON number"),
        ("[1e999]", 1, 2, "this number is too large"),
        ("[" + "9" * 5000 + "]", 1, 2, "an integer of 5,000 digits"),
        ("[" * 201 + "]" * 201, 1, 201, "nested deeper than 200 levels"),
        ('{"a":' * 100_000, 1, 1001, "nested deeper than 200 levels"),
        ('```json\n{"a": 1,,}\n```', 2, 9, "expected a key"),
        ("```json\n[1]\n```\n```json\n[2]\n```", 3, 1, "one code fence"),
        ("```json\n[1]", 1, 1, "never closed"),
        ("~~~\n[1]\n```", 1, 1, "never closed"),
        ('"a\nb"', 1, 3, "control character"),
        ('"a', 1, 1, "no closing quote"),
        ("[1] ```", 1, 5, "one code fence"),
        ("文: [1", 1, 1, "expected a value"),
        ("\x00", 1, 1, "expected a value"),
    ],
)
def test_errors_name_the_place(text, line, column, message):
    with pytest.raises(JsonTextError) as caught:
        parse_json_text(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert message in caught.value.message
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


def test_the_excerpt_points_at_the_place():
    with pytest.raises(JsonTextError) as caught:
        parse_json_text('{"日本": 1,\n "日本" 2}')
    assert caught.value.excerpt == '   2 |  "日本" 2}\n' + " " * 15 + "^"
    with pytest.raises(JsonTextError) as caught:
        parse_json_text("[" + "1," * 1000 + "x" + ",1" * 1000 + "]")
    first, second = caught.value.excerpt.split("\n")
    assert first.startswith("   1 | … ")
    assert first.endswith(" …")
    assert first[second.index("^")] == "x"


def test_a_fence_is_kept_where_it_is_asked_for():
    with pytest.raises(JsonTextError):
        parse_json_text("```\n[1]\n```", fence=False)


def test_a_smaller_limit_of_the_interpreter_is_an_error_too():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(1000)
    try:
        with pytest.raises(JsonTextError, match="2,000 digits"):
            parse_json_text("[" + "1" * 2000 + "]")
    finally:
        sys.set_int_max_str_digits(before)
