"""The mock as a server: any client of an OpenAI-compatible service can talk to it over loopback."""

from __future__ import annotations

import asyncio
import itertools
import socket
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, cast

from aitestrunner._errors import AITestError, FixtureError
from aitestrunner.mock._faults import MockFault
from aitestrunner.mock._provider import MockProvider
from aitestrunner.mock._wire import Broken, Response, failed, respond

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response as HttpResponse

__all__ = ["MockServer", "ScriptFile", "application", "configured", "serve"]

MAX_BODY: Final = 10_000_000
_STARTING: Final = 10.0
_STOPPING: Final = 5.0
_RESET: Final = struct.pack("ii", 1, 0)  # SO_LINGER: closing discards what is unsent and resets the connection


class MockServer:
    """A mock server for tests, in a thread, on a free port of the loopback interface.

    Needs `pip install 'aitestrunner[server]'`.

    Args:
        provider: What answers; or a script of replies, as for `MockProvider`.

    Attributes:
        provider: What answers, with its log of requests.
        url: The base URL for clients, once it runs: `http://127.0.0.1:PORT/v1`.

    Example:
        >>> import httpx
        >>> from aitestrunner.mock import MockServer
        >>> with MockServer([{"reply": "hello"}]) as server:
        ...     request = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        ...     answer = httpx.post(f"{server.url}/chat/completions", json=request).json()
        >>> answer["choices"][0]["message"]["content"]
        'hello'
    """

    def __init__(self, provider: MockProvider | str | Path | Sequence[Mapping[str, Any]] = ()) -> None:
        self.provider = provider if isinstance(provider, MockProvider) else MockProvider(provider)
        self.url = ""
        self._socket: socket.socket | None = None
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> MockServer:
        import uvicorn

        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._server = uvicorn.Server(configured(lambda: self.provider))
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="mock-server", daemon=True
        )
        self._thread.start()
        waiting = threading.Event()
        for _ in range(int(_STARTING / 0.01)):
            if self._server.started:
                self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
                return self
            waiting.wait(0.01)
        self.__exit__(None, None, None)
        raise AITestError(f"the mock server did not start within {_STARTING:g} seconds")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(_STOPPING)
        if self._socket is not None:
            self._socket.close()


def serve(provider: Callable[[], MockProvider], host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve the mock until it is interrupted.

    Args:
        provider: Gives what answers a request.
        host: Where it can be reached.
        port: Its port; 0 for a free one.
        tell: Is told the base URL.

    Raises:
        OSError: The port is taken, or the host is none of this machine.
    """
    import uvicorn

    with socket.create_server((host, port), backlog=1024) as listening:
        tell(f"http://{host}:{listening.getsockname()[1]}/v1")
        uvicorn.Server(configured(provider)).run(sockets=[listening])


class ScriptFile:
    """A provider whose script is a file that may change while the server runs.

    Args:
        path: The file; None for a provider without a script.
        options: Further options of the provider.

    Raises:
        FixtureError: The script has problems.
        OSError: It cannot be read.
    """

    def __init__(self, path: Path | None, **options: Any) -> None:
        self._path = path
        self._options = options
        self._changed = self._stamp()
        self._provider = self._read()

    def __call__(self) -> MockProvider:
        """The provider with the script as it is now.

        Raises:
            MockFault: The script has problems now.
        """
        stamp = self._stamp()
        if stamp != self._changed:
            try:
                self._provider = self._read()
            except (FixtureError, OSError) as error:
                raise MockFault("status", status=500, message=f"the script cannot be read: {error}") from None
            self._changed = stamp
        return self._provider

    def _read(self) -> MockProvider:
        return MockProvider(self._path or (), **self._options)

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat() if self._path else None
        except OSError:
            return (0, 0)
        return (status.st_mtime_ns, status.st_size) if status else None


def configured(provider: Callable[[], MockProvider], **options: Any) -> uvicorn.Config:
    """How uvicorn serves the mock.

    Args:
        provider: Gives what answers a request.
        options: Further options of uvicorn: `host`, `port`.
    """
    import uvicorn

    connections = _Connections()
    return uvicorn.Config(
        application(provider, connections.of),
        http=connections.protocol(),
        loop="asyncio",
        lifespan="off",
        log_level="warning",
        access_log=False,
        timeout_keep_alive=600,  # a connection that is closed while a client reuses it looks like a fault of the script
        timeout_graceful_shutdown=2,
        **options,
    )


def application(
    provider: Callable[[], MockProvider], connection_of: Callable[[Any], asyncio.Transport | None]
) -> Starlette:
    """The mock as an ASGI application.

    Args:
        provider: Gives what answers a request.
        connection_of: Finds the connection of a client, to be broken where the script says so.
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.cors import CORSMiddleware
    from starlette.requests import ClientDisconnect
    from starlette.responses import Response as HttpResponse
    from starlette.routing import Route

    async def endpoint(request: Request) -> HttpResponse:
        try:
            body = await _body(request)
        except ClientDisconnect:
            return HttpResponse(status_code=499)  # goes nowhere
        if body is None:
            message = f"the body is longer than {MAX_BODY} bytes"
            answer = failed(MockFault("status", status=413, message=message, code="request_too_large"))
        else:
            answer = _answer(provider, request, body)
        return await _sent(answer, connection_of(request.client))

    every = Middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["*"], allow_headers=["*"])
    return Starlette(
        routes=[Route("/{path:path}", endpoint, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])], middleware=[every]
    )


def _answer(provider: Callable[[], MockProvider], request: Request, body: bytes) -> Response:
    try:
        return respond(provider(), request.method, request.url.path, body)
    except MockFault as fault:
        return failed(fault)


async def _body(request: Request) -> bytes | None:
    """The body of a request; None for one that is too long, which is read to its end and dropped."""
    body = bytearray()
    length = 0
    async for piece in request.stream():
        length += len(piece)
        if length <= MAX_BODY:
            body += piece
    return bytes(body) if length <= MAX_BODY else None


async def _sent(answer: Response, connection: asyncio.Transport | None) -> HttpResponse:
    from starlette.responses import Response as HttpResponse
    from starlette.responses import StreamingResponse

    try:
        first = await _first(answer.body)
    except Broken:
        _reset(connection)
        return HttpResponse(status_code=500)  # goes nowhere: the connection is gone
    body = _streamed(itertools.chain([first], answer.body), connection)
    return StreamingResponse(body, status_code=answer.status, headers=dict(answer.headers))


async def _first(body: Iterator[bytes | float]) -> bytes:
    """The first piece of a body. A connection that breaks before it sees no status either."""
    for step in body:
        if isinstance(step, bytes):
            return step
        await asyncio.sleep(step)
    return b""


async def _streamed(body: Iterator[bytes | float], connection: asyncio.Transport | None) -> AsyncIterator[bytes]:
    try:
        for step in body:
            if isinstance(step, bytes):
                yield step
            else:
                await asyncio.sleep(step)
    except Broken:
        if connection is not None:
            connection.close()  # what was said before is still sent
        await asyncio.sleep(0)


def _reset(connection: asyncio.Transport | None) -> None:
    if connection is None:
        return
    own = connection.get_extra_info("socket")
    if own is not None:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    connection.abort()


class _Connections:
    """The open connections of a server, by the address of the client."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], asyncio.Transport] = {}

    def of(self, client: Any) -> asyncio.Transport | None:
        """The connection of a client."""
        return self._open.get((client.host, client.port)) if client is not None else None

    def protocol(self) -> type[asyncio.Protocol]:
        """Uvicorn's protocol, which tells of its connections."""
        from uvicorn.protocols.http.h11_impl import H11Protocol

        connections = self._open

        class Protocol(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
                super().connection_made(transport)
                own = transport.get_extra_info("socket")
                if own is not None and own.family in (socket.AF_INET, socket.AF_INET6):
                    # asyncio does it only where a socket was made with the number of the protocol; without it each
                    # answer that is sent in two parts waits 40 ms for a delayed acknowledgement.
                    own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connections[cast("tuple[str, int]", transport.get_extra_info("peername"))[:2]] = transport

            def connection_lost(self, exc: Exception | None) -> None:
                connections.pop(cast("tuple[str, int]", self.transport.get_extra_info("peername"))[:2], None)
                super().connection_lost(exc)

        return Protocol
