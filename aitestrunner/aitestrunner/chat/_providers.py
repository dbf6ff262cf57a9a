"""What answers: the mock, a service, or a provider of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol, runtime_checkable

from aitestrunner._errors import ExecutionError
from aitestrunner.chat._errors import (
    ChatError,
    GenerationError,
    InvalidResponseError,
    NetworkError,
    NotSupportedError,
    UnknownProviderError,
)
from aitestrunner.chat._models import ChatModel, among
from aitestrunner.chat._openai import OpenAIProvider
from aitestrunner.chat._statuses import error_of_status
from aitestrunner.mock import MockFault, MockProvider
from aitestrunner.mock._embeddings import embeddings
from aitestrunner.mock._turns import History

__all__ = ["ChatProvider", "embed", "errors_translated", "provider_of"]


@runtime_checkable
class ChatProvider(Protocol):
    """A service of your own, for models whose `provider` is the name that you give it.

    Requests and answers are those of OpenAI's chat completions. It may raise any `ChatError`; a method `embed(request)`
    may answer requests for embeddings.

    Example:
        >>> from aitestrunner.chat import ChatClient, ChatProvider
        >>> class Parrot:
        ...     def complete(self, request):
        ...         said = request["messages"][-1]["content"]
        ...         return {"choices": [{"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}]}
        ...     def stream(self, request):
        ...         yield {"choices": [{"delta": {"content": "…"}, "finish_reason": "stop"}]}
        >>> isinstance(Parrot(), ChatProvider)
        True
        >>> models = {"models": [{"name": "polly", "provider": "parrot"}]}
        >>> ChatClient("polly", models=models, providers={"parrot": Parrot()}).complete("hello").text
        'hello'
    """

    def complete(self, request: Mapping[str, Any], /) -> Mapping[str, Any]:
        """Answer with a whole `chat.completion`."""
        ...

    def stream(self, request: Mapping[str, Any], /) -> Iterator[Mapping[str, Any]]:
        """Answer with `chat.completion.chunk`s."""
        ...


class _MockSession:
    """The mock as a session asks it: whose tags count is the client's choice."""

    def __init__(self, provider: MockProvider, history: History) -> None:
        self._provider = provider
        self._history: History = history

    def complete(self, request: Mapping[str, Any], /) -> Mapping[str, Any]:
        return self._provider.complete(request, history=self._history)

    def stream(self, request: Mapping[str, Any], /) -> Iterator[Mapping[str, Any]]:
        return self._provider.stream(request, history=self._history)

    def embed(self, request: Mapping[str, Any], /) -> Mapping[str, Any]:
        return embeddings(request)


def provider_of(model: ChatModel, given: Mapping[str, ChatProvider], history: History) -> ChatProvider:
    """The provider of a model.

    Raises:
        UnknownProviderError: There is none of that name.
        MissingKeyError: It needs a key, and there is none.
    """
    if model.provider not in (*_BUILT_IN, *given):
        known = among(model.provider, {**_BUILT_IN, **given})
        raise UnknownProviderError(
            f"the model {model.name!r} has the provider {model.provider!r}, which is none{known}"
        )
    provider = given[model.provider] if model.provider in given else _BUILT_IN[model.provider]()
    return _MockSession(provider, history) if isinstance(provider, MockProvider) else provider


def embed(provider: ChatProvider, request: Mapping[str, Any]) -> list[list[float]]:
    """The vectors of a request for embeddings.

    Raises:
        ChatError: There are none.
    """
    answer = getattr(provider, "embed", None)
    if answer is None:
        raise NotSupportedError(f"the provider of {request['model']!r} has no embeddings")
    with errors_translated():
        return [entry["embedding"] for entry in answer(request)["data"]]


_BUILT_IN: Final[Mapping[str, Callable[[], ChatProvider]]] = {"mock": MockProvider, "openai": OpenAIProvider}
_BY_KIND: Final[Mapping[str, type[ChatError]]] = {
    "reset": NetworkError,
    "cut": NetworkError,
    "connection": NetworkError,
    "timeout": NetworkError,
    "invalidJson": InvalidResponseError,
    "answer": InvalidResponseError,
    "limit": InvalidResponseError,
}


@contextmanager
def errors_translated() -> Generator[None]:
    """Inside, what a provider raises becomes an error of the chat client."""
    try:
        yield
    except MockFault as fault:
        raise _BY_KIND.get(fault.kind, error_of_status(fault.status))(str(fault)) from fault
    except ExecutionError as error:
        raise _BY_KIND.get(error.kind, GenerationError)(str(error)) from error
