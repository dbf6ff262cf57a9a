"""Repeats: pass rates, the three outcomes, pass^k, Wilson's interval, flaky cases."""

import itertools
from statistics import fmean

import pytest
from aitestrunner._repeat import pass_power, wilson
from hypothesis import given, settings
from hypothesis import strategies as st

from aitestrunner import AIExecutionResult, AITestRunner


def run(answers, **case):
    waiting = iter(answers)

    def answer(context):
        found = next(waiting)
        if isinstance(found, Exception):
            raise found
        return found

    return AITestRunner(answer).run_sync("s", [{"output": "x", "repeat": len(answers), **case}])


BROKEN = ValueError("broken")


@pytest.mark.parametrize(
    ("answers", "rate", "status"),
    [
        (["x", "x"], 1, "pass"),
        (["x", "y"], 1, "fail"),
        (["x", "y"], 0.5, "pass"),
        (["y", "y"], 0, "pass"),
        (["x", BROKEN], 0.5, "pass"),
        (["x", BROKEN], 1, "error"),
        (["y", BROKEN], 1, "fail"),
        (["y", BROKEN], 0.5, "error"),
        (["x", "x", "y"], 2 / 3, "pass"),
        (["x", "x", "x", "y", BROKEN], 0.8, "error"),
    ],
)
def test_status(answers, rate, status):
    (log,) = run(answers, minPassRate=rate).logs
    assert log.status == status
    assert log.repeats.passed == answers.count("x")
    assert log.repeats.flaky == (0 < answers.count("x") < len(answers))


def test_every_run_is_kept():
    result = run(["x", "y", BROKEN, "x"], minPassRate=0.5)
    (log,) = result.logs
    assert [item.status for item in log.repeats.runs] == ["pass", "fail", "error", "pass"]
    stored = log.to_dict()["repeats"]
    assert [item["status"] for item in stored["runs"]] == ["pass", "fail", "error", "pass"]
    assert (stored["passRate"], stored["passPower"]) == (0.5, [0.5, pytest.approx(1 / 6), 0, 0])
    assert result.tally.flaky == 1
    assert result.passed_count == 1


def test_what_fails_is_shown():
    (log,) = run(["x", "y", "x"]).logs
    assert log.status == "fail"
    assert log.failures[0].actual == "y"


def test_sums_and_means():
    answers = [AIExecutionResult("x", cost=1), AIExecutionResult("y", cost=2)]
    (log,) = run(answers, scoring=True).logs
    assert (log.cost, log.score, log.status) == (3, 50, "fail")


def test_one_event_for_a_case_whatever_its_runs():
    runner, events = AITestRunner(lambda context: "x"), []
    for name in ("test:start", "test:pass"):
        runner.on(name, lambda payload, name=name: events.append(name))
    result = runner.run_sync("s", [{"output": "x", "repeat": 3}, {"output": "x"}], jobs=4)
    assert sorted(events) == ["test:pass"] * 2 + ["test:start"] * 2
    assert result.passed_count == 2


def test_for_all_cases_of_a_run():
    result = AITestRunner(lambda context: "x").run_sync("s", [{"output": "x"}, {"output": "x", "repeat": 1}], repeat=3)
    assert [log.repeats and len(log.repeats.runs) for log in result.logs] == [3, None]


@settings(deadline=None)  # a loaded machine is no fault
@given(
    st.integers(1, 7).flatmap(lambda n: st.tuples(st.lists(st.booleans(), min_size=n, max_size=n), st.integers(1, n)))
)
def test_pass_power_is_the_share_of_choices_that_pass(drawn):
    runs, k = drawn
    expected = fmean(all(choice) for choice in itertools.combinations(runs, k))
    assert pass_power(sum(runs), len(runs), k) == pytest.approx(expected)


@settings(deadline=None)  # a loaded machine is no fault
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_rate(drawn):
    passed, count = drawn
    low, high = wilson(passed, count)
    assert 0 <= low <= passed / count <= high <= 1
    assert wilson(count - passed, count) == (pytest.approx(1 - high), pytest.approx(1 - low))
