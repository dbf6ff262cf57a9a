"""Blocks, points, `not`, JSON in texts, diffs, notes."""

import asyncio
from typing import ClassVar

import pytest

from aitestrunner import AIExecutionResult, AITestRunner, Literal


def run(case, output, **options):
    result = AITestRunner(lambda context: AIExecutionResult(output)).run_sync("s", [case], **options)
    return result.logs[0]


def broken(actual, expected):
    raise RuntimeError("broken")


class TestJsonBelowLogic:
    @pytest.mark.parametrize(
        ("output", "answer", "status"),
        [
            ({"$not": {"city": "Paris"}}, '{"city": "Paris"}', "fail"),
            ({"$not": {"city": "Paris"}}, '{"city": "Rome"}', "pass"),
            ({"$not": {"city": "Paris"}}, "I do not know", "pass"),
            ({"$and": [{"city": "Rome"}, {"$not": {"zip": 1}}]}, '{"city": "Rome"}', "pass"),
            ({"$or": [{"city": "Rome"}, ["Rome"]]}, '["Rome"]', "pass"),
            ({"$or": [{"city": "Rome"}, "/Rome/"]}, '{"city": "Rome"}', "pass"),
            ({"$not": "/Paris/"}, '{"city": "Paris"}', "fail"),
            ({"$expect": {"$not": {"city": "Paris"}}, "$score": 2}, '{"city": "Paris"}', "fail"),
            ({"$ne": {"city": "Paris"}}, '{"city": "Paris"}', "fail"),
            ({"$ne": {"city": "Paris"}}, "Paris", "pass"),
            ({"$nin": [{"city": "Paris"}, [1]]}, "[1]", "fail"),
            ({"$not": {"$eq": {"city": "Paris"}}}, '{"city": "Paris"}', "fail"),
            ({"$ne": '{"city": "Paris"}'}, '{"city": "Paris"}', "fail"),
        ],
    )
    def test_what_is_for_data_reads_it(self, output, answer, status):
        assert run({"output": output}, answer).status == status

    def test_several_checks_in_a_list_are_probably_meant_for_one_text(self):
        (failure,) = run({"output": [{"$not": "bye"}, {"$contains": "x"}]}, "welcome").failures
        assert "{$and: […]}" in failure.message


class TestBlocks:
    def test_all_blocks_are_asked(self):
        log = run({"outputSchema": {"type": "number"}, "output": "b", "expect": {"output": "c"}}, "a")
        assert [(failure.block, failure.path) for failure in log.failures] == [
            ("schema", "output"),
            ("output", "output"),
            ("expect", "output"),
        ]

    def test_paths_begin_with_a_field_of_the_result(self):
        log = run({"output": {"a": [{"b": 1}]}}, {"a": [{"b": 2}]})
        assert [failure.path for failure in log.failures] == ["output.a[0].b"]

    def test_a_list_as_output(self):
        assert run({"output": [1]}, [2]).failures[0].path == "output[0]"

    def test_nothing_to_check(self):
        assert run({}, "x").error.kind == "unchecked"
        assert run({"allowUnchecked": True}, "x").status == "pass"
        assert run({"outputSchema": {"type": "string"}, "checkSchema": False}, "x").error.kind == "unchecked"

    def test_schema_sees_a_text_trimmed_and_the_log_does_not(self):
        log = run({"outputSchema": {"type": "string", "maxLength": 1}}, "  a ")
        assert (log.status, log.actual) == ("pass", "  a ")

    @pytest.mark.parametrize("schema", [{"required": ["a"]}, {"anyOf": [{"type": "string"}]}, False])
    def test_schemas_without_a_type(self, schema):
        assert run({"outputSchema": schema}, {"b": 1}).status == "fail"

    def test_schemas_by_tag(self, tmp_path):
        path = tmp_path / "a.fixture.yaml"
        path.write_text(
            "- output: !schema {type: object, required: [a]}\n"
            "- expect:\n    output: {a: !json-schema {type: integer}}\n"
            "- outputSchema: !json-schema {type: object, required: [b]}\n"
        )
        result = AITestRunner(lambda context: {"a": 1}).run_sync("s", path)
        assert [log.status for log in result.logs] == ["pass", "pass", "fail"]

    def test_functions(self):
        assert run({"output": lambda actual: actual == "x"}, "x").status == "pass"
        assert run({"expect": lambda result: "too short"}, "x").failures[0].message == "too short"

    def test_async_functions(self):
        async def check(actual):
            await asyncio.sleep(0)
            return actual == "x"

        assert run({"output": check}, "x").status == "pass"

    def test_strict_object_does_not_count_fields_of_the_result(self):
        executor = AITestRunner(lambda context: AIExecutionResult({"a": 1, "b": 2}, messages=[], meta=1))
        exact = {"strict": "object", "expect": {"output": {"a": 1, "b": 2}}}
        surplus = {"strict": "object", "expect": {"output.a": 1}}
        logs = executor.run_sync("s", [exact, surplus]).logs
        assert [log.status for log in logs] == ["pass", "fail"]
        assert logs[1].failures[0].path == "output.b"

    def test_further_fields_of_the_result(self):
        executor = AITestRunner(lambda context: AIExecutionResult("x", cost=0.2, retries=1))
        case = {"expect": {"cost": {"$lt": 1}, "retries": 1, "meta": {"$exists": False}}}
        assert executor.run_sync("s", [case]).passed


class TestOutcomes:
    def test_an_error_is_no_failure_and_no_pass(self):
        log = run({"output": {"$broken": 1}}, "x", operators={"$broken": broken})
        assert log.status == "error"
        assert log.error.kind == "operator"

    def test_a_failing_block_decides(self):
        log = run({"output": {"$broken": 1}, "expect": {"output": "y"}}, "x", operators={"$broken": broken})
        assert log.status == "fail"
        assert log.errors

    @pytest.mark.parametrize(
        ("case", "status"),
        [
            ({"output": "x"}, "fail"),
            ({"output": "y"}, "pass"),
            ({"output": {"$broken": 1}}, "error"),
            ({"output": {"$expect": "y", "$critical": True}}, "fail"),
        ],
    )
    def test_not(self, case, status):
        assert run({**case, "not": True}, "x", operators={"$broken": broken}).status == status

    def test_vacuous_checks_are_told_and_may_fail(self):
        case = {"output": {"items": {"$each": {"price": 1}}}}
        log = run(case, {"items": []})
        assert (log.status, [note.kind for note in log.notes]) == ("pass", ["vacuous"])
        assert run(case, {"items": []}, strict_vacuous=True).status == "fail"
        assert run(case, {"items": [{"price": 1}]}, strict_vacuous=True).status == "pass"

    def test_definitions_are_checked_before_a_call(self):
        calls = []
        result = AITestRunner(calls.append).run_sync(
            "s", [{"output": {"$contians": 1}}, {"outputSchema": {"type": "text"}}]
        )
        assert [log.error.kind for log in result.logs] == ["definition", "definition"]
        assert "$contains" in result.logs[0].error.message
        assert not calls


class TestPoints:
    weighted: ClassVar = {"a": {"$expect": 1, "$score": 80}, "b": {"$expect": 1, "$score": 20}}

    @pytest.mark.parametrize(
        ("case", "score", "status"),
        [
            ({}, 80, "fail"),
            ({"passScore": 80}, 80, "pass"),
            ({"passScore": "80%"}, 80, "pass"),
            ({"maxScore": 10, "passScore": "80%"}, 8, "pass"),
            ({"maxScore": 10, "passScore": 8}, 8, "pass"),
            ({"passScore": 0}, 80, "pass"),
            ({"passScore": 200}, 80, "fail"),
            ({"scoring": "auto", "passScore": 70}, 80, "pass"),
            ({"scoring": False, "passScore": 70}, None, "fail"),
        ],
    )
    def test_pass_marks(self, case, score, status):
        log = run({"scoring": True, "output": self.weighted, **case}, {"a": 1, "b": 2})
        assert log.status == status
        assert log.score == (None if score is None else pytest.approx(score))

    def test_auto_is_off_without_weights(self):
        assert run({"scoring": "auto", "output": "x"}, "x").score is None

    def test_blocks_share_the_maximum(self):
        log = run({"scoring": True, "outputSchema": {"type": "number"}, "output": "x"}, "x")
        assert (log.score, log.status) == (50, "fail")
        assert [(block.key, block.score, block.weight) for block in log.score_details] == [
            ("schema", 0, 50),
            ("output", 1, 50),
        ]

    @pytest.mark.parametrize("n", range(1, 30))
    def test_sums_that_mean_all_are_all(self, n):
        keys = {f"k{i}": 1 for i in range(n)}
        assert run({"scoring": True, "output": keys}, keys).status == "pass"

    def test_maximum_of_nothing(self):
        assert run({"scoring": True, "maxScore": 0, "output": "y"}, "x").status == "pass"

    def test_critical_failures_fail_whatever_the_points(self):
        case = {"scoring": True, "passScore": 0, "output": {"a": {"$expect": 2, "$critical": True}}}
        log = run(case, {"a": 1})
        assert log.status == "fail"
        assert [failure.path for failure in log.failed_critical] == ["output.a"]

    def test_points_in_doubt(self):
        half = {"a": 1, "b": {"$broken": 1}}
        operators = {"$broken": broken}
        for mark, status in [(100, "error"), (50, "pass"), (60, "error")]:
            log = run({"scoring": True, "passScore": mark, "output": half}, {"a": 1, "b": 1}, operators=operators)
            assert log.status == status
        for mark, status in [(60, "fail"), (40, "error"), (0, "pass")]:
            wrong = {"a": 2, "b": {"$broken": 1}}
            log = run({"scoring": True, "passScore": mark, "output": wrong}, {"a": 1, "b": 1}, operators=operators)
            assert log.status == status
        penalty = {"a": 1, "b": {"$expect": {"$broken": 1}, "$score": -50}}
        for mark, status in [(100, "error"), (50, "pass")]:
            log = run({"scoring": True, "passScore": mark, "output": penalty}, {"a": 1, "b": 1}, operators=operators)
            assert log.status == status
        critical = {"a": 1, "b": {"$broken": 1, "$critical": True}}
        assert (
            run({"scoring": True, "passScore": 50, "output": critical}, {"a": 1, "b": 1}, operators=operators).status
            == "error"
        )

    def test_dimensions(self):
        case = {
            "output": {"a": {"$expect": 1, "$dimension": "facts"}, "b": {"$expect": 1, "$dimension": "style"}},
            "scoring": True,
        }
        result = AITestRunner(lambda context: context.input).run_sync(
            "s", [{**case, "input": {"a": 1, "b": 2}}, {**case, "input": {"a": 1, "b": 1}}]
        )
        assert result.logs[0].dimensions == {"facts": 1, "style": 0}
        assert result.dimensions == {"facts": 1, "style": 0.5}


class TestJsonInTexts:
    schema: ClassVar = {"type": "object", "required": ["a"]}

    @pytest.mark.parametrize(
        ("case", "output", "status"),
        [
            ({"output": {"a": 1}}, '{"a": 1}', "pass"),
            ({"output": {"a": 1}}, '```json\n{"a": 1}\n```', "pass"),
            ({"output": [1]}, "[1, 2]", "pass"),
            ({"output": {"a": 1, "$keys": {"$length": 1}}}, '{"a": 1}', "pass"),
            ({"output": "{{x}}", "vars": {"x": Literal({"a": 1})}}, '{"a": 1}', "pass"),
            ({"output": {"a": 1}, "parse": "none"}, '{"a": 1}', "fail"),
            ({"output": {"a": 1}}, "no JSON", "fail"),
            ({"output": "a"}, '{"a": 1}', "pass"),
            ({"output": {"$type": "string"}}, '{"a": 1}', "pass"),
            ({"output": {"$type": "object"}, "parse": "json"}, '{"a": 1}', "pass"),
            ({"output": "a", "parse": "json"}, "no JSON", "fail"),
            ({"outputSchema": schema}, '{"a": 1}', "pass"),
            ({"outputSchema": schema}, '{"b": 1}', "fail"),
            ({"outputSchema": {"type": "string"}}, "12", "pass"),
            ({"outputSchema": {"type": "integer"}}, "12", "pass"),
            ({"expect": {"output": {"a": 1}}}, '{"a": 1}', "fail"),
            ({"expect": {"output": {"a": 1}}, "output": {"a": 1}, "parse": "json"}, '{"a": 1}', "pass"),
        ],
    )
    def test_parse(self, case, output, status):
        assert run(case, output).status == status

    def test_both_forms_are_logged(self):
        log = run({"output": {"a": 1}}, '{"a": 1}')
        assert (log.actual, log.parsed) == ('{"a": 1}', {"a": 1})

    def test_why_it_is_no_json(self):
        (failure,) = run({"output": {"a": 1}}, '{"a": 1').failures
        assert failure.path == "output"
        assert "JSON" in failure.message


class TestDiffs:
    items: ClassVar = [{"value": "brown", "removed": True}, {"value": "red", "added": True}]
    words: ClassVar = {"type": "words", "items": items}
    text, answer = "the brown fox", "the red fox"

    def test_fixture_level(self):
        assert run({"output": self.text, "diff": self.words}, self.answer).passed
        assert run({"output": self.text, "diff": True}, self.answer).failures[0].diff is not None

    def test_beside_output_under_expect(self):
        assert run({"expect": {"output": self.text, "diff": self.words}}, self.answer).passed
        some = {**self.words, "items": self.items[:1]}
        assert run({"expect": {"output": self.text, "diff": some}}, self.answer).status == "fail"
        assert run({"expect": {"output": "x", "diff": self.items[1:]}}, "xred").passed
        assert run({"expect": {"output": self.text, "diff": {"items": [], "permissive": True}}}, self.answer).passed

    def test_without_a_value_it_compares_with_the_output(self):
        log = run({"output": self.text, "expect": {"output": {"$diff": self.words}}}, self.answer)
        assert [failure.block for failure in log.failures] == ["output"]


def test_reasons():
    assert run({"output": {"x": 1}}, {"x": 1, "thinking": "hm"}).reason == "hm"
    assert run({"output": {"x": 1}}, '{"x": 1, "reason": "because"}').reason == "because"
