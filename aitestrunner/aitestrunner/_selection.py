"""Selecting cases by words: the expression of `-k`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from aitestrunner._errors import AITestError

__all__ = ["SelectionError", "read_words"]

_TOKEN: Final = re.compile(r"""\s*(?:(?P<mark>[()])|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s()"']+))""")
_Test = Callable[[str], bool]


class SelectionError(AITestError):
    """What cases were to be selected by cannot be read.

    Example:
        >>> from aitestrunner import AITestRunner, SelectionError
        >>> try:
        ...     AITestRunner(lambda context: "hi").run_sync("bot", [{"output": "hi"}], keywords="greets and")
        ... except SelectionError as error:
        ...     print(error)
        cannot read `greets and`: a word is missing at the end
    """


def read_words(expression: str) -> _Test:
    """A test of texts: words that must occur (in any case of letters), with `and`, `or`, `not` and brackets.

    Raises:
        SelectionError: It cannot be read.

    Example:
        >>> test = read_words("refund and not (german or 'in french')")
        >>> test("asks for a Refund"), test("asks for a refund in French")
        (True, False)
    """
    return _Reader(expression).read()


class _Reader:
    """or_ := and_ ('or' and_)* · and_ := not_ ('and' not_)* · not_ := 'not' not_ | '(' or_ ')' | word."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._tokens = self._split(expression)
        self._next = 0

    def read(self) -> _Test:
        test = self._either()
        if self._peek() is not None:
            raise self._error(f"`and` or `or` is missing before {self._peek()!r} (quote words that belong together)")
        return test

    def _split(self, expression: str) -> list[tuple[str, bool]]:
        """The tokens, and of each whether it is a word whatever it looks like."""
        tokens: list[tuple[str, bool]] = []
        end = 0
        while expression[end:].strip():
            match = _TOKEN.match(expression, end)
            if match is None:
                raise self._error("a quote is not closed")
            end = match.end()
            text = match[match.lastgroup or 0]
            tokens.append((text, match.lastgroup in ("double", "single")))
        return tokens

    def _peek(self) -> str | None:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else None

    def _take(self, word: str) -> bool:
        if self._next < len(self._tokens) and self._tokens[self._next] == (word, False):
            self._next += 1
            return True
        return False

    def _either(self) -> _Test:
        tests = [self._both()]
        while self._take("or"):
            tests.append(self._both())
        return tests[0] if len(tests) == 1 else lambda text: any(test(text) for test in tests)

    def _both(self) -> _Test:
        tests = [self._plain()]
        while self._take("and"):
            tests.append(self._plain())
        return tests[0] if len(tests) == 1 else lambda text: all(test(text) for test in tests)

    def _plain(self) -> _Test:
        if self._take("not"):
            test = self._plain()
            return lambda text: not test(text)
        if self._take("("):
            test = self._either()
            if not self._take(")"):
                raise self._error("a bracket is not closed")
            return test
        if self._next == len(self._tokens):
            raise self._error("a word is missing at the end")
        word, quoted = self._tokens[self._next]
        if not quoted and word in ("and", "or", ")"):
            raise self._error(f"a word is missing before {word!r}")
        self._next += 1
        folded = word.casefold()
        return lambda text: folded in text.casefold()

    def _error(self, message: str) -> SelectionError:
        return SelectionError(f"cannot read `{self._expression}`: {message}")
