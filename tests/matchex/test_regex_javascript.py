"""Patterns mean what Node's own engine says they mean."""

import json
import pickle
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from matchex._regex import Pattern, PatternError, compile_pattern

import matchex

DATA = Path(__file__).with_name("data")
INPUTS = json.loads((DATA / "regex_inputs.json").read_text("utf-8"))
ANSWERS = [json.loads(line) for line in (DATA / "regex_answers.jsonl").read_text("utf-8").splitlines()]
BY_CONSTRUCT = defaultdict(list)
for answered in ANSWERS:
    BY_CONSTRUCT[answered["construct"]].append(answered)


def kind(answer):
    return "error" if answer == "error" else "no match" if answer is None else "match"


def our_answer(case):
    try:
        pattern = compile_pattern(case["source"], case["flags"])
    except PatternError:
        return "error"
    found = pattern.find(case["subject"], timeout=10)
    assert pattern.search(case["subject"], timeout=10) == (found is not None), "search and find disagree"
    return found and spans(pattern, case["subject"], found)


def spans(pattern: Pattern, subject: str, found):
    edges = pattern._spans(pattern._folded(subject), 0, 10, 10)
    assert found.groups == tuple(
        None if end < 0 else subject[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)
    )
    return [None if end < 0 else [start, end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


@pytest.mark.parametrize("construct", sorted(BY_CONSTRUCT))
def test_answers_of_node(construct):
    wrong = [
        f"/{case['source']}/{case['flags']} on {case['subject']!r}: {ours}, Node {case['answer']}"
        for case in BY_CONSTRUCT[construct]
        if (ours := our_answer(case)) != case["answer"]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("construct", sorted(BY_CONSTRUCT))
def test_values_that_are_no_text_are_searched_as_json(construct):
    cases = [case for case in BY_CONSTRUCT[construct] if "value" in case and case["answer"] != "error"]
    assert {type(case["value"]) for case in cases} == {str, bool, float, list, dict}
    for case in cases:
        pattern = f"/{case['source']}/{case['flags']}"
        assert matchex.validate(case["value"], pattern).passed is (case["answer"] is not None), case
    for nothing in (None, matchex.MISSING):
        assert matchex.validate(nothing, pattern).status == "fail"


@pytest.mark.parametrize("case", INPUTS["differences"], ids=lambda case: f"/{case['source']}/{case['flags']}")
def test_deliberate_difference(case):
    assert our_answer(case) == case["answer"], case["why"]


def test_every_construct_is_covered():
    table = {construct: Counter(kind(case["answer"]) for case in cases) for construct, cases in BY_CONSTRUCT.items()}
    thin = {
        construct: dict(counts)
        for construct, counts in table.items()
        if counts.total() < 5 or not all(counts[which] for which in ("match", "no match", "error"))
    }
    assert not thin
    assert len(INPUTS["patterns"]) >= 300


def test_answers_belong_to_the_inputs():
    asked = [
        (row["construct"], row["source"], row["flags"], subject)
        for row in INPUTS["patterns"]
        for subject in row["subjects"]
    ]
    by_hand = [case for case in ANSWERS if "value" not in case]
    assert asked == [(case["construct"], case["source"], case["flags"], case["subject"]) for case in by_hand]
    for cases in BY_CONSTRUCT.values():
        assert [case["value"] for case in cases if "value" in case] == INPUTS["everywhere"]


@pytest.mark.parametrize(
    ("source", "flags", "message", "position"),
    [
        ("a(b", "", "unterminated group", 1),
        ("a)b", "", "unmatched", 1),
        ("ab**", "", "nothing to repeat", 3),
        ("[b-a]", "", "out of order", 1),
        (r"\p{Greek}", "u", "unknown Unicode property", 0),
        (r"\p{RGI_Emoji}", "v", "property of strings", 0),
        (r"(?<a>.)(?<a>.)", "", "duplicate group name 'a'", 10),
        (r"(?<a>.)\k<b>", "", "'b'", 7),
        ("a", "q", "unknown flag 'q'", None),
        ("a", "ii", "given twice", None),
        ("a", "uv", "exclude each other", None),
    ],
)
def test_errors_say_why_and_where(source, flags, message, position):
    with pytest.raises(PatternError) as caught:
        compile_pattern(source, flags)
    assert message in caught.value.message
    assert caught.value.position == position


def test_find_gives_texts_and_names():
    found = compile_pattern(r"(?<key>\w+)=(?<value>\w+)?").find("a=1; bé=", 3, timeout=1)
    assert found is None
    found = compile_pattern(r"(?<key>\w+)=(?<value>\w+)?").find("é a=", timeout=1)
    assert (found.start, found.end) == (2, 4)
    assert found.groups == ("a=", "a", None)
    assert found.named == {"key": "a", "value": None}


def test_groups_under_ignore_case_are_those_of_the_text():
    assert compile_pattern("(STRASSE|Ünï)", "i").find("xÜNÏ", timeout=1).groups == ("ÜNÏ", "ÜNÏ")


@pytest.mark.parametrize(
    ("source", "flags", "subject", "expected"),
    [
        ("a*", "", "baa", ["", "aa", ""]),
        ("", "", "😀é", ["", "", ""]),
        ("a", "y", "aab", ["a", "a"]),
        ("a|ab", "", "abab", ["a", "a"]),
        (r"(?<=a)b", "", "abab", ["b", "b"]),
        ("(a*)*", "", "ab", ["a", "", ""]),
    ],
)
def test_find_all_steps_as_match_all(source, flags, subject, expected):
    found = compile_pattern(source, flags).find_all(subject, timeout=5, limit=10)
    assert [match.groups[0] for match in found] == expected
    assert compile_pattern(source, flags).find_all(subject, timeout=5, limit=1) == found[:1]


def test_identity():
    pattern = compile_pattern("a/b", "mi")
    assert pattern.text == "/a/b/im"
    assert pattern == compile_pattern("a/b", "im")
    assert pattern != compile_pattern("a/b", "i")
    assert len({pattern, compile_pattern("a/b", "im")}) == 1
    assert repr(pattern) == "<Pattern /a/b/im>"
    assert pickle.loads(pickle.dumps(pattern)) == pattern
    assert compile_pattern("").text == "/(?:)/"


def test_engines_are_loaded_when_needed():
    code = (
        "import sys; from matchex._regex import compile_pattern\n"
        "compile_pattern('^a+$', 'i').search('aa', timeout=1)\n"
        "assert not {'regex', 're2'} & set(sys.modules)\n"
        "compile_pattern('^(a+)+$').search('aa', timeout=1)\n"
        "assert 'regex' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
