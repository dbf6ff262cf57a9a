"""Tokens of both spellings, with their columns."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from matchex._expr._errors import ExpressionSyntaxError

__all__ = ["Token", "tokenize"]


class Token(NamedTuple):
    """`kind` is one of `number text template regex word operator end`.

    The value is the number, the text, the word or the operator; of a regex `(source, flags)`; of a template the list of
    its texts and, for each placeholder, its tokens.
    """

    kind: str
    value: object
    start: int
    end: int


_NUMBER: Final = re.compile(
    r"0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?"
)
_ASCII_WORD: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_OPERATORS: Final = (
    *("...", "===", "!==", ">>>", "**=", "//=", "<<=", ">>=", "&&=", "||=", "??="),
    *("=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "**", "//", "<<", ">>", "++", "--"),
    *("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ":="),
    *"+-*/%<>=!&|^~?:.,()[]{}@;",
)
_OPERATOR: Final = re.compile("|".join(re.escape(operator) for operator in _OPERATORS))
_SIMPLE_ESCAPES: Final = {
    **{"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"},
    **{mark: mark for mark in "\\'\"`/${"},
}
_HEX_ESCAPE: Final = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|U([0-9a-fA-F]{8})")
_LOW_SURROGATE: Final = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_BEFORE_OPERAND: Final = frozenset(
    {"and", "or", "not", "in", "is", "if", "else", "typeof", "for", "lambda", "return", "instanceof"}
)
_TEXT_PREFIXES: Final = frozenset({"f", "r", "b", "u", "fr", "rf", "br", "rb"})
_DIGITS: Final = frozenset("0123456789")
_MOST_DIGITS: Final = 1000


def tokenize(text: str, depth: int) -> list[Token]:
    """The tokens of an expression, the last of kind `end`.

    Raises:
        ExpressionSyntaxError: A character, number, text or regex that the language does not know; templates nested
            deeper than `depth`.
    """
    tokens, end = _Lexer(text, depth).run(0, closing=False)
    tokens.append(Token("end", "", end, end))
    return tokens


def is_word(text: str) -> bool:
    """Whether `text` can be written as a name."""
    return bool(text) and text.replace("$", "_").isidentifier()


class _Lexer:
    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.depth = depth

    def fail(self, message: str, column: int) -> ExpressionSyntaxError:
        return ExpressionSyntaxError(message, self.text, column)

    def run(self, at: int, *, closing: bool) -> tuple[list[Token], int]:
        """Tokens from `at` on: to the end of the text, or with `closing` to the `}` that ends a placeholder."""
        text, tokens, braces = self.text, list[Token](), 0
        while True:
            while at < len(text) and (text[at].isspace() or text[at] == "\ufeff"):
                at += 1
            if at >= len(text):
                if closing:
                    raise self.fail("the placeholder ${ is not closed by }", at)
                return tokens, at
            if text[at] == "}" and closing and braces == 0:
                return tokens, at
            token = self.token(at, tokens[-1] if tokens else None, len(tokens) > 1 and tokens[-2].value in (".", "?."))
            braces += (token.value == "{") - (token.value == "}") if token.kind == "operator" else 0
            tokens.append(token)
            at = token.end

    def token(self, at: int, before: Token | None, before_is_field: bool) -> Token:
        mark = self.text[at]
        if mark in _DIGITS or (mark == "." and self.text[at + 1 : at + 2] in _DIGITS):
            return self.number(at)
        if mark in "'\"":
            return self.quoted(at, before)
        if mark == "`":
            return self.template(at)
        if is_word(mark):
            return self.word(at)
        if mark == "/" and _operand_follows(before, before_is_field):
            return self.regex(at)
        found = _OPERATOR.match(self.text, at)
        if found is None:
            hint = "; comments are not part of an expression" if mark == "#" else ""
            raise self.fail(f"unexpected character {mark!r}{hint}", at)
        operator = found[0]
        if operator == "?." and self.text[at + 2 : at + 3] in _DIGITS:
            operator = "?"  # `a ?.5 : 1`
        return Token("operator", operator, at, at + len(operator))

    def word(self, at: int) -> Token:
        found = _ASCII_WORD.match(self.text, at)
        end = found.end() if found is not None else at + 1
        while end < len(self.text) and is_word("a" + self.text[end]):
            end += 1
        return Token("word", self.text[at:end], at, end)

    def number(self, at: int) -> Token:
        found = _NUMBER.match(self.text, at)
        assert found is not None
        written, end = found[0], found.end()
        digits = written.replace("_", "")
        if end - at > _MOST_DIGITS:
            raise self.fail(f"a number of more than {_MOST_DIGITS} digits", at)
        if "__" in written or written.endswith("_") or "_." in written or "._" in written:
            raise self.fail(f"misplaced _ in the number {written}", at)
        whole = digits.isdigit()
        if whole and len(digits) > 1 and digits[0] == "0":
            raise self.fail(f"the number {written} must not begin with 0 (octal is 0o17)", at)
        try:
            value = int(digits, 0) if whole or digits[:2].lower() in ("0x", "0b", "0o") else float(digits)
        except ValueError:
            raise self.fail(f"{written} is no number", at) from None
        if whole and self.text[end : end + 1] == "n":
            end += 1  # a JavaScript bigint: all our integers are exact
        if end < len(self.text) and is_word("a" + self.text[end]):
            raise self.fail(f"{self.text[at : end + 1]} is neither a number nor a name", at)
        return Token("number", value, at, end)

    def quoted(self, at: int, before: Token | None) -> Token:
        if before is not None and before.kind == "word" and before.end == at:
            prefix = str(before.value).lower()
            if prefix in _TEXT_PREFIXES:
                instead = "a template literal `…${value}…`" if "f" in prefix else "a plain text"
                raise self.fail(
                    f"texts with the prefix {before.value} are not supported: write {instead}", before.start
                )
        quote, parts, here = self.text[at], list[str](), at + 1
        while True:
            part, here = self.run_of_text(here, quote)
            parts.append(part)
            if here >= len(self.text) or self.text[here] == "\n":
                raise self.fail(f"the text is not closed by {quote}", at)
            if self.text[here] == quote:
                return Token("text", "".join(parts), at, here + 1)
            part, here = self.escape(here)
            parts.append(part)

    def run_of_text(self, at: int, quote: str) -> tuple[str, int]:
        """The characters up to a quote, backslash or (outside templates) line end."""
        stops, end = (quote + "\\" + ("$" if quote == "`" else "\n")), at
        while end < len(self.text) and self.text[end] not in stops:
            end += 1
        return self.text[at:end], end

    def escape(self, at: int) -> tuple[str, int]:
        mark = self.text[at + 1 : at + 2]
        if mark in _SIMPLE_ESCAPES and mark:
            if mark == "0" and self.text[at + 2 : at + 3].isdigit():
                raise self.fail("octal escapes are not supported: write \\x00", at)
            return _SIMPLE_ESCAPES[mark], at + 2
        found = _HEX_ESCAPE.match(self.text, at + 1)
        if found is None:
            raise self.fail(f"unknown escape \\{mark}: write \\\\{mark} for a backslash in the text", at)
        code, end = int(found[1] or found[2] or found[3] or found[4], 16), found.end()
        low = _LOW_SURROGATE.match(self.text, end) if 0xD800 <= code < 0xDC00 else None
        if low is not None:
            return chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00), low.end()
        if 0xD800 <= code < 0xE000 or code > 0x10FFFF:
            raise self.fail("the escape is no character", at)
        return chr(code), end

    def template(self, at: int) -> Token:
        parts, here = list[str | list[Token]](), at + 1
        while True:
            part, here = self.run_of_text(here, "`")
            parts.append(part)
            if here >= len(self.text):
                raise self.fail("the template is not closed by `", at)
            if self.text[here] == "`":
                return Token("template", parts, at, here + 1)
            if self.text[here] == "\\":
                part, here = self.escape(here)
                parts.append(part)
            elif self.text.startswith("${", here):
                inner, here = self.placeholder(here)
                parts.append(inner)
            else:
                parts.append("$")
                here += 1

    def placeholder(self, at: int) -> tuple[list[Token], int]:
        self.depth -= 1
        if self.depth <= 0:
            raise self.fail("the templates are nested too deeply", at)
        tokens, end = self.run(at + 2, closing=True)
        self.depth += 1
        tokens.append(Token("end", "", end, end))
        return tokens, end + 1

    def regex(self, at: int) -> Token:
        if self.text.startswith("/*", at):
            raise self.fail("comments are not part of an expression", at)
        here, in_class = at + 1, False
        while here < len(self.text) and self.text[here] != "\n":
            mark = self.text[here]
            if mark == "/" and not in_class:
                break
            in_class = mark == "[" or (in_class and mark != "]")
            here += 2 if mark == "\\" else 1
        if here >= len(self.text) or self.text[here] == "\n":
            raise self.fail("the regex is not closed by /", at)
        if here == at + 1:
            raise self.fail("a value is missing before // (comments are not part of an expression)", at)
        end = here + 1
        while end < len(self.text) and is_word("a" + self.text[end]):
            end += 1
        return Token("regex", (self.text[at + 1 : here], self.text[here + 1 : end]), at, end)


def _operand_follows(before: Token | None, before_is_field: bool) -> bool:
    """Whether a value comes next, so that `/` begins a regex and does not divide."""
    if before is None:
        return True
    if before.kind == "word":
        return before.value in _BEFORE_OPERAND and not before_is_field
    return before.kind == "operator" and before.value not in (")", "]", "}")
