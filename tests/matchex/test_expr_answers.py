"""Expressions against answers that were computed by Node and by Python, and against our own where they differ."""

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from matchex._expr import ExpressionError, ExpressionSyntaxError, compile_expression
from matchex._values import equal

DATA = Path(__file__).parent / "data"


def load(name):
    lines = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    return (lines[0]["scope"], lines[1:]) if "scope" in lines[0] and "expr" not in lines[0] else ({}, lines)


JAVASCRIPT_SCOPE, JAVASCRIPT = load("expr_javascript.jsonl")
DIFFERENCE_SCOPE, DIFFERENCES = load("expr_differences.jsonl")
PYTHON_SCOPE, PYTHON = load("expr_python.jsonl")
_, LABELLED = load("expr_labelled.jsonl")


def decode(answer):
    if "nan" in answer:
        return math.nan
    if "infinity" in answer:
        return answer["infinity"] * math.inf
    return int(answer["integer"]) if "integer" in answer else answer["value"]


def check(expr, scope, answer):
    compiled = compile_expression(expr)
    if "error" in answer:
        with pytest.raises(ExpressionError) as caught:
            compiled.evaluate(scope)
        return str(caught.value)
    got, wanted = compiled.evaluate(scope), decode(answer)
    both_nan = isinstance(wanted, float) and math.isnan(wanted) and isinstance(got, float) and math.isnan(got)
    assert both_nan or equal(got, wanted), f"{expr} is {got!r}, not {wanted!r}"
    return None


@pytest.mark.parametrize("case", JAVASCRIPT, ids=lambda case: f"{case['construct']}: {case['expr']}")
def test_javascript_agrees_with_node(case):
    check(case["expr"], JAVASCRIPT_SCOPE, case["answer"])


@pytest.mark.parametrize("case", PYTHON, ids=lambda case: f"{case['construct']}: {case['expr']}")
def test_python_agrees_with_python(case):
    check(case["expr"], PYTHON_SCOPE, case["answer"])


@pytest.mark.parametrize("case", DIFFERENCES, ids=lambda case: f"{case['construct']}: {case['expr']}")
def test_where_our_values_differ_from_javascripts(case):
    message = check(case["expr"], DIFFERENCE_SCOPE, case["ours"])
    assert case["ours"] != case["node"]
    assert case["reason"]
    if message is not None:
        assert case["ours"]["error"] in message


@pytest.mark.parametrize("case", LABELLED, ids=lambda case: case["name"])
def test_labelled(case):
    if "syntax" in case["answer"]:
        with pytest.raises(ExpressionSyntaxError):
            compile_expression(case["expr"])
    else:
        check(case["expr"], case["scope"], case["answer"])


def test_every_javascript_construct_has_five_cases_with_a_boundary_and_a_wrong_kind():
    counts = Counter(case["construct"] for case in JAVASCRIPT)
    kinds = {(case["construct"], case["kind"]) for case in JAVASCRIPT}
    counts.pop("combinations")
    assert len(counts) >= 115
    assert sum(counts.values()) >= 750
    assert {construct for construct, count in counts.items() if count < 5} == set()
    assert {construct for construct in counts if (construct, "boundary") not in kinds} == set()
    assert {construct for construct in counts if (construct, "wrong kind") not in kinds} == set()


def test_every_python_construct_has_five_cases_with_a_wrong_kind():
    counts = Counter(case["construct"] for case in PYTHON)
    wrong = {case["construct"] for case in PYTHON if case["kind"] == "wrong kind"}
    assert len(counts) >= 28
    assert min(counts.values()) >= 5
    assert set(counts) == wrong


def test_a_case_changes_nothing_that_it_reads():
    before = json.dumps(JAVASCRIPT_SCOPE)
    for case in JAVASCRIPT:
        try:
            compile_expression(case["expr"]).evaluate(JAVASCRIPT_SCOPE)
        except ExpressionError:
            continue
    assert json.dumps(JAVASCRIPT_SCOPE) == before
