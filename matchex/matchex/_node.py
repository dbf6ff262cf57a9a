"""The node: one compiled check, and how its outcome is explained.

A node answers two questions. `match` judges a value, cheaply: it prepares nothing for a reader. The explaining methods
(`links`, `failures`, `message`, `notes`) are asked later, with the outcome, only for what somebody reads. They never
look at the value again in a way that could run user code twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from matchex._errors import MatchingError
from matchex._outcome import CLEAN, ERROR, FAIL, PASS, TOLERANCE, Outcome, Run, Status, Trouble
from matchex._paths import Keys
from matchex._report import Failure
from matchex._show import show
from matchex._strategies import WEIGHTED, Part, Strategy
from matchex._values import Sorted

__all__ = [
    "At",
    "Broken",
    "Keys",
    "Leaf",
    "Link",
    "Marked",
    "Node",
    "alternative_failures",
    "earns_all",
    "failures_in",
    "link_failures",
    "links_in",
    "match_at",
    "match_below",
    "match_tree",
    "raised_by_value",
    "weigh",
]

_NONE: Final[Keys] = ()
_CARRIERS: Final = frozenset({"$expect", "$value", "$of"})
"""Keys below which an expectation stands that is no operand of theirs."""


@dataclass(frozen=True, slots=True)
class At:
    """Where in the report an outcome stands: its path, and what the nodes above say about its failures."""

    keys: Keys = _NONE
    critical: bool = False
    title: str | None = None

    def below(self, keys: Keys) -> At:
        """The place of a child."""
        return At((*self.keys, *keys), self.critical, self.title) if keys else self


class Link(NamedTuple):
    """A child in the report.

    Attributes:
        label: Its name among its siblings in `details`, as `a`, `[0]`, `$or[1]`, `$gt`.
        keys: Its path below its parent's.
        weight: Its share; negative for a penalty.
        outcome: What it gave.
        counts: Whether its container's score rests on it; false for a candidate that was not chosen, and below `$not`.
    """

    label: str
    keys: Keys
    weight: float
    outcome: Outcome
    counts: bool = True


class Node:
    """One compiled check.

    Attributes:
        place: Where it stands in the expectation.
        expected: What the report shows as expected.
        weight: The weight written on it, for the container that reads it.
        critical: Whether, as a penalty that matched, it makes its container fail.
        contextual: Whether something in it reads the path or the loop (expressions, user code), so that containers
            have to keep them.
        plain: Whether nothing in it runs user code or can be expected to be in error, so that the short way of
            `quick` may be taken.
    """

    __slots__ = ("contextual", "critical", "expected", "place", "plain", "weight")

    def __init__(self, place: Keys, expected: object, children: Iterable[Node] = ()) -> None:
        self.place = place
        self.expected = expected
        self.weight: float | None = None
        self.critical = False
        self.contextual = False
        self.plain = True
        for child in children:
            self.contextual = self.contextual or child.contextual
            self.plain = self.plain and child.plain

    @property
    def written(self) -> object:
        """The expectation as it was written, with the operator's name where it is one."""
        name = self.place[-1] if self.place else None
        is_operator = isinstance(name, str) and name[:1] == "$" and name not in _CARRIERS
        return {name: self.expected} if is_operator else self.expected

    def match(self, actual: object, run: Run) -> Outcome:
        """Judge `actual`."""
        raise NotImplementedError

    def quick(self, actual: object, run: Run) -> bool | None:
        """The short way to a verdict: True for a pass with score 1, False for a failure, None where `match` must tell.

        What it raises means None too.
        """
        return None

    @property
    def check(self) -> Callable[[object, Run], bool | None]:
        """The function that containers call for `quick`."""
        return self.quick

    def links(self, out: Outcome) -> Iterable[Link]:
        """The children of an outcome, for details, errors and notes."""
        return ()

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        """The failures of an outcome that did not pass: one at its own path, unless the node knows better."""
        if not isinstance(out.info, Trouble):
            yield self.failure(out, at)

    def failure(self, out: Outcome, at: At, message: str | None = None) -> Failure:
        """One failure at the node's own path."""
        text = self.message(out) if message is None else message
        actual = out.actual.source if isinstance(out.actual, Sorted) else out.actual
        return Failure(at.keys, self.place, text, self.expected, actual, at.critical, at.title)

    def message(self, out: Outcome) -> str:
        """Why the value does not match: what was expected and what came."""
        raise NotImplementedError

    def notes(self, out: Outcome) -> Iterable[tuple[str, str]]:
        """What a reader should know about an outcome that passed: pairs of kind and message."""
        return ()

    def broken(self, actual: object, kind: str, message: str, cause: BaseException | None = None) -> Outcome:
        """An outcome in error, for a reason of the node's own."""
        return Outcome(self, actual, ERROR, 0.0, info=Trouble(kind, message, cause))


def raised_by_value(error: Exception) -> str:
    """The message for an exception that came out of the matched value itself."""
    return f"looking at the value raised {type(error).__name__}: {error}"


class Leaf(Node):
    """A node without children, which holds or does not."""

    __slots__ = ()

    def test(self, actual: object, run: Run) -> bool:
        """Whether `actual` matches.

        Raises:
            MatchingError: The check cannot be done.
        """
        raise NotImplementedError

    def match(self, actual: object, run: Run) -> Outcome:
        try:
            if self.test(actual, run):
                return CLEAN if run.quick else Outcome(self, actual, PASS, 1.0)
        except MatchingError as error:
            return self.broken(actual, error.kind, error.message, error.__cause__)
        except RecursionError as error:
            return self.broken(actual, "depth", "the value is nested too deeply (or holds itself)", error)
        except Exception as error:  # from a method of the value
            return self.broken(actual, "value", raised_by_value(error), error)
        return Outcome(self, actual, FAIL, 0.0)

    def quick(self, actual: object, run: Run) -> bool | None:
        return self.test(actual, run)

    def is_silent(self, actual: object) -> bool:
        """Whether there is surely nothing to note about `actual`, which holds: the short way to no notes."""
        return type(self).notes is Node.notes

    @property
    def check(self) -> Callable[[object, Run], bool | None]:
        return self.test


class Broken(Node):
    """Stands where no check could be compiled; whatever it meets, the outcome is an error."""

    __slots__ = ("trouble",)

    def __init__(self, place: Keys, expected: object, trouble: Trouble) -> None:
        super().__init__(place, expected)
        self.trouble = trouble
        self.plain = False

    def match(self, actual: object, run: Run) -> Outcome:
        return Outcome(self, actual, ERROR, 0.0, info=self.trouble)


def match_tree(tree: Node, actual: object, run: Run) -> Outcome:
    """Match a value against a whole tree; whatever goes wrong on the way is an outcome in error."""
    run.keys.clear()
    try:
        return tree.match(actual, run)
    except RecursionError as error:
        message = "the value is nested too deeply for the interpreter's stack (or holds itself)"
        return tree.broken(actual, "depth", message, error)
    except Exception as error:  # from a method of the value
        return tree.broken(actual, "value", raised_by_value(error), error)


class Marked(Node):
    """A node with metadata that change its verdict or its report: critical, threshold, title, dimension."""

    __slots__ = ("dimension", "inner", "threshold", "title")

    def __init__(
        self,
        inner: Node,
        *,
        critical: bool = False,
        threshold: float | None = None,
        title: str | None = None,
        dimension: str | None = None,
    ) -> None:
        super().__init__(inner.place, inner.expected, (inner,))
        self.inner = inner
        self.weight = inner.weight
        self.critical = critical
        self.threshold = threshold
        self.title = title
        self.dimension = dimension

    def match(self, actual: object, run: Run) -> Outcome:
        inner = self.inner.match(actual, run)
        if inner is CLEAN:
            return CLEAN
        out = Outcome(self, actual, self._status(inner), inner.score, (inner,))
        out.span = inner.span
        if out.status is not PASS:
            out.critical = inner.critical or (self.critical and out.status is FAIL)
            out.doubtful = inner.doubtful or (self.critical and out.status is ERROR)
        return out

    def quick(self, actual: object, run: Run) -> bool | None:
        verdict = self.inner.quick(actual, run)
        return verdict if verdict or self.threshold is None else None

    def _status(self, inner: Outcome) -> Status:
        if self.threshold is None or (inner.status is ERROR and inner.span is None):
            return inner.status
        lowest, highest = inner.span or (inner.score, inner.score)
        mark = self.threshold - TOLERANCE
        surely = lowest >= mark and not inner.critical and not inner.doubtful
        perhaps = highest >= mark and not inner.critical
        return PASS if surely else ERROR if perhaps else FAIL

    def links(self, out: Outcome) -> Iterable[Link]:
        return (Link("", _NONE, 1.0, out.children[0]),)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        inner = out.children[0]
        here = At(at.keys, at.critical or self.critical, self.title or at.title)
        found = False
        if inner.node is not None and inner.status is not PASS:
            for failure in failures_in(inner, here):
                found = True
                yield failure
        if not found and out.status is FAIL:
            yield self.failure(out, here)

    def message(self, out: Outcome) -> str:
        return f"the score {out.score:.4g} is below the threshold {self.threshold:g}"


def earns_all(shares: Sequence[float]) -> bool:
    """Whether siblings that all pass with score 1 make a container that passes with score 1."""
    return not shares or (min(shares) >= 0 and sum(shares) > 0)


def match_at(node: Node, value: object, keys: Keys, weight: float, run: Run) -> Outcome:
    """Match a child, keeping its path where something in it reads it, and its outcome where it is a penalty."""
    if weight >= 0:
        return match_below(node, value, keys, run)
    quick, run.quick = run.quick, False  # a penalty that matches is reported: it must not become the shared CLEAN
    try:
        return match_below(node, value, keys, run)
    finally:
        run.quick = quick


def match_below(node: Node, value: object, keys: Keys, run: Run) -> Outcome:
    """Match a child, keeping its path where something in it reads it."""
    if not node.contextual:
        return node.match(value, run)
    depth = len(run.keys)
    run.keys.extend(keys)
    try:
        return node.match(value, run)
    finally:
        del run.keys[depth:]


def failures_in(out: Outcome, at: At) -> Iterator[Failure]:
    """The failures of an outcome; none where the node itself could not be judged."""
    if out.node is not None and out.status is not PASS and not isinstance(out.info, Trouble):
        yield from out.node.failures(out, at)


def links_in(out: Outcome) -> Iterable[Link]:
    """The children of an outcome; none where the node itself could not be judged."""
    return () if out.node is None or isinstance(out.info, Trouble) else out.node.links(out)


def alternative_failures(node: Node, out: Outcome, links: Sequence[Link], at: At) -> Iterator[Failure]:
    """The failures of alternatives: one at their own place where none passed, and those of critical penalties."""
    if not any(link.weight >= 0 and link.outcome.status is PASS for link in links):
        yield node.failure(out, at)
    yield from link_failures((link for link in links if link.weight < 0), at)


def link_failures(links: Iterable[Link], at: At) -> Iterator[Failure]:
    """The failures of siblings that are all needed: of failed rewards, and of critical penalties that matched."""
    for link in links:
        node = link.outcome.node
        if node is None:
            continue
        if link.weight >= 0:
            if link.outcome.status is not PASS:
                yield from failures_in(link.outcome, at.below(link.keys))
        elif node.critical and link.outcome.status is PASS:
            yield fired_penalty(link.outcome, at.below(link.keys))


def fired_penalty(out: Outcome, at: At) -> Failure:
    """The failure of a critical penalty: the value matched what it must not match."""
    node = out.node
    assert node is not None
    title = node.title if isinstance(node, Marked) else None
    message = title or f"matches {show(node.written)}, which it must not (a critical penalty)"
    return Failure(at.keys, node.place, message, node.expected, out.actual, True, title or at.title)


def weigh(
    node: Node,
    actual: object,
    outcomes: Sequence[Outcome],
    weights: Sequence[float],
    criticals: Sequence[bool] | None = None,
    strategy: Strategy = WEIGHTED,
    info: object = None,
) -> Outcome:
    """Combine the outcomes of siblings: rewards by the strategy, penalties subtracted, errors read both ways.

    A child in error may be a pass with score 1 or a failure with score 0. Where the best and the worst reading give one
    verdict, that is it; otherwise the container is in error.
    """
    if strategy is WEIGHTED and min(weights, default=0.0) >= 0:
        out = _weigh_rewards(node, actual, outcomes, weights, info)
        if out is not None:
            return out
    siblings = list(zip(outcomes, weights, criticals or [False] * len(outcomes), strict=True))
    verdict, score, fired = _settle(siblings, strategy, reward=False, penalty=False)
    out = Outcome(node, actual, PASS if verdict else FAIL, score, outcomes, info)
    failing = [child for child, weight, _ in siblings if weight >= 0 and child.status is not PASS]
    out.critical = fired or (strategy.all_needed and any(child.critical for child in failing))
    if any(child.status is ERROR for child in outcomes):
        worst, lowest, _ = _settle(siblings, strategy, reward=False, penalty=True)
        best, highest, _ = _settle(siblings, strategy, reward=True, penalty=False)
        out.span = (lowest, highest)
        out.status = PASS if worst else ERROR if best else FAIL
        out.doubtful = any(child.status is ERROR and critical for child, weight, critical in siblings if weight < 0)
        out.doubtful |= strategy.all_needed and any(child.doubtful for child in failing)
    return out


def _weigh_rewards(
    node: Node, actual: object, outcomes: Sequence[Outcome], weights: Sequence[float], info: object = None
) -> Outcome | None:
    """`weigh` for the commonest case, the weighted sum of rewards none of which is in error; None for another."""
    score, status, critical = 0.0, PASS, False
    for out, weight in zip(outcomes, weights, strict=True):
        if out is CLEAN:
            score += weight
            continue
        if out.status is not PASS:
            if out.status is ERROR:
                return None
            status = FAIL
            critical = critical or out.critical
        score += out.score * weight
    made = Outcome(node, actual, status, min(score, 1.0) if outcomes else 1.0, outcomes, info)
    if critical:
        made.critical = True
    return made


Sibling = tuple[Outcome, float, bool]


def _settle(
    siblings: Sequence[Sibling], strategy: Strategy, *, reward: bool, penalty: bool
) -> tuple[bool, float, bool]:
    """Verdict, score, and whether a critical penalty fired, reading rewards and penalties in error as told."""
    parts: list[Part] = []
    minus, fired = 0.0, False
    for out, weight, critical in siblings:
        if weight >= 0:
            score = float(reward) if out.status is ERROR else out.score
            parts.append(Part(out.status is PASS or (reward and out.status is ERROR), score, weight))
        elif out.status is PASS or (penalty and out.status is ERROR):
            minus -= weight * (1.0 if out.status is ERROR else out.score)
            fired = fired or critical
    verdict, score = strategy.combine(parts)
    return verdict and not fired, min(max(score - minus, 0.0), 1.0), fired
