"""What to write instead of what an expression cannot hold: statements, functions, assignments, bitwise operators."""

from __future__ import annotations

from typing import Final

__all__ = ["ABOUT_OPERATORS", "ABOUT_WORDS", "NO_FUNCTIONS"]

NO_FUNCTIONS = (
    "a function may only be an argument of a call, as in actual.some(x => x > 1): write the expression itself"
)
_NO_STATEMENTS = "statements are not part of an expression: write the value itself"
_NO_LOOPS = "loops are not part of an expression: write actual.every(x => …), or all(… for x in actual)"
_NO_CHANGES = "an expression changes nothing"
ABOUT_WORDS: Final[dict[str, str]] = {
    **dict.fromkeys(("const", "let", "var", "return", "throw", "try", "with", "do", "switch"), _NO_STATEMENTS),
    **dict.fromkeys(("def", "raise", "assert", "pass", "global", "nonlocal", "export"), _NO_STATEMENTS),
    **dict.fromkeys(("break", "continue", "while"), _NO_LOOPS),
    **dict.fromkeys(("await", "async", "yield"), "an expression cannot wait: use an async operator or callable"),
    **dict.fromkeys(("import", "from", "require"), "nothing can be imported into an expression"),
    "class": "classes are not part of an expression",
    "function": NO_FUNCTIONS,
    "lambda": NO_FUNCTIONS,
    "for": _NO_LOOPS,
    "if": "`if` needs a value before it: write x if test else y, or test ? x : y",
    "elif": "write x if test else y, or test ? x : y",
    "else": "`else` without `if`: write x if test else y, or test ? x : y",
    "new": "nothing is constructed with `new`: write Date('2024-01-31'), a regex literal /…/, or set(list)",
    "delete": _NO_CHANGES,
    "del": _NO_CHANGES,
    "void": "`void` is not supported: write undefined",
    "this": "there is no `this`: write actual",
    "super": "classes are not part of an expression",
    "instanceof": "classes are not part of an expression: write typeof x === 'string', or Array.isArray(x)",
    "in": "`in` needs a value before it",
    "is": "`is` needs a value before it",
    "and": "`and` needs a value before it",
    "or": "`or` needs a value before it",
}
_BITWISE = "is a bitwise operator, which expressions do not have"
ABOUT_OPERATORS: Final[dict[str, str]] = {
    "=": "= assigns, and an expression changes nothing: write == to compare",
    ":=": ":= assigns, and an expression changes nothing",
    **dict.fromkeys(("+=", "-=", "*=", "/=", "%=", "**=", "//=", "&&=", "||=", "??="), "an expression assigns nothing"),
    **dict.fromkeys(("&=", "|=", "^=", "<<=", ">>="), "an expression assigns nothing"),
    "++": "++ changes a value, and an expression changes nothing: write + 1",
    "--": "-- changes a value, and an expression changes nothing: write - 1, or - -x",
    ";": "an expression is a single value, without ;",
    "=>": NO_FUNCTIONS,
    "&": f"& {_BITWISE}: write && or and",
    "|": f"| {_BITWISE}: write || or or",
    **{mark: f"{mark} {_BITWISE}" for mark in ("^", "~", "<<", ">>", ">>>")},
    "@": "@ is not an operator of expressions",
    "...": "... is for lists, objects and the arguments of functions: [...a, 1]",
}
