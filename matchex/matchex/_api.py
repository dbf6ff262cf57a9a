"""The functions that most people call: `validate`, `compile`, and `Matches` for assertions."""

from __future__ import annotations

import marshal
from typing import Any, Final

from matchex._matcher import Matcher
from matchex._operator import generation
from matchex._options import Options
from matchex._result import MatchResult

__all__ = ["Matches", "compile", "validate", "validate_async"]


def compile(expected: object, *, options: Options | None = None, **changes: Any) -> Matcher:
    """Compile an expectation, once for many values.

    Args:
        expected: An expectation.
        options: Options as one object.
        **changes: Single options by name; they win over `options`.

    Raises:
        ExpectationError: The expectation is wrong; all mistakes are in `.problems`.
        TypeError: An unknown option.

    Example:
        >>> import matchex
        >>> matcher = matchex.compile({"name": "/^A/", "tags": {"$contains": "new"}})
        >>> matcher.match({"name": "Ann", "tags": ["old"]}).score
        0.5
    """
    return Matcher(expected, Options.build(options, changes))


def validate(actual: object, expected: object, *, options: Options | None = None, **changes: Any) -> MatchResult:
    """Match a value against an expectation.

    Args:
        actual: Any value.
        expected: An expectation.
        options: Options as one object.
        **changes: Single options by name, as `strict="object"` or `data={"limit": 5}`; they win over `options`.

    Returns:
        The result: `.status`, `.score`, `.failures`, …; `print(result)` explains it.

    Raises:
        ExpectationError: The expectation is wrong; all mistakes are in `.problems`.
        TypeError: An unknown option.

    Example:
        >>> import matchex
        >>> answer = {"text": "Your refund of 20 EUR is on its way.", "tools": [{"name": "refund"}]}
        >>> matchex.validate(answer, {"text": "/refund/i", "tools": {"$contains": {"name": "refund"}}}).passed
        True
    """
    matcher, scope = _prepare(expected, options, changes)
    return matcher.match(actual, **scope)


async def validate_async(
    actual: object, expected: object, *, options: Options | None = None, **changes: Any
) -> MatchResult:
    """Match a value against an expectation whose operators and functions may be asynchronous; see `validate`.

    Example:
        >>> import asyncio, matchex
        >>> async def known(actual):
        ...     return actual in {"Ann", "Bob"}
        >>> asyncio.run(matchex.validate_async({"name": "Ann"}, {"name": known})).passed
        True
    """
    matcher, scope = _prepare(expected, options, changes)
    return await matcher.match_async(actual, **scope)


class Matches:
    """An expectation as a value for `assert`: `assert response == Matches({...})`.

    Its text, which pytest shows when the assertion fails, explains what did not match.

    Args:
        expected: An expectation.
        options: Options as one object.
        **changes: Single options by name.

    Raises:
        ExpectationError: The expectation is wrong.

    Example:
        >>> import matchex
        >>> {"age": 18, "name": "Ann"} == matchex.Matches({"age": {"$gte": 18}})
        True
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expected: object, *, options: Options | None = None, **changes: Any) -> None:
        self._matcher = compile(expected, options=options, **changes)
        self._last: MatchResult | None = None

    @property
    def result(self) -> MatchResult | None:
        """What the last comparison gave; None where there was none yet.

        Example:
            >>> import matchex
            >>> adult = matchex.Matches({"age": {"$gte": 18}})
            >>> {"age": 17} == adult, adult.result.failures[0].path
            (False, 'age')
        """
        return self._last

    def __eq__(self, other: object) -> bool:
        self._last = self._matcher.match(other)
        return bool(self._last)

    def __repr__(self) -> str:
        text = f"Matches({self._matcher.expected!r})"
        return text if self._last is None or self._last.passed else f"{text}\n{self._last}"


_SCOPE: Final = ("data", "input", "fixture")
_CACHE_SIZE: Final = 256
_KEY_LENGTH: Final = 4096
_cache: Final[dict[tuple[bytes, int], Matcher]] = {}


def _prepare(expected: object, options: Options | None, changes: dict[str, Any]) -> tuple[Matcher, dict[str, Any]]:
    """A matcher for one call, and the variables to match with."""
    if options is not None:
        return Matcher(expected, Options.build(options, changes)), {}
    scope = {name: changes.pop(name) for name in _SCOPE if name in changes}
    return _cached(expected, changes), scope


def _cached(expected: Any, changes: dict[str, Any]) -> Matcher:
    """A matcher, one of those compiled lately where expectation and options are plain data (as `re` keeps patterns).

    The key is their exact text in Python's own serialisation, which tells `1`, `1.0` and `True` apart and refuses
    everything that is no plain data. The matcher gets a copy, so that later changes of what was passed do not matter.
    """
    text = None if "operators" in changes else _plain_text((expected, changes))
    if text is None or len(text) > _KEY_LENGTH:
        return Matcher(expected, Options.build(None, changes))
    key = (text, generation())
    known = _cache.get(key)
    if known is not None and known.expected == expected:  # buffers have the same text as bytes
        return known
    copy, changes = marshal.loads(text)  # noqa: S302 (our own bytes)
    matcher = Matcher(copy, Options.build(None, changes), shared=True)
    if copy != expected:  # compared now that it is known to be no larger than an expectation may be
        return Matcher(expected, Options.build(None, changes))
    if matcher.is_self_contained:
        if len(_cache) >= _CACHE_SIZE:
            _cache.clear()
        _cache[key] = matcher
    return matcher


def _plain_text(value: Any) -> bytes | None:
    """Plain data as bytes (shared parts once); None for functions, patterns, records, and what is nested too deeply."""
    try:
        return marshal.dumps(value, 4)
    except ValueError:
        return None
