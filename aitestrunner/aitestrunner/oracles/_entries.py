"""The oracles of a case: what is written under `oracles`, and what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from matchex.plugin import describe_error, nearest, show

from aitestrunner.oracles._config import Key, is_flag, is_mapping, problems_of
from aitestrunner.oracles._contract import OracleInput
from aitestrunner.oracles._registry import OracleNameError, Oracles

__all__ = ["EntryProblem", "OracleEntry", "check_entries", "read_oracles", "rendered_config"]


def is_weight(value: Any) -> bool:
    """A finite number of at least 0."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


_KEYS: Final = {
    "type": Key("the type of an oracle", lambda value: isinstance(value, str) and bool(value)),
    "config": Key("a mapping", is_mapping),
    "weight": Key("a number of at least 0", is_weight),
    "advisory": Key("true or false", is_flag),
    "title": Key("a text", lambda value: isinstance(value, str)),
}
_EXPECTATIONS: Final = frozenset({"expect", "output"})
"""What stands under these keys of a configuration is an expectation, whose placeholders matchex renders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleEntry:
    """An oracle of a case, with its configuration.

    Args:
        type: Which oracle.
        config: How it judges.
        weight: Its share of the score, beside the weights of the others.
        advisory: It is shown, but neither gates nor scores.
        title: What it is about, for people who read reports.

    Example:
        >>> from aitestrunner.oracles import OracleEntry
        >>> OracleEntry(type="exact-match", config={"mode": "deep"}).weight
        1.0
    """

    type: str
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    weight: float = 1.0
    advisory: bool = False
    title: str | None = None


@dataclass(frozen=True, slots=True)
class EntryProblem:
    """Something that is wrong with the oracles of a case.

    Args:
        place: Where, below the case: keys and indexes, like `("oracles", 0, "config")`.
        message: What, and what to write instead.

    Example:
        >>> from aitestrunner.oracles import read_oracles
        >>> _, (problem,) = read_oracles([{"type": "expect", "wieght": 2}])
        >>> problem.message
        'oracles[0]: unknown key `wieght`; did you mean `weight`?'
    """

    place: tuple[str | int, ...]
    message: str


def read_oracles(written: Any) -> tuple[list[OracleEntry], list[EntryProblem]]:
    """The oracles of a case as they are written, and what is wrong with them.

    Args:
        written: A list of mappings of `type`, `config`, `weight`, `advisory`, `title`, or of `OracleEntry`s.

    Example:
        >>> from aitestrunner.oracles import read_oracles
        >>> entries, problems = read_oracles([{"type": "exact-match", "config": {"expected": 5}, "weight": 2}])
        >>> entries[0].weight, problems
        (2, [])
    """
    if not isinstance(written, Sequence) or isinstance(written, (str, bytes)):
        return [], [EntryProblem(("oracles",), f"`oracles` takes a list of mappings; got {show(written)}")]
    entries: list[OracleEntry] = []
    problems: list[EntryProblem] = []
    for number, item in enumerate(cast("Sequence[Any]", written)):
        if isinstance(item, OracleEntry):
            entries.append(item)
            continue
        found = problems_of(item, _KEYS) if isinstance(item, Mapping) else [f"it is no mapping: {show(item)}"]
        if not found and "type" not in item:
            found = ["there is no `type`"]
        if found:
            problems += [EntryProblem(("oracles", number), f"oracles[{number}]: {message}") for message in found]
            continue
        fields = cast("Mapping[str, Any]", item)
        entries.append(OracleEntry(**fields))
    return entries, problems


def check_entries(
    entries: Sequence[OracleEntry],
    oracles: Oracles,
    given: OracleInput | None = None,
    *,
    scoring_weights: Any = None,
    other_types: Sequence[str] = (),
) -> list[EntryProblem]:
    """What can be known to be wrong with the oracles of a case before there is an answer.

    Args:
        entries: The oracles.
        oracles: Those that the run knows.
        given: What is known of the case.
        scoring_weights: The weights by type, where the case gives them.
        other_types: Further types that weights may name: the blocks of the case.

    Example:
        >>> from aitestrunner.oracles import Oracles, check_entries, read_oracles
        >>> entries, _ = read_oracles([{"type": "exact-match", "config": {"mode": "regex"}}])
        >>> [problem.place for problem in check_entries(entries, Oracles())]
        [('oracles', 0, 'config')]
    """
    problems: list[EntryProblem] = []
    for number, entry in enumerate(entries):
        try:
            check: Any = getattr(oracles.get(entry.type), "check", None)
        except OracleNameError as error:
            problems.append(EntryProblem(("oracles", number, "type"), f"oracles[{number}]: {error}"))
            continue
        found: list[str] = []
        try:
            if check is not None:
                found = check(entry.config, given or OracleInput())
        except Exception as error:  # of an oracle that we do not know
            found = [f"its `check` raised {describe_error(error)}"]
        place, name = ("oracles", number, "config"), f"oracles[{number}] ({entry.type})"
        problems += [EntryProblem(place, f"{name}: {message}") for message in found]
    if scoring_weights is not None:
        problems += _weight_problems(scoring_weights, [*(entry.type for entry in entries), *other_types])
    elif not other_types and all(entry.advisory for entry in entries):
        problems.append(EntryProblem(("oracles",), "no oracle gates, so that every answer would pass"))
    elif not other_types and not any(entry.weight for entry in entries if not entry.advisory):
        problems.append(EntryProblem(("oracles",), "all weights are 0, so that there is no score"))
    return problems


def _weight_problems(weights: Any, types: Sequence[str]) -> list[EntryProblem]:
    place = ("scoringWeights",)
    if not isinstance(weights, Mapping):
        return [EntryProblem(place, f"`scoringWeights` takes a mapping of types to weights; got {show(weights)}")]
    problems: list[EntryProblem] = []
    for name, weight in cast("Mapping[str, Any]", weights).items():
        if name not in types:
            guess = nearest(name, types)
            hint = f"did you mean `{guess}`?" if guess else f"the oracles of the case are {', '.join(types)}"
            problems.append(
                EntryProblem((*place, name), f"`scoringWeights` names `{name}`, which does not judge; {hint}")
            )
        elif not is_weight(weight):
            problems.append(
                EntryProblem((*place, name), f"the weight of `{name}` is a number of at least 0; got {show(weight)}")
            )
    if not problems and not any(cast("Mapping[str, Any]", weights).values()):
        problems.append(EntryProblem(place, "all `scoringWeights` are 0, so that there is no score"))
    return problems


def rendered_config(config: Any, render: Callable[[Any], Any]) -> Any:
    """A configuration with its placeholders rendered, but for its expectations, whose placeholders are of matchex.

    Args:
        config: As written.
        render: Renders data.
    """
    if isinstance(config, Mapping):
        fields = cast("Mapping[str, Any]", config)
        return {k: v if k in _EXPECTATIONS else rendered_config(v, render) for k, v in fields.items()}
    if isinstance(config, list):
        return [rendered_config(item, render) for item in cast("list[Any]", config)]
    return render(config) if isinstance(config, str) else config
