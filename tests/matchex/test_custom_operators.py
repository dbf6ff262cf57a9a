"""Custom operators: in every form of reference, with context and options, with compiled operands, and their errors."""

import math
from pathlib import Path
from typing import Any

import pytest
from matchex._operator import registered

import matchex
from matchex import ExpectationError, Operator


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of checkers beside a fixture."""
    (tmp_path / "checkers.py").write_text(
        "import matchex\n"
        "def is_even(actual, expected): return (actual % 2 == 0) is expected\n"
        "def checkers(actual, expected): return actual == expected\n"
        "odd = matchex.Operator('$odd', lambda actual, expected: (actual % 2 == 1) is expected)\n"
        "limit = 5\n"
    )
    (tmp_path / "my-check.py").write_text("def my_check(actual, expected): return actual == expected\n")
    (tmp_path / "my.other.check.py").write_text("def myOtherCheck(actual, expected): return actual == expected\n")
    (tmp_path / "broken.py").write_text("raise LookupError('the dictionary is missing')\n")
    return tmp_path


# -- references

REFERENCES = ["./checkers.py:is_even", "./checkers.py#is_even", "py:./checkers.py:is_even", "checkers.py:is_even"]


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_function_in_a_file_beside(folder, reference):
    assert matchex.validate(4, {"$even": True}, operators={"even": reference}, base_dir=folder).passed
    assert matchex.validate(4, {"$is_even": True}, operators=[reference], base_dir=str(folder)).passed


def test_a_file_below_and_by_its_whole_path(folder):
    below = folder / "more"
    below.mkdir()
    (below / "inner.py").write_text("def check(actual, expected): return True\n")
    assert matchex.validate(4, {"$check": 1}, operators=["./more/inner.py:check"], base_dir=folder).passed
    assert matchex.validate(4, {"$check": 1}, operators=[f"{below / 'inner.py'}:check"]).passed
    assert matchex.validate(4, {"$is_even": True}, operators=["../checkers.py:is_even"], base_dir=below).passed


@pytest.mark.parametrize("reference", ["math:isclose", "py:math:isclose", "math#isclose", "py:math#isclose"])
def test_a_function_in_a_module(reference):
    assert matchex.validate(0.1 + 0.2, {"$isclose": 0.3}, operators=[reference]).passed
    assert matchex.validate(0.1 + 0.2, {"$close": 0.3}, operators={"$close": reference}).passed


@pytest.mark.parametrize(
    ("reference", "name"),
    [("./my-check.py", "$myCheck"), ("./my.other.check.py", "$myOtherCheck"), ("./checkers.py", "$checkers")],
)
def test_a_file_without_a_name_gives_the_operator_its_own(folder, reference, name):
    assert matchex.validate(4, {name: 4}, operators=[reference], base_dir=folder).passed


def test_what_is_referred_to_may_be_an_operator(folder):
    assert matchex.validate(3, {"$odd": True}, operators=["./checkers.py:odd"], base_dir=folder).passed
    assert matchex.validate(3, {"$uneven": True}, operators={"uneven": "./checkers.py:odd"}, base_dir=folder).passed


def test_lists_and_mappings_take_functions_operators_and_references(folder):
    def positive(actual: int, expected: bool) -> bool:
        return (actual > 0) is expected

    mixed: list[Any] = [positive, Operator("$any", lambda actual, expected: True), "math:isclose"]
    expected = {"$positive": True, "$any": 1, "$isclose": 4}
    assert matchex.validate(4, expected, operators=mixed).passed
    named = {"positive": positive, "$any": mixed[1], "isclose": "math:isclose"}
    assert matchex.validate(4, expected, operators=named).passed


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("./chekers.py:is_even", ["no file chekers.py", "checkers.py"]),
        ("./nowhere/x.py:f", ["no file x.py", "folder does not exist"]),
        ("./checkers.py:is_evn", ["no 'is_evn'", "did you mean 'is_even'"]),
        ("./checkers.py:limit", ["not a number"]),
        ("./broken.py:f", ["loading broken.py raised LookupError", "the dictionary is missing"]),
        ("no_such_package.checks:f", ["no module 'no_such_package'"]),
        ("math:isclos", ["no 'isclos'", "did you mean 'isclose'"]),
        ("math:", ["package.module:function", "./file.py:function"]),
        ("py:", ["package.module:function"]),
    ],
)
def test_a_reference_that_leads_nowhere_says_what_was_looked_for(folder, reference, parts):
    for operators in ([reference], {"$check": reference}):
        with pytest.raises(ExpectationError) as caught:
            matchex.compile(1, operators=operators, base_dir=folder)
        for part in parts:
            assert part in str(caught.value)


@pytest.mark.parametrize(
    ("operators", "part"),
    [
        (5, "operators takes a mapping or a list"),
        ([5], "takes a function"),
        ({"$a": 5}, "takes a function"),
        ([lambda actual, expected: True], "a function without a name"),
        ({"$a b": math.isclose}, "an operator's name"),
    ],
)
def test_operators_that_are_none(operators, part):
    with pytest.raises(ExpectationError, match=part):
        matchex.compile(1, operators=operators)


def test_a_built_in_operator_is_replaced_only_when_told_so():
    def always(actual: Any, expected: Any) -> bool:
        return True

    with pytest.raises(ExpectationError, match=r"\$eq is built in.*allow_operator_override=True"):
        matchex.compile({"$eq": 6}, operators={"eq": always})
    assert matchex.validate(5, {"$eq": 6}, operators={"eq": always}, allow_operator_override=True).passed
    assert matchex.validate(5, {"$eq": 6}).status == "fail"


# -- the decorator


@pytest.fixture
def own_registry():
    """What a test registers is forgotten after it."""
    before = dict(registered)
    yield
    registered.clear()
    registered.update(before)


@pytest.mark.usefixtures("own_registry")
def test_a_registered_operator_is_known_everywhere():
    @matchex.operator("startsUpper")
    def starts_upper(actual: Any, expected: Any) -> bool:
        return actual[:1].isupper() is expected

    assert matchex.validate({"a": "Ann"}, {"a": {"$startsUpper": True}}).passed
    assert starts_upper("ann", False)
    with pytest.raises(ExpectationError) as caught:
        matchex.compile({"$startsUper": True})
    assert caught.value.problems[0].suggestion == "$startsUpper"


@pytest.mark.usefixtures("own_registry")
def test_two_functions_cannot_register_one_name():
    @matchex.operator("$twice")
    def one(actual: Any, expected: Any) -> bool:
        return True

    with pytest.raises(ValueError, match=r"\$twice is already registered by .*one"):

        @matchex.operator("$twice")
        def other(actual: Any, expected: Any) -> bool:
            return False


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("no dollar", math.isclose), ValueError),
        (("$1", math.isclose), ValueError),
        (("$x", 5), TypeError),
        (("$x", math.isclose, "value"), ValueError),
        (("$x", math.isclose, "data", "$nope[$key]"), ValueError),
        (("$x", math.isclose, "data", "$"), ValueError),
    ],
)
def test_an_operator_is_checked_when_it_is_made(arguments, error):
    with pytest.raises(error):
        Operator(*arguments)


# -- what an operator sees


def test_the_context_tells_where_and_with_what():
    seen: list[Any] = []

    def look(actual: Any, expected: Any, context: Any) -> bool:
        seen.append(
            (
                actual,
                expected,
                context.expected,
                dict(context.options),
                context.path,
                context.loop and context.loop.index,
            )
        )
        assert (context.data, context.input, context.fixture) == ({"d": 1}, {"i": 2}, {"f": 3})
        assert context.validate("abc", "/b/").passed
        return True

    expected = {"l": {"$each": {"$look": {"$value": 5, "tolerance": 2, "whatever": "x"}}}, "a.b": {"$look": "{{ d }}"}}
    actual = {"l": [7, 8], "a": {"b": 9}}
    options: dict[str, Any] = {"data": {"d": 1}, "input": {"i": 2}, "fixture": {"f": 3}}
    assert matchex.validate(actual, expected, operators={"$look": look}, **options).passed
    extras = {"tolerance": 2, "whatever": "x"}
    assert seen == [(7, 5, 5, extras, "l[0]", 0), (8, 5, 5, extras, "l[1]", 1), (9, 1, 1, {}, "a.b", None)]


def test_an_operator_sees_the_value_untouched_and_never_none_for_missing():
    seen: list[Any] = []

    def look(actual: Any, expected: Any) -> bool:
        seen.append(actual)
        return True

    matchex.validate({"a": "  x "}, {"a": {"$look": 1}, "b": {"$look": 1}}, operators={"$look": look})
    assert seen == ["  x ", matchex.MISSING]


ANSWERS = [
    (True, "pass", 1, None),
    (False, "fail", 0, "$answer 1 does not hold for 5"),
    ("too cold", "fail", 0, "too cold"),
    (0.75, "pass", 0.75, None),
    (0.25, "fail", 0.25, "0.25"),
    (7, "pass", 1, None),
    (-1, "fail", 0, "0"),
    ({"passed": True}, "pass", 1, None),
    ({"passed": True, "score": 0.1}, "pass", 0.1, None),
    ({"pass": False, "score": 0.9, "message": "no"}, "fail", 0.9, "no"),
    ({"score": 0.4, "message": "so so"}, "fail", 0.4, "so so"),
    ({"passed": False, "title": "Tone"}, "fail", 0, "Tone"),
    (matchex.validate({"a": 1, "b": 2}, {"a": 1, "b": 3}), "fail", 0.5, "expected 3, got 2"),
    (None, "error", 0, "operator $answer returned nothing (None)"),
    ([True], "error", 0, "operator $answer returned a list"),
    (float("nan"), "error", 0, "NaN"),
    ({"passed": "yes"}, "error", 0, "'passed'"),
    ({"passed": True, "extra": 1}, "error", 0, "'extra'"),
    ({"message": "m"}, "error", 0, "operator $answer returned"),
]


@pytest.mark.parametrize(("answer", "status", "score", "text"), ANSWERS, ids=[str(answer) for answer, *_ in ANSWERS])
def test_what_an_operator_may_answer(answer, status, score, text):
    result = matchex.validate(5, {"$answer": 1}, operators={"$answer": lambda actual, expected: answer})
    assert (result.status, result.score) == (status, score)
    if text is not None:
        reasons = [entry.message for entry in (*result.failures, *result.errors)]
        assert any(text in reason for reason in reasons), reasons


def test_failures_that_an_operator_gives_stand_below_its_path():
    def check(actual: Any, expected: Any, context: Any) -> Any:
        return context.validate(actual, {"x": {"$gt": 5}})

    def plain(actual: Any, expected: Any) -> Any:
        return {"passed": False, "failures": [{"path": "y[0]", "message": "wrong", "expected": 1, "actual": 2}]}

    operators: dict[str, Any] = {"$check": check, "$plain": plain}
    result = matchex.validate({"a": {"x": 1}, "b": 1}, {"a": {"$check": 1}, "b": {"$plain": 1}}, operators=operators)
    assert [failure.path for failure in result.failures] == ["a.x", "b.y[0]"]
    assert [failure.actual for failure in result.failures] == [1, 2]


def test_an_operator_stands_beside_keys_and_is_a_sibling_for_weights():
    operators = {"$no": lambda actual, expected: False}
    result = matchex.validate({"a": 1, "b": 2}, {"a": 1, "b": 2, "$no": 1}, operators=operators)
    assert result.status == "fail"
    assert result.score == pytest.approx(2 / 3)


def test_an_operator_that_raises_is_an_error_also_below_not():
    operators = {"$bad": lambda actual, expected: actual["x"]}
    result = matchex.validate([{"y": 1}], {"$not": {"$each": {"$bad": 1}}}, operators=operators)
    assert result.status == "error"
    (issue,) = result.errors
    assert (issue.kind, issue.path) == ("operator", "[0]")
    line = operators["$bad"].__code__.co_firstlineno
    assert issue.message.startswith("operator $bad raised KeyError: 'x' (")
    assert issue.message.endswith(f"test_custom_operators.py:{line})")
    assert isinstance(issue.cause, KeyError)


def test_interrupts_are_not_swallowed():
    def stop(actual: Any, expected: Any) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        matchex.validate(1, {"$stop": 1}, operators={"$stop": stop})


# -- sorting by a function


def test_sort_by_a_function():
    actual = [{"n": "bb"}, {"n": "a"}, {"n": "ccc"}]
    expected = {"$sort": {"$by": lambda item: len(item["n"]), "$first": {"n": "a"}, "$last": {"n": "ccc"}}}
    assert matchex.validate(actual, expected).passed
    by_place = {
        "$sort": {"$by": lambda item, index, items: -index if len(items) == 3 else index, "$first": {"n": "ccc"}}
    }
    assert matchex.validate(actual, by_place).passed
    several = {"$sort": {"$by": [lambda item: 1, "-n"], "$first": {"n": "ccc"}}}
    assert matchex.validate(actual, several).passed


def test_sort_functions_that_fail():
    raising = matchex.validate([1], {"$sort": {"$by": lambda item: item["x"], "$first": 1}})
    assert raising.status == "error"
    assert "TypeError" in raising.errors[0].message
    mixed = matchex.validate([1, "a"], {"$sort": {"$by": lambda item: item, "$first": 1}})
    assert mixed.status == "error"
    assert "cannot sort" in mixed.errors[0].message


# -- containers


def each_of(actual: Any, operands: Any, context: Any) -> Any:
    return context.aggregate([context.child(operand, actual, i) for i, operand in enumerate(operands)])


def container(**settings: Any) -> list[Operator]:
    return [Operator("$x", each_of, operand="expectations", **settings)]


VIRTUAL = [
    (True, ["p.$x[0]", "p.$x[1]"]),
    (False, ["p.$x[0]", "p.$x[1]"]),
    ("<$operator:$index/$count:$key>", ["p.<$x:0/2:0>", "p.<$x:1/2:1>"]),
    ("step", ["p.step", "p.step"]),
]


@pytest.mark.parametrize(("virtual", "paths"), VIRTUAL, ids=[str(virtual) for virtual, _ in VIRTUAL])
def test_virtual_names_the_children_of_a_container(virtual, paths):
    result = matchex.validate({"p": 5}, {"p": {"$x": [1, 2]}}, operators=container(virtual=virtual))
    assert [failure.path for failure in result.failures] == paths
    assert result.score == 0


@pytest.mark.parametrize(("virtual", "path"), [(True, "p"), (False, "p.$x[0]"), ("<$key>", "p")])
def test_an_only_child_is_named_by_false_alone(virtual, path):
    result = matchex.validate({"p": 5}, {"p": {"$x": [1]}}, operators=container(virtual=virtual))
    assert [failure.path for failure in result.failures] == [path]


def test_a_container_weighs_its_children():
    expected = {"$x": [{"$expect": 5, "$score": 80}, {"$expect": 1, "$score": 20}]}
    result = matchex.validate(5, expected, operators=container())
    assert result.score == pytest.approx(0.8)
    assert [detail.weight for detail in result.details] == pytest.approx([0.8, 0.2])
    best = matchex.validate(5, expected, operators=container(strategy="max"))
    assert best.passed
    assert best.score == pytest.approx(0.8)
    failed = matchex.validate(7, expected, operators=container(strategy="max"))
    assert [failure.path for failure in failed.failures] == [""]


def test_a_container_has_penalties_and_criticals():
    penalty = {"$expect": 5, "$score": {"value": -30, "critical": True, "title": "never five"}}
    result = matchex.validate(5, {"$x": [5, penalty]}, operators=container())
    assert result.status == "fail"
    assert [failure.message for failure in result.critical_failures] == ["never five"]
    critical = matchex.validate(5, {"$x": [5, {"$expect": 1, "$critical": True}]}, operators=container())
    assert len(critical.critical_failures) == 1


def test_a_container_reads_errors_both_ways():
    broken = {"$expr": "nowhere > 1"}
    assert matchex.validate(5, {"$x": [5, broken]}, operators=container()).status == "error"
    assert matchex.validate(5, {"$x": [6, broken]}, operators=container()).status == "fail"
    assert matchex.validate(5, {"$x": [5, broken]}, operators=container(strategy="max")).status == "pass"


def test_children_may_stand_at_real_paths_with_weights_of_their_own():
    def halves(actual: Any, operand: Any, context: Any) -> Any:
        children = [context.child(operand, actual[key], at=[key]) for key in ("left", "right")]
        assert [child.passed for child in children] == [True, False]
        assert [child.score for child in children] == [1, 0]
        return context.aggregate(children, context.distribute([75, 25]))

    operators = [Operator("$halves", halves, operand="expectation")]
    result = matchex.validate({"t": {"left": 1, "right": 2}}, {"t": {"$halves": 1}}, operators=operators)
    assert [(failure.path, failure.actual) for failure in result.failures] == [("t.right", 2)]
    assert result.score == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("operand", "written", "path"),
    [
        ("expectation", {"a": {"$gtt": 1}}, "$x.a.$gtt"),
        ("expectations", [1, {"$gtt": 1}], "$x[1].$gtt"),
        ("expectations", {"$value": [{"$gtt": 1}], "option": 1}, "$x.$value[0].$gtt"),
    ],
)
def test_a_typo_inside_an_operand_is_found_before_any_value_is_looked_at(operand, written, path):
    operators = [Operator("$x", each_of, operand=operand)]
    with pytest.raises(ExpectationError) as caught:
        matchex.compile({"$x": written}, operators=operators)
    (problem,) = caught.value.problems
    assert (problem.path, problem.suggestion) == (path, "$gt")


def test_operands_of_a_container_must_be_a_list():
    with pytest.raises(ExpectationError, match=r"\$x takes a list of expectations, not a number"):
        matchex.compile({"$x": 5}, operators=container())


def test_the_strategy_of_an_operator_must_exist():
    with pytest.raises(ExpectationError, match="unknown strategy 'maxx'"):
        matchex.compile({"$x": [1]}, operators=container(strategy="maxx"))


def test_data_operands_are_rendered_and_are_no_expectations():
    seen: list[Any] = []

    def look(actual: Any, expected: Any) -> bool:
        seen.append(expected)
        return True

    matchex.validate(1, {"$look": {"a": ["{{n}}", {"$gtt": 1}]}}, operators={"$look": look}, data={"n": 5})
    assert seen == [{"a": [5, {"$gtt": 1}]}]
