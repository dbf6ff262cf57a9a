"""Oracles: several judges on one case, each of them an expectation that matchex holds against something."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from aitestrunner.oracles._contract import Oracle, OracleError, OracleInput, OracleResult, Resources
    from aitestrunner.oracles._entries import EntryProblem, OracleEntry, check_entries, read_oracles
    from aitestrunner.oracles._exact import ExactMatch
    from aitestrunner.oracles._expect import Expect
    from aitestrunner.oracles._judge import Judge, JudgeReply
    from aitestrunner.oracles._llm_judge import LlmJudge
    from aitestrunner.oracles._registry import (
        LoadedOracles,
        OracleNameError,
        Oracles,
        create_oracle,
        load_oracles,
        oracle_types,
    )
    from aitestrunner.oracles._schema import SchemaValidate
    from aitestrunner.oracles._sql import SqlValidate
    from aitestrunner.oracles._trace import TraceNoErrors
    from aitestrunner.oracles._value import Question, ValueOracle
    from aitestrunner.oracles._verdict import (
        JudgedOracle,
        OracleVerdict,
        evaluate_oracle,
        judge_with_oracles,
        verdict_of,
    )

__all__ = [
    "EntryProblem",
    "ExactMatch",
    "Expect",
    "Judge",
    "JudgeReply",
    "JudgedOracle",
    "LlmJudge",
    "LoadedOracles",
    "Oracle",
    "OracleEntry",
    "OracleError",
    "OracleInput",
    "OracleNameError",
    "OracleResult",
    "OracleVerdict",
    "Oracles",
    "Question",
    "Resources",
    "SchemaValidate",
    "SqlValidate",
    "TraceNoErrors",
    "ValueOracle",
    "check_entries",
    "create_oracle",
    "evaluate_oracle",
    "judge_with_oracles",
    "load_oracles",
    "oracle_types",
    "read_oracles",
    "verdict_of",
]

_HOMES: Final = {
    "EntryProblem": "_entries",
    "ExactMatch": "_exact",
    "Expect": "_expect",
    "Judge": "_judge",
    "JudgeReply": "_judge",
    "JudgedOracle": "_verdict",
    "LlmJudge": "_llm_judge",
    "LoadedOracles": "_registry",
    "Oracle": "_contract",
    "OracleEntry": "_entries",
    "OracleError": "_contract",
    "OracleInput": "_contract",
    "OracleNameError": "_registry",
    "OracleResult": "_contract",
    "OracleVerdict": "_verdict",
    "Oracles": "_registry",
    "Question": "_value",
    "Resources": "_contract",
    "SchemaValidate": "_schema",
    "SqlValidate": "_sql",
    "TraceNoErrors": "_trace",
    "ValueOracle": "_value",
    "check_entries": "_entries",
    "create_oracle": "_registry",
    "evaluate_oracle": "_verdict",
    "judge_with_oracles": "_verdict",
    "load_oracles": "_registry",
    "oracle_types": "_registry",
    "read_oracles": "_entries",
    "verdict_of": "_verdict",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"aitestrunner.oracles.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
