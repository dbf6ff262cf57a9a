"""The diff of two texts."""

from __future__ import annotations

import re

from matchex._diff._align import align
from matchex._diff._leaves import diff_json
from matchex._diff._model import DEFAULT_BUDGET, DIFF_KINDS, Change, Diff, Sign
from matchex._diff._shortest import Block
from matchex._diff._tidy import tidy_blanks
from matchex._diff._tokens import BLANK, Options, Tokens, TooManyTokens, encode, tokenize
from matchex._strict_json import JsonTextError, parse_json_text
from matchex._values import trim

_HAS_BLANK = re.compile(BLANK)
_LONG = 20
"""UTF-16 units from which on a text with blanks is compared by words."""


def diff_texts(
    expected: str,
    actual: str,
    kind: str = "auto",
    *,
    ignore_case: bool = False,
    ignore_whitespace: bool | None = None,
    ignore_newline_at_eof: bool = False,
    newline_is_token: bool = False,
    strip_trailing_cr: bool = False,
    budget: int = DEFAULT_BUDGET,
) -> Diff:
    """Give the changes that lead from an expected text to an actual one.

    The changes are always exact: unchanged and removed parts rebuild the expected text, unchanged and added parts the
    actual one (for `words` up to blanks, else up to what is ignored). They are the fewest possible as long as the
    budget lasts; then `minimal` is False.

    Args:
        expected: the expected text, trimmed by the caller.
        actual: the actual text, trimmed by the caller.
        kind: one of `DIFF_KINDS`. `auto` takes json for two JSON objects or lists, lines where there is a newline,
            words from 20 characters with a blank on, else chars.
        ignore_case: compare tokens in lower case.
        ignore_whitespace: for lines ignore the blanks around them; for chars all blanks; else how many and which blanks
            stand together. False turns `words` into `wordsWithSpace`.
        ignore_newline_at_eof: a line equals the same one without its newline.
        newline_is_token: newlines are lines of their own.
        strip_trailing_cr: read CRLF as LF.
        budget: steps of work, each about a quarter of a microsecond.

    Raises:
        ValueError: there is no such kind.

    >>> [(change.sign, change.text) for change in diff_texts("cat", "cut").changes]
    [(' ', 'c'), ('-', 'a'), ('+', 'u'), (' ', 't')]
    """
    options = Options(ignore_case, ignore_whitespace, ignore_newline_at_eof, newline_is_token, strip_trailing_cr)
    if kind == "auto":
        return _diff_auto(expected, actual, options, budget)
    if kind == "json":
        return diff_json(_json_or_text(expected), _json_or_text(actual))
    if kind not in DIFF_KINDS:
        raise ValueError(f"unknown diff type {kind!r}; there are {', '.join(DIFF_KINDS)}")
    return _diff_tokens(expected, actual, kind, options, budget)


def _diff_auto(expected: str, actual: str, options: Options, budget: int) -> Diff:
    if _looks_like_json(expected) and _looks_like_json(actual):
        try:
            return diff_json(parse_json_text(expected, fence=False), parse_json_text(actual, fence=False))
        except JsonTextError:
            pass  # it only looked like JSON
    kind = _choose(expected, actual, options)
    diff = _diff_tokens(expected, actual, kind, options, budget)
    blind = diff.kind != "chars" and expected != actual and not diff.changed
    asked_for = options.ignore_whitespace or options.ignore_newline_at_eof or options.strip_trailing_cr
    return _diff_tokens(expected, actual, "chars", options, budget) if blind and not asked_for else diff


def _choose(expected: str, actual: str, options: Options) -> str:
    if "\n" in expected or "\n" in actual:
        return "lines"
    return "words" if any(_is_long(text) and _HAS_BLANK.search(text) for text in (expected, actual)) else "chars"


def _is_long(text: str) -> bool:
    return len(text) >= _LONG or len(text) + sum(char > "\uffff" for char in text) >= _LONG


def _looks_like_json(text: str) -> bool:
    text = trim(text)
    return text[:1] + text[-1:] in ("{}", "[]")


def _json_or_text(text: str) -> object:
    try:
        return parse_json_text(text, fence=False)
    except JsonTextError:
        return text


def _diff_tokens(expected: str, actual: str, kind: str, options: Options, budget: int) -> Diff:
    old, new = tokenize(expected, kind, options), tokenize(actual, kind, options)
    try:
        blocks, minimal = align(*encode(old, new), budget)
    except TooManyTokens:
        blocks, minimal = [], False
    changes = _changes(old, new, blocks)
    if new.glued:
        changes = tidy_blanks(changes)
    return Diff(kind, tuple(changes), minimal)


def _changes(old: Tokens, new: Tokens, blocks: list[Block]) -> list[Change]:
    changes: list[Change] = []
    old_done = new_done = 0
    for old_start, new_start, length in [*blocks, (len(old.texts), len(new.texts), 0)]:
        _add(changes, "-", old, old_done, old_start)
        _add(changes, "+", new, new_done, new_start)
        old_done, new_done = old_start + length, new_start + length
        _add(changes, " ", new, new_start, new_done)
    return changes


def _add(changes: list[Change], sign: Sign, tokens: Tokens, start: int, end: int) -> None:
    if start < end:
        changes.append(Change(sign, tokens.join(start, end), end - start))
