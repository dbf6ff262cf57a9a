"""The drafts: one jsonschema validator class each, with our keywords."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import attrs
import jsonschema.validators
from jsonschema import TypeChecker
from jsonschema_specifications import REGISTRY as SPECIFICATIONS  # pyright: ignore[reportMissingTypeStubs] (it has none)

from . import _extensions, _keywords
from ._json import is_array, is_object
from ._numbers import as_number, is_integer
from ._validator import Errors, Keyword, Validator, nothing_allowed

__all__ = [
    "DEFAULT",
    "DRAFTS",
    "SPECIFICATIONS",
    "Draft",
    "dialect_name",
    "standard_keywords",
    "validator_class",
    "without_vocabularies",
]


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """One draft of JSON Schema.

    Attributes:
        name: As people write it.
        uri: Its `$schema`.
        keywords: The keywords that we validate ourselves.
        ref_alone: Whether a `$ref` hides everything beside it.
    """

    name: str
    uri: str
    keywords: Mapping[str, Keyword]
    ref_alone: bool = False


DRAFTS: Final = (
    Draft("draft 3", "http://json-schema.org/draft-03/schema", _keywords.DRAFT3, ref_alone=True),
    Draft("draft 4", "http://json-schema.org/draft-04/schema", _keywords.DRAFT4, ref_alone=True),
    Draft("draft 6", "http://json-schema.org/draft-06/schema", _keywords.DRAFT6, ref_alone=True),
    Draft("draft 7", "http://json-schema.org/draft-07/schema", _keywords.DRAFT7, ref_alone=True),
    Draft("draft 2019-09", "https://json-schema.org/draft/2019-09/schema", _keywords.DRAFT201909),
    Draft("draft 2020-12", "https://json-schema.org/draft/2020-12/schema", _keywords.DRAFT202012),
)
DEFAULT: Final = DRAFTS[-1]
"""The draft of a schema without `$schema`."""


def dialect_name(uri: str) -> str:
    """A `$schema` in the spelling by which it is looked up: an empty fragment does not count."""
    return uri.removesuffix("#")


def _type_check(check: Callable[[Any], bool]) -> Any:
    def of_checker(_checker: object, value: Any) -> bool:
        return check(value)

    return of_checker


_TYPES: Final = TypeChecker(
    {
        "any": _type_check(lambda _value: True),
        "array": _type_check(is_array),
        "boolean": _type_check(lambda value: isinstance(value, bool)),
        "integer": _type_check(is_integer),
        "null": _type_check(lambda value: value is None),
        "number": _type_check(lambda value: as_number(value) is not None),
        "object": _type_check(is_object),
        "string": _type_check(lambda value: isinstance(value, str)),
    }
)


@functools.cache
def validator_class(draft: Draft) -> Any:
    """The class that validates by a draft. Its instances need `Checks` as their `format_checker`."""
    base: Any = jsonschema.validators.validator_for({"$schema": draft.uri})
    follow = _reference(base.VALIDATORS["$ref"])
    return _class(draft, base, {**base.VALIDATORS, **draft.keywords, **_extensions.KEYWORDS, "$ref": follow})


def _class(draft: Draft, base: Any, keywords: Mapping[str, Keyword]) -> Any:
    cls: Any = cast("Any", jsonschema.validators).create(
        meta_schema=base.META_SCHEMA,
        validators=keywords,
        type_checker=_TYPES if draft is DRAFTS[0] else _TYPES.remove("any"),
        id_of=base.ID_OF,
        applicable_validators=_alone_if_there("$ref") if draft.ref_alone else _alone_if_there(None),
    )
    cls.DRAFT = draft
    cls.evolve = _evolve_of(cls)
    cls.descend = _descend_of(cls)
    return cls


def _reference(follow: Keyword) -> Keyword:
    """Jsonschema's `$ref`, which then stands in the schema path of an error."""

    def keyword(validator: Validator, ref: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
        for error in follow(validator, ref, instance, schema):
            error.relative_schema_path.appendleft("$ref")
            yield error

    return keyword


def _alone_if_there(ref: str | None) -> Any:
    """Which keywords of a schema are applied: all, but `$ref` in old drafts and `transform` hide the others.

    (`transform` applies those beside it itself, to the transformed text.)
    """

    def applicable(schema: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
        if ref is not None and ref in schema:
            return [(ref, schema[ref])]
        if "transform" in schema:
            return [("transform", schema["transform"])]
        return schema.items()

    return applicable


def _evolve_of(cls: Any) -> Any:
    """`evolve` as jsonschema has it, but a `$schema` on the way leads to our classes, not to jsonschema's."""
    names = [(field.name, field.alias) for field in attrs.fields(cls) if field.init]

    def evolve(self: Any, **changes: Any) -> Any:
        checks = self.format_checker
        checks.spend()
        schema = changes.setdefault("schema", self.schema)
        for name, alias in names:
            if alias not in changes:
                changes[alias] = getattr(self, name)
        chosen = cls
        if is_object(schema) and "$schema" in schema:
            chosen = checks.dialects.get(dialect_name(schema["$schema"]), cls)
        return chosen(**changes)

    return evolve


def _descend_of(cls: Any) -> Any:
    """`descend` as jsonschema has it, but an error of a `false` below also says where it is."""
    usual = cls.descend

    def descend(
        self: Any,
        instance: object,
        schema: Any,
        path: str | int | None = None,
        schema_path: str | int | None = None,
        resolver: Any = None,
    ) -> Errors:
        if schema is False:
            below = [path] if path is not None else []
            return iter([nothing_allowed(instance, below, [schema_path] if schema_path is not None else [])])
        return usual(self, instance, schema, path, schema_path, resolver)

    return descend


@functools.cache
def standard_keywords() -> frozenset[str]:
    """The keywords that some draft of the specification validates by, ours not among them."""
    return (
        frozenset(name for draft in DRAFTS for name in validator_class(draft).VALIDATORS) - _extensions.KEYWORDS.keys()
    )


def without_vocabularies(cls: Any, used: Iterable[str]) -> Any:
    """The class of a dialect that has only some of the standard vocabularies (and ours)."""
    wanted = set(used)
    kept = {name for uri, names in VOCABULARIES.items() if uri in wanted for name in names}
    known = {name for names in VOCABULARIES.values() for name in names}
    keywords = {name: function for name, function in cls.VALIDATORS.items() if name in kept or name not in known}
    return _class(cls.DRAFT, cls, keywords)


def _vocabularies() -> dict[str, frozenset[str]]:
    """The keywords of each standard vocabulary, by its URI, as its own meta-schema lists them."""
    found: dict[str, frozenset[str]] = {}
    for resource in SPECIFICATIONS.values():
        contents: Any = resource.contents
        uris = [uri for uri in contents.get("$vocabulary", ()) if contents["$id"] == uri.replace("/vocab/", "/meta/")]
        for uri in uris:
            found[uri] = frozenset(contents.get("properties", ()))
    return found


VOCABULARIES: Final = _vocabularies()
"""The keywords of each standard vocabulary, by its URI."""
