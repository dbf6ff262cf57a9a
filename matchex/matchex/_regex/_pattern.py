"""Compiled patterns: which engine answers, and within which bounds."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from . import _parser, _python
from ._ast import BackReference, Expression, descendants
from ._emit import LOOP_CHUNK, Emitted, emit
from ._errors import PatternError, PatternTimeout
from ._exactness import Exactness, exactness
from ._folding import Fold, subject_fold
from ._machine import Machine, OutOfBounds
from ._re2 import LinearSearch, linear_search
from ._safety import expanded_size, longest_fast_subject

if TYPE_CHECKING:
    import regex

_STEPS_PER_SECOND = 5e7
"""Simple steps of `re`; measured are several times as many at the worst."""
_CHUNKED_FROM = 500_000
"""Subjects from this length on are searched with loops in pieces, see `emit`."""

_LARGEST_EXPANSION = 200_000
"""Nodes of a pattern with its counted repetitions written out; `regex` takes some 300 bytes for each."""

_Engine = Literal["re", "regex"]
_Spans = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """Where a pattern matched.

    Attributes:
        start: index of the first character, in code points.
        end: index behind the last character.
        groups: the texts of the groups, that of the whole match first; None for groups that took no part.
        named: the texts of the named groups.
    """

    start: int
    end: int
    groups: tuple[str | None, ...]
    named: dict[str, str | None]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A pattern compiled for an engine, with the numbers that the groups of the source have there."""

    pattern: re.Pattern[str] | regex.Pattern[str]
    group_numbers: tuple[int | None, ...]

    def spans(self, subject: str, start: int, *, sticky: bool, timeout: float | None) -> _Spans | None:
        look: Callable[..., Any] = self.pattern.match if sticky else self.pattern.search
        found = look(subject, start) if timeout is None else look(subject, start, timeout=timeout)
        if found is None:
            return None
        return tuple(
            edge for number in self.group_numbers for edge in ((-1, -1) if number is None else found.span(number))
        )


class Pattern:
    """A pattern that cannot hang, made by `compile_pattern` or `from_python`.

    Attributes:
        source: the source, without slashes and flags.
        flags: the flags, sorted.
        text: `/source/flags`; patterns with the same text are equal.

    Example:
        >>> from matchex.plugin import compile_pattern
        >>> compile_pattern("ab+", "i").search("ABBA", timeout=1)
        True
    """

    __slots__ = (
        "_compiled",
        "_exactness",
        "_expression",
        "_fast_search",
        "_fold",
        "_limit",
        "_linear",
        "_machine",
        "_python",
        "_sticky",
        "flags",
        "source",
        "text",
    )

    def __init__(self, source: str, flags: str, expression: Expression, python: re.Pattern[str] | None = None) -> None:
        if expanded_size(expression.root) > _LARGEST_EXPANSION:
            raise PatternError(
                f"the pattern is too large: more than {_LARGEST_EXPANSION} parts with its counts written out"
            )
        self.source = source
        self.flags = "".join(sorted(flags))
        self.text = f"/{source or '(?:)'}/{self.flags}"
        self._expression = expression
        self._python = python
        folds = python is None and "i" in flags
        self._fold: Fold | None = subject_fold("u" in flags or "v" in flags) if folds else None
        self._sticky = python is None and "y" in flags
        self._exactness = exactness(expression) if python is None else Exactness(to_search=False, to_find=False)
        self._compiled: dict[tuple[_Engine, bool, bool], _Compiled] = {}
        self._linear: LinearSearch | Literal["unknown"] | None = "unknown"
        self._machine: Machine | None = None
        self._fast_search = self._compile_fast_search()
        self._limit = (-1.0, -1)

    # ---- what it says of itself ----

    def __repr__(self) -> str:
        return f"<Pattern {self.text}>" if self._python is None else f"<Pattern {self._python!r}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pattern):
            return NotImplemented
        return self.text == other.text and self._python == other._python

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[Callable[..., Pattern], tuple[object, ...]]:
        if self._python is not None:
            return from_python, (self._python,)
        return compile_pattern, (self.source, self.flags)

    # ---- questions ----

    def search(self, subject: str, *, timeout: float) -> bool:
        r"""Whether the pattern matches somewhere in a text (with the flag `y`: at its start).

        Args:
            subject: the text.
            timeout: seconds allowed.

        Raises:
            PatternTimeout: no answer was found within the time (or the memory) allowed.

        Example:
            >>> from matchex.plugin import compile_pattern
            >>> compile_pattern(r"^\d+$").search("2024", timeout=1)
            True
        """
        if self._fold is not None:
            subject = self._fold(subject)
        known_timeout, length = self._limit
        if known_timeout != timeout:
            length = self._set_limit(timeout)
        if len(subject) <= length:
            return self._fast_search(subject) is not None  # pyright: ignore[reportOptionalCall] - no limit without it
        if self._exactness.to_search:
            return self._machine_spans(subject, 0, timeout) is not None
        return self._bounded_search(subject, timeout)

    def find(self, subject: str, start: int = 0, *, timeout: float) -> PatternMatch | None:
        """The first match at or after an index (with the flag `y`: at it), or None.

        Args:
            subject: the text.
            start: where to begin, in code points; assertions see the text before it.
            timeout: seconds allowed.

        Raises:
            PatternTimeout: as for `search`.

        Example:
            >>> from matchex.plugin import compile_pattern
            >>> compile_pattern("(?<key>[a-z]+)=").find("x: ab=1", timeout=1).named
            {'key': 'ab'}
        """
        spans = self._spans(self._folded(subject), start, timeout, timeout)
        return None if spans is None else self._match(subject, spans)

    def find_all(self, subject: str, *, timeout: float, limit: int) -> list[PatternMatch]:
        """All matches from left to right, as JavaScript's `matchAll` finds them.

        Args:
            subject: the text.
            timeout: seconds allowed for all of them together.
            limit: the most matches to return.

        Raises:
            PatternTimeout: as for `search`.

        Example:
            >>> from matchex.plugin import compile_pattern
            >>> [found.groups[0] for found in compile_pattern("[a-z]").find_all("a-b-c", timeout=1, limit=2)]
            ['a', 'b']
        """
        deadline = monotonic() + timeout
        folded = self._folded(subject)
        matches: list[PatternMatch] = []
        place = 0
        while place <= len(subject) and len(matches) < limit:
            spans = self._spans(folded, place, timeout, deadline - monotonic())
            if spans is None:
                break
            matches.append(self._match(subject, spans))
            place = spans[1] + (spans[0] == spans[1])
        return matches

    # ---- engines ----

    def _compile_fast_search(self) -> Callable[[str], object | None] | None:
        """The search without a clock, which serves subjects up to a length that `_set_limit` finds."""
        if self._exactness.to_search:
            return None
        if longest_fast_subject(self._expression.root, _STEPS_PER_SECOND) < 0:
            self._compile("regex", groups=False)
            return None
        if self._python is not None:
            return self._python.search
        try:
            compiled = self._compile("re", groups=False).pattern
        except PatternError:  # such as a lookbehind of variable length, which `re` does not know
            self._compile("regex", groups=False)
            return None
        return compiled.match if self._sticky else compiled.search

    def _set_limit(self, timeout: float) -> int:
        length = -1
        if self._fast_search is not None:
            length = longest_fast_subject(self._expression.root, _STEPS_PER_SECOND * timeout)
        self._limit = (timeout, length)
        return length

    def fast_length(self, timeout: float) -> int:
        """How long a text may be so that a search in it surely ends within the time; -1: no text is short enough.

        Args:
            timeout: seconds allowed.
        """
        known_timeout, length = self._limit
        return length if known_timeout == timeout else self._set_limit(timeout)

    def _compile(self, engine: _Engine, *, groups: bool, chunked: bool = False) -> _Compiled:
        key = (engine, groups, chunked)
        if key not in self._compiled:
            self._compiled[key] = self._compile_for(engine, groups, chunked)
        return self._compiled[key]

    def _compile_for(self, engine: _Engine, groups: bool, chunked: bool) -> _Compiled:
        root = self._expression.root
        captured = range(1, self._expression.group_count + 1) if groups or self._python else _referred(self._expression)
        emitted = emit(root, engine, captured, chunked=chunked)
        numbers = tuple(emitted.group_numbers.get(group) for group in range(1, self._expression.group_count + 1))
        return _Compiled(_compile_emitted(engine, emitted), (0, *numbers))

    def _bounded_search(self, subject: str, timeout: float) -> bool:
        if self._linear == "unknown":
            self._linear = linear_search(self._expression.root, sticky=self._sticky)
        answer = self._linear.search(subject, timeout) if self._linear else None
        if answer is not None:
            return answer
        return self._timed_spans(subject, 0, timeout, groups=False) is not None

    def _spans(self, subject: str, start: int, timeout: float, left: float) -> _Spans | None:
        """The spans of all groups; `left` is what is left of the timeout."""
        if left <= 0:
            raise PatternTimeout(self.text, len(subject), timeout)
        if self._exactness.to_find:
            return self._machine_spans(subject, start, left)
        if len(subject) > self.fast_length(timeout):
            return self._timed_spans(subject, start, left, groups=True)
        if self._python is not None:
            numbers = (0, *range(1, self._expression.group_count + 1))
            return _Compiled(self._python, numbers).spans(subject, start, sticky=False, timeout=None)
        return self._compile("re", groups=True).spans(subject, start, sticky=self._sticky, timeout=None)

    def _timed_spans(self, subject: str, start: int, timeout: float, *, groups: bool) -> _Spans | None:
        chunked = (
            len(subject) >= _CHUNKED_FROM
            and expanded_size(self._expression.root, loop=LOOP_CHUNK) <= _LARGEST_EXPANSION
        )
        compiled = self._compile("regex", groups=groups, chunked=chunked)
        try:
            return compiled.spans(subject, start, sticky=self._sticky, timeout=timeout)
        except TimeoutError:
            raise PatternTimeout(self.text, len(subject), timeout) from None
        except MemoryError:
            raise PatternTimeout(self.text, len(subject), timeout, reason="needs too much memory") from None

    def _machine_spans(self, subject: str, start: int, timeout: float) -> _Spans | None:
        if self._machine is None:
            self._machine = Machine(self._expression)
        try:
            return self._machine.match(subject, start, deadline=monotonic() + timeout, sticky=self._sticky)
        except OutOfBounds:
            raise PatternTimeout(self.text, len(subject), timeout) from None

    # ---- results ----

    def _folded(self, subject: str) -> str:
        return subject if self._fold is None else self._fold(subject)

    def _match(self, subject: str, spans: _Spans) -> PatternMatch:
        edges = zip(spans[::2], spans[1::2], strict=True)
        groups = tuple(None if end < 0 else subject[start:end] for start, end in edges)
        named = {name: groups[number] for name, number in self._expression.names.items()}
        return PatternMatch(spans[0], spans[1], groups, named)


def _referred(expression: Expression) -> frozenset[int]:
    return frozenset(node.group for node in descendants(expression.root) if isinstance(node, BackReference))


def _compile_emitted(engine: _Engine, emitted: Emitted) -> re.Pattern[str] | regex.Pattern[str]:
    if engine == "re":
        try:
            return re.compile(emitted.text, re.ASCII | re.DOTALL)
        except (re.error, OverflowError) as error:
            raise PatternError(f"the pattern cannot be translated: {error}") from None
    import regex

    try:
        return regex.compile(emitted.text, regex.VERSION0 | regex.DOTALL)
    except (regex.error, OverflowError, MemoryError) as error:
        raise PatternError(f"the pattern cannot be translated: {error or 'it needs too much memory'}") from None


def compile_pattern(source: str, flags: str = "") -> Pattern:
    r"""Compile a pattern with JavaScript's meaning.

    Texts are sequences of code points, whether or not `u` or `v` is set.

    Args:
        source: the source, without slashes.
        flags: distinct letters out of `dgimsuvy`; `d` and `g` have no effect, `y` anchors at the start.

    Raises:
        PatternError: it is no valid pattern, or cannot be supported; says why and where.

    Example:
        >>> from matchex.plugin import compile_pattern
        >>> compile_pattern(r"^(?<year>\d{4})", "m").text
        '/^(?<year>\\d{4})/m'
    """
    return _compile_known(source, flags) if len(source) <= _LONGEST_KEPT else _compile_new(source, flags)


def _compile_new(source: str, flags: str) -> Pattern:
    _parser.check_flags(flags)
    try:
        return Pattern(source, flags, _parser.parse(source, flags))
    except RecursionError:
        raise PatternError("the pattern is nested too deeply") from None


_LONGEST_KEPT = 1000
_compile_known = functools.lru_cache(maxsize=512)(_compile_new)
"""Patterns compiled lately, as `re` keeps them; long ones are not worth their memory."""


def from_python(pattern: re.Pattern[str]) -> Pattern:
    """Take over a compiled Python pattern: it keeps Python's rules, and cannot hang.

    Raises:
        PatternError: it is a pattern for bytes, or uses what cannot be supported.

    Example:
        >>> from_python(re.compile(r"(?x) a  b")).search("ab", timeout=1)
        True
    """
    try:
        expression = _python.read(pattern)
        letters = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x", re.ASCII: "a"}
        flags = "".join(letter for flag, letter in letters.items() if pattern.flags & flag)
        return Pattern(pattern.pattern, flags, expression, python=pattern)
    except RecursionError:
        raise PatternError("the pattern is nested too deeply") from None
