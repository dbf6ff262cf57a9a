"""Assertions on the state that a graph ends in: what each takes, and the expectation on the state that it becomes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from matchex.plugin import format_path, nearest, trim

from matchex import Literal

__all__ = [
    "ASSERTION_TYPES",
    "JUDGE_OPERATOR",
    "STATUSES",
    "asks_about_ending",
    "check_status",
    "expectation_for",
    "mentions_ending",
    "problems_of",
]

STATUSES: Final = (
    "pending",
    "scheduled",
    "running",
    "waiting",
    "retrying",
    "completed",
    "failed",
    "cancelled",
    "timeout",
)
"""What a run can end as, or be caught as."""

JUDGE_OPERATOR: Final = "$llmJudge"
"""The operator that asks a model; it exists where a graph assertion is checked, and nowhere else."""

_WITHIN_BUDGET: Final = """
    (actual?.max_token_budget ?? 0) == 0 ? true
    : (actual?.total_tokens_used ?? null) == null ? {passed: false, message: "the run tells no number of tokens used"}
    : {passed: actual.total_tokens_used <= actual.max_token_budget,
       message: `${actual.total_tokens_used} tokens were used, the budget is ${actual.max_token_budget}`}
"""


@dataclass(frozen=True, slots=True)
class _Key:
    """A key of an assertion: what it takes, whether it must be there, and what is wrong with a value."""

    takes: str
    fault: Callable[[Any], bool]
    required: bool = True


def _no_text(value: Any) -> bool:
    return not isinstance(value, str)


def _blank(value: Any) -> bool:
    return not isinstance(value, str) or not value.strip()


def _no_share(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1


def _anything_goes(_: Any) -> bool:
    return False


_ENDING: Final = re.compile(r"\b(?:status|error)\b")
_MODES: Final = ("exact", "contains", "regex")
_KEY: Final = _Key("the name of a key of the memory", _no_text)
_TYPES: Final[dict[str, dict[str, _Key]]] = {
    "status_equals": {"expected": _Key(f"a status: {', '.join(STATUSES)}", _no_text)},
    "node_visited": {"node_id": _Key("the id of a node", _no_text)},
    "memory_contains": {"key": _KEY},
    "memory_not_empty": {"key": _KEY},
    "memory_matches": {
        "key": _KEY,
        "mode": _Key(f"one of {', '.join(_MODES)}", lambda mode: mode not in _MODES),
        "expected": _Key("a value (for the modes exact and contains)", _anything_goes, required=False),
        "pattern": _Key("a regular expression (for the mode regex)", _no_text, required=False),
    },
    "token_budget_respected": {},
    "llm_judge": {
        "criteria": _Key("a text that is not blank", _blank),
        "threshold": _Key("a number from 0 to 1", _no_share),
        "evaluator_agent_id": _Key("the name of an evaluator", _blank),
    },
    "state_expect": {"expect": _Key("an expectation", _anything_goes)},
}

ASSERTION_TYPES: Final = tuple(_TYPES)
"""The types of assertions."""


def expectation_for(assertion: Mapping[str, Any]) -> Any:
    """The matchex expectation on the final state that an assertion stands for.

    Args:
        assertion: A mapping with `type` and the keys of that type.

    Returns:
        An expectation on the fields of a `WorkflowState`, to be compiled with `templates=False`.

    Raises:
        ValueError: The assertion is none; the message tells all that is wrong with it.

    Example:
        >>> from aitestrunner.graph import expectation_for
        >>> expectation_for({"type": "status_equals", "expected": "completed"})
        {'status': {'$eq': 'completed'}}
        >>> expectation_for({"type": "memory_matches", "key": "total", "mode": "exact", "expected": 3})
        {'memory': {'total': {'$eq': 3}}}
    """
    if problems := problems_of(assertion):
        raise ValueError("; ".join(problems))
    return _BECOMES[assertion["type"]](assertion)


def problems_of(assertion: Any, node_ids: Collection[str] | None = None) -> list[str]:
    """What is wrong with an assertion.

    Args:
        assertion: What was written.
        node_ids: The nodes of the graph, where they are known.
    """
    if not isinstance(assertion, Mapping):
        return [f"an assertion is a mapping with `type`; got {assertion!r:.80}"]
    fields = cast("Mapping[Any, Any]", assertion)
    kind = fields.get("type")
    keys = _TYPES.get(kind) if isinstance(kind, str) else None
    if keys is None:
        return [_unknown("type of assertion", kind, ASSERTION_TYPES)]
    found = [_unknown(f"key of {kind}", name, [*keys, "type"]) for name in fields if name not in (*keys, "type")]
    for name, key in keys.items():
        if name not in fields:
            found += [f"{kind} needs `{name}`: {key.takes}"] if key.required else []
        elif key.fault(fields[name]):
            found.append(f"`{name}` of {kind} takes {key.takes}; got {fields[name]!r:.80}")
    return found or _problems_in_values(fields, node_ids)


def _problems_in_values(assertion: Mapping[Any, Any], node_ids: Collection[str] | None) -> list[str]:
    kind = assertion["type"]
    if kind == "status_equals":
        try:
            check_status(assertion["expected"])
        except ValueError as error:
            return [str(error)]
    if kind == "node_visited" and node_ids is not None and assertion["node_id"] not in node_ids:
        return [_unknown("node of the graph", assertion["node_id"], node_ids)]
    return _problems_of_match(assertion) if kind == "memory_matches" else []


def _problems_of_match(assertion: Mapping[Any, Any]) -> list[str]:
    mode, pattern = assertion["mode"], assertion.get("pattern")
    if mode == "regex":
        found = ["mode regex needs `pattern`: without one every text would match"] if pattern is None else []
        return found + (["mode regex takes `pattern`, not `expected`"] if "expected" in assertion else [])
    found = [f"mode {mode} takes `expected`, not `pattern`"] if pattern else []
    return found + (
        [f"mode {mode} needs `expected`: there is nothing to compare with"] if "expected" not in assertion else []
    )


def check_status(status: Any) -> None:
    """Check that a status exists.

    Raises:
        ValueError: It does not; the nearest one is in the message.
    """
    if status in STATUSES:
        return
    guess = nearest(status, STATUSES) if isinstance(status, str) else None
    hint = f"; did you mean {guess!r}?" if guess else f"; there are {', '.join(STATUSES)}"
    raise ValueError(f"unknown status {status!r:.80}{hint}")


def _unknown(what: str, name: Any, known: Collection[str]) -> str:
    guess = nearest(name, sorted(known)) if isinstance(name, str) else None
    return f"unknown {what} {name!r:.80}" + (
        f"; did you mean {guess!r}?" if guess else f"; known are {', '.join(known)}"
    )


def _in_memory(assertion: Mapping[str, Any], expectation: Any) -> Any:
    """An expectation on one key of the memory, whatever characters it is made of: `a.b` is no path here."""
    return {"memory": {format_path((assertion["key"],)): expectation}}


def _status_equals(assertion: Mapping[str, Any]) -> Any:
    return {"status": {"$eq": assertion["expected"]}}


def _node_visited(assertion: Mapping[str, Any]) -> Any:
    return {"visited_nodes": {"$contains": {"$eq": assertion["node_id"]}}}


def _memory_contains(assertion: Mapping[str, Any]) -> Any:
    return {"memory": {"$keys": {"$contains": {"$eq": assertion["key"]}}}}


def _memory_not_empty(assertion: Mapping[str, Any]) -> Any:
    return _in_memory(assertion, {"$exists": True, "$and": [{"$not": ""}, {"$not": {"$length": 0}}]})


def _memory_matches(assertion: Mapping[str, Any]) -> Any:
    mode = assertion["mode"]
    if mode == "regex":
        return _in_memory(assertion, {"$type": "string", "$and": [f"/{assertion['pattern'] or '(?:)'}/"]})
    expected = assertion["expected"]
    return _in_memory(assertion, _exactly(expected) if mode == "exact" else _containing(expected))


def _exactly(expected: Any) -> Any:
    if isinstance(expected, str):  # $eq takes a trimmed text too
        return {"$eq": expected, "$length": len(expected)}
    return {"$eq": expected}


def _containing(expected: Any) -> Any:
    """A text in a text; an item in a list, or all of several; fields in a mapping. Nothing else contains anything."""
    if isinstance(expected, Mapping):
        fields = {format_path((str(k),)): {"$eq": v} for k, v in cast("Mapping[Any, Any]", expected).items()}
        return {"$or": [{"$type": "object", "$and": [fields]}, _in_list(expected)]}
    if isinstance(expected, (list, tuple)):
        items = [{"$eq": item} for item in cast("list[Any]", expected)]
        return {"$or": [{"$type": "array", "$and": [{"$all": items}]}, _in_list(expected)]}
    if isinstance(expected, str):
        return {"$or": [{"$type": "string", "$and": [_in_text(expected)]}, _in_list(expected)]}
    return _in_list(expected)


def _in_list(item: Any) -> Any:
    return {"$contains": {"$and": [_exactly(item)]}}


def _in_text(text: str) -> Any:
    """A plain expected text is trimmed; one with blanks at its ends is looked for as a pattern."""
    if text == trim(text) and text:
        return Literal(text)
    return f"/{re.escape(text) or '(?:)'}/"


def _token_budget_respected(_: Mapping[str, Any]) -> Any:
    return {"$expr": _WITHIN_BUDGET}


def _llm_judge(assertion: Mapping[str, Any]) -> Any:
    return {JUDGE_OPERATOR: {name: assertion[name] for name in ("criteria", "threshold", "evaluator_agent_id")}}


def _state_expect(assertion: Mapping[str, Any]) -> Any:
    return assertion["expect"]


_BECOMES: Final[dict[str, Callable[[Mapping[str, Any]], Any]]] = {
    "status_equals": _status_equals,
    "node_visited": _node_visited,
    "memory_contains": _memory_contains,
    "memory_not_empty": _memory_not_empty,
    "memory_matches": _memory_matches,
    "token_budget_respected": _token_budget_respected,
    "llm_judge": _llm_judge,
    "state_expect": _state_expect,
}


def asks_about_ending(assertion: Mapping[str, Any]) -> bool:
    """Whether an assertion says how the run is to end, so that a run in error may be what it wants."""
    if assertion["type"] == "state_expect":
        return mentions_ending(assertion["expect"])
    return assertion["type"] == "status_equals"


def mentions_ending(expectation: Any) -> bool:
    """Whether an expectation on the state, or an alternative of it, names the status or the error."""
    if isinstance(expectation, (list, tuple)):
        return any(map(mentions_ending, cast("list[Any]", expectation)))
    if not isinstance(expectation, Mapping):
        return False
    fields = cast("Mapping[str, Any]", expectation)
    if "status" in fields or "error" in fields or _ENDING.search(str(fields.get("$expr", ""))):
        return True
    return any(mentions_ending(fields[name]) for name in ("$and", "$or", "$not", "$expect") if name in fields)
