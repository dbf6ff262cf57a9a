"""Checking fixture files without running them: what cannot work, and what probably does not mean what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from matchex.plugin import split

from aitestrunner._blocks import KEY_OF
from aitestrunner._cases import AITestFixture, Defaults
from aitestrunner._expectations import METADATA
from aitestrunner._files import FixtureFile
from aitestrunner._log import AITestIssue
from aitestrunner._options import RunOptions
from aitestrunner._positions import Place, Position
from aitestrunner._references import CodeError
from aitestrunner._resolve import NotReady, Ready, make_ready
from aitestrunner._settings import Settler
from aitestrunner._trial import file_operators
from matchex import MISSING

__all__ = ["Finding", "lint_file"]

_NAME: Final = re.compile(r"[^\W\d]\w*")
_WORD: Final = re.compile(r"\w+\Z")
_FLAGS: Final = "dgimsuvy"
_MOST_FLAGS: Final = 2  # of patterns that people write; more letters are rather the end of a path
_SLASHES: Final = re.compile(r"/.+/(?P<flags>[A-Za-z]*)", re.DOTALL)
_LIKE_PATTERN: Final = re.compile(
    r"(?<!\\)\\[bdswBDSW](?![\w\\])|\.[*+](?![\w.*])|^\(\?|^\^.*\$$|^\^\w|^\w+(?:\|\w+)+$|^/.+/ [a-z]+$"
)
_FOREIGN: Final = re.compile(r"(?<!\\)\\[AZzhQ]|\[:\w+:\]")
_MEANT: Final = {
    **dict.fromkeys(("\\A", "\\Z", "\\z"), "^ and $ are the ends of a text"),
    "\\h": "a blank or tab is [ \\t]",
    "\\Q": "a special character is escaped with a backslash of its own",
    "[:": "letters are \\p{L} with the flag u, digits \\d",
}
"""What stands in patterns of other dialects, and how it is written here."""
_DATA_OPERATORS: Final = frozenset({"$eq", "$ne", "$in", "$nin", "$schema", "$expr", "$diff"})


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a fixture file that a person should look at.

    Args:
        severity: `error` for what cannot run, `warning` for what runs and probably misleads.
        message: What it is, and what to write instead.
        position: Where.
    """

    severity: Literal["error", "warning"]
    message: str
    position: Position | None


def lint_file(
    file: FixtureFile, *, variables: Mapping[str, Any], allow_code: bool, oracles: Sequence[Any] = ()
) -> list[Finding]:
    """Check one fixture file.

    Args:
        file: The file, as loaded.
        variables: Variables that a run will give besides.
        allow_code: Whether operators that the file names in Python files may be loaded.
        oracles: Oracles that a run will give besides.
    """
    findings = [Finding("error", problem.message, problem.position) for problem in file.problems]
    data = {"data": variables} if variables else {}
    options = RunOptions(user_config=data, allow_code=allow_code, oracles=oracles)
    try:
        operators = file_operators(file.defaults, options)
    except CodeError as error:
        return [*findings, Finding("error", str(error), file.defaults.position(("operators",)))]
    shared = set(_names_in(file.defaults.node.value)) if file.defaults.node else set[str]()
    used = set(shared)
    settler = Settler(options, None)
    for case, case_id in zip(file.cases, file.ids(), strict=True):
        settings = settler.settle(case, file.defaults)
        try:
            ready = make_ready(settings, options, operators, case_id)
        except NotReady as error:
            findings += _errors(error.issues)
        else:
            findings += _warnings(ready)
        names = set(_names_in(case.source.value)) if case.source else set[str]()
        findings += _unused(case, shared | names)
        used |= names
    findings += _unused_defaults(file.defaults, used)
    return list(dict.fromkeys(findings))


def _errors(issues: Iterable[AITestIssue]) -> Iterator[Finding]:
    for issue in issues:
        yield Finding("error", issue.message, issue.location)


def _warnings(ready: Ready) -> Iterator[Finding]:
    settings = ready.settings
    if ready.scoring and ready.pass_score > ready.max_score:
        message = f"no answer can reach `passScore` ({ready.pass_score:g}) of `maxScore` ({ready.max_score:g})"
        yield Finding("warning", message, settings.locate("passScore"))
    if ready.scoring and 0 < ready.pass_score < 1 < ready.max_score:
        share = f"{100 * ready.pass_score:g}%"
        message = (
            f'`passScore` counts points: {ready.pass_score:g} of {ready.max_score:g}; a share is written "{share}"'
        )
        yield Finding("warning", message, settings.locate("passScore"))
    if not ready.scoring and settings.rules.pass_score is not None:
        message = "`passScore` has no effect without `scoring: true` (or `auto`, where some expectation has a weight)"
        yield Finding("warning", message, settings.locate("passScore"))
    if settings.case.tools == []:
        message = "`tools: []` offers no tools; that nothing was called is written `expect: {tools: []}`"
        yield Finding("warning", message, settings.locate("tools"))
    for block in ready.blocks:
        if block.name in ("schema", "assertions"):  # an assertion says itself what is exact
            continue
        key = KEY_OF[block.name]
        for place, message in _suspicions(block.expected, settings.rules.is_strict("text"), key == "expect"):
            yield Finding("warning", message, settings.locate(key, place))


def _suspicions(expected: Any, exact_texts: bool, of_result: bool) -> Iterator[tuple[Place, str]]:
    """What looks wrong in an expectation, with its place."""
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), expected)]
    while stack:
        place, node = stack.pop()
        children = _children(node)
        yield from ((place, message) for message in _weight_troubles(children))
        if isinstance(node, str) and (message := _pattern_trouble(node)):
            yield place, message
        if place[-1:] == ("$not",) and isinstance(node, list):
            message = "`$not` of a list holds unless the whole list matches; for none of several: {$not: {$or: […]}}"
            yield place, message
        if (
            isinstance(node, Mapping)
            and not exact_texts
            and not (of_result and (place == () or place[:1] == ("tools",)))
        ):
            for key, value in cast("Mapping[str, Any]", node).items():
                if not key.startswith(("$", "/")) and isinstance(value, str) and _WORD.match(value):
                    yield (
                        (*place, key),
                        (
                            f"`{key}: {value}` is found inside any longer text, like {'un' + value!r} (write "
                            f"{{$eq: {value}}} where the whole value is meant)"
                        ),
                    )
        passed_over = _DATA_OPERATORS if place or not of_result else _DATA_OPERATORS | {"diff"}
        stack += [((*place, key), child) for key, child in children if key not in passed_over]


def _pattern_trouble(text: str) -> str | None:
    """What is odd about a text that looks like a pattern and is none, or the other way round."""
    slashes = _SLASHES.fullmatch(text)
    if slashes is None:
        looks = _LIKE_PATTERN.search(text) is not None
        return (
            f"{text!r} is a plain text, found as it stands; a pattern is written between slashes: /…/"
            if looks
            else None
        )
    flags = slashes["flags"]
    strange = "".join(flag for flag in flags if flag not in _FLAGS)
    if strange and len(flags) <= _MOST_FLAGS:
        return f"{text!r} is a plain text, because {strange} is no flag; the flags are {' '.join(_FLAGS)}"
    if not strange and len(set(flags)) == len(flags) > _MOST_FLAGS:
        return f"{text!r} is a pattern with the flags {flags}; a path is written {{$eq: {text}}}"
    if foreign := _FOREIGN.search(text):
        return f"{foreign[0]} in {text} stands for its characters; {_MEANT[foreign[0][:2]]}"
    return None


def _children(node: Any) -> list[tuple[str | int, Any]]:
    if isinstance(node, Mapping):
        return [(key, value) for key, value in cast("Mapping[str, Any]", node).items() if key not in METADATA]
    return list(enumerate(cast("list[Any]", node))) if isinstance(node, list) else []


def _weight_troubles(children: list[tuple[str | int, Any]]) -> Iterator[str]:
    weights = [_weight(child) for _, child in children]
    given = [weight for weight in weights if weight is not None]
    if not given:
        return
    rewards = [weight for weight in given if weight > 0]
    if not rewards and None not in weights and any(weight == 0 for weight in given):
        yield "the weights of these siblings add up to nothing, so no answer earns points here"
    if rewards and None not in weights and sum(given) < 0:
        yield "the penalties of these siblings outweigh what there is to earn"
    if any(weight < 1 for weight in rewards) and any(weight > 1 for weight in rewards):
        yield "shares (below 1) and points (above 1) are mixed among siblings; write all of them alike"


def _weight(node: Any) -> float | None:
    if not isinstance(node, Mapping):
        return None
    fields = cast("Mapping[str, Any]", node)
    meta = fields.get("$meta")
    score = fields.get("$score", cast("Mapping[str, Any]", meta).get("score") if isinstance(meta, Mapping) else None)
    if isinstance(score, Mapping):
        score = cast("Mapping[str, Any]", score).get("value")
    return float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None


def _unused(case: AITestFixture, used: set[str]) -> Iterator[Finding]:
    written = case.source.fields if case.source else dict[str, Any]()
    for name in case.vars:  # those under `vars:`, and the columns of rows, were not made up for this file
        names_the_case = name == "id" and case.id is not MISSING
        if name not in used and not names_the_case and written.get(name, MISSING) is case.vars[name]:
            yield Finding("warning", _unused_message(name), case.position((name,)))


def _unused_defaults(defaults: Defaults, used: set[str]) -> Iterator[Finding]:
    for name in defaults.settings.vars:
        if name not in used:
            yield Finding("warning", _unused_message(name), defaults.position((name,)))


def _unused_message(name: str) -> str:
    return f"no placeholder uses the variable `{name}`; only the executor can see it"


def _names_in(value: Any) -> Iterator[str]:
    """The names that placeholders and expressions of a document mention."""
    stack: list[Any] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            for part in split(node):
                if part.kind != "text":
                    yield from _NAME.findall(part.text)
        elif isinstance(node, Mapping):
            for key, child in cast("Mapping[str, Any]", node).items():
                if key == "$expr" and isinstance(child, str):
                    yield from _NAME.findall(child)
                stack += [key, child]
        elif isinstance(node, list):
            stack += cast("list[Any]", node)
