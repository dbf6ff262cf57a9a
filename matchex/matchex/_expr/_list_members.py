"""Methods of lists. None of them changes the list: `sort` and `reverse` answer with a new one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any

from matchex._expr._errors import ExpressionError, ExpressionLimit
from matchex._expr._limits import Meter
from matchex._expr._operators import equals, exact, truth, whole_number
from matchex._expr._registry import method, need_text
from matchex._expr._render import Callback, describe, is_finite, is_nan
from matchex._expr._text_members import join_texts
from matchex._values import MISSING, as_list, as_number, compare

__all__ = ["sort_values"]

List = Sequence[Any]


# -- with a function -------------------------------------------------------------------------------------------------


@method("list", "some")
def _some(meter: Meter, values: List, test: Callback) -> bool:
    return _position(meter, values, test, "some") >= 0


@method("list", "every")
def _every(meter: Meter, values: List, test: Callback) -> bool:
    _need_function(test, "every")
    return all(truth(test.call(meter, value, index, values)) for index, value in enumerate(values))


@method("list", "map")
def _map(meter: Meter, values: List, answer: Callback) -> list[object]:
    _need_function(answer, "map")
    return [answer.call(meter, value, index, values) for index, value in enumerate(values)]


@method("list", "filter")
def _filter(meter: Meter, values: List, test: Callback) -> list[object]:
    _need_function(test, "filter")
    return [value for index, value in enumerate(values) if truth(test.call(meter, value, index, values))]


@method("list", "find")
def _find(meter: Meter, values: List, test: Callback) -> object:
    position = _position(meter, values, test, "find")
    return values[position] if position >= 0 else MISSING


@method("list", "findIndex")
def _find_index(meter: Meter, values: List, test: Callback) -> int:
    return _position(meter, values, test, "findIndex")


def _position(meter: Meter, values: List, test: Callback, name: str) -> int:
    """Where the first value is that passes the test, or -1."""
    _need_function(test, name)
    for index, value in enumerate(values):
        if truth(test.call(meter, value, index, values)):
            return index
    return -1


@method("list", "flatMap")
def _flat_map(meter: Meter, values: List, answer: Callback) -> list[object]:
    return _flattened(meter, _map(meter, values, answer), 1, meter.limits.depth)


@method("list", "reduce")
def _reduce(meter: Meter, values: List, step: Callback, initial: object = MISSING) -> object:
    _need_function(step, "reduce")
    start = 0
    if initial is MISSING:
        if not values:
            raise ExpressionError("reduce of an empty list needs a first value: reduce((a, b) => …, 0)")
        initial, start = values[0], 1
    result = initial
    for index in range(start, len(values)):
        result = step.call(meter, result, values[index], index, values)
    return result


def _need_function(value: object, name: str) -> None:
    if not isinstance(value, Callback):
        raise ExpressionError(f"{name} takes a function such as x => x > 1, not {describe(value)}")


# -- order -----------------------------------------------------------------------------------------------------------


@method("list", "sort", "toSorted")
def _sort(
    meter: Meter, values: List, order: Callback | None = None, *, key: object = None, reverse: object = False
) -> list[object]:
    if order is None:
        return sort_values(meter, values, key, reverse=truth(reverse))
    _need_function(order, "sort")
    if order.arity == 1:
        raise ExpressionError("sort takes a function of two items, (a, b) => a.x - b.x, or key=x => x.x")

    def compare_two(a: object, b: object) -> float:
        answer = as_number(exact(order.call(meter, a, b)))
        if answer is None or is_nan(answer):
            raise ExpressionError("the function of sort must answer with a number: negative, 0 or positive")
        return float(answer > 0) - float(answer < 0)

    return sorted(values, key=cmp_to_key(compare_two), reverse=truth(reverse))  # pyright: ignore[reportArgumentType]


def sort_values(meter: Meter, values: List, key: object, *, reverse: bool) -> list[object]:
    """A new list in natural order, or in the order of what `key` answers; equal ones keep their order."""
    if key is None:
        keys = [exact(value) for value in values]
    elif isinstance(key, Callback):
        keys = [exact(key.call(meter, value)) for value in values]
    else:
        raise ExpressionError(f"key takes a function such as x => x.price, not {describe(key)}")
    meter.step(len(keys))
    positions = sorted(range(len(keys)), key=_sort_key(keys), reverse=reverse)
    return [values[position] for position in positions]


def _sort_key(keys: list[Any]) -> Callable[[int], Any]:
    kinds = set(map(type, keys))
    if kinds <= {str} or (kinds <= {int, float} and not any(key != key for key in keys)):
        return keys.__getitem__

    def compare_two(a: object, b: object) -> int:
        order = compare(a, b)
        if order is None:
            raise ExpressionError(f"{describe(a)} and {describe(b)} have no order")
        return order

    ordered = cmp_to_key(compare_two)
    return lambda position: ordered(keys[position])


@method("list", "reverse", "toReversed")
def _reverse(meter: Meter, values: List) -> list[object]:
    return list(values)[::-1]


# -- parts -----------------------------------------------------------------------------------------------------------


@method("list", "includes")
def _includes(meter: Meter, values: List, wanted: object, start: object = 0) -> bool:
    return _index_of(meter, values, wanted, start) >= 0


@method("list", "indexOf")
def _index_of(meter: Meter, values: List, wanted: object, start: object = 0) -> int:
    begin = whole_number(start, "the start")
    first = max(begin + len(values), 0) if begin < 0 else begin
    return next((i for i in range(first, len(values)) if equals(meter, values[i], wanted)), -1)


@method("list", "lastIndexOf")
def _last_index_of(meter: Meter, values: List, wanted: object) -> int:
    return next((i for i in range(len(values) - 1, -1, -1) if equals(meter, values[i], wanted)), -1)


@method("list", "index")
def _index(meter: Meter, values: List, wanted: object) -> int:
    position = _index_of(meter, values, wanted)
    if position < 0:
        raise ExpressionError("index: the list does not contain it (indexOf answers -1 instead)")
    return position


@method("list", "count")
def _count(meter: Meter, values: List, wanted: object) -> int:
    return sum(equals(meter, value, wanted) for value in values)


@method("list", "at", cheap=True)
def _at(meter: Meter, values: List, index: object) -> object:
    position = whole_number(index, "an index")
    return values[position] if -len(values) <= position < len(values) else MISSING


@method("list", "slice")
def _slice(meter: Meter, values: List, start: object = 0, end: object = None) -> list[object]:
    return list(values)[whole_number(start, "the start") : None if end is None else whole_number(end, "the end")]


@method("list", "concat")
def _concat(meter: Meter, values: List, *others: object) -> list[object]:
    result = list(values)
    for other in others:
        items = as_list(other)
        meter.allow(len(result) + (1 if items is None else len(items)), "a list")
        result.extend([other] if items is None else items)
    return result


@method("list", "flat")
def _flat(meter: Meter, values: List, depth: object = 1) -> list[object]:
    number = as_number(depth)
    everything = number is not None and not is_finite(number) and number > 0
    return _flattened(meter, values, meter.limits.depth if everything else whole_number(depth, "the depth"))


def _flattened(meter: Meter, values: List, levels: int, depth: int | None = None) -> list[object]:
    depth = meter.limits.depth if depth is None else depth
    if depth <= 0:
        raise ExpressionLimit("depth", meter.limits.depth, "lists are nested too deeply")
    result: list[object] = []
    for value in values:
        items = as_list(value) if levels > 0 else None
        meter.step()
        if items is None:
            result.append(value)
        else:
            result.extend(_flattened(meter, items, levels - 1, depth - 1))
        meter.allow(len(result), "a list")
    return result


@method("list", "join")
def _join(meter: Meter, values: List, separator: object = ",") -> str:
    return join_texts(meter, values, need_text(separator, "join"))


@method("list", "keys")
def _keys(meter: Meter, values: List) -> list[object]:
    return list(range(len(values)))


@method("list", "values")
def _values(meter: Meter, values: List) -> list[object]:
    return list(values)


@method("list", "entries")
def _entries(meter: Meter, values: List) -> list[object]:
    return [[index, value] for index, value in enumerate(values)]
