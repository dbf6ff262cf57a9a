"""How a case is checked: the settings of a simple form, as one record for all cases that say the same about them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import matchex

__all__ = ["RULE_DEFAULTS", "Rules"]

_Operators = Mapping[str, Any]


@dataclass(slots=True, kw_only=True, eq=False)
class Rules:
    """The values of `SIMPLE_KEYS`; the default of a field is what holds where nobody says anything.

    The values are never changed (`dataclasses.replace` makes other rules), so that what follows from them is worked out
    once and kept here.
    """

    allow_operator_override: Any = False
    allow_unchecked: Any = False
    auto_confidence: Any = True
    check_schema: Any = True
    diff: Any = None
    diff_permissive: Any = None
    disable_heuristic_schema: Any = False
    max_score: Any = 100
    not_: Any = False
    parse: Any = "auto"
    pass_score: Any = None
    scoring: Any = False
    strict: Any = False
    threshold: Any = 0.5
    unassigned_weight: Any = 0.1
    final: bool = field(default=False, init=False)
    """Whether it is known that no value is a placeholder or has a wrong form."""
    _options: tuple[_Operators, str | Path | None, matchex.Options] | None = field(default=None, init=False, repr=False)

    def is_strict(self, name: str) -> bool:
        """Whether strictness of a kind (`object array diff text`) is on."""
        strict = self.strict
        return strict is True or strict == name or (isinstance(strict, (list, tuple)) and name in strict)

    def match_options(self, operators: _Operators, base_dir: str | Path | None) -> matchex.Options:
        """The options that matchex is given. Most cases of a file have the same, which are then made once.

        Raises:
            TypeError, ValueError: matchex refuses one of them.
        """
        known = self._options
        if known is not None and known[0] is operators and known[1] is base_dir:
            return known[2]
        options: dict[str, Any] = {
            "strict": self.strict,
            "max_score": self.max_score or None,
            "unassigned_weight": self.unassigned_weight,
            "auto_confidence": self.auto_confidence,
            "threshold": self.threshold,
            "heuristic_schema": not self.disable_heuristic_schema,
            "templates": False,  # everything is rendered by now
            "diff": self.diff,
            "diff_permissive": self.diff_permissive,
            "operators": operators or None,
            "allow_operator_override": self.allow_operator_override,
            "base_dir": base_dir,
        }
        made = matchex.Options(**{name: value for name, value in options.items() if value is not None})
        self._options = operators, base_dir, made
        return made


RULE_DEFAULTS: Final[Mapping[str, Any]] = {
    entry.name: entry.default for entry in dataclasses.fields(Rules) if entry.init
}
"""What holds where nobody says anything, by name."""
