"""When a plain mapping is taken for a schema: it has what only a schema has, and nothing that a schema has not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

__all__ = ["looks_like_schema"]

_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_DECISIVE: Final = ("$ref", "allOf", "anyOf", "oneOf", "not", "if")
_KEYWORDS: Final = frozenset(
    """
    $schema $id $ref $anchor $comment $defs $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary
    definitions
    title description default deprecated readOnly writeOnly examples
    allOf anyOf oneOf not if then else
    type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format
    items prefixItems additionalItems contains maxItems minItems uniqueItems maxContains minContains unevaluatedItems
    properties patternProperties additionalProperties propertyNames required maxProperties minProperties
    dependentRequired dependentSchemas dependencies unevaluatedProperties
    contentEncoding contentMediaType contentSchema discriminator nullable example
    formatMinimum formatMaximum formatExclusiveMinimum formatExclusiveMaximum
    typeof instanceof range exclusiveRange regexp transform prohibited deepProperties deepRequired patternRequired
    allRequired anyRequired oneRequired uniqueItemProperties select selectCases selectDefault dynamicDefaults
    """.split()  # noqa: SIM905 (one word a line would fill a page)
)


def looks_like_schema(mapping: Mapping[object, object]) -> bool:
    """Whether every key is a schema keyword, and one of them leaves no doubt (a known `type`, `$schema`, `anyOf` …)."""
    return _is_decisive(mapping) and all(key in _KEYWORDS for key in mapping)


def _is_decisive(mapping: Mapping[object, object]) -> bool:
    if isinstance(mapping.get("$schema"), str) or any(key in mapping for key in _DECISIVE):
        return True
    types = mapping.get("type")
    if isinstance(types, str):
        return types in _TYPES
    if not isinstance(types, (list, tuple)) or not types:
        return False
    return all(isinstance(name, str) and name in _TYPES for name in cast("list[object]", types))
