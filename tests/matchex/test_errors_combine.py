"""The one rule for errors: a child in error may be a pass with score 1 or a failure with score 0, whatever others are.

Random trees of operators over random values are judged with some of their leaves in error. Then every error is
replaced, in every combination, by a pass or a failure: where all of these give one verdict, that must be the verdict;
otherwise the outcome must be an error. Thresholds and penalties are put on nodes that have leaves only as children,
because a score counts only one level up: a container that surely fails keeps the score that it has.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import matchex

MOST = 128
"""Combinations of replaced errors that are tried at most for one tree."""


class TooMany(Exception):
    pass


class Probes:
    """Leaves that pass (`p`), fail (`f`) or are in error (`e`), by the place where they are asked.

    The operand of a probe says what it answers: by the item's index inside a list operator, else its first letter.
    """

    def __init__(self, decided: dict[Any, bool] | None = None) -> None:
        self.decided = decided
        self.open: list[Any] = []

    def __call__(self, actual: Any, operand: dict[str, Any], context: Any) -> bool:
        answers = operand["answers"]
        answer = answers[context.loop.index % len(answers)] if context.loop else answers[0]
        if answer != "e":
            return answer == "p"
        if self.decided is None:
            raise matchex.MatchingError("probe", "in error")
        cell = (operand["id"], context.path)
        if cell not in self.decided:
            self.open.append(cell)
        return self.decided.get(cell, False)


def judged(actual: Any, expected: Any, decided: dict[Any, bool] | None = None) -> tuple[matchex.MatchResult, Probes]:
    probes = Probes(decided)
    return matchex.validate(actual, expected, operators={"$probe": probes}), probes


def verdicts(actual: Any, expected: Any) -> set[str]:
    """The verdicts of all ways to replace the errors."""
    found: set[str] = set()
    waiting: list[dict[Any, bool]] = [{}]
    tried = 0
    while waiting:
        tried += 1
        if tried > MOST:
            raise TooMany
        decided = waiting.pop()
        result, probes = judged(actual, expected, decided)
        assert result.status in ("pass", "fail")
        if not probes.open:
            found.add(result.status)
            continue
        cell = probes.open[0]
        waiting += [{**decided, cell: True}, {**decided, cell: False}]
    return found


# -- random trees

ACTUALS = st.recursive(
    st.just(0),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3) | st.fixed_dictionaries({"a": inner, "b": inner}) | st.just([])
    ),
    max_leaves=6,
)


@st.composite
def probe(draw: st.DrawFn) -> dict[str, Any]:
    return {"$probe": {"answers": draw(st.text("pfe", min_size=1, max_size=3))}}


def numbered(expected: Any, numbers: Iterator[int]) -> Any:
    """The tree with a number in each probe, so that probes with the same answers differ."""
    if isinstance(expected, dict):
        if "$probe" in expected:
            return {"$probe": {**expected["$probe"], "id": next(numbers)}}
        return {key: numbered(value, numbers) for key, value in expected.items()}
    return [numbered(item, numbers) for item in expected] if isinstance(expected, list) else expected


@st.composite
def weighted_probe(draw: st.DrawFn, *, penalties: bool) -> dict[str, Any]:
    score = draw(st.sampled_from([None, 0, 10, 50, 100] + [-20, -50] * penalties))
    critical = draw(st.booleans())
    return {"$expect": draw(probe()), "$score": {"value": score, "critical": critical}}


def shape_of(actual: Any) -> str:
    return "mapping" if isinstance(actual, dict) else "list" if isinstance(actual, list) else "scalar"


@st.composite
def trees(draw: st.DrawFn, actual: Any, depth: int = 3) -> Any:
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(probe())
    if draw(st.integers(0, 3)) == 0:
        return draw(marked(actual))
    choices = [branches, negated]
    choices += {"mapping": [fields, fields], "list": [plain_list, *LIST_OPERATORS], "scalar": []}[shape_of(actual)]
    return draw(draw(st.sampled_from(choices))(actual, depth - 1))


@st.composite
def marked(draw: st.DrawFn, actual: Any) -> Any:
    """A container of leaves with a threshold, penalties and criticals."""
    leaves = draw(st.lists(weighted_probe(penalties=True), min_size=1, max_size=3))
    threshold = draw(st.sampled_from([None, 0.25, 0.5, 0.8, 1]))
    kinds = ["$and"]
    if shape_of(actual) == "list" and actual:
        kinds += ["$all", "$all distinct", "$unordered", "$sequence", "list"]
    if shape_of(actual) == "mapping":
        kinds.append("mapping")
        if (leaves[0]["$score"]["value"] or 0) >= 0:  # alternatives need one that is no penalty
            kinds.append("max")
    if any((leaf["$score"]["value"] or 0) >= 0 for leaf in leaves):
        kinds.append("$or")
    kind = draw(st.sampled_from(kinds))
    if kind in ("$all distinct", "$unordered"):  # pairings of operands with weights of their own: see below
        leaves = [leaf["$expect"] for leaf in leaves]
    meta = {} if kind == "$sequence" else {"$threshold": threshold}
    if kind == "$all distinct":
        return {"$all": {"$value": leaves, "distinct": True}, **meta}
    if kind == "list":
        return {"$expect": leaves[: len(actual)], **meta}
    if kind in ("mapping", "max"):
        return {**dict(zip("ab", leaves, strict=False)), **meta, **({"$strategy": "max"} if kind == "max" else {})}
    return {kind: leaves, **meta}


@st.composite
def branches(draw: st.DrawFn, actual: Any, depth: int) -> Any:
    return {draw(st.sampled_from(["$and", "$or"])): draw(st.lists(trees(actual, depth), min_size=1, max_size=3))}


@st.composite
def negated(draw: st.DrawFn, actual: Any, depth: int) -> Any:
    return {"$not": draw(trees(actual, depth))}


@st.composite
def fields(draw: st.DrawFn, actual: Any, depth: int) -> Any:
    chosen = draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=2, unique=True))
    expected = {key: draw(trees(actual[key], depth)) for key in chosen}
    return {**expected, "$strategy": "max"} if draw(st.booleans()) else expected


@st.composite
def plain_list(draw: st.DrawFn, actual: Any, depth: int) -> Any:
    return [draw(trees(item, depth)) for item in actual]


def _common(actual: list[Any]) -> Any:
    """A value that all items resemble: the operand of a list operator is written for it."""
    shapes = {shape_of(item) for item in actual}
    return actual[0] if len(shapes) == 1 and "list" not in shapes else 0


def over_items(*names: str) -> Any:
    @st.composite
    def strategy(draw: st.DrawFn, actual: Any, depth: int) -> Any:
        return {draw(st.sampled_from(names)): draw(trees(_common(actual), min(depth, 1)))}

    return strategy


@st.composite
def several(draw: st.DrawFn, actual: Any, depth: int) -> Any:
    operands = draw(st.lists(trees(_common(actual), min(depth, 1)), max_size=3))
    return draw(
        st.sampled_from(
            [
                {"$all": operands},
                {"$all": {"$value": operands, "distinct": True}},
                {"$unordered": operands},
                {"$sequence": operands},
                {"$sequence": {"$value": operands, "contiguous": True}},
            ]
        )
    )


@st.composite
def counted(draw: st.DrawFn, actual: Any, depth: int) -> Any:
    number = draw(st.sampled_from([{"$value": 1}, {"$gte": 2}, {"$lt": 2}, {"$in": [0, 2]}, {"$not": {"$eq": 1}}]))
    return {"$count": {"$of": draw(trees(_common(actual), min(depth, 1))), **number}}


@st.composite
def picked(draw: st.DrawFn, actual: Any, depth: int) -> Any:
    name = draw(st.sampled_from(["$first", "$last", "$sort"]))
    if not actual:
        return {name: {}} if name == "$sort" else {name: draw(probe())}
    item = actual[-1] if name == "$last" else actual[0]
    return {name: draw(trees(item, depth))} if name != "$sort" else {"$first": draw(trees(item, depth))}


LIST_OPERATORS = [over_items("$contains", "$each", "$none"), several, counted, picked]


@st.composite
def situations(draw: st.DrawFn) -> tuple[Any, Any]:
    actual = draw(ACTUALS)
    return actual, numbered(draw(trees(actual)), itertools.count())


@settings(max_examples=200, deadline=None)
@given(situations())
def test_errors_are_read_both_ways(situation):
    actual, expected = situation
    result, _ = judged(actual, expected)
    try:
        possible = verdicts(actual, expected)
    except TooMany:
        assume(False)
        return
    wanted = possible.pop() if len(possible) == 1 else "error"
    assert result.status == wanted


BROKEN = {"$expr": "nowhere > 1"}
CRITICAL = {"$expect": BROKEN, "$critical": True}


@pytest.mark.parametrize(
    "expected",
    [{"$all": {"$value": [CRITICAL], "distinct": True}}, {"$unordered": [CRITICAL]}, {"$sequence": [CRITICAL]}],
)
def test_a_critical_operand_in_error_may_still_match(expected):
    assert matchex.validate([0], {**expected, "$threshold": 0.25}).status == "error"


@pytest.mark.parametrize("weights", [(10, 90), (90, 10)])
def test_a_pairing_is_the_best_one_whatever_the_order(weights):
    operands = [{"$expect": 1, "$score": weight} for weight in weights]
    found = matchex.validate([1], {"$all": {"$value": operands, "distinct": True}})
    turned = matchex.validate([1], {"$all": {"$value": operands[::-1], "distinct": True}})
    assert found.score == turned.score == pytest.approx(0.9)


def test_a_sequence_may_earn_more_where_a_step_in_error_fails():
    expected = {"$sequence": [{"$expect": BROKEN, "$score": 0}, BROKEN], "$threshold": 0.25}
    assert matchex.validate([0], expected).status == "error"
