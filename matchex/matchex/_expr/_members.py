"""Members of values by their kind: properties such as `.length`, and methods in both spellings."""

from __future__ import annotations

from datetime import date
from typing import Final

from matchex._expr import _list_members, _other_members, _text_members
from matchex._expr._errors import ExpressionError, suggestion
from matchex._expr._limits import Meter
from matchex._expr._operators import exact
from matchex._expr._registry import METHODS, invoke
from matchex._expr._render import Pattern, describe, preview
from matchex._paths import nearest
from matchex._values import MISSING, as_list, as_mapping, kind_of

__all__ = ["attribute", "call_method", "names_of_members"]

TABLES: Final = (_list_members, _other_members, _text_members)  # importing them fills METHODS
_DATE_PARTS: Final = frozenset({"year", "month", "day", "hour", "minute", "second"})


def _kind(value: object) -> str:
    return "pattern" if isinstance(value, Pattern) else kind_of(value)


def attribute(value: object, name: str) -> object:
    """The property of a value that is no mapping, MISSING where it has none of this name."""
    kind = _kind(value)
    if kind in ("text", "list") and name == "length":
        return len(value if isinstance(value, str) else as_list(value) or ())
    if isinstance(value, _text_members.Match) and name in ("index", "groups"):
        return value.position if name == "index" else value.groups
    if isinstance(value, Pattern) and name in ("source", "flags"):
        return value.flags if name == "flags" else value.text[1 : value.text.rindex("/")]
    if isinstance(value, date) and name in _DATE_PARTS:
        return getattr(value, name, MISSING)  # the parts of a date alone, by a fixed list of names
    return MISSING


def names_of_members(value: object) -> list[str]:
    """The members that a value of this kind has, for a message."""
    kind = _kind(value)
    properties = {"text": ["length"], "list": ["length"], "date": sorted(_DATE_PARTS)}.get(kind, [])
    return [*properties, *METHODS.get(kind, {})]


def call_method(
    meter: Meter, value: object, name: str, arguments: tuple[object, ...], named: dict[str, object], base: str
) -> object:
    """`value.name(…)`; `base` is the text of `value`."""
    value = exact(value)
    kind = _kind(value)
    spec = METHODS.get(kind, {}).get(name)
    if spec is None:
        raise _no_method(value, name, base)
    receiver: object = value
    if kind == "list":
        receiver = as_list(value)
    elif kind == "mapping":
        receiver = as_mapping(value)
    try:
        return invoke(meter, spec, (receiver,), arguments, named)
    except ExpressionError as error:
        error.locate(f"{base}.{name}(…)")
        raise


def _no_method(value: object, name: str, base: str) -> ExpressionError:
    if value is None or value is MISSING:
        message = f"{base} is {preview(value)}: {base}.{name}() cannot be called; write {base}?.{name}() to allow it"
    else:
        known = names_of_members(value)
        end = suggestion(nearest(name, known), known, "its members")
        message = f"{base} is {describe(value)}, which has no method {name}{end}"
    error = ExpressionError(message)
    error.located = True
    return error
