"""Asking user code: once for each place, with a context, awaiting what it returns in an asynchronous call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from matchex._aggregate import Aggregate
from matchex._errors import MatchingError
from matchex._expr import ExpressionError, UndefinedName
from matchex._node import Node
from matchex._outcome import Outcome, Run, Trouble
from matchex._paths import format_path
from matchex._raised import describe_error
from matchex._values import as_mapping

__all__ = ["Loop", "ask", "describe", "expression_problem", "positional_count", "scope_of", "settle"]


@dataclass(frozen=True, slots=True)
class Loop:
    """Where an item stands among its list: as expressions and user code see it.

    Attributes:
        index: Its index in the actual list.
        length: The length of the list.

    Example:
        >>> from matchex.plugin import Loop
        >>> Loop(0, 3).first, Loop(0, 3).last
        (True, False)
    """

    index: int
    length: int

    @property
    def first(self) -> bool:
        return self.index == 0

    @property
    def last(self) -> bool:
        return self.index == self.length - 1


@dataclass(frozen=True, slots=True)
class _Raised:
    error: Exception


def ask(run: Run, node: Node, what: str, function: Callable[..., Any], *arguments: Any, turn: object = None) -> Any:
    """The answer of user code; a second question at the same place gets the first answer.

    Args:
        run: The match.
        node: The node that asks.
        what: The function in words, for messages.
        function: Called with `arguments`; may return an awaitable.
        arguments: Its arguments.
        turn: Tells questions at the same place apart.

    Raises:
        MatchingError: It raised, or it is asynchronous and this call is not, or its answer is still awaited.
    """
    key = (id(node), tuple(run.keys), run.branch, turn)
    answer = run.answers.get(key, _UNASKED)
    if answer is _UNASKED:
        answer = _call(run, key, what, function, arguments)
        if not _is_unsettled(answer):
            run.answers[key] = answer
    if isinstance(answer, _Raised):
        error = answer.error
        if isinstance(error, MatchingError):
            raise error
        raise MatchingError("operator", f"{what} raised {describe_error(error)}") from error
    return answer


def _call(run: Run, key: Any, what: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    if key in run.pending:
        raise MatchingError("pending", f"{what} is still awaited")
    try:
        answer = function(*arguments)
    except Exception as error:
        return _Raised(error)
    if not inspect.isawaitable(answer):
        return answer
    if run.waits:
        run.pending[key] = answer
        raise MatchingError("pending", f"{what} is still awaited")
    if inspect.iscoroutine(answer):
        answer.close()  # never awaited: say so in our words, not in the interpreter's warning
    raise MatchingError("pending", f"{what} is asynchronous: call validate_async or match_async")


_UNASKED: Final = object()


def _is_unsettled(answer: object) -> bool:
    """Whether an operator summed up children that are still awaited: it has to be asked again."""
    return isinstance(answer, Aggregate) and any(_waits(child.outcome) for child in answer.children)


def _waits(out: Outcome) -> bool:
    if isinstance(out.info, Trouble):
        return out.info.kind == "pending"
    return any(_waits(child) for child in out.children)


async def settle(run: Run) -> None:
    """Await all pending answers together and keep them."""
    import asyncio

    pending, run.pending = run.pending, {}  # what is awaited may ask for more meanwhile
    answers = await asyncio.gather(*pending.values(), return_exceptions=True)
    for key, answer in zip(pending, answers, strict=True):
        if isinstance(answer, BaseException) and not isinstance(answer, Exception):
            raise answer  # cancellation and interrupts are not ours to keep
        if isinstance(answer, Exception):
            run.answers[key] = _Raised(answer)
        elif not _is_unsettled(answer):
            run.answers[key] = answer


def positional_count(function: Callable[..., Any]) -> int:
    """How many positional arguments a function asks for; one with a default counts when it is called `context`."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # built-in functions without a signature
        return 1
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return sum(p.default is p.empty or p.name == "context" for p in positional)


def describe(function: Any) -> str:
    """A function in words, for messages."""
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"the function {cast('str', name).replace('<locals>.', '')}()"


def expression_problem(error: ExpressionError, run: Run) -> str:
    """An expression's error in words, with where an undefined name is to be found."""
    if isinstance(error, UndefinedName):
        for source in ("data", "input"):
            if error.name in (as_mapping(getattr(run, source)) or ()):
                return f"{error}; did you mean {source}.{error.name}?"
    return str(error)


def scope_of(run: Run, actual: object, expected: object, names: frozenset[str]) -> dict[str, Any]:
    """The values of the names that an expression reads."""
    scope: dict[str, Any] = {"actual": actual}
    for name in names:
        if name == "expected":
            scope[name] = expected
        elif name in ("data", "input", "fixture"):
            scope[name] = getattr(run, name)
        elif name == "loop" and run.loop is not None:
            index, length = run.loop
            scope[name] = {"index": index, "first": index == 0, "last": index == length - 1, "length": length}
        elif name == "ctx":
            path = format_path(run.keys)  # `key` is the path too, as fixtures of the older engine expect
            scope[name] = {"actual": run.root, "root": run.root, "path": path, "key": path}
    return scope
