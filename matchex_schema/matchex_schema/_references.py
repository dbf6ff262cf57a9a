"""Where `$ref` may lead: into the schema itself, the specification, a given registry, and files below one folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from matchex.plugin import JsonTextError, parse_json_text
from referencing import Registry, Resource
from referencing.exceptions import NoSuchResource, Unresolvable, Unretrievable
from referencing.jsonschema import specification_with

from ._dialects import SPECIFICATIONS

__all__ = ["Sources", "reason_of"]

_MAX_BYTES: Final = 16 * 1024 * 1024


class _Refused(Exception):
    """A document that may not or cannot be read; the text says why."""


class Sources:
    """Finds the documents that a schema refers to. Each is read once."""

    def __init__(self, base_dir: Path | None, registry: Registry[Any] | None, draft_uri: str) -> None:
        self._base_dir = base_dir
        self._registry = registry
        self._draft_uri = draft_uri
        self._found: dict[str, Resource[Any]] = {}

    def registry(self) -> Registry[Any]:
        """A registry that knows what was found so far, and finds more on demand."""
        known = SPECIFICATIONS.combine(Registry(retrieve=self._retrieve))
        return known.with_resources(self._found.items()).crawl()

    def _retrieve(self, uri: str) -> Resource[Any]:
        if uri not in self._found:
            self._found[uri] = self._from_registry(uri) or self._from_file(uri)
        return self._found[uri]

    def _from_registry(self, uri: str) -> Resource[Any] | None:
        if self._registry is None:
            return None
        try:
            return self._registry.get_or_retrieve(uri).value
        except NoSuchResource:
            return None

    def _from_file(self, uri: str) -> Resource[Any]:
        contents = _read_json(self._path_of(uri))
        default = specification_with(self._draft_uri)
        return Resource.from_contents(contents, default_specification=default)

    def _path_of(self, uri: str) -> Path:
        """The file that a URI means.

        Raises:
            _Refused: It means none, or one outside the base folder.
        """
        parts = urlsplit(uri)
        if parts.scheme not in ("", "file") or parts.netloc:
            raise _Refused("nothing is fetched from a network; give the document in the registry of a Schema")
        if self._base_dir is None:
            raise _Refused("there is no base folder, so it can mean no file")
        base = self._base_dir.resolve()
        try:
            path = (base / unquote(parts.path)).resolve()
        except (OSError, RuntimeError, ValueError):
            raise _Refused("it is no path of a file") from None
        if not path.is_relative_to(base):
            raise _Refused("it lies outside the base folder")
        return path


def _read_json(path: Path) -> Any:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise _Refused(f"the file has more than {_MAX_BYTES:,} bytes")
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise _Refused(f"the file cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise _Refused("the file is no UTF-8 text") from None
    try:
        return parse_json_text(text, fence=False)
    except JsonTextError as error:
        raise _Refused(f"the file is no JSON: line {error.line}, column {error.column}: {error.message}") from None


def reason_of(error: Unresolvable) -> str:
    """Why a reference leads nowhere, in words."""
    cause: BaseException | None = error.__cause__
    while isinstance(cause, Unretrievable) and cause.__cause__ is not None:
        cause = cause.__cause__
    if isinstance(cause, _Refused):
        return str(cause)
    kind = type(error).__name__
    words = {"PointerToNowhere": "there is nothing at this place", "NoSuchAnchor": "there is no such anchor"}
    if kind in words:
        return words[kind]
    return str(cause) if cause is not None else "there is no such document"
