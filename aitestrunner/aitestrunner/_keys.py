"""The keys that a case may have: one table, read by the loader, the JSON Schema of the format and the reference page.

Any other key of a case is a template variable. A key that is almost a known one is an error instead, because a
misspelt `output` would be a variable that nobody uses and a check that nobody makes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

__all__ = ["FILE_KEYS", "KEYS", "SIMPLE_KEYS", "Key", "is_templated", "near_miss", "snake_case"]


@dataclass(frozen=True, slots=True)
class Key:
    """One known key.

    Args:
        takes: What it takes, in words for a message.
        accepts: Whether a value is of that form (null, which clears a default, is asked nowhere).
        schema: The same as JSON Schema.
        about: What it does, in one line.
        own: Whether it belongs to a case alone, so that as a default for all cases it means nothing.
    """

    takes: str
    accepts: Callable[[Any], bool]
    schema: Mapping[str, Any]
    about: str
    own: bool = False


def _anything(_: Any) -> bool:
    return True


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, cast("list[Any]", value)))


_STRICT_NAMES: Final = ("object", "array", "diff", "text")
_DIFF_TYPES: Final = ("auto", "chars", "words", "wordsWithSpace", "lines", "sentences", "json")
_PARSE: Final = ("json", "none", "auto")
_MOST_REPEATS: Final = 10_000
_PERCENT: Final = re.compile(r"\d+(?:\.\d+)?%\Z")


def _strict(value: Any) -> bool:
    return _flag(value) or value in _STRICT_NAMES or (_texts(value) and all(name in _STRICT_NAMES for name in value))


def _pass_score(value: Any) -> bool:
    return _number(value) or (isinstance(value, str) and _PERCENT.match(value) is not None)


def _skip(value: Any) -> bool:
    """A reason is a sentence: `skip: no` is far more likely meant as false than as one."""
    return _flag(value) or (isinstance(value, str) and value.lower() not in ("", "yes", "no", "on", "off", "y", "n"))


def _diff(value: Any) -> bool:
    return isinstance(value, (bool, list, dict)) or value in _DIFF_TYPES


_FLAG_SCHEMA: Final = {"type": "boolean"}
_TEXT_SCHEMA: Final = {"type": "string"}
_TEXTS_SCHEMA: Final = {"type": "array", "items": _TEXT_SCHEMA}


def _flag_key(about: str, *, own: bool = False) -> Key:
    return Key("true or false", _flag, _FLAG_SCHEMA, about, own)


def _text_key(about: str, *, own: bool = False) -> Key:
    return Key("a text", _text, _TEXT_SCHEMA, about, own)


KEYS: Final[dict[str, Key]] = {
    "title": _text_key("What the case is about, for people who read reports."),
    "id": _text_key("A name that stays when cases move; by default `file#index`.", own=True),
    "tags": Key(
        "a text or a list of texts",
        lambda value: _text(value) or _texts(value),
        {"anyOf": [_TEXT_SCHEMA, _TEXTS_SCHEMA]},
        "Labels to select cases by.",
    ),
    "input": Key(
        "any value",
        _anything,
        {},
        "What the executor is given. The fields of a mapping are template variables too.",
    ),
    "output": Key("an expectation", _anything, {}, "What the answer must look like."),
    "outputSchema": Key(
        "a JSON Schema: a mapping, true or false",
        lambda value: isinstance(value, (dict, bool)),
        {"type": ["object", "boolean"]},
        "A JSON Schema for the answer.",
    ),
    "expect": Key(
        "an expectation",
        _anything,
        {},
        "An expectation for the whole result: `output`, `messages`, `tools`, `meta`, `usage`, `cost`.",
    ),
    "driver": Key(
        "graph",
        lambda value: value == "graph",
        {"enum": ["graph"]},
        "What kind of thing answers. `graph`: a workflow, judged by the state that it ends in.",
    ),
    "assertions": Key(
        "a list of assertions",
        lambda value: isinstance(value, list),
        {"type": "array"},
        "What must hold in the state that a graph ends in. Only with `driver: graph`.",
    ),
    "oracles": Key(
        "a list of oracles: mappings with `type` and `config`",
        lambda value: isinstance(value, list),
        {"type": "array", "items": {"type": "object", "required": ["type"]}},
        "Judges of the answer, beside the expectations or in their place.",
    ),
    "scoringWeights": Key(
        "a mapping of types of oracles to weights",
        lambda value: isinstance(value, dict),
        {"type": "object"},
        "What each type of oracle is worth, in place of the weights of `oracles`.",
    ),
    "not": _flag_key("The case passes when its checks fail.", own=True),
    "allowUnchecked": _flag_key("Accept that the case checks nothing."),
    "script": _text_key("What runs: the name of a prompt, a script, an agent."),
    "executor": Key(
        "the name of an executor, a reference like ./bot.py:answer, or a mapping of `name` and options",
        lambda value: (_text(value) and value != "") or (isinstance(value, dict) and _text(value.get("name"))),  # pyright: ignore[reportUnknownMemberType]
        {"anyOf": [_TEXT_SCHEMA, {"type": "object", "required": ["name"]}]},
        "What answers, where the run names nothing: `{name: command, argv: [python3, bot.py]}`.",
    ),
    "tools": Key(
        "true, a text, a mapping or a list",
        lambda value: isinstance(value, (bool, str, list, dict)) or value == 0,
        {"type": ["boolean", "string", "array", "object"]},
        "Tools to offer. The tool tester runs in place of the script; `true` means the script itself is the tool.",
    ),
    "toolTester": _text_key("The script that is given `tools`, by default `toolTester`."),
    "turns": Key(
        "a list of turns: mappings with `input` and `output`, `outputSchema` or `expect`",
        lambda value: isinstance(value, list) and bool(value) and all(isinstance(turn, dict) for turn in value),  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        {"type": "array", "minItems": 1, "items": {"type": "object"}},
        "A conversation: what the user says turn by turn, and what each answer must look like.",
        own=True,
    ),
    "toolResults": Key(
        "a mapping of tools to what they answer, or a reference like ./tools.py:answer",
        lambda value: isinstance(value, dict) or (isinstance(value, str) and value != "") or callable(value),
        {"type": ["object", "string"]},
        "What the tools answer that the model calls; the model is asked again until it calls no more.",
    ),
    "maxRounds": Key(
        "a whole number of at least 1",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        {"type": "integer", "minimum": 1},
        "How often the model is asked in one turn (10); one that goes on calling tools is an error.",
    ),
    "strict": Key(
        "true, false, or some of object, array, diff, text",
        _strict,
        {
            "anyOf": [
                _FLAG_SCHEMA,
                {"enum": list(_STRICT_NAMES)},
                {"type": "array", "items": {"enum": list(_STRICT_NAMES)}},
            ]
        },
        "Where nothing but the expected is allowed.",
    ),
    "checkSchema": _flag_key("Whether `outputSchema` is checked (it is)."),
    "disableHeuristicSchema": _flag_key("A mapping that looks like a JSON Schema is compared as it is."),
    "operators": Key(
        "a mapping of names to references, or a list of references",
        lambda value: isinstance(value, (dict, list)),
        {"type": ["object", "array"]},
        "Operators of your own, like `$isPalindrome: ./checks.py:is_palindrome`.",
    ),
    "allowOperatorOverride": _flag_key("Your operators may replace built-in ones."),
    "scoring": Key(
        "true, false or auto",
        lambda value: _flag(value) or value == "auto",
        {"enum": [True, False, "auto"]},
        "Whether points decide. `auto`: when some expectation has a weight.",
    ),
    "maxScore": Key(
        "a number of at least 0",
        lambda value: _number(value) and value >= 0,
        {"type": "number", "minimum": 0},
        "The points that a perfect answer earns (100). Only with scoring.",
    ),
    "passScore": Key(
        'a number of points, or a share like "70%"',
        _pass_score,
        {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\d+(\.\d+)?%$"}]},
        "The points that pass, by default all. Only with scoring.",
    ),
    "unassignedWeight": Key("a number", _number, {"type": "number"}, "What all siblings without a weight share."),
    "autoConfidence": Key(
        "true, false or force",
        lambda value: _flag(value) or value == "force",
        {"enum": [True, False, "force"]},
        "Whether weights below 1 are shares.",
    ),
    "threshold": Key(
        "a number from 0 to 1",
        lambda value: _number(value) and 0 <= value <= 1,
        {"type": "number", "minimum": 0, "maximum": 1},
        "What a number returned by an operator or expression must reach (0.5).",
    ),
    "timeout": Key(
        "a number of seconds above 0",
        lambda value: _number(value) and value > 0,
        {"type": "number", "exclusiveMinimum": 0},
        "The time in which the executor must answer, retries included; after it the case is an error.",
    ),
    "repeat": Key(
        f"a whole number from 1 to {_MOST_REPEATS}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST_REPEATS,
        {"type": "integer", "minimum": 1, "maximum": _MOST_REPEATS},
        "How often the case runs.",
    ),
    "minPassRate": Key(
        "a number from 0 to 1",
        lambda value: _number(value) and 0 <= value <= 1,
        {"type": "number", "minimum": 0, "maximum": 1},
        "The share of the runs that must pass (1).",
    ),
    "diff": Key(
        f"true, false, a type ({', '.join(_DIFF_TYPES)}), a list of allowed changes, or a mapping",
        _diff,
        {"anyOf": [{"enum": [True, False, *_DIFF_TYPES]}, {"type": ["array", "object"]}]},
        "Texts are compared as wholes, with these changes allowed.",
        own=True,
    ),
    "diffPermissive": _flag_key("Changes that `diff` does not list are allowed.", own=True),
    "parse": Key(
        "json, none or auto",
        lambda value: value in _PARSE,
        {"enum": list(_PARSE)},
        "Whether a text answer is read as JSON. `auto`: where a list, a mapping or a schema expects it.",
    ),
    "templates": _flag_key("Whether `{{name}}` is a placeholder (it is)."),
    "vars": Key(
        "a mapping of names to values",
        lambda value: isinstance(value, dict),
        {"type": "object"},
        "Template variables of any name, also of the names in this table.",
    ),
    "skip": Key(
        "true, false or a reason",
        _skip,
        {"type": ["boolean", "string"]},
        "The case does not run.",
        own=True,
    ),
    "only": _flag_key("Nothing but the cases with `only` runs.", own=True),
}
"""The keys of a case."""

FILE_KEYS: Final[dict[str, Key]] = {
    "cases": Key(
        "a list of cases",
        lambda value: isinstance(value, list),
        {"type": "array"},
        "The cases; the keys beside it are their defaults.",
    ),
    "casesFrom": Key(
        "the name of a file with one mapping a row: .jsonl, .json or .yaml",
        _text,
        _TEXT_SCHEMA,
        "One case per row of a file, whose columns are template variables.",
    ),
}
"""Keys that belong to a whole file, in its front matter or beside `cases`."""

_SQUEEZED: Final = {re.sub(r"[_-]", "", name).lower(): name for name in (*KEYS, *FILE_KEYS)}


def near_miss(name: str) -> str | None:
    """The known key that a key was probably meant to be, or None for a variable."""
    squeezed = re.sub(r"[_-]", "", name).lower()
    if squeezed in _SQUEEZED:
        return _SQUEEZED[squeezed]
    return next((known for known in (*KEYS, *FILE_KEYS) if len(known) > 5 and _one_edit_apart(name, known)), None)


def _one_edit_apart(a: str, b: str) -> bool:
    """Whether one character inserted, removed, replaced or swapped with its neighbour makes `a` of `b`."""
    if abs(len(a) - len(b)) > 1:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest_a, rest_b = a[start:], b[start:]
    if len(a) == len(b):
        swapped = rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:]
        return rest_a[1:] == rest_b[1:] or swapped
    return rest_a[1:] == rest_b or rest_a == rest_b[1:]


def snake_case(name: str) -> str:
    """The name of a key in Python: `passScore` → `pass_score`, `not` → `not_`."""
    name = re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), name)
    return "not_" if name == "not" else name


_SIMPLE: Final = (
    "allowOperatorOverride",
    "allowUnchecked",
    "autoConfidence",
    "checkSchema",
    "diff",
    "diffPermissive",
    "disableHeuristicSchema",
    "maxScore",
    "not",
    "parse",
    "passScore",
    "scoring",
    "strict",
    "threshold",
    "unassignedWeight",
)
SIMPLE_KEYS: Final[Mapping[str, str]] = {name: snake_case(name) for name in _SIMPLE}
"""Keys of a simple form, which may be written as placeholders and are rendered before use, with their names here."""


def is_templated(value: Any) -> bool:
    """Whether a setting is a text with a placeholder, whose form shows only when it is rendered."""
    return isinstance(value, str) and ("{{" in value or "{%" in value or "<<" in value)
