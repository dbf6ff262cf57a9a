"""Operators that users define."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast
from typing import Literal as OneOf

__all__ = ["OPERAND_KINDS", "Operator", "generation", "named", "operator", "registered"]

OperandKind = OneOf["data", "expectation", "expectations"]
OPERAND_KINDS: Final = ("data", "expectation", "expectations")
VIRTUAL_FIELDS: Final = ("operator", "key", "index", "count")
_NAME: Final = re.compile(r"\$[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Operator:
    """A custom operator: a name, a function, and what its operand is.

    Attributes:
        name: Its name, with `$`.
        function: Called with `(actual, expected)` or `(actual, expected, context)`; may be `async`.
        operand: `"data"`: the operand comes as written (placeholders rendered); `"expectation"`: as one compiled
            `Operand`; `"expectations"`: as a list of them.
        virtual: How its children are named in paths: `True` adds nothing (several are `$name[i]`), `False` adds the
            name and `[i]`, a text is a template with `$operator $key $index $count`.
        strategy: The strategy of `context.aggregate`, or None for the weighted sum.

    Example:
        >>> import matchex
        >>> even = matchex.Operator("$even", lambda actual, expected: (actual % 2 == 0) is expected)
        >>> matchex.validate(4, {"$even": True}, operators=[even]).passed
        True
    """

    name: str
    function: Callable[..., Any]
    operand: OperandKind = "data"
    virtual: bool | str = True
    strategy: str | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"an operator's name is $ and a word, not {self.name!r}")
        if not callable(self.function):
            raise TypeError(f"operator {self.name} needs a function, not {type(self.function).__name__}")
        if self.operand not in OPERAND_KINDS:
            raise ValueError(f"operand of {self.name} must be one of {', '.join(OPERAND_KINDS)}, not {self.operand!r}")
        if isinstance(self.virtual, str):
            template = string.Template(self.virtual)
            unknown = [name for name in template.get_identifiers() if name not in VIRTUAL_FIELDS]
            if unknown or not template.is_valid():
                fields = ", ".join(f"${field}" for field in VIRTUAL_FIELDS)
                raise ValueError(f"virtual of {self.name} may use {fields}; got {self.virtual!r}")

    def __call__(self, *arguments: Any) -> Any:
        """Call the function itself, so that a decorated function can still be used and tested alone."""
        return self.function(*arguments)


registered: Final[dict[str, Operator]] = {}
"""Operators that `operator` registered, by name."""


_generation = 0


def generation() -> int:
    """How often `operator` has registered something; what was compiled before may read names differently."""
    return _generation


def named(name: str) -> str:
    """A name completed with `$`."""
    return name if name.startswith("$") else f"${name}"


def operator(
    name: str,
    *,
    operand: OperandKind = "data",
    virtual: bool | str = True,
    strategy: str | None = None,
) -> Callable[[Callable[..., Any]], Operator]:
    """Make a function an operator, known to every expectation compiled afterwards in this process.

    Args:
        name: Its name; a missing `$` is added.
        operand: What its operand is: `"data"`, `"expectation"` or `"expectations"`; see `Operator`.
        virtual: How its children are named in paths; see `Operator`.
        strategy: The strategy of its children; see `Operator`.

    Raises:
        TypeError: It stands without a name.
        ValueError: The name is no name, is that of a built-in operator, or another function has registered it.

    Example:
        >>> import matchex
        >>> @matchex.operator("$isPalindrome")
        ... def is_palindrome(actual, expected):
        ...     return (actual == actual[::-1]) is expected
        >>> matchex.validate("level", {"$isPalindrome": True}).passed
        True
    """
    if not isinstance(cast("object", name), str):
        raise TypeError('an operator needs a name: write @matchex.operator("$name")')

    def register(function: Callable[..., Any]) -> Operator:
        from matchex._operators import OPERATORS  # which need what stands here

        made = Operator(named(name), function, operand, virtual, strategy)
        if made.name in OPERATORS:
            raise ValueError(
                f"operator {made.name} is built in; choose another name, or replace it for one call with "
                "operators= and allow_operator_override=True"
            )
        before = registered.get(made.name)
        if before is not None and _origin(before.function) != _origin(function):
            raise ValueError(
                f"operator {made.name} is already registered by {_origin(before.function)}; "
                "choose another name, or pass operators= for one call"
            )
        registered[made.name] = made
        global _generation
        _generation += 1
        return made

    return register


def _origin(function: Callable[..., Any]) -> str:
    qualified = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', '?')}.{qualified}"
