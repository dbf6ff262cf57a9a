"""References lead into the schema, the specification, files below one folder, and a given registry; nowhere else."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from matchex.plugin import SchemaProblem
from matchex_schema._engine import Engine
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7, DRAFT202012

from matchex_schema import Schema

DIALECT = "https://example.com/dialect"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("something tried to reach a network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base = tmp_path / "base"
    (base / "parts").mkdir(parents=True)
    write(base / "address.json", {"required": ["city"], "properties": {"zip": {"$ref": "parts/zip.json"}}})
    write(base / "parts" / "zip.json", {"$defs": {"digits": {"pattern": "^[0-9]+$"}}, "$ref": "#/$defs/digits"})
    write(base / "parts" / "up.json", {"$ref": "../address.json"})
    write(base / "parts" / "out.json", {"$ref": "../../secret.json"})
    write(base / "old.json", {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "number"}]})
    write(base / "wrong.json", {"properties": {"a": {"type": "strin"}}})
    (base / "broken.json").write_text('{"a": 1, "a": 2}', "utf-8")
    (base / "bom.json").write_text('\ufeff{"type": "number"}\r\n', "utf-8")
    write(tmp_path / "secret.json", {"type": "number"})
    return base


def write(path: Path, schema: Any) -> None:
    path.write_text(json.dumps(schema), "utf-8")


def compiled(schema: Any, base_dir: Path | None = None, **settings: Any) -> Any:
    return Engine().compile(Schema(schema, **settings), base_dir=base_dir, regex_timeout=1)


def problem(schema: Any, base_dir: Path | None = None, **settings: Any) -> SchemaProblem:
    with pytest.raises(SchemaProblem) as caught:
        compiled(schema, base_dir, **settings)
    return caught.value


def test_files_below_the_folder(folder: Path) -> None:
    validator = compiled({"properties": {"home": {"$ref": "address.json"}}}, folder)
    assert validator.is_valid({"home": {"city": "Rome", "zip": "123"}})
    (violation,) = validator.violations({"home": {"city": "Rome", "zip": "x"}})
    assert violation.keys == ("home", "zip")
    assert violation.keyword == "pattern"


def test_a_file_may_refer_upwards_within_the_folder(folder: Path) -> None:
    assert not compiled({"$ref": "parts/up.json"}, folder).is_valid({})


def test_files_are_read_once_and_before_matching(folder: Path) -> None:
    validator = compiled({"$ref": "address.json"}, folder)
    (folder / "address.json").unlink()
    (folder / "parts" / "zip.json").unlink()
    assert not validator.is_valid({"city": "Rome", "zip": "x"})


def test_a_file_keeps_its_dialect_and_a_byte_order_mark_does_not_matter(folder: Path) -> None:
    assert not compiled({"$ref": "old.json"}, folder).is_valid(["a"])
    assert not compiled({"$ref": "bom.json"}, folder).is_valid("a")


def test_a_folder_of_the_schema_itself(folder: Path) -> None:
    validator = Engine().compile(Schema({"$ref": "bom.json"}, base_dir=folder), base_dir=None, regex_timeout=1)
    assert not validator.is_valid("a")


@pytest.mark.parametrize(
    "reference",
    [
        "../secret.json",
        "parts/../../secret.json",
        "..%2Fsecret.json",
        "link.json",
        "linked/secret.json",
    ],
)
def test_nothing_outside_the_folder(folder: Path, reference: str) -> None:
    (folder / "link.json").symlink_to(folder.parent / "secret.json")
    (folder / "linked").symlink_to(folder.parent)
    found = problem({"items": {"$ref": reference}}, folder)
    assert "outside the base folder" in found.message


def test_a_file_cannot_refer_out_of_the_folder_either(folder: Path) -> None:
    """Dots beyond the root of a relative URI do not count, so this means a file of the folder, which is not there."""
    assert "cannot be read" in problem({"$ref": "parts/out.json"}, folder).message


def test_absolute_paths_must_lie_below_the_folder(folder: Path) -> None:
    inside = (folder / "bom.json").as_uri()
    outside = (folder.parent / "secret.json").as_uri()
    assert not compiled({"$ref": inside}, folder).is_valid("a")
    assert "outside the base folder" in problem({"$ref": outside}, folder).message
    assert "outside the base folder" in problem({"$ref": str(folder.parent / "secret.json")}, folder).message


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("missing.json", "cannot be read"),
        ("parts", "cannot be read"),
        ("broken.json", "no JSON"),
        ("address.json#/nothing", "nothing at this place"),
        ("wrong.json", "it is no schema at properties.a.type"),
        ("https://example.com/a.json", "network"),
        ("//example.com/a.json", "network"),
        ("ftp://example.com/a.json", "network"),
        ("a\0b.json", "no path"),
    ],
)
def test_what_cannot_be_resolved_is_named(folder: Path, reference: str, reason: str) -> None:
    found = problem({"items": {"$ref": reference}}, folder)
    assert found.keys == ("items", "$ref")
    assert reason in found.message
    assert reference in found.message or "\0" in reference


def test_large_files_are_refused(folder: Path) -> None:
    (folder / "large.json").write_text(" " * (16 * 1024 * 1024) + "{}", "utf-8")
    assert "more than" in problem({"$ref": "large.json"}, folder).message


def test_the_registry_is_asked_first(folder: Path) -> None:
    named: Registry[Any] = Registry().with_resources(
        [
            ("https://example.com/a.json", DRAFT202012.create_resource({"$ref": "b.json"})),
            ("https://example.com/b.json", DRAFT7.create_resource({"type": "number"})),
            ("bom.json", DRAFT202012.create_resource({"type": "string"})),
        ]
    )
    assert not compiled({"$ref": "https://example.com/a.json"}, registry=named).is_valid("x")
    assert compiled({"$ref": "bom.json"}, folder, registry=named).is_valid("x")
    assert "network" in problem({"$ref": "https://example.com/c.json"}, registry=named).message


def test_a_registry_may_fetch(folder: Path) -> None:
    asked: list[str] = []

    def fetch(uri: str) -> Resource[Any]:
        asked.append(uri)
        return DRAFT202012.create_resource({"type": "number"})

    validator = compiled({"$ref": "https://example.com/a.json"}, registry=Registry(retrieve=fetch))
    assert [validator.is_valid(value) for value in (1, "x", 2)] == [True, False, True]
    assert asked == ["https://example.com/a.json"]


def test_what_a_registry_says_is_reported() -> None:
    def fetch(uri: str) -> Resource[Any]:
        raise OSError("the certificate has expired")

    found = problem({"$ref": "https://example.com/a.json"}, registry=Registry(retrieve=fetch))
    assert "the certificate has expired" in found.message


def test_the_specification_is_known() -> None:
    validator = compiled({"$ref": "http://json-schema.org/draft-07/schema#"})
    assert validator.is_valid({"type": "string"})
    assert not validator.is_valid({"type": "strin"})


def test_a_meta_schema_of_ones_own_chooses_vocabularies() -> None:
    core = "https://json-schema.org/draft/2020-12/vocab/core"
    applicator = "https://json-schema.org/draft/2020-12/vocab/applicator"
    contents = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": DIALECT,
        "$vocabulary": {core: True, applicator: True},
    }
    known: Registry[Any] = Registry().with_resource(DIALECT, DRAFT202012.create_resource(contents))
    schema = {"$schema": DIALECT, "properties": {"a": False, "b": {"minimum": 9}}}
    validator = compiled(schema, registry=known)
    assert validator.is_valid({"b": 1})
    assert not validator.is_valid({"a": 1})


def test_a_meta_schema_must_build_on_a_draft_and_on_known_vocabularies() -> None:
    for contents, reason in [
        ({"$id": DIALECT}, "no known draft"),
        (
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$id": DIALECT,
                "$vocabulary": {"https://example.com/vocab": True},
            },
            "https://example.com/vocab",
        ),
    ]:
        known: Registry[Any] = Registry().with_resource(DIALECT, DRAFT202012.create_resource(contents))
        assert reason in problem({"$schema": DIALECT}, registry=known).message


def test_an_id_may_be_used_any_number_of_times() -> None:
    for kind, value in [("number", 1), ("string", "a"), ("number", 2)]:
        assert compiled({"$id": "https://example.com/same", "type": kind}).is_valid(value)


def test_embedded_resources_and_anchors() -> None:
    schema = {
        "$id": "https://example.com/root",
        "properties": {"a": {"$ref": "item"}, "b": {"$ref": "#here"}},
        "$defs": {"x": {"$id": "item", "type": "number"}, "y": {"$anchor": "here", "type": "null"}},
    }
    validator = compiled(schema)
    assert validator.is_valid({"a": 1, "b": None})
    assert [v.keys for v in validator.violations({"a": "x", "b": 1})] == [("a",), ("b",)]
