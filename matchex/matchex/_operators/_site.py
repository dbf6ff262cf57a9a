"""What the builders of operators are given, and how they refuse an operand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from matchex._node import Keys, Node
from matchex._paths import nearest
from matchex._show import show
from matchex._values import as_list, as_mapping, as_number, type_name

if TYPE_CHECKING:
    from matchex._compiler import Compiler, Mode

__all__ = ["Build", "Site", "Wrong", "amount", "branches", "flag", "split_options", "text"]


class Wrong(Exception):
    """An operand that the operator does not take.

    Args:
        message: What is wrong, and what may be written.
        keys: Where below the operator.
        suggestion: The nearest valid name, for a misspelt one.
    """

    def __init__(self, message: str, keys: Keys = (), suggestion: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.keys = keys
        self.suggestion = suggestion


class Site(NamedTuple):
    """Where an operator stands.

    Attributes:
        name: Its name.
        place: Its place in the expectation, its name included.
        mode: How its operands are to be read.
        sibling: Whether it stands beside other operators or fields, so that the weight of its operand is read.
        mark: What a number that it gives must reach.
    """

    name: str
    place: Keys
    mode: Mode
    sibling: bool
    mark: float


Build = Callable[["Compiler", Any, Site], Node]
"""Checks the operand of an operator and makes its node."""


def branches(c: Compiler, operand: object, site: Site) -> list[Node]:
    """The nodes of an operand that is a list of expectations."""
    items = as_list(c.shape(operand, site.place))
    if items is None:
        raise Wrong(f"{site.name} takes a list of expectations, not {type_name(operand)}")
    return [c.node(item, (*site.place, i), site.mode.reading()) for i, item in enumerate(items)]


def split_options(c: Compiler, operand: object, site: Site, known: Sequence[str]) -> tuple[Mapping[Any, Any], Any]:
    """The option mapping `{$value, …}` of an operator and its `$value`; anything else is the value alone."""
    mapping = as_mapping(operand)
    if mapping is None or not any(key == "$value" or key in known for key in mapping):
        return {}, operand
    for key in mapping:
        if key not in known and key != "$value":
            guess = nearest(str(key), [*known, "$value"])
            hint = f"; did you mean {guess}?" if guess else f"; it knows {', '.join(['$value', *known])}"
            raise Wrong(f"{site.name} has no option {key!r}{hint}", (str(key),), guess)
    if "$value" not in mapping:
        raise Wrong(f"{site.name} with options needs $value")
    value = mapping["$value"]
    rendered = {key: c.literal(option, (*site.place, key)) for key, option in mapping.items() if key != "$value"}
    return {**rendered, "$value": value}, value


def flag(options: Mapping[Any, Any], name: str, default: bool) -> bool:
    """An option that is true or false."""
    value = options.get(name, default)
    if not isinstance(value, bool):
        raise Wrong(f"{name} takes true or false, not {show(value)}", (name,))
    return value


def amount(options: Mapping[Any, Any], name: str, default: float) -> float:
    """An option that is a finite number from 0 on."""
    number = as_number(options.get(name, default))
    if number is None or not 0 <= number < float("inf"):
        raise Wrong(f"{name} takes a number from 0 on, not {show(options[name])}", (name,))
    return float(number)


def text(c: Compiler, operand: object, site: Site) -> str:
    """An operand that is a text, taken literally."""
    value = c.literal(operand, site.place)
    if not isinstance(value, str):
        raise Wrong(f"{site.name} takes a text, not {type_name(value)}")
    return value
