"""Test workflows by the state that they end in: assertions on status, path, memory, tokens, and anything else in it."""

from __future__ import annotations

from aitestrunner._assertions import ASSERTION_TYPES, expectation_for
from aitestrunner.graph._check import AssertionResult, check_assertion, check_assertion_async
from aitestrunner.graph._executor import GraphExecutor
from aitestrunner.graph._langgraph import LangGraphRunner
from aitestrunner.graph._python_graph import Edge, Graph, Node, PythonGraphRunner, Update
from aitestrunner.graph._report import EvalCaseResult, EvalReport
from aitestrunner.graph._run import run_eval, run_eval_async
from aitestrunner.graph._runners import FunctionRunner, GraphRunner
from aitestrunner.graph._state import STATUSES, WorkflowState
from aitestrunner.graph._suite import EvalCase, EvalSuite

__all__ = [
    "ASSERTION_TYPES",
    "STATUSES",
    "AssertionResult",
    "Edge",
    "EvalCase",
    "EvalCaseResult",
    "EvalReport",
    "EvalSuite",
    "FunctionRunner",
    "Graph",
    "GraphExecutor",
    "GraphRunner",
    "LangGraphRunner",
    "Node",
    "PythonGraphRunner",
    "Update",
    "WorkflowState",
    "check_assertion",
    "check_assertion_async",
    "expectation_for",
    "run_eval",
    "run_eval_async",
]
