"""`schema-validate`: the answer against a JSON Schema, if wanted without properties that the schema does not list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Literal, cast

from matchex.plugin import lookup

from aitestrunner._expectations import schema_admits_text
from aitestrunner._parse import parse_answer
from aitestrunner.oracles._config import Key, is_flag
from aitestrunner.oracles._contract import OracleError, OracleInput
from aitestrunner.oracles._value import Question, ValueOracle
from matchex import MISSING

__all__ = ["SchemaValidate"]

_Shape = Literal["one", "list", "named"]
_IN_PLACE: Final[Mapping[str, _Shape]] = {
    "allOf": "list",
    "anyOf": "list",
    "oneOf": "list",
    "if": "one",
    "then": "one",
    "else": "one",
    "dependentSchemas": "named",
}
"""Keywords whose schemas say a part of what is said about a value."""

_CHILDREN: Final[Mapping[str, _Shape]] = {
    "properties": "named",
    "patternProperties": "named",
    "additionalProperties": "one",
    "items": "one",
    "prefixItems": "list",
    "contains": "one",
    "unevaluatedItems": "one",
}
"""Keywords whose schemas are about values inside."""

_DEFINITIONS: Final[Mapping[str, _Shape]] = {"$defs": "named", "definitions": "named"}
_OPEN_KEYS: Final = ("additionalProperties", "unevaluatedProperties")
_NEW_DRAFTS: Final = ("2019-09", "2020-12")


class SchemaValidate(ValueOracle):
    """`schema-validate`: the answer against `schema`, or against the `outputSchema` of the case.

    Configuration:
        schema: A JSON Schema: a mapping, true or false.
        strict: True: properties that the schema does not list are failures, at any depth.

    Example:
        >>> from aitestrunner.oracles import OracleInput, SchemaValidate
        >>> config = {"schema": {"properties": {"age": {"type": "number", "minimum": 18}}}, "strict": True}
        >>> SchemaValidate().evaluate_now(OracleInput(actual={"age": 30}), config).passed
        True
        >>> SchemaValidate().evaluate_now(OracleInput(actual={"age": 30, "nmae": "Ann"}), config).failures[0].path
        'nmae'
    """

    type = "schema-validate"
    keys: ClassVar = {
        "schema": Key("a JSON Schema: a mapping, true or false", lambda value: isinstance(value, (Mapping, bool))),
        "strict": Key("true or false", is_flag),
    }

    def question(self, config: Mapping[str, Any], given: OracleInput, /) -> Question:
        """The schema as an expectation."""
        schema = config.get("schema", given.schema)
        if schema is MISSING:
            raise OracleError("there is no schema: give `schema`, or the case an `outputSchema`")
        return Question(
            {"$schema": _closed(schema) if config.get("strict") else schema},
            {"templates": False, "base_dir": given.resources.base_dir},
        )

    def subject(self, given: OracleInput, config: Mapping[str, Any], /) -> Any:
        """The answer; a text that the schema does not admit as one is read as JSON."""
        if isinstance(given.actual, str) and not schema_admits_text(config.get("schema", given.schema)):
            parsed = parse_answer(given.actual)
            return given.actual if parsed is MISSING else parsed
        return given.actual


def _closed(schema: Any) -> Any:
    """The schema with the properties of every object limited to those listed.

    Raises:
        OracleError: Its draft has no word for that.
    """
    if isinstance(schema, bool):
        return schema
    draft = cast("Mapping[str, Any]", schema).get("$schema")
    if draft is not None and not any(name in str(draft) for name in _NEW_DRAFTS):
        raise OracleError(
            f"`strict` needs a schema of draft {' or '.join(_NEW_DRAFTS)}, for what it adds is unknown before; got "
            f"`$schema`: {draft}"
        )
    return _Closing(schema).child(schema)


class _Closing:
    """Adds `unevaluatedProperties: false` to every schema of a whole value, never to a part that others complete."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def child(self, schema: Any) -> Any:
        """A schema that is all that is said about a value."""
        if not isinstance(schema, Mapping):
            return schema
        closed = self._part(schema)
        if not any(key in closed for key in _OPEN_KEYS) and self._lists_properties(schema, frozenset()):
            closed["unevaluatedProperties"] = False
        return closed

    def _part(self, schema: Any) -> Any:
        """A schema that others may complete."""
        if not isinstance(schema, Mapping):
            return schema
        closed: dict[str, Any] = {}
        for key, value in cast("Mapping[str, Any]", schema).items():
            if key in _CHILDREN:
                closed[key] = _changed(value, _CHILDREN[key], self.child)
            elif key in _IN_PLACE or key in _DEFINITIONS:
                closed[key] = _changed(value, _IN_PLACE.get(key) or _DEFINITIONS[key], self._part)
            else:
                closed[key] = value
        return closed

    def _lists_properties(self, schema: Any, seen: frozenset[str]) -> bool:
        """Whether a schema, or what it refers to, names properties; an object without is a free one, and stays so."""
        if not isinstance(schema, Mapping):
            return False
        fields = cast("Mapping[str, Any]", schema)
        if "properties" in fields:
            return True
        reference = fields.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            return self._lists_properties(self._target(reference), seen | {reference})
        parts = [part for key, shape in _IN_PLACE.items() if key in fields for part in _parts(fields[key], shape)]
        return any(self._lists_properties(part, seen) for part in parts)

    def _target(self, reference: str) -> Any:
        """What a reference into the schema itself names; MISSING for one that leads elsewhere."""
        if not reference.startswith("#"):
            return MISSING
        steps = [step.replace("~1", "/").replace("~0", "~") for step in reference[1:].split("/")[1:]]
        return lookup(self._root, steps) if steps else self._root


def _changed(value: Any, shape: _Shape, change: Callable[[Any], Any]) -> Any:
    """The schemas below a keyword, each of them changed; what is malformed is left for the validator to refuse."""
    if shape == "list" and isinstance(value, list):
        return [change(part) for part in cast("list[Any]", value)]
    if shape == "named" and isinstance(value, Mapping):
        return {key: change(part) for key, part in cast("Mapping[str, Any]", value).items()}
    return change(value) if shape == "one" else value


def _parts(value: Any, shape: _Shape) -> list[Any]:
    """The schemas below a keyword."""
    if shape == "list" and isinstance(value, list):
        return cast("list[Any]", value)
    if shape == "named" and isinstance(value, Mapping):
        return list(cast("Mapping[str, Any]", value).values())
    return [value] if shape == "one" else []
