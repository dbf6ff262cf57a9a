"""Events: what a run tells while it goes on. Everything visible comes from them."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from typing import Any, Final

__all__ = ["EVENTS", "Listener", "Listeners"]

EVENTS: Final = ("run:start", "test:start", "test:pass", "test:fail", "test:error", "test:skip", "run:end")
"""The names of all events, in the order in which they can occur."""

Listener = Callable[[Any], Any]
"""Takes the event's payload; may be `async`."""

_logger = logging.getLogger("aitestrunner")


class Listeners:
    """Who listens to what. A listener that raises is reported and disturbs nothing."""

    def __init__(self) -> None:
        self._by_event: dict[str, list[Listener]] = {}
        self.errors: list[Exception] = []

    def add(self, event: str, listener: Listener) -> None:
        """Call `listener` with the payload of every `event`.

        Raises:
            ValueError: There is no such event.
        """
        if event not in EVENTS:
            raise ValueError(f"unknown event {event!r}; the events are {', '.join(EVENTS)}")
        self._by_event.setdefault(event, []).append(listener)

    def remove(self, event: str, listener: Listener) -> None:
        """Stop calling `listener`; one that does not listen is no error."""
        listeners = self._by_event.get(event, [])
        if listener in listeners:
            listeners.remove(listener)

    def wants(self, event: str) -> bool:
        """Whether anybody listens to an event."""
        return bool(self._by_event.get(event))

    async def emit(self, event: str, payload: Any) -> None:
        """Tell every listener, one after another, in the order in which they came."""
        for listener in list(self._by_event.get(event, ())):
            try:
                answer = listener(payload)
                if inspect.isawaitable(answer):
                    await answer
            except Exception as error:
                self.errors.append(error)
                _logger.exception("a listener of %s raised", event)
