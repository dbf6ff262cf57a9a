"""Expectations as people write them for a whole result, turned into what matchex is asked.

What the runner adds to the language: `expect.tools`, `diff` beside `output` under `expect`, and the question whether an
expectation has weights or wants a parsed answer. Nothing that was passed in is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from aitestrunner._tools import tools_expectation
from matchex import Literal

__all__ = [
    "for_result",
    "has_weights",
    "is_for_data",
    "may_be_for_data",
    "mentions_critical",
    "mentions_dimension",
    "schema_admits_text",
]

METADATA: Final = frozenset(
    {"$meta", "$score", "$title", "$description", "$critical", "$dimension", "$strategy", "$threshold"}
)


def for_result(expect: Any, output: Any, *, has_messages: bool) -> Any:
    """`expect` as an expectation on the result with its flat list of calls under `tools`.

    Args:
        expect: As written, rendered.
        output: The case's own `output`, the text that a `diff` beside it compares with.
        has_messages: Whether the result has messages, without which nothing is known about calls.
    """
    if not isinstance(expect, Mapping):
        return expect
    fields = dict(cast("Mapping[str, Any]", expect))
    if fields.get("tools") is not None:
        # Nothing is known about calls where there are no messages, and `$not` must not pass on nothing.
        fields["tools"] = tools_expectation(fields["tools"]) if has_messages else {"$type": "array"}
    else:
        fields.pop("tools", None)
    if "diff" in fields:
        fields = _with_diff(fields, output)
    return fields


def _with_diff(fields: dict[str, Any], output: Any) -> dict[str, Any]:
    """`{output: text, diff: …}` asks for a diff of the output; a `diff` without a text beside it is a plain field."""
    text = fields.get("output", output)
    if not isinstance(text, str):
        return fields
    diff = fields.pop("diff")
    if diff is False:
        return fields
    operand: dict[str, Any] = {"value": text}
    if isinstance(diff, str):
        operand["type"] = diff
    elif isinstance(diff, list):
        operand["items"] = diff
    elif isinstance(diff, Mapping):
        operand = {**operand, **cast("Mapping[str, Any]", diff)}
    return {**fields, "output": {"$diff": operand}}


def is_for_data(expected: Any) -> bool:
    """Whether an expectation is a list, or a mapping with plain keys: one for data, never for text."""
    if isinstance(expected, Literal):
        return isinstance(expected.value, (list, Mapping))
    if isinstance(expected, Mapping):
        return any(not key.startswith("$") for key in map(str, cast("Mapping[Any, Any]", expected)))
    return isinstance(expected, list)


def may_be_for_data(expected: Any) -> bool:
    """Whether an expectation is for data, or all is that it combines by `$not $and $or` or compares with by `$eq …`."""
    if is_for_data(expected) or not isinstance(expected, Mapping):
        return is_for_data(expected)
    fields = cast("Mapping[str, Any]", expected)
    asked = [fields[name] for name in ("$not", "$expect") if name in fields]
    asked += [item for name in ("$and", "$or") for item in _branches(fields.get(name))]
    literal = [fields[name] for name in ("$eq", "$ne") if name in fields]
    literal += [item for name in ("$in", "$nin") for item in _branches(fields.get(name))]
    for_data = [*map(may_be_for_data, asked), *(isinstance(item, (list, Mapping)) for item in literal)]
    return bool(for_data) and all(for_data)


def _branches(operand: Any) -> list[Any]:
    return cast("list[Any]", operand) if isinstance(operand, list) else []


def schema_admits_text(schema: Any) -> bool:
    """Whether a text may satisfy a schema as a text."""
    if not isinstance(schema, Mapping):
        return True
    types = cast("Mapping[str, Any]", schema).get("type")
    return types == "string" or (isinstance(types, list) and "string" in types)


def has_weights(expected: Any) -> bool:
    """Whether some node of an expectation has a score of its own, which switches `scoring: auto` on."""
    return any("$score" in node or "score" in _meta(node) for node in _mappings(expected))


def mentions_critical(expected: Any) -> bool:
    """Whether some node of an expectation may be critical."""
    for node in _mappings(expected):
        meta = _meta(node)
        scores = [node.get("$score"), meta.get("score")]
        if (
            node.get("$critical")
            or meta.get("critical")
            or any(isinstance(s, Mapping) and "critical" in s for s in scores)
        ):
            return True
    return False


def mentions_dimension(expected: Any) -> bool:
    """Whether some node of an expectation names a dimension."""
    return any("$dimension" in node or "dimension" in node for node in _mappings(expected))


def _meta(node: Mapping[Any, Any]) -> Mapping[str, Any]:
    meta = node.get("$meta")
    return cast("Mapping[str, Any]", meta) if isinstance(meta, Mapping) else {}


def _mappings(expected: Any) -> list[Mapping[Any, Any]]:
    """Every mapping in an expectation. Below operators that take data (`$eq`, `$schema`) nothing is a node."""
    if isinstance(expected, str):
        return []
    found: list[Mapping[Any, Any]] = []
    stack: list[Any] = [expected]
    while stack:
        node = stack.pop()
        if isinstance(node, Mapping):
            fields = cast("Mapping[Any, Any]", node)
            found.append(fields)
            stack += [value for key, value in fields.items() if key not in ("$eq", "$ne", "$in", "$nin", "$schema")]
        elif isinstance(node, (list, tuple)):
            stack += node
    return found
