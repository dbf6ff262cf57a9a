"""The executor `mock`: the mock provider in place of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aitestrunner._errors import ExecutionError, ExecutorError, FixtureError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult
from aitestrunner.executors._checks import check, inside_folder, is_text
from aitestrunner.executors._completions import result_of_completion
from aitestrunner.executors._requests import chat_messages
from aitestrunner.mock import MockFault, MockProvider

__all__ = ["MockExecutor"]

_KINDS = {"status": "status", "reset": "connection", "cut": "connection", "invalidJson": "answer"}


class MockExecutor:
    """Answers with the mock provider: what an echo tag in the input says, or what a script of replies says.

    Args:
        script: Rules, or the file that holds them, relative to `base_dir`.
        model: The model's name in requests.
        system: A system prompt, a template.
        prompt: The user's message, a template; by default the input.
        base_dir: What a relative path is relative to.
        inside: The folder that it must lie in, where a fixture file names it.

    Attributes:
        provider: The provider, with its log of requests.

    Raises:
        ExecutorError: A wrong option, or a script that cannot be read.

    Example:
        >>> from aitestrunner import AITestRunner
        >>> from aitestrunner.executors import MockExecutor
        >>> runner = AITestRunner(MockExecutor())
        >>> runner.run_sync("bot", [{"input": "2 + 2? <echo>4</echo>", "output": {"$eq": "4"}}]).passed
        True
    """

    def __init__(
        self,
        script: str | Path | Sequence[Mapping[str, Any]] = (),
        *,
        model: str = "mock-model",
        system: str | None = None,
        prompt: str | None = None,
        base_dir: str | Path | None = None,
        inside: str | Path | None = None,
    ) -> None:
        check("mock", "model", model, is_text, "a text")
        if isinstance(script, (str, Path)):
            script = inside_folder(script, base_dir, inside, "the script of replies")
        try:
            self.provider = MockProvider(script)
        except (FixtureError, OSError) as error:
            raise ExecutorError(f"the script of replies cannot be read: {error}") from error
        self._model = model
        self._system = system
        self._prompt = prompt

    @property
    def recorded_as(self) -> dict[str, Any]:
        """What names the executor in recordings: all that its answers depend on, and no secrets."""
        names = {"model": self._model, "system": self._system, "prompt": self._prompt}
        return {"name": "mock", "script": self.provider.script, **names}

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        """Answer one case.

        Raises:
            ExecutionError: The reply is an error; its kind is that of the same error of a real provider.

        Example:
            >>> import asyncio
            >>> from aitestrunner import AIExecutionContext
            >>> from aitestrunner.executors import MockExecutor
            >>> asyncio.run(MockExecutor([{"reply": "hi"}]).execute(AIExecutionContext("bot", {"input": "x"}))).output
            'hi'
        """
        messages = chat_messages(context, system=self._system, prompt=self._prompt)
        request: dict[str, Any] = {"model": self._model, "messages": messages}
        if context.args.get("tools"):
            request["tools"] = context.args["tools"]
        try:
            return result_of_completion(await self.provider.complete_async(request), messages)
        except MockFault as fault:
            raise ExecutionError(
                _KINDS[fault.kind], f"the mock answered {fault.status or fault.kind}: {fault}"
            ) from None
