"""What a validator needs beside its schema: bounded patterns, formats, a limit on its work, and what was prepared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from matchex.plugin import MatchingError, PatternError, PatternTimeout, compile_pattern

from ._formats import NUMBER_FORMATS, TEXT_FORMATS

__all__ = ["MAX_STEPS", "Checks"]

MAX_STEPS: Final = 5_000_000
"""How many subschemas one validation may apply; a schema whose references multiply would otherwise run for years."""


class Checks:
    """Carried along by a jsonschema validator and all that come from it, in the place of its format checker.

    Args:
        regex_timeout: How long one search for a pattern may take, in seconds.
        formats: Whether formats are checked.

    Attributes:
        dialects: The validator class for each `$schema` that occurs.
        branches: For each `discriminator` (by the id of the schema that has it) the branch that each tag selects.
    """

    def __init__(self, regex_timeout: float, *, formats: bool = True) -> None:
        self.dialects: dict[str, Any] = {}
        self.branches: dict[int, Mapping[str, int]] = {}
        self._timeout = regex_timeout
        self._formats = formats
        self._patterns: dict[tuple[str, str | None], Any] = {}
        self._steps = MAX_STEPS

    def begin(self) -> None:
        """Forget the work of earlier validations."""
        self._steps = MAX_STEPS

    def spend(self) -> None:
        """Count one subschema applied.

        Raises:
            MatchingError: There were too many.
        """
        self._steps -= 1
        if self._steps < 0:
            raise MatchingError(
                "limit",
                f"the schema was applied {MAX_STEPS:,} times within one value, without an end; "
                "do its references multiply?",
            )

    def prepare(self, pattern: str, flags: str | None = None) -> None:
        """Compile a pattern of the schema.

        Raises:
            PatternError: It is no regular expression of ECMA-262.
        """
        self._compiled(pattern, flags)

    def search(self, pattern: str, text: str, flags: str | None = None) -> bool:
        """Whether the pattern occurs in the text.

        Raises:
            MatchingError: It took too long.
        """
        try:
            return bool(self._compiled(pattern, flags).search(text, timeout=self._timeout))
        except PatternTimeout:
            message = (
                f"the pattern {pattern!r} was stopped after {self._timeout:g} s on a text of {len(text)} characters"
            )
            raise MatchingError("timeout", message) from None

    def conforms(self, value: object, name: str) -> bool:
        """Whether a value has the named format: true for values of another type, and for formats that are not known."""
        if not self._formats:
            return True
        if isinstance(value, str):
            check = TEXT_FORMATS.get(name)
            return check is None or check(value)
        check_number = NUMBER_FORMATS.get(name)
        return check_number is None or check_number(value)

    def _compiled(self, pattern: str, flags: str | None) -> Any:
        found = self._patterns.get((pattern, flags))
        if found is None:
            compiled = _schema_pattern(pattern) if flags is None else compile_pattern(pattern, flags)
            found = self._patterns[pattern, flags] = compiled
        return found


def _schema_pattern(pattern: str) -> Any:
    r"""A pattern that comes without flags: in the syntax of `u`, which has `\p{L}`, or else in the older one."""
    try:
        return compile_pattern(pattern, "u")
    except PatternError:
        return compile_pattern(pattern)
