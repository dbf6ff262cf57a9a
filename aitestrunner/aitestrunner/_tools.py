"""Tools: what `tools` of a case means for the script that runs, and what `expect.tools` asks of the calls made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

__all__ = ["ToolsError", "offered_tools", "tools_expectation"]

_MAX_NAME: Final = 256


class ToolsError(ValueError):
    """`tools: true` needs a script that is a name."""


def offered_tools(tools: Any, script: str | None, tool_tester: str) -> tuple[Any, str | None]:
    """The tools as a list, and the script that runs: the tool tester where there are tools.

    Args:
        tools: `True` (the script itself is the tool), a name or mapping, a list; anything empty means none.
        script: The script that would run.
        tool_tester: The script that is given tools.

    Raises:
        ToolsError: `tools: true`, but the script is source code rather than a name.

    Example:
        >>> offered_tools(True, "weather", "toolTester")
        (['weather'], 'toolTester')
        >>> offered_tools([], "weather", "toolTester")
        ([], 'weather')
    """
    if tools is True:
        return ([_named(script)] if script else True), tool_tester
    if tools is None or tools in (False, "", 0, []):
        return (None if tools in (None, False) else tools), script
    return (cast("Any", tools) if isinstance(tools, list) else [tools]), tool_tester


def _named(script: str) -> str:
    if len(script) >= _MAX_NAME or any(mark in script for mark in "\n\r{}"):
        raise ToolsError(f"Cannot use 'tools: true' when script is source code: {script[:50]}...")
    return script


# What the operands of operators are expectations of, where the operator stands on the list of calls. Below a single
# call every one of them holds an expectation of that call. Operands of operators not named here are data.
_SAME: Final = frozenset({"$not", "$expect", "$value"})
_SAME_EACH: Final = frozenset({"$and", "$or"})
_ONE_CALL: Final = frozenset({"$contains", "$each", "$none", "$first", "$last", "$of"})
_ONE_CALL_EACH: Final = frozenset({"$all", "$unordered", "$sequence"})
_CALL_WITH_OPTIONS: Final = frozenset({"$nth", "$count"})
_ELSEWHERE: Final = {
    **dict.fromkeys(("tool", "toolName", "tool_name", "function"), "name"),
    **dict.fromkeys(("arguments", "argument", "arg", "parameters", "params"), "args"),
}
"""What the fields of a call are called elsewhere: an expectation with one of these names would never match."""


def tools_expectation(tools: Any) -> Any:
    """`expect.tools` as an expectation on the flat list of calls.

    A list means that each was called (in any order), one mapping that it was called, `[]` that nothing was; operators
    are taken as written, and the same holds inside `$not`, `$and` and `$or`. A bare text is the name of a tool, and
    names compare by equality.

    Example:
        >>> tools_expectation([{"name": "search", "args": {"q": "x"}}])
        {'$all': [{'name': {'$eq': 'search'}, 'args': {'q': 'x'}}]}
        >>> tools_expectation({"$not": "delete"})
        {'$not': {'$contains': {'name': {'$eq': 'delete'}}}}
    """
    if isinstance(tools, list):
        items = cast("list[Any]", tools)
        return {"$all": [_call(item) for item in items]} if items else []
    if isinstance(tools, str):
        return {"$contains": _call(tools)}
    if not isinstance(tools, Mapping):
        return tools
    fields = cast("Mapping[str, Any]", tools)
    if any(not key.startswith("$") for key in fields):
        return {"$contains": _call(fields)}
    return {key: _operand(key, value) for key, value in fields.items()}


def _operand(operator: str, value: Any) -> Any:
    """The operand of an operator that stands on the list of calls."""
    if operator in _SAME:
        return tools_expectation(value)
    if operator in _SAME_EACH and isinstance(value, list):
        return [tools_expectation(item) for item in cast("list[Any]", value)]
    if operator in _ONE_CALL:
        if isinstance(value, list):
            raise ToolsError(f"`{operator}` takes one call; several names are written {{name: {{$in: […]}}}}")
        return _call(value)
    if operator in _ONE_CALL_EACH:
        return _calls(value)
    if operator in _CALL_WITH_OPTIONS and isinstance(value, Mapping):
        return _call(cast("Mapping[str, Any]", value))
    if operator == "$sort" and isinstance(value, Mapping):
        rest = cast("Mapping[str, Any]", value)
        return {key: item if key in ("$by", "$order") else _operand(key, item) for key, item in rest.items()}
    return value


def _calls(value: Any) -> Any:
    if isinstance(value, list):
        return [_call(item) for item in cast("list[Any]", value)]
    if isinstance(value, Mapping):  # {$value: [...], distinct: true}
        options = cast("Mapping[str, Any]", value)
        return {key: _calls(item) if key == "$value" else item for key, item in options.items()}
    return value


def _call(expected: Any) -> Any:
    """An expectation on one call, with operators around and in it."""
    if isinstance(expected, str):
        return {"name": _exactly(expected)}
    if not isinstance(expected, Mapping):
        return expected
    fields = cast("Mapping[str, Any]", expected)
    foreign = next((key for key in fields if key in _ELSEWHERE), None)
    if foreign is not None:
        raise ToolsError(f"a call has the fields name, args, result and id: `{_ELSEWHERE[foreign]}`, not `{foreign}`")
    return {key: _exactly(value) if key == "name" else _call_operand(key, value) for key, value in fields.items()}


def _call_operand(operator: str, value: Any) -> Any:
    if operator in _SAME_EACH and isinstance(value, list):
        return [_call(item) for item in cast("list[Any]", value)]
    return _call(value) if operator in _SAME or operator == "$of" else value


def _exactly(name: Any) -> Any:
    """A plain name as an equality; patterns and operators stay, also below a weight (`{$expect: name, $score: 2}`)."""
    if isinstance(name, str):
        is_pattern = len(name) > 2 and name.startswith("/") and name.rfind("/") > 1
        return name if is_pattern else {"$eq": name}
    if isinstance(name, Mapping) and "$expect" in name:
        fields = cast("Mapping[str, Any]", name)
        return {**fields, "$expect": _exactly(fields["$expect"])}
    return cast("Any", name)
