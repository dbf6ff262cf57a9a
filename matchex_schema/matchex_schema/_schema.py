"""The explicit schema object: an expectation that is a JSON Schema whatever it looks like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from ._backends import BackendName, checked_name

if TYPE_CHECKING:
    from referencing import Registry

__all__ = ["Schema", "Settings", "settings_of"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a `Schema` object says beside the schema itself."""

    backend: BackendName | None = None
    registry: Registry[Any] | None = None
    base_dir: Path | None = None
    formats: bool = True


class SchemaDocument(Mapping[str, object]):
    """The keywords of a `Schema`, with its settings, in the one shape that travels through the engine: a mapping."""

    __slots__ = ("_keywords", "settings")

    def __init__(self, keywords: Mapping[str, object], settings: Settings) -> None:
        self._keywords = dict(keywords)
        self.settings = settings

    def __getitem__(self, keyword: str) -> object:
        return self._keywords[keyword]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keywords)

    def __len__(self) -> int:
        return len(self._keywords)


@final
class Schema:
    """A JSON Schema as an expectation, with the settings that a plain mapping cannot carry.

    A mapping under `$schema`, or one that consists of schema keywords only, needs none of this. Use it where a schema
    may look like data (`{"enum": [1]}`, `{"properties": {}}`), refers to documents of its own, or must be validated by
    one certain library. It is taken literally: placeholders in it are plain text.

    Args:
        schema: The schema: a mapping of keywords, or a bool (`False` rejects everything). It is copied when compiled.
        backend: `auto`, `python` or `rust` (see `use_backend`); None is the choice of the process.
        registry: A `referencing.Registry` with the documents that `$ref` may name. Nothing is ever fetched from a
            network, unless this registry has a function that does it.
        base_dir: The folder below which `$ref` may name files, such as `parts/address.json`; None is the one that the
            engine gives (the folder of the fixture), if any.
        formats: Whether `format` is checked. False takes it for an annotation, as the specification does by default.

    Raises:
        TypeError: The schema is neither a mapping nor a bool.
        ValueError: There is no such backend.
        ModuleNotFoundError: The backend is not installed.

    Example:
        >>> import matchex
        >>> from matchex_schema import Schema
        >>> expectation = {"name": "Ada", "level": Schema({"enum": ["low", "high"]})}
        >>> matchex.validate({"name": "Ada", "level": "high"}, expectation).passed
        True
    """

    __slots__ = ("_schema", "settings")

    def __init__(
        self,
        schema: Mapping[str, object] | bool,
        *,
        backend: BackendName | None = None,
        registry: Registry[Any] | None = None,
        base_dir: str | Path | None = None,
        formats: bool = True,
    ) -> None:
        self.settings = Settings(
            backend=checked_name(backend, "backend") if backend is not None else None,
            registry=registry,
            base_dir=Path(base_dir) if base_dir is not None else None,
            formats=formats,
        )
        self._schema = _document(schema, self.settings)

    @property
    def __matchex_schema__(self) -> Mapping[str, object] | bool:
        """The schema itself: by this attribute the engine knows an explicit schema."""
        return self._schema

    def __repr__(self) -> str:
        shown = self._schema if isinstance(self._schema, bool) else dict(self._schema)
        return f"Schema({shown!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        from matchex.plugin import equal  # to which True is not 1

        return self.settings == other.settings and equal(self._schema, other._schema)

    def __hash__(self) -> int:
        return hash(Schema)


def _document(schema: Mapping[str, object] | bool, settings: Settings) -> SchemaDocument | bool:
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] (callers are not all typed)
        raise TypeError(f"a schema is a mapping or a bool, not {type(schema).__name__}")
    return SchemaDocument(schema, settings)


def settings_of(schema: object) -> Settings:
    """The settings that came with a schema, the usual ones where it is a plain mapping."""
    return schema.settings if isinstance(schema, (Schema, SchemaDocument)) else Settings()
