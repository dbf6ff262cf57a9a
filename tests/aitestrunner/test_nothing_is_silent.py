"""What would otherwise pass, or end a run, without a word."""

import asyncio
import functools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from aitestrunner._cli import main
from aitestrunner._plain import plain
from aitestrunner._recorder import executor_name
from aitestrunner._recordings import request_of
from aitestrunner._runlog import RunLog

from aitestrunner import (
    AIExecutionContext,
    AIExecutionResult,
    AITestFixture,
    AITestRunner,
    FixtureError,
    LogError,
    RecordingStore,
)

CASE = "- {id: a, input: 1, output: x}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def aitest(folder, capsys):
    def aitest(*arguments):
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return aitest


class TestCodeThatEndsTheProgram:
    @pytest.mark.parametrize("where", ["-e", "executor", "operators", "oracles"])
    def test_while_it_is_loaded(self, aitest, where):
        Path("quits.py").write_text("import sys\n\ndef answer(context):\n    return 'x'\n\nsys.exit(0)\n")
        Path("a.fixture.yaml").write_text(
            {
                "executor": f"---\nexecutor: ./quits.py:answer\n---\n{CASE}",
                "operators": f"---\noperators: {{$x: ./quits.py:answer}}\n---\n{CASE}",
            }.get(where, CASE)
        )
        Path("bot.py").write_text("def answer(context):\n    return 'x'\n")
        options = {"-e": ["-e", "./quits.py:answer"], "executor": []}.get(where, ["-e", "./bot.py:answer"])
        more = ["--oracles-module", "quits.py"] if where == "oracles" else []
        status, out, err = aitest("run", "a.fixture.yaml", *options, *more)
        assert status in (1, 4)
        assert "SystemExit: 0 (quits.py:6)" in out + err
        assert "__main__" in out + err

    def test_while_it_judges(self, aitest):
        Path("ops.py").write_text("import sys\n\ndef quits(actual, expected):\n    sys.exit(0)\n")
        Path("bot.py").write_text("def answer(context):\n    return 'x'\n")
        Path("a.fixture.yaml").write_text("- output: {$quits: 1}\n- output: y\n")
        status, out, _ = aitest("run", "a.fixture.yaml", "-e", "./bot.py:answer", "-o", "$quits=./ops.py:quits")
        assert status == 1
        assert "1 failed, 1 in error" in out


class TestFaultsOfExecutors:
    @pytest.mark.parametrize("error", [GeneratorExit, BaseException("odd"), pytest.fail.Exception("no")])
    @pytest.mark.parametrize("jobs", [1, 4])
    def test_whatever_is_raised_is_the_matter_of_its_case(self, error, jobs):
        def answer(context):
            if context.input == 1:
                raise error
            return "x"

        result = AITestRunner(answer).run_sync("s", [{"input": n, "output": "x"} for n in range(3)], jobs=jobs)
        assert [log.status for log in result.logs] == ["pass", "error", "pass"]

    @pytest.mark.parametrize("jobs", [1, 8])
    @pytest.mark.parametrize("timeout", [None, 5])
    @pytest.mark.parametrize("how", ["sync", "async", "and-waits", "and-raises", "after-waiting"])
    def test_one_that_cancels_its_own_task(self, jobs, timeout, how):
        def cancel():
            task = asyncio.current_task()
            if task is not None:
                task.cancel()

        def plain_answer(context):
            if context.input == 1 and jobs == 1 and timeout is None:
                cancel()  # elsewhere it is called in a thread, where there is no task
            return "x"

        async def answer(context):
            await asyncio.sleep(0.001 if how == "after-waiting" else 0)
            if context.input % 3 == 1:
                cancel()
                if how == "and-waits":
                    await asyncio.sleep(0)
                if how == "and-raises":
                    raise ValueError("too")
            await asyncio.sleep(0.001 if how == "after-waiting" and context.input % 3 != 1 else 0)
            return "x"

        executor = plain_answer if how == "sync" else answer
        cases = [{"input": n, "output": "x"} for n in range(30)]
        result = AITestRunner(executor).run_sync("s", cases, jobs=jobs, timeout=timeout)
        assert len(result.logs) == 30
        wrong = [log.i for log in result.logs if log.status != "pass"]
        expected = [n for n in range(30) if n % 3 == 1]
        if how == "sync":
            expected = [1] if jobs == 1 and timeout is None else []
        assert wrong == expected
        assert result.error_count == len(expected)

    def test_an_error_without_a_text(self):
        class Mute(Exception):
            def __str__(self):
                raise RuntimeError("no")

        def answer(context):
            raise Mute

        (log,) = AITestRunner(answer).run_sync("s", [{"output": "x"}]).logs
        assert "Mute: (its text cannot be had)" in log.error.message

    def test_an_async_executor_that_blocks_is_late_too(self):
        async def answer(context):
            time.sleep(0.2)
            return "x"

        (log,) = AITestRunner(answer).run_sync("s", [{"output": "x"}], timeout=0.05).logs
        assert (log.status, log.error.kind) == ("error", "timeout")
        assert "blocks" in log.error.message

    @pytest.mark.parametrize("jobs", [1, 3])
    @pytest.mark.parametrize("what", ["number", "cost", "object", "graph", "text"])
    def test_any_answer_can_be_written_down(self, folder, what, jobs):
        class Odd:
            def __eq__(self, other):
                raise RuntimeError("no")

            __hash__ = None

            def to_dict(self):
                raise RuntimeError("no")

        class Pair:
            def __init__(self, parent):
                self.children = (parent, parent)

            def to_dict(self):
                return {"children": self.children}

        node = "end"
        for _ in range(60):
            node = Pair(node)
        answers = {
            "number": AIExecutionResult("x", big=10**6000),
            "cost": AIExecutionResult("x", cost=10**400),
            "object": AIExecutionResult("x", meta=Odd()),
            "graph": AIExecutionResult("x", meta=node),
            "text": AIExecutionResult("x", meta="\udc80"),
        }
        cases = [{"output": "x"}] * 2
        result = AITestRunner(lambda context: answers[what]).run_sync("s", cases, log="l.jsonl", jobs=jobs)
        assert result.passed_count == 2
        assert json.loads(Path("l.jsonl").read_text("utf-8").splitlines()[1])["item"]["status"] == "pass"

    def test_a_graph_with_many_ways_is_cut(self):
        node = ["end"]
        for _ in range(40):
            node = [node, node]
        assert "too much to be shown" in json.dumps(plain(node))


class TestRecordingKeys:
    def test_the_same_name_in_two_folders_is_other_code(self, aitest):
        for name in "ab":
            Path(name).mkdir()
            Path(name, "bot.py").write_text(f"def answer(context):\n    return '{name}'\n")
            Path(name, f"{name}.fixture.yaml").write_text(
                "---\nexecutor: ./bot.py:answer\n---\n- {input: 1, output: a}\n"
            )
        for _ in range(2):
            status, out, _ = aitest("run", "a", "b", "--record", "auto")
            assert status == 1
            assert "1 passed, 1 failed" in out
        assert "2 from recordings" in out

    def test_a_function_has_one_name_from_wherever_it_is_named(self, aitest):
        Path("bot.py").write_text("def answer(context):\n    return 'x'\n")
        Path("t").mkdir()
        Path("t/a.fixture.yaml").write_text(f"---\nexecutor: ../bot.py:answer\n---\n{CASE}")
        Path("b.fixture.yaml").write_text(CASE)
        aitest("run", "b.fixture.yaml", "-e", "./bot.py:answer", "--record", "auto")
        _, out, _ = aitest("run", "b.fixture.yaml", "-e", f"{Path.cwd()}/bot.py:answer", "--record", "none")
        assert "1 from recordings" in out

    def test_options_of_a_program_and_variables_count(self, aitest, monkeypatch):
        Path("say.py").write_text("import sys\nprint(sys.argv[-1])\n")
        Path("a.fixture.yaml").write_text(CASE)
        monkeypatch.setenv("MODE", "x")

        def run(argv):
            command = ["-e", "command", "--executor-option", f"argv={json.dumps([sys.executable, 'say.py', *argv])}"]
            return aitest("run", "a.fixture.yaml", *command, "--executor-option", "output=text", "--record", "auto")[0]

        assert [run(["--key=a", "x"]), run(["--key=a", "y"])] == [0, 1]
        assert run(["${MODE}"]) == 0
        monkeypatch.setenv("MODE", "y")
        assert run(["${MODE}"]) == 1

    def test_no_value_of_the_environment_is_stored(self, aitest, monkeypatch):
        Path("say.py").write_text("import sys\nprint('said')\n")
        Path("a.fixture.yaml").write_text("- {id: a, input: 1, output: said}\n")

        def run(argv):
            command = ["-e", "command", "--executor-option", f"argv={json.dumps([sys.executable, 'say.py', *argv])}"]
            options = ["--executor-option", "output=text", "--record", "auto", "--recordings", "s.jsonl"]
            return "from recordings" in aitest("run", "a.fixture.yaml", *command, *options)[1]

        for name, counts in (("GH_PAT", False), ("API_KEY", False), ("MAX_TOKENS", True), ("APPID", True)):
            monkeypatch.setenv(name, "value-one-of-it")
            assert not run([f"${{{name}}}"])
            assert run([f"${{{name}}}"])
            monkeypatch.setenv(name, "value-two-of-it")
            assert run([f"${{{name}}}"]) is not counts
        assert "-of-it" not in Path("s.jsonl").read_text()

    def test_a_partial_is_named_with_what_it_binds(self):
        def bot(context, model):
            return model

        small, large = (executor_name(functools.partial(bot, model=model)) for model in ("small", "large"))
        assert small != large
        assert small["bound"] == [[[], {"model": "small"}]]

    @pytest.mark.parametrize(
        ("name", "kept"), [("sort_key", True), ("api_key", False), ("key", False), ("token", False)]
    )
    def test_only_what_sounds_secret_is_left_out(self, name, kept):
        request = request_of(AIExecutionContext(None, {}, options={name: "a"}), None)
        assert (name in request["options"]) is kept

    def test_answers_by_case_are_no_matter_of_recordings(self, aitest):
        Path("a.fixture.yaml").write_text("- {id: a, input: 1, output: x}\n- {id: b, input: 1, output: x}\n")
        Path("a.answers.jsonl").write_text('{"output": "x"}\n{"output": "y"}\n')
        for _ in range(2):
            assert "1 passed, 1 failed" in aitest("run", "a.fixture.yaml", "--record", "auto")[1]

    def test_what_the_executor_does_to_its_arguments_does_not_matter(self, folder):
        def answer(context):
            context.args["input"]["seen"] = True
            return "x"

        cases = [{"input": {"a": 1}, "output": "x"}]
        for record in ("auto", "none"):
            result = AITestRunner(answer).run_sync("s", cases, record=record, recordings="r.jsonl")
            assert result.passed

    def test_a_damaged_recording_is_told(self, folder):
        with RecordingStore("r.jsonl") as store:
            store.add({"script": "s"}, {"output": 1}, case="a")
        text = Path("r.jsonl").read_text()
        Path("r.jsonl").write_text(text.replace('"answer"', '"anwser"'))
        with pytest.raises(Exception, match="the recording at byte 0 is damaged"):
            RecordingStore("r.jsonl").find({"script": "s"})


@pytest.mark.parametrize("option", ["--timeout", "--min-pass-rate"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_numbers_that_are_none(aitest, option, value):
    Path("a.fixture.yaml").write_text(CASE)
    status, _, err = aitest("run", "a.fixture.yaml", option, value)
    assert status == 4
    assert option in err


class TestFiles:
    def test_a_case_that_is_answered_twice(self, aitest):
        Path("a.fixture.yaml").write_text(CASE)
        Path("a.answers.jsonl").write_text('{"id": "a", "output": "y"}\n{"id": "a", "output": "x"}\n')
        status, _, err = aitest("run", "a.fixture.yaml")
        assert status == 4
        assert "the case 'a' is answered twice" in err

    @pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="this user may read everything")
    def test_a_folder_that_cannot_be_read(self, aitest):
        Path("t/closed").mkdir(parents=True)
        Path("t/a.fixture.yaml").write_text(CASE)
        Path("t/closed").chmod(0)
        try:
            assert aitest("validate", "t")[0] == 4
        finally:
            Path("t/closed").chmod(0o700)

    def test_two_runs_do_not_write_one_log(self, folder):
        with RunLog("l.jsonl") as log:
            log.start({})
            with pytest.raises(LogError, match="a run that goes on"):
                RunLog("l.jsonl")
        RunLog("l.jsonl").close()

    def test_cases_that_came_from_a_file_may_not_name_installed_code(self, folder):
        from aitestrunner import load_fixture_file

        Path("a.fixture.yaml").write_text("- {output: {$there: true}, operators: {$there: 'py:os.path:exists'}}\n")
        file = load_fixture_file("a.fixture.yaml")
        (log,) = AITestRunner(lambda context: "x").run_sync("s", list(file.cases)).logs
        assert (log.status, log.error.kind) == ("error", "operators")


def test_no_answer_steers_the_terminal(aitest):
    Path("bot.py").write_text("def answer(context):\n    return '\\x1b[2J\\x1b]0;title\\x07 bye'\n")
    Path("a.fixture.yaml").write_text(CASE)
    _, out, _ = aitest("run", "a.fixture.yaml", "-e", "./bot.py:answer", "--log", "l.jsonl")
    _, merged, _ = aitest("merge", "l.jsonl")
    for text in (out, merged):
        assert "\x1b" not in text
        assert "\\x1b[2J" in text


def test_problems_of_python_cases_are_fixture_errors():
    with pytest.raises(FixtureError):
        AITestRunner(len).run_sync("s", [{"id": "a", "output": 1}, {"id": "a", "output": 1}])
    with pytest.raises(FixtureError, match="another case has the id 'a' too"):
        AITestRunner(len).run_sync("s", [AITestFixture(id="a", output=1)] * 2)


class TestPlacesOfOutput:
    BOT = "import os\n\ndef answer(context):\n    os.chdir('elsewhere')\n    return 'x'\n"

    @pytest.fixture(autouse=True)
    def files(self, folder):
        Path("bot.py").write_text(self.BOT)
        Path("elsewhere").mkdir()
        Path("a.fixture.yaml").write_text(CASE)

    @pytest.mark.parametrize(
        "options",
        [
            ["--log", "f", "--json", "f"],
            ["--json", "f", "--markdown", "./f"],
            ["--junit", "a.fixture.yaml"],
            ["--jsonl", ".aitest/recordings.jsonl"],
        ],
    )
    def test_two_things_do_not_go_to_one_file(self, aitest, options):
        before = Path("a.fixture.yaml").read_text()
        status, _, err = aitest("run", "a.fixture.yaml", "-e", "./bot.py:answer", *options)
        assert status == 4
        assert "would overwrite" in err
        assert Path("a.fixture.yaml").read_text() == before

    def test_a_report_does_not_replace_the_log_that_it_is_made_of(self, aitest):
        aitest("run", "a.fixture.yaml", "-e", "./bot.py:answer", "--log", "l.jsonl")
        status, _, err = aitest("merge", "l.jsonl", "--json", "l.jsonl")
        assert status == 4
        assert "--json would overwrite l.jsonl, which is the log l.jsonl" in err

    def test_an_executor_that_goes_elsewhere_takes_nothing_along(self, aitest):
        options = ["--log", "l.jsonl", "--json", "r.json", "--record", "auto", "--recordings", "s.jsonl"]
        status, _, _ = aitest("run", "a.fixture.yaml", "-e", "./bot.py:answer", *options)
        assert status == 0
        assert {"l.jsonl", "r.json", "s.jsonl"} <= {path.name for path in Path().iterdir()}
        assert not list(Path("elsewhere").iterdir())

    def test_the_log_of_a_run_that_goes_on_is_not_forgotten(self, aitest):
        runs = Path(".aitest/runs")
        runs.mkdir(parents=True)
        going_on = runs / "20200101-000000-1.jsonl"
        going_on.write_text('{"event": "run:start", "format": 1}\n')
        for number in range(25):
            (runs / f"2020010{number}-000000-2.jsonl").write_text('{"event": "run:start"}\n{"event": "run:end"}\n')
        os.utime(going_on, (time.time() - 60,) * 2)
        aitest("run", "a.fixture.yaml", "-e", "./bot.py:answer")
        assert going_on.exists()
        assert len(list(runs.iterdir())) == 21


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_ended_ends_its_programs(folder, number):
    Path("a.fixture.yaml").write_text(CASE)
    Path("waits.py").write_text("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    argv = json.dumps([sys.executable, "waits.py"])
    command = [sys.executable, "-m", "aitestrunner", "run", ".", "-e", "command", "--executor-option", f"argv={argv}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        deadline = time.monotonic() + 30
        while not (Path("pid").exists() and Path("pid").read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        run.send_signal(number)
        assert run.wait(30) == 2
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)


def test_a_resumed_run_knows_where_cases_stand_now(aitest):
    Path("bot.py").write_text("def answer(context):\n    return 'x'\n")
    cases = ["- {id: a, output: x}\n", "- {id: b, output: x}\n"]
    Path("a.fixture.yaml").write_text("".join(cases))
    aitest("run", "a.fixture.yaml", "-e", "./bot.py:answer", "--log", "l.jsonl")
    Path("a.fixture.yaml").write_text("- {id: new, output: x}\n" + "".join(cases))
    aitest("run", "--resume", "l.jsonl", "--json", "r.json")
    logs = json.loads(Path("r.json").read_text())["logs"]
    assert [(log["i"], log["id"]) for log in logs] == [(0, "new"), (1, "a"), (2, "b")]


def test_shards_of_different_sets_of_cases_are_no_run(aitest):
    Path("bot.py").write_text("def answer(context):\n    return 'x'\n")
    for shard, count in (("1/2", 8), ("2/2", 9)):
        Path("a.fixture.yaml").write_text("".join(f"- {{id: c{n}, output: x}}\n" for n in range(count)))
        log = f"{shard[0]}.jsonl"
        aitest("run", "a.fixture.yaml", "-e", "./bot.py:answer", "--shard", shard, "--log", log)
    status, _, err = aitest("merge", "1.jsonl", "2.jsonl")
    assert status == 4
    assert "shards of different sets of cases" in err
