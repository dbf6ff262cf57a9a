"""The semantic diff: exact changes between two texts or JSON values, white-lists over them, and their rendering.

Myers' algorithm of our own, on sequences cut at proven anchors, is faster than diff-match-patch and gives shortest
scripts; diff-match-patch serves for its semantic clean-up only, which a reader sees and no verdict depends on.
"""

from __future__ import annotations

from matchex._diff._allowed import AllowedChange, SearchPattern, Verdict, judge_changes
from matchex._diff._hidden import hidden_difference
from matchex._diff._leaves import diff_json
from matchex._diff._model import DEFAULT_BUDGET, DIFF_KINDS, NO_VALUE, Change, Diff
from matchex._diff._render import render_ansi, render_plain
from matchex._diff._texts import diff_texts

__all__ = [
    "DEFAULT_BUDGET",
    "DIFF_KINDS",
    "NO_VALUE",
    "AllowedChange",
    "Change",
    "Diff",
    "SearchPattern",
    "Verdict",
    "diff_json",
    "diff_texts",
    "hidden_difference",
    "judge_changes",
    "render_ansi",
    "render_plain",
]
