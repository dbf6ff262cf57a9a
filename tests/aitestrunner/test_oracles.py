"""Oracles: the tables of cases, and that each value oracle is nothing but its expectation."""

import inspect
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from aitestrunner.oracles import (
    JudgedOracle,
    LlmJudge,
    OracleInput,
    OracleResult,
    create_oracle,
    verdict_of,
)

import matchex
from aitestrunner import normalize_messages

DATA = Path(__file__).resolve().parents[1] / "conformance" / "data"


def rows(name: str) -> list[Any]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    assert len({row["id"] for row in found}) == len(found)
    return [pytest.param(row, id=row["id"]) for row in found]


def given_in(row: dict[str, Any]) -> OracleInput:
    fields = dict(row["input"])
    if "messages" in fields:
        fields["messages"] = normalize_messages(fields["messages"])
    return OracleInput(**fields)


@pytest.fixture
def database():
    connection = sqlite3.connect(":memory:")
    yield connection
    connection.close()


def configured(row: dict[str, Any], database: sqlite3.Connection) -> dict[str, Any]:
    if "tables" not in row:
        return row["config"]
    for statement in row["tables"]:
        database.execute(statement)
    return {"connection": database, **row["config"]}


def check(row: dict[str, Any], result: OracleResult) -> None:
    assert (result.status, result.score) == (row["status"], pytest.approx(row["score"])), result
    assert result.passed is (row["status"] == "pass")
    if "message" in row:
        assert row["message"] in result.message
    if result.status != "pass":
        assert result.message
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("row", rows("oracles.jsonl"))
async def test_value_oracles(row, database):
    before = json.dumps(row)
    oracle, config, given = create_oracle(row["oracle"]), configured(row, database), given_in(row)
    result = await oracle.evaluate(given, config)
    check(row, result)
    assert json.dumps(row) == before


@pytest.mark.parametrize("row", rows("oracles.jsonl"))
async def test_a_value_oracle_is_its_expectation(row, database):
    """`matchex.validate` alone gives the verdict and the score."""
    oracle, config, given = create_oracle(row["oracle"]), configured(row, database), given_in(row)
    result = await oracle.evaluate(given, config)
    if oracle.check(config, given) or oracle.missing(given, config) is not None:
        assert not result.passed
        return
    try:
        subject = oracle.subject(given, config)
        subject = await subject if inspect.isawaitable(subject) else subject
    except Exception:
        assert result.status == "error"
        return
    question = oracle.question(config, given)
    alone = matchex.validate(subject, question.expectation, **question.options)
    assert (alone.status, alone.score) == (result.status, result.score)
    assert [it.message for it in alone.failures] == [it.message for it in result.failures]


@pytest.mark.parametrize("row", rows("oracles_verdicts.jsonl"))
def test_verdicts(row):
    judged = []
    for written in row["results"]:
        fields = dict(written)
        weight = fields.pop("weight", 1.0)
        judged.append(JudgedOracle(OracleResult(fields.pop("type"), **fields), weight))
    verdict = verdict_of(judged, scoring_weights=row.get("scoringWeights"))
    assert (verdict.status, verdict.score) == (row["status"], pytest.approx(row["score"]))


class Scripted:
    """A judge that answers what the script says, and keeps what it was asked."""

    def __init__(self, replies: list[Any]) -> None:
        self.replies = iter(replies)
        self.prompts: list[str] = []

    def execute(self, context):
        from aitestrunner import AIExecutionResult

        self.prompts.append(context.input)
        reply, number = next(self.replies), context.args["verdict_id"]
        if reply == "TWICE":
            reply = "TEXT:" + '{"id": "NONCE", "criteria": []}' * 2
        if isinstance(reply, str):
            output: Any = reply.removeprefix("TEXT:").replace("NONCE", number)
        else:
            output = {"id": number, "criteria": reply}
        return AIExecutionResult(output, cost=0.25, usage={"total_tokens": 10})


@pytest.mark.parametrize("row", rows("oracles_judge.jsonl"))
async def test_judges(row):
    model = Scripted(row["replies"])
    result = await LlmJudge().evaluate(OracleInput(actual="the answer"), {"model": model, **row["config"]})
    check(row, result)
    assert result.cost == (0.25 * len(model.prompts) or None)
    for name, value in row.get("details", {}).items():
        assert result.details[name] == value
    assert all(row.get("prompt", "") in prompt for prompt in model.prompts)


def test_every_deviation_is_a_row_of_a_table():
    tables = {row.values[0].get("table") for name in TABLES for row in rows(name)}
    for row in map(json.loads, (DATA / "oracles_differences.jsonl").read_text("utf-8").splitlines()):
        assert row["table"] in tables
        assert len(row["theirs"]) > 3 and len(row["ours"]) > 3 and len(row["reason"]) > 20


TABLES = ("oracles.jsonl", "oracles_verdicts.jsonl", "oracles_judge.jsonl")


def test_every_row_of_the_table_of_scores_is_there():
    tables = " ".join(str(row.values[0].get("table")) for name in TABLES for row in rows(name))
    for wanted in (
        *("no results", "scores 1, 0.5", "a=1 w0.2", "type without weight", "all weights 0", "two results type x"),
        *("weights 2 and 2", "scores .9,.9", "one advisory failed", "exact {a,b}", "contains {a:1}", "no patterns"),
        *("partial 3 fields", "schema number", "schema minimum", "requireAll=false"),
    ):
        assert re.search(rf"9\.1 \w* ?{re.escape(wanted)}", tables), wanted
