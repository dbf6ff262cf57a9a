"""Metadata of a node: weight, criticality, threshold, title, dimension, strategy."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from matchex._paths import Keys, nearest
from matchex._values import as_number, is_finite, type_name

__all__ = ["META_KEYS", "NO_META", "UNKNOWN", "Meta", "read_meta"]

META_KEYS: Final = frozenset(
    {"$meta", "$title", "$description", "$dimension", "$critical", "$strategy", "$threshold", "$score"}
)
UNKNOWN: Final = object()
"""What the renderer returns for a metadata value that is not known now, or whose trouble it has reported."""

_FIELDS: Final = ("score", "title", "description", "critical", "dimension", "strategy", "threshold")
_SCORE_FIELDS: Final = ("value", "critical", "dimension", "title", "strategy", "threshold")

Render = Callable[[object, Keys], object]
Report = Callable[[Keys, str, str | None], None]


@dataclass(frozen=True, slots=True)
class Meta:
    """What an expectation says about itself; None is unset."""

    weight: float | None = None
    critical: bool | None = None
    threshold: float | None = None
    title: str | None = None
    description: str | None = None
    dimension: str | None = None
    strategy: str | None = None

    def over(self, outer: Meta) -> Meta:
        """The metadata of one node written in two places: what is set here wins, `outer` fills the rest."""
        if self is NO_META or outer is NO_META:
            return outer if self is NO_META else self
        mine = {name: value for name in _META_NAMES if (value := getattr(self, name)) is not None}
        return dataclasses.replace(outer, **mine)


NO_META: Final = Meta()
_META_NAMES: Final = tuple(field.name for field in dataclasses.fields(Meta))


def read_meta(mapping: Mapping[Any, Any], place: Keys, render: Render, report: Report) -> Meta:
    """The metadata of `mapping`: its `$meta`, or its `$`-shorthands.

    Args:
        mapping: An expectation.
        place: Where it stands in the expectation.
        render: Gives the value of a metadata field (placeholders rendered), or `UNKNOWN`.
        report: Called with place, message and suggestion for each mistake.
    """
    if "$meta" not in mapping:
        fields = {key[1:]: mapping[key] for key in mapping if key in META_KEYS}
        return _meta_of(_read(fields, place, "$", _FIELDS, render, report)) if fields else NO_META
    container = mapping["$meta"]
    if container is None:
        container = {}
    beside = [key for key in mapping if key in META_KEYS and key != "$meta"]
    if beside:
        report((*place, beside[0]), f"{beside[0]} stands beside $meta; write it inside $meta", None)
    if not isinstance(container, Mapping):
        names = ", ".join(_FIELDS)
        report((*place, "$meta"), f"$meta takes a mapping of {names}, not {type_name(container)}", None)
        return NO_META
    return _meta_of(_read(cast("Mapping[Any, Any]", container), (*place, "$meta"), "", _FIELDS, render, report))


def _meta_of(fields: dict[str, Any]) -> Meta:
    return Meta(**fields) if fields else NO_META


def _read(
    fields: Mapping[Any, Any], place: Keys, prefix: str, known: tuple[str, ...], render: Render, report: Report
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    score_fields: dict[str, Any] = {}
    for name, raw in fields.items():
        where = (*place, f"{prefix}{name}")
        if name not in known:
            guess = nearest(str(name), known)
            hint = f"; did you mean {guess}?" if guess else f"; it knows {', '.join(known)}"
            report(where, f"{place[-1]} has no field {name!r}{hint}", guess)
            continue
        value = render(raw, where)
        if value is None or value is UNKNOWN:
            continue
        if name == "score" and isinstance(value, Mapping):
            inner = cast("Mapping[Any, Any]", value)
            score_fields = _read(inner, where, "", _SCORE_FIELDS, render, report)
        elif wanted := _wanted(name, value):
            shown = repr(value) if isinstance(value, (str, int, float)) else type_name(value)
            report(where, f"{prefix}{name} takes {wanted}, not {shown}", None)
        else:
            found["weight" if name in ("score", "value") else name] = value
    return {**found, **score_fields}


def _wanted(name: str, value: object) -> str | None:
    """What a metadata field takes, where `value` is not that."""
    if name in ("score", "value"):
        number = as_number(value)
        return None if number is not None and is_finite(number) else "a finite number"
    if name == "critical":
        return None if isinstance(value, bool) else "true or false"
    if name == "threshold":
        number = as_number(value)
        return None if number is not None and 0 <= number <= 1 else "a number from 0 to 1"
    return None if isinstance(value, str) else "a text"
