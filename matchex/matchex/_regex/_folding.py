"""Case folding as JavaScript defines it, applied to the pattern and to the subject.

ECMAScript defines `i` by comparing `Canonicalize(a)` with `Canonicalize(b)`. Folding both sides beforehand and matching
case-sensitively is that very definition, also for back-references, whatever the engine's own idea of case is. Folding
maps one code point to one, so positions stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

Fold = Callable[[str], str]

_SURROGATES = range(0xD800, 0xE000)
_CASED_PLANES = range(0x20000)  # no script in the higher planes has letter case
# Simple foldings that Unicode added in 15.1; older Pythons do not know them.
_LATE_ADDITIONS = {0x1FD3: 0x0390, 0x1FE3: 0x03B0, 0xFB05: 0xFB06}


def _uppercase(code_point: int) -> int:
    """Canonicalize without `u`: upper case, unless that is no single character or leads into ASCII."""
    upper = chr(code_point).upper()
    if len(upper) != 1 or ord(upper) > 0xFFFF or (code_point >= 0x80 > ord(upper)):
        return code_point
    return ord(upper)


def _simple_casefold(code_point: int) -> int:
    """Canonicalize with `u`: the simple case folding of Unicode (Python offers the full one only)."""
    char = chr(code_point)
    folded = char.casefold()
    if len(folded) == 1:
        return ord(folded)
    lower = char.lower()
    return ord(lower) if len(lower) == 1 else code_point


@cache
def fold_table(unicode_mode: bool) -> Mapping[int, int]:
    """The code points that folding changes, with what they become."""
    if unicode_mode:
        changed = {point: _simple_casefold(point) for point in _CASED_PLANES if point not in _SURROGATES}
        changed |= _LATE_ADDITIONS
    else:
        changed = {point: _uppercase(point) for point in range(0x10000) if point not in _SURROGATES}
    return {source: target for source, target in changed.items() if source != target}


def subject_fold(unicode_mode: bool) -> Fold:
    """The function that folds a subject."""
    ascii_fold = str.lower if unicode_mode else str.upper

    def fold(subject: str) -> str:
        if subject.isascii():
            return ascii_fold(subject)
        return subject.translate(fold_table(unicode_mode))

    return fold
