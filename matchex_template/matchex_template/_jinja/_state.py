"""What one run of a Jinja template carries along, and names that do not exist."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

import jinja2
from jinja2.runtime import Context

from matchex_template._scope import Scope

__all__ = ["RUN", "Run", "Unknown", "refuse_unknown", "run_of"]

RUN: Final = ""
"""The variable that holds the run: a name that no template can write."""


class Run:
    """The scope of a run, how to quote what it inserts, and what its expression gave."""

    __slots__ = ("quote", "result", "scope")

    def __init__(self, scope: Scope, quote: Callable[[str], str] | None = None) -> None:
        self.scope = scope
        self.quote = quote
        self.result: object = None


def run_of(context: Context) -> Run:
    """The run that a filter or function was called in."""
    return context.parent[RUN]


class Unknown(jinja2.StrictUndefined):
    """Stands for what does not exist: it may be tested, everything else raises the message it carries."""

    def __init__(
        self, hint: str | None = None, obj: Any = None, name: str | None = None, exc: Any = jinja2.UndefinedError
    ) -> None:
        super().__init__(hint or f"undefined variable `{name}`", name=name, exc=exc)

    def __bool__(self) -> bool:
        return False

    @property
    def message(self) -> str:
        """What does not exist, and what may have been meant."""
        return self._undefined_message


def refuse_unknown(value: object) -> None:
    """Raise the error of a name that does not exist."""
    if isinstance(value, Unknown):
        _raise(value)


def _raise(value: Unknown) -> NoReturn:
    raise jinja2.UndefinedError(value.message)
