"""What tokens cost, by a table that the user writes: prices change too often to be part of a program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, cast

from aitestrunner._errors import ExecutorError, FixtureError

__all__ = ["PriceTable"]

_KINDS: Final = ("input", "output", "cachedInput")
_UNIT: Final = 1_000_000


class PriceTable:
    """Prices of a million tokens, by model: `{small: {input: 0.5, output: 1.5, cachedInput: 0.1}}`.

    A name may hold `*`, like `small-*`; the exact name goes first, then the longest pattern.

    Args:
        table: The table, or the YAML or JSON file that holds it.

    Raises:
        ExecutorError: It is none.
    """

    def __init__(self, table: Mapping[str, Any] | str | Path) -> None:
        found = _loaded(Path(table)) if isinstance(table, (str, Path)) else table
        self._prices = {name: _checked(name, prices) for name, prices in found.items()}

    def cost(self, model: str, usage: Mapping[str, Any] | None) -> float | None:
        """What a completion cost; None where the table does not have the model, or nothing was counted."""
        prices = self._of(model)
        if prices is None or not usage:
            return None
        prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        details = usage.get("prompt_tokens_details")
        cached = _count(cast("Mapping[str, Any]", details), "cached_tokens") if isinstance(details, Mapping) else 0
        cached = min(cached, prompt)
        parts = (
            (prompt - cached) * prices["input"],
            cached * prices.get("cachedInput", prices["input"]),
            completion * prices["output"],
        )
        return sum(parts) / _UNIT

    def _of(self, model: str) -> Mapping[str, float] | None:
        if model in self._prices:
            return self._prices[model]
        fitting = [name for name in self._prices if "*" in name and fnmatchcase(model, name)]
        return self._prices[max(fitting, key=len)] if fitting else None


def _loaded(path: Path) -> Mapping[str, Any]:
    from aitestrunner._yaml import parse_yaml

    try:
        value = parse_yaml(path.read_text("utf-8-sig"), str(path)).value  # JSON is YAML too
    except (OSError, FixtureError) as error:
        raise ExecutorError(f"the table of prices cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise ExecutorError(f"{path}: a table of prices is a mapping of models to prices; got {value!r:.60}")
    return cast("Mapping[str, Any]", value)


def _checked(name: str, prices: Any) -> Mapping[str, float]:
    fields: Mapping[str, Any] = cast("Any", prices) if isinstance(prices, Mapping) else {}
    right = {"input", "output"} <= fields.keys() <= set(_KINDS) and all(map(_is_price, fields.values()))
    if not right:
        raise ExecutorError(
            f"the prices of {name!r} are numbers per million tokens, {{input: n, output: n}} and perhaps cachedInput; "
            f"got {prices!r:.80}"
        )
    return fields


def _is_price(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0
