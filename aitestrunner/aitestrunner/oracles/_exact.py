"""`exact-match`: the answer is compared with an expected value, as a whole or in part."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, cast

from matchex.plugin import format_path, lookup, parse_path, show

import matchex
from aitestrunner._parse import parse_answer
from aitestrunner.oracles._config import Key, anything, is_flag, is_names
from aitestrunner.oracles._contract import OracleError, OracleInput
from aitestrunner.oracles._value import Question, ValueOracle
from matchex import MISSING

__all__ = ["ExactMatch"]

_LITERAL: Final = re.compile(r"/(?P<pattern>.+)/(?P<flags>[dgimsuvy]*)\Z", re.DOTALL)
_MODES: Final[Mapping[str, tuple[str, ...]]] = {
    "exact": ("caseSensitive", "ignoreWhitespace"),
    "contains": ("values",),
    "regex": ("patterns", "caseSensitive"),
    "deep": (),
    "partial": ("fields", "allowMissing"),
}
"""The modes, and the keys that mean something in one of them alone."""

_OPTIONS: Final = {"templates": False, "heuristic_schema": False, "auto_confidence": "force"}
"""What is expected is data, and the penalty of a wrong order is a share, not points."""


class ExactMatch(ValueOracle):
    """`exact-match`: the answer against `expected`, or against what the case expects of it.

    Configuration:
        mode: `exact` (the default): the same value, keys in the same order. `deep`: the same value. `contains`: a text
            contains the expected text; a mapping has the expected fields, a list the expected items at its beginning.
            `regex`: every pattern is found. `partial`: the values of `fields` are the same.
        expected: What to compare with.
        caseSensitive: False: letter case does not matter, in modes `regex` and `exact` (of a text).
        ignoreWhitespace: True: blanks and line ends count as one blank, in mode `exact` of a text.
        values: False: in mode `contains` only keys are looked for.
        patterns: In mode `regex`, a text or a list of texts; by default `expected`.
        fields: In mode `partial`, paths like `order.items[0].name`.
        allowMissing: True: a field that the expected value lacks must be missing in the answer too.

    Example:
        >>> from aitestrunner.oracles import ExactMatch, OracleInput
        >>> given = OracleInput(actual={"b": 2, "a": 1}, expected={"a": 1, "b": 2})
        >>> [ExactMatch().evaluate_now(given, {"mode": mode}).passed for mode in ("exact", "deep")]
        [False, True]
    """

    type = "exact-match"
    keys: ClassVar = {
        "mode": Key(f"one of {', '.join(_MODES)}", lambda value: isinstance(value, str) and value in _MODES),
        "expected": Key("a value", anything),
        "caseSensitive": Key("true or false", is_flag),
        "ignoreWhitespace": Key("true or false", is_flag),
        "values": Key("true or false", is_flag),
        "patterns": Key("a pattern or a list of patterns", lambda value: isinstance(value, str) or is_names(value)),
        "fields": Key("a list of paths, at least one", is_names),
        "allowMissing": Key("true or false", is_flag),
    }

    def question(self, config: Mapping[str, Any], given: OracleInput, /) -> Question:
        """The expectation for the mode."""
        mode = config.get("mode", "exact")
        for name in config:
            if name not in ("mode", "expected", *_MODES[mode]):
                fit = " and ".join(mode for mode, keys in _MODES.items() if name in keys)
                raise OracleError(f"`{name}` means nothing in mode {mode}, only in {fit}")
        expectation = _EXPECTATIONS[mode](config, config.get("expected", given.expected))
        return Question(expectation, _OPTIONS)

    def subject(self, given: OracleInput, config: Mapping[str, Any], /) -> Any:
        """The answer; one that is a text is read as JSON where data is expected of it."""
        expected = config.get("expected", given.expected)
        is_data = isinstance(expected, (Mapping, list)) and config.get("mode", "exact") != "regex"
        if isinstance(given.actual, str) and is_data:
            parsed = parse_answer(given.actual)
            return given.actual if parsed is MISSING else parsed
        return given.actual


def _needed(expected: Any) -> Any:
    if expected is MISSING:
        raise OracleError("there is nothing to compare with: give `expected`, or the case an `output`")
    return expected


def _exact(config: Mapping[str, Any], expected: Any) -> Any:
    loose = {
        "ignoreCase": config.get("caseSensitive") is False,
        "ignoreWhitespace": config.get("ignoreWhitespace", False),
    }
    if any(loose.values()):
        if not isinstance(expected, str):
            raise OracleError(f"`caseSensitive` and `ignoreWhitespace` are for texts; `expected` is {show(expected)}")
        return {"$diff": {"value": expected, "type": "words" if loose["ignoreWhitespace"] else "chars", **loose}}
    same = _deep(config, expected)
    order = _order_of(expected)
    if order is None:
        return same
    other_order = {"score": -1, "critical": True, "title": "the values are the same, but keys are in another order"}
    return {"$and": [same, {**same, "$not": order, "$meta": other_order}]}


def _order_of(value: Any) -> Any:
    """An expectation on the order of keys in a value, at any depth; None where there is nothing to order."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        checks: list[Any] = [{"$keys": {"$eq": list(fields)}}] if len(fields) > 1 else []
        inner = {format_path((key,)): order for key, item in fields.items() if (order := _order_of(item)) is not None}
        checks += [inner] if inner else []
    elif isinstance(value, list):
        orders = enumerate(map(_order_of, cast("list[Any]", value)))
        checks = [{"$nth": {"$index": index, "$expect": order}} for index, order in orders if order is not None]
    else:
        return None
    return {"$and": checks} if checks else None


def _deep(config: Mapping[str, Any], expected: Any) -> Any:
    return {"$eq": _needed(expected)}


def _contains(config: Mapping[str, Any], expected: Any) -> Any:
    if config.get("values") is False:
        return _keys_of(_needed(expected))
    return matchex.Literal(_needed(expected))


def _keys_of(expected: Any, depth: int = 0) -> Any:
    """An expectation that every key of a mapping or list is there, whatever its value."""
    told = show(expected)
    if isinstance(expected, Mapping) and expected:
        fields = cast("Mapping[str, Any]", expected)
        return {format_path((key,)): _keys_of(item, depth + 1) for key, item in fields.items()}
    if isinstance(expected, list) and expected:
        return [_keys_of(item, depth + 1) for item in cast("list[Any]", expected)]
    if not depth:
        raise OracleError(f"`values: false` looks for keys, and `expected` has none: {told}")
    return {"$exists": {"$value": True, "strict": True}}


def _regex(config: Mapping[str, Any], expected: Any) -> Any:
    patterns: Any = config.get("patterns", expected)
    if isinstance(patterns, Mapping):
        fields = cast("Mapping[str, Any]", patterns)
        if "responsePatterns" not in fields:
            raise OracleError("there are no patterns: give `patterns`, or `expected` with `responsePatterns`")
        patterns = fields["responsePatterns"]
    if isinstance(patterns, str):
        patterns = [patterns]
    if not is_names(patterns):
        found = "" if patterns is MISSING else f"; got {show(patterns)}"
        raise OracleError(
            f"there are no patterns: `patterns` takes a text or a list of texts, none of them empty{found}"
        )
    return {"$and": [_pattern(text, config.get("caseSensitive", True)) for text in patterns]}


def _pattern(text: str, case_sensitive: bool) -> str:
    literal = _LITERAL.match(text)
    pattern, flags = (literal["pattern"], literal["flags"]) if literal else (text, "")
    if not case_sensitive and "i" not in flags:
        flags += "i"
    return f"/{pattern}/{flags}"


def _partial(config: Mapping[str, Any], expected: Any) -> Any:
    if "fields" not in config:
        raise OracleError("mode partial needs `fields`: a list of paths")
    _needed(expected)
    return {"$and": [_field(path, expected, config.get("allowMissing", False)) for path in config["fields"]]}


def _field(path: str, expected: Any, allow_missing: bool) -> Any:
    value = lookup(expected, (path,))
    steps = parse_path(path) if value is MISSING else (path,)
    value = lookup(expected, steps)
    if value is MISSING and not allow_missing:
        raise OracleError(
            f"`fields`: the expected value has no {path!r} (`allowMissing: true` expects it to be missing)"
        )
    check = {"$exists": {"$value": False, "strict": True}} if value is MISSING else {"$eq": value}
    if isinstance(steps[0], int):
        return {"$nth": {"$index": steps[0], **({format_path(steps[1:]): check} if steps[1:] else check)}}
    return {format_path(steps): check}


_EXPECTATIONS: Final[Mapping[str, Callable[[Mapping[str, Any], Any], Any]]] = {
    "exact": _exact,
    "contains": _contains,
    "regex": _regex,
    "deep": _deep,
    "partial": _partial,
}
