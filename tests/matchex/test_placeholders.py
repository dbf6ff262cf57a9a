"""Where placeholders stand in a text, and what its escapes mean."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matchex._placeholders import STANDARD, Delimiters, has_placeholders, is_path, split, unescape


def kinds(text, delimiters=None):
    return [(part.kind, part.text) for part in split(text, delimiters)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "a {{ b",
        "b }} c",
        "100 {% off",
        "cout << x;",
        "1 << 2 >> 3",
        "a << b + c >> d",
        "<< 1st >>",
        "<< a.b-c >>",
        "<<  >>",
        "<< ，a >>",
        "{a} and {b}",
        "{# a comment #}",
        "cost $5 ${x}",
        "C:\\temp\\new",
    ],
)
def test_text_stays_text(text):
    assert not has_placeholders(text)
    assert unescape(text) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{{ a }}", [("value", " a ")]),
        ("<< a.b[0] >>", [("path", "a.b[0]")]),
        ("<<名前>>", [("path", "名前")]),
        ("<< नाम >>", [("path", "नाम")]),
        ('<< a["x >> y"] >>', [("path", 'a["x >> y"]')]),
        ("<<<a>>", [("text", "<"), ("path", "a")]),
        ('{"a":{{n}}}', [("text", '{"a":'), ("value", "n"), ("text", "}")]),
        ('{{ {"a": {"b": 1}}["a"] }}!', [("value", ' {"a": {"b": 1}}["a"] '), ("text", "!")]),
        ('{{ "}}" }}', [("value", ' "}}" ')]),
        ("{{ it's }} {{ b }}", [("value", " it's "), ("text", " "), ("value", " b ")]),
        ("{{ a) }}", [("value", " a) ")]),
        ("{% if x %}y{% endif %}", [("block", " if x "), ("text", "y"), ("block", " endif ")]),
        ("a {{ b {% c %}", [("text", "a {{ b "), ("block", " c ")]),
        ("{% raw %}", [("block", " raw ")]),
        ("a\n{% raw %} {{ b }}", [("text", "a\n"), ("block", " raw "), ("text", " "), ("value", " b ")]),
    ],
)
def test_placeholders(text, found):
    assert kinds(text) == found
    assert has_placeholders(text)
    assert unescape(text) == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"use \{{ name }}", "use {{ name }}"),
        (r"\<< name >>", "<< name >>"),
        (r"\{{", "{{"),
        (r"\\\{{ a }}", r"\\{{ a }}"),
        ("use {% raw %}{{ x }} << y >>{% endraw %} here", "use {{ x }} << y >> here"),
        ("{% raw %}{% endraw %}", ""),
        ("a\n  {% raw %}\n{{x}}\n  {% endraw %}\nb", "a\n{{x}}\nb"),
        ("a\n {%+ raw +%}\n{{x}} {%+ endraw +%}\nb", "a\n \n{{x}} \nb"),
        ("a {%- raw -%} {{x}} {%- endraw -%} b", "a{{x}}b"),
        ("{% raw %}{% raw %}{% endraw %}", "{% raw %}"),
    ],
)
def test_escapes(text, plain):
    assert not has_placeholders(text)
    assert unescape(text) == plain


def test_a_pair_of_backslashes_escapes_nothing():
    assert kinds(r"\\{{x}}") == [("text", r"\\"), ("value", "x")]


def test_unescaping_leaves_placeholders_alone():
    assert unescape(r"\{{ a }} {{ b }} {% if c %}") == "{{ a }} {{ b }} {% if c %}"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a", True),
        ("_a.b[0]", True),
        ("a.0.b", True),
        ('a["x y"].c', True),
        ("a['x']", True),
        ("名前.太郎", True),
        ("a[-1]", True),
        ("", False),
        ("1", False),
        ("a b", False),
        ("a-b", False),
        ("a.", False),
        ("a..b", False),
        ("a[b]", False),
        ("a|upper", False),
        ("a。b", False),
        ("a.x·”", False),
    ],
)
def test_is_path(text, answer):
    assert is_path(text) is answer


class TestDelimiters:
    def test_others(self):
        shell = Delimiters(value=("${", "}"), block=None, path=None)
        assert kinds("${a} {{ b }} << c >>", shell) == [("value", "a"), ("text", " {{ b }} << c >>")]
        assert unescape(r"\${a} \{{ b }}", shell) == r"${a} \{{ b }}"

    def test_raw_follows_the_block_delimiters(self):
        tags = Delimiters(value=("[[", "]]"), block=("<%", "%>"))
        assert unescape("<% raw %>[[ a ]]<% endraw %>", tags) == "[[ a ]]"

    @pytest.mark.parametrize(
        "wrong",
        [
            {"value": ("", "}}")},
            {"value": ("{ {", "}}")},
            {"value": ("a", "b")},
            {"value": ('"', '"')},
            {"value": ("\\(", ")")},
            {"value": ("<<", ">>")},
            {"value": ("{", "}")},
            {"value": ("{{",)},
        ],
    )
    def test_refused(self, wrong):
        with pytest.raises(ValueError, match=r"delimiters|opens two kinds"):
            Delimiters(**wrong)


pieces = st.sampled_from(
    ["{{", "}}", "{%", "%}", "<<", ">>", "\\", " raw ", " endraw ", "a", "'", '"', "{", "}", "\n", " "]
)


@given(st.lists(pieces, max_size=40).map("".join))
def test_no_character_is_lost(text):
    parts = list(split(text))
    assert "".join(part.source for part in parts) == text
    assert has_placeholders(text) == any(part.kind != "text" for part in parts)
    for before, after in itertools.pairwise(parts):
        assert not before.kind == after.kind == "text"


@given(st.text(st.characters(codec="utf-8")))
def test_escaping_every_opening_keeps_any_text(text):
    text = text.replace("\\", "/")
    escaped = STANDARD.opening.sub(lambda found: "{%+ raw +%}" + found.group() + "{%+ endraw +%}", text)
    assert unescape(escaped) == text


@pytest.mark.parametrize(
    "piece",
    [
        "{{ { }}",
        "{{ ' }}",
        "<< ",
        "{{ ",
        "{% raw %}",
        "{%- raw -%}  ",
        "\\{{",
        '<<a["',
        "{{ ( ",
        "{% raw %}{%- endraw -%} ",
    ],
)
def test_a_hostile_text_costs_no_more_than_its_length(piece):
    text = piece * (200_000 // len(piece)) + "}}%}>>"
    assert sum(len(part.source) for part in split(text)) == len(text)
