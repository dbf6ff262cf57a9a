"""A small backtracking machine that follows ECMAScript to the letter.

No engine at hand agrees with JavaScript about captures inside repetitions (they are reset on each round) and about
rounds that consume nothing (they are undone). Patterns in which that shows run here: slower, but exact, and bounded in
time and memory.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from ._ast import (
    BackReference,
    Capture,
    Chars,
    Choice,
    End,
    Expression,
    Look,
    Node,
    Repeat,
    Sequence,
    Start,
    WordEdge,
    descendants,
)

_STEPS_PER_LOOK_AT_THE_CLOCK = 1024
_MOST_OPEN_CHOICES = 300_000
_CHARACTERS_PER_STEP = 1000

Spans = tuple[int, ...]
"""Start and end of each group, -1 where it took no part; group 0 first."""
_State = tuple[int, int, Spans, tuple[tuple[int, int], ...]]
"""Next instruction, place in the subject, groups, and per loop the count of rounds and where the last one began."""
_Step = Callable[["_Run", int, Spans, tuple[tuple[int, int], ...]], "_State | None"]


class OutOfBounds(Exception):
    """The time or the memory allowed was used up."""


class Machine:
    """A compiled expression."""

    def __init__(self, expression: Expression) -> None:
        self._groups = expression.group_count
        self._loops = 0
        self._steps: list[_Step] = []
        self._compile(expression.root, backward=False)
        self._add(_accept)

    def match(self, subject: str, start: int, *, deadline: float, sticky: bool) -> Spans | None:
        """The spans of the groups of the first match at or (unless sticky) after `start`.

        Raises:
            OutOfBounds: the deadline (by `time.monotonic`) passed, or too many choices were open.
        """
        run = _Run(self._steps, subject, deadline)
        unset = (-1,) * (2 * self._groups + 2)
        loops = ((0, 0),) * self._loops
        for place in range(start, start + 1 if sticky else len(subject) + 1):
            found = run.execute((0, place, unset, loops))
            if found is not None:
                return (place, found[0], *found[1][2:])
        return None

    # ---- compilation ----

    def _add(self, step: _Step) -> int:
        self._steps.append(step)
        return len(self._steps) - 1

    def _compile(self, node: Node, *, backward: bool) -> None:
        match node:
            case Chars():
                self._add(_character(node, len(self._steps) + 1, backward))
            case Sequence(items):
                for item in reversed(items) if backward else items:
                    self._compile(item, backward=backward)
            case Choice(options):
                self._choice(options, backward)
            case Repeat():
                self._repeat(node, backward)
            case Capture():
                self._capture(node, backward)
            case Look():
                self._look(node)
            case Start() | End() | WordEdge():
                self._add(_assertion(node, len(self._steps) + 1))
            case BackReference(group):
                self._add(_back_reference(group, len(self._steps) + 1, backward))
            case _:
                raise AssertionError(f"{type(node).__name__} does not occur in JavaScript")

    def _choice(self, options: tuple[Node, ...], backward: bool) -> None:
        exits: list[int] = []
        for option in options[:-1]:
            fork = self._add(_fail)
            self._compile(option, backward=backward)
            exits.append(self._add(_fail))
            self._steps[fork] = _fork(fork + 1, len(self._steps))
        self._compile(options[-1], backward=backward)
        for place in exits:
            self._steps[place] = _jump(len(self._steps))

    def _repeat(self, node: Repeat, backward: bool) -> None:
        loop = self._loops
        self._loops += 1
        groups = [inner.index for inner in descendants(node.body) if isinstance(inner, Capture)]
        self._add(_enter_loop(loop, len(self._steps) + 1))
        head = self._add(_fail)
        begin = self._add(_begin_round(loop, frozenset(groups), len(self._steps) + 1))
        self._compile(node.body, backward=backward)
        self._add(_end_round(loop, node.least, head))
        self._steps[head] = _loop_head(loop, node, begin, len(self._steps))

    def _capture(self, node: Capture, backward: bool) -> None:
        # The place where the group was entered is kept like a loop's, so that nesting and backtracking restore it.
        register = self._loops
        self._loops += 1
        self._add(_enter_loop(register, len(self._steps) + 1))
        self._compile(node.body, backward=backward)
        self._add(_close_group(node.index, register, len(self._steps) + 1, backward))

    def _look(self, node: Look) -> None:
        place = self._add(_fail)
        self._compile(node.body, backward=node.behind)
        self._add(_accept)
        self._steps[place] = _look(node.negative, place + 1, len(self._steps))


class _Run:
    """One search over one subject."""

    def __init__(self, steps: list[_Step], subject: str, deadline: float) -> None:
        self.subject = subject
        self.choices: list[_State] = []
        self._steps = steps
        self._deadline = deadline
        self.left = _STEPS_PER_LOOK_AT_THE_CLOCK

    def execute(self, state: _State) -> tuple[int, Spans] | None:
        """Run from a state until a match (its end and groups) or until no choice made since is left."""
        floor = len(self.choices)
        steps = self._steps
        while True:
            self.left -= 1
            if self.left < 0:
                self._check_bounds()
            instruction, place, spans, loops = state
            if instruction == _ACCEPTED:
                del self.choices[floor:]
                return place, spans
            following = steps[instruction](self, place, spans, loops)
            if following is None:
                if len(self.choices) == floor:
                    return None
                following = self.choices.pop()
            state = following

    def _check_bounds(self) -> None:
        self.left = _STEPS_PER_LOOK_AT_THE_CLOCK
        if monotonic() > self._deadline or len(self.choices) > _MOST_OPEN_CHOICES:
            raise OutOfBounds


_ACCEPTED = -1


def _accept(_run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State:
    return _ACCEPTED, place, spans, loops


def _fail(_run: _Run, _place: int, _spans: Spans, _loops: tuple[tuple[int, int], ...]) -> None:
    return None


def _jump(target: int) -> _Step:
    return lambda _run, place, spans, loops: (target, place, spans, loops)


def _fork(first: int, second: int) -> _Step:
    def step(run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State:
        run.choices.append((second, place, spans, loops))
        return first, place, spans, loops

    return step


def _character(node: Chars, following: int, backward: bool) -> _Step:
    chars = node.chars
    known: dict[str, bool] = {}

    def step(run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State | None:
        at = place - 1 if backward else place
        if not 0 <= at < len(run.subject):
            return None
        char = run.subject[at]
        member = known.get(char)
        if member is None:
            member = known[char] = ord(char) in chars
        return (following, at if backward else at + 1, spans, loops) if member else None

    return step


def _assertion(node: Start | End | WordEdge, following: int) -> _Step:
    def holds(subject: str, place: int) -> bool:
        match node:
            case Start():
                return place == 0
            case End():
                return place == len(subject)
            case WordEdge(chars, negative):
                before = place > 0 and ord(subject[place - 1]) in chars
                after = place < len(subject) and ord(subject[place]) in chars
                return (before == after) == negative

    return lambda run, place, spans, loops: (following, place, spans, loops) if holds(run.subject, place) else None


def _back_reference(group: int, following: int, backward: bool) -> _Step:
    def step(run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State | None:
        start, end = spans[2 * group], spans[2 * group + 1]
        if end < 0:
            return following, place, spans, loops
        run.left -= (end - start) // _CHARACTERS_PER_STEP
        begin = place - (end - start) if backward else place
        if begin < 0 or not run.subject.startswith(run.subject[start:end], begin):
            return None
        return following, begin if backward else place + end - start, spans, loops

    return step


def _enter_loop(loop: int, following: int) -> _Step:
    def step(_run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State:
        return following, place, spans, (*loops[:loop], (0, place), *loops[loop + 1 :])

    return step


def _loop_head(loop: int, node: Repeat, begin: int, leave: int) -> _Step:
    least, most, lazy = node.least, node.most, node.mode == "lazy"

    def step(run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State:
        rounds = loops[loop][0]
        if rounds < least:
            return begin, place, spans, loops
        if most is not None and rounds >= most:
            return leave, place, spans, loops
        first, second = (leave, begin) if lazy else (begin, leave)
        run.choices.append((second, place, spans, loops))
        return first, place, spans, loops

    return step


def _begin_round(loop: int, groups: frozenset[int], following: int) -> _Step:
    def step(_run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State:
        if groups:
            spans = tuple(-1 if index // 2 in groups else value for index, value in enumerate(spans))
        return following, place, spans, (*loops[:loop], (loops[loop][0] + 1, place), *loops[loop + 1 :])

    return step


def _end_round(loop: int, least: int, head: int) -> _Step:
    def step(_run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State | None:
        rounds, began = loops[loop]
        return None if rounds > least and place == began else (head, place, spans, loops)

    return step


def _close_group(group: int, register: int, following: int, backward: bool) -> _Step:
    def step(_run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State:
        entered = loops[register][1]
        span = (place, entered) if backward else (entered, place)
        return following, place, (*spans[: 2 * group], *span, *spans[2 * group + 2 :]), loops

    return step


def _look(negative: bool, body: int, following: int) -> _Step:
    def step(run: _Run, place: int, spans: Spans, loops: tuple[tuple[int, int], ...]) -> _State | None:
        found = run.execute((body, place, spans, loops))
        if negative:
            return (following, place, spans, loops) if found is None else None
        return None if found is None else (following, place, found[1], loops)

    return step
