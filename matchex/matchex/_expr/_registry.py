"""The tables of functions and methods that expressions can call, and how a call is checked.

Everything callable is a function of ours, found by name in a table; no attribute of a Python object is ever looked up.
What a function takes is read from its signature: the first parameter is the meter, of a method the second is the value;
a parameter annotated `Callback` takes a function, one annotated `Missing` may be undefined.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeVar, cast

from matchex._expr._errors import ExpressionError
from matchex._expr._limits import Meter
from matchex._expr._operators import exact
from matchex._expr._render import Callback, describe
from matchex._values import MISSING, as_list, as_mapping

__all__ = ["FUNCTIONS", "METHODS", "Lazy", "Spec", "function", "invoke", "method", "need_text"]

F = TypeVar("F", bound=Callable[..., object])


class Spec(NamedTuple):
    """A function or method of ours and what it takes."""

    name: str
    call: Callable[..., object]
    least: int
    most: int
    callbacks: frozenset[int]
    optional: frozenset[int]
    named: frozenset[str]
    cheap: bool


class Lazy:
    """A generator expression on its way into `any` or `all`, which stop early; it is never a value."""

    __slots__ = ("values",)

    def __init__(self, values: Iterator[object]) -> None:
        self.values = values


FUNCTIONS: Final[dict[str, Spec]] = {}
METHODS: Final[dict[str, dict[str, Spec]]] = {}
_MANY = 1 << 30


def function(*names: str, cheap: bool = False) -> Callable[[F], F]:
    """Register a function; `cheap` where its work does not grow with its argument."""

    def register(implementation: F) -> F:
        for name in names:
            FUNCTIONS[name] = _spec(name, implementation, 1, cheap)
        return implementation

    return register


def method(kind: str, *names: str, cheap: bool = False) -> Callable[[F], F]:
    """Register a method of the values of a kind."""

    def register(implementation: F) -> F:
        for name in names:
            METHODS.setdefault(kind, {})[name] = _spec(name, implementation, 2, cheap)
        return implementation

    return register


def _spec(name: str, implementation: Callable[..., object], skip: int, cheap: bool) -> Spec:
    parameters = list(inspect.signature(implementation).parameters.values())[skip:]
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return Spec(
        name,
        implementation,
        least=sum(p.default is p.empty for p in positional),
        most=_MANY if variadic else len(positional),
        callbacks=frozenset(i for i, p in enumerate(positional) if "Callback" in str(p.annotation)),
        optional=frozenset(i for i, p in enumerate(positional) if "Missing" in str(p.annotation)),
        named=frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY),
        cheap=cheap,
    )


def invoke(
    meter: Meter, spec: Spec, receiver: tuple[object, ...], arguments: tuple[object, ...], named: dict[str, object]
) -> object:
    """Call a function (`receiver` is empty) or a method, after a look at its arguments, and account for the result."""
    if not spec.least <= len(arguments) <= spec.most:
        raise ExpressionError(f"{spec.name} takes {_count(spec)}, not {len(arguments)}")
    for index, argument in enumerate(arguments):
        if argument is MISSING and index not in spec.optional:
            raise ExpressionError(f"argument {index + 1} of {spec.name} is undefined: give it a value with ??")
        if type(argument) is Callback and index not in spec.callbacks:
            raise ExpressionError(f"{spec.name} takes no function as argument {index + 1}")
    for name, argument in named.items():
        _check_named(spec, name, argument)
    if arguments:
        arguments = tuple(map(exact, arguments))
    if not spec.cheap:
        meter.step(1 + (_work(receiver[0]) if receiver else sum(map(_work, arguments))))
    result = spec.call(meter, *receiver, *arguments, **named)
    if type(result) is str:
        meter.text(len(result))
    elif type(result) is list:
        meter.items(len(cast("list[object]", result)))
    return cast("object", result)


def _check_named(spec: Spec, name: str, argument: object) -> None:
    if name not in spec.named:
        known = f": it takes {', '.join(sorted(spec.named))}" if spec.named else ""
        raise ExpressionError(f"{spec.name} has no argument named {name}{known}")
    if isinstance(argument, Callback) and name != "key":
        raise ExpressionError(f"{name} of {spec.name} takes no function")
    if argument is MISSING:
        raise ExpressionError(f"{name} of {spec.name} is undefined")


def _count(spec: Spec) -> str:
    if spec.most == _MANY:
        return f"at least {spec.least} arguments"
    if spec.least != spec.most:
        return f"{spec.least} to {spec.most} arguments"
    return "no arguments" if not spec.most else f"{spec.most} argument{'s' if spec.most > 1 else ''}"


def _work(value: object) -> int:
    """The steps that it costs to go through `value` once."""
    if type(value) is list:
        return len(cast("list[object]", value)) >> 4
    if isinstance(value, str):
        return len(value) >> 8
    if value is None or isinstance(value, (int, float, Callback)):
        return 0
    items = as_list(value)
    if items is None:
        items = as_mapping(value)
    return len(items) >> 4 if items is not None else 0


def need_text(value: object, name: str) -> str:
    """An argument that must be a text."""
    if isinstance(value, str):
        return value
    raise ExpressionError(f"{name} takes a text, not {describe(value)}")
