"""OpenAPI's `discriminator`: which alternative each tag selects, found out once, when the schema is compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from matchex.plugin import SchemaProblem, show

from ._json import is_object
from ._place import Place

__all__ = ["Branches"]


class Branches:
    """The alternatives beside a `discriminator`."""

    def __init__(self, place: Place) -> None:
        self._place = place
        operand = place.schema["discriminator"]
        self._name: str = operand["propertyName"]
        self._mapping: Mapping[str, str] = operand.get("mapping", {})

    def by_tag(self) -> Mapping[str, int] | None:
        """The index of the alternative for each tag; None where there are no alternatives (then it is an annotation).

        Raises:
            SchemaProblem: An alternative has no tag, or two have the same.
        """
        keyword = next((name for name in ("oneOf", "anyOf") if name in self._place.schema), None)
        if keyword is None:
            return None
        found: dict[str, int] = {}
        for index, branch in enumerate(self._place.schema[keyword]):
            tags = list(self._tags_of(branch))
            if not tags:
                self._refuse(f"finds no const or enum for it in {keyword}[{index}]")
            for tag in tags:
                if found.setdefault(tag, index) != index:
                    self._refuse(f"is {show(tag)} in both {keyword}[{found[tag]}] and {keyword}[{index}]")
        return found

    def _refuse(self, why: str) -> None:
        message = f"discriminator shall tell alternatives apart by {show(self._name)}, but {why}"
        raise SchemaProblem(message, (*self._place.keys, "discriminator"))

    def _tags_of(self, branch: Any) -> Iterator[str]:
        reference = branch.get("$ref") if is_object(branch) else None
        name = reference.rpartition("/")[2] if isinstance(reference, str) else None
        mapped = [tag for tag, target in self._mapping.items() if target in (reference, name)] if name else []
        if mapped:
            yield from mapped
            return
        written = list(dict.fromkeys(self._written_tags(branch, self._place.resolver)))
        if written:
            yield from written
        elif name:
            yield name  # OpenAPI: without more the name of the schema is the tag

    def _written_tags(self, schema: Any, resolver: Any) -> Iterator[str]:
        """The texts that a schema allows for the tag, also by way of `$ref` and `allOf`.

        Circles of these have been refused before.
        """
        if not is_object(schema):
            return
        branch = schema
        if "$ref" in branch:
            found = resolver.lookup(branch["$ref"])
            yield from self._written_tags(found.contents, found.resolver)
        for part in branch.get("allOf", ()):
            yield from self._written_tags(part, resolver)
        tag = branch.get("properties", {}).get(self._name)
        if is_object(tag):
            texts = [tag.get("const"), *tag.get("enum", ())]
            yield from (text for text in texts if isinstance(text, str))
