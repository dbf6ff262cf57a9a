"""Nodes that look at one value: equality, order, membership, texts, patterns, kinds, presence."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from matchex._errors import MatchingError
from matchex._jsontext import json_text
from matchex._node import At, Keys, Leaf
from matchex._outcome import Outcome, Run
from matchex._regex import Pattern, PatternTimeout
from matchex._report import Failure
from matchex._show import show
from matchex._values import MISSING, as_number, compare, equal, is_finite, is_nan, is_whole, kind_of, trim, type_name

__all__ = [
    "JSON_TYPES",
    "Absent",
    "EndsWith",
    "Equals",
    "Exists",
    "In",
    "JsonType",
    "Near",
    "NotEquals",
    "NotIn",
    "Ordered",
    "OrderedNumber",
    "PatternLeaf",
    "Same",
    "SameNumber",
    "StartsWith",
    "Text",
    "WholeText",
]


class Same(Leaf):
    """A plain number, bool or None: equal by value."""

    __slots__ = ("value",)

    def __init__(self, place: Keys, value: object) -> None:
        super().__init__(place, value)
        self.value = value

    def test(self, actual: object, run: Run) -> bool:
        return equal(actual, self.value)

    def message(self, out: Outcome) -> str:
        number = as_number(self.value)
        if number is not None and is_nan(number):
            return "NaN is expected, which equals nothing, not even NaN; {$expr: 'isNaN(actual)'} asks for it"
        return _expected_but(show(self.value), out.actual)


class SameNumber(Same):
    """A plain number, with a short way for the common types."""

    __slots__ = ()

    def test(self, actual: object, run: Run) -> bool:
        cls = type(actual)
        if cls is int or cls is float:
            return actual == self.value
        return equal(actual, self.value)


class Absent(Leaf):
    """MISSING expected: the field must not be there."""

    __slots__ = ()

    def test(self, actual: object, run: Run) -> bool:
        return actual is MISSING

    def message(self, out: Outcome) -> str:
        return f"expected no such field, but it is there: {show(out.actual)}"


class Exists(Leaf):
    """`$exists`: the value is there or not."""

    __slots__ = ("null_absent", "strict", "wanted")

    def __init__(self, place: Keys, expected: object, wanted: bool, *, strict: bool, null_absent: bool) -> None:
        super().__init__(place, expected)
        self.wanted = wanted
        self.strict = strict
        self.null_absent = null_absent

    def test(self, actual: object, run: Run) -> bool:
        absent = actual is MISSING or (actual is None and not self.strict and self.null_absent)
        return absent is not self.wanted

    def message(self, out: Outcome) -> str:
        if not self.wanted:
            return f"expected no value here, but there is {show(out.actual)}"
        if out.actual is MISSING:
            return "expected a value here, but the field is missing"
        return "expected a value here, but it is null (null counts as absent; nullAsAbsent: false counts it as present)"


_SEEN_AT_ONCE: Final = 80
"""Characters of a text that a message shows."""


class Text(Leaf):
    """A plain text: contained in the actual text, both trimmed."""

    __slots__ = ("text",)
    verb = "contain"

    def __init__(self, place: Keys, text: str) -> None:
        super().__init__(place, text)
        self.text = trim(text)

    def test(self, actual: object, run: Run) -> bool:
        # the expected text has no blanks at its ends, so trimming the actual one would change nothing
        return isinstance(actual, str) and self.text in actual

    def message(self, out: Outcome) -> str:
        if not isinstance(out.actual, str):
            return f"expected a text, got {type_name(out.actual)}"
        if not self.text:
            return f"expected an empty text, got {show(trim(out.actual))}"
        got = f"{show(trim(out.actual))}{_hidden(self.text, out.actual)}{self._nearest(trim(out.actual))}"
        return f"expected the text to {self.verb} {show(self.text)}, got {got}"

    def _nearest(self, actual: str) -> str:
        """The place in a long text that was probably meant, as the end of a sentence."""
        if len(actual) <= _SEEN_AT_ONCE:
            return ""
        from matchex._passage import nearest_passage

        passage = nearest_passage(self.text, actual)
        return f"; the nearest passage is {show(passage)}" if passage else ""

    def failure(self, out: Outcome, at: At, message: str | None = None) -> Failure:
        failure = super().failure(out, at, message)
        return _with_texts(failure, self.text, out.actual)

    def is_silent(self, actual: object) -> bool:
        return isinstance(actual, str) and len(actual) == len(self.text)

    def notes(self, out: Outcome) -> Iterable[tuple[str, str]]:
        if isinstance(out.actual, str) and len(trim(out.actual)) > len(self.text):
            yield (
                "contained",
                f"{show(self.text)} was found inside a longer text; strict text or $eq compares all of it",
            )


class WholeText(Text):
    """A plain text under strict text, and an empty one: equal to the actual text, both trimmed."""

    __slots__ = ()
    verb = "be"

    def test(self, actual: object, run: Run) -> bool:
        return isinstance(actual, str) and trim(actual) == self.text


class PatternLeaf(Leaf):
    """A pattern: found in the trimmed text, or in the JSON text of another value; never in null or nothing."""

    __slots__ = ("pattern", "timeout")

    def __init__(self, place: Keys, expected: object, pattern: Pattern, timeout: float) -> None:
        super().__init__(place, expected)
        self.pattern = pattern
        self.timeout = timeout

    def test(self, actual: object, run: Run) -> bool:
        if actual is None or actual is MISSING:
            return False
        return search(self.pattern, trim(actual) if isinstance(actual, str) else json_text(actual), self.timeout)

    def quick(self, actual: object, run: Run) -> bool | None:
        if not isinstance(actual, str):
            return self.test(actual, run)
        if len(actual) > self.pattern.fast_length(self.timeout):
            return None  # a search that may run out of time is done once, not tried first
        return self.pattern.search(trim(actual), timeout=self.timeout)

    @property
    def check(self) -> Callable[[object, Run], bool | None]:
        return self.quick

    def message(self, out: Outcome) -> str:
        if out.actual is None or out.actual is MISSING:
            return f"expected a match of {self.pattern.text}, got {type_name(out.actual)}"
        return f"expected a match of {self.pattern.text}, got {show(out.actual)}"


def search(pattern: Pattern, subject: str, timeout: float) -> bool:
    """Search within the time allowed.

    Raises:
        MatchingError: Time ran out.
    """
    try:
        return pattern.search(subject, timeout=timeout)
    except PatternTimeout as error:
        raise MatchingError("timeout", str(error)) from error


class Equals(Leaf):
    """`$eq`: deep equality by value."""

    __slots__ = ("value",)

    def __init__(self, place: Keys, value: object) -> None:
        super().__init__(place, value)
        self.value = value

    def test(self, actual: object, run: Run) -> bool:
        return equals_literal(actual, self.value)

    def message(self, out: Outcome) -> str:
        return _expected_but(show(self.value), out.actual) + _hidden(self.value, out.actual)

    def failure(self, out: Outcome, at: At, message: str | None = None) -> Failure:
        return _with_texts(super().failure(out, at, message), self.value, out.actual)


class NotEquals(Leaf):
    """`$ne`: not equal by value."""

    __slots__ = ("value",)

    def __init__(self, place: Keys, value: object) -> None:
        super().__init__(place, value)
        self.value = value

    def test(self, actual: object, run: Run) -> bool:
        return not equals_literal(actual, self.value)

    def message(self, out: Outcome) -> str:
        return f"expected anything but {show(self.value)}"

    def notes(self, out: Outcome) -> Iterable[tuple[str, str]]:
        yield from _held_on_nothing(out, "$ne")
        yield from _holds_as_a_part(out.actual, [self.value], "$ne")


def equals_literal(actual: object, value: object) -> bool:
    """`$eq`: equal, or a text that is equal once trimmed."""
    if isinstance(actual, str) and isinstance(value, str):
        return actual == value or trim(actual) == value
    return equal(actual, value)


class In(Leaf):
    """`$in`: equal to some member of a list."""

    __slots__ = ("values",)

    def __init__(self, place: Keys, values: Sequence[Any]) -> None:
        super().__init__(place, values)
        self.values = values

    def test(self, actual: object, run: Run) -> bool:
        if isinstance(actual, str):
            trimmed = trim(actual)
            return any(isinstance(value, str) and value in (actual, trimmed) for value in self.values)
        return any(equal(actual, value) for value in self.values)

    def message(self, out: Outcome) -> str:
        return _expected_but(f"one of {show(self.values)}", out.actual)


class NotIn(In):
    """`$nin`: equal to no member of a list."""

    __slots__ = ()

    def test(self, actual: object, run: Run) -> bool:
        return not super().test(actual, run)

    def message(self, out: Outcome) -> str:
        return _expected_but(f"none of {show(self.values)}", out.actual)

    def notes(self, out: Outcome) -> Iterable[tuple[str, str]]:
        yield from _held_on_nothing(out, "$nin")
        yield from _holds_as_a_part(out.actual, self.values, "$nin")


_ORDERS: Final[dict[str, tuple[Callable[[Any, Any], bool], str]]] = {
    "$gt": (operator.gt, "greater than"),
    "$gte": (operator.ge, "greater than or equal to"),
    "$lt": (operator.lt, "less than"),
    "$lte": (operator.le, "less than or equal to"),
}


class Ordered(Leaf):
    """`$gt $gte $lt $lte`: order of two numbers, two texts or two dates."""

    __slots__ = ("holds", "words")

    def __init__(self, place: Keys, operator: str, bound: object) -> None:
        super().__init__(place, bound)
        self.holds, self.words = _ORDERS[operator]

    def test(self, actual: object, run: Run) -> bool:
        order = compare(trim(actual) if isinstance(actual, str) else actual, self.expected)
        return order is not None and self.holds(order, 0)

    def message(self, out: Outcome) -> str:
        wanted = f"expected a value {self.words} {show(self.expected)}"
        number = as_number(out.actual)
        value = trim(out.actual) if isinstance(out.actual, str) else out.actual
        if isinstance(out.actual, date) and isinstance(self.expected, date):
            return f"{wanted}, got {show(out.actual)}{'' if _aware(out.actual) is _aware(self.expected) else _ZONES}"
        if compare(value, self.expected) is None and (number is None or not is_nan(number)):
            return f"{wanted}, got {type_name(out.actual)}, which has no order with {type_name(self.expected)}"
        return f"{wanted}, got {show(out.actual)}"


class OrderedNumber(Ordered):
    """The same for a number as bound, with a short way for the common types."""

    __slots__ = ()

    def test(self, actual: object, run: Run) -> bool:
        cls = type(actual)
        if cls is int or cls is float:
            return self.holds(actual, self.expected)
        return super().test(actual, run)


_ZONES: Final = "; only one of them has a time zone, so they have no order"


def _aware(value: date) -> bool:
    return isinstance(value, datetime) and value.tzinfo is not None


class Near(Leaf):
    """`$near`: a number close to another."""

    __slots__ = ("absolute", "fraction", "relative", "value")

    def __init__(self, place: Keys, expected: object, value: Any, relative: float, absolute: float) -> None:
        super().__init__(place, expected)
        self.value = value
        self.fraction = Fraction(value) if _is_moderate(value) else Fraction(0)
        self.relative = Fraction(relative)
        self.absolute = Fraction(absolute)

    def test(self, actual: object, run: Run) -> bool:
        number = as_number(actual)
        if number is None or not _is_moderate(number) or not _is_moderate(self.value):
            return number is not None and equal(number, self.value)
        # the formula of math.isclose on exact fractions: no integer is rounded, none is too large
        distance = abs(Fraction(number) - self.fraction)
        larger = max(abs(Fraction(number)), abs(self.fraction))
        return distance <= self.relative * larger or distance <= self.absolute

    def message(self, out: Outcome) -> str:
        margin = f"relative {float(self.relative):g}"
        margin += f", or ±{float(self.absolute):g}" if self.absolute else ""
        if as_number(out.actual) is None:
            return f"expected a number near {show(self.value)}, got {type_name(out.actual)}"
        hint = "; near 0 only abs allows a distance" if self.value == 0 and not self.absolute else ""
        return f"expected a number near {show(self.value)} ({margin}), got {show(out.actual)}{hint}"


def _is_moderate(number: int | float | Decimal) -> bool:
    """Whether a number is finite, and as a fraction of a size that can be worked with."""
    return is_finite(number) and not (isinstance(number, Decimal) and abs(number.adjusted()) > 10_000)


JSON_TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_JSON_KINDS: Final = {"null": "null", "boolean": "boolean", "text": "string", "list": "array", "mapping": "object"}


class JsonType(Leaf):
    """`$type`: the JSON type of the value."""

    __slots__ = ("names",)

    def __init__(self, place: Keys, expected: object, names: Sequence[str]) -> None:
        super().__init__(place, expected)
        self.names = frozenset(names)

    def test(self, actual: object, run: Run) -> bool:
        number = as_number(actual)
        if number is None:
            return _JSON_KINDS.get(kind_of(actual)) in self.names
        return "number" in self.names or ("integer" in self.names and is_whole(number))

    def message(self, out: Outcome) -> str:
        fraction = "integer" in self.names and as_number(out.actual) is not None
        got = f"{show(out.actual)}, which is not whole" if fraction else type_name(out.actual)
        return f"expected type {' or '.join(sorted(self.names))}, got {got}"


class StartsWith(Leaf):
    """`$startsWith`: the trimmed text begins with the operand."""

    __slots__ = ("text",)
    words = "start with"

    def __init__(self, place: Keys, text: str) -> None:
        super().__init__(place, text)
        self.text = text

    def test(self, actual: object, run: Run) -> bool:
        return isinstance(actual, str) and trim(actual).startswith(self.text)

    def message(self, out: Outcome) -> str:
        if not isinstance(out.actual, str):
            return f"expected a text to {self.words} {show(self.text)}, got {type_name(out.actual)}"
        return f"expected the text to {self.words} {show(self.text)}, got {show(self._end(trim(out.actual)))}"

    def _end(self, text: str) -> str:
        return text

    def failure(self, out: Outcome, at: At, message: str | None = None) -> Failure:
        return _with_texts(super().failure(out, at, message), self.text, out.actual)


class EndsWith(StartsWith):
    """`$endsWith`: the trimmed text ends with the operand."""

    __slots__ = ()
    words = "end with"

    def test(self, actual: object, run: Run) -> bool:
        return isinstance(actual, str) and trim(actual).endswith(self.text)

    def _end(self, text: str) -> str:
        return text if len(text) <= 60 else f"…{text[-60:]}"


def _expected_but(wanted: str, actual: object) -> str:
    return f"expected {wanted}, got {show(actual) if actual is not MISSING else type_name(actual)}"


def _hidden(expected: object, actual: object) -> str:
    """What tells two texts apart that look alike, as the end of a sentence."""
    if not isinstance(expected, str) or not isinstance(actual, str):
        return ""
    from matchex._diff import hidden_difference

    difference = hidden_difference(expected, trim(actual))
    return f" ({difference})" if difference else ""


def _with_texts(failure: Failure, expected: object, actual: object) -> Failure:
    """The failure of a text comparison, with both texts for its diff."""
    if not isinstance(expected, str) or not isinstance(actual, str):
        return failure
    pair = (expected, trim(actual))
    return dataclasses.replace(failure, compared=pair)


def _holds_as_a_part(actual: object, values: Iterable[object], name: str) -> Iterator[tuple[str, str]]:
    """A note where a word that must not be the whole text is a part of it: perhaps no part was to be."""
    if isinstance(actual, str):
        found = next((value for value in values if isinstance(value, str) and len(value) > 2 and value in actual), None)
        if found is not None:
            yield (
                "contained",
                f"{show(found)} is in the text; {name} compares all of it, {{$not: {{$or: […]}}}} looks inside",
            )


def _held_on_nothing(out: Outcome, name: str) -> Iterator[tuple[str, str]]:
    if out.actual is MISSING:
        yield "vacuous", f"{name} held because the field is missing"
