"""The face in pytest: fixture files are collected, each case is a test, and tests in Python get the fixture `aitest`.

pytest imports this module in every session, so it loads nothing of the runner before a fixture file is collected.
"""

from __future__ import annotations

import re
import reprlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

if TYPE_CHECKING:
    from aitestrunner._executor_choice import Executors
    from aitestrunner._log import AITestFixtureResult, AITestLogItem
    from aitestrunner._options import RunOptions
    from aitestrunner._sources import Item

__all__ = ["AITest", "CaseFailed", "Hooks", "aitest"]

_NAME: Final = re.compile(r".*\.(fixture|aitest)\.(ya?ml|jsonl?)\Z")
_OWN_MARKERS: Final = pytest.StashKey[set[str]]()
_MARKER: Final = re.compile(r"[^\W\d]\w*\Z")


class Hooks:
    """What a `conftest.py` may define."""

    @pytest.hookspec(firstresult=True)
    def pytest_aitest_executor(self, config: pytest.Config, path: Path) -> Any:
        """Return what answers the cases of a fixture file: a function, or an object with `execute`."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make our own hook known."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, on the command line and in the configuration file."""
    group = parser.getgroup("aitest", "fixture files of aitestrunner")
    group.addoption("--aitest", action="store_true", default=False, help="Collect fixture files (*.fixture.yaml, …).")
    group.addoption(
        "--aitest-executor", metavar="NAME", help="What answers their cases, as for `aitest run --executor`."
    )
    group.addoption(
        "--aitest-record", choices=["auto", "new", "none"], help="Use recorded answers, as for `aitest run`."
    )
    parser.addini("aitest", "Collect fixture files.", type="bool", default=False)
    parser.addini("aitest_executor", "What answers their cases.", default="")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register our marker, and learn which ones are the user's before plugins register theirs."""
    config.stash[_OWN_MARKERS] = set(_declared(config))
    config.addinivalue_line("markers", "aitest: a case of a fixture file")


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """What to say when `answer == Matches(…)` does not hold: all that the match has to say, line by line."""
    if op != "==" or "matchex" not in sys.modules:
        return None
    from matchex import Matches

    matches = right if isinstance(right, Matches) else left
    if not isinstance(matches, Matches) or matches.result is None:
        return None
    asked = repr(matches).partition("\n")[0]
    return [f"{reprlib.repr(left if matches is right else right)} == {asked}", *str(matches.result).splitlines()]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect fixture files, where the user wants them: they may stand beside tests for other reasons."""
    if not _NAME.match(file_path.name):
        return None
    if not (_is_wanted(parent.config) or parent.session.isinitpath(file_path)):
        return None
    return FixtureFileCollector.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType] (untyped in pytest)


def _declared(config: pytest.Config) -> Iterator[str]:
    """The names of the markers that are declared by now."""
    for line in cast("list[str]", config.getini("markers")):
        yield line.partition(":")[0].partition("(")[0].strip()


def _is_only_a_name(tag: str, config: pytest.Config) -> bool:
    """Whether a tag may be a marker: not where pytest or a plugin does something about it (`xfail`, `timeout` …)."""
    own = config.stash[_OWN_MARKERS]
    if tag not in own and tag not in _declared(config):
        config.addinivalue_line("markers", f"{tag}: a tag in fixture files")
        own.add(tag)
    return tag in own


def _is_wanted(config: pytest.Config) -> bool:
    return bool(config.getoption("--aitest") or config.getini("aitest") or _executor_name(config))


def _executor_name(config: pytest.Config) -> str:
    return cast("str | None", config.getoption("--aitest-executor")) or cast("str", config.getini("aitest_executor"))


class FixtureFileCollector(pytest.File):
    """A fixture file."""

    def collect(self) -> Iterable[pytest.Item]:
        """Its cases."""
        from aitestrunner._errors import AITestError
        from aitestrunner._executor_choice import Executors
        from aitestrunner._files import load_fixture_file
        from aitestrunner._options import RunOptions
        from aitestrunner._plan import make_plan
        from aitestrunner._references import code_name
        from aitestrunner._sources import cases_of
        from aitestrunner.executors._registry import is_reference

        file = load_fixture_file(self.path)
        if file.problems:
            raise self.CollectError("\n".join(map(str, file.problems)))
        executor = self.config.hook.pytest_aitest_executor(config=self.config, path=self.path)
        written = _executor_name(self.config)
        name = code_name(written, self.config.rootpath) if executor is None and is_reference(written) else None
        options = RunOptions(record=self.config.getoption("--aitest-record"), executor_name=name)
        try:
            executors = self._executors(file) if executor is None else Executors(executor)
            plan = make_plan(cases_of(file, options.defaults()), options)
        except AITestError as error:
            raise self.CollectError(str(error)) from error
        names: set[str] = set()
        for planned in plan:
            name = _unique(_name_of(planned.item), names)
            more = {"case": planned.item, "skipped": planned.skipped, "options": options, "executors": executors}
            yield Case.from_parent(self, name=name, **more)  # pyright: ignore[reportUnknownMemberType] (untyped in pytest)

    def _executors(self, file: Any) -> Executors:
        from aitestrunner._answers import RecordedAnswers, default_answers_path, read_answers
        from aitestrunner._executor_choice import Executors

        name = _executor_name(self.config)
        if name:
            return Executors(_loaded(name, self.config.rootpath))
        answers = default_answers_path(self.path)
        if answers.exists():
            return Executors(fallback=RecordedAnswers(read_answers(answers, file)))
        return Executors()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
        """Say what is wrong with the file, without a traceback of ours."""
        return str(excinfo.value) if isinstance(excinfo.value, self.CollectError) else super().repr_failure(excinfo)


def _loaded(name: str, root: Path) -> Any:
    from aitestrunner._references import load_reference
    from aitestrunner.executors._registry import executor_from_options, is_reference

    return load_reference(name, root) if is_reference(name) else executor_from_options(name, {})


def _name_of(item: Item) -> str:
    case = item.case
    name = next((text for text in (case.id, case.title) if isinstance(text, str) and text), None)
    return f"#{item.index}" if name is None else name.replace("::", ":").replace("\n", " ")


def _unique(name: str, names: set[str]) -> str:
    found, number = name, 2
    while found in names:
        found, number = f"{name} ({number})", number + 1
    names.add(found)
    return found


class CaseFailed(Exception):
    """A case failed or could not be judged."""

    def __init__(self, log: AITestLogItem) -> None:
        super().__init__(log.id)
        self.log = log


class Case(pytest.Item):
    """One case of a fixture file."""

    def __init__(
        self, *, case: Item, skipped: str | None, options: RunOptions, executors: Executors, **more: Any
    ) -> None:
        super().__init__(**more)  # pyright: ignore[reportUnknownMemberType] (untyped in pytest)
        self._case = case
        self._skipped = skipped
        self._options = options
        self._executors = executors
        self.add_marker("aitest")
        if isinstance(case.case.title, str):
            self.extra_keyword_matches.add(case.case.title)
        self._mark_tags()

    def _mark_tags(self) -> None:
        """A tag that can be one is a marker too, for `-m`."""
        from aitestrunner._plan import tags_of

        for tag in tags_of(self._case):
            self.extra_keyword_matches.add(tag)
            if _MARKER.match(tag) and _is_only_a_name(tag, self.config):
                self.add_marker(tag)

    def runtest(self) -> None:
        """Run the case."""
        from aitestrunner._loop import run_coroutine

        if self._skipped is not None:
            pytest.skip(self._skipped)
        log = run_coroutine(self._run())
        self.user_properties += _properties(log)
        if not log.passed:
            raise CaseFailed(log)

    async def _run(self) -> AITestLogItem:
        from aitestrunner._events import Listeners
        from aitestrunner._pipeline import Pipeline

        async with self._executors as executors:
            result = await Pipeline(executors, self._options, Listeners(), None).run([self._case])
        return result.logs[0]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Say what does not hold, and where."""
        if isinstance(excinfo.value, CaseFailed):
            return _text_of([excinfo.value.log])
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The line of the case."""
        position = self._case.case.position()
        return self.path, position.line - 1 if position else None, self.name


def _properties(log: AITestLogItem) -> Iterator[tuple[str, object]]:
    yield "id", log.id
    if log.score is not None:
        yield "score", log.score
    if isinstance(log.cost, (int, float)):
        yield "cost", log.cost
    if log.repeats is not None:
        yield "passRate", log.repeats.pass_rate


def _text_of(logs: Iterable[AITestLogItem]) -> str:
    from aitestrunner._report_text import Palette, item_lines

    plain = Palette(enabled=False)
    return "\n".join(line for log in logs for line in item_lines(log, plain))


class AITest:
    """Runs cases in a test, and fails the test with our explanation where they do not pass."""

    def __call__(self, executor: Any, fixtures: Any, script: str | None = None, **options: Any) -> AITestFixtureResult:
        """Run cases, see `AITestRunner.run`.

        Raises:
            pytest.fail.Exception: A case did not pass, or none ran.
        """
        from aitestrunner._runner import AITestRunner

        __tracebackhide__ = True
        return self._checked(AITestRunner(executor).run_sync(script, fixtures, **options))

    async def run(self, executor: Any, fixtures: Any, script: str | None = None, **options: Any) -> AITestFixtureResult:
        """The same in a test that is `async`."""
        from aitestrunner._runner import AITestRunner

        __tracebackhide__ = True
        return self._checked(await AITestRunner(executor).run(script, fixtures, **options))

    def _checked(self, result: AITestFixtureResult) -> AITestFixtureResult:
        __tracebackhide__ = True
        if not result.passed:
            unhappy = [log for log in result.logs if log.status in ("fail", "error")]
            pytest.fail(_text_of(unhappy) or "no case was run", pytrace=False)
        return result


@pytest.fixture
def aitest() -> AITest:
    """Runs cases: `aitest(executor, fixtures, script, **options)`; `await aitest.run(…)` in a test that is `async`."""
    return AITest()
