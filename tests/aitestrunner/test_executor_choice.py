"""Executors by name: in front matter, on the command line, in Python, from other distributions; what files may do."""

import asyncio
import importlib.metadata
import json
import sys
from pathlib import Path

import pytest
from aitestrunner._cli import main
from aitestrunner.executors import MockExecutor, ReplayExecutor, create_executor, executor_names
from aitestrunner.executors._registry import _entry_points
from aitestrunner.testing import check_executor

from aitestrunner import AIExecutionContext, AIExecutionResult, AITestRunner, ExecutionError, ExecutorError

ECHO = "- input: say <echo>yes</echo>\n  output: {$eq: yes}\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def aitest(here, capsys):
    def aitest(*arguments):
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return aitest


def write(name, text):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    return name


def run_file(executor, body=ECHO, **options):
    write("tests/bot.fixture.yaml", f"---\nexecutor: {executor}\n---\n{body}")
    return AITestRunner().run_sync("bot", "tests/bot.fixture.yaml", **options).logs[0]


class TestFrontMatter:
    def test_mock_by_name_and_with_options(self, here):
        assert run_file("mock").passed
        write("tests/replies.yaml", "- reply: yes\n")
        assert run_file("{name: mock, script: replies.yaml}").passed

    def test_function_as_reference_and_by_name(self, here):
        write("tests/bot.py", "def answer(context):\n    return 'yes'\n")
        assert run_file("./bot.py:answer").passed
        assert run_file("{name: function, reference: './bot.py:answer'}").passed

    def test_command(self, here):
        write("tests/bot.py", "print('yes')\n")
        log = run_file(f"{{name: command, argv: ['{sys.executable}', bot.py]}}")
        assert log.passed, log.errors

    def test_replay(self, here):
        write("tests/rec.jsonl", '{"output": "yes"}\n')
        assert run_file("{name: replay, answers: rec.jsonl}").passed

    def test_a_case_may_name_its_own(self, here):
        body = "- {output: a}\n- {output: b, executor: {name: mock, script: b.yaml}}\n"
        write("tests/a.yaml", "- reply: a\n")
        write("tests/b.yaml", "- reply: b\n")
        assert run_file("{name: mock, script: a.yaml, prompt: x}", body).passed
        (_, second) = AITestRunner().run_sync("s", "tests/bot.fixture.yaml").logs
        assert second.error.kind == "input"

    def test_what_is_given_to_the_run_goes_before(self, here):
        run_file("mock")
        assert AITestRunner(lambda context: "no").run_sync("s", "tests/bot.fixture.yaml").failed_count == 1

    def test_one_executor_serves_a_file(self, here):
        body = "- {input: x, output: first}\n- {input: x, output: second}\n"
        write("tests/r.yaml", "- replies: [first, second]\n")
        assert run_file("{name: mock, script: r.yaml}", body).passed
        assert AITestRunner().run_sync("s", "tests/bot.fixture.yaml").passed

    def test_nothing_is_named(self):
        (log,) = AITestRunner().run_sync("s", [{"output": 1}]).logs
        assert "nothing answers this case" in log.error.message

    def test_cases_in_python_name_executors_too(self):
        case = {"input": "x", "output": "hi", "executor": {"name": "mock", "script": [{"reply": "hi"}]}}
        assert AITestRunner().run_sync("s", [case]).passed
        assert (
            AITestRunner()
            .run_sync("s", [{"input": "<echo>hi</echo>", "output": "hi"}], fixture_config={"executor": "mock"})
            .passed
        )

    @pytest.mark.parametrize(
        ("executor", "words"),
        [
            ("moc", "did you mean 'mock'"),
            ("{name: mock, scirpt: x.yaml}", "did you mean 'script'"),
            ("{name: command}", "needs the option 'argv'"),
            ("{name: http, url: 'http://x', response_path: a}", "is written 'responsePath' here"),
            ("{name: http, url: 'ftp://x'}", "begins with http://"),
            ("{name: http, url: 'http://me:pass@x'}", "no user and password"),
            ("{name: http, url: 'http://x', retries: -1}", "`retries`"),
            ("{name: http, url: 'http://x', responsePath: {outptu: a}}", "`responsePath`"),
            ("{name: openai, model: ''}", "`model`"),
            ("{name: openai, model: m, prices: {m: {input: 1}}}", "per million tokens"),
            ("{name: openai, model: m, prices: nowhere.yaml}", "prices cannot be read"),
            ("{name: mock, script: nowhere.yaml}", "cannot be read"),
            ("{name: replay, answers: nowhere.jsonl}", "cannot be read"),
            ("./nowhere.py:answer", "no file"),
        ],
    )
    def test_problems_name_the_line(self, here, executor, words):
        log = run_file(executor)
        assert (log.status, log.error.kind) == ("error", "definition")
        assert words in log.error.message
        assert log.error.location[1:] == (2, 1)

    @pytest.mark.parametrize("executor", ["5", "[]", "{script: x}", "''"])
    def test_what_the_key_does_not_take(self, aitest, executor):
        write("bot.fixture.yaml", f"---\nexecutor: {executor}\n---\n- output: x\n")
        status, said = aitest("validate", "bot.fixture.yaml")
        assert status == 4
        assert "`executor` takes the name of an executor" in said


class TestWhatFilesMayDo:
    """A fixture file is data that a stranger may have written."""

    @pytest.mark.parametrize(
        "executor",
        [
            "{name: command, argv: [sh, -c, 'touch pwned']}",
            '{name: command, argv: [python3, -c, \'open("pwned", "w")\']}',
            "{name: command, argv: [/bin/ls]}",
            "{name: command, argv: [python3, ../outside.py]}",
            "{name: command, argv: [python3, outside.py], cwd: ..}",
            "{name: function, reference: 'py:os:getcwd'}",
            "../outside.py:answer",
            "{name: mock, script: ../outside.yaml}",
            "{name: replay, answers: ../outside.jsonl}",
            "{name: openai, model: m, prices: ../outside.yaml}",
        ],
    )
    def test_nothing_outside_its_folder(self, here, executor):
        write("outside.py", "def answer(c):\n    return 'yes'\n")
        write("outside.yaml", "- reply: yes\n")
        write("outside.jsonl", '{"output": "yes"}\n')
        log = run_file(executor)
        assert (log.status, log.error.kind) == ("error", "definition")
        assert not Path("tests/pwned").exists()

    @pytest.mark.parametrize(
        "executor",
        ["{name: command, argv: [python3, bot.py]}", "./bot.py:answer", "{name: http, url: 'http://x'}", "third"],
    )
    def test_no_code(self, here, executor):
        write("tests/bot.py", "print('yes')\n")
        log = run_file(executor, allow_code=False)
        assert "this run allows fixture files mock and replay only" in log.error.message
        assert run_file("mock", allow_code=False).passed

    def test_variables_of_the_environment_only_with_leave(self, here, monkeypatch, aitest):
        monkeypatch.setenv("SOME_KEY", "sk-canary-99")
        executor = "{name: http, url: 'http://127.0.0.1:9/x', headers: {x-key: '${SOME_KEY}'}, retries: 0}"
        log = run_file(executor)
        assert "run with --allow-env SOME_KEY" in log.error.message
        assert run_file(executor, allow_env=["SOME_KEY"]).error.kind == "connection"
        assert "connection" not in aitest("run", "tests/bot.fixture.yaml")[1]
        assert "failed: ConnectError" in aitest("run", "tests/bot.fixture.yaml", "--allow-env", "SOME_KEY")[1]

    def test_a_variable_that_is_not_set(self, here):
        assert (
            "NO_SUCH_KEY is not set"
            in run_file("{name: mock, model: '${NO_SUCH_KEY}'}", allow_env=["NO_SUCH_KEY"]).error.message
        )


class TestCommandLine:
    def test_names_and_options(self, aitest):
        write("bot.fixture.yaml", ECHO)
        write("replies.yaml", "- reply: yes\n")
        assert aitest("run", "bot.fixture.yaml", "-e", "mock")[0] == 0
        assert aitest("run", "bot.fixture.yaml", "-e", "mock", "--executor-option", "script=replies.yaml")[0] == 0
        program = json.dumps([sys.executable, "-c", "print('yes')"])
        assert aitest("run", "bot.fixture.yaml", "-e", "command", "--executor-option", f"argv={program}")[0] == 0

    def test_front_matter_without_anything_on_the_command_line(self, aitest):
        write("bot.fixture.yaml", f"---\nexecutor: mock\n---\n{ECHO}")
        assert aitest("run", "bot.fixture.yaml")[0] == 0

    def test_files_with_and_without_executors_together(self, aitest):
        write("a.fixture.yaml", f"---\nexecutor: mock\n---\n{ECHO}")
        write("b.fixture.yaml", "- output: recorded\n")
        assert "nothing answers b.fixture.yaml" in aitest("run", ".")[1]
        write("b.answers.jsonl", '{"output": "recorded"}\n')
        assert aitest("run", ".")[0] == 0

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["-e", "moc"], "did you mean 'mock'"),
            (["-e", "bot"], "there is no executor 'bot'"),
            (["-e", "mock", "--executor-option", "scirpt=x"], "did you mean 'script'"),
            (["-e", "mock", "--executor-option", "x"], "NAME="),
            (["-e", "./bot.py:a", "--executor-option", "a=b"], "takes no --executor-option"),
            (["--executor-option", "a=b"], "belongs to --executor"),
        ],
    )
    def test_wrong_usage(self, aitest, arguments, words):
        write("bot.fixture.yaml", ECHO)
        status, said = aitest("run", "bot.fixture.yaml", *arguments)
        assert status == 4
        assert words in said


class TestOtherDistributions:
    @pytest.fixture(autouse=True)
    def installed(self, monkeypatch):
        source = "class Shout:\n    def __init__(self, *, mark='!'):\n        self.mark = mark\n"
        source += "    async def execute(self, context):\n        return context.input.upper() + self.mark\n"
        module = type(sys)("shouting_executors")
        exec(source, vars(module))
        monkeypatch.setitem(sys.modules, "shouting_executors", module)
        points = [
            importlib.metadata.EntryPoint(name, f"shouting_executors:{attribute}", "aitestrunner.executors")
            for name, attribute in (("shout", "Shout"), ("broken", "Nothing"))
        ]
        monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points)
        _entry_points.cache_clear()
        yield
        _entry_points.cache_clear()

    def test_are_found_by_name(self, here):
        assert {"shout", "mock"} <= set(executor_names())
        assert run_file("{name: shout, mark: '?'}", "- {input: hi, output: HI?}\n").passed

    def test_that_cannot_be_loaded(self):
        with pytest.raises(ExecutorError, match="'broken' of shouting_executors:Nothing cannot be loaded"):
            create_executor("broken")


class TestContract:
    @pytest.mark.parametrize(
        "make",
        [lambda: MockExecutor(), lambda: create_executor("mock"), lambda: lambda context: context.input],
    )
    def test_kept(self, make):
        check_executor(make)

    def test_replay(self, here):
        write("r.jsonl", '{"id": "greets", "output": 1}\n{"i": 1, "output": 2}\n')
        contexts = [AIExecutionContext("s", {}, fixture_id=case) for case in ("greets", "x.yaml#1")]
        check_executor(lambda: ReplayExecutor("r.jsonl"), contexts)
        with pytest.raises(ExecutionError, match="the nearest recorded one is 'greets'") as caught:
            asyncio.run(ReplayExecutor("r.jsonl").execute(AIExecutionContext("s", {}, fixture_id="greet")))
        assert caught.value.kind == "recording"

    def test_broken(self):
        class Sticky:
            async def execute(self, context):
                while True:
                    try:
                        await asyncio.sleep(0.01)
                        return "x"
                    except asyncio.CancelledError:
                        await asyncio.sleep(30)

        class Bound:
            lock = None

            async def execute(self, context):
                self.loop = getattr(self, "loop", asyncio.get_running_loop())
                assert self.loop is asyncio.get_running_loop(), "another loop"
                return "x"

        class Closes:
            async def execute(self, context):
                return "x"

            def aclose(self):
                pass

        def spoils(context):
            context.args["input"] = 1
            return "x"

        class Loud:
            async def execute(self, context):
                try:
                    await asyncio.sleep(0.01)
                except asyncio.CancelledError:
                    raise RuntimeError("stopped") from None
                return "x"

        for executor, words in [
            (5, "an executor is"),
            (lambda context: None, "returned None"),
            (lambda context: 1 / 0, "ZeroDivisionError"),
            (spoils, "it changed the context"),
            (lambda context: AIExecutionResult("x", messages=[5]), "`messages` cannot be read"),
            (lambda context: AIExecutionResult("x", cost="dear"), "`cost` is no number"),
            (lambda context: AIExecutionResult("x", usage=5), "`usage` is no mapping"),
            (Bound(), "many at once: it raised AssertionError: another loop"),
            (Closes(), "`aclose` is no `async` function"),
            (Loud(), "cancelled, it raises RuntimeError"),
        ]:
            with pytest.raises(AssertionError) as caught:
                check_executor(lambda executor=executor: executor, timeout=2)
            assert words in str(caught.value)
        with pytest.raises(AssertionError, match="cancelled, it goes on"):
            check_executor(Sticky, timeout=0.3)

    def test_connections_are_closed_at_the_end_of_a_run(self):
        class Counting:
            closed = 0

            async def execute(self, context):
                return "x"

            async def aclose(self):
                self.closed += 1
                if self.closed > 1:
                    raise RuntimeError("closed twice")

        executor = Counting()
        runner = AITestRunner(executor)
        for _ in range(2):  # what goes wrong with closing says nothing about the cases
            assert runner.run_sync("s", [{"output": "x"}]).passed
        assert executor.closed == 2
