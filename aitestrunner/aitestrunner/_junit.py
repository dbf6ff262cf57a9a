"""A run as JUnit XML, which build servers read: a suite for each file, whatever characters an answer holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from aitestrunner._log import AITestFixtureResult, AITestLogItem, Tally
from aitestrunner._report_text import Palette, item_lines

__all__ = ["junit_parts"]

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLAIN: Final = Palette(enabled=False)
_NO_FILE: Final = "cases"


def junit_parts(result: AITestFixtureResult, items: Iterable[AITestLogItem]) -> Iterator[str]:
    """The document piece by piece.

    Args:
        result: The counts.
        items: The log items in order; they are walked twice, because a suite begins with its counts.
    """
    suites = [_counted(group) for _, group in groupby(items, _suite_of)]
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield f"<testsuites{_counts(result.tally, result.duration)}>\n"
    for (name, group), (tally, duration) in zip(groupby(items, _suite_of), suites, strict=True):
        yield f"  <testsuite name={_attribute(name)}{_counts(tally, duration)}>\n"
        for item in group:
            yield from _case(item, name)
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _suite_of(item: AITestLogItem) -> str:
    return item.location.file if item.location else _NO_FILE


def _counted(items: Iterable[AITestLogItem]) -> tuple[Tally, float]:
    tally, duration = Tally(), 0.0
    for item in items:
        tally.add(item)
        duration += item.duration
    return tally, duration


def _counts(tally: Tally, duration: float) -> str:
    counts = tally.counts
    return (
        f' tests="{tally.total}" failures="{counts["fail"]}" errors="{counts["error"]}" skipped="{counts["skip"]}"'
        f' time="{duration / 1000:.3f}"'
    )


def _case(item: AITestLogItem, suite: str) -> Iterator[str]:
    name = item.title or item.id
    place = f' file={_attribute(item.location.file)} line="{item.location.line}"' if item.location else ""
    head = f"    <testcase classname={_attribute(suite)} name={_attribute(name)}{place}"
    yield f'{head} time="{item.duration / 1000:.3f}">\n'
    yield from _properties(item)
    if item.status == "skip":
        yield f"      <skipped message={_attribute(item.skipped_because or '')}/>\n"
    elif item.status in ("fail", "error"):
        tag = "failure" if item.status == "fail" else "error"
        text = escape(_sayable("\n".join(item_lines(item, _PLAIN))))
        yield f"      <{tag} message={_attribute(_reason(item))} type={_attribute(_kind(item))}>{text}</{tag}>\n"
    yield "    </testcase>\n"


def _properties(item: AITestLogItem) -> Iterator[str]:
    named = [("id", item.id), *(("tag", tag) for tag in item.tags)]
    if item.score is not None:
        named.append(("score", f"{item.score:.6g}"))
    if isinstance(item.cost, (int, float)):
        named.append(("cost", f"{item.cost:.6g}"))
    if item.repeats is not None:
        named += [("passRate", f"{item.repeats.pass_rate:.6g}"), ("flaky", str(item.repeats.flaky).lower())]
    yield "      <properties>\n"
    for name, value in named:
        yield f'        <property name="{name}" value={_attribute(value)}/>\n'
    yield "      </properties>\n"


def _reason(item: AITestLogItem) -> str:
    first = item.failures[0].message if item.status == "fail" and item.failures else None
    if first is None and item.errors:
        first = item.errors[0].message
    return first or f"the case did not pass: {item.status}"


def _kind(item: AITestLogItem) -> str:
    if item.status == "error" and item.errors:
        return item.errors[0].kind
    return item.failures[0].block if item.failures else "verdict"


def _attribute(text: str) -> str:
    return quoteattr(_sayable(text), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def _sayable(text: str) -> str:
    r"""What XML 1.0 cannot hold at all, not even as a reference, as Python writes it: `\x1b`."""
    return _NO_XML.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
