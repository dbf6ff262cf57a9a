"""What is refused before any value is looked at, where, and with which advice; what the parser makes of the rest."""

import pytest
from matchex._expr import ExpressionLimits, ExpressionSyntaxError, compile_expression

REFUSED = [
    ("", 0, "empty"),
    ("  ", 2, "empty"),
    ("const x = 1", 0, "statements"),
    ("return actual", 0, "statements"),
    ("let x", 0, "statements"),
    ("if (actual) { 1 }", 0, "test ? x : y"),
    ("for x in actual", 0, "actual.every"),
    ("while (true) 1", 0, "loops"),
    ("function(){ return 1 }", 0, "argument of a call"),
    ("x => x", 0, "argument of a call"),
    ("(x) => x", 0, "argument of a call"),
    ("lambda x: x", 0, "argument of a call"),
    ("[x => x]", 1, "argument of a call"),
    ("a.map(x => y => x)", 11, "another function"),
    ("a.map(x => { return x })", 11, "x => x > 1"),
    ("a.map(x => x for x in y)", 6, "argument of a call"),
    ("await actual", 0, "async"),
    ("async x => x", 0, "async"),
    ("import os", 0, "import"),
    ("new Date('2024-01-01')", 0, "Date('2024-01-31')"),
    ("new Set(x)", 0, "set(list)"),
    ("delete actual.a", 0, "changes nothing"),
    ("void 0", 0, "undefined"),
    ("this.x", 0, "actual"),
    ("actual instanceof Array", 7, "Array.isArray"),
    ("class A", 0, "class"),
    ("yield 1", 0, "wait"),
    ("actual = 1", 7, "=="),
    ("actual.a += 1", 9, "assigns"),
    ("(x := 1)", 3, ":="),
    ("actual++", 6, "+ 1"),
    ("--actual", 0, "- -x"),
    ("actual; 1", 6, "single value"),
    ("1 & 2", 2, "&&"),
    ("1 | 2", 2, "||"),
    ("1 ^ 2", 2, "bitwise"),
    ("~1", 0, "bitwise"),
    ("1 << 2", 2, "bitwise"),
    ("f'x'", 0, "template literal"),
    ("r'x'", 0, "plain text"),
    ("b'x'", 0, "plain text"),
    ("'abc", 0, "not closed"),
    ("'a\nb'", 0, "not closed"),
    ("`abc", 0, "not closed"),
    ("`a ${1", 6, "not closed"),
    ("`a ${}`", 5, "empty"),
    ("'\\d'", 1, "\\\\d"),
    ("'\\ud800'", 1, "no character"),
    ("1 +", 3, "value is missing"),
    ("1 2", 2, "unexpected 2"),
    ("actual.", 7, "name of a field"),
    ("actual.1", 6, "unexpected"),
    ("actual[", 7, "missing"),
    ("actual[]", 7, "index is missing"),
    ("actual[1 2]", 9, "]"),
    ("actual[1:2:3:4]", 13, "]"),
    ("(1", 2, "parenthesis"),
    ("[1", 2, "]"),
    ("[1,,2]", 3, "item is missing"),
    ("{a: 1", 5, "}"),
    ("{1, 2}", 1, "list"),
    ("{'a'}", 1, "list"),
    ("{x for x in y}", 1, "list"),
    ("{true}", 1, "needs a value"),
    ("1 ? 2", 5, ":"),
    ("1 if 2", 6, "else"),
    ("f(*x)", 2, "...values"),
    ("f(**x)", 2, "...values"),
    ("[*x]", 1, "...values"),
    ("f(a=1, 2)", 7, "before the named"),
    ("f(1, x for x in y)", 7, "only argument"),
    ("f()()", 3, "only functions"),
    ("actual['keys']()", 14, "only functions"),
    ("(1)(2)", 3, "only functions"),
    ("undefined()", 9, "only functions"),
    ("a?.(1)", 3, "?.("),
    ("a`x`", 1, "tagged"),
    ("a ?? b || c", 7, "parentheses"),
    ("a || b ?? c", 7, "parentheses"),
    ("a && b ?? c", 0, "parentheses"),
    ("a ?? b && c", 5, "parentheses"),
    ("1 < 2 == 3", 6, "parentheses"),
    ("1 === 2 === 3", 8, "parentheses"),
    ("1 == 2 != 3", 7, "parentheses"),
    ("1 in a == b", 7, "parentheses"),
    ("1 == not 2", 5, "parentheses"),
    ("1 + not 2", 4, "parentheses"),
    ("a is b", 2, "write =="),
    ("a is not 1", 2, "write !="),
    ("010", 0, "octal"),
    ("1__0", 0, "misplaced _"),
    ("1a", 0, "neither"),
    ("1j", 0, "neither"),
    ("#x", 0, "comments"),
    ("// x", 0, "comments"),
    ("/* x */ 1", 0, "comments"),
    ("/a", 0, "not closed"),
    ("/(/.test('a')", 0, "pattern"),
    ("/a/zz.test('a')", 0, "pattern"),
    ("a.map((x, x) => x)", 6, "same name"),
    ("a.map((x = 1) => x)", 9, "assigns"),
    ("a.map(true => 1)", 6, "name of a parameter"),
    ("[x for x of y]", 9, "in"),
    ("[x for 1 in y]", 7, "name"),
    ("a.map(len => len(len))", 13, "not a function"),
    ("@x", 0, "@"),
    ("actual\u0000", 6, "character"),
    ("..." + "x", 0, "..."),
    ("in x", 0, "value before"),
    ("else", 0, "without `if`"),
]


@pytest.mark.parametrize(("text", "column", "advice"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_refused_with_the_place_and_advice(text, column, advice):
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_expression(text)
    error = caught.value
    assert advice in error.message
    assert error.text == text
    if "pattern" not in advice:
        assert error.column == column, error


def test_the_message_shows_a_caret_below_the_place():
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_expression("actual.price = 5")
    assert str(caught.value).splitlines()[1:] == ["    actual.price = 5", "                 ^"]


def test_the_caret_stands_in_the_right_line_and_a_long_line_is_cut():
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_expression("actual ==\n\t1 = 2")
    assert str(caught.value).splitlines()[1:] == ["     1 = 2", "       ^"]
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_expression("'" + "x" * 5000 + "' = 1")
    shown, caret = str(caught.value).splitlines()[1:]
    assert len(shown) < 200
    assert shown[len(caret) - 1] == "="


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("actual.a + data.b", {"actual", "data"}),
        ("actual.map(x => x.y)", {"actual"}),
        ("[k for k, v in data.items() if v in actual]", {"actual", "data"}),
        ("len(Math.max(1, Math.PI))", set()),
        ("filter(Boolean)", set()),
        ("`${item} ${undefined}`", {"item"}),
        ("{actual}", {"actual"}),
        ("typeof zzz", {"zzz"}),
    ],
)
def test_the_names_an_expression_reads(text, names):
    assert compile_expression(text).names == names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("actual.a && !actual.b", "actual.a and not actual.b"),
        ("actual.a ? 1 : 2", "1 if actual.a else 2"),
        ("actual.a || actual.b", "actual.a or actual.b"),
        ("actual.a === null", "actual.a is None"),
        ("actual['a'] !== true", "actual.a is not True"),
        ("-actual.n ** 2", "-(actual.n ** 2)"),
        ("!(actual.n in [1])", "actual.n not in [1]"),
        ("not actual.n == 1", "!(actual.n === 1)"),
        ("actual.n + 1 * 2 < 9 && 1", "((actual.n + (1 * 2)) < 9) and 1"),
        ("actual.list.map(x => x + 1)", "[x + 1 for x in actual.list]"),
        ("actual.list.some(x => x > 1)", "any(x > 1 for x in actual.list)"),
        ("[...actual.list].length", "len(actual.list)"),
    ],
)
def test_both_spellings_mean_the_same(one, other):
    scope = {"actual": {"a": True, "b": False, "n": 3, "list": [1, 2]}}
    assert compile_expression(one).evaluate(scope) == compile_expression(other).evaluate(scope)


def test_keywords_are_fields_and_keys():
    scope = {"actual": {"class": 1, "in": 2, "is": 3, "not": 4, "for": 5, "length": 9, "keys": 7}}
    assert compile_expression("actual.class + actual.in + actual.is + actual.not + actual.for").evaluate(scope) == 15
    assert compile_expression("actual.in / actual.is / 1").evaluate({"actual": {"in": 6, "is": 3}}) == 2
    assert compile_expression("{if: 1, not: 2}").evaluate({}) == {"if": 1, "not": 2}


@pytest.mark.parametrize(
    "text", ["(" * 50 + "1" + ")" * 50, "[" * 51 + "]" * 51, "!" * 60 + "1", "1" + "+1" * 200, "`${" * 60]
)
def test_depth_is_bounded(text):
    with pytest.raises(ExpressionSyntaxError, match=r"nested|longer|closed"):
        compile_expression(text)


def test_limits_must_be_positive_and_depth_not_too_large():
    with pytest.raises(ValueError, match="steps must be above 0"):
        ExpressionLimits(steps=0)
    with pytest.raises(ValueError, match="depth must be at most"):
        ExpressionLimits(depth=1000)
    with pytest.raises(ExpressionSyntaxError, match="longer than the limit size=5"):
        compile_expression("1 + 1 + 1", limits=ExpressionLimits(size=5))


@pytest.mark.parametrize("spelling", ["actual.a.b.c", "actual\n.a\n  .b.c", "actual . a [ 'b' ] . c"])
def test_blanks_do_not_matter(spelling):
    assert compile_expression(spelling).evaluate({"actual": {"a": {"b": {"c": 1}}}}) == 1
