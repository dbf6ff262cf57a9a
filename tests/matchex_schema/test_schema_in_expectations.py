"""Schemas as parts of expectations: how matchex reads them, where failures stand, and what is refused."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from matchex_schema._engine import Engine

import matchex
from matchex_schema import Schema

PERSON = {"type": "object", "properties": {"age": {"minimum": 18}, "tags": {"items": {"type": "string"}}}}


def test_every_violation_stands_at_its_value() -> None:
    result = matchex.validate({"who": {"age": 5, "tags": ["a", 1]}}, {"who": {"$schema": PERSON}})
    assert [(f.path, f.expected_path) for f in result.failures] == [
        ("who.age", "who.$schema.properties.age.minimum"),
        ("who.tags[1]", "who.$schema.properties.tags.items.type"),
    ]
    assert [(f.expected, f.actual) for f in result.failures] == [(18, 5), ("string", 1)]
    assert result.score == 0


@pytest.mark.parametrize(
    "expected", [PERSON, {"$schema": PERSON}, Schema(PERSON)], ids=["heuristic", "operator", "object"]
)
def test_three_ways_to_say_it(expected: object) -> None:
    assert matchex.validate({"age": 20}, expected).passed
    assert [f.path for f in matchex.validate({"age": 2}, expected).failures] == ["age"]


def test_a_schema_beside_other_operators_and_with_metadata() -> None:
    expected = {"n": {"$schema": {"type": "number"}, "$gte": 5, "$score": 3}, "t": {"type": "string", "$score": 1}}
    result = matchex.validate({"n": 3, "t": "x"}, expected)
    assert [f.path for f in result.failures] == ["n"]
    assert 0 < result.score < 1


def test_a_missing_field_fails_whatever_the_schema() -> None:
    for schema in ({"$schema": {}}, {"$schema": True}, {"type": ["null", "string"]}):
        result = matchex.validate({}, {"a": schema})
        assert [(f.path, f.message) for f in result.failures] == [("a", "must be there, but is missing")]


def test_texts_are_seen_untrimmed() -> None:
    assert matchex.validate(" a ", {"$schema": {"maxLength": 1}}).status == "fail"


@pytest.mark.parametrize(
    ("expected", "path", "words"),
    [
        ({"a": {"$schema": {"type": "strin"}}}, "a.$schema.type", "did you mean string?"),
        ({"a": {"type": "object", "properties": {"b": {"type": "numbr"}}}}, "a.properties.b.type", "heuristic_schema"),
        ({"$schema": {"items": {"$ref": "parts.json"}}}, "$schema.items.$ref", "parts.json"),
        ({"a": Schema({"dynamicDefaults": {}})}, "a.dynamicDefaults", "never"),
        ({"$schema": {"enum": [matchex.MISSING]}}, "$schema.enum[0]", "a schema is JSON"),
        ({"$schema": {"propertys": {}}}, "$schema.propertys", "did you mean properties?"),
        ({"$schema": {"items": {"minimun": 3}}}, "$schema.items.minimun", "did you mean minimum?"),
        ({"$schema": {"allof": [{}]}}, "$schema.allof", "did you mean allOf?"),
        ({"$schema": {"format": "e-mail"}}, "$schema.format", "did you mean email?"),
        ({"$schema": {"tpye": "string"}}, "$schema.tpye", "did you mean type?"),
        ({"$schema": {"enumm": [1]}}, "$schema.enumm", "did you mean enum?"),
        ({"$schema": {"name": "x", "parameters": {"type": "object"}}}, "$schema.parameters", 'beside "name"'),
        ({"$schema": {"name": "x", "strict": True, "schema": {}}}, "$schema.schema", 'beside "name" and "strict"'),
    ],
)
def test_a_wrong_schema_is_found_before_any_value(expected: object, path: str, words: str) -> None:
    with pytest.raises(matchex.ExpectationError) as caught:
        matchex.compile(expected)
    (problem,) = caught.value.problems
    assert problem.path == path
    assert words in problem.message


@pytest.mark.parametrize(
    "schema",
    [
        *({"example": 1}, {"x-unit": "EUR"}, {"enumNames": ["a"]}, {"properties": {"propertys": {"type": "string"}}}),
        *({"x-nullable": True}, {"x-required": 1}, {"multiple": True}, {"formatter": "f"}, {"container": 1}),
        *({"isRequired": True}, {"propertiesOrder": []}, {"requiredMode": "a"}, {"readonly": True}, {"unit": "EUR"}),
        *({"order": 1}, {"label": "a"}, {"widget": "x"}, {"errorMessage": "x"}, {"instanceof": "Date"}),
    ],
)
def test_annotations_may_have_any_name(schema: object) -> None:
    matchex.compile({"$schema": schema})


def test_files_below_the_base_folder(tmp_path: Path) -> None:
    (tmp_path / "parts.json").write_text('{"type": "number"}', "utf-8")
    expected = {"$schema": {"items": {"$ref": "parts.json"}}}
    assert [f.path for f in matchex.validate([1, "x"], expected, base_dir=tmp_path).failures] == ["[1]"]


def test_what_cannot_be_found_out_is_an_error() -> None:
    result = matchex.validate(5, {"$schema": {"anyOf": [{"type": "string"}, {"$ref": "#"}]}})
    assert (result.status, result.errors[0].kind) == ("error", "limit")


def test_the_settings_of_a_schema_object_count() -> None:
    assert matchex.validate("no date", Schema({"format": "date"}, formats=False)).passed


def test_schema_objects() -> None:
    assert Schema({"type": "number"}) == Schema({"type": "number"}) != Schema({"type": "string"})
    assert Schema(True) != Schema(True, formats=False)
    assert Schema({"const": 1}) != Schema({"const": True})
    assert len({Schema(True), Schema(True)}) == 1
    assert repr(Schema({"type": "number"})) == "Schema({'type': 'number'})"
    assert Schema(False).__matchex_schema__ is False
    with pytest.raises(TypeError, match="a schema is a mapping or a bool, not list"):
        Schema([])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("mapping", "answer"),
    [
        ({"type": "string"}, True),
        ({"type": ["string", "null"]}, True),
        ({"type": "object", "description": "foo"}, True),
        ({"title": "a", "type": "number"}, True),
        ({"not": True}, True),
        ({"if": "x"}, True),
        ({"$schema": "http://x", "minimum": 1}, True),
        ({"anyOf": []}, True),
        ({"type": "string", "format": "date", "formatMinimum": "2020-01-01"}, True),
        ({"type": "object", "select": {}, "selectCases": {}, "selectDefault": True}, True),
        ({"type": "button"}, False),
        ({"type": []}, False),
        ({"type": ["string", "button"]}, False),
        ({"type": ["string", 1]}, False),
        ({"type": "object", "name": "x"}, False),
        ({"type": "string", "$score": 5}, False),
        ({"type": "string", "$contains": "x"}, False),
        ({"enum": [1]}, False),
        ({"properties": {}}, False),
        ({"type": "string", 1: 2}, False),
        ({}, False),
    ],
)
def test_what_looks_like_a_schema(mapping: dict[object, object], answer: bool) -> None:
    assert Engine().looks_like_schema(mapping) is answer


def loaded(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    return set(done.stdout.split())


def test_libraries_are_loaded_when_the_first_schema_is_compiled() -> None:
    heavy = {"jsonschema", "jsonschema_rs", "referencing", "idna"}
    assert not heavy & loaded("import matchex_schema, matchex_schema._plugin; matchex_schema.Schema({})")
    assert "jsonschema" in loaded("import matchex, matchex_schema; matchex.compile(matchex_schema.Schema({}))")


@pytest.mark.parametrize("keyword", ["properties", "patternProperties", "$defs", "items", "allOf"])
def test_a_schema_may_hold_any_json(keyword: str) -> None:
    inner: Any = {"x": {"type": "number"}} if keyword in ("properties", "patternProperties", "$defs") else {}
    schema = {keyword: [inner] if keyword == "allOf" else inner}
    assert matchex.validate({"x": 1}, {"$schema": schema}).passed
