"""`$sort`: the rest of the operand is matched against the sorted list."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matchex._asking import ask, describe, expression_problem, positional_count, scope_of
from matchex._errors import MatchingError
from matchex._expr import Expression, ExpressionError
from matchex._lists import real_index
from matchex._node import Keys, Node
from matchex._outcome import Run
from matchex._paths import lookup
from matchex._show import show
from matchex._values import MISSING, Sorted, as_list, as_mapping, as_number, compare, is_nan, trim, type_name
from matchex._views import View, ViewNode, refused

__all__ = ["SortKey", "SortNode"]


@dataclass(frozen=True, slots=True)
class SortKey:
    """What a list is sorted by: a path, an expression, a function, or (all None) the items themselves."""

    name: str = ""
    steps: Keys | None = None
    expression: Expression | None = None
    function: Callable[..., Any] | None = None
    descending: bool = False


_NATURAL: Final = (SortKey(),)


class SortNode(ViewNode):
    """`$sort`: sorts without touching the actual list; items keep the index that they had."""

    __slots__ = ("keys",)

    def __init__(self, place: Keys, expected: object, inner: Node, keys: Sequence[SortKey]) -> None:
        super().__init__(place, expected, "$sort", inner)
        self.keys = tuple(keys) or _NATURAL
        asks = any(key.expression or key.function for key in keys)
        self.contextual = self.contextual or asks
        self.plain = self.plain and not asks

    def view(self, actual: object, run: Run) -> View:
        items = as_list(actual)
        if items is None:
            return refused(f"$sort takes a list, got {type_name(actual)}")
        rows = [(real_index(items, i), item) for i, item in enumerate(items)]
        if self.keys == _NATURAL and not all(_has_order(item) for item in items):
            return View(items)  # without $by only scalars have an order
        for turn, key in reversed(list(enumerate(self.keys))):  # by the last key first: sorting is stable
            marks = {index: self._mark(key, item, index, items, run, turn) for index, item in rows}
            if key.steps is not None and rows and all(mark is MISSING for mark in marks.values()):
                raise MatchingError("sort", f"no item has {show(key.name)}, by which the list is to be sorted")
            order = functools.cmp_to_key(_order)
            rows.sort(key=lambda row: order(marks[row[0]]), reverse=key.descending)
        result = Sorted(item for _, item in rows)
        result.origin = [index for index, _ in rows]
        result.source = items.source if isinstance(items, Sorted) else actual
        return View(result)

    def _mark(self, key: SortKey, item: object, index: int, items: Sequence[Any], run: Run, turn: int) -> object:
        """The value that an item is sorted by."""
        if key.steps is not None:
            mapping = as_mapping(item)
            literal = MISSING if mapping is None else mapping.get(key.name, MISSING)
            return lookup(item, key.steps) if literal is MISSING else literal
        if key.expression is not None:
            scope = scope_of(run, item, key.expression.text, key.expression.names)
            scope.update(item=item, index=index, array=items)
            try:
                return key.expression.evaluate(scope)
            except ExpressionError as error:
                raise MatchingError("expression", f"$by of item {index}: {expression_problem(error, run)}") from error
        if key.function is not None:
            arguments = (item, index, items)[: max(positional_count(key.function), 1)]
            return ask(run, self, describe(key.function), key.function, *arguments, turn=(turn, index))
        return item


def _has_order(item: object) -> bool:
    return as_mapping(item) is None and as_list(item) is None


def _order(a: object, b: object) -> int:
    """Compare two sort marks: values first, then null, missing, NaN.

    Raises:
        MatchingError: Two values have no order.
    """
    x, y = _rank(a), _rank(b)
    if x or y:
        return x - y
    left, right = (trim(mark) if isinstance(mark, str) else mark for mark in (a, b))
    if isinstance(left, bool) and isinstance(right, bool):
        return left - right
    order = compare(left, right)
    if order is None:
        raise MatchingError("sort", f"cannot sort {type_name(a)} ({show(a)}) and {type_name(b)} ({show(b)}) together")
    return order


def _rank(mark: object) -> int:
    if mark is None:
        return 1
    if mark is MISSING:
        return 2
    number = as_number(mark)
    return 3 if number is not None and is_nan(number) else 0
