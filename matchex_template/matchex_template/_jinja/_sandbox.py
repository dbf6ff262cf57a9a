"""The Jinja environment: no attribute of Python, no loading, no writing into data; every result is paid for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Sized
from decimal import Decimal
from typing import Any, Final, cast

from jinja2.nodes import EvalContext
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, missing
from matchex.plugin import MISSING, TemplateError, as_list, as_mapping, type_name

from matchex_template._jinja._members import Method, item_of
from matchex_template._jinja._state import RUN, Run, Unknown, refuse_unknown, run_of
from matchex_template._limits import MAX_NUMBER, Budget
from matchex_template._names import UNNAMED, undefined_step, undefined_variable
from matchex_template._text import text_of

__all__ = ["BLOCK", "INTERNAL", "VALUE", "Sandbox", "VariablesContext", "finished_value", "formatted"]

INTERNAL: Final = "matchex:"
"""The names of filters that only compiled templates use begin with this; no template can write it."""

# Noncharacters: they never stand in a text that is meant for anybody. `_bodies` refuses texts that hold one.
VALUE: Final = ("\ufdd0", "\ufdd1")
BLOCK: Final = ("\ufdd2", "\ufdd3")
_COMMENT: Final = ("\ufdd4", "\ufdd5")


class VariablesContext(Context):
    """Looks variables up in the caller's data, rendering their placeholders."""

    def resolve_or_missing(self, key: str) -> Any:
        if key in self.vars:
            return self.vars[key]
        scope = cast("Run", self.parent[RUN]).scope
        value = scope.variables.get(key, MISSING)
        if value is not MISSING:
            return scope.enter(value, key)
        if key in _GLOBALS:
            return _GLOBALS[key]
        return missing if key in _JINJA_NAMES else Unknown(undefined_variable(key, scope.variables))


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja, bounded and without access to anything but data."""

    context_class = VariablesContext
    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self) -> None:
        super().__init__(
            variable_start_string=VALUE[0],
            variable_end_string=VALUE[1],
            block_start_string=BLOCK[0],
            block_end_string=BLOCK[1],
            comment_start_string=_COMMENT[0],
            comment_end_string=_COMMENT[1],
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            undefined=Unknown,
            autoescape=False,
            optimized=False,
            cache_size=0,
        )
        self.globals = {}

    def getitem(self, obj: Any, argument: Any) -> Any:
        """A field or item of data; filters with an `attribute` come here."""
        refuse_unknown(obj)
        found = item_of(obj, argument)
        return Unknown(undefined_step(UNNAMED, obj, argument)) if found is MISSING else found

    def getattr(self, obj: Any, attribute: str) -> Any:
        """The same as `getitem`: no attribute of Python is ever read."""
        return self.getitem(obj, attribute)

    def is_safe_callable(self, obj: Any) -> bool:
        """Whether a template may call `obj`."""
        return isinstance(obj, Method) or any(obj is known for known in _GLOBALS.values())

    def call(self, context: Context, obj: Any, *args: Any, **kwargs: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Call a method of a plain value, or one of the few functions."""
        refuse_unknown(obj)
        if not self.is_safe_callable(obj):
            raise TemplateError(f"{type_name(obj)} cannot be called in a template")
        budget = run_of(context).scope.budget
        budget.step()
        kwargs = {name: value for name, value in kwargs.items() if not name.startswith("_")}  # Jinja adds some
        for value in (*args, *kwargs.values()):
            refuse_unknown(value)
        call = cast("Callable[..., Any]", obj.call if isinstance(obj, Method) else obj)
        return finished_value(budget, call(*args, **kwargs))

    def call_filter(
        self,
        name: str,
        value: Any,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        context: Context | None = None,
        eval_ctx: EvalContext | None = None,
    ) -> Any:
        """Call a filter by a name that data may have given (as in `map`)."""
        if name.startswith(INTERNAL):
            raise TemplateError("this filter cannot be called by its name")
        return super().call_filter(name, value, args, kwargs, context, eval_ctx)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Apply an operator whose result is known to be bounded."""
        refuse_unknown(left)
        refuse_unknown(right)
        budget = run_of(context).scope.budget
        budget.step()
        left, right = _plain_list(left), _plain_list(right)
        try:
            if operator == "%" and isinstance(left, str):
                return formatted(budget, left, right)
            _check_size(budget, operator, left, right)
            return finished_value(budget, _OPERATORS[operator](left, right))
        except TypeError:
            pair = f"{type_name(left)} and {type_name(right)}"
            raise TemplateError(f"`{operator}` does not work on {pair}") from None
        except ZeroDivisionError:
            raise TemplateError(f"`{operator}` by zero") from None


_OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "//": lambda left, right: left // right,
    "%": lambda left, right: left % right,
    "**": lambda left, right: left**right,
}


def _plain_list(value: Any) -> Any:
    """A view of a list as a list, which can be added and repeated."""
    items = None if type(value) is list or type(value) is tuple else as_list(value)
    return cast("Any", value) if items is None else list(items)


def _check_size(budget: Budget, symbol: str, left: Any, right: Any) -> None:
    if symbol == "*":
        for sized, times in ((left, right), (right, left)):
            if isinstance(sized, (str, list, tuple)) and isinstance(times, int):
                budget.produce(len(cast("Sequence[object]", sized)) * max(times, 0))
    elif symbol == "+" and isinstance(left, (str, list, tuple)) and isinstance(right, (str, list, tuple)):
        budget.produce(len(cast("Sequence[object]", left)) + len(cast("Sequence[object]", right)))
    if isinstance(left, int) and isinstance(right, int):
        if symbol == "**":
            budget.calculate(left.bit_length() * max(right, 0))
        elif symbol == "*":
            budget.calculate(left.bit_length() + right.bit_length())


def finished_value(budget: Budget, value: Any) -> Any:
    """A result with its size paid for: lazy sequences become lists, marked-up text becomes text."""
    if isinstance(value, str):
        budget.produce(len(value))
        return value if type(value) is str else "".join(value)
    if isinstance(value, (list, tuple, dict)):
        budget.produce(len(cast("Sized", value)))
        return cast("Any", value)
    if hasattr(value, "__next__"):
        return _listed(budget, value)
    return value


def _listed(budget: Budget, values: Any) -> list[object]:
    items: list[object] = []
    for item in values:
        budget.step()
        budget.produce(1)
        items.append(item)
    return items


_MAX_RANGE: Final = 100_000
_FORMAT: Final = re.compile(r"%(?:\([^()]*\))?[-#0 +]*(\*|\d*)(?:\.(\*|\d*))?")


def formatted(budget: Budget, text: str, values: Any) -> str:
    """`text % values` whose result is paid for before it is made."""
    for width, precision in _FORMAT.findall(text):
        for number in (width, precision):
            if number == "*" or len(number) > 4:
                raise TemplateError(f"a format takes widths and precisions up to {MAX_NUMBER - 1:,}, and no `*`")
    mapping = as_mapping(values)
    items = as_list(values)
    arguments: list[object] = list(mapping.values()) if mapping is not None else [values] if items is None else [*items]
    longest = max((len(text_of(value)) for value in arguments), default=0)
    places = text.count("%")
    budget.produce(len(text) + places * longest)
    if mapping is not None:
        return text % {key: _argument(value) for key, value in mapping.items()}
    return text % tuple(_argument(value) for value in arguments)


def _argument(value: object) -> object:
    is_number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    return value if is_number else text_of(value)


def _range_of(*bounds: int) -> range:
    """The `range` of templates; a test such as `1.5 in range(…)` walks through all of it at once."""
    numbers = range(*bounds)
    if numbers and len(numbers) > _MAX_RANGE:
        raise TemplateError(f"range takes at most {_MAX_RANGE:,} numbers")
    return numbers


def _mapping_of(**fields: object) -> dict[str, object]:
    """The `dict` of templates."""
    return fields


_GLOBALS: Final[dict[str, Any]] = {"range": _range_of, "dict": _mapping_of, "namespace": Namespace}
_JINJA_NAMES: Final = frozenset({"loop", "self", "super", "caller", "varargs", "kwargs"})
