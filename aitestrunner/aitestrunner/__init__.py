"""Run prompts, agents and workflows against expectations written as data.

Every public name of matchex is here too, so that one package is enough. What a name needs is loaded when it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from aitestrunner._answers import RecordedAnswers
    from aitestrunner._cases import AITestFixture
    from aitestrunner._comparison import CaseChange, RunComparison
    from aitestrunner._errors import AITestError, ExecutionError, ExecutorError, FixtureError, FixtureProblem
    from aitestrunner._executors import AIExecutionContext, AIExecutionResult, AIScriptExecutor
    from aitestrunner._files import FixtureFile, find_fixture_files, load_fixture_file
    from aitestrunner._format_schema import format_schema
    from aitestrunner._log import AITestFailure, AITestFixtureResult, AITestIssue, AITestLogItem, BlockScore, Repeats
    from aitestrunner._messages import Message, ToolCall, normalize_messages
    from aitestrunner._options import RunOptions
    from aitestrunner._positions import Position
    from aitestrunner._recordings import Recording, RecordingStore, recording_key
    from aitestrunner._references import CodeError
    from aitestrunner._runlog import LogError, LoggedRun
    from aitestrunner._runner import AITestRunner
    from aitestrunner._selection import SelectionError
    from aitestrunner.graph import (
        AssertionResult,
        EvalCase,
        EvalReport,
        EvalSuite,
        GraphRunner,
        WorkflowState,
        check_assertion,
        run_eval,
    )
    from matchex import (
        MISSING,
        Change,
        Detail,
        Diff,
        ExpectationError,
        Failure,
        Issue,
        Literal,
        Matcher,
        MatchError,
        Matches,
        MatchexError,
        MatchingError,
        MatchResult,
        Note,
        Operator,
        Options,
        Problem,
        compile,
        normalize_weights,
        operator,
        plugin,
        validate,
        validate_async,
    )

__all__ = [
    "MISSING",
    "AIExecutionContext",
    "AIExecutionResult",
    "AIScriptExecutor",
    "AITestError",
    "AITestFailure",
    "AITestFixture",
    "AITestFixtureResult",
    "AITestIssue",
    "AITestLogItem",
    "AITestRunner",
    "AssertionResult",
    "BlockScore",
    "CaseChange",
    "Change",
    "CodeError",
    "Detail",
    "Diff",
    "EvalCase",
    "EvalReport",
    "EvalSuite",
    "ExecutionError",
    "ExecutorError",
    "ExpectationError",
    "Failure",
    "FixtureError",
    "FixtureFile",
    "FixtureProblem",
    "GraphRunner",
    "Issue",
    "Literal",
    "LogError",
    "LoggedRun",
    "MatchError",
    "MatchResult",
    "Matcher",
    "Matches",
    "MatchexError",
    "MatchingError",
    "Message",
    "Note",
    "Operator",
    "Options",
    "Position",
    "Problem",
    "RecordedAnswers",
    "Recording",
    "RecordingStore",
    "Repeats",
    "RunComparison",
    "RunOptions",
    "SelectionError",
    "ToolCall",
    "WorkflowState",
    "check_assertion",
    "compile",
    "find_fixture_files",
    "format_schema",
    "load_fixture_file",
    "normalize_messages",
    "normalize_weights",
    "operator",
    "plugin",
    "recording_key",
    "run_eval",
    "validate",
    "validate_async",
]

_HOMES: Final = {
    "AIExecutionContext": "_executors",
    "AIExecutionResult": "_executors",
    "AIScriptExecutor": "_executors",
    "AITestError": "_errors",
    "AITestFailure": "_log",
    "AITestFixture": "_cases",
    "AITestFixtureResult": "_log",
    "AITestIssue": "_log",
    "AITestLogItem": "_log",
    "AITestRunner": "_runner",
    "AssertionResult": "graph",
    "BlockScore": "_log",
    "CaseChange": "_comparison",
    "CodeError": "_references",
    "EvalCase": "graph",
    "EvalReport": "graph",
    "EvalSuite": "graph",
    "ExecutionError": "_errors",
    "ExecutorError": "_errors",
    "FixtureError": "_errors",
    "FixtureFile": "_files",
    "FixtureProblem": "_errors",
    "GraphRunner": "graph",
    "LogError": "_runlog",
    "LoggedRun": "_runlog",
    "Message": "_messages",
    "Position": "_positions",
    "RecordedAnswers": "_answers",
    "Recording": "_recordings",
    "RecordingStore": "_recordings",
    "Repeats": "_log",
    "RunComparison": "_comparison",
    "RunOptions": "_options",
    "SelectionError": "_selection",
    "ToolCall": "_messages",
    "WorkflowState": "graph",
    "check_assertion": "graph",
    "find_fixture_files": "_files",
    "format_schema": "_format_schema",
    "load_fixture_file": "_files",
    "normalize_messages": "_messages",
    "recording_key": "_recordings",
    "run_eval": "graph",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is not None:
        value = getattr(importlib.import_module(f"aitestrunner.{home}"), name)
    elif name in __all__:
        value = getattr(importlib.import_module("matchex"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
