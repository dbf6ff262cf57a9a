"""Running queries: read-only, with bound parameters, and no longer than allowed, on SQLite or any DB-API connection."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from matchex.plugin import nearest, show

from aitestrunner.oracles._contract import OracleError

__all__ = ["Limits", "Query", "Rows", "bound", "open_sqlite", "run_queries"]

_TOKEN: Final = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/|::|:(?P<name>[^\W\d]\w*)|%",
    re.DOTALL,
)
_READING: Final = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*\(*\s*(?:SELECT|WITH|VALUES|SHOW|EXPLAIN)\b", re.I | re.DOTALL
)
_STYLES: Final[Mapping[str, Callable[[str, int], str]]] = {
    "named": lambda name, _: f":{name}",
    "qmark": lambda _, __: "?",
    "numeric": lambda _, number: f":{number}",
    "format": lambda _, __: "%s",
    "pyformat": lambda name, _: f"%({name})s",
}
_GRACE: Final = 1.0
_STEPS: Final = 1000
"""How many of its own steps SQLite makes between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a query may use up: seconds, and rows of its answer."""

    seconds: float
    rows: int


@dataclass(frozen=True, slots=True)
class Query:
    """A query with its bound parameters, by name."""

    sql: str
    parameters: Mapping[str, Any]


Rows = list[dict[str, Any]]


def _named_parameters(sql: str) -> list[str]:
    """The names of the `:name` parameters of a query; what stands in quotes and comments is none."""
    return list(dict.fromkeys(match["name"] for match in _TOKEN.finditer(sql) if match["name"]))


def bound(sql: str, known: Mapping[str, Any]) -> Query:
    """A query with the values of its parameters.

    Raises:
        OracleError: A parameter has no value, or one that no column can hold.
    """
    parameters: dict[str, Any] = {}
    for name in _named_parameters(sql):
        if name not in known:
            guess = nearest(name, known)
            hint = f"; did you mean :{guess}?" if guess else f"; there are {', '.join(known) or 'none'}"
            raise OracleError(f"the parameter :{name} has no value{hint}")
        value = known[name]
        if value is not None and not isinstance(value, (str, int, float, bytes)):
            raise OracleError(f"the parameter :{name} is no single value: {show(value)}")
        parameters[name] = value
    return Query(sql, parameters)


def open_sqlite(path: Path) -> sqlite3.Connection:
    """A SQLite file, opened for reading.

    Raises:
        OracleError: There is none.
    """
    if not path.is_file():
        raise OracleError(f"there is no database {path.as_posix()}")
    try:
        return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise OracleError(f"the database {path.as_posix()} cannot be opened: {error}") from error


async def run_queries(connection: Any, queries: Sequence[Query], limits: Limits, style: str | None) -> list[Rows]:
    """The rows of each query.

    Args:
        connection: A SQLite connection, which is used here and now; or a function that opens one of any DB-API module,
            which is called and used in a thread of its own, and closed.
        queries: What to ask.
        limits: What each query may use up.
        style: How parameters are written for the module (`paramstyle`); None: `named` for SQLite.

    Raises:
        OracleError: A query cannot be run, is none that only reads, or reached a limit.
    """
    if isinstance(connection, sqlite3.Connection):
        return _each(queries, lambda query: _asked_sqlite(connection, query, limits))
    return await _aside(connection, queries, limits, style)


def _each(queries: Sequence[Query], ask: Callable[[Query], Rows]) -> list[Rows]:
    """The rows of each query; what is wrong with one says which."""
    found: list[Rows] = []
    for number, query in enumerate(queries):
        try:
            found.append(ask(query))
        except OracleError as error:
            raise OracleError(f"queries[{number}]: {error}") from error
        except Exception as error:  # of a database module that we do not know
            raise OracleError(f"queries[{number}]: {type(error).__name__}: {error}") from error
    return found


def _asked_sqlite(connection: sqlite3.Connection, query: Query, limits: Limits) -> Rows:
    deadline = time.monotonic() + limits.seconds
    connection.set_authorizer(_reads_only)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    try:
        return _rows(connection.execute(query.sql, dict(query.parameters)), limits)
    except (sqlite3.Error, sqlite3.Warning) as error:
        if time.monotonic() > deadline:
            raise OracleError(f"it took longer than {limits.seconds:g} seconds") from error
        denied = "not authorized" in str(error) or "prohibited" in str(error)
        raise OracleError(f"{error}" + (" (queries may only read)" if denied else "")) from error
    finally:
        connection.set_progress_handler(None, 0)
        connection.set_authorizer(None)


_READS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)


def _reads_only(action: int, first: str | None, second: str | None, *_: object) -> int:
    is_function = action == sqlite3.SQLITE_FUNCTION
    if action not in _READS or (is_function and (second or "").lower() == "load_extension"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _rows(cursor: Any, limits: Limits) -> Rows:
    found = cursor.fetchmany(limits.rows + 1)
    if len(found) > limits.rows:
        raise OracleError(f"it gives more than {limits.rows} rows (`maxRows`)")
    names = [column[0] for column in cursor.description or ()]
    if len(set(names)) < len(names):
        raise OracleError(f"two columns have the same name: {', '.join(names)}; give them names by AS")
    return [dict(zip(names, row, strict=True)) for row in found]


async def _aside(connect: Callable[[], Any], queries: Sequence[Query], limits: Limits, style: str | None) -> list[Rows]:
    """Ask in a daemon thread: a database that never answers must not keep the program from ending."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[Rows]] = loop.create_future()
    opened: list[Any] = []

    def settle(rows: list[Rows] | None, error: Exception | None) -> None:
        if answer.done():
            return
        if error is None and rows is not None:
            answer.set_result(rows)
        else:
            answer.set_exception(error or OracleError("the connection gave no answer"))

    def work() -> None:
        rows, failed = None, None
        try:
            rows = _all_asked(connect, queries, limits, style, opened)
        except OracleError as error:
            failed = error
        except Exception as error:
            failed = OracleError(f"{type(error).__name__}: {error}")
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, rows, failed)

    threading.Thread(target=work, name="aitest-sql", daemon=True).start()
    try:
        async with asyncio.timeout(limits.seconds * len(queries) + _GRACE):
            return await answer
    except TimeoutError:
        for connection in opened:
            stop = getattr(connection, "interrupt", None) or getattr(connection, "cancel", None)
            if stop is not None:
                with contextlib.suppress(Exception):
                    stop()
        raise OracleError(f"it took longer than {limits.seconds:g} seconds a query") from None


def _all_asked(
    connect: Callable[[], Any], queries: Sequence[Query], limits: Limits, style: str | None, opened: list[Any]
) -> list[Rows]:
    connection = connect()
    opened.append(connection)
    try:
        if isinstance(connection, sqlite3.Connection):
            return _each(queries, lambda query: _asked_sqlite(connection, query, limits))
        if style is None:
            raise OracleError(
                "give `paramstyle`, as the database module has it (qmark, numeric, named, format, pyformat)"
            )
        if getattr(connection, "autocommit", False) is True:
            raise OracleError("the connection commits by itself (`autocommit`), so that queries could change data")
        return _each(queries, lambda query: _asked(connection, query, limits, style))
    finally:
        with contextlib.suppress(Exception):
            connection.rollback()
        connection.close()


def _asked(connection: Any, query: Query, limits: Limits, style: str) -> Rows:
    """A query on a connection of any module: only statements that read are let through, and all is rolled back."""
    if not _READING.match(query.sql) or ";" in query.sql.strip().rstrip(";"):
        raise OracleError("it is no single statement that reads (SELECT, WITH, VALUES, SHOW, EXPLAIN)")
    names = [match["name"] for match in _TOKEN.finditer(query.sql) if match["name"]]
    cursor = connection.cursor()
    try:
        if not names:
            cursor.execute(query.sql)
        elif style in ("named", "pyformat"):
            cursor.execute(_in_style(query.sql, style), dict(query.parameters))
        else:
            cursor.execute(_in_style(query.sql, style), [query.parameters[name] for name in names])
        return _rows(cursor, limits)
    finally:
        cursor.close()


def _in_style(sql: str, style: str) -> str:
    """A query with its parameters written as a database module wants them."""
    number = 0
    doubles = style in ("format", "pyformat")

    def written(match: re.Match[str]) -> str:
        nonlocal number
        if match["name"]:
            number += 1
            return _STYLES[style](match["name"], number)
        return match[0].replace("%", "%%") if doubles else match[0]

    return _TOKEN.sub(written, sql)
