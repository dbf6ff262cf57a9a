"""The jobs of the benchmarks do the same work on both sides: one verdict for every value, whatever its shape."""

import copy
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import matchex

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"

with pytest.MonkeyPatch.context() as patch:  # the scripts import each other from their own folder
    patch.syspath_prepend(str(FOLDER))
    workloads = importlib.import_module("workloads")
    peers = importlib.import_module("peers")

JOBS = {job.name: job for job in workloads.JOBS}
OTHERS = [None, True, False, "x", "", 10**6, -1, 0.25, float("nan"), [], ["new"], {}, {"role": "user"}]
PAIRS = [(peer, name) for peer in peers.PEERS for name in JOBS if peer.can(name)]


def broken(value: Any, depth: int = 0) -> Iterator[Any]:
    """The value with one part replaced or taken away, for every part (of long lists: of the last item)."""
    yield from OTHERS
    if isinstance(value, dict):
        for key in value:
            yield {name: part for name, part in value.items() if name != key}
            yield from ({**value, key: other} for other in broken(value[key], depth + 1))
    elif isinstance(value, list):
        for index in range(len(value)) if len(value) < 10 else [len(value) - 1]:
            yield value[:index] + value[index + 1 :]
            yield from ([*value[:index], other, *value[index + 1 :]] for other in broken(value[index], depth + 1))


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_both_sides_give_one_verdict(job: Any) -> None:
    matcher = matchex.compile(job.expected)
    assert job.by_hand(job.passing)
    assert not job.by_hand(job.failing)
    verdicts = set[bool]()
    for value in (job.passing, job.failing, *broken(job.passing)):
        by_hand = job.by_hand(value)
        verdicts.add(by_hand)
        assert matcher.matches(value) is by_hand, value
        assert matcher.match(value).passed is by_hand, value
    assert verdicts == {True, False}


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_measuring_changes_no_value(job: Any) -> None:
    before = copy.deepcopy((job.expected, job.passing, job.failing))
    for value in (job.passing, job.failing):
        result = matchex.validate(value, job.expected)
        assert bool(result.failures) is not result.passed
    assert (job.expected, job.passing, job.failing) == before


def test_the_tree_written_by_hand_gives_the_score_too() -> None:
    for value in (workloads.report(), *broken(workloads.report())):
        result = matchex.validate(value, workloads.WEIGHTED_TREE)
        passed, score = workloads.score_report(value)
        assert (result.passed, result.score) == (passed, pytest.approx(score)), value


@pytest.mark.parametrize(("peer", "name"), PAIRS, ids=[f"{peer.name}: {name}" for peer, name in PAIRS])
def test_peers_give_the_verdict_too(peer: Any, name: str) -> None:
    if not peer.installed:
        pytest.skip(f"{peer.name} is not installed (make bench installs it)")
    check = peer.builders[name]()
    assert check(JOBS[name].passing) is True
    assert check(JOBS[name].failing) is False


def test_every_job_is_expressed_or_its_lack_explained() -> None:
    for peer in peers.PEERS:
        assert set(peer.builders) <= set(JOBS)
        assert set(peer.builders) == set(JOBS) or peer.lacking
