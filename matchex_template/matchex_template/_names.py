"""Messages about names that lead nowhere. They speak of names and kinds of values, never of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from matchex.plugin import MISSING, as_list, as_mapping, format_path, lookup, nearest, type_name

__all__ = ["UNNAMED", "chain_text", "child", "undefined_path", "undefined_step", "undefined_variable", "words"]

UNNAMED: Final = "…"
"""Stands in a path for what has no path, such as the result of a filter."""

_LISTED: Final = 8
_SHOWN: Final = 60


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set of names."""
    return frozenset(text.split())


def child(parent: str, step: str | int) -> str:
    """The path of something below `parent` (`""` is the root)."""
    below = format_path((step,))
    return below if not parent else parent + below if below.startswith("[") else f"{parent}.{below}"


def chain_text(chain: Iterable[str]) -> str:
    """`a -> b -> c`."""
    return " -> ".join(name if len(name) <= _SHOWN else f"{name[: _SHOWN - 1]}…" for name in chain)


def undefined_variable(name: str, known: Mapping[str, object]) -> str:
    """What to say of a variable that does not exist."""
    guess = nearest(name, known)
    if guess is not None:
        return f"undefined variable `{name}`; did you mean `{format_path((guess,))}`?"
    if not known:
        return f"undefined variable `{name}`; there are no variables (neither data nor input were given)"
    return f"undefined variable `{name}`; {_list_of(known)}"


def undefined_step(parent: str, value: object, step: str | int | None) -> str:
    """What to say of a step that `value`, reached by the path `parent`, does not have.

    Args:
        parent: The path; `UNNAMED` where there is none.
        value: What it leads to.
        step: The step; None for one that was computed, and so is a value that no message may show.
    """
    shown = UNNAMED if step is None else step
    if parent == UNNAMED:
        return f"{type_name(value)} has no field, item or method `{shown}`"
    name = child(parent, step) if step is not None else f"{parent}[{UNNAMED}]"
    fields = as_mapping(value)
    if fields is not None:
        guess = None if step is None else nearest(str(step), fields)
        hint = f"did you mean `{child(parent, guess)}`?" if guess is not None else _list_of(fields, parent)
        return f"undefined variable `{name}`; {hint}"
    items = as_list(value)
    sized = items is not None or isinstance(value, str)
    if sized and step in ("length", "size", "count"):
        return f"undefined variable `{name}`; write `{parent} | length`"
    if items is not None:
        return f"undefined variable `{name}`; `{parent}` is a list of {len(items)}"
    return f"undefined variable `{name}`; `{parent}` is {type_name(value)}, it has no fields"


def undefined_path(variables: Mapping[str, object], steps: tuple[str | int, ...]) -> str:
    """What to say of a path of which some step leads nowhere."""
    value: object = variables
    for position, step in enumerate(steps):
        found = lookup(value, (step,))
        if found is MISSING:
            if position == 0:
                return undefined_variable(str(step), variables)
            return undefined_step(format_path(steps[:position]), value, step)
        value = found
    raise AssertionError(f"{steps} leads to a value")


def _list_of(known: Mapping[str, object], parent: str = "") -> str:
    names = ", ".join(str(name)[:_SHOWN] for name in islice(known, _LISTED))
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    return f"known are: {names}{more}" if names else f"`{parent}` is empty"
