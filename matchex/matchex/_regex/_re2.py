"""The linear-time engine, where it is installed (extra `matchex[re2]`) and the pattern allows.

It only answers whether a pattern matches: that does not depend on which of several matches an engine prefers. It never
backtracks, so its work is at most the size of its program times that of the subject.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from . import _charset
from ._ast import Atomic, BackReference, Conditional, Look, Node, WordEdge, descendants
from ._emit import emit

_STEPS_PER_SECOND = 1e8
_MOST_NODES = 1000
"""Larger patterns take it long to compile, and their programs are too large for most subjects."""


class _Program(Protocol):
    programsize: int

    def search(self, text: str) -> object | None: ...
    def match(self, text: str) -> object | None: ...


class LinearSearch:
    """A pattern compiled for the linear-time engine."""

    def __init__(self, program: _Program, sticky: bool) -> None:
        self._search = program.match if sticky else program.search
        self._size = program.programsize

    def search(self, subject: str, timeout: float) -> bool | None:
        """Whether it matches; None when the work might not fit into the time, or the text is no Unicode."""
        if self._size * len(subject) > _STEPS_PER_SECOND * timeout:
            return None
        try:
            return self._search(subject) is not None
        except UnicodeEncodeError:
            return None


def linear_search(root: Node, *, sticky: bool) -> LinearSearch | None:
    """Compile for the linear-time engine; None when it is not installed or has no equivalent."""
    if not _is_expressible(root) or find_spec("re2") is None:
        return None
    re2: Any = import_module("re2")  # an optional package without type information
    options = re2.Options()
    options.log_errors = False
    try:
        program: _Program = re2.compile(emit(root, "re2", captured=()).text, options)
    except re2.error:  # larger than its limits
        return None
    return LinearSearch(program, sticky)


def _is_expressible(root: Node) -> bool:
    nodes = descendants(root)
    return len(nodes) <= _MOST_NODES and not any(
        isinstance(node, (Look, BackReference, Atomic, Conditional))
        # Its \B also matches between the bytes of one character.
        or (isinstance(node, WordEdge) and (node.negative or node.chars != _charset.WORD))
        for node in nodes
    )
