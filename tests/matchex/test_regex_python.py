"""Compiled Python patterns keep Python's rules."""

import pickle
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matchex._regex import PatternError, PatternTimeout, compile_pattern, from_python

PATTERNS = [
    (r"^\d+$", 0, ["12", "12\n", "١٢", "a"]),
    (r"\w+", 0, ["é", "e\u0301", "-", "½"]),
    (r"^\w+\Z", re.ASCII, ["é", "e"]),
    (r"(?x) a  b # c", 0, ["ab", "a b"]),
    (r"(?i:straße)x", 0, ["STRAßEx", "STRASSEx", "straßeX"]),
    (r"^b$", re.MULTILINE, ["a\nb\nc", "a\rb\rc"]),
    (r"a.b", re.DOTALL, ["a\nb"]),
    (r"(?P<q>['\"]).*?(?P=q)", 0, ["'x'", "'x\""]),
    (r"(a)?b\1", 0, ["b", "aba", "ab"]),
    (r"(a)?(?(1)b|c)$", 0, ["ab", "c", "b"]),
    (r"(?>a+)b", 0, ["aab", "aa"]),
    (r"a++a", 0, ["aaa"]),
    (r"a{e<=1}", 0, ["a{e<=1}", "b"]),
    (r"[\w]+k", re.IGNORECASE, ["ſK", "éK", "-"]),
    (r"[^k]", re.IGNORECASE, ["K", "K", "x"]),
    (r"İ", re.IGNORECASE, ["i", "İ", "ı"]),
    (r"\B", 0, ["", "a", "ab"]),
    (r"\bé", 0, ["é", "aé", " é"]),
    (r"(?<=ab)c(?!d)", 0, ["abc", "abcd"]),
    (r"(?<!^)a|^$", 0, ["a", "ba", ""]),
    (r"(?:a|b)*?c", 0, ["abc", "ab"]),
    (r"\Aa|b\Z", 0, ["b\n", "a"]),
    (r"(\w)\1", re.IGNORECASE, ["aA", "ab"]),
]


@pytest.mark.parametrize(("source", "flags", "subjects"), PATTERNS)
def test_same_answer_as_re(source, flags, subjects):
    compiled = re.compile(source, flags)
    pattern = from_python(compiled)
    for subject in subjects:
        expected = compiled.search(subject)
        under_clock = pattern._timed_spans(subject, 0, 10, groups=True)
        assert pattern.search(subject, timeout=10) is (expected is not None)
        if expected is None:
            assert pattern.find(subject, timeout=10) is None
            assert under_clock is None
            continue
        found = pattern.find(subject, timeout=10)
        assert (found.start, found.end) == expected.span() == under_clock[:2]
        assert found.groups == (expected.group(), *expected.groups())
        assert found.named == expected.groupdict()


@pytest.mark.parametrize("source", ["^(a+)+$", "(x+x+)+y", "(.*)*$", "(?=(a+)+[bc])", "(a|a)*[bc]"])
def test_bounded_like_the_rest(source):
    began = time.monotonic()
    for subject in ("a" * 100_000 + "!", "x" * 100_000):
        try:
            from_python(re.compile(source)).search(subject, timeout=0.05)
        except PatternTimeout as timeout:
            assert source in timeout.pattern
    assert time.monotonic() - began < 30


def test_identity():
    pattern = from_python(re.compile("a", re.IGNORECASE))
    assert pattern == from_python(re.compile("a", re.IGNORECASE))
    assert pattern != compile_pattern("a", "i")
    assert pattern.source == "a"
    assert pickle.loads(pickle.dumps(pattern)) == pattern


def test_patterns_for_bytes_are_refused():
    with pytest.raises(PatternError, match="bytes"):
        from_python(re.compile(b"a"))


atoms = st.sampled_from(["a", "B", ".", "[aé]", r"[^\wk]", r"\d", r"\w", r"\b", "^", "$", "é", "ſ", r"\s", "1", "k"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "*?"])).map("(?:{0[0]}){0[1]}".format),
        inner.map("(?={})".format),
    ),
    max_leaves=6,
)


@given(expressions, st.sampled_from([0, re.I, re.M, re.S, re.A, re.A | re.I]), st.text("aBbAéÉſsKk1 \n", max_size=10))
@settings(max_examples=300, deadline=None)
def test_the_clocked_engine_agrees_with_re(source, flags, subject):
    compiled = re.compile(source, flags)
    expected = compiled.search(subject)
    assert (from_python(compiled)._timed_spans(subject, 0, 10, groups=False) is None) == (expected is None)
