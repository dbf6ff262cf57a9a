"""jsonschema and jsonschema-rs say the same about every schema and value that jsonschema-rs is given."""

import math
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matchex_schema._engine import Engine
from matchex_schema._formats import TEXT_FORMATS
from matchex_schema._numbers import identity

from matchex_schema import Schema, backends

pytestmark = pytest.mark.skipif("rust" not in backends(), reason="jsonschema-rs is not installed")

NAMES = st.sampled_from(["a", "b", "ab", "c-1", "é", ""])
TEXTS = st.one_of(
    NAMES,
    st.text(max_size=5),
    st.sampled_from(
        ["2024-02-30", "2024-02-29", "a@b.c", "http://a/b", "\ufeff", "\u2028", "\x85", "a\n", "\n", "aaa", "٣", "K"]
    ),
)
NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.sampled_from(
        [0.5, 1.0, -0.0, 0.1, 0.3, 19.99, 1e300, 1e-7, 2**53, 2**53 + 1, 2.0**53, 2**64, -(2**70), 10**23, 1e23]
    ),
    st.floats(-10, 10, allow_nan=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)


class Color(Enum):
    RED = "a"
    SIZE = 1
    NONE = None


PYTHON_VALUES = st.recursive(
    SCALARS
    | st.sampled_from([math.nan, math.inf, Decimal("0.1"), Decimal(1), Decimal("1.50"), *Color])
    | st.tuples(NUMBERS, TEXTS),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)
PATTERNS = st.one_of(
    st.sampled_from(
        [
            "^a",
            "b$",
            r"^\d+$",
            r"\s",
            r"^\S*$",
            r"\w",
            r"\W",
            r"^[^a]$",
            ".",
            "^.$",
            "a{2,3}",
            "(a|b)*c",
            "[a-c-]+?",
            r"\D",
        ]
    ),
    st.lists(
        st.sampled_from(
            [
                "a",
                "b",
                "ab",
                ".",
                r"\d",
                r"\w",
                r"\s",
                r"\S",
                r"\W",
                "[a-c]",
                "[^b]",
                r"[\s\d]",
                "^",
                "$",
                "|",
                "(a)",
                "(?:b|)",
                "é",
                r"\.",
                "-",
                " ",
            ]
        ),
        min_size=1,
        max_size=4,
    ).map("".join),
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
COUNTS = st.integers(0, 3)
POSITIVE = st.one_of(st.integers(1, 5), st.sampled_from([0.1, 0.01, 0.5, 1.5, 2.0, 1e-7, 3]), st.floats(0.001, 10))
DIALECTS = {
    "http://json-schema.org/draft-04/schema#": "draft 4",
    "http://json-schema.org/draft-06/schema#": "draft 6",
    "http://json-schema.org/draft-07/schema#": "draft 7",
    "https://json-schema.org/draft/2019-09/schema": "draft 2019-09",
    "https://json-schema.org/draft/2020-12/schema": "draft 2020-12",
}


def schemas(inner: st.SearchStrategy[Any], draft: str) -> st.SearchStrategy[Any]:
    """A mapping of some keywords of the draft over smaller schemas."""
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    names = st.lists(NAMES, max_size=2, unique=True)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "enum": st.lists(JSON, min_size=1, max_size=3, unique_by=identity),
        "multipleOf": POSITIVE,
        "minLength": COUNTS,
        "maxLength": COUNTS,
        "minItems": COUNTS,
        "maxItems": COUNTS,
        "minProperties": COUNTS,
        "maxProperties": COUNTS,
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "uniqueItems": st.booleans(),
        "pattern": PATTERNS,
        "format": st.sampled_from(sorted(TEXT_FORMATS)),
        "properties": named,
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "additionalProperties": inner,
        "items": inner,
        "allOf": some,
        "anyOf": some,
        "oneOf": some,
        "not": inner,
        "definitions": named,
        "unknownWord": JSON,
    }
    required = st.lists(NAMES, min_size=1, max_size=2, unique=True)
    keywords["required"] = required
    if draft in ("draft 4", "draft 6", "draft 7", "draft 2019-09"):
        keywords["items"] = inner | some
        keywords["additionalItems"] = inner
    if draft != "draft 4":
        keywords |= {
            "const": JSON,
            "contains": inner,
            "propertyNames": inner,
            "exclusiveMinimum": NUMBERS,
            "exclusiveMaximum": NUMBERS,
            "dependencies": st.dictionaries(NAMES, inner | required, max_size=2),
        }
    if draft in ("draft 7", "draft 2019-09", "draft 2020-12"):
        keywords |= {"if": inner, "then": inner, "else": inner}
    if draft in ("draft 2019-09", "draft 2020-12"):
        keywords |= {
            "minContains": COUNTS,
            "maxContains": COUNTS,
            "dependentRequired": st.dictionaries(NAMES, names, max_size=2),
            "dependentSchemas": named,
            "unevaluatedProperties": inner,
            "unevaluatedItems": inner,
        }
    if draft == "draft 2020-12":
        keywords["prefixItems"] = some
    chosen = st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=4, unique=True)
    return chosen.flatmap(lambda picked: st.fixed_dictionaries({word: keywords[word] for word in picked}))


@st.composite
def whole_schemas(draw: st.DrawFn) -> dict[str, Any]:
    uri = draw(st.sampled_from(sorted(DIALECTS)))
    draft = DIALECTS[uri]
    leaf = st.just({}) | st.builds(lambda name: {"type": name}, TYPES)
    if draft != "draft 4":
        leaf |= st.booleans()
    leaf |= st.just({"$ref": "#/definitions/shared"})
    tree = st.recursive(leaf, lambda inner: schemas(inner, draft), max_leaves=6)
    shared = draw(tree.filter(lambda schema: "shared" not in str(schema)))
    body = draw(tree)
    body = body if isinstance(body, dict) and "$ref" not in body else {"not": body}
    return {**body, "$schema": uri, "definitions": {"shared": shared}}


def compiled(schema: Any, backend: Any) -> Any:
    return Engine().compile(Schema(schema, backend=backend), base_dir=None, regex_timeout=5)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(whole_schemas(), st.lists(PYTHON_VALUES, min_size=1, max_size=8))
def test_same_verdicts(schema: dict[str, Any], values: list[Any]) -> None:
    fast = compiled(schema, "rust")
    slow = compiled(schema, "python")
    for value in values:
        verdict = slow.is_valid(value)
        assert verdict == (slow.violations(value) == [])
        assert fast.is_valid(value) == verdict
        assert fast.violations(value) == slow.violations(value)
        if fast.backend == "rust":
            assert fast._fast(value) == verdict


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(PATTERNS, st.lists(TEXTS | st.text(), min_size=1, max_size=10))
def test_same_patterns(pattern: str, texts: list[str]) -> None:
    fast = compiled({"type": "string", "pattern": pattern}, "rust")
    slow = compiled({"type": "string", "pattern": pattern}, "python")
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            continue  # a lone surrogate, which jsonschema-rs refuses
        assert (fast._fast or fast.is_valid)(text) == slow.is_valid(text)


@pytest.mark.parametrize("number", [0.3, 19.99, 1e300, 7e20, 2**70, -0.7, 1e-7])
@pytest.mark.parametrize("factor", [0.1, 0.01, 3, 7, 0.5, 1e-8, 1.1])
def test_same_multiples(number: float, factor: float) -> None:
    fast, slow = (compiled({"multipleOf": factor}, backend) for backend in ("rust", "python"))
    assert fast.backend == "rust"
    assert fast._fast(number) == slow.is_valid(number)
