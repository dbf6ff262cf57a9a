"""The mock on the wire, without the wire: an HTTP request goes in, what a server has to send comes out.

Every server and transport is a thin layer over `respond`, so that all of them answer alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from aitestrunner.mock._embeddings import embeddings
from aitestrunner.mock._faults import MockFault, refused
from aitestrunner.mock._provider import MockProvider
from aitestrunner.mock._requests import check_chat_request

__all__ = ["Broken", "Response", "failed", "respond"]

_JSON: Final = {"content-type": "application/json"}
_EVENTS: Final = {"content-type": "text/event-stream", "cache-control": "no-cache"}
_MODEL: Final = {"id": "mock-model", "object": "model", "created": 0, "owned_by": "aitestrunner"}


class Broken(Exception):
    """The connection has to be broken here."""


@dataclass(slots=True)
class Response:
    """What to send: a status, headers, and a body of bytes, with seconds to wait in between.

    The body raises `Broken` where the connection ends before the answer does.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=lambda: _JSON)
    body: Iterator[bytes | float] = field(default_factory=lambda: iter(()))


def respond(provider: MockProvider, method: str, path: str, body: bytes) -> Response:
    """Answer one request.

    Args:
        provider: Gives the replies.
        method: The HTTP method.
        path: The path, without the query.
        body: The whole body of the request.
    """
    try:
        return _routed(provider, method, path.rstrip("/"), body)
    except MockFault as fault:
        return failed(fault)


def _routed(provider: MockProvider, method: str, path: str, body: bytes) -> Response:
    if path.endswith("/chat/completions"):
        _allow(method, "POST")
        return _chat(provider, _chat_request(body))
    if path.endswith("/embeddings"):
        _allow(method, "POST")
        return _said(embeddings(_json_object(body)))
    if path.endswith("/models"):
        _allow(method, "GET")
        return _said({"object": "list", "data": [_MODEL]})
    _, is_model, name = path.partition("/v1/models/")
    if is_model:
        _allow(method, "GET")
        return _said({**_MODEL, "id": name})  # a request may name any model, so every model is there
    if path == "/health":
        return _said({"status": "ok"})
    known = "/v1/chat/completions, /v1/embeddings, /v1/models, /health"
    raise MockFault(
        "status", status=404, message=f"there is no {path or '/'} here; there are {known}", code="not_found"
    )


def _said(value: Any) -> Response:
    return Response(200, _JSON, iter([json.dumps(value).encode()]))


def _allow(method: str, allowed: str) -> None:
    if method != allowed:
        raise MockFault("status", status=405, message=f"this takes {allowed}, not {method}")


def _chat(provider: MockProvider, request: Mapping[str, Any]) -> Response:
    steps = provider.steps(request)
    first: Any = next(steps)
    waits: list[float] = []
    while isinstance(first, float):
        waits.append(first)
        first = next(steps)
    if isinstance(first, MockFault):
        return _faulty(first, waits)
    if request.get("stream"):
        return Response(200, _EVENTS, _events(waits, first, steps))
    return Response(200, _JSON, iter([*waits, json.dumps(first).encode()]))


def _faulty(fault: MockFault, waits: list[float]) -> Response:
    if fault.kind == "status":
        answer = failed(fault)
        return Response(answer.status, answer.headers, iter([*waits, *answer.body]))
    if fault.kind == "invalidJson":
        return Response(200, _JSON, iter([*waits, b'{"id": "chatcmpl-1", "choices": [{"index": 0, "mess']))
    begun = b'{"id": "chatcmpl-1", "obj' if fault.kind == "cut" else b""
    return Response(200, _JSON, _broken(waits, begun))


def _broken(waits: list[float], begun: bytes) -> Iterator[bytes | float]:
    yield from waits
    if begun:
        yield begun
    raise Broken


def _events(
    waits: list[float], first: Mapping[str, Any], steps: Iterator[dict[str, Any] | float | MockFault]
) -> Iterator[bytes | float]:
    yield from waits
    yield _event(json.dumps(first))
    for step in steps:
        if isinstance(step, float):
            yield step
        elif isinstance(step, MockFault):
            if step.kind != "invalidJson":
                raise Broken
            yield _event('{"id": "chatcmpl-1", "choices": [{"ind')
            return
        else:
            yield _event(json.dumps(step))
    yield _event("[DONE]")


def _event(data: str) -> bytes:
    return f"data: {data}\n\n".encode()


def failed(fault: MockFault) -> Response:
    """The answer that tells of a fault."""
    headers = dict(_JSON)
    if fault.retry_after is not None:
        headers["retry-after"] = f"{fault.retry_after:g}"
    return Response(fault.status or 500, headers, iter([json.dumps(fault.body()).encode()]))


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise refused(f"the body is no JSON: {error}", "parse_error") from None
    if not isinstance(value, dict):
        raise refused("the body is no JSON object")
    return cast("dict[str, Any]", value)


def _chat_request(body: bytes) -> Mapping[str, Any]:
    """The request in a body, checked as the real service checks it."""
    request = _json_object(body)
    check_chat_request(request)
    return request
