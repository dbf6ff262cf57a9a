"""The filters of templates: those of Jinja that are bounded, deterministic and read nothing but data."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import Any, Final, cast

from jinja2 import UndefinedError, pass_context
from jinja2.filters import FILTERS
from jinja2.runtime import Context, LoopContext
from jinja2.utils import Namespace
from matchex.plugin import MatchexError, TemplateError, as_mapping, type_name

from matchex_template._jinja._members import Method, joined, member_of, replaced, slice_of
from matchex_template._jinja._sandbox import INTERNAL, Sandbox, finished_value, formatted
from matchex_template._jinja._state import refuse_unknown, run_of
from matchex_template._limits import MAX_NUMBER, Budget
from matchex_template._names import words
from matchex_template._template import inserted
from matchex_template._text import json_of, text_of

__all__ = ["FILTER_NAMES", "environment"]

_OF_TEXT: Final = words(
    "capitalize center e escape indent lower title trim truncate upper urlencode wordcount wordwrap"
)
_OF_DATA: Final = words(
    """abs batch count dictsort filesizeformat first float groupby int items last length list map max min reject
    rejectattr reverse round select selectattr slice sort sum unique"""
)
_OF_ANYTHING: Final = frozenset({"d", "default"})
_MAX_PRECISION: Final = 100


def _guarded(name: str, apply: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that pays for its work and its result, and whose errors name no value."""

    @pass_context
    def call(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        budget = run_of(context).scope.budget
        budget.step(_steps_for(value))
        if name not in _OF_ANYTHING:
            for argument in (value, *args, *kwargs.values()):
                refuse_unknown(argument)
        try:
            return finished_value(budget, apply(context, value, *args, **kwargs))
        except (UndefinedError, MatchexError, RecursionError):
            raise
        except Exception as error:
            kind = type_name(value)
            raise TemplateError(f"the filter `{name}` fails on {kind}: {type(error).__name__}") from None

    return call


def _of_jinja(name: str) -> Callable[..., Any]:
    """A filter of Jinja with its arguments bounded."""

    def apply(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        if name in _OF_TEXT:
            value = text_of(value)
            _check_text(run_of(context).scope.budget, name, value, [*args, *kwargs.values()])
        if name not in _OF_ANYTHING:
            _check_numbers(name, [*args, *kwargs.values()])
        return _originals().call_filter(name, value, args, kwargs, context=context)

    return apply


@functools.cache
def _originals() -> Sandbox:
    """Jinja's own filters, in an environment that gives them no attribute of Python either."""
    original = Sandbox()
    original.filters = dict(FILTERS)
    return original


def _steps_for(value: object) -> int:
    """What a filter pays for looking at `value`."""
    if isinstance(value, str):
        return 1 + len(value) // 1000
    return 1 + len(cast("Sized", value)) if isinstance(value, (Sequence, Mapping)) else 1


def _check_text(budget: Budget, name: str, text: str, arguments: Sequence[object]) -> None:
    """Pay for what `indent` and `wordwrap` may add to a text."""
    if name == "indent":
        widths = (
            len(value) if isinstance(value, str) else value for value in arguments if isinstance(value, (int, str))
        )
        budget.produce((text.count("\n") + 1) * max(widths, default=4))
    elif name == "wordwrap":
        budget.produce(len(text) * max((len(value) for value in arguments if isinstance(value, str)), default=1))


def _check_numbers(name: str, values: Iterable[object]) -> None:
    most = _MAX_PRECISION if name == "round" else MAX_NUMBER
    for value in values:
        if isinstance(value, (int, float)) and abs(value) > most:
            raise TemplateError(f"the filter `{name}` takes numbers up to {most:,}")
        if name == "sum" and isinstance(value, (list, tuple)):
            raise TemplateError("the filter `sum` adds numbers")


# -- filters of our own, where Jinja's would write values as Python does, or could not be bounded


def _join(context: Context, value: Any, d: str = "", attribute: str | int | None = None) -> str:
    """The items as texts, one after the other."""
    if attribute is not None:
        value = environment().call_filter("map", value, (), {"attribute": attribute}, context=context)
    return joined(run_of(context).scope.budget, value, text_of(d))


def _replace(context: Context, value: Any, old: str, new: str, count: int | None = None) -> str:
    """The text with `old` replaced by `new`."""
    return replaced(run_of(context).scope.budget, text_of(value), text_of(old), text_of(new), count)


def _format(context: Context, value: Any, *args: Any, **kwargs: Any) -> str:
    """The text with `%s` and the like filled in."""
    if args and kwargs:
        raise TemplateError("the filter `format` takes either names or positions")
    return formatted(run_of(context).scope.budget, text_of(value), kwargs or args)


def _string(_: Context, value: Any) -> str:
    """The value as it is written inside a text."""
    return text_of(value)


def _tojson(_: Context, value: Any) -> str:
    """The value as compact JSON."""
    return json_of(value)


# -- what compiled templates call


def _refuse_unfit(value: object) -> None:
    """Raise where a result is, or holds, something that is no data."""
    refuse_unknown(value)
    if isinstance(value, (Method, LoopContext, Namespace)):
        raise TemplateError("the result is no value; a method is called with ()")
    if isinstance(value, (list, tuple)):
        for item in cast("Sequence[object]", value):
            _refuse_unfit(item)
    elif isinstance(value, dict):
        for item in cast("dict[object, object]", value).values():
            _refuse_unfit(item)


@pass_context
def _insert(context: Context, value: object) -> str:
    """A value on its way into the text."""
    run = run_of(context)
    run.scope.budget.step()
    _refuse_unfit(value)
    return inserted(finished_value(run.scope.budget, value), run.scope, run.quote)


@pass_context
def _keep(context: Context, value: object) -> str:
    """The value of a template that is one expression."""
    _refuse_unfit(value)
    run = run_of(context)
    run.result = finished_value(run.scope.budget, value)
    return ""


@pass_context
def _member(context: Context, value: object, step: Any, label: str, computed: bool) -> object:
    return member_of(run_of(context), value, step, label, computed=computed)


@pass_context
def _cut(context: Context, value: object, start: Any, stop: Any, step: Any) -> object:
    return finished_value(run_of(context).scope.budget, slice_of(value, start, stop, step))


@pass_context
def _concat(context: Context, values: Sequence[object]) -> str:
    """The operator `~`."""
    for value in values:
        refuse_unknown(value)
    return joined(run_of(context).scope.budget, values)


class _Turns:
    """What a loop goes through; every turn is a step."""

    def __init__(self, items: Any, budget: Budget) -> None:
        self._items = items
        self._budget = budget

    def __iter__(self) -> Any:
        for item in self._items:
            self._budget.step()
            yield item

    def __len__(self) -> int:
        return len(self._items)


@pass_context
def _loop(context: Context, value: Any) -> _Turns:
    refuse_unknown(value)
    mapping = as_mapping(value)
    items = value if mapping is None else mapping
    if not isinstance(items, Iterable) or isinstance(items, bytes):
        raise TemplateError(f"a loop goes through a list, a mapping or a text, not {type_name(value)}")
    return _Turns(cast("Iterable[object]", items), run_of(context).scope.budget)


_OWN: Final[dict[str, Callable[..., Any]]] = {
    "format": _format,
    "join": _join,
    "replace": _replace,
    "string": _string,
    "tojson": _tojson,
}
_COMPILED: Final[dict[str, Callable[..., Any]]] = {
    "insert": _insert,
    "keep": _keep,
    "member": _member,
    "cut": _cut,
    "concat": _concat,
    "loop": _loop,
}
FILTER_NAMES: Final = frozenset({*_OF_TEXT, *_OF_DATA, *_OF_ANYTHING, *_OWN})
"""The filters that a template may name."""


@functools.cache
def environment() -> Sandbox:
    """The environment in which all templates are compiled and run; it holds no state of theirs."""
    sandbox = Sandbox()
    filters = {name: _of_jinja(name) for name in _OF_TEXT | _OF_DATA | _OF_ANYTHING} | _OWN
    guarded = {name: _guarded(name, apply) for name, apply in filters.items()}
    sandbox.filters = guarded | {INTERNAL + name: function for name, function in _COMPILED.items()}
    return sandbox
