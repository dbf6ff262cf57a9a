"""The recorded answers of the older provider agree, or differ as listed."""

from pathlib import Path

import echo_golden as golden
import pytest

HERE = Path(__file__).parent

CASES = golden.read_lines(HERE / "data" / "echo_provider.jsonl")
LISTED = golden.read_lines(golden.DIFFERENCES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case):
    verdict, found = golden.judge(case, LISTED)
    assert verdict != "wrong", found


def test_a_listed_difference_differs():
    """What agrees with the older provider needs no listing."""
    for case in CASES:
        for entry in golden.corrections_of(case, LISTED):
            assert golden.differences_between(
                golden.corrected(golden.recorded(case), entry["want"]), golden.recorded(case)
            )


def test_cut_characters_are_corrected_in_recordings_that_are_not_listed_by_name():
    (case,) = [case for case in CASES if case["id"] == "cjk"]
    assert golden.judge({**case, "id": "another"}, LISTED)[0] == "listed"


@pytest.mark.parametrize(
    "pieces", [["日本", "語のテ", ""], ["日本語の", "テ", ""], ["日本語", "テ", ""], ["日本語", "のテ"]]
)
def test_pieces_that_are_not_right(pieces):
    assert golden.has_whole_characters(["日本語", "のテ", ""], "日本語のテ")
    assert not golden.has_whole_characters(pieces, "日本語のテ")


def test_a_wrong_answer_is_seen():
    assert golden.judge({**CASES[0], "response": "something else"}, LISTED)[0] == "wrong"
