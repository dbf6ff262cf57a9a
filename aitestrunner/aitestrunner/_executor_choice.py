"""Which executor answers a case: the one given to the run, else the one that the case or its file names."""

from __future__ import annotations

import asyncio
import logging
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aitestrunner._errors import ExecutorError
from aitestrunner._executors import Execute, as_execute
from aitestrunner._options import RunOptions
from aitestrunner._plain import plain
from aitestrunner._positions import Node
from aitestrunner._recorder import executor_name
from aitestrunner._references import CodeError, code_name
from aitestrunner._settings import Settings
from aitestrunner._turns import turns_of
from matchex import MISSING

if TYPE_CHECKING:
    from aitestrunner._tool_results import AnswerTool

__all__ = ["Executors", "in_conversation"]

_logger = logging.getLogger("aitestrunner")
_CLOSING: Final = 10.0  # seconds


class Executors:
    """The executors of a run. As an `async` context it closes them when the last run in this loop has ended.

    Args:
        given: Answers all cases, whatever they and their files say.
        fallback: Answers the cases that name no executor, where none is given.

    Raises:
        ExecutorError: One of them is none.
    """

    def __init__(self, given: Any = MISSING, *, fallback: Any = MISSING) -> None:
        self._given = None if given is MISSING else as_execute(given)
        self._fallback = None if fallback is MISSING else as_execute(fallback)
        self._open = [executor for executor in (given, fallback) if executor is not MISSING]
        self._named: dict[tuple[str, bool, str], Execute | ExecutorError] = {}
        self._made: dict[tuple[str, bool, str], Any] = {}
        self._tools: dict[tuple[str, bool, str], AnswerTool] = {}
        self._users: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, int] = weakref.WeakKeyDictionary()

    def of(self, settings: Settings, options: RunOptions) -> Execute:
        """What answers a case.

        Raises:
            ExecutorError: Nothing does, or what the case or its file names cannot be made.
        """
        execute = self._chosen(settings, options)
        if settings.turns is None and settings.tool_results is None:
            return execute
        from aitestrunner._conversation import Conversing

        return Conversing(execute, settings, self._tool_results(settings, options), options.message_adapter).execute

    def _chosen(self, settings: Settings, options: RunOptions) -> Execute:
        if self._given is not None:
            return self._given
        if settings.executor is not None:
            return self._by_name(settings, options)
        if self._fallback is None:
            raise ExecutorError(
                "nothing answers this case: neither the run nor the case nor its file names an executor"
            )
        return self._fallback

    def name_of(self, settings: Settings, options: RunOptions) -> Any:
        """What names the executor of a case in recordings, see `executor_name`."""
        executor = self._object(settings, options)
        return None if executor is None else executor_name(executor)

    def replays(self, settings: Settings, options: RunOptions) -> bool:
        """Whether answers are recordings already, found by the ids of cases: there is nothing to record about them."""
        return bool(getattr(self._object(settings, options), "replays", False))

    def _object(self, settings: Settings, options: RunOptions) -> Any:
        """The executor of a case as it was given or made; None where there is none."""
        if self._given is None and settings.executor is not None:
            return self._made.get(_key_of(settings, options))
        return self._open[0] if self._open else None

    def _by_name(self, settings: Settings, options: RunOptions) -> Execute:
        key = _key_of(settings, options)
        found = self._named.get(key)
        if found is None:
            base_dir, in_file = _place_of(settings, options)
            from aitestrunner.executors._registry import executor_from_file

            try:
                executor = executor_from_file(
                    settings.executor,
                    base_dir=base_dir,
                    in_file=in_file,
                    allow_code=options.allow_code,
                    allow_env=options.allow_env,
                )
                found = as_execute(executor)
                self._open.append(executor)
                self._made[key] = executor
            except ExecutorError as error:
                found = error
            self._named[key] = found
        if isinstance(found, ExecutorError):
            raise ExecutorError(str(found))
        return found

    def _tool_results(self, settings: Settings, options: RunOptions) -> AnswerTool | None:
        """What answers the tools of a case; a file's code is loaded once."""
        results = settings.tool_results
        if results is None:
            return None
        from aitestrunner._tool_results import load_tool_results

        if not isinstance(results, str):
            return load_tool_results(results, base_dir=None, inside=None)
        in_file = _stands_in_file(settings, "tool_results", "toolResults")
        if in_file and not options.allow_code:
            raise ExecutorError("`toolResults` names code, which this run does not allow")
        base_dir = settings.defaults.base_dir or options.base_dir
        key = (str(base_dir), in_file, results)
        if key not in self._tools:
            try:
                loaded = load_tool_results(results, base_dir=base_dir, inside=base_dir or "." if in_file else None)
            except CodeError as error:
                raise ExecutorError(str(error)) from error
            self._tools[key] = loaded
        return self._tools[key]

    async def __aenter__(self) -> Executors:
        loop = asyncio.get_running_loop()
        self._users[loop] = self._users.get(loop, 0) + 1
        return self

    async def __aexit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        self._users[loop] -= 1
        if self._users[loop] == 0:
            for executor in self._open:
                await _close(executor)


def _place_of(settings: Settings, options: RunOptions) -> tuple[str | Path | None, bool]:
    """What relative names in `executor` are relative to, and whether they stand in a file."""
    return settings.defaults.base_dir or options.base_dir, _stands_in_file(settings, "executor", "executor")


def _key_of(settings: Settings, options: RunOptions) -> tuple[str, bool, str]:
    base_dir, in_file = _place_of(settings, options)
    return str(base_dir), in_file, repr(settings.executor)


def in_conversation(named: Any, settings: Settings) -> Any:
    """The name of an executor in recordings, with what a conversation says besides the arguments of the case."""
    if settings.turns is None and settings.tool_results is None:
        return named
    turns = [{"input": plain(turn.input), "vars": plain(dict(turn.variables))} for turn in turns_of(settings) or ()]
    return {
        "executor": named,
        "turns": turns,
        "toolResults": code_name(settings.tool_results, settings.defaults.base_dir)
        if isinstance(settings.tool_results, str)
        else plain(settings.tool_results),
        "maxRounds": settings.max_rounds,
    }


async def _close(executor: Any) -> None:
    """Let an executor close its connections; what goes wrong with that says nothing about the cases."""
    close = getattr(executor, "aclose", None)
    if close is None or isinstance(executor, type):
        return
    try:
        async with asyncio.timeout(_CLOSING):
            await close()
    except Exception:
        _logger.exception("the executor %s could not be closed", type(executor).__name__)


def _stands_in_file(settings: Settings, attribute: str, key: str) -> bool:
    """Whether a setting was written in a fixture file, which is data, rather than in Python."""
    places: tuple[tuple[Any, Node | None], ...] = (
        (settings.case, settings.case.source),
        (settings.defaults.settings, settings.defaults.node),
    )
    for fixture, node in places:
        if getattr(fixture, attribute) is not MISSING:
            return node is not None and key in node.fields and node.locate() is not None
    return False
