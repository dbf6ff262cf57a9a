"""Responses that are kept for a while, by what was asked."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from aitestrunner.chat._errors import InvalidRequestError
from aitestrunner.chat._response import ChatResponse

__all__ = ["CacheCounters", "ResponseCache", "key_of"]

_MOST: Final = 1_000
"""Responses that a cache keeps; the one that was not asked for the longest goes first."""


@dataclass(frozen=True, slots=True)
class CacheCounters:
    """What a cache has done so far.

    Args:
        hits: Requests that were answered from it.
        misses: Requests that were not.
        expired: How many of the misses were there, but older than the time to live.
        evicted: Responses that had to make room.

    Example:
        >>> from aitestrunner.chat import ChatClient
        >>> client = ChatClient("mock-model", cache_ttl=60)
        >>> [client.complete("hi").from_cache for _ in range(3)]
        [False, True, True]
        >>> client.cache
        CacheCounters(hits=2, misses=1, expired=0, evicted=0)
    """

    hits: int = 0
    misses: int = 0
    expired: int = 0
    evicted: int = 0


class ResponseCache:
    """Keeps responses for `ttl` seconds; any number of threads may ask it."""

    def __init__(self, ttl: float) -> None:
        self._ttl = ttl
        self._kept: OrderedDict[str, tuple[float, ChatResponse]] = OrderedDict()
        self._counts = {"hits": 0, "misses": 0, "expired": 0, "evicted": 0}
        self._lock = threading.Lock()

    @property
    def counters(self) -> CacheCounters:
        """What it has done so far."""
        with self._lock:
            return CacheCounters(**self._counts)

    def find(self, key: str) -> ChatResponse | None:
        """The response that is kept, unless it is too old."""
        with self._lock:
            since, response = self._kept.get(key, (0.0, None))
            if response is not None and time.monotonic() - since < self._ttl:
                self._kept.move_to_end(key)
                self._counts["hits"] += 1
                return response
            self._counts["misses"] += 1
            if response is not None:
                self._counts["expired"] += 1
                del self._kept[key]
            return None

    def keep(self, key: str, response: ChatResponse) -> None:
        """Keep a response from now on."""
        with self._lock:
            self._kept[key] = time.monotonic(), response
            self._kept.move_to_end(key)
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
                self._counts["evicted"] += 1


def key_of(asked: Any) -> str:
    """A digest of what was asked, whatever the order of keys.

    Raises:
        InvalidRequestError: It holds what no JSON can hold.
    """
    try:
        text = json.dumps(asked, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InvalidRequestError(f"a request is plain data: {error}") from None
    return hashlib.sha256(text.encode()).hexdigest()
