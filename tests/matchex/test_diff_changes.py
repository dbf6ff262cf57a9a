"""The list of changes: the answers of a well-known library, exactness, minimality, the choice of the type, bounds."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matchex._diff import DIFF_KINDS, diff_texts
from matchex._diff import _align as align_module
from matchex._diff._align import align
from matchex._diff._lcs import common_prefix, common_suffix
from matchex._diff._shortest import Work, edit_cost, greedy, shortest

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "diff_changes.jsonl").read_text(encoding="utf-8").splitlines()
]
SEQUENCE_KINDS = [kind for kind in DIFF_KINDS if kind not in ("auto", "json")]
BLANKS = re.compile("[\\s\ufeff]+")

texts = st.text(alphabet="abcde .,!?\n\r\t_é中文😀\u0301\u00a0\u3000\ufeff\x00\ud800", max_size=40)
similar = st.tuples(texts, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5), texts), max_size=3))


def edited(text, edits):
    for at, length, inserted in edits:
        text = text[:at] + inserted + text[at + length :]
    return text


def parts(diff, *signs):
    return "".join(change.text for change in diff.changes if change.sign in signs)


def lcs_length(a, b):
    row = [0] * (len(b) + 1)
    for x in a:
        before, row = row, [0]
        for j, y in enumerate(b):
            row.append(before[j] + 1 if x == y else max(before[j + 1], row[j]))
    return row[-1]


def snake_case(options):
    return {re.sub("([A-Z])", lambda match: "_" + match[1].lower(), key): value for key, value in options.items()}


@pytest.mark.parametrize("case", RECORDED, ids=[f"{i}-{case['type']}" for i, case in enumerate(RECORDED)])
def test_changes_are_those_of_jsdiff(case):
    diff = diff_texts(case["expected"], case["actual"], case["type"], **snake_case(case["options"]))
    assert [[change.sign, change.text, change.count] for change in diff.changes] == case["changes"]
    assert diff.minimal


@given(similar, st.sampled_from(SEQUENCE_KINDS), st.sampled_from([800_000, 40, 0]))
@settings(max_examples=400, deadline=None)
def test_changes_rebuild_both_texts_whatever_the_budget(pair, kind, budget):
    expected, actual = pair[0], edited(*pair)
    diff = diff_texts(expected, actual, kind, budget=budget)
    old, new = parts(diff, " ", "-"), parts(diff, " ", "+")
    if kind == "words":
        assert BLANKS.sub("", old) == BLANKS.sub("", expected)
        assert BLANKS.sub("", new) == BLANKS.sub("", actual)
    else:
        assert (old, new) == (expected, actual)
    assert "+-" not in "".join(change.sign for change in diff.changes)  # removed before added
    assert all(a.sign != b.sign for a, b in zip(diff.changes, diff.changes[1:], strict=False))  # neighbours are merged


@given(similar, st.sampled_from(["chars", "lines", "words"]))
@settings(max_examples=200, deadline=None)
def test_changes_rebuild_up_to_what_is_ignored(pair, kind):
    expected, actual = pair[0], edited(*pair).upper()
    diff = diff_texts(expected, actual, kind, ignore_case=True, ignore_whitespace=True)

    def plain(text):
        return "".join(char.lower() for char in BLANKS.sub("", text))

    assert plain(parts(diff, " ", "-")) == plain(expected)
    assert plain(parts(diff, " ", "+")) == plain(actual)


@given(similar)
@settings(max_examples=200, deadline=None)
def test_characters_are_aligned_minimally(pair):
    expected, actual = pair[0], edited(*pair)
    diff = diff_texts(expected, actual, "chars")
    assert diff.minimal
    edits = sum(change.count for change in diff.changes if change.sign != " ")
    assert edits == len(expected) + len(actual) - 2 * lcs_length(expected, actual)


def drawn_pair(seed):
    """A text of some hundred characters and an edited copy; some alphabets repeat themselves a lot."""
    draw = random.Random(seed)
    alphabet = draw.choice(["ab", "abc\n", "abcdefgh \n", "".join(map(chr, range(97, 123))) + " \n"])
    old = "".join(draw.choice(alphabet) for _ in range(draw.randrange(100, 500)))
    new = list(old)
    for _ in range(draw.randrange(1, 12)):
        at = draw.randrange(len(new))
        new[at : at + draw.randrange(6)] = [draw.choice(alphabet) for _ in range(draw.randrange(6))]
    return old, "".join(new)


@pytest.mark.parametrize("seed", range(150))
def test_anchors_are_proven_before_a_script_is_called_minimal(seed, monkeypatch):
    monkeypatch.setattr(align_module, "_FIRST_TRY", 0)  # what long texts with many changes go through
    old, new = drawn_pair(seed)
    blocks, minimal = align(old, new, 800_000)
    assert minimal
    assert edit_cost(blocks, len(old), len(new)) == len(old) + len(new) - 2 * lcs_length(old, new)


@pytest.mark.parametrize("budget", [0, 100, 1000, 5000])
def test_minimal_is_claimed_only_where_it_is_true(budget):
    claimed = 0
    for seed in range(40):
        old, new = drawn_pair(seed)
        blocks, minimal = align(old, new, budget)
        claimed += minimal
        if minimal:
            assert edit_cost(blocks, len(old), len(new)) == len(old) + len(new) - 2 * lcs_length(old, new)
    assert claimed < 40 if budget == 0 else claimed > 0 or budget < 1000


def test_both_ways_to_a_shortest_script_agree():
    for seed in range(30):
        old, new = drawn_pair(seed)
        by_greed, by_table = greedy(old, new, Work(10**7), 10**7), shortest(old, new, Work(10**7))
        assert by_greed is not None
        assert by_table is not None
        assert edit_cost(by_greed, len(old), len(new)) == edit_cost(by_table, len(old), len(new))


@given(texts, texts, texts)
def test_common_runs(head, a, b):
    prefix = common_prefix(head + a, head + b)
    assert (head + a)[:prefix] == (head + b)[:prefix]
    assert (head + a)[prefix : prefix + 1] != (head + b)[prefix : prefix + 1] or prefix == min(len(a), len(b)) + len(
        head
    )
    assert common_suffix((head + a)[::-1], (head + b)[::-1], len(head + a), len(head + b), prefix + 9**9) >= prefix


def test_a_removed_part_comes_before_an_added_one():
    assert [change.sign for change in diff_texts("a1b", "a2b", "chars").changes] == [" ", "-", "+", " "]


@pytest.mark.parametrize(
    ("expected", "actual", "kind"),
    [
        ("one two", "one tvo", "chars"),  # short
        ("one two three four five", "one two three four six", "words"),
        ("😀😀😀😀😀 😀😀😀😀😀", "x", "words"),  # 21 units of UTF-16
        ("x" * 30, "y" * 30, "chars"),  # no blank
        ("a b", "a\nb", "lines"),
        ('{"a": 1}', '{"a":2}', "json"),
        ("[1]", "[1, 2]", "json"),
        ("{a}", "{b}", "chars"),  # no JSON after all
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 3}', "chars"),  # nor is this
        ("[1]", "1", "chars"),
    ],
)
def test_auto_chooses_the_type(expected, actual, kind):
    diff = diff_texts(expected, actual)
    assert diff.kind == kind
    assert diff.changed


def test_auto_compares_characters_where_words_see_nothing():
    diff = diff_texts("one two three four five", "one two  three four five")
    assert diff.kind == "chars"
    assert [(change.sign, change.text) for change in diff.changes] == [
        (" ", "one two "),
        ("+", " "),
        (" ", "three four five"),
    ]


@pytest.mark.parametrize(
    ("expected", "actual", "options"),
    [
        ("one two three four five", "one two  three four five", {"ignore_whitespace": True}),
        ("a\n b", "a\nb", {"ignore_whitespace": True}),
        ("ab c", "a bc", {"ignore_whitespace": True}),
        ("a\r\nb", "a\nb", {"strip_trailing_cr": True}),
        ("One Two", "one two", {"ignore_case": True}),
    ],
)
def test_auto_ignores_what_it_was_told_to(expected, actual, options):
    assert diff_texts(expected, actual).changed
    assert not diff_texts(expected, actual, **options).changed


def test_ignore_whitespace_lets_sentences_and_blanks_differ_in_kind():
    assert not diff_texts("A b. C.", "A  b.\u00a0C.", "sentences", ignore_whitespace=True).changed
    assert not diff_texts("a b", "a\t b", "wordsWithSpace", ignore_whitespace=True).changed
    assert diff_texts("a b", "ab", "wordsWithSpace", ignore_whitespace=True).changed


def test_an_unknown_type_is_refused():
    with pytest.raises(ValueError, match=r"unknown diff type 'paragraphs'.*sentences"):
        diff_texts("a", "b", "paragraphs")


def test_a_spent_budget_is_visible_and_does_not_depend_on_the_machine():
    draw = random.Random(1)
    expected, actual = ("".join(draw.choice("abcdefgh ") for _ in range(30_000)) for _ in range(2))
    diff = diff_texts(expected, actual, "chars", budget=100_000)
    assert not diff.minimal
    assert diff == diff_texts(expected, actual, "chars", budget=100_000)
    assert (parts(diff, " ", "-"), parts(diff, " ", "+")) == (expected, actual)


@pytest.mark.parametrize("kind", SEQUENCE_KINDS)
def test_huge_texts_are_aligned_coarsely(kind):
    draw = random.Random(2)
    words = ["".join(draw.choice("abcdefgh") for _ in range(6)) for _ in range(5000)]
    lines = [" ".join(draw.choice(words) for _ in range(12)) + ".\n" for _ in range(20_000)]
    changed = [line if draw.random() > 0.1 else "changed " + line for line in lines]
    expected, actual = "".join(lines), "".join(changed)
    diff = diff_texts(expected, actual, kind)
    new = parts(diff, " ", "+")
    assert new == actual if kind != "words" else BLANKS.sub("", new) == BLANKS.sub("", actual)
    # Every added word was found, so the anchors hold although the budget did not last for a proof.
    assert sum(change.text.startswith("changed ") for change in diff.changes) > 1000 or kind == "sentences"


def test_more_different_tokens_than_characters_exist(monkeypatch):
    monkeypatch.setattr(
        "matchex._diff._tokens.chr", lambda number: chr(number) if number < 3 else chr(-1), raising=False
    )
    diff = diff_texts("a b c", "a b d", "words")
    assert [(change.sign, change.text) for change in diff.changes] == [("-", "a b c"), ("+", "a b d")]
    assert not diff.minimal


def test_importing_loads_nothing_heavy():
    code = "import sys, matchex._diff; print({'regex', 'diff_match_patch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "set()"
