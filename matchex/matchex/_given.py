"""What user code says of its own about a value: read strictly, for the report."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from matchex._paths import Keys, lookup, parse_path
from matchex._report import Detail, Failure
from matchex._values import as_list, as_mapping, as_number, is_nan

__all__ = ["Given", "Malformed", "given_details", "given_failures", "read_given"]

_NO_DETAILS: Final[tuple[Detail, ...]] = ()


class Malformed(Exception):
    """An answer with a field of the wrong kind."""


@dataclass(frozen=True, slots=True)
class Given:
    """What came with an answer.

    Attributes:
        message: Why the value does not match.
        failures: Failures of a nested match, or mappings of `message`, `path`, `expected`, `actual`, `critical`.
        details: Details of a nested match, or mappings of `key`, `score`, `weight`, `passed` and so on.
        title, dimension, critical: Metadata.
    """

    message: str | None = None
    failures: Sequence[Any] = ()
    details: Sequence[Any] = ()
    title: str | None = None
    dimension: str | None = None
    critical: bool = False


def read_given(answer: Mapping[Any, Any]) -> Given:
    """The descriptive fields of a mapping that user code returned.

    Raises:
        Malformed: A field of the wrong kind.
    """
    return Given(
        _text(answer, "message"),
        _mappings(answer, "failures"),
        _mappings(answer, "details"),
        _text(answer, "title"),
        _text(answer, "dimension"),
        _flag(answer, "critical"),
    )


def _text(answer: Mapping[Any, Any], name: str) -> str | None:
    value = answer.get(name)
    if value is not None and not isinstance(value, str):
        raise Malformed(f"{name!r} must be a text")
    return value


def _flag(answer: Mapping[Any, Any], name: str) -> bool:
    value = answer.get(name)
    if value is not None and not isinstance(value, bool):
        raise Malformed(f"{name!r} must be true or false")
    return value is True


def _mappings(answer: Mapping[Any, Any], name: str) -> Sequence[Any]:
    value = answer.get(name)
    items = () if value is None else as_list(value)
    if items is None:
        raise Malformed(f"{name!r} must be a list")
    for item in items:
        if isinstance(item, (Failure, Detail)):
            continue
        fields = as_mapping(item)
        if fields is None:
            raise Malformed(f"an item of {name!r} must be a mapping")
        _path_of(fields)
        for key in ("message", "title", "dimension"):
            _text(fields, key)
        _flag(fields, "critical")
        if name == "details":
            _number(fields, "score")
            _number(fields, "weight")
            _mappings(fields, "details")
    return items


def _number(fields: Mapping[Any, Any], name: str) -> float | None:
    value = fields.get(name)
    number = as_number(value)
    if value is not None and (number is None or is_nan(number)):
        raise Malformed(f"{name!r} must be a number")
    return None if number is None else float(number)


def _path_of(fields: Mapping[Any, Any]) -> Keys:
    """The path of a failure or detail: `keys`, or `path` (or `key`, as the older engine has it) as text."""
    keys = as_list(fields.get("keys"))
    if keys is not None:
        return tuple(keys)
    path = fields.get("path", fields.get("key"))
    if path is None or path == "":
        return ()
    if not isinstance(path, str):
        raise Malformed("'path' must be a text")
    return parse_path(path)


def given_failures(given: Given, keys: Keys, place: Keys, expected: object, actual: object) -> Iterator[Failure]:
    """The failures that came with an answer.

    Args:
        given: The answer.
        keys: Where in the actual value it was given.
        place: Where in the expectation.
        expected: What to show as expected where a failure does not say.
        actual: The value judged.
    """
    for item in given.failures:
        if isinstance(item, Failure):
            yield dataclasses.replace(item, keys=(*keys, *item.keys), place=place)
            continue
        fields = as_mapping(item) or {}
        below = _path_of(fields)
        value = fields["actual"] if "actual" in fields else lookup(actual, below)
        message = fields.get("message") or "does not match"
        wanted = fields.get("expected", expected)
        yield Failure(
            (*keys, *below), place, message, wanted, value, fields.get("critical") is True, fields.get("title")
        )


def given_details(given: Given, place: Keys, keys: Keys) -> tuple[Detail, ...]:
    """The details that came with an answer."""
    return _details(given.details, place, keys)


def _details(items: Sequence[Any], place: Keys, keys: Keys) -> tuple[Detail, ...]:
    return tuple(_detail(item, place, keys) for item in items) if items else _NO_DETAILS


def _detail(item: Any, place: Keys, keys: Keys) -> Detail:
    if isinstance(item, Detail):
        below = _details(item.details, place, keys)
        return dataclasses.replace(item, keys=(*keys, *item.keys), place=place, details=below)
    fields = cast("Mapping[Any, Any]", as_mapping(item) or {})
    passed = fields.get("passed", fields.get("pass")) is not False
    score = _number(fields, "score")
    weight = _number(fields, "weight")
    return Detail(
        key=str(fields.get("key", "")),
        keys=(*keys, *_path_of(fields)),
        place=place,
        status="pass" if passed else "fail",
        score=float(passed) if score is None else min(max(score, 0.0), 1.0),
        weight=1.0 if weight is None else weight,
        title=fields.get("title"),
        dimension=fields.get("dimension"),
        critical=fields.get("critical") is True,
        message=fields.get("message"),
        details=_details(_mappings(fields, "details"), place, keys),
    )
