"""Random expressions: whatever the text, the only outcomes are a syntax error, an error, or a plain value.

The tests run a few thousand inputs. Many more are run by hand: `python tests/matchex/test_expr_fuzz.py 1000000 [seed]`.
"""

import copy
import random
import sys
import time
from collections import Counter
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st
from matchex._expr import ExpressionError, ExpressionLimits, ExpressionSyntaxError, compile_expression
from matchex._expr._render import Pattern
from matchex._values import MISSING

LIMITS = ExpressionLimits(steps=20_000, size=20_000, number_bits=512, depth=30, seconds=0.5)
SCOPE = {
    "actual": {
        "a": 1,
        "b": 2.5,
        "text": " Ab,c ",
        "list": [3, 1, 2],
        "items": [{"id": 1, "v": "x"}],
        "no": None,
        "keys": "k",
    },
    "data": {"limit": 10**20, "yes": True, "when": date(2024, 1, 31), "raw": b"x", "odd": object()},
    "item": [1, [2, [3]]],
    "index": 0,
}
ATOMS = [
    *(
        "1",
        "0",
        "-1",
        "2.5",
        "1e3",
        "0x1f",
        "10n",
        "'a'",
        '""',
        "'a,b'",
        "`x${1}`",
        "`${actual.text}`",
        "true",
        "False",
        "null",
    ),
    *(
        "None",
        "undefined",
        "NaN",
        "Infinity",
        "[]",
        "{}",
        "[1, 2, 3]",
        "{a: 1}",
        "{'b': [2]}",
        "()",
        "(1, 2)",
        "/a/",
        "/(b)+/gi",
    ),
    *(
        "actual",
        "actual.a",
        "actual.b",
        "actual.text",
        "actual.list",
        "actual.items[0].v",
        "actual.no",
        "actual.zzz",
        "item",
    ),
    *(
        "actual['list'][0]",
        "data.limit",
        "data.when",
        "data.raw",
        "data.odd",
        "index",
        "x",
        "y",
        "zzz",
        "Math.PI",
        "Number",
    ),
    *("__class__", "actual.__class__", "Math", "len", "''.constructor"),
]
BINARY = [
    *(
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "<",
        "<=",
        ">",
        ">=",
        "==",
        "===",
        "!=",
        "!==",
        "&&",
        "||",
        "??",
        "and",
        "or",
        "in",
    ),
    *("not in", "is", "is not", "&", "=", ",", "?", ":", ".", "?.", "=>", "if", "else", "for"),
]
METHODS = [
    *("includes", "startsWith", "endsWith", "trim", "split", "replace", "replaceAll", "slice", "toLowerCase", "match"),
    *("test", "some", "every", "map", "filter", "find", "findIndex", "reduce", "flat", "flatMap", "join", "indexOf"),
    *("lastIndexOf", "at", "sort", "reverse", "keys", "values", "entries", "substring", "concat", "padStart", "padEnd"),
    *("repeat", "charAt", "toString", "toFixed", "get", "items", "count", "index", "strip", "upper", "isdigit"),
    *("search", "matchAll", "exec", "splitlines", "constructor", "__class__", "zzz"),
]
FUNCTIONS = [
    *(
        "len",
        "any",
        "all",
        "sum",
        "min",
        "max",
        "sorted",
        "abs",
        "round",
        "str",
        "int",
        "float",
        "bool",
        "lower",
        "list",
    ),
    *("set", "range", "enumerate", "zip", "reversed", "date", "Object.keys", "Object.entries", "Object.fromEntries"),
    *("Array.isArray", "Array.from", "Math.max", "Math.round", "Math.pow", "Math.sqrt", "JSON.parse", "JSON.stringify"),
    *("Number", "String", "Boolean", "parseInt", "parseFloat", "isNaN", "Number.isInteger"),
    *("list", "eval", "getattr", "type", "__import__", "Math.zzz"),
]
TOKENS = [
    *ATOMS,
    *BINARY,
    *METHODS,
    *FUNCTIONS,
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "${",
    "`",
    "'",
    '"',
    "\\",
    "...",
    ";",
    "lambda x:",
    "x =>",
    "\n",
    "é",
    "\x00",
]


def expression(rng, depth):
    """A text that is mostly an expression."""
    if depth <= 0 or rng.random() < 0.15:
        return rng.choice(ATOMS)
    inner = lambda: expression(rng, depth - 1)  # noqa: E731
    shape = rng.randrange(16)
    if shape < 4:
        return f"{inner()} {rng.choice(BINARY[:24])} {inner()}"
    if shape == 4:
        return f"({inner()})"
    if shape == 5:
        return f"{rng.choice(['!', '-', '+', 'not ', 'typeof '])}{inner()}"
    if shape == 6:
        return f"{inner()} ? {inner()} : {inner()}"
    if shape == 7:
        return f"({inner()} if {inner()} else {inner()})"
    if shape == 8:
        return f"{inner()}{rng.choice(['.', '?.'])}{rng.choice(METHODS)}"
    if shape == 9:
        return f"{inner()}[{inner()}{rng.choice(['', '', ':', f':{inner()}'])}]"
    if shape == 10:
        return f"[{rng.choice(['', '...'])}{inner()}, {inner()}]"
    if shape == 11:
        return f"{{a: {inner()}, ['k']: {inner()}}}"
    if shape == 12:
        return f"{rng.choice(FUNCTIONS)}({arguments(rng, depth)})"
    if shape == 13:
        return f"[{inner()} for x in {inner()} if {inner()}]"
    return f"{inner()}{rng.choice(['.', '.', '?.'])}{rng.choice(METHODS)}({arguments(rng, depth)})"


def arguments(rng, depth):
    parts = []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3])):
        inner = expression(rng, depth - 2)
        shapes = [
            inner,
            inner,
            f"x => {inner}",
            f"(x, y) => {inner}",
            f"lambda x: {inner}",
            f"([x, y]) => {inner}",
            "Number",
        ]
        parts.append(rng.choice(shapes))
    return ", ".join(parts)


def mutated(rng, text):
    """The text with a few pieces cut, doubled, exchanged or put in."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:i] + text[min(j, i + 3) :]
        elif kind == 1:
            text = text[:j] + text[i:j][:40] + text[j:]
        elif kind == 2:
            text = text[:i] + rng.choice(TOKENS) + text[i:]
        else:
            text = text[:i] + chr(rng.choice([rng.randrange(32, 127), rng.randrange(0x3000)])) + text[i + 1 :]
    return text


def candidate(rng):
    kind = rng.random()
    if kind < 0.6:
        return expression(rng, rng.choice([1, 1, 2, 2, 2, 3, 4]))
    if kind < 0.9:
        return mutated(rng, expression(rng, rng.choice([1, 2, 2, 3])))
    return " ".join(rng.choice(TOKENS) for _ in range(rng.randrange(1, 12)))


def is_plain(value, depth=60):
    """Whether a value is made of plain data alone, patterns, and the one foreign object of the scope."""
    if value is None or value is MISSING or value is SCOPE["data"]["odd"]:
        return True
    if isinstance(value, (bool, int, float, str, date, bytes, Pattern)):
        return True
    if depth and isinstance(value, list):
        return all(is_plain(item, depth - 1) for item in value)
    return bool(depth) and type(value) is dict and all(is_plain(item, depth - 1) for item in value.values())


def run(text, scope=SCOPE):
    """The outcome of one input, which must be one of the few that are allowed."""
    try:
        compiled = compile_expression(text, limits=LIMITS)
    except ExpressionSyntaxError as error:
        assert 0 <= error.column <= len(text), text
        assert error.message and str(error), text
        return "syntax error"
    try:
        value = compiled.evaluate(scope)
    except ExpressionError as error:
        assert error.message, text
        return type(error).__name__
    assert value is not MISSING and not isinstance(value, Pattern) and is_plain(value), (text, value)
    return "value"


def explain(text):
    try:
        explanation = compile_expression(text, limits=LIMITS).explain(SCOPE)
    except ExpressionSyntaxError:
        return
    assert len(explanation) < 3000 and "\n" not in explanation.replace(text, ""), text


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_random_expressions_end_in_an_allowed_outcome(seed):
    rng = random.Random(seed)
    before = copy.deepcopy({"actual": SCOPE["actual"], "item": SCOPE["item"]})
    for _ in range(5):
        text = candidate(rng)
        run(text)
        explain(text)
    assert {"actual": SCOPE["actual"], "item": SCOPE["item"]} == before


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=60))
def test_any_text_ends_in_an_allowed_outcome(text):
    run(text)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_explaining_is_evaluating(seed):
    """The traced function gives the same answer as the plain one."""
    text = expression(random.Random(seed), 3)
    try:
        compiled = compile_expression(text, limits=LIMITS)
        value = compiled.evaluate(SCOPE)
    except (ExpressionSyntaxError, ExpressionError):
        return
    assert compiled.explain(SCOPE) == compiled.explain(SCOPE)
    assert repr(compiled.evaluate(SCOPE)) == repr(value)


def main(count, seed):
    rng = random.Random(seed)
    outcomes, slowest, begin = Counter(), (0.0, ""), time.perf_counter()
    before = repr(SCOPE)
    for number in range(count):
        text = candidate(rng)
        start = time.perf_counter()
        try:
            outcomes[run(text)] += 1
            if number % 50 == 0:
                explain(text)
        except BaseException:
            print(f"input {number}: {text!r}")
            raise
        slowest = max(slowest, (time.perf_counter() - start, text))
        if number % 50_000 == 49_999:
            print(f"{number + 1} inputs: {dict(outcomes)}", flush=True)
    assert repr(SCOPE) == before
    seconds = time.perf_counter() - begin
    print(f"{count} inputs in {seconds:.0f} s: {dict(outcomes)}; slowest {slowest[0]:.2f} s: {slowest[1]!r}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
