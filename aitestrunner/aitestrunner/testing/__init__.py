"""For authors of executors: one function that holds an executor against the contract of the runner."""

from __future__ import annotations

from aitestrunner.testing._executors import check_executor

__all__ = ["check_executor"]
