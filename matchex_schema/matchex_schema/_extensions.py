"""Keywords beyond the specification: those of ajv-keywords, of ajv-formats, and of OpenAPI.

Each has a function, as `_keywords` has them, and a check of its operand, which answers what is wrong with it, or None.
`dynamicDefaults` is refused: a check never writes into the value that it looks at. For the same reason `transform`
changes nothing: the keywords beside it see the transformed text, everybody else the text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from inspect import isawaitable
from typing import Any, Final, cast

from matchex.plugin import MISSING, as_mapping, show

from ._formats import ORDERED_FORMATS, TEXT_FORMATS, order_key
from ._json import is_array, is_object
from ._messages import described, listed
from ._numbers import as_number, compare, identity
from ._validator import Errors, Keyword, Validator, failed

__all__ = ["HIDDEN", "KEYWORDS", "OPERAND_CHECKS", "pattern_and_flags"]

Schema = Mapping[str, Any]
Check = Callable[[Any, Schema], str | None]

HIDDEN: Final = object()
"""Stands in a schema path behind a keyword that is no step of it, because the error comes from keywords beside it."""


def _from_beside(errors: Errors, *steps: str | int) -> Errors:
    """Errors that come from `steps`, seen from the schema that the keyword stands in."""
    for error in errors:
        error.relative_schema_path.extendleft([*reversed(steps), cast("Any", HIDDEN)])
        yield error


# typeof, instanceof: JavaScript's names for Python's kinds


def _is_javascript_object(value: object) -> bool:
    return value is None or not (isinstance(value, (str, bool)) or as_number(value) is not None or callable(value))


_TYPEOF: Final[dict[str, Callable[[Any], bool]]] = {
    "boolean": lambda value: isinstance(value, bool),
    "function": callable,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "object": _is_javascript_object,
    "string": lambda value: isinstance(value, str),
    "symbol": lambda _value: False,
    "undefined": lambda _value: False,
}
_INSTANCEOF: Final[dict[str, Callable[[Any], bool]]] = {
    "Array": lambda value: is_array(value),
    "Buffer": lambda value: isinstance(value, (bytes, bytearray, memoryview)),
    "Date": lambda value: isinstance(value, date),
    "Function": callable,
    "Number": lambda value: as_number(value) is not None,
    "Object": lambda value: isinstance(value, (dict, list)) or as_mapping(value) is not None,
    "Promise": isawaitable,
    "RegExp": lambda value: isinstance(value, re.Pattern),
    "String": lambda value: isinstance(value, str),
}


def _kind(table: Mapping[str, Callable[[Any], bool]]) -> Keyword:
    def keyword(_validator: Validator, names: Any, instance: Any, _schema: Schema) -> Errors:
        wanted = _as_list(names)
        if not any(table[name](instance) for name in wanted):
            yield failed(f"must be {' or '.join(wanted)}, but is {described(instance)}")

    return keyword


def _kind_check(table: Mapping[str, Any]) -> Check:
    def check(operand: Any, _schema: Schema) -> str | None:
        names = _as_list(operand)
        wrong = [name for name in names if not isinstance(name, str) or name not in table]
        return f"must be one or more of {listed(list(table))}, not {show(operand)}" if wrong or not names else None

    return check


def _as_list(operand: Any) -> list[Any]:
    return operand if is_array(operand) else [operand]


# range, exclusiveRange


def _range(exclusive: bool) -> Keyword:
    def keyword(_validator: Validator, limits: Any, instance: Any, _schema: Schema) -> Errors:
        number = as_number(instance)
        if number is None:
            return
        low, high = compare(number, limits[0]), compare(number, limits[1])
        if not (low > 0 > high if exclusive else low >= 0 >= high):
            word = "more than {} and less than {}" if exclusive else "from {} to {}"
            yield failed(f"must be {word.format(show(limits[0]), show(limits[1]))}, but is {show(instance)}")

    return keyword


def _check_range(operand: Any, _schema: Schema) -> str | None:
    if not is_array(operand) or [as_number(limit) is None for limit in operand] != [False, False]:
        return f"must be two numbers [least, most], not {show(operand)}"
    return f"has no number between {show(operand[0])} and {show(operand[1])}" if operand[0] > operand[1] else None


def _check_exclusive_range(operand: Any, schema: Schema) -> str | None:
    problem = _check_range(operand, schema)
    if problem is None and operand[0] == operand[1]:
        return f"has no number between {show(operand[0])} and {show(operand[1])}"
    return problem


# regexp, transform

_LITERAL: Final = re.compile(r"/(.*)/([a-z]*)", re.DOTALL)


def pattern_and_flags(operand: Any) -> tuple[str, str] | None:
    """The pattern and the flags of an operand of `regexp`, `/a/i` or `{pattern: a, flags: i}`, else None."""
    if isinstance(operand, str):
        literal = _LITERAL.fullmatch(operand)
        return (literal[1], literal[2]) if literal else None
    if is_object(operand) and operand.keys() <= {"pattern", "flags"}:
        source, flags = operand.get("pattern"), operand.get("flags", "")
        return (source, flags) if isinstance(source, str) and isinstance(flags, str) else None
    return None


def _regexp(validator: Validator, operand: Any, instance: Any, _schema: Schema) -> Errors:
    wanted = pattern_and_flags(operand)
    if wanted and isinstance(instance, str) and not validator.format_checker.search(wanted[0], instance, wanted[1]):
        yield failed(f"must match /{wanted[0]}/{wanted[1]}, but is {show(instance)}")


def _check_regexp(operand: Any, _schema: Schema) -> str | None:
    if pattern_and_flags(operand) is None:
        return f"must be a text /pattern/flags or a mapping {{pattern, flags}}, not {show(operand)}"
    return None


_TRANSFORMATIONS: Final[dict[str, Callable[[str], str]]] = {
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "trim": str.strip,
    "trimEnd": str.rstrip,
    "trimLeft": str.lstrip,
    "trimRight": str.rstrip,
    "trimStart": str.lstrip,
}


def _transform(validator: Validator, names: Any, instance: Any, schema: Schema) -> Errors:
    """Applied first and alone (see the dialects): validates the transformed text by the keywords beside it."""
    text = _transformed(instance, names, schema) if isinstance(instance, str) else instance
    beside = {keyword: operand for keyword, operand in schema.items() if keyword != "transform"}
    yield from _from_beside(validator.evolve(schema=beside).iter_errors(text))


def _transformed(text: str, names: Sequence[str], schema: Schema) -> str:
    for name in names:
        text = _enum_case(text, schema) if name == "toEnumCase" else _TRANSFORMATIONS[name](text)
    return text


def _enum_case(text: str, schema: Schema) -> str:
    """The member of `enum` that is the same but for case, else the text itself."""
    return next((member for member in schema["enum"] if member.lower() == text.lower()), text)


def _check_transform(operand: Any, schema: Schema) -> str | None:
    known = [*_TRANSFORMATIONS, "toEnumCase"]
    if not is_array(operand) or not all(name in known for name in operand):
        return f"must be a list of {listed(known)}, not {show(operand)}"
    return _check_enum_case(schema.get("enum")) if "toEnumCase" in operand else None


def _check_enum_case(members: Any) -> str | None:
    if not is_array(members) or not all(isinstance(member, str) for member in members):
        return "toEnumCase needs an enum of texts beside it"
    if len({member.lower() for member in members}) < len(members):
        return "toEnumCase needs an enum whose members differ by more than case"
    return None


# Properties that must or must not be there


def _all_required(_validator: Validator, wanted: Any, instance: Any, schema: Schema) -> Errors:
    if wanted and is_object(instance):
        for name in schema.get("properties", ()):
            if name not in instance:
                yield failed(f"must have the property {show(name)}")


def _check_all_required(operand: Any, schema: Schema) -> str | None:
    if not isinstance(operand, bool):
        return f"must be true or false, not {show(operand)}"
    return None if "properties" in schema else "needs properties beside it"


def _any_required(_validator: Validator, names: Any, instance: Any, _schema: Schema) -> Errors:
    if is_object(instance) and not any(name in instance for name in names):
        yield failed(f"must have at least one of the properties {listed(names)}")


def _one_required(_validator: Validator, names: Any, instance: Any, _schema: Schema) -> Errors:
    if is_object(instance):
        found = [name for name in names if name in instance]
        if len(found) != 1:
            has = f"has {listed(found, 'and')}" if found else "has none"
            yield failed(f"must have exactly one of the properties {listed(names)}, but {has}")


def _pattern_required(validator: Validator, patterns: Any, instance: Any, _schema: Schema) -> Errors:
    if is_object(instance):
        texts = [key for key in instance if isinstance(key, str)]
        for index, pattern in enumerate(patterns):
            if not any(validator.format_checker.search(pattern, key) for key in texts):
                yield failed(f"must have a property whose name matches {show(pattern)}", schema_path=[index])


def _prohibited(_validator: Validator, names: Any, instance: Any, _schema: Schema) -> Errors:
    if is_object(instance):
        for name in names:
            if name in instance:
                yield failed(f"the property {show(name)} is prohibited", path=[name])


def _check_names(operand: Any, _schema: Schema) -> str | None:
    if is_array(operand) and all(isinstance(name, str) for name in operand):
        return None
    return f"must be a list of texts, not {show(operand)}"


def _unique_item_properties(_validator: Validator, names: Any, instance: Any, _schema: Schema) -> Errors:
    if not is_array(instance):
        return
    for name in names:
        seen: dict[Any, int] = {}
        for index, item in enumerate(instance):
            if not is_object(item) or name not in item:
                continue
            first = seen.setdefault(identity(item[name]), index)
            if first != index:
                message = f"must differ from item to item, but [{first}] has {show(item[name])} too"
                yield failed(message, path=[index, name])


# Pointers into the value


def _tokens(pointer: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _follow(value: Any, pointer: str) -> tuple[tuple[str | int, ...], Any]:
    """Where a JSON pointer leads and what is there; `MISSING` where it leads nowhere."""
    keys: list[str | int] = []
    for token in _tokens(pointer):
        key: str | int = token
        if is_array(value) and token.isascii() and token.isdigit():
            key = int(token)
            value = value[key] if key < len(value) else MISSING
        else:
            value = value.get(token, MISSING) if is_object(value) else MISSING
        if value is MISSING:
            break
        keys.append(key)
    return tuple(keys), value


def _deep_properties(validator: Validator, subschemas: Any, instance: Any, _schema: Schema) -> Errors:
    for pointer, subschema in subschemas.items():
        keys, value = _follow(instance, pointer)
        if value is MISSING:
            continue
        for error in validator.descend(value, subschema, schema_path=pointer):
            error.relative_path.extendleft(reversed(keys))
            yield error


def _check_deep_properties(operand: Any, _schema: Schema) -> str | None:
    if not is_object(operand):
        return f"must be a mapping from JSON pointers to schemas, not {show(operand)}"
    return _check_pointers(list(operand), {}) or _check_schemas(operand)


def _check_schemas(operand: Mapping[str, Any]) -> str | None:
    wrong = [value for value in operand.values() if not (is_object(value) or isinstance(value, bool))]
    return f"must hold schemas (mappings or bools), not {show(wrong[0])}" if wrong else None


def _deep_required(_validator: Validator, pointers: Any, instance: Any, _schema: Schema) -> Errors:
    if isinstance(instance, (dict, list)):
        for index, pointer in enumerate(pointers):
            if _follow(instance, pointer)[1] is MISSING:
                yield failed(f"must have a value at {show(pointer)}", schema_path=[index])


def _check_pointers(operand: Any, schema: Schema) -> str | None:
    problem = _check_names(operand, schema)
    if problem is None and not all(TEXT_FORMATS["json-pointer"](pointer) for pointer in operand):
        return f"must consist of JSON pointers such as /users/0/name, not {show(operand)}"
    return problem


# select


def _select(validator: Validator, selector: Any, instance: Any, schema: Schema) -> Errors:
    value = _follow(instance, selector["$data"][1:])[1] if is_object(selector) else selector
    if value is MISSING:
        return
    if is_object(value) or is_array(value):
        yield failed(f"what selects the schema must be no object or array, but is {show(value)}")
        return
    case = _case_name(value)
    cases = schema["selectCases"]
    if case in cases:
        yield from _from_beside(validator.descend(instance, cases[case]), "selectCases", case)
    elif "selectDefault" in schema:
        yield from _from_beside(validator.descend(instance, schema["selectDefault"]), "selectDefault")
    else:
        yield failed(f"must be of one of the cases {listed(list(cases))}, but is of {show(case)}")


def _case_name(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return show(value)


def _check_select(operand: Any, schema: Schema) -> str | None:
    if not is_object(schema.get("selectCases")):
        return "needs selectCases beside it, a mapping from values to schemas"
    problem = _check_schemas(schema["selectCases"]) or _check_schemas({"": schema.get("selectDefault", True)})
    if problem is not None:
        return f"selectCases and selectDefault {problem}"
    if is_array(operand):
        return f"must be a value or {{$data: 0/name}}, not {show(operand)}"
    if not is_object(operand):
        return None
    pointer = operand.get("$data")
    if len(operand) == 1 and isinstance(pointer, str) and pointer[:1] == "0":
        return _check_pointers([pointer[1:]], {})
    return f"must point into the value itself, as {{$data: 0/name}} does, not {show(operand)}"


# formatMinimum and its like

_SIGNS: Final = {
    "formatMinimum": ">=",
    "formatExclusiveMinimum": ">",
    "formatMaximum": "<=",
    "formatExclusiveMaximum": "<",
}


def _format_bound(sign: str) -> Keyword:
    def keyword(_validator: Validator, limit: str, instance: Any, schema: Schema) -> Errors:
        key = order_key(instance, schema["format"]) if isinstance(instance, str) else None
        if key is None:
            return  # `format` itself reports a text of another form
        bound = order_key(limit, schema["format"])
        if not {">=": key >= bound, ">": key > bound, "<=": key <= bound, "<": key < bound}[sign]:
            yield failed(f"must be {sign} {show(limit)}, but is {show(instance)}")

    return keyword


def _check_format_bound(operand: Any, schema: Schema) -> str | None:
    name = schema.get("format")
    if not isinstance(name, str) or name not in ORDERED_FORMATS:
        return f"needs one of the formats {listed(sorted(ORDERED_FORMATS))} beside it"
    if not isinstance(operand, str) or order_key(operand, name) is None:
        return f"must itself have the format {name}, not be {show(operand)}"
    return None


# OpenAPI


def _discriminator(validator: Validator, operand: Any, instance: Any, schema: Schema) -> Errors:
    branches = validator.format_checker.branches.get(id(schema))
    if branches is None or not is_object(instance):
        return
    name = operand["propertyName"]
    tag = instance.get(name, MISSING)
    if tag is MISSING:
        yield failed(f"must have the property {show(name)}, which tells the alternatives apart")
    elif not isinstance(tag, str) or tag not in branches:
        yield failed(f"must be {listed(list(branches))}, but is {show(tag)}", path=[name])
    else:
        keyword = "oneOf" if "oneOf" in schema else "anyOf"
        index = branches[tag]
        yield from _from_beside(validator.descend(instance, schema[keyword][index]), keyword, index)


def _check_discriminator(operand: Any, _schema: Schema) -> str | None:
    if not is_object(operand) or not isinstance(operand.get("propertyName"), str):
        return f"must be a mapping with a propertyName, not {show(operand)}"
    mapping = operand.get("mapping", {})
    if not is_object(mapping) or not all(isinstance(ref, str) for ref in mapping.values()):
        return f"its mapping must lead from tags to references, not be {show(mapping)}"
    return None


def _nothing(_validator: Validator, _operand: Any, _instance: Any, _schema: Schema) -> Errors:
    yield from ()


def _check_nullable(operand: Any, _schema: Schema) -> str | None:
    return None if isinstance(operand, bool) else f"must be true or false, not {show(operand)}"


def _check_dynamic_defaults(_operand: Any, _schema: Schema) -> str | None:
    return "cannot be used: it would write into the value, and a check never does that"


KEYWORDS: Final[dict[str, Keyword]] = {
    "allRequired": _all_required,
    "anyRequired": _any_required,
    "deepProperties": _deep_properties,
    "deepRequired": _deep_required,
    "discriminator": _discriminator,
    "exclusiveRange": _range(exclusive=True),
    "instanceof": _kind(_INSTANCEOF),
    "nullable": _nothing,  # `type` looks at it
    "oneRequired": _one_required,
    "patternRequired": _pattern_required,
    "prohibited": _prohibited,
    "range": _range(exclusive=False),
    "regexp": _regexp,
    "select": _select,
    "transform": _transform,
    "typeof": _kind(_TYPEOF),
    "uniqueItemProperties": _unique_item_properties,
    **{name: _format_bound(sign) for name, sign in _SIGNS.items()},
}
"""What each keyword does."""

OPERAND_CHECKS: Final[dict[str, Check]] = {
    "allRequired": _check_all_required,
    "anyRequired": _check_names,
    "deepProperties": _check_deep_properties,
    "deepRequired": _check_pointers,
    "discriminator": _check_discriminator,
    "dynamicDefaults": _check_dynamic_defaults,
    "exclusiveRange": _check_exclusive_range,
    "instanceof": _kind_check(_INSTANCEOF),
    "nullable": _check_nullable,
    "oneRequired": _check_names,
    "patternRequired": _check_names,
    "prohibited": _check_names,
    "range": _check_range,
    "regexp": _check_regexp,
    "select": _check_select,
    "transform": _check_transform,
    "typeof": _kind_check(_TYPEOF),
    "uniqueItemProperties": _check_names,
    **dict.fromkeys(_SIGNS, _check_format_bound),
}
"""What is wrong with an operand, or None."""
