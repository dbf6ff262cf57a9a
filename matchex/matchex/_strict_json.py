"""JSON texts of models and tools: a code fence around them is forgiven, everything else is read by the book.

`json` does the reading. What it would let pass (duplicate keys, NaN, numbers that overflow, bottomless nesting) is
refused; a scan for the place of the trouble runs only when there is trouble.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable

MAX_DEPTH = 200
"""How deep lists and objects may nest."""

MAX_DIGITS = 4300
"""How many digits an integer may have: converting them costs their square, and this is Python's own bound."""

_BLANKS = "\ufeff \t\n\r\v\f"
_EXCERPT = 60

_FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})[^\n`]*\n")
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{}:,]|-?[0-9][0-9.eE+-]*|-?[A-Za-z]+', re.DOTALL)

_MESSAGES = {
    "Expecting value": "expected a value",
    "Extra data": "the JSON text is complete, but something follows",
    "Expecting ',' delimiter": "expected ',' or a closing bracket",
    "Expecting ':' delimiter": "expected ':' after the key",
    "Expecting property name enclosed in double quotes": "expected a key in double quotes",
    "Illegal trailing comma before end of object": "there may be no ',' before '}'",
    "Illegal trailing comma before end of array": "there may be no ',' before ']'",
    "Unterminated string starting at": "this text has no closing quote",
    "Invalid control character at": "a control character in a text must be written as an escape",
    "Invalid \\escape": "no such escape",
    "Invalid \\uXXXX escape": "\\u takes four hexadecimal digits",
}


class JsonTextError(ValueError):
    """A text is no JSON.

    Attributes:
        message: what is wrong, without the place.
        line: the line in the whole text, from 1.
        column: the column in code points, from 1.
        excerpt: the line with a caret below the place.

    Example:
        >>> from matchex.plugin import JsonTextError, parse_json_text
        >>> try:
        ...     parse_json_text('[1,]')
        ... except JsonTextError as error:
        ...     print(error.line, error.column)
        1 4
    """

    def __init__(self, message: str, line: int, column: int, excerpt: str) -> None:
        super().__init__(f"line {line}, column {column}: {message}\n{excerpt}")
        self.message = message
        self.line = line
        self.column = column
        self.excerpt = excerpt


class _Refused(Exception):
    """Something that `json` accepts and we do not: its place is looked up afterwards."""


def parse_json_text(text: str, *, fence: bool = True) -> object:
    r"""Read a JSON text; integers stay exact at any size up to `MAX_DIGITS` digits.

    Args:
        text: the JSON text; blanks around it do not matter.
        fence: whether one Markdown code fence around it (three or more backticks or tildes) is taken off.

    Raises:
        JsonTextError: it is no JSON, repeats a key, holds NaN or a number that overflows, or nests too deep.

    >>> from matchex.plugin import parse_json_text
    >>> parse_json_text('```json\n{"a": 1}\n```')
    {'a': 1}
    """
    start, end = _body(text, fence)
    body = text[start:end]
    if not body:
        raise _error(text, start, "there is no JSON text")
    try:
        _check_depth(body)
        return _DECODER.decode(body)
    except json.JSONDecodeError as problem:
        raise _error(text, start + problem.pos, _explain(problem, body)) from None
    except (_Refused, RecursionError, ValueError):
        position, message = _find_refused(body)
        raise _error(text, start + position, message) from None


def _body(text: str, fence: bool) -> tuple[int, int]:
    end = len(text.rstrip(_BLANKS))
    start = len(text) - len(text.lstrip(_BLANKS))
    opening = _FENCE.match(text, start, end) if fence else None
    if opening is None:
        return min(start, end), end
    mark = opening["fence"]
    fenced = text[opening.end() : end]
    body = fenced.rstrip(mark[0])
    if len(fenced) - len(body) < len(mark):
        raise _error(text, start, f"the code fence {mark} is never closed; the text looks cut off")
    start = opening.end()
    return start + len(body) - len(body.lstrip(_BLANKS)), start + len(body.rstrip(_BLANKS))


def _check_depth(body: str) -> None:
    if body.count("[") + body.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for token in _TOKEN.finditer(body):
        mark = token[0]
        if mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise _Refused
        elif mark in "]}":
            depth -= 1


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Refused
    return result


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _Refused
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _Refused
    return number


def _no_constant(_name: str) -> object:
    raise _Refused


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys,
    parse_int=_integer,
    parse_float=_fraction,
    parse_constant=_no_constant,
)


def _find_refused(body: str) -> tuple[int, str]:
    """Walk the tokens of a text that `json` could read and find what was refused."""
    keys: list[set[str]] = []
    for token in _TOKEN.finditer(body):
        mark = token[0]
        if mark in "[{":
            keys.append(set())
            if len(keys) > MAX_DEPTH:
                return token.start(), f"nested deeper than {MAX_DEPTH} levels"
        elif mark in "]}":
            keys.pop()
        elif mark[0] == '"' and _is_key(body, token.end()):
            key = json.loads(mark)
            if key in keys[-1]:
                return token.start(), f"the key {mark[:_EXCERPT]} occurs twice in one object"
            keys[-1].add(key)
        elif mark.lstrip("-") in {"NaN", "Infinity"}:
            return token.start(), f"{mark} is no JSON number"
        elif mark.lstrip("-").isdigit():
            if _is_refused(_integer, mark):
                return token.start(), f"an integer of {len(mark):,} digits is too long"
        elif mark[-1].isdigit() and _is_refused(_fraction, mark):
            return token.start(), "this number is too large"
    return 0, "this JSON text is beyond what the reader takes"


def _is_key(body: str, end: int) -> bool:
    return body[end : end + 256].lstrip(_BLANKS).startswith(":")


def _is_refused(convert: Callable[[str], object], digits: str) -> bool:
    try:
        convert(digits)
    except (_Refused, ValueError):
        return True
    return False


def _explain(problem: json.JSONDecodeError, body: str) -> str:
    message = _MESSAGES.get(problem.msg, problem.msg)
    rest = body[problem.pos : problem.pos + 32]
    if not rest:
        return f"{message}, but the text ends here; it looks cut off"
    for test, hint in _HINTS:
        if test(rest):
            return f"{message}; {hint}"
    return message


_HINTS: tuple[tuple[Callable[[str], bool], str], ...] = (
    (lambda rest: rest.startswith("'"), "JSON writes texts in double quotes"),
    (lambda rest: rest.startswith(("//", "/*", "#")), "JSON has no comments"),
    (lambda rest: rest.startswith(("True", "False", "None")), "JSON writes true, false and null"),
    (lambda rest: rest.startswith(("]", "}")), "is there a ',' too many?"),
    (lambda rest: rest.startswith(("```", "~~~")), "one code fence around the whole text is taken off, no more"),
)


def _error(text: str, position: int, message: str) -> JsonTextError:
    line_start = text.rfind("\n", 0, position) + 1
    line = text.count("\n", 0, position) + 1
    column = position - line_start + 1
    return JsonTextError(message, line, column, _excerpt(text, line_start, position, line))


def _excerpt(text: str, line_start: int, position: int, line: int) -> str:
    line_end = text.find("\n", position)
    line_end = len(text) if line_end < 0 else line_end
    start, end = max(line_start, position - _EXCERPT), min(line_end, position + _EXCERPT)
    before, after = _shown(text[start:position]), _shown(text[position:end])
    left, right = "… " if start > line_start else "", " …" if end < line_end else ""
    head = f"{line:>4} | {left}"
    return f"{head}{before}{after}{right}\n{' ' * _columns(head + before)}^"


def _columns(text: str) -> int:
    """Give the width of a text in a terminal, where characters of East Asia take two columns."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _shown(text: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
