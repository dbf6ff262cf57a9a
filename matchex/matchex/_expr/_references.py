"""How an expression reaches values: names, fields, items, slices, literals and comprehensions.

A reference comes in two forms: one for places where it must be there, and one (`…_or_missing`) for the places where
absence is allowed, under `?.`, `??`, `typeof`, and compared with `undefined`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from matchex._expr._errors import ExpressionError, UndefinedField, UndefinedName, suggestion
from matchex._expr._limits import Meter
from matchex._expr._members import attribute, names_of_members
from matchex._expr._operators import exact, failed, find_key, iterable, whole_number
from matchex._expr._render import Pattern, describe, key_text, preview, to_text
from matchex._paths import nearest
from matchex._values import MISSING, as_list, as_mapping

# -- names and fields ------------------------------------------------------------------------------------------------


def scope_name(scope: Mapping[str, object], name: str, functions: Iterable[str]) -> object:
    """The value of a name that is used where it must be there."""
    value = scope.get(name, MISSING)
    if value is not MISSING:
        return value
    if name in functions:
        raise UndefinedName(name, f"{name} is a function: call it, as in {name}(actual)")
    known = [key for key in scope if scope[key] is not MISSING]
    close = nearest(name, known)
    raise UndefinedName(name, f"{name} is not defined" + suggestion(close, known, "the names here"), close)


def _attribute(value: object, name: str) -> object:
    """What `.name` is on a value that is there, MISSING where it has no such field."""
    mapping = as_mapping(value)
    if mapping is not None:
        return mapping[name] if name in mapping else MISSING  # noqa: SIM401 (a defaultdict must not grow)
    return attribute(exact(value), name)


def field(value: object, name: str, base: str) -> object:
    """`value.name` where the field must be there; `base` is the text of `value`."""
    found = MISSING if value is None or value is MISSING else _attribute(value, name)
    if found is not MISSING:
        return found
    raise _no_field(value, name, base, f"{base}.{name}")


def field_or_missing(value: object, name: str, base: str) -> object:
    """`value.name` where the field may be absent (the value itself may not)."""
    if value is None or value is MISSING:
        raise _no_field(value, name, base, f"{base}.{name}")
    return _attribute(value, name)


def _no_field(value: object, name: str, base: str, path: str) -> UndefinedField:
    if value is None or value is MISSING:
        return UndefinedField(
            path, f"{base} is {preview(value)}: {path} cannot be read; write {base}?.{name} to allow it"
        )
    mapping = as_mapping(value)
    members = names_of_members(value)
    if mapping is None or not len(mapping):
        if name in members:
            return UndefinedField(path, f"{name} is a method: call it, as in {base}.{name}(…)")
        close = nearest(name, members)
        end = suggestion(close, members, "its members")
        return UndefinedField(path, f"{path} is undefined: {describe(value)} has no {name}{end}", close)
    known = [key for key in mapping if isinstance(key, str)]
    close = nearest(name, known)
    if close is None and name in members:
        return UndefinedField(path, f"{path} is undefined; the method is called as {base}.{name}(…)")
    return UndefinedField(path, f"{path} is undefined{suggestion(close, known, 'its fields')}", close)


def _at(items: Sequence[object], position: int) -> object:
    return items[position] if -len(items) <= position < len(items) else MISSING


def _item(value: object, index: object) -> object:
    value, index = exact(value), exact(index)
    mapping = as_mapping(value)
    if mapping is not None:
        return find_key(mapping, index)
    sequence = value if isinstance(value, str) else as_list(value)
    if sequence is None:
        raise ExpressionError(f"{describe(value)} has no items")
    if isinstance(index, str):
        return len(sequence) if index == "length" else MISSING
    position = whole_number(index, "an index")
    return _at(sequence, position)


def item(value: object, index: object, base: str) -> object:
    """`value[index]` where the item must be there."""
    found = item_or_missing(value, index, base)
    if found is not MISSING:
        return found
    path = f"{base}[{preview(index)}]"
    mapping = as_mapping(value)
    if mapping is not None:
        known = [key for key in mapping if isinstance(key, str)]
        close = nearest(str(index), known)
        raise UndefinedField(path, f"{path} is undefined{suggestion(close, known, 'its fields')}", close)
    length = len(value if isinstance(value, str) else as_list(value) or ())
    raise UndefinedField(path, f"{path} is undefined: {describe(value)} of length {length}")


def item_or_missing(value: object, index: object, base: str) -> object:
    """`value[index]` where the item may be absent (the value itself may not)."""
    kind = type(value)
    if kind is list and type(index) is int:
        return _at(cast("list[object]", value), index)
    if value is None or value is MISSING:
        path = f"{base}[{preview(index)}]"
        raise UndefinedField(path, f"{base} is {preview(value)}: {path} cannot be read; write {base}?.[…] to allow it")
    try:
        return _item(value, index)
    except ExpressionError as error:
        error.locate(f"{base}[{preview(index)}]")
        raise


def cut(meter: Meter, value: object, lower: object, upper: object, step: object, at: str) -> object:
    """`value[lower:upper:step]`; None stands for a part that is not written."""
    value = exact(value)
    sequence: Any = value if isinstance(value, str) else as_list(value)
    if sequence is None:
        raise failed(f"a slice needs a text or a list, not {describe(value)}", at)
    try:
        parts = [None if part is None else whole_number(part, "a part of a slice") for part in (lower, upper, step)]
    except ExpressionError as error:
        error.locate(at)
        raise
    if parts[2] == 0:
        raise failed("the step of a slice must not be 0", at)
    if isinstance(sequence, str):
        meter.text(len(sequence))
        return sequence[slice(*parts)]
    meter.items(len(sequence))
    return list(sequence)[slice(*parts)]


# -- literals, comprehensions, results -------------------------------------------------------------------------------


def spread(meter: Meter, value: object, at: str) -> Sequence[object]:
    """`...value` in a list or call."""
    value = exact(value)
    items = list(value) if isinstance(value, str) else as_list(value)
    if items is None:
        raise failed(f"... needs a list or a text, not {describe(value)}", at)
    meter.items(len(items))
    return items


def sized(meter: Meter, items: list[object]) -> list[object]:
    """A list literal with `...` in it."""
    meter.items(len(items))
    return items


SPREAD: Final = object()
"""In the place of a key: the value is spread."""


def build_mapping(meter: Meter, pairs: Sequence[tuple[object, object]], at: str) -> dict[str, object]:
    """A mapping literal; a pair whose key is SPREAD spreads its value."""
    result: dict[str, object] = {}
    for key, value in pairs:
        if key is not SPREAD:
            result[_literal_key(key, at)] = value
            continue
        mapping = as_mapping(value)
        if mapping is None:
            raise failed(f"... in an object needs an object, not {describe(value)}", at)
        meter.items(len(mapping))
        result.update((key_text(name), item) for name, item in mapping.items())
    meter.items(len(result))
    return result


def _literal_key(key: object, at: str) -> str:
    try:
        return key_text(exact(key))
    except ExpressionError as error:
        error.locate(at)
        raise


def part(value: object, index: int, at: str) -> object:
    """One name of a pattern such as `[key, value]`: undefined where the list is shorter."""
    value = exact(value)
    sequence = value if isinstance(value, str) else as_list(value)
    if sequence is None:
        raise failed(f"{describe(value)} cannot be taken apart like a list", at)
    return sequence[index] if index < len(sequence) else MISSING


def named_part(value: object, key: str, at: str) -> object:
    """One name of a pattern such as `{id}`: undefined where there is no such field."""
    mapping = as_mapping(value)
    if mapping is None:
        raise failed(f"{describe(value)} cannot be taken apart like an object", at)
    return mapping[key] if key in mapping else MISSING  # noqa: SIM401


def each(
    meter: Meter,
    values: object,
    test: Callable[[object], bool] | None,
    answer: Callable[[object], object],
    cost: int,
    at: str,
) -> Iterator[object]:
    """A `for` of a comprehension: `answer` of each value that passes `test`."""
    for value in iterable(values, at):
        meter.step(cost)
        if test is None or test(value):
            yield answer(value)


def each_of_each(
    meter: Meter,
    values: object,
    test: Callable[[object], bool] | None,
    inner: Callable[[object], Iterator[object]],
    cost: int,
    at: str,
) -> Iterator[object]:
    """A `for` with another one inside."""
    for value in iterable(values, at):
        meter.step(cost)
        if test is None or test(value):
            yield from inner(value)


def collect(meter: Meter, values: Iterator[object]) -> list[object]:
    """A comprehension as a list."""
    result: list[object] = []
    for value in values:
        result.append(value)
        if not len(result) % 1024:
            meter.allow(len(result), "a list")
    meter.allow(len(result), "a list")
    return result


def template(meter: Meter, parts: tuple[object, ...], at: str) -> str:
    """A template literal."""
    texts: list[str] = []
    for value in parts:
        if value is MISSING:
            raise failed("a placeholder is undefined: give it a value with ??", at)
        texts.append(to_text(meter, value))
    meter.allow(sum(map(len, texts)), "a text")
    text = "".join(texts)
    meter.text(len(text))
    return text


def trace(meter: Meter, node: int, value: object) -> object:
    """Note the value of a part of the expression, to explain it."""
    if meter.trace is not None:
        meter.trace[node] = value
    return value


def answer(value: object) -> object:
    """The value of the whole expression, which must be one."""
    if value is MISSING:
        raise ExpressionError("the expression is undefined: give it a value with ??, or compare it with undefined")
    if isinstance(value, Pattern):
        raise ExpressionError(f"a pattern is no answer: write {value.text}.test(actual)")
    return value
