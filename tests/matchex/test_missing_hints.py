"""What a report says where a value is missing: what there is in its place."""

import pytest

import matchex


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        ({"message": 1}, {"mesage": 1}, "(the field is missing; did you mean message?)"),
        ({"List": [1]}, {"list": {"$contains": 3}}, "did you mean List?"),
        (
            {"c": [{"message": {"content": "x"}}]},
            {"c[0].mesage.content": "x"},
            "c[0] has no mesage; did you mean message?",
        ),
        ({"a": {}}, {"a.b.c": {"$exists": True}}, "the field is missing; a has no b"),
        ({"c": [1]}, {"c[3]": 1}, "c has 1 item)"),
        ({"c": []}, {"c[0].x": 1}, "c has 0 items)"),
    ],
)
def test_failures_say_what_is_there(actual, expected, words):
    assert words in matchex.validate(actual, expected).failures[0].message


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ({"other": 1}, {"name": 1}),
        ('{"names": 1}', {"$json": {"name": 1}}),
        (matchex.MISSING, 5),
        ({"a": "text"}, {"a.b": {"$eq": 1}}),
    ],
)
def test_nothing_is_made_up(actual, expected):
    message = matchex.validate(actual, expected).failures[0].message
    assert message.endswith("(the field is missing)")


def test_a_misspelt_field_that_must_not_be_there_is_noted():
    result = matchex.validate({"error": 1}, {"eror": {"$exists": False}})
    assert result.passed
    (note,) = result.notes
    assert (note.kind, note.path) == ("near-key", "eror")
    assert note.message.endswith("did you mean error?")
    assert not matchex.validate({"reply": 1}, {"error": {"$exists": False}}).notes


def test_a_report_of_many_missing_fields_looks_for_similar_names_a_few_times_only():
    actual, expected = {f"name{i}": i for i in range(2000)}, {f"nume{i}": i for i in range(2000)}
    failures = matchex.validate(actual, expected).failures
    assert len(failures) == 2000
    assert sum("did you mean" in failure.message for failure in failures) == 20
