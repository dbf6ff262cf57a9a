"""The keywords of the specification, where jsonschema's own do not suffice.

They differ in three things: patterns are ECMA-262 and bounded, numbers and equality follow `_numbers`, and each message
says what must be and what is. Applicators without a message of their own (`properties`, `allOf`, `if` …) stay
jsonschema's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from matchex.plugin import show

from ._evaluated import evaluated_items, evaluated_properties
from ._json import is_array, is_object
from ._messages import a_type, counted, described, listed
from ._numbers import as_number, compare, identity, is_multiple
from ._validator import Errors, Keyword, Validator, failed

__all__ = ["DRAFT3", "DRAFT4", "DRAFT6", "DRAFT7", "DRAFT201909", "DRAFT202012"]

Schema = Mapping[str, Any]


# Any value


def _type(validator: Validator, types: Any, instance: Any, schema: Schema) -> Errors:
    names = [types] if isinstance(types, str) else types
    if any(validator.is_type(instance, name) for name in names):
        return
    if not (instance is None and schema.get("nullable") is True):
        yield failed(f"must be {a_type(names)}, but is {described(instance)}")


def _enum(_validator: Validator, values: Any, instance: Any, _schema: Schema) -> Errors:
    if isinstance(instance, str):
        found = instance in values
    else:
        wanted = identity(instance)
        found = any(identity(value) == wanted for value in values)
    if not found:
        yield failed(f"must be {listed(values)}, but is {show(instance)}")


def _const(_validator: Validator, value: Any, instance: Any, _schema: Schema) -> Errors:
    if identity(value) != identity(instance):
        yield failed(f"must be {show(value)}, but is {show(instance)}")


# Numbers

_TESTS: Final[dict[str, Callable[[int], bool]]] = {
    ">=": lambda order: order >= 0,
    ">": lambda order: order > 0,
    "<=": lambda order: order <= 0,
    "<": lambda order: order < 0,
}


def _check_bound(sign: str, limit: Any, instance: Any) -> Errors:
    number = as_number(instance)
    if number is not None and not _TESTS[sign](compare(number, limit)):
        yield failed(f"must be {sign} {show(limit)}, but is {show(instance)}")


def _bound(sign: str) -> Keyword:
    def keyword(_validator: Validator, limit: Any, instance: Any, _schema: Schema) -> Errors:
        return _check_bound(sign, limit, instance)

    return keyword


def _early_bound(sign: str, exclusive: str) -> Keyword:
    """A limit of drafts 3 and 4, in which a second keyword says that the limit itself is out."""

    def keyword(_validator: Validator, limit: Any, instance: Any, schema: Schema) -> Errors:
        return _check_bound(sign.rstrip("=") if schema.get(exclusive) is True else sign, limit, instance)

    return keyword


def _multiple_of(_validator: Validator, factor: Any, instance: Any, _schema: Schema) -> Errors:
    number = as_number(instance)
    if number is not None and not is_multiple(number, factor):
        yield failed(f"must be a multiple of {show(factor)}, but is {show(instance)}")


# Sizes


def _size(kind: type, least: bool, noun: str) -> Keyword:
    def keyword(_validator: Validator, limit: Any, instance: Any, _schema: Schema) -> Errors:
        if isinstance(instance, kind):
            size = len(instance)  # pyright: ignore[reportArgumentType, reportUnknownVariableType] (str, list or dict)
            if size < limit if least else size > limit:
                word = "at least" if least else "at most"
                yield failed(f"must have {word} {counted(int(limit), noun)}, but has {size}")

    return keyword


# Texts


def _pattern(validator: Validator, pattern: str, instance: Any, _schema: Schema) -> Errors:
    if isinstance(instance, str) and not validator.format_checker.search(pattern, instance):
        yield failed(f"must match the pattern {show(pattern)}, but is {show(instance)}")


def _format(validator: Validator, name: str, instance: Any, _schema: Schema) -> Errors:
    if not validator.format_checker.conforms(instance, name):
        yield failed(f"must have the format {name}, but is {show(instance)}")


# Objects


def _required(_validator: Validator, names: Any, instance: Any, _schema: Schema) -> Errors:
    if is_object(instance):
        for name in names:
            if name not in instance:
                yield failed(f"must have the property {show(name)}")


def _early_properties(validator: Validator, properties: Any, instance: Any, _schema: Schema) -> Errors:
    """In draft 3 each property says itself that it is required."""
    if not is_object(instance):
        return
    for name, subschema in properties.items():
        if name in instance:
            yield from validator.descend(instance[name], subschema, path=name, schema_path=name)
        elif is_object(subschema) and subschema.get("required") is True:
            error = failed(f"must have the property {show(name)}", schema_path=[name, "required"])
            error.validator = "required"
            error.validator_value = True
            yield error


def _dependent_required(_validator: Validator, dependencies: Any, instance: Any, _schema: Schema) -> Errors:
    if is_object(instance):
        for name, others in dependencies.items():
            if name in instance:
                yield from _missing_partners(name, others, instance)


def _missing_partners(name: str, others: Any, instance: Mapping[Any, Any]) -> Errors:
    for other in others:
        if other not in instance:
            yield failed(f"must have the property {show(other)}, because it has {show(name)}", schema_path=[name])


def _dependencies(validator: Validator, dependencies: Any, instance: Any, _schema: Schema) -> Errors:
    if not is_object(instance):
        return
    for name, dependency in dependencies.items():
        if name not in instance:
            continue
        if isinstance(dependency, (dict, bool)):
            yield from validator.descend(instance, dependency, schema_path=name)
        else:
            others: Any = [dependency] if isinstance(dependency, str) else dependency
            yield from _missing_partners(name, others, instance)


def _property_names(validator: Validator, names: Any, instance: Any, _schema: Schema) -> Errors:
    if is_object(instance):
        for name in instance:
            for error in validator.descend(name, names):
                yield failed(f"the property name {show(name)} {error.message}", schema_path=error.relative_schema_path)


def _pattern_properties(validator: Validator, patterns: Any, instance: Any, _schema: Schema) -> Errors:
    if is_object(instance):
        for pattern, subschema in patterns.items():
            for key, value in instance.items():
                if isinstance(key, str) and validator.format_checker.search(pattern, key):
                    yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(validator: Validator, additional: Any, instance: Any, schema: Schema) -> Errors:
    if not is_object(instance):
        return
    for key in _unnamed_keys(validator, instance, schema):
        if additional is False:
            yield failed(_surplus(key, schema.get("properties", {})), path=[key])
        else:
            yield from validator.descend(instance[key], additional, path=key)


def _unnamed_keys(validator: Validator, instance: Mapping[Any, Any], schema: Schema) -> Iterator[Any]:
    """The keys that neither `properties` nor `patternProperties` speaks of."""
    names = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    for key in instance:
        if key in names:
            continue
        if isinstance(key, str) and any(validator.format_checker.search(pattern, key) for pattern in patterns):
            continue
        yield key


def _surplus(key: object, names: Mapping[str, Any]) -> str:
    known = f"; known are {listed(list(names), 'and')}" if names else ""
    return f"the property {show(key)} is not allowed{known}"


def _unevaluated_properties(validator: Validator, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if not is_object(instance):
        return
    evaluated = evaluated_properties(validator, instance, schema)
    for key, value in instance.items():
        if key in evaluated:
            continue
        if subschema is False:
            yield failed(f"the property {show(key)} is not allowed: no part of the schema speaks of it", path=[key])
        else:
            yield from validator.descend(value, subschema, path=key)


# Arrays


def _surplus_items(validator: Validator, subschema: Any, instance: Any, start: int) -> Errors:
    for index in range(start, len(instance)):
        if subschema is False:
            yield failed(f"the item is not allowed: there may be at most {counted(start, 'item')}", path=[index])
        else:
            yield from validator.descend(instance[index], subschema, path=index)


def _items(validator: Validator, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if is_array(instance):
        yield from _surplus_items(validator, subschema, instance, len(schema.get("prefixItems", ())))


def _early_items(validator: Validator, items: Any, instance: Any, _schema: Schema) -> Errors:
    """Until draft 2019-09 a list of schemas is what later is `prefixItems`."""
    if not is_array(instance):
        return
    if not is_array(items):
        yield from _surplus_items(validator, items, instance, 0)
        return
    for index, (item, subschema) in enumerate(zip(instance, items, strict=False)):
        yield from validator.descend(item, subschema, path=index, schema_path=index)


def _additional_items(validator: Validator, subschema: Any, instance: Any, schema: Schema) -> Errors:
    items = schema.get("items")
    if is_array(instance) and is_array(items):
        yield from _surplus_items(validator, subschema, instance, len(items))


def _unevaluated_items(validator: Validator, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if not is_array(instance):
        return
    evaluated = evaluated_items(validator, instance, schema)
    for index, item in enumerate(instance):
        if index in evaluated:
            continue
        if subschema is False:
            yield failed("the item is not allowed: no part of the schema speaks of it", path=[index])
        else:
            yield from validator.descend(item, subschema, path=index)


def _unique_items(_validator: Validator, unique: Any, instance: Any, _schema: Schema) -> Errors:
    if not unique or not is_array(instance):
        return
    seen: dict[Any, int] = {}
    for index, item in enumerate(instance):
        first = seen.setdefault(identity(item), index)
        if first != index:
            yield failed(f"items must differ, but [{first}] and [{index}] are both {show(item)}")
            return


def _early_contains(validator: Validator, subschema: Any, instance: Any, _schema: Schema) -> Errors:
    if is_array(instance) and not _matching(validator, subschema, instance, 1):
        yield failed(f"must contain a matching item, but none of its {counted(len(instance), 'item')} matches")


def _contains(validator: Validator, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if "minContains" not in schema:
        yield from _early_contains(validator, subschema, instance, schema)


def _min_contains(validator: Validator, least: Any, instance: Any, schema: Schema) -> Errors:
    if is_array(instance) and "contains" in schema:
        count = _matching(validator, schema["contains"], instance, least)
        if count < least:
            yield failed(f"must contain at least {counted(int(least), 'matching item')}, but contains {count}")


def _max_contains(validator: Validator, most: Any, instance: Any, schema: Schema) -> Errors:
    if is_array(instance) and "contains" in schema:
        count = _matching(validator, schema["contains"], instance, len(instance))
        if count > most:
            yield failed(f"must contain at most {counted(int(most), 'matching item')}, but contains {count}")


def _matching(validator: Validator, subschema: Any, instance: Any, enough: float) -> int:
    """How many items match, counted no further than is of interest."""
    count = 0
    for item in instance:
        if count >= enough:
            break
        count += next(validator.descend(item, subschema), None) is None
    return count


# References and logic


def _any_of(validator: Validator, subschemas: Any, instance: Any, schema: Schema) -> Errors:
    if id(schema) in validator.format_checker.branches:
        return  # `discriminator` says which one it must be
    lost: list[ValidationError] = []
    for index, subschema in enumerate(subschemas):
        errors = list(validator.descend(instance, subschema, schema_path=index))
        if not errors:
            return
        lost.extend(errors)
    yield failed(f"must match one of the {counted(len(subschemas), 'schema')} under anyOf", context=lost)


def _one_of(validator: Validator, subschemas: Any, instance: Any, schema: Schema) -> Errors:
    if id(schema) in validator.format_checker.branches:
        return
    lost: list[ValidationError] = []
    matching: list[int] = []
    for index, subschema in enumerate(subschemas):
        errors = list(validator.descend(instance, subschema, schema_path=index))
        lost.extend(errors)
        if not errors:
            matching.append(index)
    if not matching:
        yield failed(f"must match one of the {counted(len(subschemas), 'schema')} under oneOf", context=lost)
    elif len(matching) > 1:
        which = " and ".join(f"oneOf[{index}]" for index in matching)
        yield failed(f"must match exactly one of the schemas under oneOf, but matches {which}")


def _not(validator: Validator, subschema: Any, instance: Any, _schema: Schema) -> Errors:
    if next(validator.descend(instance, subschema), None) is None:
        yield failed(f"must not match the schema {show(subschema)}, but is {show(instance)}")


_COMMON: Final[dict[str, Keyword]] = {
    "additionalProperties": _additional_properties,
    "dependencies": _dependencies,  # all drafts: a schema that still has it means it
    "enum": _enum,
    "format": _format,
    "maxItems": _size(list, False, "item"),
    "maxLength": _size(str, False, "character"),
    "minItems": _size(list, True, "item"),
    "minLength": _size(str, True, "character"),
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
}
_EARLY: Final[dict[str, Keyword]] = {
    "additionalItems": _additional_items,
    "items": _early_items,
}
_EARLY_BOUNDS: Final[dict[str, Keyword]] = {
    "maximum": _early_bound("<=", "exclusiveMaximum"),
    "minimum": _early_bound(">=", "exclusiveMinimum"),
}
_SINCE_4: Final[dict[str, Keyword]] = {
    "anyOf": _any_of,
    "maxProperties": _size(dict, False, "property"),
    "minProperties": _size(dict, True, "property"),
    "multipleOf": _multiple_of,
    "not": _not,
    "oneOf": _one_of,
    "required": _required,
    "type": _type,
}
_SINCE_6: Final[dict[str, Keyword]] = {
    "const": _const,
    "contains": _early_contains,
    "exclusiveMaximum": _bound("<"),
    "exclusiveMinimum": _bound(">"),
    "maximum": _bound("<="),
    "minimum": _bound(">="),
    "propertyNames": _property_names,
}
_SINCE_201909: Final[dict[str, Keyword]] = {
    "contains": _contains,
    "dependentRequired": _dependent_required,
    "maxContains": _max_contains,
    "minContains": _min_contains,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
}

DRAFT3: Final = {**_COMMON, **_EARLY, **_EARLY_BOUNDS, "divisibleBy": _multiple_of, "properties": _early_properties}
DRAFT4: Final = {**_COMMON, **_EARLY, **_EARLY_BOUNDS, **_SINCE_4}
DRAFT6: Final = {**_COMMON, **_EARLY, **_SINCE_4, **_SINCE_6}
DRAFT7: Final = DRAFT6
DRAFT201909: Final = {**DRAFT6, **_SINCE_201909}
DRAFT202012: Final = {**_COMMON, **_SINCE_4, **_SINCE_6, **_SINCE_201909, "items": _items}
