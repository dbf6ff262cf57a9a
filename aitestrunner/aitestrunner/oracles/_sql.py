"""`sql-validate`: what a database holds after the answer, asked by queries."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, ClassVar, Final, cast

import matchex
from aitestrunner.oracles._config import Key, anything, is_count, is_flag, is_mapping, is_seconds, problems_of
from aitestrunner.oracles._contract import OracleError, OracleInput
from aitestrunner.oracles._sql_queries import Limits, Query, Rows, bound, open_sqlite, run_queries
from aitestrunner.oracles._value import Question, ValueOracle
from matchex import MISSING

__all__ = ["SqlValidate"]

_STYLES: Final = ("qmark", "numeric", "named", "format", "pyformat")
_SHAPES: Final = ("value", "row", "rows")
_QUERY_KEYS: Final = {
    "sql": Key("a query", lambda value: isinstance(value, str) and bool(value.strip())),
    "expect": Key("an expectation", anything),
    "expected": Key("a value", anything),
    "as": Key(f"one of {', '.join(_SHAPES)}", lambda value: value in _SHAPES),
    "params": Key("a mapping of names to values", is_mapping),
    "title": Key("a text", lambda value: isinstance(value, str)),
}


class SqlValidate(ValueOracle):
    """`sql-validate`: queries on a database, and an expectation on what each of them finds.

    A parameter `:name` takes its value from `params`, else from the field of the answer with that name, else from the
    input. Values are bound, never written into the query. Queries may only read.

    Configuration:
        database: A SQLite file.
        connection: A reference like `./db.py:connect` to a function that opens a connection of any DB-API module; in
            Python the function itself, or a SQLite connection.
        paramstyle: How the module of `connection` wants parameters written, as it says itself; not for SQLite.
        queries: A list of mappings: `sql`; `expect`, an expectation, or `expected`, the very value; `as`: `value` (of
            one row with one column; the default for anything but lists and mappings), `row` (a mapping of columns, the
            default where a mapping is expected) or `rows` (a list, where a list is); `params`; `title`.
        requireAll: False: one query that finds what is expected is enough.
        maxRows: How many rows a query may give (1000).
        timeout: Seconds that a query may take (5).

    Example:
        >>> import sqlite3
        >>> from aitestrunner.oracles import OracleInput, SqlValidate
        >>> database = sqlite3.connect(":memory:")
        >>> _ = database.execute("CREATE TABLE orders (id, total)")
        >>> _ = database.execute("INSERT INTO orders VALUES (7, 0)")
        >>> query = {"sql": "SELECT total FROM orders WHERE id = :id", "expected": 0}
        >>> config = {"connection": database, "queries": [query]}
        >>> SqlValidate().evaluate_now(OracleInput(actual={"id": 7}), config).passed
        True
        >>> database.close()
    """

    type = "sql-validate"
    keys: ClassVar = {
        "database": Key("the path of a SQLite file", lambda value: isinstance(value, str) and bool(value)),
        "connection": Key(
            "a reference like ./db.py:connect, a function without arguments, or a SQLite connection",
            lambda value: (isinstance(value, str) and bool(value)) or callable(value) or _is_sqlite(value),
        ),
        "paramstyle": Key(f"one of {', '.join(_STYLES)}", lambda value: value in _STYLES),
        "queries": Key("a list of queries, at least one", lambda value: isinstance(value, list) and bool(value)),  # pyright: ignore[reportUnknownArgumentType]
        "requireAll": Key("true or false", is_flag),
        "maxRows": Key("a whole number of at least 1", lambda value: is_count(value) and value > 0),
        "timeout": Key("a number of seconds above 0", is_seconds),
    }

    def question(self, config: Mapping[str, Any], given: OracleInput, /) -> Question:
        """One expectation for each query, on the list of what they find."""
        if ("database" in config) is ("connection" in config):
            raise OracleError("give `database` (a SQLite file) or `connection`")
        if "queries" not in config:
            raise OracleError("there are no `queries`")
        found = [_expectation(number, query) for number, query in enumerate(config["queries"])]
        options = {"data": given.variables, "input": None if given.input is MISSING else given.input}
        if config.get("requireAll", True):
            return Question({"$expect": found}, options)
        return Question({"$or": [{"$nth": {"$index": i, "$expect": it}} for i, it in enumerate(found)]}, options)

    async def subject(self, given: OracleInput, config: Mapping[str, Any], /) -> Any:
        """What the queries find, in their order."""
        queries = [_bound(number, query, given) for number, query in enumerate(config["queries"])]
        limits = Limits(config.get("timeout", 5.0), config.get("maxRows", 1000))
        connection = self._connection(config, given)
        try:
            answers = await run_queries(connection, queries, limits, config.get("paramstyle"))
        finally:
            if "database" in config:
                connection.close()
        return [_shaped(rows, _shape(query)) for rows, query in zip(answers, config["queries"], strict=True)]

    def missing(self, given: OracleInput, config: Mapping[str, Any], /) -> str | None:
        """Nothing: a database can be asked without an answer."""
        return None

    def tell(self, result: matchex.MatchResult, subject: Any, config: Mapping[str, Any], /) -> Mapping[str, Any]:
        """The queries and what they found."""
        queries = cast("list[Mapping[str, Any]]", config["queries"])
        told = zip(queries, subject, strict=True)
        return {"queries": [{"sql": query["sql"], "title": query.get("title"), "found": it} for query, it in told]}

    def _connection(self, config: Mapping[str, Any], given: OracleInput) -> Any:
        if "database" in config:
            return open_sqlite(given.resources.path(config["database"]))
        connection = config["connection"]
        if isinstance(connection, str):
            connection = given.resources.code(connection)
        if not callable(connection) and not _is_sqlite(connection):
            raise OracleError(f"`connection` names neither a function nor a SQLite connection: {connection!r:.80}")
        return connection


def _is_sqlite(value: Any) -> bool:
    return isinstance(value, sqlite3.Connection)


def _expectation(number: int, query: Any) -> Any:
    problems = problems_of(query, _QUERY_KEYS)
    if not problems and "sql" not in query:
        problems = ["there is no `sql`"]
    if not problems and ("expect" in query) is ("expected" in query):
        problems = ["give `expect` (an expectation) or `expected` (the very value)"]
    if problems:
        raise OracleError("; ".join(f"queries[{number}]: {problem}" for problem in problems))
    expected = query["expect"] if "expect" in query else {"$eq": query["expected"]}
    return {"$expect": expected, "$title": query["title"]} if "title" in query else expected


def _bound(number: int, query: Mapping[str, Any], given: OracleInput) -> Query:
    known: dict[str, Any] = {}
    for source in (given.input, given.actual, query.get("params")):
        if isinstance(source, Mapping):
            known.update(cast("Mapping[str, Any]", source))
    try:
        return bound(query["sql"], known)
    except OracleError as error:
        raise OracleError(f"queries[{number}]: {error}") from error


def _shape(query: Mapping[str, Any]) -> str:
    """How the rows of a query are shown to its expectation."""
    expected = query["expect"] if "expect" in query else query["expected"]
    if "as" in query:
        return query["as"]
    if isinstance(expected, list):
        return "rows"
    if isinstance(expected, Mapping):
        keys = cast("Mapping[str, Any]", expected)
        is_row = "expected" in query or any(not str(key).startswith("$") for key in keys)
        return "row" if is_row else "value"
    return "value"


def _shaped(rows: Rows, shape: str) -> Any:
    """The rows as one value, as one row or as they are. More than was asked for is shown whole, and so never passes."""
    if shape == "rows":
        return rows
    if len(rows) != 1:
        return rows or None
    return next(iter(rows[0].values())) if shape == "value" and len(rows[0]) == 1 else rows[0]
