"""The recorded runs of the older runner agree, or differ as listed."""

from pathlib import Path

import pytest
import runner_golden as golden

HERE = Path(__file__).parent

CASES = golden.read_lines(HERE / "data" / "runner.jsonl")
LISTED = {entry["id"]: entry for entry in golden.read_lines(golden.DIFFERENCES)}


@pytest.mark.parametrize("case", CASES, ids=golden.id_of)
def test_case(case):
    verdict, found = golden.judge(case, LISTED)
    assert verdict != "wrong", found


def test_a_listed_difference_differs():
    """What agrees with the older runner needs no listing."""
    for case in CASES:
        entry = LISTED.get(golden.id_of(case))
        if entry:
            assert golden.differences_between(entry["want"], golden.recorded(case)), entry["id"]


def test_every_listed_difference_is_about_a_case():
    assert LISTED.keys() <= {golden.id_of(case) for case in CASES}


def test_a_wrong_answer_is_seen():
    case = {**CASES[0], "fixtures": [{**fixture, "output": "something else"} for fixture in CASES[0]["fixtures"]]}
    assert golden.judge(case, LISTED)[0] == "wrong"
