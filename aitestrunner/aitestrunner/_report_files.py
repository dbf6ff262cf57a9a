"""A run as a file: JSON, JSON Lines or Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

from aitestrunner._log import AITestFixtureResult, AITestLogItem
from aitestrunner._report_text import Palette, item_lines, summary_lines

__all__ = ["json_parts", "markdown_parts", "to_json_line"]

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)


def to_json_line(item: AITestLogItem) -> str:
    """One case as one line."""
    fields = item.to_dict()
    text = _ENCODER.encode(fields)
    return text if _is_printable(text) else _ENCODER.encode(_printable(fields))


def json_parts(result: AITestFixtureResult, items: Iterable[AITestLogItem]) -> Iterator[str]:
    """The whole run as one JSON document, piece by piece: the counts, and one line for each case.

    Args:
        result: The counts.
        items: The log items, in order.
    """
    yield json.dumps(result.summary(), ensure_ascii=False, indent=2)[:-2]
    yield ',\n  "logs": ['
    separator = "\n    "
    for item in items:
        yield separator + to_json_line(item)
        separator = ",\n    "
    yield "\n  ]\n}\n"


def _is_printable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _printable(value: Any) -> Any:
    """Lone surrogates, which no file can hold, as their escapes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_printable(key): _printable(item) for key, item in cast("dict[str, Any]", value).items()}
    return [_printable(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def markdown_parts(result: AITestFixtureResult, items: Iterable[AITestLogItem]) -> Iterator[str]:
    """The run as Markdown, line by line: the counts, a table of the cases, and the details of those that do not pass.

    Args:
        result: The counts.
        items: The log items in order; they are walked twice.
    """
    for line in _markdown_lines(result, items):
        yield f"{line}\n"


def _markdown_lines(result: AITestFixtureResult, items: Iterable[AITestLogItem]) -> Iterator[str]:
    plain = Palette(enabled=False)
    yield "# Test run"
    yield from summary_lines(result, plain)
    yield ""
    yield "| | case | title | score |"
    yield "|---|---|---|---|"
    for item in items:
        score = "" if item.score is None else f"{item.score:.4g} / {item.max_score:.4g}"
        yield f"| {item.status} | {_cell(item.id)} | {_cell(item.title or '')} | {score} |"
    if result.failed_count or result.error_count:
        yield ""
        yield "## What does not pass"
    for item in items:
        if item.status in ("fail", "error"):
            yield ""
            yield from _fenced(item_lines(item, plain))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _fenced(lines: Iterable[str]) -> Iterator[str]:
    text = "\n".join(lines)
    fence = "`" * max(3, _longest_run(text) + 1)
    yield f"{fence}text"
    yield text
    yield fence


def _longest_run(text: str) -> int:
    import re

    return max((len(run) for run in re.findall("`+", text)), default=0)
