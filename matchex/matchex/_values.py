"""Values: what counts as a text, a number, a list or a mapping, and when two values are equal or ordered.

Every comparison of the language rests on this module (semantics, section 1): a bool is never a number, integers are
exact at any size, NaN equals nothing, no text is ever coerced into a number, and nothing that is passed in is changed.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, cast, final
from typing import Literal as OneOf

__all__ = [
    "MISSING",
    "Literal",
    "Missing",
    "Sorted",
    "as_list",
    "as_mapping",
    "as_number",
    "compare",
    "contains_equal",
    "equal",
    "is_finite",
    "is_nan",
    "is_whole",
    "kind_of",
    "trim",
    "type_name",
]

Kind = OneOf["missing", "null", "boolean", "number", "text", "list", "mapping", "date", "bytes", "other"]


@final
class Missing:
    """The type of `MISSING`, the value of a field that is not there. It is false, and there is only one."""

    __slots__ = ()
    _only: Missing | None = None

    def __new__(cls) -> Missing:
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "MISSING"

    def __reduce__(self) -> str:
        return "MISSING"  # pickling and copying keep it the only one


MISSING: Final = Missing()
"""A field that is absent, unlike `None`, which is a field that is there and null.

Example:
    >>> import matchex
    >>> matchex.validate({"a": None}, {"a": matchex.MISSING}).passed
    False
"""


@final
class Literal:
    """Data whose `$`-keys, patterns and placeholders are plain text: what a system under test said.

    Wrap text or data of foreign origin before it becomes part of an expectation: it cannot smuggle operators in.

    Args:
        value: Any data. It is matched like a plain expectation (a text by containment, a mapping partially).

    Example:
        >>> import matchex
        >>> matchex.validate("/.*/ is a pattern", matchex.Literal("/.*/")).passed
        True
        >>> matchex.validate("anything", matchex.Literal("/.*/")).passed
        False
    """

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Literal({self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and equal(self.value, other.value)

    def __hash__(self) -> int:
        return hash(Literal)


def trim(text: str) -> str:
    r"""Strip blanks and U+FEFF at both ends, the trimming of the whole language.

    Example:
        >>> from matchex.plugin import trim
        >>> trim('  a b \n')
        'a b'
    """
    stripped = text.strip()
    if stripped and (stripped[0] == "\ufeff" or stripped[-1] == "\ufeff"):
        return stripped.strip(_BLANKS)
    return stripped


_BLANKS: Final = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\ufeff"


class FieldsView(Mapping[str, Any]):
    """A read-only mapping of the fields of a dataclass, attrs or pydantic object; nothing is copied."""

    __slots__ = ("_names", "_owner")

    def __init__(self, owner: object, names: tuple[str, ...]) -> None:
        self._owner = owner
        self._names = names

    def __getitem__(self, key: str) -> Any:
        if key not in self._names:
            raise KeyError(key)
        return getattr(self._owner, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(self._owner)


@functools.lru_cache(maxsize=1024)
def _field_names(cls: Any) -> tuple[str, ...] | None:
    """Names of the fields of a record class, or None where `cls` is none."""
    if dataclasses.is_dataclass(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    attrs_fields = getattr(cls, "__attrs_attrs__", None)
    if attrs_fields is not None:
        return tuple(field.name for field in attrs_fields)
    if hasattr(cls, "model_validate"):  # pydantic
        model_fields = getattr(cls, "model_fields", None)
        return tuple(cast("Mapping[str, Any]", model_fields)) if isinstance(model_fields, Mapping) else None
    if issubclass(cls, tuple) and hasattr(cast("Any", cls), "_fields"):
        return tuple(cast("Any", cls)._fields)
    return None


def as_mapping(value: object) -> Mapping[Any, Any] | None:
    """`value` as a mapping (records as mappings of their fields), or None where it is none.

    Example:
        >>> from matchex.plugin import as_mapping
        >>> as_mapping({'a': 1}), as_mapping([1])
        ({'a': 1}, None)
    """
    if type(value) is dict:
        return cast("dict[Any, Any]", value)
    if isinstance(value, Mapping):
        return cast("Mapping[Any, Any]", value)
    if type(value) in _PLAIN or isinstance(value, type):
        return None
    names = _field_names(type(value))
    if names is None:
        return None
    extra = getattr(value, "model_extra", None) if hasattr(type(value), "model_validate") else None
    if extra:
        return {**{name: getattr(value, name) for name in names}, **cast("dict[str, Any]", extra)}
    return FieldsView(value, names)


def as_list(value: object) -> Sequence[Any] | None:
    """`value` as a sequence (a set in a stable order), or None where it is none. Texts and bytes are none.

    Example:
        >>> from matchex.plugin import as_list
        >>> as_list((1, 2)), as_list('ab')
        ((1, 2), None)
    """
    cls = type(value)
    if cls is list or cls is tuple:
        return cast("Sequence[Any]", value)
    if cls in _PLAIN or cls is dict:
        return None
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        return None
    if isinstance(value, tuple) and hasattr(cls, "_fields"):
        return None  # a namedtuple is a record
    if isinstance(value, Sequence):
        return cast("Sequence[Any]", value)
    if isinstance(value, Set):
        return _ordered(cast("Set[Any]", value))
    return None


def _ordered(values: Set[Any]) -> list[Any]:
    """The members of a set in an order that does not depend on hashing."""
    if all(isinstance(item, str) for item in values) or all(as_number(item) is not None for item in values):
        return sorted(values)
    return sorted(values, key=lambda item: (type(item).__name__, repr(item)))


def as_number(value: object) -> int | float | Decimal | None:
    """`value` as a number (never a bool), or None where it is none.

    Example:
        >>> from matchex.plugin import as_number
        >>> as_number(5), as_number(True)
        (5, None)
    """
    cls = type(value)
    if cls is int or cls is float:
        return cast("int | float", value)
    if cls is bool:
        return None
    return value if isinstance(value, (int, float, Decimal)) else None


_PLAIN: Final[frozenset[type]] = frozenset(
    {str, int, float, bool, type(None), Missing, bytes, Decimal, date, datetime, time}
)
_KINDS: Final[dict[type, Kind]] = {
    str: "text",
    int: "number",
    float: "number",
    Decimal: "number",
    bool: "boolean",
    type(None): "null",
    Missing: "missing",
    list: "list",
    tuple: "list",
    dict: "mapping",
    date: "date",
    datetime: "date",
    bytes: "bytes",
}


def kind_of(value: object) -> Kind:
    """The kind of a value as the language sees it: `missing null boolean number text list mapping date bytes other`.

    Example:
        >>> from matchex.plugin import kind_of
        >>> kind_of('a'), kind_of(True), kind_of(None)
        ('text', 'boolean', 'null')
    """
    kind = _KINDS.get(type(value))
    return kind if kind is not None else _kind_of_other(value)


def _kind_of_other(value: object) -> Kind:
    if isinstance(value, str):
        return "text"
    if as_number(value) is not None:
        return "number"
    if isinstance(value, date):
        return "date"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "bytes"
    if as_list(value) is not None:
        return "list"
    if as_mapping(value) is not None:
        return "mapping"
    return "other"


_NAMES: Final[dict[str, str]] = {
    "missing": "nothing (the field is missing)",
    "null": "null",
    "boolean": "a boolean",
    "number": "a number",
    "text": "a text",
    "list": "a list",
    "mapping": "a mapping",
    "date": "a date",
    "bytes": "bytes",
}


def type_name(value: object) -> str:
    """The kind of `value` in words for a message: `a number`, `null`, `an object of type Thing`.

    Example:
        >>> from matchex.plugin import type_name
        >>> type_name([1]), type_name(None)
        ('a list', 'null')
    """
    return _NAMES.get(kind_of(value)) or f"an object of type {type(value).__qualname__}"


def equal(a: object, b: object) -> bool:
    """Deep equality by value: key order is irrelevant, 1 equals 1.0, True does not equal 1, NaN equals nothing.

    Raises:
        RecursionError: Values nested deeper than the interpreter's stack (callers report it as an error).

    Example:
        >>> from matchex.plugin import equal
        >>> equal({'a': 1}, {'a': 1.0}), equal(1, True)
        (True, False)
    """
    cls = type(a)
    if cls is type(b):
        if cls is str or cls is int or cls is bool or cls is float:
            return a == b
        if cls is dict:
            return _equal_mappings(cast("dict[Any, Any]", a), cast("dict[Any, Any]", b))
        if cls is list:
            return _equal_lists(cast("list[Any]", a), cast("list[Any]", b))
    return _equal_otherwise(a, b)


def _equal_otherwise(a: Any, b: Any) -> bool:
    kind = kind_of(a)
    if kind != kind_of(b):
        return False
    if kind == "list":
        if _is_set(a) and _is_set(b):
            return _typed(a) == _typed(b)
        return _equal_lists(cast("Sequence[Any]", as_list(a)), cast("Sequence[Any]", as_list(b)))
    if kind == "mapping":
        return _equal_mappings(cast("Mapping[Any, Any]", as_mapping(a)), cast("Mapping[Any, Any]", as_mapping(b)))
    if kind == "bytes":
        return bytes(a) == bytes(b)
    if kind == "date":
        return isinstance(a, datetime) == isinstance(b, datetime) and a == b
    if kind == "number" and (isinstance(a, Decimal) or isinstance(b, Decimal)):
        return compare(a, b) == 0  # a signalling NaN raises when it is compared
    return a is b if kind in ("missing", "null") else bool(a == b)


def _is_set(value: object) -> bool:
    return isinstance(value, Set)


def _typed(values: Set[Any]) -> frozenset[tuple[Kind, Any]]:
    """The members of a set with their kinds, so that `True` is not `1`."""
    return frozenset((kind_of(item), item) for item in values)


def _equal_lists(a: Sequence[Any], b: Sequence[Any]) -> bool:
    if len(a) != len(b):
        return False
    for left, right in zip(a, b, strict=True):  # noqa: SIM110 (a loop costs half of all() with a generator)
        if not equal(left, right):
            return False
    return True


def _equal_mappings(a: Mapping[Any, Any], b: Mapping[Any, Any]) -> bool:
    if len(a) != len(b):
        return False
    for key, left in a.items():
        right = b.get(key, MISSING)
        if (right is MISSING and left is not MISSING) or not equal(left, right):
            return False
    return True


class Sorted(list[Any]):
    """A list in another order.

    Attributes:
        origin: The index that each item had before.
        source: The list as it was.
    """

    origin: Sequence[int]
    source: Any


def is_finite(number: int | float | Decimal) -> bool:
    """Whether a number is neither NaN nor infinite; integers of any size are finite."""
    return isinstance(number, int) or (number.is_finite() if isinstance(number, Decimal) else math.isfinite(number))


def is_whole(number: int | float | Decimal) -> bool:
    """Whether a number is finite and has no fraction; nothing is built for a Decimal with a huge exponent."""
    if isinstance(number, int):
        return True
    if isinstance(number, Decimal):
        return number.is_finite() and number == number.to_integral_value()
    return number.is_integer()


def is_nan(number: int | float | Decimal) -> bool:
    """Whether a number is NaN; integers of any size are none."""
    if isinstance(number, int):
        return False
    return number.is_nan() if isinstance(number, Decimal) else math.isnan(number)


def contains_equal(values: Sequence[Any], value: object) -> bool:
    """Whether some member of `values` equals `value` by `equal`.

    Example:
        >>> from matchex.plugin import contains_equal
        >>> contains_equal([[1], [2]], [2.0])
        True
    """
    return any(equal(value, item) for item in values)


def compare(a: object, b: object) -> int | None:
    """Order two values: negative, 0 or positive; None where they have no order (other kinds, NaN, naive against aware).

    Defined for two numbers, two texts (by code points) and two dates; an ISO text is read as a date against a date.

    Example:
        >>> from matchex.plugin import compare
        >>> compare(1, 2), compare('b', 'a'), compare(1, 'a')
        (-1, 1, None)
    """
    x, y = as_number(a), as_number(b)
    if x is not None and y is not None:
        if is_nan(x) or is_nan(y):
            return None
        return (x > y) - (x < y)
    if isinstance(a, str) and isinstance(b, str):
        return (a > b) - (a < b)
    return _compare_dates(a, b)


def _compare_dates(a: object, b: object) -> int | None:
    if not isinstance(a, date) and not isinstance(b, date):
        return None
    x, y = _as_moment(a), _as_moment(b)
    if x is None or y is None:
        return None
    if (x.tzinfo is None) != (y.tzinfo is None):
        return None
    return (x > y) - (x < y)


def _as_moment(value: object) -> datetime | None:
    """A date as the moment it begins; an ISO text parsed."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value
    return datetime(value.year, value.month, value.day) if isinstance(value, date) else None
