"""Operators that combine operands for the same value: `$and`, `$or`, `$not`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from matchex._items import first_reason
from matchex._node import (
    At,
    Keys,
    Link,
    Node,
    alternative_failures,
    earns_all,
    link_failures,
    match_at,
    match_tree,
    weigh,
)
from matchex._outcome import CLEAN, ERROR, FAIL, PASS, Outcome, Run
from matchex._report import Failure
from matchex._show import show
from matchex._strategies import MAX, WEIGHTED, Strategy, WeightOptions
from matchex._values import MISSING, as_list

__all__ = ["AndNode", "NotNode", "OperatorsNode", "OrNode"]


class BranchesNode(Node):
    """Base of `$and` and `$or`: several operands for the same value."""

    __slots__ = ("branches", "checks", "shares")
    name: str
    strategy: Strategy

    def __init__(self, place: Keys, expected: object, branches: Sequence[Node], options: WeightOptions) -> None:
        super().__init__(place, expected, branches)
        self.branches = tuple(branches)
        self.shares = self.strategy.weights([branch.weight for branch in branches], options)
        self.checks = [branch.check for branch in branches]

    def match(self, actual: object, run: Run) -> Outcome:
        outcomes = [
            match_at(branch, actual, (), share, run) for branch, share in zip(self.branches, self.shares, strict=True)
        ]
        if run.quick and self.clean(outcomes):
            return CLEAN
        criticals = [branch.critical for branch in self.branches]
        return weigh(self, actual, outcomes, self.shares, criticals, self.strategy)

    def clean(self, outcomes: list[Outcome]) -> bool:
        """Whether these outcomes make a clean pass."""
        raise NotImplementedError

    def label(self, i: int) -> str:
        """The name of branch `i` among its siblings."""
        return f"{self.name}[{i}]"

    def links(self, out: Outcome) -> Iterable[Link]:
        for i, (share, child) in enumerate(zip(self.shares, out.children, strict=True)):
            yield Link(self.label(i), (), share, child, self.counts(i, out))

    def counts(self, i: int, out: Outcome) -> bool:
        """Whether the score rests on branch `i`."""
        return True


class AndNode(BranchesNode):
    """`$and`: every operand matches."""

    __slots__ = ("simple",)
    name = "$and"
    strategy = WEIGHTED

    def __init__(self, place: Keys, expected: object, branches: Sequence[Node], options: WeightOptions) -> None:
        super().__init__(place, expected, branches, options)
        self.simple = earns_all(self.shares)

    def match(self, actual: object, run: Run) -> Outcome:
        if not self.simple:
            return super().match(actual, run)
        outcomes = [branch.match(actual, run) for branch in self.branches]
        if run.quick and self.clean(outcomes):
            return CLEAN
        return weigh(self, actual, outcomes, self.shares)

    def clean(self, outcomes: list[Outcome]) -> bool:
        return self.simple and outcomes.count(CLEAN) == len(outcomes)

    def quick(self, actual: object, run: Run) -> bool | None:
        if not self.simple:
            return None
        doubt = False
        for check in self.checks:
            verdict = check(actual, run)
            if not verdict:
                if verdict is False:
                    return False
                doubt = True
        return None if doubt else True

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        yield from link_failures(self.links(out), at)

    def message(self, out: Outcome) -> str:
        return "not every operand matches"


class OperatorsNode(AndNode):
    """Several operators of one mapping, without any field: a conjunction over the same value."""

    __slots__ = ("names",)

    def __init__(
        self, place: Keys, expected: object, names: Sequence[str], nodes: Sequence[Node], options: WeightOptions
    ) -> None:
        super().__init__(place, expected, nodes, options)
        self.names = tuple(names)

    def label(self, i: int) -> str:
        return self.names[i]


class OrNode(BranchesNode):
    """`$or`: at least one operand matches."""

    __slots__ = ()
    name = "$or"
    strategy = MAX

    def counts(self, i: int, out: Outcome) -> bool:
        return self.shares[i] < 0 or i == best_of(out.children, self.shares)

    def clean(self, outcomes: list[Outcome]) -> bool:
        if min(self.shares) < 0:
            return False
        whole = any(share >= 1 and out is CLEAN for share, out in zip(self.shares, outcomes, strict=True))
        return whole and not any(out.status is ERROR for out in outcomes)

    def quick(self, actual: object, run: Run) -> bool | None:
        if min(self.shares) < 1:
            return None
        verdicts = [check(actual, run) for check in self.checks]
        return None if None in verdicts else True in verdicts

    def matching(self, actual: object) -> str:
        """The first operand that matches, in words; nothing where that hangs on more than the value."""
        if not self.plain:
            return ""
        run = Run(actual, {}, None, None)
        for i, (branch, share) in enumerate(zip(self.branches, self.shares, strict=True)):
            if share >= 0 and match_tree(branch, actual, run).status is PASS:
                return f"{self.label(i)} {show(branch.written)}"
        return ""

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        yield from alternative_failures(self, out, list(self.links(out)), at)

    def message(self, out: Outcome) -> str:
        reasons = [f"{link.label} {first_reason(link.outcome)}" for link in self.links(out) if link.weight >= 0]
        return "none of the alternatives matches:" + "".join(f"\n{reason}" for reason in reasons)


def best_of(outcomes: Sequence[Outcome], shares: Sequence[float]) -> int:
    """The reward that alternatives get their score from; -1 where there is none."""
    rewards = [i for i, share in enumerate(shares) if share >= 0]
    return max(rewards, key=lambda i: (outcomes[i].status is PASS, shares[i] * outcomes[i].score), default=-1)


class NotNode(Node):
    """`$not`: the operand does not match."""

    __slots__ = ("inner",)

    def __init__(self, place: Keys, expected: object, inner: Node) -> None:
        super().__init__(place, expected, (inner,))
        self.inner = inner

    def match(self, actual: object, run: Run) -> Outcome:
        inner = self.inner.match(actual, run)
        if inner.status is FAIL:
            if run.quick and not _has_errors(inner):
                return CLEAN
            return Outcome(self, actual, PASS, 1.0, (inner,))
        out = Outcome(self, actual, FAIL if inner.status is PASS else ERROR, 0.0, (inner,))
        out.span = (0.0, 1.0) if inner.status is ERROR else None
        return out

    def quick(self, actual: object, run: Run) -> bool | None:
        verdict = self.inner.quick(actual, run)
        return None if verdict is None else not verdict

    def links(self, out: Outcome) -> Iterable[Link]:
        yield Link("$not", (), 1.0, out.children[0], counts=False)

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        if out.status is FAIL:  # with the errors below read as failures, $not would pass
            yield self.failure(out, at)

    def message(self, out: Outcome) -> str:
        branch = self.inner.matching(out.actual) if isinstance(self.inner, OrNode) else ""
        return f"must not match {show(self.expected)}, but {f'{branch} does' if branch else 'does'}"

    def notes(self, out: Outcome) -> Iterable[tuple[str, str]]:
        if out.actual is MISSING:
            yield "vacuous", "$not held because the field is missing"
        elif isinstance(self.expected, list) and as_list(out.actual) is None:
            yield (
                "other-kind",
                "$not of a list held because the value is no list; for none of several it takes {$or: […]}",
            )


def _has_errors(out: Outcome) -> bool:
    """Whether something in a failed outcome is in error, which the report must keep."""
    return any(child.status is ERROR or _has_errors(child) for child in out.children)
