"""No pattern hangs, whatever it is and whatever it is asked."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matchex._regex import PatternError, PatternTimeout, _pattern, compile_pattern
from matchex._regex._parser import parse
from matchex._regex._re2 import linear_search
from matchex._regex._safety import longest_fast_subject

CATASTROPHIC = [
    "^(a+)+$",
    "^(?:[a-z]+-?)+$",
    "(x+x+)+y",
    "(.*)*$",
    "(?=(a+)+[bc])",
    "(?!(?:a+)+$)a",
    "(?:(?=a+[bc])|a)*[xy]",
    "(a|a)*b",
    "(a*)*b",
    ".*.*.*x",
    "x*x*x*y",
    ".*a.*b.*c",
    r"\s+$",
    "a{1,10000}[xy]",
    "(?:a{1,5000}){1,5000}[bc]",
    r"(a*)\1[bc]",
    r"(?:(a)|b)*\1[xy]",
    r"(?<=(a+)+[xy])b",
]
TIMEOUT = 0.05
GENEROUS = 100  # seconds; the machine may be busy, a hang takes hours


@pytest.fixture(params=["with re2", "without re2"])
def engines(request, monkeypatch):
    if request.param == "without re2":
        monkeypatch.setattr(_pattern, "linear_search", lambda *_args, **_options: None)


@pytest.mark.usefixtures("engines")
@pytest.mark.parametrize("source", CATASTROPHIC)
def test_catastrophic_patterns_end(source):
    pattern = compile_pattern(source)
    for subject in ("a" * 100_000 + "!", ("x" if "x" in source else " ") * 100_000 + "!"):
        for ask in (pattern.search, pattern.find):
            began = time.monotonic()
            try:
                ask(subject, timeout=TIMEOUT)
            except PatternTimeout as timeout:
                assert timeout.pattern == pattern.text
                assert timeout.length == len(subject)
                assert pattern.text in str(timeout)
            assert time.monotonic() - began < GENEROUS


def test_timeout_says_what_to_do():
    with pytest.raises(
        PatternTimeout, match=r"pattern /\(\?=\(a\+\)\+\[bd\]\)/ did not finish within 0.05 s on a text of 100000"
    ) as caught:
        compile_pattern("(?=(a+)+[bd])").search("a" * 100_000, timeout=0.05)
    assert "simplify" in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        "a" * 100_000,
        "(?:ab)?" * 14_000,
        "|".join(f"word{number}" for number in range(12_000)),
        "[" + "".join(map(chr, range(0x4E00, 0x4E00 + 20_000))) + "]",
        "(a)" * 30_000,
        "a?" * 50_000,
        "\\1" * 30_000 + "(a)",
        "{" * 100_000,
        "a{0" + "0" * 100_000 + "5}",
        "(?:aaaaaaaaaaaaaaaa)" * 5_000,
    ],
    ids=lambda source: source[:12],
)
def test_huge_patterns_end(source):
    began = time.monotonic()
    pattern = compile_pattern(source)
    for ask in (pattern.search, pattern.find):
        with contextlib.suppress(PatternTimeout):
            ask("a" * 100_000, timeout=TIMEOUT)
    assert time.monotonic() - began < GENEROUS


@pytest.mark.parametrize(
    "source", ["a{" + "1" * 100_000 + "}", "a{200001}", "(?:(?:a{1000}){1000}){1000}", "(?:a+){999999,}"]
)
def test_huge_counts_are_errors(source):
    with pytest.raises(PatternError, match="too large"):
        compile_pattern(source)


@pytest.mark.parametrize("opening", ["(", "(?:", "(?=", "(?<!", "(?<a"])
def test_deep_nesting_is_an_error(opening):
    for source in (opening * 50_000, opening * 5_000 + ")" * 5_000):
        with pytest.raises(PatternError):
            compile_pattern(source)
    with pytest.raises(PatternError):
        compile_pattern("[" * 50_000, "v")


def test_moderate_nesting_compiles():
    assert compile_pattern("(?:b|(?:" * 20 + "a" + "))*" * 20).find("aa", timeout=5).groups == ("aa",)


def test_large_subjects():
    large = "lorem ipsum " * 850_000
    for source, expected in (("ipsum", True), ("dolor", False), (r"^lorem.*ipsum $", True), (r"(?:m i)\w+$", False)):
        assert compile_pattern(source).search(large, timeout=20) is expected
    assert compile_pattern("ipsum", "iu").find(large, 10_000_000, timeout=20).start >= 10_000_000


@pytest.mark.parametrize("source", ["[ab]*[cd]", "a+?[xy]", "(?<=a+)[xy]", "(?:a|b)*[cd]"])
def test_loops_over_large_subjects_keep_to_the_time(source, monkeypatch):
    monkeypatch.setattr(_pattern, "linear_search", lambda *_args, **_options: None)
    began = time.monotonic()
    with contextlib.suppress(PatternTimeout):
        compile_pattern(source).search("a" * 5_000_000, timeout=TIMEOUT)
    assert time.monotonic() - began < GENEROUS


@pytest.mark.parametrize("subject", ["\ud800", "a\udfff\ud83d", "\0", "\0a\0"])
def test_odd_characters(subject):
    for flags in ("", "u", "iv"):
        found = compile_pattern("^[^]+$", flags.replace("v", "u")).find(subject, timeout=5)
        assert found.groups == (subject,)
    assert compile_pattern(r"(?:[^b]|.)+[\0\ud800\ud83d]$").search(subject, timeout=5) is (len(subject) > 1)


@pytest.mark.parametrize(
    ("source", "at_least", "at_most"),
    [
        ("fox", 1_000_000, None),
        (r"^\s*\d{4}-\d\d-\d\d\s*$", 1_000_000, None),
        (r"^(?:\w+\s)+$", 100_000, 100_000),
        (r'"[^"]*"', 5_000, 100_000),
        (r"\s+$", 500, 50_000),
        (r"\w+(?:,\w+)*", 500, 50_000),
        (r"x*x*x*y", 10, 200),
        (r".*a.*b.*c", 10, 200),
        (r"(a+)+", -1, -1),
        (r"(?:a|a)*b", -1, -1),
        (r"(?:a|ab)(?:c|bcd)*(?:d*)*", -1, -1),
        (r"^(?:[a-z]+-?)+$", -1, -1),
        (r"a{1,10000}b", 500, 50_000),
    ],
)
def test_proven_bounds(source, at_least, at_most):
    length = longest_fast_subject(parse(source, "").root, 2e7)
    assert length >= at_least
    assert at_most is None or length <= at_most


PIECES = (
    r"(?: (?= (?! (?<= (?<! (?<n> \k<n> \1 \d \w \s \b \B [^ {2} {1,} \u0061 \u{62} \cA \p{L} \q{ && -- é ſ 😀 )* ]+"
)
pieces = st.sampled_from([*"abxyAZ019_- \n.^$*+?()[]{}|\\/,:=!<>&", *PIECES.split()])
flags = st.sampled_from(["", "i", "m", "s", "u", "v", "iu", "iv", "y", "ims"])
subjects = st.text(st.sampled_from("abxyAZ01_- \nésſ😀\ud800"), max_size=20)


@given(st.lists(pieces, max_size=12).map("".join), flags, subjects)
@settings(max_examples=600, deadline=None)
def test_any_text_compiles_or_is_an_error(source, flags, subject):
    try:
        pattern = compile_pattern(source, flags)
    except PatternError:
        return
    try:
        matches = pattern.search(subject, timeout=1)
        found = pattern.find(subject, timeout=1)
        listed = pattern.find_all(subject, timeout=1, limit=50)
    except PatternTimeout:
        return
    assert matches == (found is not None) == bool(listed)
    assert not listed or listed[0] == found


atoms = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\b", "^", "$", "é", "😀", r"\s", "1"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "*?", "{1,3}"])).map("(?:{0[0]}){0[1]}".format),
        inner.map("({})".format),
    ),
    max_leaves=8,
)


@given(expressions, st.sampled_from(["", "i", "s", "u", "iu", "y"]), st.text("ab1 \né😀", max_size=12))
@settings(max_examples=600, deadline=None)
def test_all_engines_give_one_answer(source, flags, subject):
    pytest.importorskip("re2", reason="the linear-time engine is not installed")
    pattern = compile_pattern(source, flags)
    folded = pattern._folded(subject)
    expected = pattern._machine_spans(folded, 0, 10)
    linear = linear_search(pattern._expression.root, sticky="y" in flags)
    if linear is not None:
        assert linear.search(folded, 10) == (expected is not None)
    for chunked in (False, True):
        compiled = pattern._compile("regex", groups=True, chunked=chunked)
        spans = compiled.spans(folded, 0, sticky="y" in flags, timeout=10)
        assert (spans is None) == (expected is None)
        if not pattern._exactness.to_find:
            assert spans == expected
