"""A sequence that is worked out when it is first looked at: most passing cases are never asked for their notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, overload

__all__ = ["Later"]

_T = TypeVar("_T")


class Later(Sequence[_T]):
    """The items that a function gives, which is called once at most.

    Args:
        find: Gives the items.

    Example:
        >>> notes = Later(lambda: print("looking") or ["one", "two"])
        >>> len(notes), notes[0]
        looking
        (2, 'one')
    """

    __slots__ = ("_find", "_items")

    def __init__(self, find: Callable[[], Iterable[_T]]) -> None:
        self._find: Callable[[], Iterable[_T]] | None = find
        self._items: tuple[_T, ...] = ()

    def _found(self) -> tuple[_T, ...]:
        if self._find is not None:
            self._items, self._find = tuple(self._find()), None
        return self._items

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_T, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._found()[index]

    def __len__(self) -> int:
        return len(self._found())

    def __eq__(self, other: object) -> bool:
        return self._found() == (other._found() if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self._found())

    def __repr__(self) -> str:
        return repr(self._found())
