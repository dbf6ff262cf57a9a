"""What is to be evaluated: a suite of cases, each a graph, its input and what must hold in the end."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

from matchex.plugin import nearest

from aitestrunner._errors import FixtureError, FixtureProblem

__all__ = ["EvalCase", "EvalSuite", "read_suite"]

_T = TypeVar("_T", "EvalCase", "EvalSuite")
DEFAULT_TIMEOUT_MS: Final = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalCase:
    """One run of a graph, and what must hold in the state that it ends in.

    Args:
        name: What the case is about.
        graph: What runs: a `Graph`, a LangGraph graph, a function, or whatever the runner given takes.
        input: What the run starts from. `max_token_budget` in it limits the tokens.
        assertions: What must hold: mappings with `type` and the keys of that type.
        timeout_ms: Milliseconds that the run may take; 0 is the default of one minute.

    Example:
        >>> from aitestrunner.graph import EvalCase
        >>> case = EvalCase(name="adds", graph=sum, assertions=[{"type": "status_equals", "expected": "completed"}])
        >>> case.timeout_ms
        60000
    """

    name: str
    graph: Any
    input: Any = field(default_factory=dict[str, Any])
    assertions: Sequence[Mapping[str, Any]] = ()
    timeout_ms: float = DEFAULT_TIMEOUT_MS

    @property
    def timeout(self) -> float:
        """Seconds that the run may take."""
        return (self.timeout_ms or DEFAULT_TIMEOUT_MS) / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSuite:
    """Cases that are reported together.

    Args:
        name: What the suite is about.
        cases: The cases: `EvalCase`s, or mappings with their fields.

    Example:
        >>> from aitestrunner.graph import EvalSuite
        >>> EvalSuite(name="router", cases=[]).name
        'router'
    """

    name: str
    cases: Sequence[EvalCase | Mapping[str, Any]]


def read_suite(suite: EvalSuite | Mapping[str, Any]) -> tuple[EvalSuite, list[list[str]]]:
    """A suite of `EvalCase`s, and for each of its cases what is wrong with it.

    Raises:
        FixtureError: The suite itself is none.
    """
    if not isinstance(suite, EvalSuite):
        read, problems = _read(EvalSuite, suite, "a suite")
        if read is None or problems:
            raise FixtureError([FixtureProblem(problem) for problem in problems])
        suite = read
    written: Any = suite.cases
    if not isinstance(written, Sequence) or isinstance(written, str):
        raise FixtureError([FixtureProblem(f"`cases` is a list of cases; got {written!r:.80}")])
    entries = [_read_case(case, index) for index, case in enumerate(cast("Sequence[Any]", written))]
    return EvalSuite(name=suite.name, cases=[case for case, _ in entries]), [problems for _, problems in entries]


def _read_case(written: Any, index: int) -> tuple[EvalCase, list[str]]:
    case, problems = (written, []) if isinstance(written, EvalCase) else _read(EvalCase, written, "a case")
    if case is None:
        name = cast("Mapping[str, Any]", written).get("name") if isinstance(written, Mapping) else None
        return EvalCase(name=name if isinstance(name, str) else f"cases[{index}]", graph=None), problems
    return case, problems or _faults(case)


def _faults(case: EvalCase) -> list[str]:
    found: list[str] = []
    assertions, timeout = cast("tuple[Any, Any]", (case.assertions, case.timeout_ms))
    if not isinstance(assertions, (list, tuple)):
        found.append(f"`assertions` is a list of assertions; got {assertions!r:.80}")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not math.isfinite(timeout) or timeout < 0:
        found.append(f"`timeout_ms` is a number of milliseconds; got {timeout!r:.80}")
    return found


def _read(kind: type[_T], written: Any, what: str) -> tuple[_T | None, list[str]]:
    """A dataclass from a mapping of its fields, or what is wrong with the mapping."""
    names = [entry.name for entry in dataclasses.fields(kind)]
    if not isinstance(written, Mapping):
        return None, [f"{what} is a mapping with {', '.join(names)}; got {written!r:.80}"]
    fields = cast("Mapping[Any, Any]", written)
    needed = [entry.name for entry in dataclasses.fields(kind) if _is_needed(entry)]
    problems = [_unknown(name, names, what) for name in fields if name not in names]
    problems += [f"{what} needs `{name}`" for name in needed if name not in fields]
    return (None, problems) if problems else (kind(**fields), [])


def _is_needed(entry: dataclasses.Field[Any]) -> bool:
    return entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING


def _unknown(name: Any, known: Collection[str], what: str) -> str:
    guess = nearest(name, list(known)) if isinstance(name, str) else None
    return f"unknown key {name!r:.80} of {what}" + (
        f"; did you mean {guess!r}?" if guess else f"; known are {', '.join(known)}"
    )
