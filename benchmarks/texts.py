"""Texts: patterns beside Python's `re`, diffs beside diff-match-patch."""

from __future__ import annotations

import random
import re
import tracemalloc
from collections.abc import Iterator
from time import process_time
from typing import Any

from _table import Table
from _timing import Effort, compare
from diff_match_patch import diff_match_patch

import matchex

__all__ = ["diffs", "patterns"]

WORDS = ("the", "a", "of", "order", "and", "flight", "Oslo", "window", "seat", "to", "is", "was", "late", "for", "you")
UNRELATED_WITHIN = 0.5
"""Seconds that a diff of two unrelated texts of 100 KB may take."""


def prose(size: int, seed: int) -> str:
    """A text of so many characters, the same for the same seed."""
    chance = random.Random(seed)
    words: list[str] = []
    length = 0
    while length < size:
        word = chance.choice(WORDS) if chance.random() < 0.5 else _word(chance)
        word += chance.choice(["", "", "", "", "", ",", ".\n"])
        words.append(word)
        length += len(word) + 1
    return " ".join(words)[:size]


def _word(chance: random.Random) -> str:
    return "".join(chance.choices("etaoinshrdlu", k=chance.randint(3, 9)))


def edited(text: str, changes: int, seed: int) -> str:
    """The text with so many words replaced, added or removed."""
    chance = random.Random(seed)
    words = text.split(" ")
    for index in sorted(chance.sample(range(len(words)), changes), reverse=True):
        new = [[_word(chance)], [words[index], _word(chance)], []]
        words[index : index + 1] = chance.choice(new)
    return " ".join(words)


# -- patterns

_SENTENCE = "Your order 4711 of 2024-05-17 was cancelled; the refund of 20 EUR is on its way."
_DOCUMENT = prose(100_000, seed=1) + " " + _SENTENCE  # all patterns but the last match at the end only
_SUBJECTS = {"short text": _SENTENCE, "100 KB": _DOCUMENT, "100 KB, not ASCII": _DOCUMENT.replace("e", "é", 1)}

PATTERNS = (
    ("a word", "cancelled", ""),
    ("whatever its case", "CANCELLED", "i"),
    ("a date", r"\b\d{4}-\d{2}-\d{2}\b", ""),
    ("alternatives", "cancelled|repaid|returned", ""),
    ("gap between words", "2024.*refund", ""),
    ("nested repetition", r"^(\S+\s*)+$", ""),
)


def patterns(effort: Effort) -> Iterator[Table]:
    """What a search costs beside `re`, which has no bound in time."""
    rows: list[dict[str, object]] = []
    for name, source, flags in PATTERNS:
        row: dict[str, object] = {"pattern": f"{name}: `/{source}/{flags}`".replace("|", "\\|")}
        for column, subject in _SUBJECTS.items():
            row[column] = _search(source, flags, subject, effort)
        rows.append(row)
    notes = ["`re` needs time without end for nested repetition where the text does not match; here it matches."]
    yield Table("A pattern through `matches`, × `re` alone", ["pattern", *_SUBJECTS], rows, notes)


def _search(source: str, flags: str, subject: str, effort: Effort) -> object:
    plain = re.compile(source, re.ASCII | (re.IGNORECASE if "i" in flags else 0))
    matches = matchex.compile(f"/{source}/{flags}").matches
    names = {"search": plain.search, "matches": matches, "subject": subject}
    return compare({"re": "search(subject)", "matchex": "matches(subject)"}, names, effort)["matchex"]


# -- diffs


def diffs(effort: Effort) -> Iterator[Table]:
    """A text of 100 KB with 50 changes, and texts that have nothing in common."""
    old = prose(100_000, seed=2)
    new = edited(old, 50, seed=3)
    other = prose(100_000, seed=4)
    rows = [_edited_row(kind, old, new, effort) for kind in ("chars", "words")]
    yield Table(
        "100 KB with 50 changes: `$diff`, × diff-match-patch",
        ["type", "all changes read", "peak memory, MB"],
        rows,
        ["diff-match-patch without its deadline, with its semantic clean-up; for `words` each word as one character."],
    )
    kinds = ("chars", "words", "lines", "sentences")
    yield Table(
        f"Two unrelated texts of 100 KB: part of the {UNRELATED_WITHIN} s allowed",
        ["type", "verdict", "peak memory, MB"],
        [_unrelated_row(kind, old, other) for kind in kinds],
    )


def _differ(kind: str, old: str) -> Any:
    return matchex.compile({"$diff": {"value": old, "type": kind}}).match


def _edited_row(kind: str, old: str, new: str, effort: Effort) -> dict[str, object]:
    names = {"peer": _by_chars if kind == "chars" else _by_words, "match": _differ(kind, old), "old": old, "new": new}
    read = "match(new).failures[0].diff.changes"
    ratios = compare({"peer": "peer(old, new)", "matchex": read}, names, effort)
    return {"type": kind, "all changes read": ratios["matchex"], "peak memory, MB": _peak(names["match"], new)}


def _unrelated_row(kind: str, old: str, other: str) -> dict[str, object]:
    match = _differ(kind, old)
    start = process_time()
    assert not match(other).passed
    taken = process_time() - start
    return {"type": kind, "verdict": f"{taken / UNRELATED_WITHIN:.2f}", "peak memory, MB": _peak(match, other)}


def _peak(match: Any, actual: str) -> str:
    tracemalloc.start()
    try:
        match(actual).failures  # noqa: B018 (reading them is the work)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return f"{peak / 1e6:.1f}"


def _by_chars(old: str, new: str) -> Any:
    engine = diff_match_patch()
    engine.Diff_Timeout = 0
    changes = engine.diff_main(old, new)
    engine.diff_cleanupSemantic(changes)
    return changes


def _by_words(old: str, new: str) -> Any:
    engine = diff_match_patch()
    engine.Diff_Timeout = 0
    numbers: dict[str, int] = {}
    encoded = ["".join(chr(0x100 + numbers.setdefault(w, len(numbers))) for w in _tokens(text)) for text in (old, new)]
    changes = engine.diff_main(*encoded, False)
    words = list(numbers)
    changes = [(sign, "".join(words[ord(char) - 0x100] for char in text)) for sign, text in changes]
    engine.diff_cleanupSemantic(changes)
    return changes


def _tokens(text: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", text)
