"""For authors of executors and oracles: one function for each that holds it against the contract of the runner."""

from __future__ import annotations

from aitestrunner.oracles._conformance import check_oracle
from aitestrunner.testing._executors import check_executor

__all__ = ["check_executor", "check_oracle"]
