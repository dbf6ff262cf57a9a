"""What the parser of patterns and the parser of classes share: the place in the source, escapes, folding."""

from __future__ import annotations

from collections.abc import Mapping

from . import _charset
from ._charset import CharSet
from ._errors import PatternError
from ._folding import fold_table
from ._properties import property_chars, property_name

MAX_DEPTH = 50
"""How deep groups and classes may be nested; the engines' own compilers are recursive."""

CLASS_ESCAPES = {"d": _charset.DIGIT, "w": _charset.WORD, "s": _charset.SPACE}
SYNTAX_CHARACTERS = frozenset("^$\\.*+?()[]{}|/")
_CONTROL_ESCAPES = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
_OCTAL_DIGITS = frozenset("01234567")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
DIGITS = frozenset("0123456789")


class Source:
    """A cursor over the source of a pattern that knows the flags."""

    def __init__(self, text: str, flags: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.sets_mode = "v" in flags
        self.unicode_mode = "u" in flags or self.sets_mode
        self.ignore_case = "i" in flags
        self.dot_all = "s" in flags
        self.multiline = "m" in flags
        self.group_count: int = 0
        self.names: dict[str, int] = {}
        self._folding: Mapping[int, int] = fold_table(self.unicode_mode) if self.ignore_case else {}

    # ---- the cursor ----

    def peek(self, offset: int = 0) -> str:
        """The character at the cursor, or the empty text at the end."""
        index = self.position + offset
        return self.text[index] if index < len(self.text) else ""

    def eat(self, expected: str) -> bool:
        """Move over a text if it stands at the cursor."""
        if self.text.startswith(expected, self.position):
            self.position += len(expected)
            return True
        return False

    def error(self, message: str, position: int | None = None) -> PatternError:
        """An error at a place, by default the cursor."""
        return PatternError(message, self.position if position is None else position)

    def descend(self) -> None:
        """Enter a group or class."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"groups or classes nested more than {MAX_DEPTH} deep")

    def ascend(self) -> None:
        """Leave a group or class."""
        self.depth -= 1

    # ---- folding ----

    def folded(self, chars: CharSet) -> CharSet:
        """The set as it is compared with the folded subject."""
        return chars.mapped(self._folding)

    def folded_point(self, code_point: int) -> int:
        """The code point as it is compared with the folded subject."""
        return self._folding.get(code_point, code_point)

    # ---- escapes; the cursor stands behind the backslash ----

    def class_escape(self) -> tuple[CharSet, str | None] | None:
        r"""`\d \D \w \W \s \S` and, with `u` or `v`, `\p{…} \P{…}`: the set, not folded, and the native spelling."""
        letter = self.peek()
        if letter and letter in "dDwWsS":
            self.position += 1
            chars = CLASS_ESCAPES[letter.lower()]
            if letter in "wW" and self.unicode_mode and self.ignore_case:
                chars = CharSet.of("\u017f\u212a") | chars  # they fold to s and k
            return (chars if letter.islower() else ~chars), None
        if self.unicode_mode and letter and letter in "pP":
            return self._property(negated=letter == "P")
        return None

    def _property(self, negated: bool) -> tuple[CharSet, str | None]:
        start = self.position - 1
        self.position += 1
        end = self.text.find("}", self.position)
        if self.peek() != "{" or end < 0:
            raise self.error("invalid property name: \\p and \\P need {…}", start)
        name = property_name(self.text[self.position + 1 : end], start)
        self.position = end + 1
        chars = property_chars(name)
        if not negated:
            return chars, f"\\p{{{name}}}"
        if self.sets_mode and self.ignore_case:
            return ~(self.folded(chars) | CharSet((point, point) for point in self._folding)), None
        return ~chars, f"\\P{{{name}}}"

    def character_escape(self, *, in_class: bool) -> int:
        """An escape that stands for one code point."""
        start = self.position - 1
        char = self.peek()
        if not char:
            raise self.error("\\ at end of pattern", start)
        self.position += 1
        if char in _CONTROL_ESCAPES:
            return _CONTROL_ESCAPES[char]
        if char == "c":
            return self._control_letter(start, in_class)
        if char in DIGITS:
            return self._digit_escape(char, start)
        if char in "xu":
            code_point = self._hex(2) if char == "x" else self.unicode_escape()
            if code_point is not None:
                return code_point
            if self.unicode_mode:
                raise self.error(f"invalid escape \\{char}: hexadecimal digits expected", start)
        elif self.unicode_mode and char not in SYNTAX_CHARACTERS and not (in_class and char == "-"):
            raise self.error(
                f"invalid escape \\{char} (with the flag u or v only syntax characters are escaped)", start
            )
        elif char == "k" and self.names:
            raise self.error("invalid named reference: \\k needs <name>", start)
        return ord(char)

    def _control_letter(self, start: int, in_class: bool) -> int:
        letter = self.peek()
        allowed = letter in _LETTERS or (in_class and not self.unicode_mode and (letter in DIGITS or letter == "_"))
        if letter and allowed:
            self.position += 1
            return ord(letter) % 32
        if self.unicode_mode:
            raise self.error("invalid escape \\c: a letter expected", start)
        self.position = start + 1  # the backslash stands for itself, c follows
        return ord("\\")

    def _digit_escape(self, digit: str, start: int) -> int:
        if self.unicode_mode:
            if digit == "0" and self.peek() not in DIGITS:
                return 0
            raise self.error(
                f"invalid escape \\{digit}: no such group, and octal escapes do not exist with u or v", start
            )
        if digit in "89":
            return ord(digit)
        value = int(digit)
        while self.peek() in _OCTAL_DIGITS and value * 8 + int(self.peek()) <= 0o377:
            value = value * 8 + int(self.peek())
            self.position += 1
        return value

    def _hex(self, length: int) -> int | None:
        digits = self.text[self.position : self.position + length]
        if len(digits) < length or not _HEX_DIGITS.issuperset(digits):
            return None
        self.position += length
        return int(digits, 16)

    def unicode_escape(self) -> int | None:
        r"""The inside of `\uXXXX`, of a surrogate pair, or of `\u{…}` (with `u`); None, not moved, if it is neither."""
        if self.unicode_mode and self.peek() == "{":
            return self.braced_escape()
        high = self._hex(4)
        if high is not None and 0xD800 <= high < 0xDC00 and self.text.startswith("\\u", self.position):
            before = self.position
            self.position += 2
            low = self._hex(4)
            if low is not None and 0xDC00 <= low < 0xE000:
                return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
            self.position = before
        return high

    def braced_escape(self) -> int | None:
        r"""The inside of `\u{…}`; None, not moved, if it is none."""
        end = self.text.find("}", self.position)
        digits = self.text[self.position + 1 : end] if end >= 0 else ""
        significant = digits.lstrip("0")
        if not digits or not _HEX_DIGITS.issuperset(digits) or len(significant) > 6:
            return None
        value = int(significant or "0", 16)
        if value > _charset.MAX_CODE_POINT:
            return None
        self.position = end + 1
        return value
