"""The executor `http`: one request for each case."""

from __future__ import annotations

import asyncio
import email.utils
import json
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import parse_qsl, urlsplit

from matchex.plugin import lookup, parse_path

from aitestrunner._errors import ExecutionError, ExecutorError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, as_result
from aitestrunner._secrets import sensitive_headers
from aitestrunner.executors._checks import check, is_count, is_seconds, is_text, is_text_mapping
from aitestrunner.executors._per_loop import PerLoop
from aitestrunner.executors._requests import case_as_json, rendered
from matchex import MISSING

if TYPE_CHECKING:
    import httpx

__all__ = ["HttpExecutor"]

_RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT: Final = 60.0
_FIELDS: Final = ("output", "messages", "meta", "usage", "cost")
_SHOWN: Final = 300


class HttpExecutor:
    """Sends an HTTP request for each case.

    Connections that fail, time that runs out and the statuses 408, 425, 429, 500, 502, 503, 504 are tried again, after
    the seconds of `Retry-After` or half a second, one, two … Redirects are not followed.

    Args:
        url: Where to; a template, like `https://example.com/bots/{{script}}`. It holds no user and no password.
        method: The HTTP method.
        headers: Headers. Values of those that carry keys are masked wherever they come back.
        body: What is sent as JSON, a template with the variables of the case; a text is sent as it is. By default
            `{"id", "script", "input", "args"}`. None sends nothing.
        response_path: Where in the JSON of the response the answer stands, like `choices[0].message.content`, or a
            mapping of fields of the result (`output messages meta usage cost`) to such paths. By default a JSON object
            with `output` in it is a whole result, anything else the answer.
        timeout: Seconds that one attempt may take, from the first byte to the last.
        retries: How many attempts may follow the first.
        max_bytes: The longest response that is read.
        transport: Sends the requests, in place of the network: an `httpx` transport.

    Raises:
        ExecutorError: A wrong option.

    Example:
        >>> import asyncio, httpx, json
        >>> from aitestrunner import AIExecutionContext
        >>> from aitestrunner.executors import HttpExecutor
        >>> def server(request):
        ...     return httpx.Response(200, json={"reply": {"text": json.loads(request.content)["q"].upper()}})
        >>> executor = HttpExecutor(
        ...     "https://example.com/ask",
        ...     body={"q": "{{input}}"},
        ...     response_path="reply.text",
        ...     transport=httpx.MockTransport(server),
        ... )
        >>> asyncio.run(executor.execute(AIExecutionContext("bot", {"input": "hello"}))).output
        'HELLO'
    """

    def __init__(
        self,
        url: str,
        *,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
        body: Any = MISSING,
        response_path: str | Mapping[str, str] | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        max_bytes: int = 10_000_000,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        check("http", "url", url, is_text, "a text like https://example.com/ask")
        check("http", "method", method, is_text, "a text like POST")
        check("http", "headers", headers or {}, is_text_mapping, "a mapping of names to texts")
        check("http", "timeout", timeout, is_seconds, "a number of seconds above 0")
        check("http", "retries", retries, is_count, "a whole number of at least 0")
        check("http", "maxBytes", max_bytes, is_count, "a number of bytes")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ExecutorError(
                f"the option `url` of the executor `http` begins with http:// or https://; got {url!r:.80}"
            )
        if "@" in parts.netloc:
            raise ExecutorError(
                "the `url` of the executor `http` holds no user and password; use the header Authorization"
            )
        self._url = url
        self._method = method.upper()
        self._headers = dict(headers or {})
        self._body = body
        self._paths = _paths(response_path)
        self._timeout = timeout
        self._retries = retries
        self._max_bytes = max_bytes
        self._transport = transport
        self._secrets = sensitive_headers({**self._headers, **dict(parse_qsl(parts.query))})
        self._clients = PerLoop(self._client)

    @property
    def recorded_as(self) -> dict[str, Any]:
        """What names the executor in recordings: all that its answers depend on, and no secrets."""
        found = {
            "name": "http",
            "method": self._method,
            "url": self._url,
            "headers": self._headers,
            "body": None if self._body is MISSING else self._body,
            "responsePath": self._paths,
        }
        return self._secrets.masked(found)

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        """Answer one case.

        Raises:
            ExecutionError: Of kind `timeout`, `connection`, `status`, `limit` or `answer`.

        Example:
            >>> import asyncio, httpx
            >>> from aitestrunner import AIExecutionContext, ExecutionError
            >>> from aitestrunner.executors import HttpExecutor
            >>> refusing = httpx.MockTransport(lambda request: httpx.Response(403, text="not you"))
            >>> executor = HttpExecutor("https://example.com/ask", transport=refusing)
            >>> try:
            ...     asyncio.run(executor.execute(AIExecutionContext("bot", {"input": "hello"})))
            ... except ExecutionError as error:
            ...     print(error.kind, "|", error)
            status | POST https://example.com/ask answered 403 Forbidden: not you
        """
        request = self._request(context)
        attempt = 0
        while True:
            try:
                return self._result(await self._send(request))
            except _Again as again:
                trouble = again
            if attempt == self._retries:
                raise ExecutionError(trouble.kind, self._secrets.mask(f"{trouble.message}{_tried(attempt + 1)}"))
            await asyncio.sleep(min(_LONGEST_WAIT, 0.5 * 2**attempt if trouble.wait is None else trouble.wait))
            attempt += 1

    async def aclose(self) -> None:
        """Close the connections. A later case opens new ones."""
        client = self._clients.pop()
        if client is not None:
            await client.aclose()

    def _request(self, context: AIExecutionContext) -> dict[str, Any]:
        body = case_as_json(context) if self._body is MISSING else rendered(self._body, context)
        found: dict[str, Any] = {
            "method": self._method,
            "url": str(rendered(self._url, context)),
            "headers": {name: str(rendered(value, context)) for name, value in self._headers.items()},
        }
        self._secrets.add_all(sensitive_headers(found["headers"]))
        if isinstance(body, str):
            found["content"] = body.encode()
        elif body is not None:
            found["json"] = body
        return found

    async def _send(self, request: Mapping[str, Any]) -> tuple[Any, bytes]:
        """One attempt: the response and its body.

        Raises:
            _Again: It may go better next time.
            ExecutionError: It will not.
        """
        import httpx

        name = self._name(request)
        try:
            async with asyncio.timeout(self._timeout), self._clients.get().stream(**request) as response:
                body = await self._read(response, name)
        except (TimeoutError, httpx.TimeoutException):
            failed = _Again("timeout", f"{name} did not answer within {self._timeout:g} seconds")
        except httpx.TransportError as error:
            failed = _Again("connection", f"{name} failed: {type(error).__name__}: {error}".rstrip(": "))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            failed = ExecutionError("connection", self._secrets.mask(f"{name} failed: {type(error).__name__}: {error}"))
        else:
            return self._checked(response, body, name)
        raise failed  # out of the handler: the library's error holds the request and its headers

    def _client(self) -> httpx.AsyncClient:
        import httpx

        self._secrets.keep_out_of_log("httpx")
        return httpx.AsyncClient(timeout=self._timeout, transport=self._transport)

    async def _read(self, response: httpx.Response, name: str) -> bytes:
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > self._max_bytes:
                raise ExecutionError("limit", f"{name} answered with more than {self._max_bytes} bytes (`maxBytes`)")
        return bytes(body)

    def _checked(self, response: httpx.Response, body: bytes, name: str) -> tuple[Any, bytes]:
        status = response.status_code
        if 200 <= status < 300:
            return response, body
        said = body.decode("utf-8", "replace").strip()
        message = f"{name} answered {status} {response.reason_phrase}".rstrip() + (
            f": {said:.{_SHOWN}}" if said else ""
        )
        if status in _RETRIED:
            raise _Again("status", message, _retry_after(response.headers.get("retry-after")))
        raise ExecutionError("status", self._secrets.mask(message))

    def _name(self, request: Mapping[str, Any]) -> str:
        """The request in messages: without the query, where services take keys."""
        return f"{request['method']} {str(request['url']).partition('?')[0]}"

    def _result(self, answered: tuple[Any, bytes]) -> AIExecutionResult:
        response, body = answered
        try:
            text = body.decode(response.charset_encoding or "utf-8")
        except (UnicodeDecodeError, LookupError) as error:
            raise ExecutionError("answer", f"the response cannot be decoded: {error}") from None
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            if self._paths or "json" in response.headers.get("content-type", ""):
                shown = self._secrets.mask(text[:_SHOWN])
                raise ExecutionError("answer", f"the response is no JSON ({error}): {shown!r}") from None
            return AIExecutionResult(self._secrets.mask(text))
        value = self._secrets.masked(value)
        if self._paths is None:
            return AIExecutionResult(None) if value is None else as_result(value)
        return AIExecutionResult(**{name: _at(value, path) for name, path in self._paths.items()})


class _Again(Exception):
    """An attempt failed in a way that another may not."""

    def __init__(self, kind: str, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.wait = wait


def _paths(given: Any) -> dict[str, str] | None:
    if given is None:
        return None
    paths = {"output": given} if isinstance(given, str) else given
    known = isinstance(paths, Mapping) and all(
        key in _FIELDS and isinstance(path, str) for key, path in cast("Mapping[str, Any]", paths).items()
    )
    takes = f"a path, or a mapping of {', '.join(_FIELDS)} to paths, output among them"
    check("http", "responsePath", given, lambda _: known and "output" in paths, takes)
    return dict(cast("Mapping[str, str]", paths))


def _at(value: Any, path: str) -> Any:
    found = lookup(value, parse_path(path) if path else ())
    if found is MISSING:
        raise ExecutionError("answer", f"the response has nothing at {path!r}{_nearest_part(value, path)}")
    return found


def _nearest_part(value: Any, path: str) -> str:
    """How far a path leads, for a message."""
    for step in parse_path(path):
        below: Any = lookup(value, (step,))
        if below is MISSING:
            if isinstance(value, Mapping):
                return f": there is no {step!r} among {', '.join(map(repr, cast('Mapping[str, Any]', value))):.200}"
            return f": {step!r} leads nowhere in {value!r:.80}"
        value = below
    return ""


def _retry_after(header: str | None) -> float | None:
    """Seconds to wait, from a number or a date."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(header).timestamp() - time.time()
        except ValueError:
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _tried(attempts: int) -> str:
    return "" if attempts == 1 else f" (tried {attempts} times)"
