"""Whatever the schema and the value, a check ends: with a verdict, or with an error that says what limit stopped it."""

import threading
import time
from typing import Any

import pytest
from matchex.plugin import MatchingError, SchemaProblem
from matchex_schema._engine import Engine

from matchex_schema import Schema, _checks, backends

BACKENDS = sorted(backends())
TREE = {"type": "object", "properties": {"next": {"$ref": "#"}}}


def compiled(schema: Any, backend: Any = None, regex_timeout: float = 0.3) -> Any:
    return Engine().compile(Schema(schema, backend=backend), base_dir=None, regex_timeout=regex_timeout)


def nested(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"next": value}
    return value


def error_of(validator: Any, value: object) -> MatchingError:
    with pytest.raises(MatchingError) as caught:
        validator.is_valid(value)
    with pytest.raises(MatchingError):
        validator.violations(value)
    return caught.value


@pytest.mark.parametrize("backend", BACKENDS)
def test_recursive_schemas_follow_deep_values(backend: str) -> None:
    validator = compiled(TREE, backend)
    assert validator.is_valid(nested(100))
    deep = nested(60)
    assert validator.is_valid(deep)
    for _ in range(60):
        deep = deep["next"]
    deep["next"] = 5
    (violation,) = validator.violations(nested_with_end(60, 5))
    assert violation.keys == ("next",) * 61


def nested_with_end(levels: int, end: object) -> Any:
    value: Any = {"next": end}
    for _ in range(levels):
        value = {"next": value}
    return value


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("levels", [5_000, 200_000])
def test_bottomless_values_are_an_error(levels: int, backend: str) -> None:
    value = nested(levels)
    found = error_of(compiled(TREE, backend), value)
    assert (found.kind, "too deep" in found.message) == ("limit", True)
    assert compiled({"type": "object"}, backend).is_valid(value)  # nobody looks at the depths
    while value:
        value = value.pop("next")  # taken apart here: the interpreter's own way of freeing it is recursive


@pytest.mark.parametrize("backend", BACKENDS)
def test_values_that_contain_themselves(backend: str) -> None:
    value: dict[str, Any] = {}
    value["next"] = value
    assert "contains itself" in error_of(compiled(TREE, backend), value).message
    assert "contains itself" in error_of(compiled({"const": 1}, "python"), value).message
    assert compiled({"required": ["next"]}, backend).is_valid(value)


@pytest.mark.parametrize("backend", BACKENDS)
def test_references_that_go_round_in_some_cases(backend: str) -> None:
    validator = compiled({"anyOf": [{"type": "string"}, {"$ref": "#"}]}, backend)
    assert validator.is_valid("a")
    assert error_of(validator, 5).kind == "limit"


@pytest.mark.parametrize("backend", BACKENDS)
def test_pattern_bombs(backend: str) -> None:
    """A verdict or an error, but soon."""
    for pattern in ["^(a+)+$", "^(a|aa)+$", r"^(?=(a+)+$)(\w+)\1$"]:
        validator = compiled({"pattern": pattern}, backend)
        begun = time.monotonic()
        try:
            assert not validator.is_valid("a" * 40 + "!")
        except MatchingError as error:
            assert error.kind == "timeout"
            assert "0.3 s" in error.message
        assert time.monotonic() - begun < 20


def test_references_that_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_checks, "MAX_STEPS", 20_000)
    steps = {f"s{n}": {"allOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(60)}
    schema = {"$ref": "#/$defs/s0", "$defs": {**steps, "s60": {"type": "number"}}}
    assert "references multiply" in error_of(compiled(schema), 5).message


def test_large_arrays_are_compared_in_linear_time() -> None:
    validator = compiled({"uniqueItems": True}, "python")
    begun = time.monotonic()
    assert validator.is_valid([{"id": number, "tags": [number]} for number in range(50_000)])
    assert time.monotonic() - begun < 30


def test_schemas_that_contain_themselves_or_multiply() -> None:
    cyclic: dict[str, Any] = {}
    cyclic["not"] = cyclic
    with pytest.raises(SchemaProblem, match="contains itself"):
        compiled(cyclic)
    bomb: dict[str, Any] = {"type": "number"}
    for _ in range(25):
        bomb = {"allOf": [bomb, bomb]}
    with pytest.raises(SchemaProblem, match="aliases multiply"):
        compiled(bomb)


def test_deep_schemas() -> None:
    def deep(levels: int) -> Any:
        schema: Any = {"type": "string"}
        for _ in range(levels):
            schema = {"properties": {"next": schema}}
        return schema

    assert compiled(deep(50)).violations(nested_with_end(49, 5))
    with pytest.raises(SchemaProblem, match="deep"):
        compiled(deep(5_000))


def test_multiples_of_monstrous_numbers() -> None:
    from decimal import Decimal

    assert error_of(compiled({"multipleOf": 3}, "python"), Decimal("1e999999")).kind == "limit"


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_may_share_a_validator(backend: str) -> None:
    validator = compiled({"items": {"type": "integer", "multipleOf": 3}, "maxItems": 50}, backend)
    wrong: list[object] = []

    def work(offset: int) -> None:
        for number in range(200):
            value = [3 * number, 3 * offset + number % 2]
            if validator.is_valid(value) != (number % 2 == 0) or len(validator.violations(value)) != number % 2:
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(offset,)) for offset in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
