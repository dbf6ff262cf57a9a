"""What compiling and running a pattern may raise."""

from __future__ import annotations

_SHOWN_CHARACTERS = 80


def shorten(text: str) -> str:
    """Cut a pattern to a length that fits into a message."""
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}… ({len(text)} characters)"


class PatternError(ValueError):
    """A pattern that does not compile.

    Attributes:
        message: why, in one sentence.
        position: index into the source where the trouble is, or None when it concerns the whole pattern.

    Example:
        >>> from matchex.plugin import PatternError, compile_pattern
        >>> try:
        ...     compile_pattern("(a")
        ... except PatternError as error:
        ...     print(error.message)
        unterminated group
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        self.message = message
        self.position = position
        super().__init__(message if position is None else f"{message} (at position {position})")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.message, self.position)


class PatternTimeout(Exception):
    """A search that was given up.

    Attributes:
        pattern: the pattern as `/source/flags`.
        length: number of characters of the subject.
        timeout: seconds that were allowed.

    Example:
        >>> from matchex.plugin import PatternTimeout
        >>> PatternTimeout("/(a+)+$/", 100_000, 1.0).length
        100000
    """

    def __init__(self, pattern: str, length: int, timeout: float, *, reason: str | None = None) -> None:
        self.pattern = pattern
        self.length = length
        self.timeout = timeout
        why = reason or f"did not finish within {timeout:g} s"
        super().__init__(
            f"pattern {shorten(pattern)} {why} on a text of {length} characters; "
            "simplify nested or adjacent repetitions such as (a+)+ or .*.*, or allow more time"
        )
        self._reason = reason

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _again, (self.pattern, self.length, self.timeout, self._reason)


def _again(pattern: str, length: int, timeout: float, reason: str | None) -> PatternTimeout:
    return PatternTimeout(pattern, length, timeout, reason=reason)
