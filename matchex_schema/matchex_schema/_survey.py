"""A walk through a schema before it is used: what is wrong with it, and what it is made of.

Every subschema is visited once, also those that references lead to. On the way references are resolved, patterns
compiled and operands checked, so that nothing of this can go wrong while a value is validated. What was seen also tells
whether jsonschema-rs may take the schema.
"""

from __future__ import annotations

import difflib
import functools
import graphlib
import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, cast

from matchex.plugin import PatternError, SchemaProblem, nearest, show
from referencing.exceptions import Unresolvable
from referencing.jsonschema import lookup_recursive_ref, specification_with

from ._checks import Checks
from ._dialects import DRAFTS, dialect_name, standard_keywords
from ._discriminator import Branches
from ._extensions import OPERAND_CHECKS, pattern_and_flags
from ._fitness import why_unfit
from ._formats import NUMBER_FORMATS, TEXT_FORMATS
from ._json import is_array, is_object
from ._messages import TYPE_NAMES, listed
from ._metaschema import check_against_metaschema
from ._place import Keys, Place
from ._references import reason_of

__all__ = ["Survey"]

_MAX_UNFOLDED: Final = (
    10_000  # jsonschema-rs cannot count its steps, so a schema whose references multiply is not for it
)

_SINGLE: Final = frozenset(
    """
    additionalItems additionalProperties contains else extends if items not propertyNames selectDefault then
    unevaluatedItems unevaluatedProperties
    """.split()  # noqa: SIM905 (one word a line would fill a page)
)
_LISTS: Final = frozenset({"allOf", "anyOf", "disallow", "extends", "items", "oneOf", "prefixItems", "type"})
_MAPPINGS: Final = frozenset(
    """
    $defs deepProperties definitions dependencies dependentSchemas patternProperties properties selectCases
    """.split()  # noqa: SIM905 (one word a line would fill a page)
)
_DEFINITIONS: Final = frozenset({"$defs", "definitions"})
_COMPANIONS: Final = frozenset(
    {*_DEFINITIONS, "else", "selectCases", "selectDefault", "then"}
)  # used by other keywords
_OTHERS: Final = frozenset({"example", "examples", "maxContains", "minContains", "title", "description", "default"})
"""Keywords that no validator asks alone, and that are nearly the name of another."""
_WRAPPED: Final = ("schema", "json_schema", "jsonSchema", "input_schema", "inputSchema", "parameters")
"""Where services take a schema, beside its name and what else they want to know."""
_SHORTEST_HINTED: Final = 4
_LONG: Final = 9
"""Letters from which on two slips are still a slip."""
_ALWAYS_APPLIED: Final = frozenset({"$ref", "allOf", "extends"})
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_RESERVED: Final = frozenset(
    """
    $anchor $async $comment $data $defs $dynamicAnchor $dynamicRef $id $merge $patch $recursiveAnchor $recursiveRef $ref
    $schema $vocabulary
    """.split()  # noqa: SIM905 (one word a line would fill a page)
)
"""What may begin with `$`, which JSON Schema reserves for itself, and what Ajv adds to it."""


class Survey:
    """What a walk through a schema found.

    Args:
        checks: Gets the compiled patterns and the branches of each discriminator.

    Attributes:
        unfit: Why jsonschema-rs cannot take the schema; None if it can.
        formats: The formats that occur.
    """

    def __init__(self, checks: Checks) -> None:
        self.unfit: str | None = None
        self.formats: set[str] = set()
        self._checks = checks
        self._places: dict[int, Place] = {}
        self._applied: dict[int, list[tuple[int, bool]]] = {}  # by id: the subschemas applied, and whether always

    def run(self, root: Place) -> None:
        """Visit everything, from the root on.

        Raises:
            SchemaProblem: Something is wrong.
        """
        within: list[Place] = []
        referred = [root]
        while within or referred:  # all that stands in one document first: its places have better names
            new_document = not within
            place = within.pop() if within else referred.pop()
            if id(place.schema) in self._places:
                continue
            if new_document:
                check_against_metaschema(place)
            self._places[id(place.schema)] = place
            for keyword, below in self._visit(place):
                (referred if keyword in _REFERENCES else within).append(below)
        if is_object(root.schema):
            self._check_wrapper(root)
        self._check_circles()
        self._note_branches()
        if self.unfit is None and self._unfolded_size(root) > _MAX_UNFOLDED:
            self.unfit = "its references multiply or go round"

    def _visit(self, place: Place) -> Iterator[tuple[str, Place]]:
        """Check one subschema; the places that it leads to, with the keyword that does it."""
        applied = self._applied[id(place.schema)] = []
        if not is_object(place.schema):
            return
        hidden = place.cls.DRAFT.ref_alone and "$ref" in place.schema
        if not hidden:
            self._check_keywords(place)
        self.unfit = self.unfit or why_unfit(place)
        if "format" in place.schema:
            self._check_format(place)
            self.formats.add(place.schema["format"])
        for keyword, below in self._leads_to(place):
            if keyword not in _DEFINITIONS and not (hidden and keyword != "$ref"):
                applied.append((id(below.schema), keyword in _ALWAYS_APPLIED))
            yield keyword, below

    # Where a subschema leads to

    def _leads_to(self, place: Place) -> Iterator[tuple[str, Place]]:
        for keys, subschema in _subschemas(place):
            yield keys[0], self._below(place, keys, subschema)
        for keyword in _REFERENCES:
            if keyword in place.schema and keyword in place.cls.VALIDATORS:
                yield keyword, self._referred(place, keyword)

    def _below(self, place: Place, keys: tuple[str, *Keys], subschema: Any) -> Place:
        cls = self._class_for(subschema, place.cls)
        resource: Any = specification_with(cls.DRAFT.uri).create_resource(subschema)
        return Place(subschema, (*place.keys, *keys), place.resolver.in_subresource(resource), cls)

    def _referred(self, place: Place, keyword: str) -> Place:
        reference = place.schema[keyword]
        keys = (*place.keys, keyword)
        try:
            recursive = keyword == "$recursiveRef"
            found = lookup_recursive_ref(place.resolver) if recursive else place.resolver.lookup(reference)
        except Unresolvable as error:
            raise SchemaProblem(f"{keyword} {show(reference)} cannot be resolved: {reason_of(error)}", keys) from None
        return Place(found.contents, keys, found.resolver, self._class_for(found.contents, place.cls), str(reference))

    def _class_for(self, schema: Any, outer: Any) -> Any:
        dialect = schema.get("$schema") if is_object(schema) else None
        return self._checks.dialects.get(dialect_name(dialect), outer) if isinstance(dialect, str) else outer

    # What is wrong

    def _check_format(self, place: Place) -> None:
        """Refuse a format that is nearly a known one: an unknown format checks nothing."""
        name = place.schema["format"]
        known = TEXT_FORMATS.keys() | NUMBER_FORMATS.keys()
        if name not in known and (meant := _alike(name, known)) is not None:
            message = f"there is no format {show(name)}, and it would check nothing; did you mean {meant}?"
            raise SchemaProblem(message, (*place.keys, "format"))

    def _check_wrapper(self, root: Place) -> None:
        """Refuse what services take around a schema (`{name: …, schema: {…}}`): as a schema it would check nothing."""
        name = next((name for name in _WRAPPED if isinstance(root.schema.get(name), Mapping)), None)
        if name is not None and root.cls.VALIDATORS.keys().isdisjoint(root.schema):
            around = listed([key for key in root.schema if key != name], "and")
            beside = f", beside {around}" if around else ""
            message = f"the schema stands in here as `{name}`{beside}: give that alone"
            raise SchemaProblem(message, (*root.keys, name))

    def _check_keywords(self, place: Place) -> None:
        for keyword, operand in place.schema.items():
            if keyword.startswith("$") and keyword not in _RESERVED:
                guess = nearest(keyword, _RESERVED)
                hint = f"did you mean {guess}?" if guess else "operators have their place outside of schemas"
                raise SchemaProblem(f"{keyword} is no keyword of JSON Schema; {hint}", (*place.keys, keyword))
            if (meant := _meant_by(keyword)) is not None:
                message = f"{keyword} is no keyword of JSON Schema, and would check nothing; did you mean {meant}?"
                raise SchemaProblem(message, (*place.keys, keyword))
            check = OPERAND_CHECKS.get(keyword)
            problem = check(operand, place.schema) if check is not None else None
            if problem is None and place.cls.DRAFT is DRAFTS[0] and keyword in ("type", "disallow"):
                problem = _early_type_problem(operand)
            if problem is not None:
                raise SchemaProblem(f"{keyword} {problem}", (*place.keys, keyword))
        for keys, pattern, flags in _patterns(place):
            try:
                self._checks.prepare(pattern, flags)
            except PatternError as error:
                message = f"the pattern {show(pattern)} is no regular expression: {error}"
                raise SchemaProblem(message, (*place.keys, *keys)) from None

    def _check_circles(self) -> None:
        """Refuse what would go round for ever whatever the value is."""
        graph = {node: [child for child, always in edges if always] for node, edges in self._applied.items()}
        try:
            graphlib.TopologicalSorter(graph).prepare()
        except graphlib.CycleError as error:
            place = next(self._places[node] for node in error.args[1] if "$ref" in self._places[node].schema)
            message = (
                f"$ref {show(place.schema['$ref'])} leads back to itself without having looked at any part of the value"
            )
            raise SchemaProblem(message, (*place.keys, "$ref")) from None

    def _note_branches(self) -> None:
        for place in self._places.values():
            if is_object(place.schema) and "discriminator" in place.schema:
                branches = Branches(place).by_tag()
                if branches is not None:
                    self._checks.branches[id(place.schema)] = branches

    def _unfolded_size(self, root: Place) -> float:
        """How many subschemas there would be if each reference were replaced by what it leads to."""
        graph = {node: [child for child, _ in edges] for node, edges in self._applied.items()}
        sizes: dict[int, int] = {}
        try:
            for node in graphlib.TopologicalSorter(graph).static_order():
                sizes[node] = 1 + sum(sizes[child] for child in graph[node])
        except graphlib.CycleError:
            return math.inf
        return sizes[id(root.schema)]


def _subschemas(place: Place) -> Iterator[tuple[tuple[str, *Keys], Any]]:
    """The subschemas right below, with their keys from here."""
    for keyword, operand in place.schema.items():
        if keyword not in place.cls.VALIDATORS and keyword not in _COMPANIONS:
            continue
        if keyword in _SINGLE and isinstance(operand, (dict, bool)):
            yield (keyword,), operand
        elif keyword in _LISTS and is_array(operand):
            yield from (((keyword, i), s) for i, s in enumerate(operand) if isinstance(s, (dict, bool)))
        elif keyword in _MAPPINGS and is_object(operand):
            below = operand.items()
            yield from (((keyword, name), s) for name, s in below if isinstance(s, (dict, bool)))


@functools.lru_cache(maxsize=1024)
def _meant_by(keyword: str) -> str | None:
    """The keyword that an unknown one misspells; None for an annotation, which may have any name."""
    known = standard_keywords() | OPERAND_CHECKS.keys() | _COMPANIONS
    if keyword in known or keyword in _OTHERS or keyword.startswith("x-"):
        return None
    return _alike(keyword, known)


def _alike(name: str, known: Collection[str]) -> str | None:
    """The known name that one is nearly the same as, and surely was meant to be."""
    meant = nearest(name, sorted(known))
    if meant is None or len(meant) < _SHORTEST_HINTED:
        return None
    one, other = sorted((name.lower(), meant.lower()), key=len)
    if one in other and len(other) > len(one) + 1:  # `format` and `formatter` are two words
        return None
    slips = 2 if len(one) >= _LONG else 1
    ratio = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
    return meant if ratio >= 1 - slips / len(one) - 1e-9 else None


def _early_type_problem(operand: Any) -> str | None:
    """What is wrong with the types of draft 3, which its meta-schema does not look at."""
    names: list[Any] = operand if is_array(operand) else [operand]
    unknown = [name for name in names if isinstance(name, str) and name not in TYPE_NAMES]
    return f"must be one of {listed(TYPE_NAMES)}, not {show(unknown[0])}" if unknown else None


def _patterns(place: Place) -> Iterator[tuple[Keys, str, str | None]]:
    """The patterns of a subschema with their keys and flags."""
    schema: Mapping[str, Any] = place.schema
    for keyword, operand in schema.items():
        if keyword not in place.cls.VALIDATORS:
            continue
        if keyword == "pattern":
            yield (keyword,), operand, None
        elif keyword == "patternProperties":
            yield from (((keyword, pattern), pattern, None) for pattern in operand)
        elif keyword == "patternRequired":
            yield from (((keyword, index), pattern, None) for index, pattern in enumerate(operand))
        elif keyword == "regexp":
            yield (keyword,), *cast("tuple[str, str]", pattern_and_flags(operand))
