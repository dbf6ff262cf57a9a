"""The labelled cases of the matching language: each is one test, by its id.

`data/matchex.jsonl` holds values, expectations and the right answers; `data/weights.jsonl` the weight formula. The
environment variable MATCHEX_CASES may name one more file of the same form. For some cases the whole report is committed
in `data/reports`: ID.txt is what `print(result)` shows, ID.json is `result.to_dict()`. After an intended change of the
reports run

    UPDATE_REPORTS=1 python -m pytest tests/conformance/test_matchex_cases.py

and read what `git diff tests/conformance/data/reports` shows before it is committed. An empty ID.txt adds a case.
"""

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from matchex.plugin import as_list, as_mapping, lookup, parse_path, trim

import matchex
from matchex import MISSING, ExpectationError, Failure, MatchResult

DATA = Path(__file__).parent / "data"
REPORTS = DATA / "reports"

REPORTED = sorted(path.stem for path in REPORTS.glob("*.txt"))


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def labelled() -> list[dict[str, Any]]:
    more = os.environ.get("MATCHEX_CASES")
    known = read(DATA / "matchex.jsonl") + read(DATA / "matchex_more.jsonl")
    return known + (read(Path(more)) if more else [])


CASES = labelled()
FIRST = {case["id"] for case in read(DATA / "matchex.jsonl")}
JUDGED = [case for case in CASES if case["want"]["status"] != "expectation_error"]
BY_ID = {case["id"]: case for case in CASES}


def decode(value: Any) -> Any:
    """Undo the encodings of values that JSON cannot hold."""
    match value:
        case list():
            return [decode(item) for item in value]
        case {"__undefined__": _}:
            return MISSING
        case {"__re__": pattern}:
            return pattern
        case {"__num__": number}:
            return float(number.replace("Infinity", "inf"))
        case dict():
            return {key: decode(item) for key, item in value.items()}
    return value


def run(case: dict[str, Any], actual: Any = None) -> MatchResult:
    """Judge a case; `actual` is its value where the caller wants to keep hold of it."""
    options = {key: decode(value) for key, value in (case.get("options") or {}).items()}
    return matchex.validate(decode(case["actual"]) if actual is None else actual, decode(case["expected"]), **options)


def by_id(cases: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


@by_id(CASES)
def test_answer(case):
    want = case["want"]
    if want["status"] == "expectation_error":
        with pytest.raises(ExpectationError) as caught:
            run(case)
        suggestions = [problem.suggestion for problem in caught.value.problems]
        assert want.get("suggestion") is None or want["suggestion"] in suggestions
        return
    result = run(case)
    assert result.status == want["status"]
    assert math.isfinite(result.score)
    assert 0 <= result.score <= 1
    if case.get("verdict_only"):
        return
    if want.get("score") is not None:
        assert result.score == pytest.approx(want["score"], rel=0, abs=1e-9)
    if want.get("failure_paths") is not None:
        assert sorted({failure.path for failure in result.failures}) == sorted(set(want["failure_paths"]))
    if want.get("critical") is not None:
        assert bool(result.critical_failures) == want["critical"]


WEIGHTS = read(DATA / "weights.jsonl")


@by_id(WEIGHTS)
def test_weights(case):
    options = decode(case.get("options") or {})
    if case["want"]["status"] == "expectation_error":
        with pytest.raises(ExpectationError):
            matchex.normalize_weights(decode(case["weights"]), **options)
        return
    shares = matchex.normalize_weights(decode(case["weights"]), **options)
    assert shares == pytest.approx(case["want"]["weights"], rel=0, abs=1e-12)


# -- what holds for the report of every case


@by_id([case for case in JUDGED if case["id"] in FIRST])
def test_report_is_complete(case):
    actual, expected = decode(case["actual"]), decode(case["expected"])
    result = run(case, actual)
    for failure in result.failures:
        assert failure.message.strip(), failure
        assert parse_path(failure.path) == failure.keys or not failure.keys
        assert stands_in(expected, failure), f"{failure.expected_path} leads nowhere"
        if not from_parsed_json(failure):
            assert same(lookup(actual, failure.keys), failure.actual), f"{failure.path}: {failure.actual!r}"
        if compares_texts(failure):
            assert failure.diff is not None, failure
            assert failure.diff.kind in ("json", "words") or rebuilt(failure.diff) == trim(failure.actual)
    for issue in result.errors:
        assert issue.kind, issue
        assert issue.message.strip(), issue
    assert bool(result.errors) >= (result.status == "error"), "an error without a reason"
    assert not result.failures or result.status != "pass"


@by_id(JUDGED)
def test_dictionary_is_detached(case):
    actual = decode(case["actual"])
    result = run(case, actual)
    data = result.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert not {id(part) for part in containers(data)} & {id(part) for part in containers(actual)}
    assert (data["status"], data["score"]) == (result.status, result.score)
    assert repr(actual) == repr(decode(case["actual"])), "the actual was changed"


def stands_in(expected: Any, failure: Failure) -> bool:
    """Whether the place of a failure is one of the expectation, or stands below a placeholder in it."""
    for step in failure.place:
        if isinstance(expected, str) and ("{{" in expected or "<<" in expected):
            return True
        found = lookup(expected, (step,))
        if found is MISSING and not (isinstance(expected, dict) and step in expected):
            return False
        expected = found
    return True


def from_parsed_json(failure: Failure) -> bool:
    return "$json" in failure.place


def same(found: object, actual: object) -> bool:
    return found is actual or (found == actual and isinstance(actual, type(found)))


NO_TEXT_COMPARISON = {"$expr", "$gt", "$gte", "$lt", "$lte", "$type", "$ne", "$not", "$none", "type", "format"}
"""Places where a text stands beside a text, and no comparison of the two failed."""


def compares_texts(failure: Failure) -> bool:
    last = failure.place[-1] if failure.place else ""
    if not isinstance(failure.actual, str) or last in NO_TEXT_COMPARISON or fired_penalty(failure):
        return False
    expected = failure.expected
    if isinstance(expected, dict):
        return last == "$diff" or (last == "$similar" and isinstance(expected.get("$value"), str))
    return isinstance(expected, str) and not (expected.startswith("/") and expected.rfind("/") > 1)


def fired_penalty(failure: Failure) -> bool:
    """Whether a failure says that something matched."""
    return failure.critical and matchex.validate(failure.actual, failure.expected).passed


def rebuilt(diff: Any) -> str:
    return "".join(change.text for change in diff.changes if change.sign in (" ", "+"))


def containers(value: object) -> Iterator[object]:
    mapping, items = as_mapping(value), as_list(value)
    if mapping is None and items is None:
        return
    yield value
    for inner in mapping.values() if mapping is not None else items or ():
        yield from containers(inner)


# -- the committed reports


def check_report(name: str, text: str) -> None:
    """Compare with the committed report, or write it where UPDATE_REPORTS is set."""
    path = REPORTS / name
    if os.environ.get("UPDATE_REPORTS"):
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("name", REPORTED)
def test_reads_as_committed(name):
    case = BY_ID[name]
    try:
        result = run(case)
    except ExpectationError as error:
        check_report(f"{name}.txt", f"{error}\n")
        problems = [{"path": p.path, "message": p.message, "suggestion": p.suggestion} for p in error.problems]
        data: Any = {"problems": problems}
    else:
        check_report(f"{name}.txt", f"{result}\n")
        data = result.to_dict()
    check_report(f"{name}.json", json.dumps(data, ensure_ascii=False, indent=2) + "\n")
