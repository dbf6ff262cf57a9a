"""A script of replies: rules that say when they hold, and what is answered one after another."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from matchex.plugin import nearest

import matchex
from aitestrunner._errors import FixtureError, FixtureProblem
from aitestrunner._positions import Node, Place
from aitestrunner.mock._faults import MockFault
from aitestrunner.mock._replies import MockReply, read_reply, reply_problems

__all__ = ["Rule", "read_script"]

_KEYS: Final = ("title", "when", "reply", "replies")


@dataclass(slots=True)
class Rule:
    """One rule. It counts the requests that it answered; that is all that changes while the mock runs."""

    title: str
    when: matchex.Matcher | None
    replies: tuple[MockReply, ...]
    asked: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def holds_for(self, request: Mapping[str, Any]) -> bool:
        """Whether the rule answers a request.

        Raises:
            MockFault: Its expectation cannot be judged on this request; never a silent no.
        """
        if self.when is None:
            return True
        result = self.when.match(request)
        if result.status == "error":
            problem = result.errors[0]
            message = f"`when` of the rule {self.title!r} cannot be judged: {problem.path}: {problem.message}"
            raise MockFault("status", status=500, message=message)
        return result.status == "pass"

    def next_reply(self) -> MockReply:
        """The reply whose turn it is. The last one goes on for ever."""
        with self.lock:
            turn = self.asked
            self.asked += 1
        for reply in self.replies:
            if turn < reply.times:
                return reply
            turn -= reply.times
        return self.replies[-1]

    def start_over(self) -> None:
        """Begin with the first reply again."""
        with self.lock:
            self.asked = 0


def read_script(script: Any) -> tuple[list[Rule], Any]:
    """The rules of a script, and the same as it was written: a list of rules, or a YAML or JSON file of them.

    Raises:
        FixtureError: Something in it is wrong; all that was found, with file and line.
        OSError: The file cannot be read.
    """
    node = _loaded(Path(script)) if isinstance(script, (str, Path)) else Node(script)
    written: Any = node.value
    if not isinstance(written, (list, tuple)):
        raise FixtureError([FixtureProblem(f"a script is a list of rules, `- when: … reply: …`; got {written!r:.60}")])
    problems: list[FixtureProblem] = []
    rules = [_rule(item, index, problems) for index, item in enumerate(node.children())]
    if problems:
        raise FixtureError(problems)
    return rules, cast("Any", written)


def _loaded(path: Path) -> Node:
    from aitestrunner._json import parse_json
    from aitestrunner._yaml import parse_yaml

    text = path.read_text("utf-8-sig")
    return parse_json(text, str(path)) if path.suffix == ".json" else parse_yaml(text, str(path))


def _rule(node: Node, index: int, problems: list[FixtureProblem]) -> Rule:
    found = list(_problems(node.value))
    problems += [FixtureProblem(_where(node, index) + message, node.locate(place)) for place, message in found]
    if found:
        return Rule("", None, ())
    fields = node.fields
    when: matchex.Matcher | None = None
    if "when" in fields:
        try:
            when = matchex.compile(fields["when"], templates=False, heuristic_schema=False)
        except matchex.ExpectationError as error:
            problems += [
                FixtureProblem(f"{_where(node, index)}`when`: {problem}", node.locate(("when",)))
                for problem in error.problems
            ]
    replies = fields.get("replies", [fields.get("reply")])
    return Rule(str(fields.get("title", index)), when, tuple(map(read_reply, replies)))


def _where(node: Node, index: int) -> str:
    return "" if node.locate() else f"rule {index}: "


def _problems(rule: Any) -> Iterator[tuple[Place, str]]:
    if not isinstance(rule, dict):
        yield (), f"a rule is a mapping, `when: … reply: …`; got {rule!r:.60}"
        return
    fields = cast("dict[Any, Any]", rule)
    for key in fields:
        if key not in _KEYS:
            guess = nearest(str(key), _KEYS)
            hint = f"; did you mean `{guess}`?" if guess else f"; known are {', '.join(_KEYS)}"
            yield (str(key),), f"unknown key `{key}` in a rule{hint}"
    if ("reply" in fields) == ("replies" in fields):
        yield (), "a rule has either a `reply` or a list of `replies`"
    elif "reply" in fields:
        yield from ((("reply", *place), message) for place, message in reply_problems(fields["reply"]))
    elif not isinstance(fields["replies"], list) or not fields["replies"]:
        yield ("replies",), "`replies` is a list of at least one reply"
    else:
        for index, reply in enumerate(cast("Sequence[Any]", fields["replies"])):
            yield from ((("replies", index, *place), message) for place, message in reply_problems(reply))
