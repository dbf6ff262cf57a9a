"""What `a.b`, `a[b]` and `a.b()` mean in an expression: fields and items of data, and a few methods of plain values.

Nothing of Python's own is reachable: no attribute is read from an object but the fields of records and the methods
listed here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, time
from typing import Any, Final, cast

from jinja2.runtime import LoopContext
from jinja2.utils import Namespace
from matchex.plugin import MISSING, as_list, as_mapping, lookup

from matchex_template._jinja._state import Run, Unknown, refuse_unknown
from matchex_template._limits import Budget
from matchex_template._names import child, undefined_step, words
from matchex_template._text import text_of

__all__ = ["Method", "item_of", "joined", "member_of", "replaced", "slice_of"]

_LOOP: Final = words("index index0 revindex revindex0 first last length previtem nextitem")
_LOOP_METHODS: Final = frozenset({"cycle", "changed"})
_TEXT_METHODS: Final = words(
    """capitalize casefold count endswith find index isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle
    isupper lower lstrip removeprefix removesuffix rfind rindex rsplit rstrip split splitlines startswith strip swapcase
    title upper"""
)
_MAPPING_METHODS: Final = frozenset({"get", "items", "keys", "values"})
_LIST_METHODS: Final = frozenset({"count", "index"})
_DATE_METHODS: Final = frozenset({"date", "isoformat", "isoweekday", "strftime", "time", "timestamp", "weekday"})


class Method:
    """A method that a template may call."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call


def member_of(run: Run, value: object, step: Any, label: str, *, computed: bool) -> object:
    """The field, item or method `step` of `value`, which `label` leads to.

    `computed` says that the step is a value and not written in the template.
    """
    refuse_unknown(step)
    if isinstance(value, Unknown):
        return _dotted_key(run, value, step, label)
    if isinstance(value, (LoopContext, Namespace)):
        return _of_jinja(value, step, label)
    found = item_of(value, step)
    if found is not MISSING:
        return found
    method = _method_of(run.scope.budget, value, step)
    if method is not None:
        return method
    shown = None if computed else step if type(step) is int else str(step)
    return Unknown(undefined_step(label, value, shown))


def item_of(value: object, step: Any) -> object:
    """A field or item of data, or MISSING."""
    if isinstance(step, (str, int)):
        return lookup(value, (step,))
    mapping = as_mapping(value)
    return MISSING if mapping is None else mapping.get(step, MISSING)


def _dotted_key(run: Run, unknown: Unknown, step: Any, label: str) -> object:
    """A variable whose whole name looks like a path; what is below an unknown name is the same unknown."""
    name = child(label, step) if isinstance(step, (str, int)) else label
    value = run.scope.variables.get(name, MISSING)
    return unknown if value is MISSING else run.scope.enter(value, name)


def _of_jinja(value: Any, step: Any, label: str) -> object:
    if isinstance(value, LoopContext):
        if step in _LOOP:
            return getattr(value, step)
        if step in _LOOP_METHODS:
            return Method(getattr(value, step))
    elif isinstance(step, str) and not step.startswith("_"):
        found = getattr(value, step, MISSING)
        if found is not MISSING:
            return found
    return Unknown(f"`{label}` has no such member")


def _method_of(budget: Budget, value: Any, step: Any) -> Method | None:
    if isinstance(value, str):
        return _text_method(budget, value, step)
    if isinstance(value, (date, time)):
        owns = step in _DATE_METHODS and hasattr(value, step)
        return Method(getattr(value, step)) if owns else None
    mapping = as_mapping(value)
    if mapping is not None:
        return _mapping_method(mapping, step)
    items = as_list(value)
    return Method(getattr(items, step)) if items is not None and step in _LIST_METHODS else None


def _text_method(budget: Budget, value: str, step: Any) -> Method | None:
    if step == "replace":
        return Method(functools.partial(replaced, budget, value))
    if step == "join":
        return Method(functools.partial(joined, budget, separator=value))
    return Method(getattr(value, step)) if step in _TEXT_METHODS else None


def _mapping_method(mapping: Mapping[Any, object], step: Any) -> Method | None:
    if step not in _MAPPING_METHODS:
        return None
    if step == "get":
        return Method(mapping.get)
    return Method(lambda: list(getattr(mapping, step)()))


def replaced(budget: Budget, text: str, old: str, new: str, count: int | None = -1) -> str:
    """`text.replace` whose result is paid for before it is made."""
    times = text.count(old)
    if count is not None and count >= 0:
        times = min(times, count)
    budget.produce(max(0, times * (len(new) - len(old))))
    return text.replace(old, new, -1 if count is None else count)


def joined(budget: Budget, values: Iterable[object], separator: str = "") -> str:
    """`separator.join(values)`, with every value as text, paid for before it is made."""
    texts = [text_of(value) for value in values]
    budget.step(len(texts))
    budget.produce(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def slice_of(value: Any, start: Any, stop: Any, step: Any) -> object:
    """`value[start:stop:step]` of a text or list."""
    for part in (value, start, stop, step):
        refuse_unknown(part)
    if isinstance(value, str):
        return value[start:stop:step]
    items = as_list(value)
    if items is None:
        raise TypeError("only texts and lists have slices")
    return cast("Sequence[object]", items)[start:stop:step]
