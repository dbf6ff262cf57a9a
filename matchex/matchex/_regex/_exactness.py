"""Where the engines would answer otherwise than JavaScript, so that the machine must run.

Two things differ. A round of a repetition that consumes nothing is undone in JavaScript, and captures inside a
repetition are reset on each round. Neither changes whether a pattern without back-references matches, only where and
with which groups.
"""

from __future__ import annotations

from dataclasses import dataclass

from ._ast import BackReference, Capture, Chars, Choice, Expression, Look, Node, Repeat, Sequence, children, descendants


@dataclass(frozen=True, slots=True)
class Exactness:
    """For which questions the machine is needed."""

    to_search: bool
    to_find: bool


def exactness(expression: Expression) -> Exactness:
    """Whether asking "does it match?" or "where, with which groups?" needs the machine."""
    nodes = descendants(expression.root)
    loops = [node for node in nodes if isinstance(node, Repeat)]
    empty_rounds = any(_nullable(loop.body) for loop in loops)
    stale_captures = any(_has_optional_capture(loop.body) for loop in loops if loop.most != 1)
    odd_references = _References().odd(expression.root)
    refers = any(isinstance(node, BackReference) for node in nodes)
    differs = empty_rounds or stale_captures or odd_references
    return Exactness(to_search=refers and differs, to_find=differs)


def _nullable(node: Node) -> bool:
    match node:
        case Chars():
            return False
        case Sequence(items):
            return all(_nullable(item) for item in items)
        case Choice(options):
            return any(_nullable(option) for option in options)
        case Repeat(body=body, least=least):
            return least == 0 or _nullable(body)
        case Capture(body=body):
            return _nullable(body)
        case _:
            return True


def _has_optional_capture(node: Node) -> bool:
    """Whether a round through the node may leave out a group inside it."""
    match node:
        case Choice() | Repeat(least=0) | Look(negative=True):
            return any(isinstance(inner, Capture) for inner in descendants(node))
        case _:
            return any(_has_optional_capture(child) for child in children(node))


class _References:
    """Looks for references other than to a group that lies before them, both in forward direction."""

    def __init__(self) -> None:
        self._closed: set[int] = set()
        self._backward_or_negative = 0

    def odd(self, node: Node) -> bool:
        match node:
            case BackReference(group):
                return self._backward_or_negative > 0 or group not in self._closed
            case Look(body, behind, negative):
                self._backward_or_negative += behind or negative
                found = self.odd(body)
                self._backward_or_negative -= behind or negative
                return found
            case Capture(body, index):
                found = self.odd(body)
                if not self._backward_or_negative:
                    self._closed.add(index)
                return found
            case _:
                found = [self.odd(child) for child in children(node)]  # all: each closes its groups
                return any(found)
