"""The executor `command`: a program that reads the case as JSON on standard input and prints the answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from aitestrunner._errors import ExecutionError, ExecutorError
from aitestrunner._executors import AIExecutionContext, AIExecutionResult, as_result
from aitestrunner._secrets import Secrets, sounds_secret
from aitestrunner.executors._checks import check, is_count, is_seconds, is_text_mapping
from aitestrunner.executors._requests import case_as_json

__all__ = ["CommandExecutor"]

_TAIL: Final = 2000
_PIECE: Final = 65536
_OUTPUTS: Final = ("auto", "text", "json")
_GRACE: Final = 1.0


class CommandExecutor:
    """Runs a program for each case.

    On standard input it reads `{"id", "script", "input", "args"}` as JSON. What it prints is the answer. An exit status
    other than 0 is an error that shows the end of its standard error. When time runs out, the program and everything
    that it started are killed.

    Args:
        argv: The program and its arguments. No shell reads them.
        cwd: The folder that it runs in, relative to `base_dir`.
        env: Variables of the environment that are added. Values of those whose names sound like secrets (`…_KEY`,
            `…_TOKEN`) are masked wherever the program prints them, as are those of the environment itself.
        timeout: Seconds that it may take.
        max_output: Bytes that it may print.
        output: How the answer is read: `text`, `json`, or `auto`: a JSON object with `output` in it is a whole result,
            anything else a text, without its last line end.
        base_dir: What relative paths are relative to.
        inside: The folder that the program must lie in, where a fixture file names it.

    Raises:
        ExecutorError: A wrong option.

    Example:
        >>> import asyncio, sys
        >>> from aitestrunner import AIExecutionContext
        >>> from aitestrunner.executors import CommandExecutor
        >>> shout = "import json, sys; print(json.load(sys.stdin)['input'].upper())"
        >>> executor = CommandExecutor([sys.executable, "-c", shout])
        >>> asyncio.run(executor.execute(AIExecutionContext("bot", {"input": "hello"}))).output
        'HELLO'
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        max_output: int = 10_000_000,
        output: str = "auto",
        base_dir: str | Path | None = None,
        inside: str | Path | None = None,
    ) -> None:
        check("command", "argv", argv, _is_argv, "a list of texts, the program first")
        check("command", "env", env or {}, is_text_mapping, "a mapping of names to texts")
        check("command", "timeout", timeout, is_seconds, "a number of seconds above 0")
        check("command", "maxOutput", max_output, is_count, "a number of bytes")
        check("command", "output", output, lambda value: value in _OUTPUTS, " or ".join(_OUTPUTS))
        self._argv = list(argv)
        self._cwd = Path(base_dir or ".") / (cwd or "")
        if inside is not None:
            self._check_inside(Path(inside))
        self._env = dict(env or {})
        self._timeout = timeout
        self._max_output = max_output
        self._output = output
        self._secrets = Secrets.of_environment()
        for name, value in self._env.items():
            if sounds_secret(name):
                self._secrets.add(value)

    @property
    def recorded_as(self) -> dict[str, Any]:
        """What names the executor in recordings: all that its answers depend on, and no secrets."""
        env = {name: value for name, value in self._env.items() if not sounds_secret(name)}
        found = {"name": "command", "argv": self._argv, "env": env, "output": self._output}
        folder = os.path.relpath(self._cwd)
        return found if folder == "." else {**found, "cwd": Path(folder).as_posix()}

    async def execute(self, context: AIExecutionContext) -> AIExecutionResult:
        """Answer one case.

        Raises:
            ExecutionError: Of kind `start`, `timeout`, `exit`, `limit` or `answer`.

        Example:
            >>> import asyncio, sys
            >>> from aitestrunner import AIExecutionContext, ExecutionError
            >>> from aitestrunner.executors import CommandExecutor
            >>> executor = CommandExecutor([sys.executable, "-c", "import sys; sys.exit('no such bot')"])
            >>> try:
            ...     asyncio.run(executor.execute(AIExecutionContext("bot", {})))
            ... except ExecutionError as error:
            ...     print(error.kind, "|", error)
            exit | the program ended with exit status 1; its standard error ends with: no such bot
        """
        sent = json.dumps(case_as_json(context)).encode()
        printed = await self._run(sent)
        try:
            text = printed.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ExecutionError("answer", f"the program did not print UTF-8 (byte {error.start})") from None
        return self._result(self._secrets.mask(text))

    async def _run(self, sent: bytes) -> bytes:
        program = await self._start()
        try:
            async with asyncio.timeout(self._timeout):
                return await self._finish(program, sent)
        except TimeoutError:
            raise ExecutionError("timeout", f"the program took more than {self._timeout:g} seconds") from None
        finally:
            await program.end()

    async def _start(self) -> _Program:
        loop = asyncio.get_running_loop()
        try:
            transport, protocol = await loop.subprocess_exec(
                lambda: _Protocol(limit=_PIECE, loop=loop),
                *self._argv,
                cwd=self._cwd,
                env={**os.environ, **self._env},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            problem = error.strerror if isinstance(error, OSError) else str(error)
            raise ExecutionError(
                "start", f"the program {self._argv[0]!r} cannot be started in {str(self._cwd)!r}: {problem}"
            ) from None
        return _Program(transport, protocol)

    async def _finish(self, program: _Program, sent: bytes) -> bytes:
        """Feed the program, read what it prints, and wait for its end."""
        error_tail = bytearray()
        feeding = asyncio.create_task(program.feed(sent))
        reading = asyncio.create_task(self._read(program))
        watching = asyncio.create_task(program.keep_error_tail(error_tail))
        ending = asyncio.create_task(program.protocol.exited.wait())
        try:
            await asyncio.wait([reading, ending], return_when=asyncio.FIRST_COMPLETED)
            if reading.done() and reading.exception() is not None:
                return reading.result()
            await ending
            # Something that it started may hold the pipes open: that is killed too, and has a moment to let go.
            program.kill_group()
            await asyncio.wait([reading, watching], timeout=_GRACE)
        finally:
            for task in (feeding, reading, watching, ending):
                task.cancel()
            await asyncio.gather(feeding, reading, watching, ending, return_exceptions=True)
        if program.status != 0:
            raise ExecutionError("exit", self._told(program.status, error_tail))
        if reading.cancelled():
            raise ExecutionError("answer", "the program ended, but something that it started keeps its output open")
        return reading.result()

    async def _read(self, program: _Program) -> bytes:
        printed = bytearray()
        while piece := await program.printed.read(_PIECE):
            printed += piece
            if len(printed) > self._max_output:
                raise ExecutionError(
                    "limit", f"the program printed more than {self._max_output} bytes (the option `maxOutput`)"
                )
        return bytes(printed)

    def _told(self, status: int, error_tail: bytearray) -> str:
        tail = self._secrets.mask(error_tail.decode("utf-8", "replace")).strip()
        how = f"exit status {status}" if status > 0 else f"signal {-status}"
        said = f"its standard error ends with: {tail}" if tail else "it said nothing on standard error"
        return f"the program ended with {how}; {said}"

    def _result(self, text: str) -> AIExecutionResult:
        if self._output == "text":
            return AIExecutionResult(_without_line_end(text))
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            if self._output == "auto":
                return AIExecutionResult(_without_line_end(text))
            raise ExecutionError(
                "answer", f"the program did not print JSON: {error}; it printed {text!r:.200}"
            ) from None
        if self._output == "auto" and not (isinstance(value, dict) and "output" in value):
            return AIExecutionResult(_without_line_end(text))
        return AIExecutionResult(None) if value is None else as_result(value)

    def _check_inside(self, folder: Path) -> None:
        """A fixture file starts nothing but what lies below its folder: a program, or the script of an interpreter."""
        for word in self._argv[:2]:
            path = (self._cwd / word).resolve()
            if path.is_file() and path.is_relative_to(folder.resolve()):
                return
        raise ExecutorError(
            "a fixture file may run only programs below its own folder, like [python3, bot.py]; got "
            f"{self._argv!r:.160} (whoever runs it may name any command: --executor command --executor-option argv=…)"
        )


def _is_argv(value: Any) -> bool:
    words = cast("list[Any]", value) if isinstance(value, (list, tuple)) else []
    return bool(words) and all(isinstance(word, str) for word in words)


def _without_line_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Says when the program has ended; `Process.wait` waits for its pipes too, which others may hold open."""

    def __init__(self, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit, loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class _Program:
    """A program that runs, with its pipes."""

    def __init__(self, transport: asyncio.SubprocessTransport, protocol: _Protocol) -> None:
        assert protocol.stdin is not None
        assert protocol.stdout is not None
        assert protocol.stderr is not None
        self.protocol = protocol
        self.printed = protocol.stdout
        self._input = protocol.stdin
        self._errors = protocol.stderr
        self._transport = transport

    @property
    def status(self) -> int:
        """Its exit status; below 0 the signal that ended it."""
        return self._transport.get_returncode() or 0

    async def feed(self, sent: bytes) -> None:
        """Give it its input. One that does not read it to the end is no error."""
        with contextlib.suppress(ConnectionError):
            self._input.write(sent)
            await self._input.drain()
        with contextlib.suppress(ConnectionError):
            self._input.close()
            await self._input.wait_closed()

    async def keep_error_tail(self, tail: bytearray) -> None:
        """Read its standard error to the end, and keep the last of it."""
        while piece := await self._errors.read(_PIECE):
            tail += piece
            del tail[:-_TAIL]

    def kill_group(self) -> None:
        """Kill it and everything that it started; it leads its process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
            else:
                self._transport.kill()

    async def end(self) -> None:
        """End everything, and close the pipes: the end of the event loop must not find them open."""
        self.kill_group()
        await self.protocol.exited.wait()
        self._transport.close()
