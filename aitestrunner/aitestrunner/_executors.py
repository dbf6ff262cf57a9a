"""The runner's one link to what is tested: the executor protocol, and how a bare function becomes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, cast, runtime_checkable

from aitestrunner._errors import ExecutorError
from aitestrunner._threads import calling_aside

__all__ = [
    "AIExecutionContext",
    "AIExecutionResult",
    "AIScriptExecutor",
    "Answer",
    "Execute",
    "as_execute",
    "as_result",
]


@dataclass(frozen=True, slots=True)
class AIExecutionContext:
    """What an executor is told about a case. The expected answer is not in it.

    Args:
        script: What to run: the name of a prompt, a script, an agent.
        args: The input (`args["input"]`), its fields, and the case's variables, all rendered.
        options: Settings of the run for the executor (its `user_config`).
        fixture_id: The case's id, the same in every run.

    Example:
        >>> from aitestrunner import AIExecutionContext
        >>> AIExecutionContext("bot", {"input": "hi"}).args["input"]
        'hi'
    """

    script: str | None
    args: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fixture_id: str = ""

    @property
    def input(self) -> Any:
        """The case's input, or None.

        Example:
            >>> from aitestrunner import AIExecutionContext
            >>> AIExecutionContext("bot", {"input": "hi"}).input
            'hi'
        """
        return self.args.get("input")


_STANDARD: Final = ("output", "messages", "meta", "usage", "cost")


class AIExecutionResult:
    """What an executor answers. Further fields are allowed and can be asserted under `expect`.

    Args:
        output: The answer itself.
        messages: The conversation, in any provider's shape.
        meta: Anything worth keeping: model, finish reason, …
        usage: Tokens, as the provider counts them.
        cost: Its price, in a unit of your choice.
        extra: Further fields.

    Example:
        >>> from aitestrunner import AIExecutionResult
        >>> AIExecutionResult("42", model="small").fields()
        {'output': '42', 'model': 'small'}
    """

    __slots__ = ("cost", "extra", "messages", "meta", "output", "usage")

    def __init__(
        self,
        output: Any = None,
        *,
        messages: Iterable[Any] | None = None,
        meta: Any = None,
        usage: Any = None,
        cost: Any = None,
        **extra: Any,
    ) -> None:
        self.output = output
        self.messages = messages
        self.meta = meta
        self.usage = usage
        self.cost = cost
        self.extra = extra

    def __repr__(self) -> str:
        return f"AIExecutionResult({', '.join(f'{name}={value!r}' for name, value in self.fields().items())})"

    def fields(self) -> dict[str, Any]:
        """The fields that are there; the output always is.

        Example:
            >>> from aitestrunner import AIExecutionResult
            >>> AIExecutionResult(None, cost=0.2).fields()
            {'output': None, 'cost': 0.2}
        """
        standard = {name: getattr(self, name) for name in _STANDARD}
        return {name: value for name, value in standard.items() if name == "output" or value is not None} | self.extra


Answer = AIExecutionResult | Mapping[str, Any] | str | int | float | bool | list[Any]
"""What an executor may answer: a result, a mapping with `output` among its keys, or the bare output."""


@runtime_checkable
class AIScriptExecutor(Protocol):
    """Anything with this method can answer cases; a bare function of the context can too, `async` or not.

    Example:
        >>> from aitestrunner import AIExecutionResult, AIScriptExecutor
        >>> class Echo:
        ...     async def execute(self, context):
        ...         return AIExecutionResult(context.args["input"])
        >>> isinstance(Echo(), AIScriptExecutor)
        True
    """

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        """Answer one case.

        Args:
            context: What to run, and with what.

        Returns:
            The answer. Whatever is raised makes the case an error.

        """
        ...


Execute = Callable[[AIExecutionContext], Coroutine[Any, Any, AIExecutionResult]]
"""The one form of executor that the pipeline knows."""


def as_execute(executor: Any) -> Execute:
    """An executor of any accepted form as an `async` function.

    Raises:
        ExecutorError: It is none.
    """
    method = getattr(executor, "execute", None)
    call: Any = method if callable(method) and not isinstance(executor, type) else executor
    if not callable(call) or isinstance(call, type):
        hint = "; pass an instance, not the class" if isinstance(executor, type) else ""
        if isinstance(executor, str):
            hint = "; pass the function itself, or what `aitestrunner.executors.create_executor` makes of a name"
        raise ExecutorError(f"an executor is a function or has a method `execute`; got {executor!r}{hint}")

    is_async = inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__)

    async def execute(context: AIExecutionContext) -> AIExecutionResult:
        answer = call(context) if is_async else await calling_aside(call, context)
        if inspect.isawaitable(answer):
            answer = await answer
        return as_result(answer)

    return execute


def as_result(answer: Any) -> AIExecutionResult:
    """What an executor returned as a result.

    Raises:
        ExecutorError: It returned nothing.
    """
    if isinstance(answer, AIExecutionResult):
        return answer
    if answer is None:
        raise ExecutorError(
            "the executor returned None (a forgotten `return`?); if null is the answer, return AIExecutionResult(None)"
        )
    if isinstance(answer, Mapping) and "output" in answer:
        fields = {str(key): value for key, value in cast("Mapping[Any, Any]", answer).items()}
        return AIExecutionResult(fields.pop("output"), **fields)
    return AIExecutionResult(answer)
