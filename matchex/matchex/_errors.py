"""The exceptions of matchex.

::

    Exception
    └── MatchexError
        ├── ExpectationError     an expectation is wrong; found before any value is looked at (also a ValueError)
        ├── MatchError           a verdict was asked for, but the outcome is an error
        ├── MatchingError        raised by operators and plugins: this check could not be done
        │   └── TemplateError    a placeholder could not be rendered
        ├── SchemaProblem        raised by a schema engine: the schema is wrong (also a ValueError)
        └── TemplateProblem      raised by a template engine: the template text is wrong (also a ValueError)

A value that does not match is no exception: it is a `MatchResult` with failures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "ExpectationError",
    "MatchError",
    "MatchexError",
    "MatchingError",
    "Problem",
    "SchemaProblem",
    "TemplateError",
    "TemplateProblem",
]


class MatchexError(Exception):
    """Base of every exception that matchex raises on purpose.

    Example:
        >>> import matchex
        >>> issubclass(matchex.ExpectationError, matchex.MatchexError)
        True
    """


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in an expectation.

    Attributes:
        path: Where in the expectation it stands, as in `user.tags.$contians`; `""` is the root.
        message: What is wrong, and what may be written instead.
        suggestion: For a misspelt name the nearest valid one, else None.

    Example:
        >>> import matchex
        >>> try:
        ...     matchex.compile({"tags": {"$contians": "a"}})
        ... except matchex.ExpectationError as error:
        ...     print(error.problems[0].suggestion)
        $contains
    """

    path: str
    message: str
    suggestion: str | None = None

    def __str__(self) -> str:
        return f"{self.path or '(root)'}: {self.message}"


class ExpectationError(MatchexError, ValueError):
    """An expectation that says nothing clear: every mistake in it, found before any value is looked at.

    Attributes:
        problems: All mistakes found, in the order of the expectation.

    Example:
        >>> import matchex
        >>> try:
        ...     matchex.validate(5, {"$gte": [1]})
        ... except matchex.ExpectationError as error:
        ...     print(error)
        $gte: $gte takes a number, a text or a date, not a list
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return str(self.problems[0])
        lines = "".join(f"\n  {problem}" for problem in self.problems)
        return f"{len(self.problems)} problems in the expectation:{lines}"


class MatchError(MatchexError):
    """A verdict was asked for (`bool(result)`, `matcher.matches(x)`, `Matches(e) == x`), but the outcome is an error.

    It is raised so that `assert not result` cannot succeed because a check broke.

    Example:
        >>> import matchex
        >>> try:
        ...     bool(matchex.validate(5, {"$expr": "total > 1"}))
        ... except matchex.MatchError as error:
        ...     print(str(error).splitlines()[0])
        the outcome is an error, neither a pass nor a failure
    """


class MatchingError(MatchexError):
    """Raise it in an operator or plugin when a check cannot be done; it becomes an error of the result, never a pass.

    Args:
        kind: A short word for the sort of trouble: `operator`, `expression`, `template`, `timeout`, `limit` …
        message: What went wrong, and what can be done about it. It must not contain secrets.

    Example:
        >>> import matchex
        >>> def flaky(actual, expected):
        ...     raise matchex.MatchingError("network", "the currency service does not answer")
        >>> result = matchex.validate(5, {"$rate": 1}, operators={"$rate": flaky})
        >>> result.status, result.errors[0].kind
        ('error', 'network')
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message

    def __reduce__(self) -> Any:
        return type(self), (self.kind, self.message)  # the arguments, so that it can be pickled


class TemplateError(MatchingError):
    """A placeholder that could not be rendered: an undefined name, a cycle, a filter that failed.

    Example:
        >>> from matchex.plugin import TemplateError
        >>> TemplateError("undefined variable 'usr'").kind
        'template'
    """

    def __init__(self, message: str) -> None:
        super().__init__("template", message)

    def __reduce__(self) -> Any:
        return type(self), (self.message,)


class SchemaProblem(MatchexError, ValueError):
    """Raised by a schema engine for a schema that is none.

    Args:
        message: What is wrong.
        keys: Where in the schema, as keys and indexes from its root.

    Example:
        >>> from matchex.plugin import SchemaProblem
        >>> SchemaProblem("'strin' is no type", ("type",)).keys
        ('type',)
    """

    def __init__(self, message: str, keys: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.keys = keys


class TemplateProblem(MatchexError, ValueError):
    """Raised by a template engine for a text whose braces close but do not parse.

    Example:
        >>> from matchex.plugin import TemplateProblem
        >>> str(TemplateProblem("unknown tag 'iff'"))
        "unknown tag 'iff'"
    """
