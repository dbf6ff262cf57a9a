"""Cases with several turns and with tools that answer: what executors are given, and how each turn is judged."""

import pytest
from aitestrunner._cli import main
from aitestrunner.executors import MockExecutor

import matchex
from aitestrunner import AIExecutionResult, AITestRunner, ExecutionError


def run(executor, case, **options):
    (log,) = AITestRunner(executor).run_sync("bot", [case], **options).logs
    return log


def remembering(context):
    """Answers with how many messages it was given, and the newest one."""
    messages = context.args["messages"]
    return f"{len(messages)}: {messages[-1]['content']}"


SEARCH = [
    {
        "when": {"messages": {"$last": {"role": "user"}}},
        "reply": {"toolCalls": [{"name": "search", "args": {"q": "x"}}, {"name": "now"}]},
    },
    {"when": {"messages": {"$last": {"role": "tool"}}}, "reply": "found"},
]


class TestTurns:
    def test_each_turn_sees_what_was_before(self):
        turns = [{"input": "one", "output": {"$eq": "1: one"}}, {"input": "two", "output": {"$eq": "3: two"}}]
        log = run(remembering, {"turns": turns})
        assert log.passed, log.failures
        assert log.actual == "3: two"
        assert [message.role for message in log.actual_trace] == ["user", "assistant"] * 2

    def test_a_failure_names_its_turn_and_line(self, tmp_path):
        path = tmp_path / "chat.fixture.yaml"
        path.write_text(
            "- turns:\n"
            "    - input: one\n"
            "      output: '1: one'\n"
            "    - input: two\n"
            "      output: nothing\n"
            "      expect: {messages: {$length: 7}}\n"
        )
        (log,) = AITestRunner(remembering).run_sync("bot", path).logs
        assert [failure.path for failure in log.failures] == ["turns[1].output", "turns[1].messages"]
        assert [failure.location[1] for failure in log.failures] == [5, 6]

    def test_what_was_said_is_plain_text_later(self):
        said = "/.*/ {{nowhere}} {$gt: 1}"
        executor = MockExecutor([{"replies": [said, "what?", said]}])
        turns = [
            {"input": "a"},
            {"input": "You said: {{turns[0].output}}", "output": {"$not": "{{turns[0].output}}"}},
            {"input": "again", "output": "{{turns[0].output}}"},
        ]
        log = run(executor, {"turns": turns})
        assert log.passed, (log.errors, log.failures)
        assert executor.provider.requests[1]["messages"][-1]["content"] == f"You said: {said}"

    def test_the_whole_can_be_checked_too(self):
        turns = [{"input": "one"}, {"input": "two"}]
        expect = {"turns": [{"output": "1: one"}, {"output": "3: two"}], "messages": {"$length": 4}}
        assert run(remembering, {"turns": turns, "output": "3: two", "expect": expect}).passed

    def test_variables_and_a_shared_input(self):
        def answer(context):
            return f"{context.args['shop']}/{context.args['mood']}/{context.input['q']}/{context.input['lang']}"

        case = {
            "shop": "Nordlicht",
            "input": {"lang": "de"},
            "turns": [
                {
                    "input": {"q": "{{mood}} {{shop}}"},
                    "mood": "calm",
                    "output": {"$eq": "Nordlicht/calm/calm Nordlicht/de"},
                }
            ],
        }
        log = run(answer, case)
        assert log.passed, (log.errors, log.failures)

    def test_points_are_shared_by_all_checks(self):
        turns = [{"input": "a", "output": "1: a"}, {"input": "b", "output": "no"}]
        log = run(remembering, {"turns": turns, "scoring": True, "passScore": 50})
        assert (log.status, log.score) == ("pass", 50)

    def test_json_schema_strict_and_tools_in_a_turn(self):
        executor = MockExecutor([{"replies": ['{"a": 1, "b": 2}', {"toolCalls": [{"name": "search", "args": {}}]}]}])
        turns = [
            {"input": "a", "output": {"a": 1}, "outputSchema": {"type": "object", "required": ["b"]}},
            {"input": "b", "expect": {"tools": [{"name": "search"}]}},
        ]
        assert run(executor, {"turns": turns}).passed
        executor.provider.forget()
        turns[0]["strict"] = "object"
        assert [it.path for it in run(executor, {"turns": turns}).failures] == ["turns[0].output.b"]

    def test_usage_and_cost_add_up(self):
        def answer(context):
            return AIExecutionResult("x", usage={"total": 2, "details": {"cached": 1}, "model": "m"}, cost=0.5)

        log = run(answer, {"turns": [{"input": "a"}, {"input": "b", "output": "x"}]})
        assert (log.usage, log.cost) == ({"total": 4, "details": {"cached": 2}, "model": "m"}, 1.0)

    def test_an_error_names_the_turn(self):
        def answer(context):
            if context.input == "two":
                raise ExecutionError("timeout", "too slow")
            return "x"

        log = run(answer, {"turns": [{"input": "one", "output": "x"}, {"input": "two", "output": "x"}]})
        assert (log.status, log.error.kind, log.error.message) == ("error", "timeout", "turn 1: too slow")

    @pytest.mark.parametrize(
        "returned",
        [
            lambda sent: None,
            lambda sent: [{"role": "assistant", "content": "x"}],
            lambda sent: [*sent, {"role": "assistant", "content": "x"}],
            lambda sent: [{"role": "system", "content": "s"}, *sent, {"role": "assistant", "content": "x"}],
        ],
        ids=["none", "new", "whole", "whole with a system prompt"],
    )
    def test_what_executors_return_as_messages(self, returned):
        seen = []

        def answer(context):
            seen.append(len(context.args["messages"]))
            return AIExecutionResult("x", messages=returned(context.args["messages"]))

        log = run(answer, {"turns": [{"input": "a"}, {"input": "b"}, {"input": "c", "output": "x"}]})
        assert seen == [1, 3, 5]
        assert len(log.actual_trace) == 6

    @pytest.mark.parametrize(
        ("turns", "words"),
        [
            ([], "takes a list of turns"),
            ("x", "takes a list of turns"),
            ([{"input": "a", "outptu": "x"}], "did you mean `output`"),
            ([{"input": "a", "script": "x"}], "`script` does not belong to a turn"),
            ([{"input": "a", "output": {"$gtt": 1}}], "$gt"),
            ([{"input": "a", "output": "{{nmae}}"}], "nmae"),
            ([{"input": "a"}], "the case checks nothing"),
        ],
    )
    def test_problems_are_found_before_anything_is_said(self, turns, words):
        asked = []
        log = run(lambda context: asked.append(1) or "x", {"turns": turns})
        assert log.status == "error"
        assert words in " ".join(issue.message for issue in log.errors)
        assert asked == []

    def test_checks_that_earlier_turns_make_impossible(self):
        turns = [{"input": "a"}, {"input": "b", "output": "{{turns[0].nothing}}"}]
        log = run(remembering, {"turns": turns})
        assert (log.status, log.error.kind) == ("error", "template")
        assert log.error.message.startswith("turn 1: ")


class TestTools:
    def test_a_mapping_answers_until_no_more_is_called(self):
        executor = MockExecutor(SEARCH)
        log = run(
            executor,
            {
                "input": "look",
                "place": "Rimini",
                "toolResults": {"search": {"hits": ["{{place}}"]}, "now": "12:00"},
                "output": {"$eq": "found"},
                "expect": {
                    "tools": {"$sequence": [{"name": "search", "result": "Rimini"}, {"name": "now", "result": "12:00"}]}
                },
            },
        )
        assert log.passed, (log.errors, log.failures)
        sent = executor.provider.requests[1]["messages"]
        expected = [
            {"role": "user", "content": "look"},
            {"role": "assistant", "tool_calls": [{"id": "call_1_0"}, {"id": "call_1_1"}]},
            {"role": "tool", "tool_call_id": "call_1_0", "content": {"$eq": '{"hits": ["Rimini"]}'}},
            {"role": "tool", "tool_call_id": "call_1_1", "content": "12:00"},
        ]
        assert matchex.validate(sent, expected).passed

    def test_functions(self, tmp_path):
        async def answer_all(name, args):
            return {"name": name, **args}

        for results in (answer_all, {"search": lambda args: args["q"], "now": lambda args: 12}):
            assert run(MockExecutor(SEARCH), {"input": "a", "toolResults": results, "output": "found"}).passed
        (tmp_path / "tools.py").write_text("def answer(name, args):\n    return name + str(args)\n")
        path = tmp_path / "a.fixture.yaml"
        path.write_text("- {input: a, toolResults: './tools.py:answer', output: found}\n")
        assert AITestRunner(MockExecutor(SEARCH)).run_sync("s", path).passed
        (log,) = AITestRunner(MockExecutor(SEARCH)).run_sync("s", path, allow_code=False).logs
        assert "does not allow" in log.error.message
        path.write_text("- {input: a, toolResults: 'py:os:getcwd', output: found}\n")
        (log,) = AITestRunner(MockExecutor(SEARCH)).run_sync("s", path).logs
        assert "names an installed module" in log.error.message

    def test_tools_in_turns(self):
        turns = [
            {"input": "one", "output": "found", "expect": {"tools": {"$count": {"$of": "search", "$value": 1}}}},
            {"input": "two", "output": "found", "expect": {"tools": ["search", "now"]}},
        ]
        log = run(MockExecutor(SEARCH), {"turns": turns, "toolResults": {"search": "s", "now": "n"}})
        assert log.passed, (log.errors, log.failures)
        assert len(log.actual_trace) == 10

    def test_a_tool_without_a_result(self):
        log = run(MockExecutor(SEARCH), {"input": "a", "toolResults": {"serach": 1}, "output": "found"})
        assert (log.status, log.error.kind) == ("error", "tool")
        assert "did it mean 'serach'" in log.error.message

    def test_a_function_that_raises(self):
        log = run(MockExecutor(SEARCH), {"input": "a", "toolResults": lambda name, args: 1 / 0, "output": "found"})
        assert (log.error.kind, "ZeroDivisionError" in log.error.message) == ("tool", True)

    def test_a_model_that_never_stops(self):
        executor = MockExecutor([{"reply": {"toolCalls": [{"name": "search"}]}}])
        log = run(executor, {"input": "a", "toolResults": {"search": 1}, "maxRounds": 3, "output": "x"})
        assert (log.status, log.error.kind) == ("error", "rounds")
        assert executor.provider.received == 3

    def test_without_results_calls_stay_open(self):
        log = run(MockExecutor(SEARCH), {"input": "a", "expect": {"tools": ["search", "now"]}})
        assert log.passed

    def test_an_executor_that_runs_its_tools_itself(self):
        def answer(context):
            call = {"name": "search", "args": {}, "result": 5}
            return AIExecutionResult("x", messages=[{"role": "assistant", "content": "x", "tools": [call]}])

        case = {"turns": [{"input": "a"}, {"input": "b", "expect": {"tools": [{"name": "search", "result": "5"}]}}]}
        log = run(answer, {**case, "toolResults": {}})
        assert log.passed, (log.errors, log.failures)


def test_from_a_file_with_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.fixture.yaml").write_text(
        "---\nexecutor: mock\n---\n"
        "- title: counts\n"
        "  turns:\n"
        "    - {input: <echo>one</echo>, output: one}\n"
        "    - {input: and then? <echo>two</echo>, output: two}\n"
    )
    assert main(["run", "a.fixture.yaml"]) == 1  # the first tag of the whole conversation counts
    assert "turns[1].output" in capsys.readouterr().out
    assert main(["validate", "a.fixture.yaml"]) == 0


class TestRecordings:
    def test_conversations_are_recorded_and_told_apart(self, tmp_path):
        options = {"record": "auto", "recordings": tmp_path / "recordings.jsonl"}
        asked = []

        def answer(context):
            asked.append(context.input)
            return remembering(context)

        def case(second):
            return {"turns": [{"input": "one"}, {"input": second, "output": {"$eq": f"3: {second}"}}]}

        for second in ("two", "three", "two"):
            assert run(answer, case(second), **options).passed
        assert asked == ["one", "two", "one", "three"]

    def test_executors_by_name_are_told_apart(self, tmp_path):
        options = {"record": "auto", "recordings": tmp_path / "recordings.jsonl"}
        for text in ("one", "two"):
            assert run(MockExecutor([{"reply": text}]), {"input": "x", "output": {"$eq": text}}, **options).passed
