"""Which properties and items other parts of a schema speak of, for `unevaluatedProperties` and `unevaluatedItems`.

A part that must hold (`allOf`, a reference, `then` …) counts even where it fails: the value is wrong then anyway, and
one mistake shall not be reported twice. Alternatives count only where they match.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from referencing import Resource
from referencing.jsonschema import lookup_recursive_ref, specification_with

from ._json import is_array, is_object
from ._validator import Validator

__all__ = ["evaluated_items", "evaluated_properties"]

Part = tuple[Validator, Any]


def evaluated_properties(validator: Validator, instance: Mapping[Any, Any], schema: Any) -> Container[Any]:
    """The keys that the schema speaks of, its own `unevaluatedProperties` left aside."""
    return _properties(validator, instance, schema, inner=False)


def _properties(validator: Validator, instance: Mapping[Any, Any], schema: Any, inner: bool) -> set[Any]:
    if not is_object(schema):
        return set()
    if "additionalProperties" in schema or (inner and "unevaluatedProperties" in schema):
        return set(instance)
    keys: set[Any] = set(instance.keys() & schema.get("properties", {}).keys())
    for pattern in schema.get("patternProperties", ()):
        keys.update(k for k in instance if isinstance(k, str) and validator.format_checker.search(pattern, k))
    for name, subschema in schema.get("dependentSchemas", {}).items():
        if name in instance:
            keys |= _properties(_at(validator, subschema), instance, subschema, inner=True)
    for part, subschema in _parts(validator, instance, schema):
        keys |= _properties(part, instance, subschema, inner=True)
    return keys


def evaluated_items(validator: Validator, instance: Sequence[Any], schema: Any) -> Container[int]:
    """The indexes that the schema speaks of, its own `unevaluatedItems` left aside."""
    return _items(validator, instance, schema, inner=False)


def _items(validator: Validator, instance: Sequence[Any], schema: Any, inner: bool) -> set[int]:
    if not is_object(schema):
        return set()
    if _speaks_of_all_items(schema) or (inner and "unevaluatedItems" in schema):
        return set(range(len(instance)))
    items = schema.get("items")
    prefix = items if is_array(items) else schema.get("prefixItems", ())
    indexes = set(range(min(len(prefix), len(instance))))
    if "contains" in schema and "prefixItems" in validator.VALIDATORS:  # not in draft 2019-09
        below = _at(validator, schema["contains"])
        indexes.update(index for index, item in enumerate(instance) if below.is_valid(item))
    for part, subschema in _parts(validator, instance, schema):
        indexes |= _items(part, instance, subschema, inner=True)
    return indexes


def _speaks_of_all_items(schema: Mapping[str, Any]) -> bool:
    if "items" not in schema:
        return False
    return not is_array(schema["items"]) or "additionalItems" in schema


def _parts(validator: Validator, instance: Any, schema: Mapping[str, Any]) -> Iterator[Part]:
    """The schemas that are applied to the same value and whose word counts, each with its validator."""
    yield from _references(validator, schema)
    for subschema in schema.get("allOf", ()):
        yield _at(validator, subschema), subschema
    for subschema in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        part = _at(validator, subschema)
        if part.is_valid(instance):
            yield part, subschema
    if "if" in schema:
        condition = _at(validator, schema["if"])
        holds = condition.is_valid(instance)
        if holds:
            yield condition, schema["if"]
        branch = "then" if holds else "else"
        if branch in schema:
            yield _at(validator, schema[branch]), schema[branch]


def _references(validator: Validator, schema: Mapping[str, Any]) -> Iterator[Part]:
    resolver = validator._resolver  # pyright: ignore[reportPrivateUsage] (see there)
    found = [resolver.lookup(schema[key]) for key in ("$ref", "$dynamicRef") if key in schema]
    if "$recursiveRef" in schema:
        found.append(lookup_recursive_ref(resolver))
    for resolved in found:
        yield validator.evolve(schema=resolved.contents, _resolver=resolved.resolver), resolved.contents


def _at(validator: Validator, schema: Any) -> Validator:
    """The validator of a subschema, which may have a base URI of its own."""
    specification = specification_with(validator.META_SCHEMA["$schema"])
    resource: Resource[Any] = specification.create_resource(schema)
    resolver = validator._resolver.in_subresource(resource)  # pyright: ignore[reportPrivateUsage] (see there)
    return validator.evolve(schema=schema, _resolver=resolver)
