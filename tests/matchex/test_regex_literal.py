import pytest
from hypothesis import given
from hypothesis import strategies as st
from matchex._regex import compile_pattern, escape, parse_literal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/a/", ("a", "")),
        ("/a/gi", ("a", "gi")),
        ("/a/b/", ("a/b", "")),
        ("/a\nb/s", ("a\nb", "s")),
        ("/(/", ("(", "")),
        ("/a/dgimsuy", ("a", "dgimsuy")),
        ("/a/v", ("a", "v")),
        ("///", ("/", "")),
        ("/a/uv", None),
        ("/a/gg", None),
        ("/a/x", None),
        ("/a/ ", None),
        (" /a/", None),
        ("//", None),
        ("//g", None),
        ("/", None),
        ("", None),
        ("/usr/bin", None),
        ("/usr", None),
        ("a/b/", None),
    ],
)
def test_parse_literal(text, expected):
    assert parse_literal(text) == expected


@given(st.text(min_size=1, max_size=20), st.sampled_from(["", "u", "v", "m", "su"]))
def test_escaped_text_matches_itself(text, flags):
    pattern = compile_pattern(escape(text), flags)
    assert pattern.find(f"{text}\x01", timeout=5).groups == (text,)
    assert compile_pattern(f"^(?:{escape(text)})$", flags).search(text, timeout=5)
    assert not compile_pattern(f"^(?:{escape(text)})$", flags.replace("m", "")).search(text + "x", timeout=5)
    assert parse_literal(pattern.text) == (pattern.source, pattern.flags)


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs", "Cs"]), min_size=1, max_size=1))
def test_escaped_character_in_a_class(char):
    for flags in ("", "u", "v"):
        assert compile_pattern(f"^[{escape(char)}]$", flags).search(char, timeout=5)


def test_escaped_digits_do_not_join_a_reference():
    assert compile_pattern(r"(a)\1" + escape("0")).search("aa0", timeout=1)
