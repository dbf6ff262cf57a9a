"""Character classes: `[…]` of old, and the nested sets of the flag `v`."""

from __future__ import annotations

from dataclasses import dataclass

from . import _charset
from ._ast import Chars, Choice, Node, Sequence
from ._charset import CharSet
from ._emit import escape_range
from ._source import Source

_SET_SYNTAX = frozenset("()[]{}/-\\|")
_SET_PUNCTUATION = frozenset("&-!#%,:;<=>@`~")
_DOUBLE_PUNCTUATORS = frozenset("&!#$%*+,.:;<=>?@^`~")


def parse_class(source: Source) -> Node:
    """Parse a class; the cursor stands behind its `[`."""
    return _parse_set(source).node() if source.sets_mode else _parse_plain(source)


# ---- without v ----


def _parse_plain(source: Source) -> Chars:
    start = source.position - 1
    negated = source.eat("^")
    parts: list[tuple[int, int]] = []
    native: list[str] = []
    has_properties = False
    while not source.eat("]"):
        if not source.peek():
            raise source.error("unterminated character class", start)
        for chars, spelling in _plain_item(source):
            parts.extend(chars.ranges)
            native.append(spelling or "".join(escape_range(low, high) for low, high in chars.ranges))
            has_properties = has_properties or spelling is not None
    chars = source.folded(CharSet(parts))
    if negated:
        chars = ~chars
    if not has_properties or source.ignore_case:
        return Chars(chars)
    return Chars(chars, ("^" if negated else "") + "".join(native))


def _plain_item(source: Source) -> list[tuple[CharSet, str | None]]:
    """One atom or one range; a range with a class at an end is three atoms (without `u`)."""
    start = source.position
    first = _plain_atom(source)
    if source.peek() != "-" or source.peek(1) in ("", "]"):
        return [first]
    source.position += 1
    second = _plain_atom(source)
    low, high = first[0].single, second[0].single
    if low is None or high is None or first[1] or second[1]:
        if source.unicode_mode:
            raise source.error("invalid character class: a range cannot begin or end with a class", start)
        return [first, (CharSet.of("-"), None), second]
    if low > high:
        raise source.error("range out of order in character class", start)
    return [(CharSet([(low, high)]), None)]


def _plain_atom(source: Source) -> tuple[CharSet, str | None]:
    char = source.peek()
    if not char:
        raise source.error("unterminated character class")
    source.position += 1
    if char != "\\":
        return CharSet.of(char), None
    found = source.class_escape()
    if found is not None:
        return found
    if source.eat("b"):
        return CharSet.of("\b"), None
    code_point = source.character_escape(in_class=True)
    return CharSet([(code_point, code_point)]), None


# ---- with v ----


@dataclass(frozen=True, slots=True)
class _Set:
    """The value of a class of the flag `v`: characters, and texts of other lengths."""

    chars: CharSet
    texts: frozenset[str] = frozenset()
    may_contain_texts: bool = False

    def node(self) -> Node:
        """The longest text first, as JavaScript tries them."""
        if not self.texts:
            return Chars(self.chars)
        longer = sorted((text for text in self.texts if text), key=len, reverse=True)
        options: list[Node] = [Sequence(tuple(Chars(CharSet.of(char)) for char in text)) for text in longer]
        if self.chars:
            options.append(Chars(self.chars))
        if "" in self.texts:
            options.append(Sequence(()))
        return Choice(tuple(options))


def _parse_set(source: Source) -> _Set:
    start = source.position - 1
    source.descend()
    negated = source.eat("^")
    value = _Set(_charset.EMPTY)
    if not source.eat("]"):
        value = _set_contents(source, start)
    source.ascend()
    if not negated:
        return value
    if value.may_contain_texts:
        raise source.error("a negated character class may not contain strings", start)
    return _Set(~value.chars)


def _set_contents(source: Source, start: int) -> _Set:
    value, is_range = _set_operand_or_range(source, start)
    united = [value]
    operator = next((sign for sign in ("&&", "--") if source.text.startswith(sign, source.position)), None)
    if operator and is_range:
        raise source.error("a range cannot be an operand of a set operation; put it into brackets")
    while not source.eat("]"):
        if operator is None:
            united.append(_set_operand_or_range(source, start)[0])
        elif source.eat(operator):
            if operator == "&&" and source.peek() == "&":
                raise source.error("invalid set operation &&&")
            other = _set_operand(source, start)
            value = _intersection(value, other) if operator == "&&" else _difference(value, other)
        else:
            raise source.error(f"set operations cannot be mixed; {operator} or ] expected")
    return value if operator else _union(united)


def _union(values: list[_Set]) -> _Set:
    return _Set(
        CharSet(span for value in values for span in value.chars.ranges),
        frozenset(text for value in values for text in value.texts),
        any(value.may_contain_texts for value in values),
    )


def _intersection(one: _Set, other: _Set) -> _Set:
    return _Set(one.chars & other.chars, one.texts & other.texts, one.may_contain_texts and other.may_contain_texts)


def _difference(one: _Set, other: _Set) -> _Set:
    return _Set(one.chars - other.chars, one.texts - other.texts, one.may_contain_texts)


def _set_operand_or_range(source: Source, start: int) -> tuple[_Set, bool]:
    begin = source.position
    low = _set_character_ahead(source)
    value = _set_operand(source, start)
    if source.peek() != "-" or source.peek(1) == "-":
        return value, False
    source.position += 1
    if not low or not _set_character_ahead(source):
        raise source.error("invalid range in character class", begin)
    end = _set_character(source)
    source_low = _reread_character(source, begin)
    if source_low > end:
        raise source.error("range out of order in character class", begin)
    return _Set(source.folded(CharSet([(source_low, end)]))), True


def _reread_character(source: Source, begin: int) -> int:
    """The (unfolded) character at an earlier place."""
    after, source.position = source.position, begin
    code_point = _set_character(source)
    source.position = after
    return code_point


def _set_character_ahead(source: Source) -> bool:
    """Whether the next operand is a single character, which may begin a range."""
    if source.peek() == "\\":
        return source.peek(1) not in ("", *"dDwWsSpPq")
    return source.peek() != "["


def _set_operand(source: Source, start: int) -> _Set:
    if source.eat("["):
        return _parse_set(source)
    if source.peek() == "\\":
        source.position += 1
        if source.eat("q"):
            return _quoted_strings(source, start)
        found = source.class_escape()
        if found is not None:
            return _Set(source.folded(found[0]))
        source.position -= 1
    if not source.peek():
        raise source.error("unterminated character class", start)
    code_point = source.folded_point(_set_character(source))
    return _Set(CharSet([(code_point, code_point)]))


def _set_character(source: Source) -> int:
    char = source.peek()
    if not char:
        raise source.error("unterminated character class")
    if char == "\\":
        source.position += 1
        if source.eat("b"):
            return 0x08
        if source.peek() in _SET_PUNCTUATION and source.peek():
            source.position += 1
            return ord(source.text[source.position - 1])
        return source.character_escape(in_class=True)
    if char in _SET_SYNTAX:
        raise source.error(f"invalid character {char} in character class: with the flag v it must be escaped")
    if char in _DOUBLE_PUNCTUATORS and source.peek(1) == char:
        raise source.error(f"invalid set operation {char * 2} in character class")
    source.position += 1
    return ord(char)


def _quoted_strings(source: Source, start: int) -> _Set:
    r"""`\q{abc|d}`; the cursor stands behind the `q`."""
    if not source.eat("{"):
        raise source.error("invalid escape \\q: {…} expected")
    texts: list[list[str]] = [[]]
    while not source.eat("}"):
        if not source.peek():
            raise source.error("unterminated \\q{…} in character class", start)
        if source.eat("|"):
            texts.append([])
        else:
            texts[-1].append(chr(source.folded_point(_set_character(source))))
    singles = CharSet.of("".join(text[0] for text in texts if len(text) == 1))
    others = frozenset("".join(text) for text in texts if len(text) != 1)
    return _Set(singles, others, bool(others))
