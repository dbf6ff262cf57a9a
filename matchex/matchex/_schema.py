"""JSON Schema: the node that asks a schema plugin's validator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

from matchex._node import At, Keys, Leaf
from matchex._outcome import Outcome, Run, Trouble
from matchex._report import Failure
from matchex._values import as_mapping, type_name

__all__ = ["SchemaEngine", "SchemaNode", "SchemaValidator", "Violation", "may_be_schema"]


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which a value violates a schema.

    Attributes:
        keys: Where in the value, as keys and indexes.
        keyword: The keyword that is violated.
        schema_path: Where in the schema.
        message: What was expected and what came.
        expected: What the keyword demands.
        actual: The value at `keys`.

    Example:
        >>> from matchex.plugin import Violation
        >>> Violation(("age",), "minimum", ("properties", "age", "minimum"), "must be >= 18, but is 17", 18, 17).keyword
        'minimum'
    """

    keys: Keys
    keyword: str
    schema_path: tuple[str | int, ...]
    message: str
    expected: Any
    actual: Any


@runtime_checkable
class SchemaValidator(Protocol):
    """A compiled schema.

    Both methods raise `matchex.plugin.MatchingError` when the value cannot be judged (a pattern that ran out of time).

    Example:
        >>> from matchex.plugin import SchemaValidator
        >>> class Anything:
        ...     def is_valid(self, value): return True
        ...     def violations(self, value): return []
        >>> isinstance(Anything(), SchemaValidator)
        True
    """

    def is_valid(self, value: object) -> bool:
        """Whether `value` satisfies the schema."""
        ...

    def violations(self, value: object) -> Sequence[Violation]:
        """Every violation, each at its own place; empty for a valid value."""
        ...


@runtime_checkable
class SchemaEngine(Protocol):
    """What a schema plugin provides.

    Example:
        >>> from matchex.plugin import SchemaEngine
        >>> class NoSchemas:
        ...     def looks_like_schema(self, mapping): return False
        ...     def compile(self, schema, *, base_dir, regex_timeout): raise NotImplementedError
        >>> isinstance(NoSchemas(), SchemaEngine)
        True
    """

    def looks_like_schema(self, mapping: Mapping[Any, Any]) -> bool:
        """Whether a mapping, metadata removed, is to be taken for a schema."""
        ...

    def compile(
        self, schema: Mapping[Any, Any] | bool, *, base_dir: Path | None, regex_timeout: float
    ) -> SchemaValidator:
        """Compile a schema.

        Args:
            schema: The schema.
            base_dir: The folder that local references start from, or None: there are none.
            regex_timeout: Seconds that one search of a pattern may take.

        Raises:
            SchemaProblem: The schema is none, or a reference cannot be resolved.
        """
        ...


_SCHEMA_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_TELLING: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf", "not", "if", "$schema"})


def may_be_schema(mapping: Mapping[Any, Any]) -> bool:
    """Whether it is worth asking a schema plugin about a mapping; cheap, so that plain data load no plugin."""
    kind = mapping.get("type")
    if isinstance(kind, str):
        return kind in _SCHEMA_TYPES
    return isinstance(kind, (list, tuple)) or not _TELLING.isdisjoint(mapping)


class SchemaNode(Leaf):
    """A JSON Schema: score 1 or 0, each violation a failure at the value that violates."""

    __slots__ = ("guessed", "validator")

    def __init__(self, place: Keys, schema: object, validator: SchemaValidator, *, guessed: bool) -> None:
        super().__init__(place, schema)
        self.validator = validator
        self.guessed = guessed

    def test(self, actual: object, run: Run) -> bool:
        return self.validator.is_valid(actual)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if isinstance(out.info, Trouble):
            return
        violations = self.validator.violations(out.actual)
        doubt = self._doubt(out.actual)
        for violation in violations:
            here = at.below(violation.keys)
            place = (*self.place, *violation.schema_path)
            message = f"{violation.message}{doubt}"
            yield Failure(here.keys, place, message, violation.expected, violation.actual, here.critical, here.title)
        if not violations:
            yield self.failure(out, at)

    def _doubt(self, actual: object) -> str:
        """What to add where a mapping was taken for a schema, and the value is one with the same keys."""
        alike = self.guessed and not (as_mapping(actual) or {}).keys().isdisjoint(as_mapping(self.expected) or {})
        return " (the expectation was read as a JSON Schema; {$eq: …} compares it as data)" if alike else ""

    def message(self, out: Outcome) -> str:
        return f"{type_name(out.actual)} does not satisfy the schema"
