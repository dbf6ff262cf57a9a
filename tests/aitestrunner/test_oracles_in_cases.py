"""`oracles` in cases: read, rendered, checked before the run, counted in verdict, score, cost and log."""

import json
import sqlite3
from pathlib import Path

import pytest
from aitestrunner._cli import main
from aitestrunner.oracles import OracleEntry, OracleResult

from aitestrunner import AIExecutionResult, AITestFixture, AITestRunner, FixtureError, LoggedRun


def answer(context):
    return AIExecutionResult(context.input, cost=1, steps=[{"name": "think"}])


def run(*cases, executor=answer, **options):
    return AITestRunner(executor).run_sync("bot", list(cases), **options).logs


def entry(type_, weight=1, **config):
    return {"type": type_, "config": config, "weight": weight}


def test_oracles_in_place_of_expectations():
    (item,) = run({"input": "hello", "oracles": [entry("exact-match", expected="hello")]})
    assert (item.status, item.score, item.max_score, item.pass_score) == ("pass", 100, 100, None)
    assert item.oracles["status"] == "pass"
    assert item.to_dict()["oracles"]["oracles"][0]["type"] == "exact-match"


def test_blocks_and_oracles_make_one_verdict_and_one_score():
    case = {"input": {"a": 1}, "output": {"a": 1}, "oracles": [entry("exact-match", weight=3, expected={"a": 2})]}
    (item,) = run(case)
    assert (item.status, item.score) == ("fail", 25)
    assert [it["type"] for it in item.oracles["oracles"]] == ["output", "exact-match"]
    assert (item.failures[0].block, item.failures[0].path) == ("exact-match", "oracles[0]")
    (item,) = run({**case, "oracles": [{**case["oracles"][0], "title": "is two"}]})
    assert item.failures[0].title == "is two"
    (item,) = run({**case, "scoringWeights": {"output": 3, "exact-match": 1}})
    assert (item.status, item.score) == ("fail", 75)
    (item,) = run({**case, "output": {"a": 3}})
    assert (item.status, item.score) == ("fail", 0)


def test_what_the_case_expects_is_what_oracles_compare_with():
    oracles = [entry("exact-match", mode="deep"), entry("schema-validate", strict=True)]
    case = {"output": {"a": 1}, "outputSchema": {"properties": {"a": {}}}, "oracles": oracles}
    good, bad = run({**case, "input": {"a": 1}}, {**case, "input": {"a": 1, "b": 2}})
    assert (good.status, bad.status) == ("pass", "fail")
    assert [failure.path for failure in bad.failures] == ["oracles[0]", "oracles[1].b"]


def test_advisory_oracles_are_shown_and_do_not_count():
    advisory = {**entry("trace-no-errors", minSteps=5), "advisory": True, "title": "thinks long enough"}
    (item,) = run({"input": "a", "output": "a", "oracles": [advisory]})
    assert (item.status, item.score, item.failures) == ("pass", 100, ())
    assert any(note.kind == "advisory" and "thinks long enough" in note.message for note in item.notes)


def test_not_turns_oracles_round_too():
    case = {"input": "a", "not": True}
    failing, passing = run(
        {**case, "oracles": [entry("exact-match", expected="b")]},
        {**case, "oracles": [entry("exact-match", expected="a")]},
    )
    assert (failing.status, passing.status) == ("pass", "fail")


def test_an_oracle_in_error_makes_the_case_an_error_and_says_where():
    oracles = [entry("sql-validate", database="no.db", queries=[{"sql": "SELECT 1", "expected": 1}])]
    (item,) = run({"input": "a", "output": "a", "oracles": oracles})
    assert (item.status, item.errors[0].path) == ("error", "oracles[0]")
    assert "there is no database" in item.errors[0].message


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"oracles": [{"type": "exact-mach"}]}, "did you mean 'exact-match'"),
        ({"oracles": [entry("exact-match", expceted=1)]}, "did you mean `expected`"),
        ({"oracles": [entry("expect", output={"$gtt": 1})]}, "$gt"),
        ({"oracles": [entry("exact-match")]}, "nothing to compare with"),
        ({"oracles": [entry("exact-match", expected="{{nmae}}")]}, "nmae"),
        ({"oracles": [{**entry("exact-match", expected=1), "advisory": True}]}, "no oracle gates"),
        ({"oracles": []}, "checks nothing"),
        ({"output": 1, "scoringWeights": {"output": 1}}, "which the case has not"),
        ({"oracles": [entry("exact-match", expected=1)], "scoringWeights": {"exact": 1}}, "did you mean `exact-match`"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_asked(case, message):
    asked = []
    (item,) = run({"input": "a", **case}, executor=lambda context: asked.append(1))
    assert item.status == "error"
    assert message in item.errors[0].message
    assert not asked


@pytest.mark.parametrize("case", [{"oracles": {"type": "expect"}}, {"oracles": [], "scoringWeights": 1}])
def test_wrong_forms_are_problems_of_the_fixture(case):
    (item,) = run({"input": "a", **case})
    assert (item.status, "takes a" in item.errors[0].message) == ("error", True)


def test_placeholders_and_lines_of_files(tmp_path: Path):
    connection = sqlite3.connect(tmp_path / "shop.db")
    connection.executescript("CREATE TABLE t (id, total); INSERT INTO t VALUES (7, 12);")
    connection.close()
    (tmp_path / "shop.fixture.yaml").write_text(
        """
- input: {id: 7}
  total: 12
  oracles:
    - type: sql-validate
      config:
        database: shop.db
        queries:
          - sql: SELECT total FROM t WHERE id = :id
            expect: "{{total}}"
    - type: exact-match
      config: {expected: {id: "{{ total }}"}}
""",
        "utf-8",
    )
    result = AITestRunner(lambda context: context.input).run_sync("bot", tmp_path / "shop.fixture.yaml")
    (item,) = result.logs
    assert (item.status, item.score) == ("fail", 50)
    (failure,) = item.failures
    assert failure.path == "oracles[1]"
    assert failure.location.line == 11


def test_judges_by_name_and_what_they_cost(tmp_path: Path):
    def small(context):
        criteria = [{"number": 1, "reasoning": "it greets", "met": "hello" in context.input}]
        return AIExecutionResult({"id": context.args["verdict_id"], "criteria": criteria}, cost=0.25)

    oracles = [entry("llm-judge", model="small", criteria=["greets {{name}}"])]
    case = {"input": "hello", "name": "Ann", "oracles": oracles}
    log = tmp_path / "run.jsonl"
    result = AITestRunner(answer).run_sync("bot", [case], judges={"small": small}, log=log)
    (item,) = result.logs
    assert (item.status, item.cost, result.cost) == ("pass", 1.25, 1.25)
    assert item.oracles["oracles"][0]["details"]["criteria"][0]["criterion"] == "greets Ann"
    (stored,) = LoggedRun.read(log)
    assert stored.oracles == json.loads(json.dumps(item.to_dict()))["oracles"]


def test_the_reasoning_of_a_judge_is_part_of_the_failure():
    def judge(context):
        criteria = [{"number": 1, "reasoning": "there is no greeting", "met": False}]
        return AIExecutionResult({"id": context.args["verdict_id"], "criteria": criteria})

    oracles = [entry("llm-judge", model="judge", criteria=["greets"])]
    result = AITestRunner(answer).run_sync("bot", [{"input": "x", "oracles": oracles}], judges={"judge": judge})
    (failure,) = result.logs[0].failures
    assert failure.title == "greets"
    assert failure.message == "expected true, got false; the judge: there is no greeting"
    assert "there is no greeting" in result.logs[0].oracles["oracles"][0]["message"]


def test_what_judges_say_is_recorded_like_any_answer(tmp_path: Path):
    asked = []

    def small(context):
        asked.append(context.args["verdict_id"])
        met = len(asked) % 2 == 1  # another verdict each time, so that only a recording gives the same
        reply = {"id": context.args["verdict_id"], "criteria": [{"number": 1, "reasoning": "r", "met": met}]}
        return AIExecutionResult(reply if len(asked) > 1 else "hm", cost=1)

    case = {"input": "hello", "repeat": 2, "oracles": [entry("llm-judge", model="small", criteria=["greets"])]}
    options = {"judges": {"small": small}, "recordings": tmp_path / "recordings.jsonl"}
    first, *_ = run(case, record="auto", **options)
    assert len(asked) == 3  # one reply that is none, and a verdict for each run
    again, *_ = run(case, record="none", **options)
    assert len(asked) == 3
    told = [[it.oracles for it in item.repeats.runs] for item in (first, again)]
    assert told[0] == told[1]
    assert [it["status"] for it in told[0]] == ["fail", "pass"]
    (other,) = run({**case, "repeat": 1, "input": "bye"}, record="none", **options)
    assert other.errors[0].kind == "recording"


def test_oracles_of_the_run():
    class Loud:
        type = "loud"

        def evaluate(self, given, config):
            return OracleResult(self.type, passed=given.actual.isupper(), message="it is not loud")

    case = AITestFixture(input="hi", oracles=[OracleEntry(type="loud", title="is loud")])
    (item,) = run(case, oracles=[Loud])
    assert item.failures[0].message == "it is not loud"
    assert item.failures[0].title == "is loud"


def test_a_file_may_not_name_a_database_elsewhere(tmp_path: Path):
    folder = tmp_path / "fixtures"
    folder.mkdir()
    sqlite3.connect(tmp_path / "other.db").close()
    query = '{sql: "SELECT 1", expected: 1}'
    (folder / "a.fixture.yaml").write_text(
        f"- input: a\n  oracles: [{{type: sql-validate, config: {{database: ../other.db, queries: [{query}]}}}}]\n"
    )
    (item,) = AITestRunner(answer).run_sync("bot", folder / "a.fixture.yaml").logs
    assert "leads out of the folder" in item.errors[0].message


def test_a_turn_has_no_oracles_of_its_own():
    case = {"turns": [{"input": "a", "output": "a", "oracles": [entry("exact-match", expected="a")]}]}
    try:
        (item,) = run(case)
    except FixtureError as error:
        assert "does not belong to a turn" in str(error)
    else:
        assert "does not belong to a turn" in item.errors[0].message


class TestCommandLine:
    """`--oracles-module`."""

    @pytest.fixture
    def aitest(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        Path("bot.py").write_text("def answer(context):\n    return 'HI'\n")
        Path("checks.py").write_text(
            "from aitestrunner.oracles import OracleResult\n"
            "class Loud:\n"
            "    type = 'loud'\n"
            "    def evaluate(self, given, config):\n"
            "        return OracleResult('loud', passed=given.actual.isupper(), message='it is not loud')\n"
            "class Picky(Loud):\n"
            "    def __init__(self, need): ...\n"
        )
        Path("bot.fixture.yaml").write_text("- input: hi\n  oracles: [{type: loud}]\n")

        def aitest(*arguments):
            status = main(["run", "bot.fixture.yaml", "-e", "./bot.py:answer", *arguments])
            captured = capsys.readouterr()
            return status, captured.out, captured.err

        return aitest

    def test_oracles_of_a_file(self, aitest):
        status, out, err = aitest("--oracles-module", "checks.py", "--log", "run.jsonl")
        assert status == 0, out + err
        assert "checks.py: Picky is left out: the oracle Picky cannot be made without arguments" in err
        (item,) = LoggedRun.read("run.jsonl")
        assert (item.score, item.oracles["oracles"][0]["type"]) == (100, "loud")

    def test_an_oracle_that_nobody_gave(self, aitest):
        status, out, _ = aitest()
        assert status == 1
        assert "there is no oracle 'loud'" in out

    def test_validation_knows_them_too(self, aitest, capsys):
        assert main(["validate", "bot.fixture.yaml"]) == 4
        assert "bot.fixture.yaml:2:14: error: oracles[0]: there is no oracle 'loud'" in capsys.readouterr().out
        assert main(["validate", "bot.fixture.yaml", "--oracles-module", "checks.py"]) == 0

    def test_a_file_without_oracles(self, aitest):
        status, _, err = aitest("--oracles-module", "bot.py")
        assert (status, "there are no oracles in bot.py" in err) == (4, True)
        status, _, err = aitest("--oracles-module", "nowhere.py")
        assert (status, "there is no file nowhere.py" in err) == (4, True)
