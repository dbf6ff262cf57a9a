"""Oracles of one's own: by entry point, by module file, in Python; and what is wrong with the oracles of a case."""

import importlib.metadata
import sqlite3
from types import SimpleNamespace
from typing import Any

import pytest
from aitestrunner.oracles import (
    ExactMatch,
    Expect,
    LlmJudge,
    OracleEntry,
    OracleInput,
    OracleNameError,
    OracleResult,
    Oracles,
    Resources,
    SchemaValidate,
    SqlValidate,
    TraceNoErrors,
    check_entries,
    evaluate_oracle,
    judge_with_oracles,
    load_oracles,
    oracle_types,
    read_oracles,
)
from aitestrunner.oracles import _registry as registry
from aitestrunner.testing import check_oracle

from aitestrunner import CodeError


class Short:
    """An oracle that is not `async`."""

    type = "short"

    def evaluate(self, given, config):
        unknown = [key for key in config if key != "most"]
        if unknown:
            return OracleResult(self.type, status="error", message=f"unknown key {unknown[0]}")
        if not isinstance(given.actual, str):
            return OracleResult(self.type, passed=False, message="there is no text")
        fits = len(given.actual) <= config["most"]
        return OracleResult(self.type, passed=fits, message="" if fits else "it is too long")


class Broken:
    """An oracle that does everything wrong that it can."""

    type = "broken"

    def __init__(self, does: Any) -> None:
        self.does = does

    def evaluate(self, given, config):
        return self.does(given, config)


def always(passed: bool) -> OracleResult:
    return OracleResult("broken", passed=passed, message="so it is")


def boom(given, config):
    raise RuntimeError("boom")


async def test_an_oracle_of_the_run_judges():
    verdict = await judge_with_oracles(
        [OracleEntry(type="short", config={"most": 3}, title="is short")],
        OracleInput(actual="long"),
        oracles=Oracles([Short]),
    )
    assert (verdict.status, verdict.score) == ("fail", 0)
    assert verdict.to_dict()["oracles"][0] == {
        "type": "short",
        "status": "fail",
        "passed": False,
        "score": 0.0,
        "message": "it is too long",
        "weight": 1.0,
        "title": "is short",
    }


@pytest.mark.parametrize(
    ("does", "message"),
    [
        (boom, "raised RuntimeError: boom"),
        (lambda given, config: None, "returned None"),
        (lambda given, config: True, "returned True"),
        (lambda given, config: OracleResult("broken", passed=True, score=float("nan")), "a number from 0 to 1"),
        (lambda given, config: OracleResult("broken", passed=True, status="fail"), "contradict"),
        (lambda given, config: OracleResult("broken"), "`status`"),
    ],
)
async def test_what_goes_wrong_in_an_oracle_is_an_error_and_never_a_pass(does, message):
    oracles = Oracles([Broken(does)])
    judged = await evaluate_oracle(OracleEntry(type="broken"), OracleInput(actual=1), oracles)
    assert (judged.result.status, judged.result.score) == ("error", 0)
    assert message in judged.result.message
    verdict = await judge_with_oracles(
        [OracleEntry(type="broken"), OracleEntry(type="exact-match", config={"expected": 1})],
        OracleInput(actual=1),
        oracles=oracles,
    )
    assert (verdict.status, verdict.score) == ("error", 0.5)


async def test_an_oracle_that_is_not_there_keeps_its_weight():
    entries, problems = read_oracles([{"type": "exact-mach", "weight": 3}, {"type": "expect", "config": {"output": 1}}])
    assert problems == []
    verdict = await judge_with_oracles(entries, OracleInput(actual=1))
    assert (verdict.status, verdict.score) == ("error", 0.25)
    (problem,) = check_entries(entries, Oracles())
    assert problem.place == ("oracles", 0, "type")
    assert "did you mean 'exact-match'" in problem.message


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"type": "expect"}, "`oracles` takes a list"),
        ([5], "no mapping"),
        ([{"config": {}}], "no `type`"),
        ([{"type": "expect", "wieght": 1}], "did you mean `weight`"),
        ([{"type": "expect", "weight": -1}], "`weight` takes a number of at least 0"),
        ([{"type": "expect", "weight": float("inf")}], "`weight` takes"),
        ([{"type": "expect", "weight": True}], "`weight` takes"),
        ([{"type": "expect", "advisory": "no"}], "`advisory` takes true or false"),
        ([{"type": "expect", "config": []}], "`config` takes a mapping"),
    ],
)
def test_what_is_wrong_with_an_entry_is_told(written, message):
    _, problems = read_oracles(written)
    assert message in problems[0].message


@pytest.mark.parametrize(
    ("entries", "weights", "message"),
    [
        ([{"type": "expect", "config": {"output": {"$gtt": 1}}}], None, "$gt"),
        ([{"type": "expect", "config": {"output": 1}, "weight": 0}], None, "all weights are 0"),
        ([{"type": "expect", "config": {"output": 1}}], {"expct": 1}, "did you mean `expect`"),
        ([{"type": "expect", "config": {"output": 1}}], {"expect": "1"}, "a number of at least 0"),
        ([{"type": "expect", "config": {"output": 1}}], {"expect": 0}, "all `scoringWeights` are 0"),
        ([{"type": "expect", "config": {"output": 1}}], [1], "takes a mapping"),
    ],
)
def test_what_can_be_known_before_an_answer_is_told(entries, weights, message):
    read, problems = read_oracles(entries)
    assert problems == []
    found = check_entries(read, Oracles(), scoring_weights=weights)
    assert message in found[0].message


def test_oracles_of_a_module_file(tmp_path):
    file = tmp_path / "checks.py"
    file.write_text(
        """
from aitestrunner.oracles import ExactMatch

class Good:
    type = "good"
    def evaluate(self, given, config): ...

class Picky:
    type = "picky"
    def __init__(self, need): ...
    def evaluate(self, given, config): ...

class Nameless:
    type = ""
    def evaluate(self, given, config): ...

class Special(Good):
    def __init__(self, type):
        self.type = type

also = Special("also")
again = also

def helper(): ...
limit = 5
""",
        "utf-8",
    )
    loaded = load_oracles(file)
    assert [oracle.type for oracle in loaded.oracles] == ["good", "also"]
    assert sorted(loaded.skipped) == ["Nameless", "Picky", "Special"]
    assert "cannot be made without arguments" in loaded.skipped["Picky"]
    assert {"good", "also", "expect"} <= set(Oracles(loaded.oracles).types())


@pytest.mark.parametrize(("code", "message"), [(None, "there is no file"), ("1 / 0", "ZeroDivisionError")])
def test_a_module_file_that_is_none(tmp_path, code, message):
    file = tmp_path / "checks.py"
    if code is not None:
        file.write_text(code)
    with pytest.raises(CodeError, match=message):
        load_oracles(file)


def test_oracles_of_installed_distributions(monkeypatch):
    def broken():
        raise ImportError("no such thing")

    points = [
        SimpleNamespace(name="short", value="x:Short", load=lambda: Short),
        SimpleNamespace(name="broken", value="x:Broken", load=broken),
    ]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points if group == registry.GROUP else [])
    registry._entry_points.cache_clear()
    try:
        assert "short" in oracle_types()
        assert isinstance(Oracles().get("short"), Short)
        with pytest.raises(OracleNameError, match=r"x:Broken cannot be loaded: ImportError: no such thing"):
            Oracles().get("broken")
    finally:
        registry._entry_points.cache_clear()


class TestCheckOracle:
    """The conformance test for oracles."""

    @pytest.mark.parametrize(
        ("make", "config", "passing", "failing"),
        [
            (Short, {"most": 2}, OracleInput(actual="ab"), OracleInput(actual="abc")),
            (ExactMatch, {"expected": 1}, OracleInput(actual=1), OracleInput(actual=2)),
            (Expect, {"output": "/a/"}, OracleInput(actual="a"), OracleInput(actual="b")),
            (SchemaValidate, {"schema": {"type": "string"}}, OracleInput(actual=""), OracleInput(actual=5)),
            (
                TraceNoErrors,
                {"required": ["a"]},
                OracleInput(result={"steps": [{"name": "a"}]}),
                OracleInput(result={"steps": []}),
            ),
            (
                lambda: SqlValidate(),
                {"connection": lambda: sqlite3.connect(":memory:"), "queries": [{"sql": "SELECT :n", "expected": 1}]},
                OracleInput(actual={"n": 1}),
                OracleInput(actual={"n": 2}),
            ),
            (
                LlmJudge,
                {
                    "criteria": ["is yes"],
                    "model": lambda context: {
                        "id": context.args["verdict_id"],
                        "criteria": [{"number": 1, "reasoning": "r", "met": '"yes"' in context.input}],
                    },
                },
                OracleInput(actual="yes"),
                OracleInput(actual="no"),
            ),
        ],
    )
    def test_good_ones_hold(self, make, config, passing, failing):
        check_oracle(make, config=config, passing=passing, failing=failing)

    @pytest.mark.parametrize(
        ("does", "message"),
        [
            (boom, "it raised RuntimeError: boom"),
            (lambda given, config: None, "no OracleResult"),
            (lambda given, config: always(given.actual == 1), "names it"),
            (lambda given, config: always(passed=True), "in which everything is missing"),
            (lambda given, config: always(passed=True), "the input that should fail: `pass`"),
            (lambda given, config: OracleResult("other", passed=False), "of type 'other'"),
            (lambda given, config: OracleResult("broken", passed=False), "no message says why"),
            (lambda given, config: config.update(x=1) or always(passed=False), "it changed what it was given"),
        ],
    )
    def test_faults_are_found(self, does, message):
        with pytest.raises(AssertionError, match=message):
            check_oracle(lambda: Broken(does), config={}, passing=OracleInput(actual=1), failing=OracleInput(actual=2))


class TestDatabases:
    """Databases of a file, of a function, of any DB-API module; and what they may not do."""

    def ask(self, config: Any, actual: Any = None, **resources: Any) -> OracleResult:
        given = OracleInput(actual=actual, resources=Resources(**resources))
        return SqlValidate().evaluate_now(given, config)

    @pytest.fixture
    def file(self, tmp_path):
        connection = sqlite3.connect(tmp_path / "shop.db")
        connection.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1);")
        connection.close()
        return tmp_path / "shop.db"

    def test_a_file_below_the_fixture(self, file, tmp_path):
        config = {"database": "shop.db", "queries": [{"sql": "SELECT x FROM t", "expected": 1}]}
        assert self.ask(config, base_dir=tmp_path, inside=tmp_path).passed
        result = self.ask(config, base_dir=tmp_path / "sub", inside=tmp_path / "sub")
        assert result.message.startswith("there is no database")
        result = self.ask({**config, "database": "../shop.db"}, base_dir=tmp_path / "sub", inside=tmp_path / "sub")
        assert "leads out of the folder" in result.message

    def test_code_of_a_fixture_needs_leave(self, tmp_path):
        (tmp_path / "db.py").write_text("import sqlite3\ndef connect(): return sqlite3.connect(':memory:')\n")
        config = {"connection": "./db.py:connect", "queries": [{"sql": "SELECT 1", "expected": 1}]}
        assert self.ask(config, base_dir=tmp_path, inside=tmp_path).passed
        result = self.ask(config, base_dir=tmp_path, inside=tmp_path, allow_code=False)
        assert (result.status, "does not allow" in result.message) == ("error", True)

    @pytest.mark.parametrize(
        ("style", "sql", "parameters"),
        [
            ("qmark", "SELECT ?, ?, '%:x' -- :y", [1, 1]),
            ("numeric", "SELECT :1, :2, '%:x' -- :y", [1, 1]),
            ("format", "SELECT %s, %s, '%%:x' -- :y", [1, 1]),
            ("pyformat", "SELECT %(n)s, %(n)s, '%%:x' -- :y", {"n": 1}),
            ("named", "SELECT :n, :n, '%:x' -- :y", {"n": 1}),
        ],
    )
    def test_any_module_gets_its_own_style_of_parameters(self, style, sql, parameters):
        seen = Foreign()
        config = {
            "connection": lambda: seen,
            "paramstyle": style,
            "queries": [{"sql": "SELECT :n, :n, '%:x' -- :y", "expected": {"a": 1}}],
        }
        assert self.ask(config, {"n": 1}).passed
        assert seen.executed == [(sql, parameters)]
        assert seen.ended == ["rollback", "close"]

    @pytest.mark.parametrize(
        ("sql", "message"),
        [("DELETE FROM t", "statement that reads"), ("SELECT 1; DROP TABLE t", "statement that reads")],
    )
    def test_any_module_may_only_read(self, sql, message):
        seen = Foreign()
        config = {"connection": lambda: seen, "paramstyle": "qmark", "queries": [{"sql": sql, "expected": 1}]}
        result = self.ask(config)
        assert (result.status, "statement that reads" in result.message) == ("error", True)
        assert seen.executed == []

    def test_a_connection_that_commits_by_itself_is_refused(self):
        seen = Foreign()
        seen.autocommit = True
        config = {"connection": lambda: seen, "paramstyle": "qmark", "queries": [{"sql": "SELECT 1", "expected": 1}]}
        assert "commits by itself" in self.ask(config).message

    def test_a_database_that_never_answers(self):
        import threading

        forever = threading.Event()
        config = {
            "connection": forever.wait,
            "paramstyle": "qmark",
            "timeout": 0.05,
            "queries": [{"sql": "SELECT 1", "expected": 1}],
        }
        assert "longer than 0.05 seconds" in self.ask(config).message
        forever.set()

    def test_the_connection_of_the_caller_stays_as_it_was(self):
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE t (x)")
        assert self.ask(
            {"connection": connection, "queries": [{"sql": "SELECT count(*) FROM t", "expected": 0}]}
        ).passed
        connection.execute("INSERT INTO t VALUES (1)")
        connection.close()


class Foreign:
    """A connection and cursor of a database module that we do not know."""

    autocommit = False
    description = (("a", None),)

    def __init__(self) -> None:
        self.executed: list[Any] = []
        self.ended: list[str] = []

    def cursor(self):
        return SimpleNamespace(
            execute=self.execute, fetchmany=lambda count: [(1,)], close=lambda: None, description=self.description
        )

    def execute(self, sql, parameters=None):
        self.executed.append((sql, parameters))

    def rollback(self):
        self.ended.append("rollback")

    def close(self):
        self.ended.append("close")


class TestResources:
    """Models for judges."""

    def model(self, context):
        return {"id": context.args["verdict_id"], "criteria": [{"number": 1, "reasoning": "r", "met": True}]}

    def test_a_name_of_the_run_goes_before_the_registry(self):
        resources = Resources(executors={"mock": self.model})
        given = OracleInput(actual=1, resources=resources)
        assert LlmJudge().evaluate_now(given, {"criteria": ["a"], "model": "mock"}).passed

    def test_a_model_that_is_not_there(self):
        given = OracleInput(actual=1, resources=Resources(executors={"small": self.model}))
        result = LlmJudge().evaluate_now(given, {"criteria": ["a"], "model": "smal"})
        assert result.status == "error"
        assert "named in this run: 'small'" in result.message

    def test_a_model_of_a_fixture_needs_leave(self):
        given = OracleInput(actual=1, resources=Resources(inside=".", allow_code=False))
        model = {"name": "command", "argv": ["python3", "bot.py"]}
        result = LlmJudge().evaluate_now(given, {"criteria": ["a"], "model": model})
        assert (result.status, "allows" in result.message) == ("error", True)

    def test_a_model_that_hangs(self):
        import asyncio

        async def hang(context):
            await asyncio.sleep(60)

        given = OracleInput(actual=1)
        result = LlmJudge().evaluate_now(given, {"criteria": ["a"], "model": hang, "timeout": 0.05})
        assert "no verdict within 0.05 seconds" in result.message
