"""The mock provider: a request goes in, a reply comes out, always the same one for the same request and script."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from aitestrunner.mock._answers import Answering
from aitestrunner.mock._echo import DEFAULT_REPLY
from aitestrunner.mock._faults import MockFault
from aitestrunner.mock._replies import MockReply
from aitestrunner.mock._script import read_script
from aitestrunner.mock._tags import with_tags
from aitestrunner.mock._turns import History, echo_in

__all__ = ["MockProvider"]

Request = Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""A chat completion request as an OpenAI-compatible server takes it, or its messages alone."""

Step = dict[str, Any] | float | MockFault
"""What a server does next: send something, wait so many seconds, or fail."""


class MockProvider:
    """A model that says what it is told to: by a tag in a message, or by a script.

    `<echo>…</echo>` anywhere in the messages is the reply. A script is asked first: a list of rules with `when` (an
    expectation on the request; without it the rule always holds) and `reply`, or `replies` that are given one after
    another. One object may serve any number of threads and tasks.

    Args:
        script: Rules, or the YAML or JSON file that holds them.
        piece_size: UTF-8 bytes of a piece when streaming; no piece ends inside a character.
        piece_delay: Seconds after each piece when streaming.
        log_limit: How many requests the log keeps, the newest ones.

    Raises:
        FixtureError: The script has problems; all of them are in it.
        OSError: The script cannot be read.

    Example:
        >>> from aitestrunner.mock import MockProvider
        >>> answer = MockProvider().complete([{"role": "user", "content": "2 + 2? <echo>4</echo>"}])
        >>> answer["choices"][0]["message"]["content"]
        '4'
    """

    def __init__(
        self,
        script: str | Path | Sequence[Mapping[str, Any]] = (),
        *,
        piece_size: int = 10,
        piece_delay: float = 0.0,
        log_limit: int = 10_000,
    ) -> None:
        if piece_size < 1:
            raise ValueError(f"piece_size is a number of bytes, at least 1; got {piece_size!r}")
        if piece_delay < 0:
            raise ValueError(f"piece_delay is a number of seconds; got {piece_delay!r}")
        self._rules, self._script = read_script(script)
        self._piece_size = piece_size
        self._piece_delay = piece_delay
        self._log: deque[dict[str, Any]] = deque(maxlen=log_limit)
        self._received = 0
        self._lock = threading.Lock()

    @property
    def script(self) -> Any:
        """The script as it was written, whether given or read from a file."""
        return copy.deepcopy(self._script)

    @property
    def received(self) -> int:
        """How many requests came; more than the log holds where its limit was reached."""
        return self._received

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests in their order, as data to assert on.

        Example:
            >>> import matchex
            >>> from aitestrunner.mock import MockProvider
            >>> provider = MockProvider()
            >>> _ = provider.complete([{"role": "user", "content": "hi"}])
            >>> matchex.validate(provider.requests, [{"messages": [{"content": "hi"}]}]).passed
            True
        """
        return [entry["request"] for entry in self.log]

    @property
    def log(self) -> list[dict[str, Any]]:
        """What happened, in order: each `request`, what chose the reply (`by`: a rule, `echo` or `default`), `reply`.

        Example:
            >>> from aitestrunner.mock import MockProvider
            >>> provider = MockProvider([{"title": "greeting", "reply": "hello"}])
            >>> _ = provider.complete([{"role": "user", "content": "hi"}])
            >>> provider.log[0]["by"], provider.log[0]["reply"]
            ('greeting', {'text': 'hello'})
        """
        with self._lock:
            return list(self._log)

    def forget(self) -> None:
        """Empty the log and begin with the first replies again.

        Example:
            >>> from aitestrunner.mock import MockProvider
            >>> provider = MockProvider()
            >>> _ = provider.complete([{"role": "user", "content": "hi"}])
            >>> provider.forget()
            >>> provider.requests
            []
        """
        with self._lock:
            self._log.clear()
            self._received = 0
            for rule in self._rules:
                rule.start_over()

    def reply(self, request: Request) -> MockReply:
        """The reply to a request, logged: nothing waits and nothing fails, both stand in the reply.

        Example:
            >>> from aitestrunner.mock import MockProvider
            >>> MockProvider().reply([{"role": "user", "content": "<ECHO> 4 </ECHO>"}]).text
            '4'
        """
        return self._answering(request).reply

    def complete(self, request: Request, *, history: History = "all") -> dict[str, Any]:
        """Answer with a whole `chat.completion`, after the delay of the reply.

        Args:
            request: The request, or its messages alone.
            history: Whose echo tags count: those of `all` messages, the first one wins; or those of the `newest` turn
                (what stands behind the last answer), then those of system messages.

        Raises:
            MockFault: The reply is an error.

        Example:
            >>> from aitestrunner.mock import MockProvider
            >>> MockProvider().complete([{"role": "user", "content": "<echo>yes, sure</echo>"}])["usage"]
            {'prompt_tokens': 5, 'completion_tokens': 2, 'total_tokens': 7}
        """
        answering = self._answering(request, history)
        time.sleep(answering.reply.delay)
        return _whole(answering)

    async def complete_async(self, request: Request, *, history: History = "all") -> dict[str, Any]:
        """`complete`, awaiting the delay.

        Example:
            >>> import asyncio
            >>> from aitestrunner.mock import MockProvider
            >>> asyncio.run(MockProvider().complete_async([]))["choices"][0]["finish_reason"]
            'stop'
        """
        answering = self._answering(request, history)
        await asyncio.sleep(answering.reply.delay)
        return _whole(answering)

    def stream(self, request: Request, *, history: History = "all") -> Iterator[dict[str, Any]]:
        """Answer with the `chat.completion.chunk`s of a stream; the usage comes last where `stream_options` ask for it.

        Raises:
            MockFault: The reply is an error: at once, or in the middle of the stream.

        Example:
            >>> from aitestrunner.mock import MockProvider
            >>> chunks = MockProvider(piece_size=4).stream([{"role": "user", "content": "<echo>abcdef</echo>"}])
            >>> [chunk["choices"][0]["delta"].get("content") for chunk in chunks]
            ['', 'abcd', 'ef', None]
        """
        for step in self._streamed(self._answering(request, history)):
            if isinstance(step, dict):
                yield step
            elif isinstance(step, MockFault):
                raise step
            else:
                time.sleep(step)

    async def stream_async(self, request: Request, *, history: History = "all") -> AsyncIterator[dict[str, Any]]:
        """`stream`, awaiting the delays.

        Example:
            >>> import asyncio
            >>> from aitestrunner.mock import MockProvider
            >>> async def main():
            ...     return [chunk async for chunk in MockProvider().stream_async([])]
            >>> asyncio.run(main())[-1]["choices"][0]["finish_reason"]
            'stop'
        """
        for step in self._streamed(self._answering(request, history)):
            if isinstance(step, dict):
                yield step
            elif isinstance(step, MockFault):
                raise step
            else:
                await asyncio.sleep(step)

    def steps(self, request: Request) -> Iterator[Step]:
        """What a server does for a request: seconds to wait, then the completion or the chunks, or a fault at the end.

        Example:
            >>> from aitestrunner.mock import MockProvider
            >>> provider = MockProvider([{"reply": {"text": "x", "delay": 0.5}}])
            >>> [type(step).__name__ for step in provider.steps({"messages": []})]
            ['float', 'dict']
        """
        answering = self._answering(request)
        if answering.request.get("stream"):
            yield from self._streamed(answering)
            return
        if answering.reply.delay:
            yield answering.reply.delay
        yield answering.reply.error.again() if answering.reply.error else answering.whole()

    def _streamed(self, answering: Answering) -> Iterator[Step]:
        """The chunks of a stream, and the seconds to wait between them; a fault is the last step."""
        reply, fault = answering.reply, answering.reply.error
        if reply.delay:
            yield reply.delay
        if fault is not None and fault.kind in ("status", "reset"):
            yield fault.again()
            return
        pause = self._piece_delay if reply.piece_delay is None else float(reply.piece_delay)
        for number, chunk in enumerate(answering.chunks(reply.piece_size or self._piece_size)):
            # The first chunk brings the role; a reply that ends before it is cut is cut before its end.
            if fault is not None and number > 0 and (number > fault.after or not _is_piece(chunk)):
                yield fault.again()
                return
            yield chunk
            if pause and number > 0 and _is_piece(chunk):
                yield pause

    def _answering(self, request: Request, history: History = "all") -> Answering:
        fields = _as_request(request)
        reply, by = self._chosen(fields, history)
        with self._lock:
            self._received += 1
            number = self._received
            self._log.append({"request": copy.deepcopy(dict(fields)), "by": by, "reply": reply.to_dict()})
        return Answering(number, fields, reply)

    def _chosen(self, request: Mapping[str, Any], history: History) -> tuple[MockReply, str]:
        """The reply to a request, and what chose it."""
        try:
            rule = next((rule for rule in self._rules if rule.holds_for(request)), None)
            if rule is not None:
                reply, by = rule.next_reply(), rule.title
            else:
                reply, by = MockReply(echoes=True), "echo"
            reply = with_tags(reply, request["messages"]) if rule is None else reply
        except MockFault as fault:
            return MockReply(error=fault), "a request or rule that cannot be read"
        if not reply.echoes:
            return reply, by
        text = echo_in(request["messages"], history)
        if text is None and by == "echo":
            by = "default"
        return dataclasses.replace(reply, text=DEFAULT_REPLY if text is None else text, echoes=False), by


def _whole(answering: Answering) -> dict[str, Any]:
    if answering.reply.error is not None:
        raise answering.reply.error.again()
    return answering.whole()


def _is_piece(chunk: Mapping[str, Any]) -> bool:
    """Whether a chunk brings something of the reply, rather than its end or the count."""
    return bool(chunk["choices"]) and chunk["choices"][0]["finish_reason"] is None


def _as_request(request: Request) -> Mapping[str, Any]:
    """A request as a mapping with a list of messages that are mappings.

    Raises:
        TypeError: It is none.
    """
    fields: Mapping[str, Any] = request if isinstance(request, Mapping) else {"messages": list(request)}
    messages = fields.get("messages")
    if not isinstance(messages, (list, tuple)) or not all(
        isinstance(message, Mapping) for message in cast("list[Any]", messages)
    ):
        raise TypeError(f"a request has a list of `messages`, each a mapping; got {messages!r:.80}")
    return fields
