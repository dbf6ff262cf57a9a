"""The schema engine that matchex asks for by its hook: reads a schema, checks it, and chooses who validates by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matchex.plugin import MISSING, MatchingError, SchemaProblem, Violation, show
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import specification_with

from ._backends import wants_rust
from ._checks import Checks
from ._dialects import DEFAULT, DRAFTS, VOCABULARIES, dialect_name, validator_class, without_vocabularies
from ._heuristic import looks_like_schema
from ._json import is_object
from ._place import Place
from ._plain import plain, plain_schema
from ._references import Sources, reason_of
from ._rust import fast_validity
from ._schema import Schema, settings_of
from ._survey import Survey
from ._violations import violation_of

__all__ = ["CompiledSchema", "Engine"]


class Engine:
    """Compiles schemas."""

    def looks_like_schema(self, mapping: Mapping[object, object]) -> bool:
        """Whether a mapping consists of schema keywords and one of them leaves no doubt."""
        return looks_like_schema(mapping)

    def compile(
        self, schema: Mapping[str, object] | bool | Schema, *, base_dir: Path | None, regex_timeout: float
    ) -> CompiledSchema:
        """Check a schema and make it ready.

        Args:
            schema: A mapping of keywords, a bool, or a `Schema`.
            base_dir: The folder below which references may name files; None means none.
            regex_timeout: How long one search for a pattern may take, in seconds.

        Raises:
            SchemaProblem: It is no schema, or something in it cannot be resolved or compiled.
            ValueError: The environment names no backend.
            ModuleNotFoundError: The backend asked for is not installed.
        """
        settings = settings_of(schema)
        use_rust = wants_rust(settings.backend)
        document = plain_schema(schema.__matchex_schema__ if isinstance(schema, Schema) else schema)
        checks = Checks(regex_timeout, formats=settings.formats)
        sources = Sources(settings.base_dir or base_dir, settings.registry, DEFAULT.uri)
        cls = _class_for(document, sources.registry(), checks)
        survey = _surveyed(document, sources.registry(), cls, checks)
        validator = cls(document, registry=sources.registry(), format_checker=checks)
        fast = None
        if use_rust and survey.unfit is None and cls is validator_class(cls.DRAFT):
            fast = fast_validity(document, cls.DRAFT.name, survey.formats if settings.formats else None)
        return CompiledSchema(validator, fast)


class CompiledSchema:
    """Validates by one schema.

    jsonschema has the last word: where the fast library is there, it may only say that a value is valid.
    """

    __slots__ = ("_fast", "_validator")

    def __init__(self, validator: Any, fast: Callable[[object], bool] | None) -> None:
        self._validator = validator
        self._fast = fast

    @property
    def backend(self) -> str:
        """Who validates: `rust`, or `python` also where the schema was not fit for `rust`."""
        return "python" if self._fast is None else "rust"

    def is_valid(self, value: object) -> bool:
        """Whether a value satisfies the schema.

        Raises:
            MatchingError: It could not be found out within the limits.
        """
        if self._fast is not None:
            try:
                if self._fast(value):
                    return True
            except ValueError:
                pass  # a value that is not plain JSON
        return value is not MISSING and not self._errors(value, first_only=True)

    def violations(self, value: object) -> Sequence[Violation]:
        """Every violation, in the order of the schema; none if the value satisfies it.

        Raises:
            MatchingError: They could not be found out within the limits.
        """
        if value is MISSING:
            return [_missing(self._validator.schema)]
        return [violation_of(error, value) for error in self._errors(value)]

    def _errors(self, value: object, *, first_only: bool = False) -> list[Any]:
        self._validator.format_checker.begin()
        try:
            errors = self._validator.iter_errors(plain(value))
            if first_only:
                first = next(errors, None)
                return [] if first is None else [first]
            return list(errors)
        except RecursionError:
            message = "the value nests too deep for the schema (or contains itself): the interpreter's stack is used up"
            raise MatchingError("limit", message) from None
        except Unresolvable as error:
            raise MatchingError("reference", f"the reference {show(error.ref)} cannot be resolved") from None


def _missing(schema: Any) -> Violation:
    message = "must be there, but is missing"
    return Violation(keys=(), keyword="", schema_path=(), message=message, expected=schema, actual=MISSING)


def _surveyed(document: Any, registry: Registry[Any], cls: Any, checks: Checks) -> Survey:
    """The survey of a schema; raises SchemaProblem for what is wrong with it."""
    root: Resource[Any] = specification_with(cls.DRAFT.uri).create_resource(document)
    survey = Survey(checks)
    try:
        survey.run(Place(document, (), registry.resolver_with_root(root), cls))
    except RecursionError:
        raise SchemaProblem("the schema nests too deep: the interpreter's stack is used up") from None
    return survey


def _class_for(document: Any, registry: Registry[Any], checks: Checks) -> Any:
    """The validator class for the dialect of a schema; `checks` learns all dialects that may occur."""
    checks.dialects.update((draft.uri, validator_class(draft)) for draft in DRAFTS)
    uri = _dialect_of(document)
    if uri not in checks.dialects:
        checks.dialects[uri] = _custom_dialect(uri, registry, checks)
    return checks.dialects[uri]


def _dialect_of(document: Any) -> str:
    if not is_object(document) or "$schema" not in document:
        return DEFAULT.uri
    uri: Any = document["$schema"]  # pyright: ignore[reportUnknownVariableType] (JSON)
    if not isinstance(uri, str):
        raise SchemaProblem(f"$schema must be the URI of a dialect, not {show(uri)}", ("$schema",))
    return dialect_name(uri)


def _custom_dialect(uri: str, registry: Registry[Any], checks: Checks) -> Any:
    """The class for a meta-schema of one's own, which may leave out vocabularies of the draft that it builds on."""
    try:
        contents: Any = registry.resolver().lookup(uri).contents
    except Unresolvable as error:
        known = ", ".join(draft.uri for draft in DRAFTS)
        message = f"$schema {show(uri)} is unknown ({reason_of(error)}); known are {known}"
        raise SchemaProblem(message, ("$schema",)) from None
    base = checks.dialects.get(dialect_name(str(contents.get("$schema", ""))))
    if base is None:
        raise SchemaProblem(f"the meta-schema {show(uri)} builds on no known draft", ("$schema",))
    vocabularies: dict[str, bool] | None = contents.get("$vocabulary")
    if vocabularies is None:
        return base
    foreign = [name for name, needed in vocabularies.items() if needed and name not in VOCABULARIES]
    if foreign:
        raise SchemaProblem(
            f"the meta-schema {show(uri)} needs the unknown vocabulary {show(foreign[0])}", ("$schema",)
        )
    return without_vocabularies(base, vocabularies)
