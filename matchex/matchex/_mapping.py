"""A mapping expectation: operators and fields as one conjunction (or, by its strategy, as alternatives)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from matchex._errors import MatchingError
from matchex._node import (
    At,
    Keys,
    Link,
    Node,
    alternative_failures,
    earns_all,
    link_failures,
    match_at,
    raised_by_value,
    weigh,
)
from matchex._outcome import CLEAN, FAIL, Outcome, Run
from matchex._paths import lookup, resolve
from matchex._regex import Pattern
from matchex._report import Failure
from matchex._scalars import search
from matchex._shape_hint import shape_hint
from matchex._show import show
from matchex._strategies import WEIGHTED, Strategy, WeightOptions
from matchex._values import MISSING, as_list, as_mapping, type_name

__all__ = ["Field", "MappingNode"]


@dataclass(frozen=True, slots=True)
class Field:
    """One sibling of a mapping expectation.

    Attributes:
        label: The key as written.
        node: What its value must match.
        steps: The key read as a path, where it is one.
        pattern: The key read as a pattern, where it is one.
        whole: An operator: it looks at the whole value, not at a field.
        noted: The key looks like an operator's and was taken as data.
    """

    label: Any
    node: Node
    steps: Keys | None = None
    pattern: Pattern | None = None
    whole: bool = False
    noted: bool = False


Check = Callable[[object, Run], bool | None]


class Hit(NamedTuple):
    """A place in the actual value that a sibling speaks of."""

    field: Field | None
    keys: Keys
    value: object


class MappingNode(Node):
    """Operators and fields of one mapping."""

    __slots__ = (
        "checks",
        "fields",
        "options",
        "pairs",
        "shares",
        "strategy",
        "strict",
        "strict_items",
        "timeout",
        "whole_checks",
    )

    def __init__(
        self,
        place: Keys,
        expected: object,
        fields: Sequence[Field],
        options: WeightOptions,
        *,
        strategy: Strategy = WEIGHTED,
        strict: bool = False,
        strict_items: bool = False,
        timeout: float = 1.0,
    ) -> None:
        super().__init__(place, expected, (field.node for field in fields))
        self.fields = tuple(fields)
        self.options = options
        self.strategy = strategy
        self.strict = strict
        self.strict_items = strict_items
        self.timeout = timeout
        self.shares = strategy.weights([field.node.weight for field in fields], options)
        self.pairs = self._plain_pairs()
        self.checks = self._checks()
        self.whole_checks = [field.node.check for field in fields if field.whole]

    def _plain_pairs(self) -> tuple[tuple[Any, Node], ...] | None:
        """Keys and nodes for the short way: literal keys, the plain sum, nothing strict, nobody who reads the path."""
        if self.strict or self.contextual or self.strategy is not WEIGHTED or not earns_all(self.shares):
            return None
        pairs: list[tuple[Any, Node]] = []
        for field in self.fields:
            if field.whole or field.steps is not None or field.pattern is not None:
                return None
            pairs.append((field.label, field.node))
        return tuple(pairs)

    def _checks(self) -> list[tuple[Any, Check]] | None:
        """Keys and checks for `quick`, where it can tell."""
        if not self.plain:
            return None
        if self.pairs is not None:
            return [(key, node.check) for key, node in self.pairs]
        simple = not self.strict and self.strategy is WEIGHTED and earns_all(self.shares)
        if not simple or any(field.steps is not None or field.pattern is not None for field in self.fields):
            return None
        return [(field.label, field.node.check) for field in self.fields if not field.whole]

    def partial(self) -> MappingNode:
        """The same without strictness."""
        return MappingNode(
            self.place, self.expected, self.fields, self.options, strategy=self.strategy, timeout=self.timeout
        )

    # -- judging

    def match(self, actual: object, run: Run) -> Outcome:
        try:
            return self._match(actual, run)
        except RecursionError:
            raise
        except Exception as error:  # from a method of the value
            return self.broken(actual, "value", raised_by_value(error), error)

    def _match(self, actual: object, run: Run) -> Outcome:
        mapping = as_mapping(actual)
        if mapping is None:
            return self._match_other(actual, run)
        if self.pairs is None:
            return self._match_hits(actual, mapping, run)
        get = mapping.get
        outcomes = [node.match(get(key, MISSING), run) for key, node in self.pairs]
        if run.quick and outcomes.count(CLEAN) == len(outcomes):
            return CLEAN
        return weigh(self, actual, outcomes, self.shares)

    @property
    def check(self) -> Callable[[object, Run], bool | None]:
        return self._fields_hold if self.checks is not None and not self.whole_checks else self.quick

    def quick(self, actual: object, run: Run) -> bool | None:
        if self.checks is None:
            return None
        doubt = False
        for check in self.whole_checks:
            verdict = check(actual, run)
            if not verdict:
                if verdict is False:
                    return False
                doubt = True
        fields = self._fields_hold(actual, run)
        return None if doubt and fields else fields

    def _fields_hold(self, actual: object, run: Run) -> bool | None:
        """`quick` for the plain fields."""
        mapping = as_mapping(actual)
        if mapping is None:
            return False
        get = mapping.get
        doubt = False
        for key, check in cast("list[tuple[Any, Check]]", self.checks):
            verdict = check(get(key, MISSING), run)
            if not verdict:
                if verdict is False:
                    return False
                doubt = True
        return None if doubt else True

    def _match_hits(self, actual: object, mapping: Mapping[Any, Any], run: Run) -> Outcome:
        try:
            groups = [self._find(field, actual, mapping) for field in self.fields]
        except MatchingError as error:  # a pattern among the keys ran out of time
            return self.broken(actual, error.kind, error.message, error.__cause__)
        surplus = self._surplus(groups, actual) if self.strict else []
        shares = self._shares(surplus=bool(surplus))
        hits = [hit for group in groups for hit in group]
        weights = [share / len(group) for group, share in zip(groups, shares, strict=False) for _ in group]
        outcomes = [
            match_at(cast("Field", hit.field).node, hit.value, hit.keys, weight, run)
            for hit, weight in zip(hits, weights, strict=True)
        ]
        if surplus:
            outcomes.append(Outcome(SurplusKeys(self.place, self.expected), actual, FAIL, 0.0, info=surplus))
            hits.append(Hit(None, (), actual))
            weights.append(shares[-1])
        elif run.quick and outcomes.count(CLEAN) == len(outcomes) and earns_all(shares) and self.strategy is WEIGHTED:
            return CLEAN
        criticals = [hit.field is not None and hit.field.node.critical for hit in hits]
        out = weigh(self, actual, outcomes, weights, criticals, self.strategy, list(zip(hits, weights, strict=True)))
        if surplus and out.status is not FAIL:  # surplus keys fail alternatives too
            out.status, out.span = FAIL, None
        return out

    def _shares(self, *, surplus: bool) -> list[float]:
        if not surplus:
            return self.shares
        return self.strategy.weights([*(field.node.weight for field in self.fields), None], self.options)

    def _find(self, field: Field, actual: object, mapping: Mapping[Any, Any]) -> list[Hit]:
        """What a sibling speaks of: the whole value, one field, or every field whose key matches."""
        if field.whole:
            return [Hit(field, (), actual)]
        if field.pattern is not None:
            keys = [key for key in mapping if isinstance(key, str) and search(field.pattern, key, self.timeout)]
            return [Hit(field, (key,), mapping[key]) for key in keys] or [Hit(field, (field.label,), MISSING)]
        if field.steps is not None and field.label not in mapping:
            return [Hit(field, resolve(mapping, field.steps), lookup(mapping, field.steps))]
        return [Hit(field, (field.label,), mapping.get(field.label, MISSING))]

    def _match_other(self, actual: object, run: Run) -> Outcome:
        """Match what is no mapping: operators look at it, the fields fail together."""
        outcomes = [
            match_at(field.node, actual, (), share, run) if field.whole else Outcome(field.node, MISSING, FAIL, 0.0)
            for field, share in zip(self.fields, self.shares, strict=True)
        ]
        lost = [field for field in self.fields if not field.whole]
        if not lost and self.fields:
            return weigh(self, actual, outcomes, self.shares, self._criticals(), self.strategy)
        out = weigh(self, actual, outcomes, self.shares, self._criticals(), self.strategy, _NO_MAPPING)
        if self.strategy.all_needed or not self.fields:
            out.status, out.span = FAIL, None
            out.score = out.score if self.fields else 0.0
            out.critical = out.critical or self._loses_critical()
        return out

    def _criticals(self) -> list[bool]:
        return [field.node.critical for field in self.fields]

    def _loses_critical(self) -> bool:
        """Whether a critical reward is among the fields that a value without fields cannot have."""
        return any(
            field.node.critical and share >= 0 and not field.whole
            for field, share in zip(self.fields, self.shares, strict=True)
        )

    # -- surplus keys

    def _surplus(self, groups: Sequence[Sequence[Hit]], actual: object) -> list[tuple[Keys, object]]:
        """Paths and values that no sibling names."""
        named: dict[Any, Any] = {}
        for group in groups:
            for hit in group:
                if hit.keys:
                    _name(named, hit.keys)
        found: list[tuple[Keys, object]] = []
        self._collect(actual, named, (), found)
        return found

    def _collect(self, value: object, named: dict[Any, Any], keys: Keys, found: list[tuple[Keys, object]]) -> None:
        mapping = as_mapping(value)
        items = as_list(value) if mapping is None else None
        if mapping is not None:
            found.extend(((*keys, key), item) for key, item in mapping.items() if key not in named)
        elif items is not None and self.strict_items:
            found.extend(((*keys, index), item) for index, item in enumerate(items) if index not in named)
        for key, below in named.items():
            if below is not None:
                self._collect(lookup(value, (key,)), below, (*keys, key), found)

    # -- explaining

    def links(self, out: Outcome) -> Iterable[Link]:
        info: Any = out.info
        if isinstance(info, list):
            for (hit, weight), child in zip(cast("list[tuple[Hit, float]]", info), out.children, strict=True):
                yield Link(_label(hit), hit.keys, weight, child)
            return
        for field, share, child in zip(self.fields, self.shares, out.children, strict=True):
            if field.whole or not isinstance(out.info, NoMapping):
                yield Link(str(field.label), () if field.whole else (field.label,), share, child)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        links = list(self.links(out))
        if self.strategy.all_needed:
            yield from link_failures(links, at)
            if isinstance(out.info, NoMapping):
                yield self.failure(out, At(at.keys, at.critical or self._loses_critical(), at.title))
            return
        surplus = [link for link in links if isinstance(link.outcome.node, SurplusKeys)]
        yield from alternative_failures(self, out, [link for link in links if link not in surplus], at)
        yield from link_failures(surplus, at)

    def message(self, out: Outcome) -> str:
        if isinstance(out.info, NoMapping):
            return f"expected a mapping, got {type_name(out.actual)}{shape_hint(self.expected, out.actual)}"
        return f"none of the alternatives {', '.join(str(field.label) for field in self.fields)} matches"

    def notes(self, out: Outcome) -> Iterable[tuple[str, str]]:
        for field in self.fields:
            if field.noted:
                yield "data-key", f"{field.label} is no operator; it was taken as a data key"


class SurplusKeys(Node):
    """Keys that strict matching does not allow, as one failed sibling."""

    __slots__ = ()

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        for keys, value in out.info:
            here = at.below(keys)
            what = "item" if isinstance(keys[-1], int) else "key"
            message = f"this {what} is not in the expectation (surplus ones are forbidden); its value is {show(value)}"
            yield Failure(here.keys, self.place, message, MISSING, value, here.critical, here.title)

    def message(self, out: Outcome) -> str:
        return f"not in the expectation: {', '.join(str(keys[-1]) for keys, _ in out.info)}"


class NoMapping:
    """What stands as info where the value was no mapping."""


_NO_MAPPING: Final = NoMapping()


def _label(hit: Hit) -> str:
    if hit.field is None:
        return "(surplus keys)"
    return str(hit.keys[0]) if hit.field.pattern is not None else str(hit.field.label)


def _name(named: dict[Any, Any], keys: Keys) -> None:
    """Note that `keys` is named; None stands where it is named with everything below."""
    for key in keys[:-1]:
        below = named.setdefault(key, {})
        if below is None:
            return
        named = below
    named[keys[-1]] = None
