"""The jobs by hand, by matchex and by its peers: expectations compiled once, and expectations used once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from _table import Table
from _timing import Effort, Ratio, compare
from peers import PEERS, Peer
from workloads import JOBS, Job

import matchex

__all__ = ["compiled", "one_shot"]

COMPILED = {
    "by hand": "by_hand(actual)",
    "verdict": "matches(actual)",
    "match": "match(actual).passed",
    "score read": "match(actual).score",
    "failures read": "match(actual).failures",
    "details read": "match(actual).details",
}
ONE_SHOT = {
    "by hand": "by_hand(actual)",
    "validate again": "validate(actual, expected).passed",
    "compile and match": "compile(expected).match(actual).passed",
}


def compiled(effort: Effort) -> Iterator[Table]:
    """Everything compiled or built before the clock starts."""
    rows = [_compiled_row(job, passes, effort) for job in JOBS for passes in (True, False)]
    yield Table("Compiled, × by hand", ["job", *COMPILED, *(peer.name for peer in PEERS)], rows, _blanks())


def one_shot(effort: Effort) -> Iterator[Table]:
    """Everything built, used once and thrown away."""
    rows = [_one_shot_row(job, passes, effort) for job in JOBS for passes in (True, False)]
    yield Table("Used once, × by hand", ["job", *ONE_SHOT, *(peer.name for peer in PEERS)], rows, [_CACHE, *_blanks()])


_CACHE = "`validate` keeps expectations that are plain data compiled; a new one costs what `compile and match` costs."


def _compiled_row(job: Job, passes: bool, effort: Effort) -> dict[str, object]:
    matcher = matchex.compile(job.expected)
    names: dict[str, Any] = {"matches": matcher.matches, "match": matcher.match}
    statements = dict(COMPILED)
    for i, peer in enumerate(_able(job)):
        names[f"peer_{i}"] = peer.builders[job.name]()
        statements[peer.name] = f"peer_{i}(actual)"
    return _row(job, passes, statements, names, effort)


def _one_shot_row(job: Job, passes: bool, effort: Effort) -> dict[str, object]:
    names: dict[str, Any] = {"validate": matchex.validate, "compile": matchex.compile, "expected": job.expected}
    statements = dict(ONE_SHOT)
    for i, peer in enumerate(_able(job)):
        names[f"build_{i}"] = peer.builders[job.name]
        statements[peer.name] = f"build_{i}()(actual)"
    return _row(job, passes, statements, names, effort)


def _row(
    job: Job, passes: bool, statements: dict[str, str], names: dict[str, Any], effort: Effort
) -> dict[str, object]:
    names = {**names, "by_hand": job.by_hand, "actual": job.passing if passes else job.failing}
    ratios: dict[str, Ratio] = compare(statements, names, effort)
    return {"job": f"{job.name}, {'passing' if passes else 'failing'}", **ratios}


def _able(job: Job) -> list[Peer]:
    return [peer for peer in PEERS if peer.installed and peer.can(job.name)]


def _blanks() -> list[str]:
    installed = [
        f"{peer.name} is blank where it cannot express the job: {peer.lacking}." for peer in PEERS if peer.installed
    ]
    return installed + [f"{peer.name} is not installed." for peer in PEERS if not peer.installed]
