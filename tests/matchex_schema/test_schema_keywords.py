"""What each keyword accepts, where its violations stand, and what they say; and which schemas are refused, and why."""

import json
from pathlib import Path
from typing import Any

import pytest
from matchex.plugin import SchemaProblem, format_path
from matchex_schema._engine import Engine

from matchex_schema import Schema, backends


def cases(name: str) -> list[Any]:
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return [pytest.param(case, id=json.dumps(case["schema"])[:60]) for case in map(json.loads, lines)]


def compiled(schema: Any, backend: Any = None) -> Any:
    return Engine().compile(Schema(schema, backend=backend), base_dir=None, regex_timeout=1)


@pytest.mark.parametrize("backend", sorted(backends()))
@pytest.mark.parametrize("case", cases("keyword_cases.jsonl"))
def test_violations(case: Any, backend: str) -> None:
    """Each case lists path, keyword, schema path and message; null is whatever it is."""
    validator = compiled(case["schema"], backend)
    found = validator.violations(case["value"])
    assert [(format_path(v.keys), v.keyword) for v in found] == [(path, word) for path, word, *_ in case["violations"]]
    for violation, (_, _, schema_path, message) in zip(found, case["violations"], strict=True):
        assert schema_path in (None, format_path(violation.schema_path))
        assert message in (None, violation.message)
    assert validator.is_valid(case["value"]) == (not case["violations"])


@pytest.mark.parametrize("case", cases("keyword_cases.jsonl"))
def test_schema_paths_lead_somewhere(case: Any) -> None:
    """The schema path of a violation can be followed in the schema, references by themselves."""
    for violation in compiled(case["schema"]).violations(case["value"]):
        place = case["schema"]
        for key in violation.schema_path:
            place = place[key]
            if key == "$ref":
                target = place.removeprefix("#/").split("/")
                place = case["schema"]
                for step in target:
                    place = place[step]
        assert place is False or violation.keyword in violation.schema_path


@pytest.mark.parametrize("case", cases("problem_cases.jsonl"))
def test_refused_schemas(case: Any) -> None:
    with pytest.raises(SchemaProblem) as caught:
        compiled(case["schema"])
    assert case["message"] in caught.value.message
    assert case["keys"] in (None, list(caught.value.keys))
