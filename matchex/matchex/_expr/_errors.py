"""What can be wrong with an expression: its text (before any value is looked at) or its evaluation."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "ExpressionError",
    "ExpressionLimit",
    "ExpressionSyntaxError",
    "UndefinedField",
    "UndefinedName",
    "suggestion",
]

_SHOWN_LINE = 160
_LISTED_NAMES = 8


class ExpressionSyntaxError(ValueError):
    """The text is no expression of the language.

    Attributes:
        message: What is wrong and what to write instead.
        text: The whole expression.
        column: Where it is wrong: an index into `text`, from 0.
    """

    def __init__(self, message: str, text: str, column: int) -> None:
        super().__init__(message, text, column)
        self.message = message
        self.text = text
        self.column = min(max(column, 0), len(text))

    def __str__(self) -> str:
        """The message, the line it is about, and a caret below the place."""
        start = self.text.rfind("\n", 0, self.column) + 1
        end = self.text.find("\n", self.column)
        line = self.text[start : end if end >= 0 else len(self.text)]
        offset = self.column - start
        if len(line) > _SHOWN_LINE:
            cut = max(0, offset - _SHOWN_LINE // 2)
            line, offset = line[cut : cut + _SHOWN_LINE], offset - cut
        line = line.replace("\t", " ").rstrip("\r")
        return f"{self.message} (column {self.column})\n    {line}\n    {' ' * offset}^"


class ExpressionError(Exception):
    """The expression went wrong while it was evaluated.

    Attributes:
        message: What went wrong, with the kinds of the values and the part of the expression it concerns.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.located = False

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _restored, (type(self), dict(self.__dict__))

    def locate(self, source: str) -> None:
        """Name the part of the expression that went wrong, unless a part of it was named already."""
        if not self.located:
            self.located = True
            self.message = f"{self.message} (in `{source}`)"

    def __str__(self) -> str:
        return self.message


def _restored(kind: type[ExpressionError], state: dict[str, object]) -> ExpressionError:
    """Copied or unpickled, whatever arguments its kind takes."""
    error = kind.__new__(kind)
    error.__dict__.update(state)
    return error


class UndefinedName(ExpressionError):
    """A name that is not in the scope.

    Attributes:
        name: The name.
        nearest: The most similar name that exists, or None.
    """

    def __init__(self, name: str, message: str, nearest: str | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.nearest = nearest
        self.located = True


class UndefinedField(ExpressionError):
    """A field, index or member that a value does not have.

    Attributes:
        path: The reference as it is written, such as `actual.user.nmae`.
        nearest: The most similar field or member that exists, or None.
    """

    def __init__(self, path: str, message: str, nearest: str | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.nearest = nearest
        self.located = True


class ExpressionLimit(ExpressionError):
    """A bound of `ExpressionLimits` was hit.

    Attributes:
        option: The name of the bound, a field of `ExpressionLimits`.
        value: Its value.
    """

    def __init__(self, option: str, value: float, what: str) -> None:
        super().__init__(f"{what}: the limit {option}={value} was reached")
        self.option = option
        self.value = value


def suggestion(nearest: str | None, candidates: Iterable[object], what: str) -> str:
    """The end of a message about an unknown name: the nearest one, or a list of the known ones."""
    if nearest is not None:
        return f"; did you mean {nearest!r}?"
    known = [str(name)[:40] for name in candidates]
    if not known:
        return ""
    more = f" and {len(known) - _LISTED_NAMES} more" if len(known) > _LISTED_NAMES else ""
    return f"; {what}: {', '.join(known[:_LISTED_NAMES])}{more}"
