"""The executor `command`: what it sends and reads, and that nothing of it hangs, overflows or survives."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest
from aitestrunner.executors import CommandExecutor
from aitestrunner.testing import check_executor

from aitestrunner import AIExecutionContext, AITestRunner, ExecutionError, ExecutorError

CONTEXT = AIExecutionContext("bot", {"input": {"q": "é"}, "q": "é"}, fixture_id="c1")


def python(program, *arguments, **options):
    return CommandExecutor([sys.executable, "-c", program, *arguments], **options)


def answer(executor, context=CONTEXT):
    return asyncio.run(executor.execute(context))


def trouble(executor):
    with pytest.raises(ExecutionError) as caught:
        answer(executor)
    return caught.value.kind, str(caught.value)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z" if Path("/proc").exists() else True


def wait_for(condition):
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.01)
    return False


class TestAnswers:
    def test_the_case_is_on_standard_input(self):
        result = answer(python("import sys; print(sys.stdin.read())", output="json"))
        assert result.output == {
            "id": "c1",
            "script": "bot",
            "input": {"q": "é"},
            "args": {"input": {"q": "é"}, "q": "é"},
        }

    @pytest.mark.parametrize(
        ("printed", "output", "expected"),
        [
            ("hello\n", "auto", "hello"),
            ("hello\r\n", "auto", "hello"),
            ('{"output": 5, "cost": 1}', "auto", 5),
            ('{"answer": 5}', "auto", '{"answer": 5}'),
            ("7", "auto", "7"),
            ('{"output": 5}', "text", '{"output": 5}'),
            ("7", "json", 7),
            ("null", "json", None),
            ("", "auto", ""),
        ],
    )
    def test_what_is_printed(self, printed, output, expected):
        assert answer(python(f"print({printed!r}, end='')", output=output)).output == expected

    def test_a_whole_result(self):
        program = 'print(\'{"output": 1, "usage": {"t": 2}, "messages": [], "extra": 3}\')'
        assert answer(python(program)).fields() == {"output": 1, "messages": [], "usage": {"t": 2}, "extra": 3}

    def test_a_program_that_does_not_read_its_input(self):
        assert answer(python("print('x')"), AIExecutionContext("s", {"input": "x" * 1_000_000})).output == "x"

    def test_much_on_both_pipes_blocks_nothing(self):
        program = "import sys; sys.stderr.write('e' * 3_000_000); print('o' * 3_000_000); sys.stderr.write('e' * 99)"
        assert len(answer(python(program)).output) == 3_000_000

    def test_environment_and_folder(self, tmp_path):
        program = "import os; print(os.environ['MOOD'], os.path.basename(os.getcwd()))"
        assert answer(python(program, env={"MOOD": "good"}, cwd="sub", base_dir=_sub(tmp_path))).output == "good sub"


def _sub(folder):
    (folder / "sub").mkdir()
    return folder


class TestTroubles:
    def test_exit_status_and_the_end_of_standard_error(self):
        kind, message = trouble(python("import sys; sys.stderr.write('x' * 9000 + ' the end'); sys.exit(3)"))
        assert kind == "exit"
        assert message.startswith("the program ended with exit status 3; its standard error ends with: xxx")
        assert message.endswith("the end")
        assert len(message) < 2200

    def test_signal(self):
        assert "signal 9; it said nothing" in trouble(python("import os; os.kill(os.getpid(), 9)"))[1]

    def test_an_answer_before_a_failure_is_no_answer(self):
        assert trouble(python("import sys; print('yes', flush=True); sys.exit(1)"))[0] == "exit"

    @pytest.mark.parametrize(
        ("argv", "options", "words"),
        [
            (["no-such-program"], {}, "'no-such-program' cannot be started"),
            (["a\0b"], {}, "cannot be started"),
            ([sys.executable], {"cwd": "nowhere"}, "'nowhere'"),
        ],
    )
    def test_what_cannot_be_started(self, argv, options, words):
        kind, message = trouble(CommandExecutor(argv, **options))
        assert kind == "start"
        assert words in message

    def test_no_utf8_and_no_json(self):
        assert trouble(python("import sys; sys.stdout.buffer.write(b'\\xff')"))[0] == "answer"
        assert "did not print JSON" in trouble(python("print('hm')", output="json"))[1]

    def test_too_much_output_stops_it(self):
        started = time.perf_counter()
        assert trouble(python("while True: print('x' * 10000)", max_output=100_000))[0] == "limit"
        assert time.perf_counter() - started < 30

    def test_time_out_kills_the_whole_group(self, tmp_path):
        pids = tmp_path / "pids"
        program = (
            "import os, subprocess, sys, time\n"
            "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
            f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
            "time.sleep(60)"
        )
        assert trouble(python(program, timeout=3)) == ("timeout", "the program took more than 3 seconds")
        numbers = [int(pid) for pid in pids.read_text().split()]
        assert len(numbers) == 2
        assert wait_for(lambda: not any(map(is_alive, numbers)))

    def test_what_a_program_leaves_behind_is_killed_and_holds_nothing_up(self, tmp_path):
        program = (
            "import subprocess, sys\n"
            "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
            "print(child.pid)"
        )
        started = time.perf_counter()
        pid = int(answer(python(program)).output)
        assert time.perf_counter() - started < 30
        assert wait_for(lambda: not is_alive(pid))

    def test_cancelling_kills_it(self, tmp_path):
        pids = tmp_path / "pids"
        program = f"import os, time; open({str(pids)!r}, 'w').write(str(os.getpid())); time.sleep(60)"

        async def main():
            task = asyncio.create_task(python(program).execute(CONTEXT))
            while not pids.exists() or not pids.read_text():
                await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(asyncio.wait_for(main(), 30))
        assert wait_for(lambda: not is_alive(int(pids.read_text())))

    @pytest.mark.parametrize(
        "options",
        [{"timeout": 0}, {"max_output": -1}, {"output": "yaml"}, {"env": {"A": 1}}],
    )
    def test_wrong_options(self, options):
        with pytest.raises(ExecutorError, match="takes"):
            CommandExecutor(["x"], **options)

    @pytest.mark.parametrize("argv", [[], "python bot.py", [1], None])
    def test_wrong_commands(self, argv):
        with pytest.raises(ExecutorError, match="`argv`"):
            CommandExecutor(argv)


def test_keys_of_the_environment_are_masked(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-canary-123456")
    leak = "import os, sys; k = os.environ['SOME_API_KEY'] + os.environ['MY_TOKEN']; "
    executor = python(leak + "sys.exit(k)", env={"MY_TOKEN": "private-thing"})
    (log,) = AITestRunner(executor).run_sync("s", [{"input": 1, "output": "x"}]).logs
    assert "***" in log.error.message
    shown = repr(log) + str(log.to_dict())
    printed = answer(python(leak + "print(k)", env={"MY_TOKEN": "private-thing"})).output
    assert not [text for text in (shown, printed) if "sk-canary" in text or "private-thing" in text]


def test_contract():
    check_executor(lambda: python("import json, sys; print(json.load(sys.stdin)['input'])"))
