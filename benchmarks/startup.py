"""What importing and the first use cost: whole processes, beside one that imports only `json` and `re`."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping

from _table import Table
from _timing import Effort, ratios_of

__all__ = ["startup"]

MEASURE = "import json, re"
PROGRAMS = {
    "`import matchex`": "import matchex",
    "… and a first match": "import matchex; matchex.validate({'a': 1}, {'a': {'$gte': 1}})",
    "… with a pattern": "import matchex; matchex.validate('a refund', '/refund/i')",
    "… with an expression": "import matchex; matchex.validate(5, {'$expr': 'actual > 4'})",
    "… with a placeholder": "import matchex; matchex.validate('Ann', '{{ name }}', data={'name': 'Ann'})",
    "… with a schema": "import matchex; matchex.validate(5, {'$schema': {'type': 'integer', 'minimum': 1}})",
    "`import dataclasses, typing`": "import dataclasses, typing",
}


def startup(effort: Effort) -> Iterator[Table]:
    """The processor time of a program, × that of one that imports `json` and `re`; bytecode is cached before."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        loaded = {program: _modules(program, environment) for program in (MEASURE, *PROGRAMS.values())}
        rounds: dict[str, list[float]] = {MEASURE: [], **{name: [] for name in PROGRAMS}}
        for _ in range(effort.rounds):
            for name, times in rounds.items():
                times.append(_seconds(PROGRAMS.get(name, MEASURE), environment))
    ratios = ratios_of(rounds)
    rows = [{"program": name, "time": ratios[name], "modules": loaded[program]} for name, program in PROGRAMS.items()]
    notes = [f"`{MEASURE}` loads {loaded[MEASURE]} modules."]
    yield Table(f"A program, × `{MEASURE}`", ["program", "time", "modules"], rows, notes)


def _seconds(program: str, environment: Mapping[str, str]) -> float:
    """The processor time of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _modules(program: str, environment: Mapping[str, str]) -> int:
    code = f"{program}\nimport sys\nprint(len(sys.modules))"
    command = [sys.executable, "-c", code]
    return int(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
