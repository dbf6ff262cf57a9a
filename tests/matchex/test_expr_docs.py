"""The reference names every function and member, and its table of differences is true."""

import re
from pathlib import Path

import pytest
from matchex._expr import ExpressionError, ExpressionLimits, compile_expression
from matchex._expr._functions import CONSTANTS
from matchex._expr._registry import FUNCTIONS, METHODS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "expressions.md").read_text(encoding="utf-8")
CODE = " ".join(re.findall(r"``? ?(.+?) ?``?(?!`)", PAGE))
SCOPE = {"actual": {"list": [1, 2]}}


@pytest.mark.parametrize("name", [*FUNCTIONS, *CONSTANTS])
def test_every_function_is_in_the_reference(name):
    assert re.search(rf"(?<![\w.]){re.escape(name)}\b", CODE)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, table in METHODS.items() for name in table])
def test_every_method_is_in_the_reference(kind, name):
    assert re.search(rf"\b{name}\b", CODE)


def test_every_bound_is_in_the_reference():
    for name in ExpressionLimits.__dataclass_fields__:
        row = re.search(rf"^\| `{name}` \| ([\d ]+) \|", PAGE, re.MULTILINE)
        assert row is not None
        assert float(row[1].replace(" ", "")) == getattr(ExpressionLimits(), name)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("-7 % 3", 2),
        ("'3' * 2", "33"),
        ("actual.list[-1]", 2),
        ("'😀'.length", 1),
        ("`${{a: 1}}`", '{"a":1}'),
        ("['1', '2'].map(parseInt)", [1, 2]),
        ("actual.user?.admin === true", False),
        ("(actual.user?.age ?? 0) > 18", False),
    ],
)
def test_examples_of_the_reference(expression, value):
    assert expression in PAGE
    assert compile_expression(expression).evaluate(SCOPE | {"actual": {"list": [1, 2], "user": None}}) == value


@pytest.mark.parametrize(
    "expression", ["actual.user?.age > 18", "actual.missing", "1 + 'a'", "1 / 0", "Number(null)", "sum([True])"]
)
def test_errors_of_the_reference(expression):
    assert expression in PAGE
    with pytest.raises(ExpressionError):
        compile_expression(expression).evaluate({"actual": {"user": None}})
