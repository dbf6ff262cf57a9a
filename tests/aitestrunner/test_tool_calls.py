"""`expect.tools`, `tools` and the tool tester."""

import pytest

from aitestrunner import AIExecutionResult, AITestRunner

CALLS = [
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "tools": [{"name": "search", "args": {"q": "x", "n": 1}}, {"name": "open", "args": {"id": 7}}],
    },
    {"role": "user", "tools": [{"name": "not_by_the_assistant"}]},
    {"role": "assistant", "tools": [{"name": "search", "args": {"q": "y"}, "result": {"hits": 3}}]},
    {"role": "assistant", "content": "done"},
]


def judge(expect, messages=CALLS, **case):
    runner = AITestRunner(lambda context: AIExecutionResult("done", messages=messages))
    (log,) = runner.run_sync("s", [{"expect": expect, **case}]).logs
    return log


class TestExpectedCalls:
    @pytest.mark.parametrize(
        ("tools", "status"),
        [
            ([{"name": "search"}], "pass"),
            ([{"name": "open"}, {"name": "search"}], "pass"),
            (["search", "open"], "pass"),
            ("search", "pass"),
            ("sear", "fail"),
            ("/^sear/", "pass"),
            ({"name": "search"}, "pass"),
            ({"name": "sear"}, "fail"),
            ({"name": "/^sear/"}, "pass"),
            ({"name": "search", "args": {"q": "z"}}, "fail"),
            ({"name": "search", "args": {"q": "y"}, "result": {"hits": {"$gte": 3}}}, "pass"),
            ({"name": "not_by_the_assistant"}, "fail"),
            ([{"name": "search"}, {"name": "delete"}], "fail"),
            ([], "fail"),
            ({"$sequence": [{"name": "search"}, {"name": "open"}, {"name": "search"}]}, "pass"),
            ({"$sequence": ["search", "open"]}, "pass"),
            ({"$sequence": ["open", "search", "open"]}, "fail"),
            ({"$sequence": {"$value": ["search", "open", "search"], "contiguous": True}}, "pass"),
            ({"$unordered": ["search", "search", "open"]}, "pass"),
            ({"$unordered": ["search", "open"]}, "fail"),
            ({"$all": {"$value": ["search", "search", "search"], "distinct": True}}, "fail"),
            ({"$none": {"name": "delete"}}, "pass"),
            ({"$none": {"name": "open"}}, "fail"),
            ({"$not": {"name": "open"}}, "fail"),
            ({"$not": {"name": "delete"}}, "pass"),
            ({"$not": [{"name": "search"}, {"name": "delete"}]}, "pass"),
            ({"$or": ["delete", {"$sequence": ["search", "open"]}]}, "pass"),
            ({"$and": ["open", {"$none": "delete"}]}, "pass"),
            ({"$and": ["open", {"$none": "search"}]}, "fail"),
            ({"$count": {"$of": {"name": "search"}, "$value": 2}}, "pass"),
            ({"$count": {"$of": "sear", "$value": 0}}, "pass"),
            ({"$length": 3}, "pass"),
            ({"$length": {"$lte": 2}}, "fail"),
            ({"$first": {"name": "search"}}, "pass"),
            ({"$last": {"name": "search", "args": {"q": "y"}}}, "pass"),
            ({"$nth": {"$index": 1, "name": "open"}}, "pass"),
            ({"$each": {"name": {"$in": ["search", "open"]}}}, "pass"),
            (True, "fail"),
            (3, "fail"),
            ({"$or": [{"name": "zzz"}]}, "fail"),
        ],
    )
    def test_shapes(self, tools, status):
        assert judge({"tools": tools}).status == status

    def test_with_messages_both_hold(self):
        messages = {"$contains": {"role": "assistant", "content": "done"}}
        assert judge({"tools": ["open"], "messages": messages}).status == "pass"
        assert judge({"tools": ["delete"], "messages": messages}).status == "fail"
        assert judge({"tools": ["open"], "messages": {"$contains": {"content": "bye"}}}).status == "fail"

    def test_null_asks_nothing(self):
        assert judge({"tools": None, "output": "done"}).status == "pass"

    def test_no_calls(self):
        assert judge({"tools": []}, [{"role": "assistant", "content": "done"}]).status == "pass"

    @pytest.mark.parametrize("tools", [[], ["search"], {"$none": "search"}, {"$not": "search"}, {"$length": 0}])
    def test_without_messages_nothing_is_known(self, tools):
        log = judge({"tools": tools}, None)
        assert log.status == "fail"
        assert log.failures[0].path == "tools"
        assert "no `messages`" in log.failures[0].message
        assert log.failures[0].expected == tools

    def test_points(self):
        assert judge({"tools": ["open"]}, scoring=True).score == 100
        assert judge({"tools": ["open", "delete"]}, scoring=True).score == 50

    def test_arguments_that_are_no_json_are_quoted(self):
        function = {"name": "search", "arguments": '{"q": "x"'}
        messages = [{"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}]
        log = judge({"tools": [{"name": "search", "args": {"q": "x"}}]}, messages)
        assert log.status == "fail"
        assert '{\\"q\\": \\"x\\"' in log.failures[0].message or '{"q": "x"' in log.failures[0].message

    def test_names_below_arguments_are_ordinary(self):
        messages = [{"role": "assistant", "tools": [{"name": "greet", "args": {"name": "Alice Smith"}}]}]
        assert judge({"tools": [{"name": "greet", "args": {"name": "Alice"}}]}, messages).status == "pass"

    def test_weighted_names_compare_by_equality_too(self):
        weighted = {"name": {"$expect": "sear", "$score": 2}}
        assert judge({"tools": [weighted]}).status == "fail"


class TestOfferedTools:
    @pytest.mark.parametrize(
        ("tools", "offered", "script"),
        [
            (True, ["weather"], "toolTester"),
            ("t1", ["t1"], "toolTester"),
            ({"name": "n"}, [{"name": "n"}], "toolTester"),
            (["a", "b"], ["a", "b"], "toolTester"),
            ([], [], "weather"),
            (False, None, "weather"),
            (None, None, "weather"),
        ],
    )
    @pytest.mark.parametrize("default", [None, "other"])
    def test_shapes(self, tools, offered, script, default):
        seen = []
        runner = AITestRunner(lambda context: seen.append(context) or "x")
        config = {"tools": default} if default else {}
        (log,) = runner.run_sync("weather", [{"tools": tools, "output": "x"}], fixture_config=config).logs
        assert log.passed
        assert (seen[0].args.get("tools"), seen[0].script, log.script) == (offered, script, script)

    @pytest.mark.parametrize("script", ["line1\nline2", "say {x}", "x" * 256])
    def test_source_code_is_no_tool(self, script):
        (log,) = AITestRunner(lambda context: "x").run_sync(script, [{"tools": True, "output": "x"}]).logs
        assert log.error.kind == "tools"
        assert log.error.message == f"Cannot use 'tools: true' when script is source code: {script[:50]}..."
