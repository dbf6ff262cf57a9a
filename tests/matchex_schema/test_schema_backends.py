"""The switch between the backends, and which schemas and values go to which."""

from decimal import Decimal
from typing import Any

import pytest
from matchex_schema._engine import Engine

import matchex_schema
from matchex_schema import Schema
from matchex_schema import _backends as switch

needs_rust = pytest.mark.skipif("rust" not in matchex_schema.backends(), reason="jsonschema-rs is not installed")


@pytest.fixture(autouse=True)
def untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MATCHEX_SCHEMA_BACKEND", raising=False)
    monkeypatch.setattr(switch, "_chosen", None)


def compiled(schema: Any, **settings: Any) -> Any:
    return Engine().compile(Schema(schema, **settings), base_dir=None, regex_timeout=1)


def without_rust(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switch, "_versions", lambda: {"python": "4.26.0"})


def test_versions_are_told() -> None:
    import importlib.metadata

    assert matchex_schema.backends()["python"] == importlib.metadata.version("jsonschema")


@needs_rust
def test_auto_takes_the_fast_one() -> None:
    assert matchex_schema.current_backend() == "rust"
    assert compiled({"type": "string"}).backend == "rust"


@needs_rust
def test_the_nearer_choice_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCHEX_SCHEMA_BACKEND", "python")
    assert matchex_schema.current_backend() == "python"
    assert compiled(True).backend == "python"
    assert matchex_schema.use_backend("rust") == "python"
    assert compiled({}).backend == "rust"
    assert compiled({}, backend="python").backend == "python"
    assert matchex_schema.use_backend("auto") == "rust"


def test_without_jsonschema_rs(monkeypatch: pytest.MonkeyPatch) -> None:
    without_rust(monkeypatch)
    assert matchex_schema.current_backend() == "python"
    assert compiled({}).backend == "python"
    for ask in (lambda: matchex_schema.use_backend("rust"), lambda: Schema({}, backend="rust")):
        with pytest.raises(ModuleNotFoundError, match=r"matchex-schema\[fast\]"):
            ask()
    monkeypatch.setenv("MATCHEX_SCHEMA_BACKEND", "rust")
    with pytest.raises(ModuleNotFoundError, match=r"matchex-schema\[fast\]"):
        compiled({})


def test_unknown_names(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="auto, python or rust"):
        matchex_schema.use_backend("fast")
    with pytest.raises(ValueError, match="auto, python or rust"):
        Schema({}, backend="fast")  # pyright: ignore[reportArgumentType]
    monkeypatch.setenv("MATCHEX_SCHEMA_BACKEND", "fast")
    with pytest.raises(ValueError, match="environment variable MATCHEX_SCHEMA_BACKEND"):
        matchex_schema.current_backend()


@needs_rust
@pytest.mark.parametrize(
    "schema",
    [
        {"$schema": "http://json-schema.org/draft-03/schema#"},
        {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"},
        {"range": [1, 2]},
        {"type": "string", "nullable": True},
        {"pattern": "(?=a)"},
        {"pattern": "é"},
        {"patternProperties": {r"\bx": {}}},
        {"format": "int32"},
        {"format": "no-such-format"},
        {"contentEncoding": "base64"},
        {"uniqueItems": True},
        {"items": {"$ref": "#"}},
        {"$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a"}}},
        {"$id": "https://example.com/a", "$defs": {"b": {"$id": "b"}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "dependentRequired": {"a": ["b"]}},
        {"minimum": Decimal("0.1")},
        {"const": 10**5000},
        {"pattern": "(\\p{L}{99}){99}"},
    ],
)
def test_schemas_that_are_not_for_the_fast_one(schema: Any) -> None:
    assert compiled(schema, backend="rust").backend == "python"


@needs_rust
def test_references_that_multiply_are_not_for_the_fast_one() -> None:
    def doubling(levels: int) -> Any:
        steps = {f"s{n}": {"allOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(levels)}
        return {"$ref": "#/$defs/s0", "$defs": {**steps, f"s{levels}": {"type": "number"}}}

    assert compiled(doubling(5)).backend == "rust"
    assert compiled(doubling(40)).backend == "python"


@needs_rust
def test_the_fast_one_is_asked_and_the_other_has_the_last_word() -> None:
    validator = compiled({"type": "string"}, backend="rust")
    asked: list[object] = []
    validator._fast = lambda value: asked.append(value) or False
    assert validator.is_valid("a")
    assert not validator.is_valid(5)
    assert asked == ["a", 5]
