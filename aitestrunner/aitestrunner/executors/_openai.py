"""The executor `openai`: any service with OpenAI's chat completions, through the official client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from aitestrunner._errors import ExecutionError, ExecutorError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult
from aitestrunner._secrets import sensitive_headers
from aitestrunner.executors._checks import check, inside_folder, is_count, is_seconds, is_text, is_text_mapping
from aitestrunner.executors._completions import result_of_completion
from aitestrunner.executors._per_loop import PerLoop
from aitestrunner.executors._prices import PriceTable
from aitestrunner.executors._requests import chat_messages
from aitestrunner.executors._streams import Assembly

if TYPE_CHECKING:
    import openai

__all__ = ["OpenAIExecutor"]

_NO_KEY: Final = "none"
_LONGEST_WAIT: Final = 60.0
"""Seconds that the client waits at most before it asks again, also when a service asks for more."""


class OpenAIExecutor:
    """Asks a model through the official `openai` client (`pip install 'aitestrunner[openai]'`).

    The messages are those of the case (`messages` among its variables, or an input that is a list of them), else the
    prompt or the input as one message of the user. Tools that the case offers are passed on; calls that the model makes
    stand in the messages of the result, where `expect.tools` sees them.

    Args:
        model: The model.
        base_url: Where the service is; without it the client's own default, or its environment variable.
        api_key: The key. Without it and without `base_url`, the client reads `OPENAI_API_KEY`; a service with a
            `base_url` of yours is sent no key that you do not name, so write `${NAME}` where it needs one.
        system: A system prompt, a template.
        prompt: The user's message, a template; by default the input.
        response_format: The shape of the answer: `{type: json_object}`, or `{type: json_schema, json_schema: …}`.
        stream: Whether the answer is streamed; the result is the same.
        params: Further parameters of the request: `temperature`, `max_tokens`, `seed`, `tool_choice` …
        headers: Further headers.
        prices: A table of prices, or its file, by which `cost` is worked out: `{MODEL: {input: n, output: n}}` per
            million tokens.
        timeout: Seconds that one attempt may take.
        retries: How many attempts may follow the first, where the client finds that worthwhile.
        max_bytes: The longest answer, in characters of text and arguments, that is read from a stream. (An answer that
            is not streamed is read by the client as a whole.)
        base_dir: What a relative path is relative to.
        inside: The folder that it must lie in, where a fixture file names it.

    Raises:
        ExecutorError: A wrong option, or the client is not installed.

    Example:
        >>> from aitestrunner.executors import OpenAIExecutor
        >>> executor = OpenAIExecutor("small", base_url="http://localhost:8000/v1", params={"temperature": 0})
        >>> type(executor).__name__
        'OpenAIExecutor'
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        system: str | None = None,
        prompt: str | None = None,
        response_format: Mapping[str, Any] | None = None,
        stream: bool = False,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        prices: Mapping[str, Any] | str | Path | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        max_bytes: int = 10_000_000,
        base_dir: str | Path | None = None,
        inside: str | Path | None = None,
    ) -> None:
        _check_installed()
        check("openai", "model", model, is_text, "the name of a model")
        for name, value in {"baseUrl": base_url, "apiKey": api_key, "system": system, "prompt": prompt}.items():
            check("openai", name, value, lambda value: value is None or is_text(value), "a text")
        check("openai", "headers", headers or {}, is_text_mapping, "a mapping of names to texts")
        check("openai", "params", params or {}, lambda value: isinstance(value, Mapping), "a mapping")
        check("openai", "stream", stream, lambda value: isinstance(value, bool), "true or false")
        check("openai", "timeout", timeout, is_seconds, "a number of seconds above 0")
        check("openai", "retries", retries, is_count, "a whole number of at least 0")
        check("openai", "maxBytes", max_bytes, is_count, "a number of bytes")
        self._model = model
        self._base_url = base_url
        self._api_key = api_key if api_key is not None or base_url is None else _NO_KEY
        self._system = system
        self._prompt = prompt
        self._stream = stream
        self._params = dict(params or {})
        if response_format is not None:
            self._params["response_format"] = response_format
        self._headers = dict(headers or {})
        if isinstance(prices, (str, Path)):
            prices = inside_folder(prices, base_dir, inside, "the table of prices")
        self._prices = PriceTable(prices) if prices is not None else None
        self._timeout = timeout
        self._retries = retries
        self._max_bytes = max_bytes
        self._secrets = sensitive_headers(self._headers)
        if api_key is not None:
            self._secrets.add(api_key)
        self._clients = PerLoop(self._client)

    @property
    def recorded_as(self) -> dict[str, Any]:
        """What names the executor in recordings: all that its answers depend on, and no secrets."""
        found = {
            "name": "openai",
            "model": self._model,
            "baseUrl": self._base_url,
            "system": self._system,
            "prompt": self._prompt,
            "params": self._params,
            "headers": self._headers,
        }
        return self._secrets.masked(found)

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        """Answer one case.

        Raises:
            ExecutionError: Of kind `timeout`, `connection`, `status`, `limit`, `answer` or `input`.

        Example:
            >>> import asyncio
            >>> from aitestrunner import AIExecutionContext, ExecutionError
            >>> from aitestrunner.executors import OpenAIExecutor
            >>> executor = OpenAIExecutor("small", base_url="http://127.0.0.1:9/v1", retries=0)
            >>> try:
            ...     asyncio.run(executor.execute(AIExecutionContext("bot", {"input": "hello"})))
            ... except ExecutionError as error:
            ...     print(error.kind)
            connection
        """
        messages = chat_messages(context, system=self._system, prompt=self._prompt)
        request: dict[str, Any] = {"model": self._model, "messages": messages, **self._params}
        if context.args.get("tools"):
            request["tools"] = _as_tools(context.args["tools"])
        completion = self._secrets.masked(await self._ask(request))
        usage = completion.get("usage")
        cost = self._prices.cost(completion.get("model") or self._model, usage) if self._prices else None
        return result_of_completion(completion, messages, cost=cost)

    async def aclose(self) -> None:
        """Close the connections. A later case opens new ones."""
        client = self._clients.pop()
        if client is not None:
            await client.close()

    async def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON of the completion.

        Raises:
            ExecutionError: There is none.
        """
        import openai

        longest = self._timeout * (self._retries + 1) + _LONGEST_WAIT * self._retries
        try:
            async with asyncio.timeout(longest):
                return await self._completion(request)
        except TimeoutError:
            failed = ExecutionError("timeout", f"the answer was not complete within {longest:g} seconds")
        except openai.APITimeoutError:
            failed = ExecutionError("timeout", f"the model did not answer within {self._timeout:g} seconds")
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            failed = ExecutionError("connection", self._masked(f"{type(cause).__name__}: {cause}"))
        except openai.APIStatusError as error:
            failed = ExecutionError(
                "status", self._masked(f"the service answered {error.status_code}: {error.message}")
            )
        except (openai.APIError, openai.OpenAIError) as error:
            failed = ExecutionError("answer", self._masked(f"{type(error).__name__}: {error}"))
        except (ValueError, TypeError, AttributeError) as error:  # what the client makes of an answer that is none
            failed = ExecutionError(
                "answer", self._masked(f"the answer cannot be read: {type(error).__name__}: {error}")
            )
        except Exception as error:
            if not _is_transport_error(error):
                raise
            failed = ExecutionError("connection", self._masked(f"{type(error).__name__}: {error}"))
        raise failed  # out of the handler: the client's error holds the request and its headers

    async def _completion(self, request: Mapping[str, Any]) -> dict[str, Any]:
        create = cast("Any", self._clients.get().chat.completions.create)
        if not self._stream:
            completion = await create(**request)
            return completion.model_dump() if hasattr(completion, "model_dump") else _no_completion(completion)
        assembly = Assembly(self._max_bytes)
        chunks: AsyncIterable[Any] = await create(**request, stream=True, stream_options={"include_usage": True})
        async for chunk in chunks:
            assembly.add(chunk.model_dump())
        return assembly.completion()

    def _client(self) -> openai.AsyncOpenAI:
        import openai

        for name in ("openai", "openai._base_client", "httpx", "httpx2"):
            self._secrets.keep_out_of_log(name)
        try:
            return openai.AsyncOpenAI(
                api_key=self._api_key,
                base_url=self._base_url,
                timeout=self._timeout,
                max_retries=self._retries,
                default_headers=self._headers,
            )
        except openai.OpenAIError as error:
            raise ExecutionError("start", f"the client cannot be made: {error}") from None

    def _masked(self, text: str) -> str:
        return self._secrets.mask(text)


def _check_installed() -> None:
    import importlib.util

    if importlib.util.find_spec("openai") is None:
        raise ExecutorError("the executor `openai` needs the official client: pip install 'aitestrunner[openai]'")


def _is_transport_error(error: Exception) -> bool:
    """Whether the client's HTTP library raised an error; which library that is depends on the client's version."""
    return type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2")


def _no_completion(value: Any) -> dict[str, Any]:
    raise ExecutionError("answer", f"the response is no chat completion: {value!r:.200}")


def _as_tools(tools: Any) -> list[dict[str, Any]]:
    """Tools in OpenAI's shape: `{name, description, parameters}` is completed, a bare name takes any arguments."""
    if not isinstance(tools, (list, tuple)):
        raise ExecutionError("input", f"the tools of a case for a model are a list; got {tools!r:.80}")
    found: list[dict[str, Any]] = []
    for tool in cast("Sequence[Any]", tools):
        if isinstance(tool, str):
            tool = {"name": tool, "parameters": {"type": "object"}}
        if not isinstance(tool, Mapping):
            raise ExecutionError("input", f"a tool is a name or a mapping; got {tool!r:.80}")
        fields = dict(cast("Mapping[str, Any]", tool))
        found.append(fields if "function" in fields else {"type": "function", "function": fields})
    return found
