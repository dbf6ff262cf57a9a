"""A second opinion: what Python's spelling means is asked of simpleeval too, an independent evaluator."""

import math

import simpleeval
from hypothesis import given, settings
from hypothesis import strategies as st
from matchex._expr import ExpressionError, compile_expression

NAMES = {"a": 7, "b": -3, "c": 2.5, "s": "red", "t": "bluebird", "yes": True, "no": False}

numbers = st.sampled_from(["a", "b", "c", "0", "1", "2", "10", "3.5"])
texts = st.sampled_from(["s", "t", "'red'", "'b'", "'zz'"])
truths = st.sampled_from(["yes", "no", "True", "False"])


def joined(operators: list[str], operands: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(operands, st.sampled_from(operators), operands).map(lambda parts: f"({' '.join(parts)})")


arithmetic = st.recursive(numbers, lambda inner: joined(["+", "-", "*", "/", "%", "//"], inner), max_leaves=5)
comparisons = st.one_of(
    joined(["<", "<=", ">", ">=", "==", "!="], arithmetic),
    joined(["<", "<=", ">", ">=", "==", "!=", "in", "not in"], texts),
    truths,
)
conditions = st.recursive(
    comparisons,
    lambda inner: st.one_of(joined(["and", "or"], inner), inner.map(lambda text: f"(not {text})")),
    max_leaves=5,
)
choices = st.tuples(arithmetic, conditions, arithmetic).map(lambda p: f"({p[0]} if {p[1]} else {p[2]})")


def ours(text: str) -> object:
    try:
        return compile_expression(text).evaluate(NAMES)
    except ExpressionError:
        return "error"


def theirs(text: str) -> object:
    try:
        return simpleeval.simple_eval(text, names=NAMES)
    except (ArithmeticError, simpleeval.InvalidExpression):
        return "error"


@settings(max_examples=300, deadline=None)
@given(st.one_of(arithmetic, conditions, choices))
def test_both_give_one_answer(text: str) -> None:
    mine, other = ours(text), theirs(text)
    assert type(mine) is type(other) or isinstance(mine, int | float), text
    assert mine == other or math.isclose(mine, other, rel_tol=1e-12), text
