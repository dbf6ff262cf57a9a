"""Blanks between words: the tokens of `words` share them with their neighbours, a list of changes must not repeat them.

The rules follow jsdiff, so that white-lists written for it find the same parts.
"""

from __future__ import annotations

from dataclasses import replace

from matchex._diff._model import Change
from matchex._diff._tokens import leading_blanks, trailing_blanks


def tidy_blanks(changes: list[Change]) -> list[Change]:
    """Give the blanks between neighbouring parts to one of them."""
    texts = [change.text for change in changes]
    kept: int | None = None
    gap: dict[str, int] = {}
    for index, change in enumerate(changes):
        if change.sign != " ":
            gap[change.sign] = index
            continue
        if gap:
            _tidy_gap(texts, kept, gap.get("-"), gap.get("+"), index)
        kept, gap = index, {}
    if gap:
        _tidy_gap(texts, kept, gap.get("-"), gap.get("+"), None)
    return [replace(change, text=text) for change, text in zip(changes, texts, strict=True)]


def _tidy_gap(texts: list[str], before: int | None, removed: int | None, added: int | None, after: int | None) -> None:
    if removed is not None and added is not None:
        _tidy_replacement(texts, before, removed, added, after)
    elif added is not None:
        if before is not None:
            texts[added] = texts[added][len(leading_blanks(texts[added])) :]
        if after is not None:
            texts[after] = texts[after][len(leading_blanks(texts[after])) :]
    elif removed is not None:
        _tidy_deletion(texts, before, removed, after)


def _tidy_replacement(texts: list[str], before: int | None, removed: int, added: int, after: int | None) -> None:
    old_lead, old_trail = leading_blanks(texts[removed]), trailing_blanks(texts[removed])
    new_lead, new_trail = leading_blanks(texts[added]), trailing_blanks(texts[added])
    if before is not None:
        common = _common_start(old_lead, new_lead)
        texts[before] = texts[before].removesuffix(new_lead) + common
        texts[removed] = texts[removed][len(common) :]
        texts[added] = texts[added][len(common) :]
    if after is not None:
        common = _common_start(old_trail[::-1], new_trail[::-1])[::-1]
        texts[after] = common + texts[after].removeprefix(new_trail)
        texts[removed] = texts[removed].removesuffix(common)
        texts[added] = texts[added].removesuffix(common)


def _tidy_deletion(texts: list[str], before: int | None, removed: int, after: int | None) -> None:
    text = texts[removed]
    if before is not None and after is not None:
        blanks = leading_blanks(texts[after])
        start = _common_start(blanks, leading_blanks(text))
        text = text[len(start) :]
        end = _common_start(blanks[len(start) :][::-1], trailing_blanks(text)[::-1])[::-1]
        texts[removed] = text.removesuffix(end)
        texts[after] = end + texts[after][len(blanks) :]
        texts[before] = texts[before].removesuffix(blanks) + blanks[: len(blanks) - len(end)]
    elif after is not None:
        texts[removed] = text.removesuffix(_overlap(trailing_blanks(text), leading_blanks(texts[after])))
    elif before is not None:
        texts[removed] = text.removeprefix(_overlap(trailing_blanks(texts[before]), leading_blanks(text)))


def _common_start(a: str, b: str) -> str:
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return a[:length]


def _overlap(a: str, b: str) -> str:
    """Give the longest end of `a` with which `b` begins."""
    length = min(len(a), len(b))
    while not a.endswith(b[:length]):
        length -= 1
    return b[:length]
