"""`$similar`, and the semantic diff of `$diff` and of plain texts under a `diff` option."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

from matchex._asking import ask, describe
from matchex._diff import AllowedChange, Change, Diff, Verdict, diff_json, diff_texts, judge_changes
from matchex._errors import MatchingError
from matchex._meta import Meta
from matchex._node import At, Keys, Node
from matchex._outcome import CLEAN, FAIL, PASS, TOLERANCE, Outcome, Run
from matchex._regex import PatternTimeout
from matchex._report import Failure
from matchex._show import show
from matchex._similarity import SimilarityTooLarge, similarity
from matchex._strategies import WEIGHTED, WeightOptions
from matchex._strict_json import JsonTextError, parse_json_text
from matchex._values import equal, trim, type_name

__all__ = ["AllowedItem", "DiffNode", "DiffRule", "SimilarNode"]


class SimilarNode(Node):
    """`$similar`: the similarity of two texts is the score."""

    __slots__ = ("minimum", "text")

    def __init__(self, place: Keys, expected: object, text: str, minimum: float) -> None:
        super().__init__(place, expected)
        self.text = text
        self.minimum = minimum

    def match(self, actual: object, run: Run) -> Outcome:
        if not isinstance(actual, str):
            return Outcome(self, actual, FAIL, 0.0)
        try:
            score = similarity(trim(actual), self.text)
        except SimilarityTooLarge as error:
            return self.broken(actual, "limit", str(error), error)
        if score >= 1 and run.quick:
            return CLEAN
        return Outcome(self, actual, PASS if score >= self.minimum - TOLERANCE else FAIL, score)

    def quick(self, actual: object, run: Run) -> bool | None:
        return None if isinstance(actual, str) else False  # to be compared once, not tried first

    def message(self, out: Outcome) -> str:
        if not isinstance(out.actual, str):
            return f"$similar takes a text, got {type_name(out.actual)}"
        return f"the text is {out.score:.3f} similar to {show(self.text)}, less than {self.minimum:g}"

    def failure(self, out: Outcome, at: At, message: str | None = None) -> Failure:
        failure = super().failure(out, at, message)
        return replace(failure, compared=(self.text, trim(out.actual))) if isinstance(out.actual, str) else failure


def _parsed(text: str) -> object:
    """The JSON in a text, or the text where it is none."""
    try:
        return parse_json_text(text, fence=False)
    except JsonTextError:
        return text


class AllowedItem(NamedTuple):
    """An item of a white-list with its metadata."""

    change: AllowedChange
    meta: Meta


@dataclass(frozen=True, slots=True)
class DiffRule:
    """How two texts are compared, and which changes are allowed.

    Attributes:
        kind: The type of diff.
        items: The white-list; None: no change is allowed.
        permissive: Whether changes that are not listed are allowed.
        strict: Whether every item of the list must occur.
        check: A function that tells which changes are accepted, instead of a list.
        settings: `ignore_case` and the like.
    """

    kind: str = "auto"
    items: tuple[AllowedItem, ...] | None = None
    permissive: bool = False
    strict: bool = False
    check: Callable[..., Any] | None = None
    settings: dict[str, bool] = field(default_factory=dict[str, bool])


class Judged(NamedTuple):
    """What came of a comparison, for the report."""

    diff: Diff
    reasons: Sequence[str]
    critical: bool


class DiffNode(Node):
    """`$diff`, and a plain text under a `diff` option: which changes lead from the expected text to the actual one."""

    __slots__ = ("options", "rule", "timeout", "value")

    def __init__(
        self, place: Keys, expected: object, value: object, rule: DiffRule, options: WeightOptions, timeout: float
    ) -> None:
        super().__init__(place, expected)
        self.value = trim(value) if isinstance(value, str) else value
        self.rule = rule
        self.options = options
        self.timeout = timeout
        self.contextual = rule.check is not None
        self.plain = rule.check is None

    def match(self, actual: object, run: Run) -> Outcome:
        if not isinstance(actual, str):
            return Outcome(self, actual, FAIL, 0.0)
        if actual == self.value and not self.rule.items and self.rule.check is None and run.quick:
            return CLEAN
        try:
            diff = self._compare(trim(actual))
            if self.rule.check is not None:
                return self._checked(actual, diff, run)
            if self.rule.items is not None:
                return self._listed(actual, diff, self.rule.items, run)
        except MatchingError as error:
            return self.broken(actual, error.kind, error.message, error.__cause__)
        return self._plain(actual, diff, run)

    def _compare(self, actual: str) -> Diff:
        try:
            if isinstance(self.value, str):
                return diff_texts(self.value, actual, self.rule.kind, **self.rule.settings)
            return diff_json(self.value, _parsed(actual))
        except ValueError as error:  # nested too deeply, or holding itself
            raise MatchingError("depth", str(error)) from error

    def _plain(self, actual: object, diff: Diff, run: Run) -> Outcome:
        if not diff.changed:
            return CLEAN if run.quick else Outcome(self, actual, PASS, 1.0)
        return Outcome(self, actual, FAIL, 0.0, info=Judged(diff, (), critical=False))

    def _listed(self, actual: object, diff: Diff, items: Sequence[AllowedItem], run: Run) -> Outcome:
        rule = self.rule
        changes = [item.change for item in items]
        try:
            verdict = judge_changes(
                diff, changes, permissive=rule.permissive, strict=rule.strict, equal=equal, timeout=self.timeout
            )
        except PatternTimeout as error:
            raise MatchingError("timeout", str(error)) from error
        if verdict.doubtful:
            message = "the texts differ too much for a minimal diff, so the list of allowed changes cannot be judged"
            return self.broken(actual, "limit", message)
        score = self._list_score(items, verdict)
        fired = [items[i] for i in verdict.credited if items[i].change.penalty and items[i].meta.critical]
        reasons = [*verdict.reasons, *(f"{item.meta.title or 'a critical change'} occurs" for item in fired)]
        if not reasons and score >= 1 and run.quick:
            return CLEAN
        critical = bool(fired) or any(items[i].meta.critical for i in verdict.missing)
        out = Outcome(self, actual, FAIL if reasons else PASS, score, info=Judged(diff, reasons, critical))
        out.critical = critical and bool(reasons)
        return out

    def _list_score(self, items: Sequence[AllowedItem], verdict: Verdict) -> float:
        """The weights of the items found and the strictness share, among those that could be earned."""
        rule = self.rule
        found = set(verdict.credited)
        counted = [i for i, item in enumerate(items) if i in found or item.change.required or rule.strict]
        counted = [i for i in counted if i in found or not items[i].change.penalty]
        weights = [items[i].meta.weight for i in counted]
        earned = [i in found for i in counted]
        if rule.strict or not rule.permissive:
            weights.append(None)
            earned.append(not verdict.unlisted)
        shares = WEIGHTED.weights(weights, self.options)
        if all(share < 0 for share in shares):
            return max(1 + sum(shares), 0.0)
        score = sum((share for share, is_earned in zip(shares, earned, strict=True) if is_earned), 0.0)
        return min(max(score, 0.0), 1.0)

    def _checked(self, actual: object, diff: Diff, run: Run) -> Outcome:
        """Let a function tell which changes it accepts: it is called with the text, the input and the changes."""
        check = cast("Callable[..., Any]", self.rule.check)
        answer = ask(run, self, describe(check), check, actual, run.input, diff.changes)
        if isinstance(answer, bool):
            accepted: Sequence[Change] = diff.changes if answer else ()
        elif isinstance(answer, (list, tuple)):
            accepted = cast("Sequence[Change]", answer)
        else:
            message = (
                f"{describe(check)} returned {type_name(answer)}; it must return the changes it accepts, or a bool"
            )
            return self.broken(actual, "operator", message)
        if all(change.sign == " " or change in accepted for change in diff.changes):
            return CLEAN if run.quick else Outcome(self, actual, PASS, 1.0)
        reason = f"{describe(check)} does not accept every change"
        return Outcome(self, actual, FAIL, 0.0, info=Judged(diff, (reason,), critical=False))

    def failures(self, out: Outcome, at: At) -> Iterator[Failure]:
        judged = out.info if isinstance(out.info, Judged) else None
        if judged is None and isinstance(out.actual, str):
            return
        here = At(at.keys, at.critical or (judged is not None and judged.critical), at.title)
        failure = self.failure(out, here)
        yield replace(failure, compared=judged.diff) if judged is not None else failure

    def message(self, out: Outcome) -> str:
        judged = out.info
        if not isinstance(judged, Judged):
            return f"expected a text to compare, got {type_name(out.actual)}"
        if judged.reasons:
            return "; ".join(judged.reasons)
        return f"the text differs from {show(self.value)}"
