"""The chat client: a session with one model, its history, and what it used.

The lock is held while the state is read or changed, never while a provider answers or a callback runs: so a callback
may use the client that calls it.
"""

from __future__ import annotations

import copy
import dataclasses
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Unpack, cast

from aitestrunner.chat._cache import CacheCounters, ResponseCache, key_of
from aitestrunner.chat._errors import GenerationError, InvalidRequestError
from aitestrunner.chat._limits import check_limits, estimated_cost
from aitestrunner.chat._model_files import load_models
from aitestrunner.chat._models import MOCK_MODEL, ChatModel, find_model
from aitestrunner.chat._providers import ChatProvider, embed, errors_translated, provider_of
from aitestrunner.chat._response import ChatResponse, ChatStatistics, response_of
from aitestrunner.chat._settings import ChatSettings, checked
from aitestrunner.executors._prices import PriceTable
from aitestrunner.executors._streams import Assembly
from aitestrunner.mock._turns import History

__all__ = ["ChatClient"]

Messages = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""What is said: a text of the user, a message, or several."""

_ROLES: Final = ("system", "developer", "user", "assistant", "tool")
_MOST_CHARACTERS: Final = 10_000_000
"""How long a streamed answer may be."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """A request on its way: what is new in it, and all that is sent."""

    model: ChatModel
    provider: ChatProvider
    new: list[dict[str, Any]]
    request: dict[str, Any]
    key: str


class ChatClient:
    """A session with one model: it remembers what was said, and counts what it used.

    Args:
        model: The name of the model.
        models: Where the models are described: a JSON or YAML file, a folder of them, or what one holds; see
            `load_models`. Without it there is `mock-model`, which says what it is told to.
        providers: Providers by their names, besides `mock` and `openai`, whose places may be taken too: by a
            `MockProvider` with a script, by an `OpenAIProvider` with another address.
        system: The system prompt; it is the first message of the history.
        history: Whose tags count for the mock: those of the `newest` turn, then the system prompt's; or those of `all`
            messages, where the oldest wins.
        cache_ttl: Seconds for which a response is kept and given again to the same request; without it none is kept.
        cost_limit: A request that might take the costs above it is refused, by an estimate of what it reads.
        settings: `temperature`, `max_tokens`, `tools` and the others of `ChatSettings`, for the whole session.

    Raises:
        UnknownModelError: There is no such model.
        UnknownProviderError: Its provider is not there.
        MissingKeyError: Its provider needs a key, and there is none.
        InvalidRequestError: A setting is wrong.
        ValueError: Another argument is.
        FixtureError: The description of models has problems; all of them are in it.
        OSError: It cannot be read.

    Example:
        >>> from aitestrunner.chat import ChatClient
        >>> client = ChatClient("mock-model", system="You are brief.")
        >>> client.complete("2 + 2? <echo>4</echo>").text
        '4'
        >>> [message["role"] for message in client.messages]
        ['system', 'user', 'assistant']
    """

    def __init__(
        self,
        model: str,
        *,
        models: str | Path | Mapping[str, Any] | None = None,
        providers: Mapping[str, ChatProvider] | None = None,
        system: str | None = None,
        history: History = "newest",
        cache_ttl: float | None = None,
        cost_limit: float | None = None,
        **settings: Unpack[ChatSettings],
    ) -> None:
        if history not in ("newest", "all"):
            raise ValueError(f"`history` is 'newest' or 'all'; got {history!r}")
        for name, value in (("cache_ttl", cache_ttl), ("cost_limit", cost_limit)):
            if value is not None and not value >= 0:
                raise ValueError(f"`{name}` is a number, at least 0; got {value!r}")
        self._models = {MOCK_MODEL.name: MOCK_MODEL} if models is None else load_models(models)
        self._providers = dict(providers or {})
        self._whose_tags: History = history
        self._model = find_model(model, self._models)
        self._provider = provider_of(self._model, self._providers, history)
        self._settings = checked(settings)
        self._system = [{"role": "system", "content": system}] if system else []
        self._history = copy.deepcopy(self._system)
        self._statistics = ChatStatistics()
        self._cache = None if cache_ttl is None else ResponseCache(cache_ttl)
        self._cost_limit = cost_limit
        self._lock = threading.Lock()

    @property
    def model(self) -> ChatModel:
        """The model that is asked."""
        return self._model

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The history, a copy: the system prompt, then what was said."""
        with self._lock:
            return copy.deepcopy(self._history)

    @property
    def statistics(self) -> ChatStatistics:
        """What the session used so far."""
        with self._lock:
            return self._statistics

    @property
    def cache(self) -> CacheCounters:
        """What the cache did so far; nothing where there is none."""
        return CacheCounters() if self._cache is None else self._cache.counters

    def complete(self, messages: Messages = (), **settings: Unpack[ChatSettings]) -> ChatResponse:
        """Ask the model, with the history before it, and remember both sides.

        System messages of a request are sent, but not remembered. A response out of the cache adds nothing to the
        history. Where it fails, nothing is remembered.

        Args:
            messages: What to say; without it the history alone is sent.
            settings: Settings for this request, in place of the session's.

        Raises:
            ChatError: There is no response; the class and its `code` say why.

        Example:
            >>> from aitestrunner.chat import ChatClient
            >>> client = ChatClient("mock-model", cache_ttl=60)
            >>> [client.complete("Hi. <echo>Hello!</echo>").from_cache for _ in range(2)]
            [False, True]
        """
        turn = self._turn(messages, settings)
        turn.model.require("completion")
        kept = None if self._cache is None else self._cache.find(turn.key)
        if kept is not None:
            response = dataclasses.replace(copy.deepcopy(kept), from_cache=True)
            self._remember([], response)
            return response
        self._check_spending(turn)
        with errors_translated():
            completion = turn.provider.complete(turn.request)
        response = self._answered(turn, completion)
        if self._cache is not None:
            self._cache.keep(turn.key, copy.deepcopy(response))
        return response

    def stream(
        self, messages: Messages, callback: Callable[[str, bool], object], **settings: Unpack[ChatSettings]
    ) -> ChatResponse:
        """Ask the model and hear of the answer as it comes; the cache is neither read nor written.

        The callback may use the client: it is called as `callback(piece, False)` for each piece of text, and once the
        answer stands in the history as `callback("", True)`.

        Raises:
            ChatError: There is no response; the class and its `code` say why.

        Example:
            >>> from aitestrunner.chat import ChatClient
            >>> heard = []
            >>> response = ChatClient("mock-model").stream(
            ...     "<echo>a long answer</echo>", lambda piece, done: heard.append((piece, done))
            ... )
            >>> heard
            [('a long ans', False), ('wer', False), ('', True)]
        """
        turn = self._turn(messages, settings)
        turn.model.require("streaming")
        self._check_spending(turn)
        response = self._answered(turn, _streamed(turn, callback))
        callback("", True)
        return response

    def embed(self, texts: str | Sequence[str]) -> list[list[float]]:
        """The vectors of texts, one each.

        Raises:
            NotSupportedError: The model or its provider has no embeddings.
            InvalidRequestError: There is no text, or an empty one.

        Example:
            >>> from aitestrunner.chat import ChatClient
            >>> [len(vector) for vector in ChatClient("mock-model").embed(["one", "two"])]
            [256, 256]
        """
        with self._lock:
            model, provider = self._model, self._provider
        model.require("embeddings")
        return embed(provider, {"model": model.name, "input": texts if isinstance(texts, str) else list(texts)})

    def add(self, message: Mapping[str, Any]) -> None:
        """Put a message at the end of the history, without asking.

        Raises:
            InvalidRequestError: It is no message.

        Example:
            >>> from aitestrunner.chat import ChatClient
            >>> client = ChatClient("mock-model")
            >>> client.add({"role": "user", "content": "<echo>from before</echo>"})
            >>> client.complete().text
            'from before'
        """
        added = _as_messages(message)
        with self._lock:
            self._history += added

    def add_tool_result(self, call_id: str, content: str) -> None:
        """Put what a tool gave back at the end of the history; the next request sends it.

        Example:
            >>> from aitestrunner.chat import ChatClient
            >>> client = ChatClient("mock-model")
            >>> call = '<echo-tool>{"name": "search", "id": "1"}</echo-tool> <echo>Sunny.</echo>'
            >>> response = client.complete(f"Will it rain? {call}")
            >>> client.add_tool_result(response.tool_calls[0]["id"], "no rain")
            >>> client.complete().text
            'Sunny.'
        """
        self.add({"role": "tool", "tool_call_id": call_id, "content": content})

    def clear(self) -> None:
        """Forget what was said; the system prompt stays.

        Example:
            >>> from aitestrunner.chat import ChatClient
            >>> client = ChatClient("mock-model", system="Be brief.")
            >>> _ = client.complete("hi")
            >>> client.clear()
            >>> client.messages
            [{'role': 'system', 'content': 'Be brief.'}]
        """
        with self._lock:
            self._history = copy.deepcopy(self._system)

    def reset_statistics(self) -> None:
        """Begin to count anew.

        Example:
            >>> from aitestrunner.chat import ChatClient
            >>> client = ChatClient("mock-model")
            >>> _ = client.complete("hi")
            >>> client.reset_statistics()
            >>> client.statistics.completions
            0
        """
        with self._lock:
            self._statistics = ChatStatistics()

    def use_model(self, name: str) -> None:
        """Go on with another model: history, tools and settings stay, the statistics begin anew.

        Raises:
            UnknownModelError: There is no such model; the client keeps the one that it has.
            UnknownProviderError: Its provider is not there; the same.

        Example:
            >>> from aitestrunner.chat import ChatClient
            >>> models = {"models": [{"name": "big", "provider": "mock"}, {"name": "small", "provider": "mock"}]}
            >>> client = ChatClient("big", models=models)
            >>> client.use_model("small")
            >>> client.complete("hi").model
            'small'
        """
        model = find_model(name, self._models)
        provider = provider_of(model, self._providers, self._whose_tags)
        with self._lock:
            self._model, self._provider = model, provider
            self._statistics = ChatStatistics()

    def _turn(self, messages: Messages, settings: Mapping[str, Any]) -> _Turn:
        new = _as_messages(messages)
        merged = {**self._settings, **checked(settings)}
        with self._lock:
            model, provider, before = self._model, self._provider, copy.deepcopy(self._history)
        if merged.get("tools"):
            model.require("tools")
        else:  # a service refuses an empty list
            merged.pop("tools", None)
        request = {"model": model.name, "messages": [*before, *copy.deepcopy(new)], **merged}
        check_limits(model, request)
        asked = {"model": model.name, "system": self._system, "messages": new or before, "settings": merged}
        return _Turn(model, provider, new, request, key_of(asked))

    def _answered(self, turn: _Turn, completion: Mapping[str, Any]) -> ChatResponse:
        prices = None if turn.model.prices is None else PriceTable({turn.model.name: turn.model.prices})
        usage = completion.get("usage") if isinstance(completion, Mapping) else None  # pyright: ignore[reportUnnecessaryIsInstance]
        cost = None if prices is None else prices.cost(turn.model.name, usage)
        response = response_of(completion, turn.model.name, cost)
        said = [message for message in turn.new if message["role"] != "system"]
        self._remember([*said, copy.deepcopy(dict(response.message))], response)
        return response

    def _remember(self, messages: list[dict[str, Any]], response: ChatResponse) -> None:
        with self._lock:
            self._history += messages
            self._statistics = self._statistics.plus(response)

    def _check_spending(self, turn: _Turn) -> None:
        if self._cost_limit is None:
            return
        spent, estimate = self.statistics.cost, estimated_cost(turn.model, turn.request)
        if spent + estimate > self._cost_limit:
            raise GenerationError(
                f"the request might cost {estimate:g} besides the {spent:g} spent; the limit is {self._cost_limit:g}"
            )


def _streamed(turn: _Turn, callback: Callable[[str, bool], object]) -> dict[str, Any]:
    """The completion that the chunks of a stream make; each piece of text is told as it comes."""
    assembly = Assembly(_MOST_CHARACTERS)
    request = {**turn.request, "stream": True, "stream_options": {"include_usage": True}}
    chunks = iter(turn.provider.stream(request))
    while True:
        with errors_translated():  # not around the callback: what it raises is its own
            chunk = next(chunks, None)
            if chunk is None:
                return assembly.completion()
            assembly.add(chunk)
        for choice in chunk.get("choices") or ():
            piece = choice.get("delta", {}).get("content")
            if piece:
                callback(piece, False)


def _as_messages(messages: Any) -> list[dict[str, Any]]:
    """A copy of what is said, as messages.

    Raises:
        InvalidRequestError: It is none.
    """
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    listed: Any = [messages] if isinstance(messages, Mapping) else messages
    if not isinstance(listed, (list, tuple)):
        raise InvalidRequestError(f"a request is a text, a message or a list of messages; got {messages!r:.80}")
    for message in cast("Sequence[Any]", listed):
        role = cast("Mapping[Any, Any]", message).get("role") if isinstance(message, Mapping) else None
        if role not in _ROLES:
            raise InvalidRequestError(f"a message has a `role`, one of {', '.join(_ROLES)}; got {message!r:.80}")
    return [copy.deepcopy(dict(message)) for message in cast("Sequence[Mapping[str, Any]]", listed)]
