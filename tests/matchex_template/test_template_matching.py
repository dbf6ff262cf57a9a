"""Expectations with placeholders, through `matchex` itself."""

from __future__ import annotations

import pytest

import matchex
from matchex import Literal
from matchex_template import TemplateEngine

ENGINE = TemplateEngine()


def validate(actual, expected, **options):
    return matchex.validate(actual, expected, templates=ENGINE, **options)


def test_one_matcher_serves_many_rows():
    matcher = matchex.compile({"answer": "{{ answer }}", "tags": {"$contains": "{{ tag | lower }}"}}, templates=ENGINE)
    actual = {"answer": 42, "tags": ["a", "b"]}
    assert matcher.match(actual, data={"answer": 42, "tag": "B"}).passed
    assert not matcher.match(actual, data={"answer": 41, "tag": "B"}).passed
    assert matcher.match(actual, data={"answer": 42}).status == "error"


def test_an_undefined_name_is_an_error_with_its_place():
    result = validate({"a": {"b": 1}}, {"a": {"b": "{{ usr.name }}"}}, data={"user": 1})
    assert result.status == "error"
    assert result.errors[0].path == "a.b"
    assert result.errors[0].message == "undefined variable `usr`; did you mean `user`?"


def test_what_does_not_parse_is_found_at_compile_time():
    with pytest.raises(matchex.ExpectationError) as caught:
        matchex.compile({"a": "{{ x y }}", "b": ["{% iff x %}"]}, templates=ENGINE)
    assert [problem.path for problem in caught.value.problems] == ["a", "b[0]"]
    assert all("{% raw %}" in problem.message for problem in caught.value.problems)


def test_rendered_values_are_expectations():
    data = {"op": {"$gte": "{{ least }}"}, "least": 3, "re": "/^a/", "list": ["{{ re }}", {"$exists": False}]}
    assert validate(5, "{{ op }}", data=data).passed
    assert not validate(2, "{{ op }}", data=data).passed
    assert validate("abc", "{{ re }}", data=data).passed
    assert validate("abc", "{{ list | first }}", data=data).passed
    assert validate(["abc"], "{{ list[:1] }}", data=data).passed


def test_a_cycle_through_containers_is_an_error():
    result = validate([[1]], "{{ a }}", data={"a": ["{{ b }}"], "b": ["{{ a }}"]})
    assert result.status == "error"
    assert "a -> b -> a" in result.errors[0].message


def test_a_literal_smuggles_nothing_in():
    said = "/.*/ {{ nope }}"
    for expected in ("{{ said }}", "{{ said | trim }}", "{% if true %}{{ said }}{% endif %}"):
        assert not validate("anything", expected, data={"said": Literal(said)}).passed
        assert validate(f"it said: {said}!", expected, data={"said": Literal(said)}).passed
    assert validate({"$gt": 1}, "{{ said }}", data={"said": Literal({"$gt": 1})}).passed
    assert not validate("abc", "/{{ a }}", data={"a": Literal(".*/")}).passed


def test_escapes_mean_the_same_with_and_without_a_plugin():
    for templates in (True, ENGINE):
        assert matchex.validate("use {{ x }} << y >>", r"use \{{ x }} \<< y >>", templates=templates).passed
        assert matchex.validate("{{ x }}", "{% raw %}{{ x }}{% endraw %}", templates=templates).passed
    assert matchex.validate("a {{ b }}", "{{ b }}", templates=False).passed


def test_data_are_not_changed_and_keep_their_order():
    data = {"row": {"b": "{{ x }}", "a": ["<< x >>"]}, "x": 1}
    result = validate({"a": [2], "b": 2}, "{{ row }}", data=data)
    assert [failure.path for failure in result.failures] == ["b", "a[0]"]
    assert data == {"row": {"b": "{{ x }}", "a": ["<< x >>"]}, "x": 1}


def test_other_delimiters():
    engine = TemplateEngine(delimiters=("[[", "]]"))
    assert matchex.validate("{{ a }} 1", "{{ a }} [[ a ]]", templates=engine, data={"a": 1}).passed
