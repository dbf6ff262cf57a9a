"""What matching a value against a node gives, and the state of one match.

An `Outcome` holds just enough to be explained later: nothing in it is prepared for a reader, so that a verdict stays
cheap. A clean pass (score 1, nothing below in error) is the shared `CLEAN`; only a run in record mode, made when
somebody reads details or notes, builds outcomes for passing nodes too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from typing import Literal as OneOf

if TYPE_CHECKING:
    from matchex._node import Node

__all__ = ["CLEAN", "ERROR", "FAIL", "PASS", "TOLERANCE", "Outcome", "Run", "Status", "Trouble"]

Status = OneOf["pass", "fail", "error"]
PASS: Final[Status] = "pass"  # noqa: S105 (no password)
FAIL: Final[Status] = "fail"
ERROR: Final[Status] = "error"
TOLERANCE: Final = 1e-9
"""Sums that mean 1 are 1: scores are compared with marks up to this much."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a node could not be judged."""

    kind: str
    message: str
    cause: BaseException | None = None


class Outcome:
    """What matching one value against one node gave.

    Attributes:
        node: The node that judged (None only in `CLEAN`).
        actual: The value judged.
        status: `pass`, `fail` or `error`.
        score: 0 to 1; children in error count as failures.
        critical: A critical failure stands here or below; on an error outcome: one may.
        doubtful: A child in error might bring a critical failure, whatever the status says.
        span: Lowest and highest score that children in error allow; None where none matters, or the error is the
            node's own.
        children: Outcomes of the children, as the node knows to read them.
        info: Whatever else the node needs to explain itself; a `Trouble` where the error is its own.
    """

    # What is rarely set has its default here: making an outcome is on the way of every failing match.
    critical: bool = False
    doubtful: bool = False
    span: tuple[float, float] | None = None

    def __init__(
        self,
        node: Node | None,
        actual: object,
        status: Status,
        score: float,
        children: Sequence[Outcome] = (),
        info: Any = None,
    ) -> None:
        self.node = node
        self.actual = actual
        self.status: Status = status
        self.score = score
        self.children = children
        self.info = info

    def __reduce__(self) -> Any:
        if self is CLEAN:
            return "CLEAN"  # copied and unpickled as itself: it is compared by identity
        return _restored, (dict(self.__dict__),)


_STATUSES: Final[dict[str, Status]] = {PASS: PASS, FAIL: FAIL, ERROR: ERROR}


def _restored(state: dict[str, Any]) -> Outcome:
    out = Outcome(None, None, PASS, 0.0)
    out.__dict__.update(state)
    out.status = _STATUSES[out.status]  # the very texts: they are compared by identity
    return out


CLEAN: Final = Outcome(None, None, PASS, 1.0)
"""A pass with score 1 of which nothing was recorded."""


class Run:
    """The state of one match.

    Attributes:
        data, input, fixture: What placeholders, expressions and operators see.
        root: The root actual.
        quick: Whether clean passes are the shared `CLEAN` (else every outcome is recorded).
        keys: Path of the value being matched; kept only below nodes that need it (`Node.contextual`).
        loop: (index, length) inside the nearest list operator, else None.
        branch: Tells matches of one node at one path apart: which of them this is, on each level.
        answers: What user code answered, by node and path; it is asked at most once for each.
        pending: Awaitables that the run still waits for, by the same key.
        shared: Whether other calls may use the same expectation, so that reports must hold copies of its parts.
        waits: Whether awaitables may be collected in `pending` (an asynchronous call) or are an error.
    """

    def __init__(
        self, root: object, data: Mapping[str, Any], input: object, fixture: object, *, waits: bool = False
    ) -> None:
        self.root = root
        self.data = data
        self.input = input
        self.fixture = fixture
        self.quick = True
        self.keys: list[str | int] = []
        self.loop: tuple[int, int] | None = None
        self.branch: tuple[int, ...] = ()
        self.answers: dict[Any, Any] = {}
        self.pending: dict[Any, Any] = {}
        self.waits = waits
        self.shared = False
