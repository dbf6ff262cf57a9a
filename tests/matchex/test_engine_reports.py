"""What a result says: where failures, errors, notes and details stand, what they hold, and that the parts agree."""

import json
import math

import pytest

import matchex
from matchex import MISSING

PEOPLE = [{"role": "a", "n": 1}, {"role": "b", "n": 2}]

# -- failures: (actual, expected, [(path, place in the expectation, expected, actual)])

FAILURES = {
    "$or": ({"a": 5}, {"a": {"$or": [1, {"$gt": 9}]}}, [("a", "a.$or", [1, {"$gt": 9}], 5)]),
    "$and": ({"t": "x"}, {"t": {"$and": ["z", "x"]}}, [("t", "t.$and[0]", "z", "x")]),
    "$not": ({"t": "x"}, {"t": {"$not": "x"}}, [("t", "t.$not", "x", "x")]),
    "$contains of a list": ({"l": PEOPLE}, {"l": {"$contains": {"n": 3}}}, [("l", "l.$contains", {"n": 3}, PEOPLE)]),
    "$contains of a text": ({"t": "x"}, {"t": {"$contains": "z"}}, [("t", "t.$contains", "z", "x")]),
    "$contains of a mapping": (
        {"m": {"a": 1}},
        {"m": {"$contains": {"a": 2}}},
        [("m", "m.$contains", {"a": 2}, {"a": 1})],
    ),
    "$all": (
        {"l": [1, 2]},
        {"l": {"$all": [1, 3, 4]}},
        [("l", "l.$all[1]", 3, [1, 2]), ("l", "l.$all[2]", 4, [1, 2])],
    ),
    "$all distinct": (
        {"l": [1]},
        {"l": {"$all": {"$value": [1, 1], "distinct": True}}},
        [("l", "l.$all.$value[1]", 1, [1])],
    ),
    "$unordered": ({"l": [1, 2]}, {"l": {"$unordered": [1, 3]}}, [("l", "l.$unordered", [1, 3], [1, 2])]),
    "$sequence": ({"l": [1, 2]}, {"l": {"$sequence": [2, 1]}}, [("l", "l.$sequence[1]", 1, [1, 2])]),
    "$none": ({"l": [1, 2]}, {"l": {"$none": 2}}, [("l", "l.$none", 2, [1, 2])]),
    "$count": (
        {"l": [1, 2]},
        {"l": {"$count": {"$of": 1, "$gt": 1}}},
        [("l", "l.$count", {"$of": 1, "$gt": 1}, [1, 2])],
    ),
    "$each": ({"l": PEOPLE}, {"l": {"$each": {"n": 1}}}, [("l[1].n", "l.$each.n", 1, 2)]),
    "$nth": ({"l": PEOPLE}, {"l": {"$nth": {"$index": -1, "n": 1}}}, [("l[1].n", "l.$nth.n", 1, 2)]),
    "$sort": (
        {"l": PEOPLE},
        {"l": {"$sort": {"$by": "-n", "$first": {"n": 1}}}},
        [("l[1].n", "l.$sort.$first.n", 1, 2)],
    ),
    "$length": ({"t": "abc"}, {"t": {"$length": {"$gte": 5}}}, [("t", "t.$length", {"$gte": 5}, "abc")]),
    "$keys": ({"m": {"x": 1}}, {"m": {"$keys": ["y"]}}, [("m", "m.$keys", ["y"], {"x": 1})]),
    "$values": ({"m": {"x": 1}}, {"m": {"$values": [2]}}, [("m", "m.$values", [2], {"x": 1})]),
    "$json": ({"j": '{"a":[1]}'}, {"j": {"$json": {"a": [2]}}}, [("j.a[0]", "j.$json.a[0]", 2, 1)]),
    "$json of no JSON": ({"j": "{"}, {"j": {"$json": 1}}, [("j", "j.$json", 1, "{")]),
    "$expect": ({"t": "x"}, {"t": {"$expect": {"$expect": "z"}}}, [("t", "t.$expect.$expect", "z", "x")]),
    "path key": ({"a": [{"b": 1}]}, {"a[0].b": 2}, [("a[0].b", '["a[0].b"]', 2, 1)]),
    "path key to nothing": ({"a": 5}, {"a.b.c": 2}, [("a.b.c", '["a.b.c"]', 2, MISSING)]),
    "regex key": ({"ab": 1, "ac": 2}, {"/^a/": 1}, [("ac", '["/^a/"]', 1, 2)]),
    "regex key without a match": ({"x": 1}, {"/^a/": 1}, [('["/^a/"]', '["/^a/"]', 1, MISSING)]),
    "no mapping": ({"m": [1]}, {"m": {"a": 1}}, [("m", "m", {"a": 1}, [1])]),
    "short list": ({"l": [1]}, {"l": [1, 2]}, [("l[1]", "l[1]", 2, MISSING)]),
    "$schema": (
        {"s": {"l": ["ab", "c"]}},
        {"s": {"$schema": {"properties": {"l": {"items": {"minLength": 2}}}, "required": ["z"]}}},
        [
            ("s.l[1]", "s.$schema.properties.l.items.minLength", 2, "c"),
            ("s", "s.$schema.required", ["z"], {"l": ["ab", "c"]}),
        ],
    ),
}


@pytest.mark.parametrize(("actual", "expected", "failures"), FAILURES.values(), ids=FAILURES)
def test_each_failure_stands_at_its_place_with_its_value(actual, expected, failures):
    result = matchex.validate(actual, expected)
    found = [(f.path, f.expected_path, f.expected, f.actual) for f in result.failures]
    assert found == failures
    assert all(failure.message for failure in result.failures)


# -- the diff of texts

TEXTS = {
    "field": ({"t": "abc"}, {"t": "abd"}),
    "item": (["abc"], ["abd"]),
    "$eq": ("abc", {"$eq": "abd"}),
    "$expect": ("abc", {"$expect": {"$expect": "abd"}}),
    "$json": ('{"a": "abc"}', {"$json": {"a": "abd"}}),
    "$each": (["abc"], {"$each": "abd"}),
    "$first": (["abc"], {"$first": {"$startsWith": "abd"}}),
    "$sort": (["abc"], {"$sort": {"$by": [], "$last": {"$endsWith": "abd"}}}),
    "$and": ("abc", {"$and": ["a", "abd"]}),
    "$contains": ("abc", {"$contains": "abd"}),
    "$similar": ("abc", {"$similar": {"$value": "abd", "min": 0.9}}),
    "$diff": ("abc", {"$diff": "abd"}),
}


@pytest.mark.parametrize(("actual", "expected"), TEXTS.values(), ids=TEXTS)
def test_a_failed_comparison_of_texts_shows_its_diff(actual, expected):
    result = matchex.validate(actual, expected)
    (failure,) = result.failures
    assert failure.diff is not None
    parts = [(change.sign, change.text) for change in failure.diff.changes]
    assert "".join(text for sign, text in parts if sign != "+") == "abd"
    assert "".join(text for sign, text in parts if sign != "-") == "abc"
    assert result.to_dict()["failures"][0]["diff"]["changes"]
    assert "diff" in str(result)


# -- errors

ERRORS = {
    "expression": ({"a": 1}, {"a": {"$expr": "zz"}}, [("expression", "a", "a.$expr", "UndefinedName")]),
    "below $not": ({"a": 1}, {"$not": {"a": {"$expr": "zz"}}}, [("expression", "a", "$not.a.$expr", "UndefinedName")]),
    "in a list": ([1], {"$each": {"$expr": "zz"}}, [("expression", "[0]", "$each.$expr", "UndefinedName")]),
    "in a branch": (1, {"$or": [{"$expr": "zz"}, 2]}, [("expression", "", "$or[0].$expr", "UndefinedName")]),
    "sorting": ({"l": [1, "a"]}, {"l": {"$sort": {"$by": [], "$first": 1}}}, [("sort", "l", "l.$sort", None)]),
    "function": ({"a": 1}, {"a": lambda actual: 1 / 0}, [("operator", "a", "a", "ZeroDivisionError")]),
    "placeholder": ({"a": 1}, {"a": {"$gt": "{{ nope }}"}}, [("template", "a", "a.$gt", "TemplateError")]),
}


@pytest.mark.parametrize(("actual", "expected", "errors"), ERRORS.values(), ids=ERRORS)
def test_each_error_has_its_kind_place_and_cause(actual, expected, errors):
    result = matchex.validate(actual, expected)
    found = [
        (error.kind, error.path, error.expected_path, type(error.cause).__name__ if error.cause else None)
        for error in result.errors
    ]
    assert (result.status, found) == ("error", errors)
    assert "ERROR" in str(result)


def test_an_error_stays_in_the_report_where_it_did_not_matter():
    passing = matchex.validate(1, {"$or": [{"$expr": "zz"}, 1]})
    failing = matchex.validate({"a": 1, "b": 2}, {"a": {"$expr": "zz"}, "b": 3})
    assert (passing.status, len(passing.errors)) == ("pass", 1)
    assert (failing.status, len(failing.errors), len(failing.failures)) == ("fail", 1, 1)


UNDEFINED = [
    "{{ u }}",
    "a {{ u }} b",
    "/{{ u }}/",
    {"$eq": "{{ u }}"},
    {"$ne": "{{ u }}"},
    {"$in": ["{{ u }}"]},
    {"$nin": "{{ u }}"},
    {"$gt": "{{ u }}"},
    {"$near": {"$value": 1, "rel": "{{ u }}"}},
    {"$length": "{{ u }}"},
    {"$not": "{{ u }}"},
    {"$or": ["{{ u }}", 6]},
    {"$contains": "{{ u }}"},
    {"$startsWith": "{{ u }}"},
    {"$similar": {"$value": "x", "min": "{{ u }}"}},
    {"$diff": {"value": "x", "items": [{"value": "{{ u }}"}]}},
    {"$type": "{{ u }}"},
    {"$exists": "{{ u }}"},
    {"$expr": "{{ u }} > 1"},
    {"$schema": {"minimum": "{{ u }}"}},
    {"$json": "{{ u }}"},
    {"$eq": "text", "$score": "{{ u }}"},
    {"$eq": "text", "$critical": "{{ u }}"},
    {"$eq": "text", "$meta": {"threshold": "{{ u }}"}},
    {"$all": "{{ u }}"},
]


@pytest.mark.parametrize("expected", UNDEFINED, ids=json.dumps)
def test_an_undefined_variable_is_an_error_wherever_it_stands(expected):
    for wrapped, actual in ((expected, "text"), ({"$not": {"x": expected}}, {"x": "text"})):
        result = matchex.validate(actual, wrapped)
        assert result.status == "error"
        assert [error.kind for error in result.errors] == ["template"]
        assert "`u`" in result.errors[0].message
        json.dumps(result.to_dict(), allow_nan=False)


# -- notes

NOTES = {
    "contained": ({"t": "long text"}, {"t": "long"}, [("contained", "t", "t")]),
    "contained by $contains": ("long text", {"$contains": "long"}, [("contained", "", "$contains")]),
    "surplus": ({"l": [1, 2, 3]}, {"l": [1]}, [("surplus", "l", "l")]),
    "$each": ([], {"$each": 1}, [("vacuous", "", "$each")]),
    "$none": ([], {"$none": 1}, [("vacuous", "", "$none")]),
    "$not, $ne, $nin": (
        {},
        {"a": {"$not": 1}, "b": {"$ne": 1}, "c": {"$nin": [1]}},
        [("vacuous", "a", "a.$not"), ("vacuous", "b", "b.$ne"), ("vacuous", "c", "c.$nin")],
    ),
    "data key": ({"m": {"$x": 1}}, {"m": {"$x": 1, "$meta": {}}}, [("data-key", "m", "m")]),
    "nothing to say": ({"a": "x", "l": [1]}, {"a": "x", "l": {"$each": 1}, "z": {"$exists": False}}, []),
}


@pytest.mark.parametrize(("actual", "expected", "notes"), NOTES.values(), ids=NOTES)
def test_a_pass_is_noted_where_it_held_on_little(actual, expected, notes):
    result = matchex.validate(actual, expected)
    assert result.passed
    assert [(note.kind, note.path, note.expected_path) for note in result.notes] == notes
    assert str(result).count("note at") == len(notes)


# -- details


def keys_of(details):
    return [(detail.key, keys_of(detail.details)) if detail.details else detail.key for detail in details]


DETAILS = {
    "leaf": (1, 2, []),
    "mapping": ({"a": 1}, {"a": 1, "b.c": 2}, ["a", "b.c"]),
    "nested": ({"a": {"b": [1]}}, {"a": {"b": [2, 3]}}, [("a", [("b", ["[0]", "[1]"])])]),
    "$or": ({"a": 5}, {"a": {"$or": [1, 5]}}, [("a", ["$or[0]", "$or[1]"])]),
    "$and": (5, {"$and": [5, {"$gt": 1}]}, ["$and[0]", "$and[1]"]),
    "$each": ([1, 2], {"$each": 1}, ["[0]", "[1]"]),
    "operators among fields": (
        {"a": 1},
        {"a": 1, "$length": 1, "$type": "object"},
        ["a", ("$length", ["$length"]), "$type"],
    ),
    "$sort": ([2, 1], {"$sort": {"$by": [], "$each": 1}}, [("$sort", ["[1]", "[0]"])]),
    "regex key": ({"ab": 1, "ac": 2}, {"/^a/": 1}, ["ab", "ac"]),
}


@pytest.mark.parametrize(("actual", "expected", "keys"), DETAILS.values(), ids=DETAILS)
def test_details_name_the_scored_nodes(actual, expected, keys):
    assert keys_of(matchex.validate(actual, expected).details) == keys


def test_details_carry_scores_weights_and_metadata():
    expected = {
        "a": {"$eq": 1, "$score": 0.5, "$title": "First", "$dimension": "facts"},
        "b": {"x": 1, "y": 2, "$critical": True},
    }
    result = matchex.validate({"a": 1, "b": {"x": 1}}, expected)
    a, b = result.details
    assert (a.score, a.weight, a.passed, a.title, a.dimension, a.critical) == (1, 0.5, True, "First", "facts", False)
    assert (b.score, b.weight, b.passed, b.critical) == (0.5, 0.5, False, True)
    assert [(child.path, child.score, child.weight) for child in b.details] == [("b.x", 1, 0.5), ("b.y", 0, 0.5)]
    assert result.score == pytest.approx(0.75)
    assert [failure.path for failure in result.critical_failures] == ["b.y"]


SUMS = [
    ({"a": 1, "b": {"c": [1, 2]}}, {"a": 2, "b": {"c": [1, 3], "d": 4}}),
    ([1, 2, 3], {"$each": {"$gt": 1}}),
    ({"x": 5, "y": 1}, {"$and": [{"x": 5, "y": 2}, {"x": {"$lt": 1}}]}),
    ({"s": "text", "extra": 1}, {"s": {"$length": 4, "$startsWith": "x"}, "l": {"$exists": False}}),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("actual", "expected"), SUMS)
def test_weights_of_siblings_sum_to_one_and_scores_add_up(actual, expected, strict):
    def check(details, score):
        if details and all(detail.weight != 0 for detail in details):
            assert sum(detail.weight for detail in details) == pytest.approx(1)
            assert sum(detail.weight * detail.score for detail in details) == pytest.approx(score)
        for detail in details:
            assert detail.passed is (detail.status == "pass")
            check(detail.details, detail.score)

    result = matchex.validate(actual, expected, strict=strict)
    check(result.details, result.score)


def test_dimensions_are_the_weighted_means_of_their_topmost_nodes():
    expected = {
        "a": {"$eq": 1, "$dimension": "facts", "$score": 0.75},
        "b": {"$eq": 3, "$dimension": "facts", "$score": 0.15},
        "c": {"x": {"$eq": 1, "$dimension": "facts"}, "$dimension": "style"},
        "d": {"$eq": 1, "$dimension": "facts", "$score": -0.5},
    }
    result = matchex.validate({"a": 1, "b": 2, "c": {"x": 2}}, expected)
    assert result.dimensions == pytest.approx({"facts": 0.75 / 0.9, "style": 0.0})
    assert result.to_dict()["dimensions"] == result.dimensions


def test_a_critical_title_and_dimension_reach_every_violation_of_a_schema():
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["z"]}
    marked = {**schema, "$critical": True, "$title": "Shape", "$dimension": "form"}
    for expected in ({"s": marked}, {"s": {"$schema": schema, **{k: v for k, v in marked.items() if k[0] == "$"}}}):
        result = matchex.validate({"s": {"a": "x"}}, expected)
        assert [(f.path, f.critical, f.title) for f in result.failures] == [
            ("s.a", True, "Shape"),
            ("s", True, "Shape"),
        ]
        assert result.dimensions == {"form": 0.0}


# -- the parts agree

AGREE = [*[(a, e) for a, e, _ in FAILURES.values()], *[(a, e) for a, e, _ in NOTES.values()], *TEXTS.values(), *SUMS]


@pytest.mark.parametrize(("actual", "expected"), AGREE)
def test_every_reading_of_a_result_agrees(actual, expected):
    matcher = matchex.compile(expected)
    result, again = matcher.match(actual), matchex.validate(actual, expected)
    assert (result.status, result.score, result.failures) == (again.status, again.score, again.failures)
    assert matcher.matches(actual) is result.passed is bool(result)
    assert bool(result.failures) is not result.passed
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert (data["status"], data["passed"]) == (result.status, result.passed)
    assert math.isclose(data["score"], result.score)
    assert [f["path"] for f in data["failures"]] == [f.path for f in result.failures]
    assert all(failure.path in str(result) and failure.message[:20] in str(result) for failure in result.failures)
