"""Which value wins, what placeholders see, and what the executor is given."""

import copy

import pytest
from aitestrunner._files import row_variables
from aitestrunner._merge import with_defaults
from hypothesis import given
from hypothesis import strategies as st
from matchex.plugin import trim

from aitestrunner import AITestFixture, AITestRunner, Literal
from matchex import MISSING


@pytest.fixture
def run():
    """Runs one case, and keeps what the executor was given."""

    def run(case, output="ok", script="s", **options):
        seen = []

        def execute(context):
            seen.append(context)
            return output

        result = AITestRunner(execute).run_sync(script, [case], **options)
        (log,) = result.logs
        log_context = seen[0] if seen else None
        return log, log_context

    return run


def args_of(run, case, **options):
    log, context = run({"allowUnchecked": True, **case}, **options)
    assert log.status == "pass", log.errors
    return dict(context.args)


class TestInput:
    def test_own_input_wins(self, run):
        assert args_of(run, {"input": "hi"}, fixture_config={"input": "default"}) == {"input": "hi"}

    @pytest.mark.parametrize("value", ["", 0, False, [], {}])
    def test_empty_inputs_are_inputs(self, run, value):
        assert args_of(run, {"input": value}, fixture_config={"input": "default"})["input"] == value

    def test_mappings_are_completed_and_lists_replace(self, run):
        config = {"input": {"a": {"y": 2}, "b": 3, "l": [9, 8]}}
        merged = {"a": {"y": 2, "x": 1}, "b": 3, "l": [1]}
        assert args_of(run, {"input": {"a": {"x": 1}, "l": [1]}}, fixture_config=config) == {"input": merged, **merged}

    def test_null_clears(self, run):
        assert args_of(run, {"input": None}, fixture_config={"input": "default"}) == {}
        config = {"input": {"a": 1, "b": {"c": 2, "d": 3}}}
        assert args_of(run, {"input": {"a": None, "b": {"c": None}}}, fixture_config=config)["input"] == {"b": {"d": 3}}

    def test_a_field_may_pass_on_the_variable_of_its_name(self, run):
        args = args_of(
            run,
            {"question": "why?"},
            fixture_config={"shop": "N", "input": {"shop": "{{shop}}", "question": "{{question}}"}},
        )
        assert args["input"] == {"shop": "N", "question": "why?"}

    def test_what_is_checked_is_what_is_logged(self, run):
        log, _ = run({"output": {"a": "{{x}}"}, "x": "ok"}, fixture_config={"output": {"b": 2}}, output={"a": "ok"})
        assert log.passed
        assert log.expected == {"a": "ok"}


class TestNull:
    def test_output_null_is_an_expectation(self, run):
        log, _ = run({"output": None}, fixture_config={"output": "q"}, output="q")
        assert log.status == "fail"
        assert log.expected is None
        assert "expected" in log.to_dict()

    def test_expect_null_clears(self, run):
        log, _ = run({"expect": None}, fixture_config={"expect": {"output": "zz"}})
        assert log.error.kind == "unchecked"

    def test_pass_score_null_is_the_built_in_one(self, run):
        log, _ = run({"output": "ok", "passScore": None}, fixture_config={"passScore": 10}, pass_score=20, scoring=True)
        assert log.pass_score == 100

    def test_schema_null_clears(self, run):
        log, _ = run({"outputSchema": None, "output": "ok"}, script_config={"output": {"type": "number"}})
        assert log.passed
        assert log.expected_schema is MISSING


class TestOrder:
    def test_variables(self, run):
        layers = {
            "script_config": {"v": "script", "w": "script", "prompt": {"p": "prompt"}, "_hidden": 1},
            "fixture_config": {"v": "front", "x": "front"},
            "user_config": {"data": {"v": "user", "y": "user"}},
        }
        args = args_of(run, {"v": "case", "input": {"v": "input", "x": "input", "y": "input"}}, **layers)
        assert {name: args[name] for name in "vwxyp"} == {
            "v": "case",
            "w": "script",
            "x": "input",
            "y": "user",
            "p": "prompt",
        }
        assert "_hidden" not in args

    def test_strict(self, run):
        case, given = {"output": {"a": 1}}, {"output": {"a": 1, "b": 2}}
        for options, status in [
            ({}, "pass"),
            ({"strict": True}, "fail"),
            ({"strict": True, "user_config": {"strict": False}}, "pass"),
            ({"user_config": {"strict": True}, "fixture_config": {"strict": False}}, "pass"),
        ]:
            assert run(case, **given, **options)[0].status == status
        assert run({**case, "strict": "object"}, **given, fixture_config={"strict": False})[0].status == "fail"

    def test_check_schema_of_the_user_goes_first(self, run):
        case = {"outputSchema": {"type": "number"}, "checkSchema": True, "output": "ok"}
        assert run(case)[0].status == "fail"
        assert run(case, user_config={"checkSchema": False})[0].status == "pass"

    def test_schemas_are_completed_and_their_lists_replace(self, run):
        log, _ = run(
            {"outputSchema": {"required": ["x"]}},
            output={"x": 1},
            fixture_config={"outputSchema": {"required": ["q", "r"]}},
            script_config={"output": {"type": "object", "properties": {"x": {"type": "number"}}}},
        )
        assert log.passed
        assert log.expected_schema == {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}

    def test_script(self, run):
        assert run({"output": "ok"})[1].script == "s"
        assert run({"output": "ok"}, fixture_config={"script": "{{n}}.md", "n": 1})[1].script == "1.md"
        assert run({"output": "ok", "script": "{{n}}", "n": "own"}, fixture_config={"script": "f"})[1].script == "own"

    def test_operators_add_up(self, run):
        log, _ = run(
            {"operators": {"$c": lambda a, e: True}, "output": {"$a": 1, "$b": 1, "$c": 1}},
            operators={"a": lambda a, e: True, "c": lambda a, e: False},
            fixture_config={"operators": {"b": lambda a, e: True}},
        )
        assert log.passed, log.errors

    def test_skip_goes_before_only(self, run):
        assert run({"skip": True, "only": True, "output": "x"})[0].status == "skip"


class TestExecutorSees:
    def test_nothing_of_the_expected_answer(self, run):
        case = {
            "title": "t",
            "id": "i",
            "output": "ok",
            "expect": {"output": "ok"},
            "outputSchema": {"type": "string"},
            "q": 1,
        }
        assert args_of(run, case) == {"q": 1}

    def test_the_expected_answer_when_asked_for(self, run):
        assert args_of(run, {"output": "ok"}, expose_expectations=True) == {"output": "ok"}

    def test_options_and_id(self, run):
        _, context = run({"output": "ok", "id": "mine"}, user_config={"model": "m"})
        assert (context.options, context.fixture_id) == ({"model": "m"}, "mine")

    def test_plain_values_only(self, run):
        assert args_of(run, {"vars": {"q": Literal("/x/")}, "input": "{{q}}"}) == {"q": "/x/", "input": "/x/"}

    def test_nothing_given_is_changed(self, run):
        case = {
            "input": {"a": ["{{v}}"]},
            "output": {"b": ["{{v}}"]},
            "expect": {"tools": [{"name": "x"}]},
            "v": {"w": "{{u}}"},
            "u": 1,
        }
        options = {
            "fixture_config": {"input": {"c": {"d": "{{v}}"}}},
            "user_config": {"data": {"n": {"g": "hi {{u}}"}}},
            "script_config": {"output": {"type": "object"}},
        }
        before = copy.deepcopy((case, options))
        run(case, **options)
        assert (case, options) == before

    def test_executor_that_writes_into_its_args_does_not_reach_the_case(self):
        def execute(context):
            context.args["input"]["a"] = 2
            context.args["l"].append(3)
            return "ok"

        for more in ({}, {"templates": False}):
            check = {"$expr": "input.a == 1 and len(data.l) == 1"}
            case = {"input": {"a": 1}, "l": [1], "output": check, **more}
            before = copy.deepcopy(case)
            (log,) = AITestRunner(execute).run_sync("s", [case], log_vars=True).logs
            assert log.passed, log.failures
            assert (case, log.input, log.vars["l"]) == (before, {"a": 1}, [1])


class TestTemplates:
    @pytest.mark.parametrize(
        ("case", "args"),
        [
            ({"v": True, "input": "[{{v}}]"}, "[true]"),
            ({"v": True, "input": " {{ v }} "}, True),
            ({"v": {"a": 1}, "input": "{{v}}"}, {"a": 1}),
            ({"v": None, "input": "[{{v}}]"}, "[]"),
            ({"a": "{{b}}", "b": "{{c}}", "c": "end", "input": "{{a}}!"}, "end!"),
            ({"x": "q", "input": "{{x}}\n"}, "q"),
            ({"x": "q", "input": "a {{x}}\n"}, "a q"),
            ({"input": r"keep \{{x}} and {% raw %}{{y}}{% endraw %}"}, "keep {{x}} and {{y}}"),
            ({"input": "{{x}}", "templates": False}, "{{x}}"),
            ({"x": "a+b", "input": "/{{x}}/"}, "/a+b/"),
        ],
    )
    def test_inputs(self, run, case, args):
        assert args_of(run, case)["input"] == args

    def test_title_and_tool_tester(self, run):
        log, context = run({"title": "case {{n}}", "n": 1, "output": "ok", "tools": ["t"], "toolTester": "test{{n}}"})
        assert (log.title, context.script) == ("case 1", "test1")

    def test_settings(self, run):
        log, _ = run({"output": "ok", "scoring": True, "passScore": "{{p}}", "p": 30})
        assert log.pass_score == 30
        log, _ = run({"output": "ok", "passScore": "{{p}}", "p": [1]})
        assert "`passScore` takes" in log.error.message
        case = {"output": {"a": 1}, "strict": "{{s}}", "not": "{{n}}", "s": "object", "n": True}
        log, _ = run(case, {"a": 1, "b": 1})
        assert (log.status, log.not_) == ("pass", True)
        log, _ = run({"output": "ok", "only": "{{x}}", "x": True})
        assert "`only` takes true or false" in log.error.message

    def test_text_in_patterns_is_quoted(self, run):
        assert run({"x": "a+b", "output": "/^{{x}}$/"}, output="a+b")[0].passed
        assert run({"x": "a+b", "output": {"/^{{x}}$/": 1}}, output={"a+b": 1})[0].passed

    def test_foreign_text_stays_text(self, run):
        case = {"vars": {"a": Literal("/.*/")}, "output": "{{a}}"}
        assert run(case, output="anything")[0].status == "fail"
        assert run(case, output="is /.*/ here")[0].status == "pass"
        assert run({"vars": {"a": Literal({"$exists": True})}, "output": "{{a}}"}, output="x")[0].status == "fail"

    @given(st.text(min_size=1), st.text())
    def test_no_row_can_smuggle_anything_in(self, text, answer):
        """A row's text is found exactly where it occurs, whatever it looks like."""
        case = AITestFixture(output="{{a}}", vars=row_variables({"a": text}))
        (log,) = AITestRunner(lambda context: answer).run_sync("s", [case]).logs
        wanted, got = trim(text), trim(answer)
        assert log.status == ("pass" if (wanted in got if wanted else not got) else "fail")

    @pytest.mark.parametrize(
        "case",
        [
            {"output": "{{nmae}}", "name": 1},
            {"output": "ok", "input": "{{nmae}}", "name": 1},
            {"output": "ok", "outputSchema": {"const": "{{nmae}}"}, "name": 1},
            {"expect": {"tools": [{"name": "{{nmae}}"}]}, "name": 1},
        ],
    )
    def test_an_undefined_variable_is_found_before_a_call(self, run, case):
        log, context = run(case)
        assert context is None
        assert log.error.kind == "template"
        assert "nmae" in log.error.message
        assert "name" in log.error.message

    def test_what_a_script_says_about_itself_may_have_placeholders_of_its_own(self, run):
        assert args_of(run, {}, script_config={"system": "You are {{role}}."}) == {"system": "You are {{role}}."}


class TestPythonCases:
    def test_snake_case(self, run):
        log, _ = run(AITestFixture(output="k", pass_score="50%", scoring=True, vars={"v": 1}, not_=False))
        assert (log.passed, log.pass_score) == (True, 50)

    def test_snake_case_in_a_mapping(self, run):
        log, context = run({"output": "ok", "pass_score": 1})
        assert context is None
        assert "did you mean `passScore`" in log.error.message

    @pytest.mark.parametrize("options", [{"passScore": 1}, {"pass_scor": 1}])
    def test_unknown_options(self, run, options):
        with pytest.raises(TypeError, match="did you mean 'pass_score'"):
            run({"output": "ok"}, **options)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


class TestMerging:
    @given(json_values, json_values)
    def test_nothing_is_changed_and_own_values_win(self, own, default):
        before = copy.deepcopy((own, default))
        merged = with_defaults(own, default)
        assert (own, default) == before
        if not (isinstance(own, dict) and isinstance(default, dict)):
            assert merged == own
            return
        for key, value in own.items():
            if value is None and key in default:
                assert key not in merged
            elif not isinstance(value, dict):
                assert merged[key] == value
        for key in default.keys() - own.keys():
            assert merged[key] == default[key]

    @given(json_values)
    def test_without_a_default(self, own):
        assert with_defaults(own, MISSING) == own
        assert with_defaults(MISSING, own) == own
