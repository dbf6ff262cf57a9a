"""What a run is asked to run, as cases: a list, one fixture, a path, or several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from aitestrunner._cases import AITestFixture, Defaults, read_case
from aitestrunner._errors import FixtureError, FixtureProblem
from aitestrunner._files import FixtureFile, find_fixture_files, load_fixture_file
from aitestrunner._keys import KEYS, snake_case
from aitestrunner._positions import Node
from aitestrunner._settings import with_run_defaults
from matchex import MISSING

__all__ = ["Item", "cases_of", "doubled_ids"]


@dataclass(slots=True)
class Item:
    """One case on its way: where it stands among the cases of the run, and what it takes its defaults from."""

    index: int
    id: str
    case: AITestFixture
    defaults: Defaults
    problems: tuple[FixtureProblem, ...] = ()


def cases_of(fixtures: Any, run_defaults: Defaults) -> list[Item]:
    """The cases of a run, in order.

    Args:
        fixtures: Cases, a path, `FixtureFile`s, or a list of any of them.
        run_defaults: What all of them take where they and their files say nothing.

    Raises:
        FixtureError: A fixture file has problems.
        TypeError: It is none of these.
        OSError: A file cannot be read.
    """
    items = [Item(index, *entry) for index, entry in enumerate(_entries(fixtures, run_defaults))]
    problems = doubled_ids((item.id, item.case) for item in items)
    if problems:
        raise FixtureError(problems)
    return items


def doubled_ids(cases: Iterable[tuple[str, AITestFixture]]) -> list[FixtureProblem]:
    """The cases that have the id of another: recordings, reports and resumed runs find a case by its id."""
    seen: dict[str, AITestFixture] = {}
    problems: list[FixtureProblem] = []
    for case_id, case in cases:
        if case_id not in seen:
            seen[case_id] = case
        else:
            other = seen[case_id]
            where = f" (at {other.position()})" if other.position() else ""
            message = f"another case has the id {case_id!r} too{where}"
            problems.append(FixtureProblem(message, case.position(("id",))))
    return problems


_Entry = tuple[str, AITestFixture, Defaults, tuple[FixtureProblem, ...]]


def _entries(fixtures: Any, run_defaults: Defaults) -> Iterator[_Entry]:
    if isinstance(fixtures, (str, Path, FixtureFile, AITestFixture, Mapping)):
        fixtures = [fixtures]
    if not isinstance(fixtures, Iterable):
        raise TypeError(f"fixtures are a list of cases, or paths; got {fixtures!r:.80}")
    for index, entry in enumerate(cast("Iterable[Any]", fixtures)):
        if isinstance(entry, (str, Path)):
            for path in find_fixture_files([entry]):
                yield from _of_file(load_fixture_file(path), run_defaults)
        elif isinstance(entry, FixtureFile):
            yield from _of_file(entry, run_defaults)
        elif isinstance(entry, AITestFixture):
            _check_runs(entry)
            yield _named(entry, f"#{index}"), entry, run_defaults, ()
        elif isinstance(entry, Mapping):
            case, problems = read_case(Node(cast("Any", entry)))
            yield _named(case, f"#{index}"), case, run_defaults, tuple(problems)
        else:
            raise TypeError(f"a fixture is a mapping, an AITestFixture or a path; got {entry!r:.80} at index {index}")


def _of_file(file: FixtureFile, run_defaults: Defaults) -> Iterator[_Entry]:
    if file.problems:
        raise FixtureError(file.problems)
    defaults = with_run_defaults(file.defaults, run_defaults)
    for case_id, case in zip(file.ids(), file.cases, strict=True):
        yield case_id, case, defaults, ()


def _check_runs(case: AITestFixture) -> None:
    """Refuse what would keep a case made in Python from being run at all; the rest is told as an error of the case."""
    given = {name: getattr(case, snake_case(name)) for name in ("repeat", "minPassRate", "timeout")}
    problems = [
        FixtureProblem(f"`{snake_case(name)}` takes {KEYS[name].takes}; got {value!r:.60}", case.position((name,)))
        for name, value in given.items()
        if value is not MISSING and value is not None and not KEYS[name].accepts(value)
    ]
    if problems:
        raise FixtureError(problems)


def _named(case: AITestFixture, otherwise: str) -> str:
    return case.id if isinstance(case.id, str) and case.id else otherwise
