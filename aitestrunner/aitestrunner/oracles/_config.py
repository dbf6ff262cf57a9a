"""The configuration of an oracle: one table of keys, and what is wrong with what was written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from matchex.plugin import nearest, show

__all__ = ["Key", "anything", "is_count", "is_flag", "is_mapping", "is_names", "is_seconds", "is_share", "problems_of"]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a configuration.

    Args:
        takes: What it takes, in words for a message.
        accepts: Whether a value is of that form.
    """

    takes: str
    accepts: Callable[[Any], bool]


def problems_of(config: Any, keys: Mapping[str, Key]) -> list[str]:
    """What is wrong with a configuration, key by key."""
    if not isinstance(config, Mapping):
        return [f"`config` is a mapping of keys to values; got {show(config)}"]
    problems: list[str] = []
    for name, value in cast("Mapping[Any, Any]", config).items():
        key = keys.get(name)
        if key is None:
            problems.append(_unknown(name, keys))
        elif not key.accepts(value):
            problems.append(f"`{name}` takes {key.takes}; got {show(value)}")
    return problems


def _unknown(name: Any, keys: Mapping[str, Key]) -> str:
    guess = nearest(str(name), keys) or _in_camel_case(str(name), keys)
    return f"unknown key `{name}`; " + (f"did you mean `{guess}`?" if guess else f"there are {', '.join(keys)}")


def _in_camel_case(name: str, keys: Mapping[str, Key]) -> str | None:
    """The key that is meant by one written `like_this` or `LikeThis`."""
    squeezed = re.sub(r"[_-]", "", name).lower()
    return next((key for key in keys if key.lower() == squeezed), None)


def anything(_: Any) -> bool:
    """Any value."""
    return True


def is_flag(value: Any) -> bool:
    """True or false."""
    return isinstance(value, bool)


def is_count(value: Any) -> bool:
    """A whole number of at least 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_share(value: Any) -> bool:
    """A number from 0 to 1."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def is_seconds(value: Any) -> bool:
    """A time above 0."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf


def is_mapping(value: Any) -> bool:
    """A mapping."""
    return isinstance(value, Mapping)


def is_names(value: Any) -> bool:
    """A list of texts that say something, at least one."""
    items = cast("list[Any]", value)
    return isinstance(value, list) and bool(items) and all(isinstance(it, str) and bool(it.strip()) for it in items)
