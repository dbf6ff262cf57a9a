"""Oracles: several judges on one case, each of them an expectation that matchex holds against something."""

from __future__ import annotations

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
