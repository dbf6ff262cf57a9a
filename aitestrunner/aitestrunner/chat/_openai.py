"""The provider `openai`: any service with OpenAI's chat completions, through the official client."""

from __future__ import annotations

import importlib.util
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from aitestrunner._secrets import sensitive_headers
from aitestrunner.chat._errors import (
    ChatError,
    GenerationError,
    InvalidResponseError,
    MissingKeyError,
    NetworkError,
    NotSupportedError,
)
from aitestrunner.chat._statuses import error_of_status

if TYPE_CHECKING:
    import openai

__all__ = ["OpenAIProvider"]

_NO_KEY: Final = "none"


class OpenAIProvider:
    """Asks a service through the official `openai` client (`pip install 'aitestrunner[openai]'`).

    Args:
        base_url: Where the service is; without it the client's own default, or its environment variable.
        api_key: The key. Without it and without `base_url`, the client reads `OPENAI_API_KEY`; a service with a
            `base_url` of yours is sent no key that you do not name.
        timeout: Seconds that one attempt may take.
        retries: How many attempts may follow the first, where the client finds that worthwhile.

    Raises:
        NotSupportedError: The client is not installed.
        MissingKeyError: There is no key.

    Example:
        >>> from aitestrunner.chat import ChatClient, NetworkError, OpenAIProvider
        >>> models = {"models": [{"name": "small", "provider": "local"}]}
        >>> local = OpenAIProvider(base_url="http://127.0.0.1:9/v1", retries=0)
        >>> try:
        ...     ChatClient("small", models=models, providers={"local": local}).complete("hi")
        ... except NetworkError as error:
        ...     print(error.code)
        4
    """

    def __init__(
        self, *, base_url: str | None = None, api_key: str | None = None, timeout: float = 60.0, retries: int = 2
    ) -> None:
        if importlib.util.find_spec("openai") is None:
            raise NotSupportedError(
                "the provider `openai` needs the official client: pip install 'aitestrunner[openai]'"
            )
        import openai

        self._secrets = sensitive_headers({})
        if api_key is not None:
            self._secrets.add(api_key)
        for name in ("openai", "openai._base_client", "httpx", "httpx2"):
            self._secrets.keep_out_of_log(name)
        key = api_key if api_key is not None or base_url is None else _NO_KEY
        try:
            self._client = openai.OpenAI(api_key=key, base_url=base_url, timeout=timeout, max_retries=retries)
        except openai.OpenAIError as error:
            raise MissingKeyError(f"the client of `openai` cannot be made: {error}") from None

    def complete(self, request: Mapping[str, Any], /) -> Mapping[str, Any]:
        """Answer with a whole `chat.completion`.

        Raises:
            ChatError: The service does not answer, or with an error.

        Example:
            >>> from aitestrunner.chat import OpenAIProvider
            >>> from aitestrunner.mock import MockServer
            >>> with MockServer() as server:
            ...     provider = OpenAIProvider(base_url=server.url)
            ...     message = {"role": "user", "content": "<echo>hello</echo>"}
            ...     answer = provider.complete({"model": "any", "messages": [message]})
            ...     provider.close()
            >>> answer["choices"][0]["message"]["content"]
            'hello'
        """
        with self._errors():
            return _plain(cast("Any", self._client.chat.completions.create)(**request))

    def stream(self, request: Mapping[str, Any], /) -> Iterator[Mapping[str, Any]]:
        """Answer with `chat.completion.chunk`s.

        Raises:
            ChatError: The service does not answer, or with an error, or breaks off.

        Example:
            >>> from aitestrunner.chat import OpenAIProvider
            >>> from aitestrunner.mock import MockServer
            >>> with MockServer() as server:
            ...     provider = OpenAIProvider(base_url=server.url)
            ...     message = {"role": "user", "content": "<echo>hello</echo>"}
            ...     chunks = list(provider.stream({"model": "any", "messages": [message], "stream": True}))
            ...     provider.close()
            >>> chunks[1]["choices"][0]["delta"]["content"]
            'hello'
        """
        with self._errors(), cast("Any", self._client.chat.completions.create)(**request) as chunks:
            for chunk in chunks:
                yield _plain(chunk)

    def embed(self, request: Mapping[str, Any], /) -> Mapping[str, Any]:
        """Answer a request for embeddings.

        Raises:
            ChatError: The service does not answer, or with an error.

        Example:
            >>> from aitestrunner.chat import OpenAIProvider
            >>> from aitestrunner.mock import MockServer
            >>> with MockServer() as server:
            ...     provider = OpenAIProvider(base_url=server.url)
            ...     answer = provider.embed({"model": "any", "input": "hello"})
            ...     provider.close()
            >>> len(answer["data"])
            1
        """
        with self._errors():
            return _plain(cast("Any", self._client.embeddings.create)(**request, encoding_format="float"))

    def close(self) -> None:
        """Close the connections.

        Example:
            >>> from aitestrunner.chat import OpenAIProvider
            >>> OpenAIProvider(base_url="http://127.0.0.1:9/v1").close()
        """
        self._client.close()

    @contextmanager
    def _errors(self) -> Generator[None]:
        """Inside, what the client raises becomes an error of ours, without the key."""
        import openai

        try:
            yield
            return
        except openai.APIConnectionError as error:
            failed: ChatError = NetworkError(self._secrets.mask(f"{error}: {error.__cause__ or 'no answer in time'}"))
        except openai.APIStatusError as error:
            message = self._secrets.mask(f"the service answered {error.status_code}: {error.message}")
            failed = error_of_status(error.status_code)(message)
        except openai.APIError as error:  # in a stream
            failed = GenerationError(self._secrets.mask(str(error)))
        except Exception as error:
            failed = self._of_transport(error)
        raise failed  # out of the handler: the client's error holds the request and its headers

    def _of_transport(self, error: Exception) -> ChatError:
        """A stream that breaks off is told by the client's HTTP library, an answer that is no JSON by the parser."""
        message = self._secrets.mask(f"{type(error).__name__}: {error}")
        if type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2"):
            return NetworkError(message)
        if isinstance(error, ValueError):
            return InvalidResponseError(message)
        raise error


def _plain(answer: openai.BaseModel | Any) -> dict[str, Any]:
    if not hasattr(answer, "model_dump"):
        raise InvalidResponseError(f"the answer is none of a model: {answer!r:.200}")
    return answer.model_dump()
