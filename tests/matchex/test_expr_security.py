"""Nothing an expression says reaches Python, changes a value, or runs without end.

Every attempt must end in a refusal (a syntax error or an error) within its bounds. The scope holds what an attacker
would like best: modules, functions, classes, frames, objects with properties.
"""

import ast
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import ClassVar

import pytest
from matchex._expr import (
    ExpressionError,
    ExpressionLimit,
    ExpressionLimits,
    ExpressionSyntaxError,
    _compiler,
    _wall,
    compile_expression,
)


class Secret:
    """Any access leaves a trace."""

    touched: ClassVar[list[str]] = []

    def __init__(self):
        self.password = "hunter2"

    @property
    def prop(self):
        self.touched.append("prop")
        return os

    def method(self):
        self.touched.append("method")

    def __call__(self):
        self.touched.append("call")

    def __eq__(self, other):
        self.touched.append("eq")
        return True

    __hash__ = None

    def __lt__(self, other):
        self.touched.append("lt")
        return True

    def __bool__(self):
        self.touched.append("bool")
        return False

    def __len__(self):
        self.touched.append("len")
        return 1

    def __getitem__(self, key):
        self.touched.append("getitem")
        return os

    def __contains__(self, key):
        self.touched.append("contains")
        return True

    def __format__(self, spec):
        self.touched.append("format")
        return "x"

    def __add__(self, other):
        self.touched.append("add")
        return os

    __radd__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __pow__ = __neg__ = __add__


def generator():
    yield 1


SCOPE = {
    "actual": {"a": 1, "text": "abc", "list": [1, 2], "f": len, "os": os, "secret": Secret(), "gen": generator()},
    "data": os,
    "fixture": Secret(),
    "input": Secret,
    "item": generator,
    "ctx": sys._getframe(),
    "array": [os, Secret(), len],
}

# The escapes that were published for simpleeval and its kind.
PUBLISHED = [
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__[1].__subclasses__()",
    "[x for x in ().__class__.__base__.__subclasses__() if x.__name__ == 'Popen']",
    "(1).__class__.__base__",
    "'{0.__class__}'.format(actual)",
    "'{0.__class__.__init__.__globals__}'.format(fixture)",
    "'{x.__class__}'.format_map({'x': 1})",
    "'%s' % actual.secret",
    "'%(a)s' % {'a': 1}",
    "__import__('os').system('id')",
    "__builtins__['eval']('1')",
    "eval('1+1')",
    "exec('import os')",
    "open('/etc/passwd').read()",
    "getattr(actual, '__class__')",
    "globals()",
    "locals()",
    "vars()",
    "dir()",
    "type(actual)",
    "data.path.os.system('id')",
    "data.system('id')",
    "data.environ",
    "data['environ']",
    "actual.os.system('id')",
    "actual.os.sys.modules",
    "actual.f.__self__",
    "actual.f.__globals__",
    "actual.f([1])",
    "item.__globals__",
    "item.func_globals",
    "item()",
    "actual.gen.gi_frame.f_builtins",
    "actual.gen.gi_frame.f_back.f_back.f_globals",
    "(x for x in [1]).gi_frame",
    "(x for x in [1]).gi_frame.f_back",
    "[g.gi_frame for g in [(x for x in [1])]]",
    "any(g.gi_frame for g in [1])",
    "ctx.f_globals",
    "ctx.f_back.f_locals",
    "ctx.f_builtins",
    "fixture.__class__",
    "fixture.__dict__",
    "fixture.password",
    "fixture.prop",
    "fixture.method()",
    "fixture()",
    "input()",
    "input.__subclasses__()",
    "input.mro()",
    "array[0].system('id')",
    "array[2].__self__",
    "array.map(x => x.__class__)",
    "9**9**9**9",
    "2**999999999",
    "'a' * 999999999",
    "'a' * 9**9",
    "[0] * 999999999",
    "('a' * 1000000) * 1000000",
    "[[0] * 1000000 for x in range(1000000)]",
]

ATTRIBUTES = [
    f"{value}.{name}"
    for value in ("actual.a", "actual.text", "actual.list", "fixture", "/a/", "(x => x)", "len", "Math")
    for name in ("__class__", "__dict__", "__init__", "__getattribute__", "__doc__", "__reduce_ex__(4)", "mro()")
]

JAVASCRIPT = [
    "constructor",
    "constructor.constructor('return process')()",
    "actual.constructor.constructor('return 1')()",
    "[].constructor.constructor('return 1')()",
    "''.constructor.fromCharCode(1)",
    "actual.__proto__.polluted",
    "({}).__proto__",
    "({__proto__: {a: 1}}).a",
    "actual['__proto__']['x']",
    "actual['constructor']",
    "Object.getPrototypeOf(actual)",
    "Object.assign(actual, {a: 2})",
    "Object.defineProperty(actual, 'a', {get: 1})",
    "Object.constructor",
    "Function('return 1')()",
    "Math.constructor",
    "Math.__class__",
    "JSON.__globals__",
    "process.exit()",
    "require('fs')",
    "globalThis",
    "window",
    "this",
    "new Function('return 1')",
    "eval.call(null, '1')",
    "[].map.call(actual, x => x)",
    "actual.list.push(3)",
    "actual.list.pop()",
    "actual.list.splice(0, 1)",
    "actual.list.fill(0)",
    "actual.list.forEach(x => x)",
    "actual.a = 2",
    "actual.list[0] = 5",
    "delete actual.a",
    "Symbol.iterator",
    "`${fixture}`",
    "`${data}`",
    "JSON.stringify(fixture)",
    "JSON.stringify(data)",
    "String(input)",
    "fixture + 1",
    "fixture * 2",
    "fixture % 2",
    "-fixture",
    "fixture[0]",
    "fixture.length",
    "'a' in fixture",
    "[...fixture]",
    "{...fixture}",
    "len(fixture)",
    "sorted(array)",
    "max(array)",
    "[fixture, 1].sort()",
    "[for x of y]",
    "setattr(actual, 'a', 1)",
    "lambda: 0",
    "(lambda: 0).__code__",
    "[1].map(lambda x: x.__class__)",
    "[1].map(x => x).__class__.__name__",
    "sorted([1], key=fixture)",
    "sorted([1], key=len)",
    "[1].map(fixture)",
    "[1].map(actual.f)",
    "[1].some(eval)",
    "actual.text.replace('a', eval)",
    "actual.text.encode('utf-16')",
    "actual.text.format(1)",
    "actual.text.format_map(actual)",
    "actual.text.translate({})",
    "actual.text.__add__('x')",
    "str.format('{}', 1)",
    "str.__class__",
    "str.join",
    "int.from_bytes",
    "list.__subclasses__()",
    "\uff41\uff43\uff54\uff55\uff41\uff4c.a",
    "().__\uff43lass__",
    "actual.\uff3f\uff3fclass\uff3f\uff3f",
    "\u2090ctual",
    "actu\u0000al",
    "actual\u2028.a.b",
    "actual.__class__\\u0000",
    "'\\x00'.__class__",
    "print(1)",
    "breakpoint()",
    "help()",
    "__name__",
    "__builtins__",
    "__loader__",
    "scope",
    "meter",
    "meter.limits",
    "v1",
    "t1",
    "MISSING",
    "SPREAD",
    "FUNCTIONS",
    "Callback",
    "call_function('len', [])",
    "call_method(1)",
    "answer(1)",
    "trace(1, 2, 3)",
    "add(1, 2)",
]


@pytest.fixture(autouse=True)
def untouched():
    Secret.touched.clear()
    yield
    assert Secret.touched == []


@pytest.mark.parametrize("text", PUBLISHED + ATTRIBUTES + JAVASCRIPT)
def test_attempt_is_refused(text):
    begin = time.perf_counter()
    with pytest.raises((ExpressionSyntaxError, ExpressionError)):
        compile_expression(text).evaluate(SCOPE)
    assert time.perf_counter() - begin < 10


def test_there_are_enough_attempts():
    assert len(PUBLISHED) >= 55
    assert len({*ATTRIBUTES, *JAVASCRIPT} - set(PUBLISHED)) >= 150


BOMBS = [
    ("9 ** 9 ** 9", "number_bits"),
    ("2 ** 5000", "number_bits"),
    ("Math.pow(7, 100000)", "number_bits"),
    ("range(1000).reduce((a, i) => a * a, 3)", "number_bits"),
    ("range(10000).reduce((a, i) => a + a, 3)", "number_bits"),
    ("'a' * 1000001", "size"),
    ("'a'.repeat(10 ** 9)", "size"),
    ("'a'.padStart(10 ** 9, 'xy')", "size"),
    ("'a'.padEnd(10 ** 9)", "size"),
    ("[1] * 10 ** 9", "size"),
    ("range(10 ** 12)", "size"),
    ("range(40).reduce((a, i) => a + a, 'x')", "size"),
    ("range(40).reduce((a, i) => a.concat(a), [1])", "size"),
    ("range(40).reduce((a, i) => [...a, ...a], [1])", "size"),
    ("range(40).reduce((a, i) => `${a}${a}`, 'x')", "size"),
    ("range(40).reduce((a, i) => a.replaceAll('a', 'aa'), 'a')", "size"),
    ("range(40).reduce((a, i) => a.replace(/a/g, '$&$&'), 'a')", "size"),
    ("range(40).reduce((a, i) => [a, a].join(), 'x')", "size"),
    ("range(40).reduce((a, i) => a.flatMap(x => [x, x]), [1])", "size"),
    ("('a' * 1000).replaceAll('a', 'b' * 2000)", "size"),
    ("range(1000000).map(x => 'a'.repeat(1000000))", "steps"),
    ("range(1000000).map(x => range(1000000))", "steps"),
    ("[x for x in range(10000) for y in range(10000) if y < 0]", "steps"),
    ("any(x < 0 for x in range(1000000) for y in range(1000000))", "steps"),
    ("JSON.stringify(range(40).reduce((a, i) => [a, a], 0))", "steps"),
    ("range(40).reduce((a, i) => [a, a], 0).flat(Infinity)", "steps"),
    ("range(40).reduce((a, i) => [a, a], 0) == range(40).reduce((a, i) => [a, a], 0)", "seconds"),
    ("range(100000).reduce((a, i) => [a], 0) == range(100000).reduce((a, i) => [a], 0)", "depth"),
    ("range(100000).reduce((a, i) => ({a}), 0) == range(100000).reduce((a, i) => ({a}), 0)", "depth"),
    ("range(100000).reduce((a, i) => [a], 0).flat(Infinity)", "depth"),
    ("`${range(1000).reduce((a, i) => [a], 0)}`", "depth"),
    ("JSON.parse('[' * 60 + ']' * 60)", "depth"),
    ("range(100000).map(x => [x]).every(x => range(100000).map(y => [y]).includes(x))", "steps"),
    ("range(100000).sort((a, b) => range(100000).length)", "steps"),
    ("set(range(100000).map(x => [x]))", "seconds"),
    ("/^(a|aa)+$/.test('a' * 40 + 'b') || /(x+x+)+y/.test('x' * 5000)", None),
    ("'a'.repeat(100000).split('').map(c => c.repeat(1000)).join('')", "size"),
    ("range(1000).map(i => range(1000)).flat()", "steps"),
    ("range(1000000).reduce((a, i) => a.reverse(), range(1000000))", "steps"),
]


@pytest.mark.parametrize(("text", "option"), BOMBS)
def test_bomb_hits_a_bound_in_time(text, option):
    begin = time.perf_counter()
    compiled = compile_expression(text)
    if option is None:
        try:
            compiled.evaluate({})
        except ExpressionLimit as limit:
            assert limit.option == "seconds"
    else:
        with pytest.raises(ExpressionLimit) as caught:
            compiled.evaluate({})
        # A slow machine may meet the clock before the steps.
        assert caught.value.option in (option, "seconds", "steps")
        assert caught.value.option in str(caught.value)
        assert str(caught.value.value) in str(caught.value)
    assert time.perf_counter() - begin < 20


@pytest.mark.parametrize(
    ("text", "limits", "option"),
    [
        ("range(100).map(x => x)", ExpressionLimits(steps=50), "steps"),
        ("'abc' + 'defghijk' * 20", ExpressionLimits(size=100), "size"),
        ("'ab' * 20", ExpressionLimits(size=30), "size"),
        ("[...range(20), ...range(20)]", ExpressionLimits(size=30), "size"),
        ("2 ** 100", ExpressionLimits(number_bits=64), "number_bits"),
        ("JSON.parse('[[[[[[[[]]]]]]]]')", ExpressionLimits(depth=5), "depth"),
        ("range(100000).every(x => x >= 0)", ExpressionLimits(seconds=1e-9), "seconds"),
    ],
)
def test_each_bound_is_an_option(text, limits, option):
    with pytest.raises(ExpressionLimit) as caught:
        compile_expression(text, limits=limits).evaluate({})
    assert caught.value.option == option


def test_a_getter_of_a_mapping_that_raises_is_an_error():
    class Hostile(Mapping):
        def __getitem__(self, key):
            raise RuntimeError("getter")

        def __iter__(self):
            raise RuntimeError("iter")

        def __len__(self):
            raise RuntimeError("len")

    scope = {"actual": Hostile()}
    for text in (
        "actual.a",
        "actual['a']",
        "actual.keys()",
        "actual || 1",
        "'a' in actual",
        "actual == {}",
        "{...actual}",
    ):
        with pytest.raises(ExpressionError, match="RuntimeError"):
            compile_expression(text).evaluate(scope)
    assert "RuntimeError" in compile_expression("actual.a > 1").explain(scope)


def test_an_exception_whose_text_raises_is_an_error():
    class Broken(Exception):
        def __str__(self):
            raise ValueError

    class Hostile(dict):
        def __contains__(self, key):
            raise Broken

    with pytest.raises(ExpressionError, match="Broken"):
        compile_expression("actual.a").evaluate({"actual": Hostile()})


def test_a_defaultdict_does_not_grow_and_nothing_is_changed():
    from collections import defaultdict

    actual = defaultdict(list, a=[2, 1])
    for text in (
        "actual.zzz ?? 1",
        "'zzz' in actual",
        "actual.get('zzz')",
        "actual.a.sort()",
        "actual.a.reverse()",
        "[actual.a, 1].flat()",
    ):
        compile_expression(text).evaluate({"actual": actual})
    assert actual == {"a": [2, 1]}


def test_subclasses_of_text_and_number_are_read_as_plain_ones():
    class Text(str):
        def upper(self):
            raise AssertionError

        def __eq__(self, other):
            raise AssertionError

        __hash__ = str.__hash__

        def __len__(self):
            raise AssertionError

    class Level(IntEnum):
        HIGH = 3

    class Color(StrEnum):
        RED = "red"

    scope = {"actual": Text("abc"), "data": Level.HIGH, "input": Color.RED}
    assert (
        compile_expression("actual.upper() == 'ABC' && actual == 'abc' && actual.length == 3").evaluate(scope) is True
    )
    assert compile_expression("data + 1 == 4 && data > 2 && `${data}` == '3'").evaluate(scope) is True
    assert (
        compile_expression("input === 'red' && input.includes('e') && [input].join() === 'red'").evaluate(scope) is True
    )


def test_fields_of_records_are_read_and_nothing_else_of_them():
    @dataclass
    class Order:
        price: int
        tags: list[str]

        def total(self):
            raise AssertionError

        @property
        def secret(self):
            raise AssertionError

    scope = {"actual": Order(5, ["a"])}
    assert (
        compile_expression("actual.price * 2 == 10 && actual.tags[0] == 'a' && 'price' in actual").evaluate(scope)
        is True
    )
    for text in ("actual.total", "actual.total()", "actual.secret", "actual.__class__", "actual['__dict__']"):
        with pytest.raises(ExpressionError):
            compile_expression(text).evaluate(scope)


def test_foreign_objects_are_equal_to_themselves_alone_and_true():
    secret = Secret()
    scope = {"actual": secret, "data": Secret()}
    assert compile_expression("actual == actual && actual != data && !!actual").evaluate(scope) is True
    assert compile_expression("actual ? 1 : 2").evaluate(scope) == 1
    assert compile_expression("[data].indexOf(actual)").evaluate(scope) == -1


def test_huge_decimals_do_not_become_integers():
    scope = {"actual": Decimal("1e999999999")}
    for text in (
        "Math.floor(actual)",
        "int(actual)",
        "'a'.repeat(actual)",
        "round(actual)",
        "[1][actual]",
        "range(actual)",
    ):
        with pytest.raises(ExpressionError):
            compile_expression(text).evaluate(scope)
    assert compile_expression("Number.isInteger(actual) && actual > 1").evaluate(scope) is True


def test_values_that_hold_themselves_are_an_error():
    loop = []
    loop.append(loop)
    for text in ("JSON.stringify(actual)", "actual == data", "actual.flat(Infinity)", "`${actual}`"):
        with pytest.raises(ExpressionLimit):
            compile_expression(text).evaluate({"actual": loop, "data": [[[loop]]]})
    assert len(compile_expression("actual == 1").explain({"actual": loop})) < 1000


def test_a_deep_stack_of_the_caller_is_no_crash():
    def deep(n):
        return deep(n - 1) if n else compile_expression("(" * 30 + "1" + ")" * 30)

    with pytest.raises((ExpressionSyntaxError, RecursionError)):
        deep(sys.getrecursionlimit() - 150)


def test_the_compiled_function_holds_no_attribute_access_and_no_foreign_name():
    texts = [
        "actual.a.b?.c ?? d",
        "[x.y for x in actual if x.z]",
        "actual.map(({a}) => a.b).join()",
        "`${a}`",
        "{...a, b: 1}[c]",
    ]
    for text in texts:
        compiled = compile_expression(text)
        pending = [compiled._compiled.__code__]
        assert compiled._compiled.__globals__["__builtins__"] == {}
        while pending:
            code = pending.pop()
            pending.extend(const for const in code.co_consts if hasattr(const, "co_code"))
            assert set(code.co_names) <= set(_compiler._GLOBALS) | {
                name for name in code.co_names if name.startswith("p")
            }


@pytest.mark.parametrize(
    "smuggled", ["actual.x", "__import__", "lambda: (yield)", "[x for x in y]", "f'{x}'", "await_"]
)
def test_the_wall_refuses_whatever_is_not_ours(smuggled):
    module = ast.parse(f"def expression(scope, meter): return {smuggled}")
    with pytest.raises(AssertionError, match="must not be compiled"):
        _wall.check(module, _compiler._GLOBALS)


def test_importing_loads_nothing_heavy():
    heavy = ["simpleeval", "regex", "pluggy", "jinja2", "jsonschema", "diff_match_patch"]
    code = f"import sys, matchex._expr; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
