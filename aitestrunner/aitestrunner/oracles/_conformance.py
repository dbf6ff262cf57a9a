"""For authors of oracles: one function that holds an oracle against the contract."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from matchex.plugin import describe_error

from aitestrunner._plain import plain
from aitestrunner.oracles._contract import OracleInput, OracleResult

__all__ = ["check_oracle"]


def check_oracle(
    make_oracle: Callable[[], Any],
    *,
    config: Mapping[str, Any],
    passing: OracleInput,
    failing: OracleInput,
    timeout: float = 30.0,
) -> None:
    """Hold an oracle against its contract.

    It has to pass one input and fail another, twice alike and in several event loops; to call an unknown key of its
    configuration an error, by its name; to survive an input in which everything is missing without passing it; and to
    leave alone what it is given.

    Args:
        make_oracle: Makes the oracle.
        config: A configuration that it takes.
        passing: An input that passes with it.
        failing: One that fails.
        timeout: Seconds that any one judgement may take; a longer one is a fault.

    Raises:
        AssertionError: The oracle breaks the contract; every fault that was found is in the message.

    Example:
        >>> from aitestrunner.oracles import ExactMatch, OracleInput
        >>> from aitestrunner.testing import check_oracle
        >>> check_oracle(
        ...     ExactMatch, config={"expected": 1}, passing=OracleInput(actual=1), failing=OracleInput(actual=2)
        ... )
    """
    checker = _Checker(make_oracle, timeout)
    checker.run(config, passing, failing)
    if checker.faults:
        raise AssertionError("the oracle breaks the contract:\n" + "\n".join(f"- {it}" for it in checker.faults))


class _Checker:
    def __init__(self, make: Callable[[], Any], timeout: float) -> None:
        self._make = make
        self._timeout = timeout
        self._type: Any = None
        self.faults: list[str] = []

    def run(self, config: Mapping[str, Any], passing: OracleInput, failing: OracleInput) -> None:
        oracle = self._make()
        self._type = getattr(oracle, "type", None)
        if not isinstance(self._type, str) or not self._type.strip():
            self.faults.append(f"its `type` is no text: {self._type!r:.80}")
        if not callable(getattr(oracle, "evaluate", None)):
            self.faults.append("it has no method `evaluate`")
            return
        first = self._status(oracle, passing, config, "pass", "the input that should pass")
        self._status(oracle, failing, config, "fail", "the input that should fail")
        again = self._status(oracle, passing, config, "pass", "the input that should pass, a second time")
        if first is not None and again is not None and first.score != again.score:
            self.faults.append(f"the same input scores {first.score}, and then {again.score}")
        self._unknown_key(oracle, passing, config)
        self._nothing(oracle, config)

    def _status(
        self, oracle: Any, given: OracleInput, config: Mapping[str, Any], wanted: str, what: str
    ) -> OracleResult | None:
        result = self._judged(oracle, given, config, what)
        if result is not None and result.status != wanted:
            self.faults.append(f"{what}: `{result.status}` in place of `{wanted}`: {result.message}")
        if result is not None and wanted == "fail" and not result.message:
            self.faults.append(f"{what}: no message says why")
        return result

    def _unknown_key(self, oracle: Any, given: OracleInput, config: Mapping[str, Any]) -> None:
        result = self._judged(oracle, given, {**config, "noSuchKey": 1}, "an unknown key of the configuration")
        if result is not None and (result.status != "error" or "noSuchKey" not in result.message):
            self.faults.append(
                f"an unknown key of the configuration (`noSuchKey`) has to be an error that names it; got "
                f"`{result.status}`: {result.message or 'without a message'}"
            )

    def _nothing(self, oracle: Any, config: Mapping[str, Any]) -> None:
        result = self._judged(oracle, OracleInput(), config, "an input in which everything is missing")
        if result is not None and (result.passed or not result.message):
            self.faults.append(
                f"an input in which everything is missing has to fail, or be an error, with a message; got "
                f"`{result.status}`: {result.message or 'without a message'}"
            )

    def _judged(self, oracle: Any, given: OracleInput, config: Mapping[str, Any], what: str) -> OracleResult | None:
        before = plain(given), plain(config)
        kept = copy.copy(config)
        try:
            result = asyncio.run(asyncio.wait_for(_awaited(oracle, given, config), self._timeout))
        except TimeoutError:
            self.faults.append(f"{what}: no verdict within {self._timeout:g} seconds")
            return None
        except Exception as error:
            self.faults.append(f"{what}: it raised {describe_error(error)}")
            return None
        if (plain(given), plain(config)) != before or dict(config) != dict(kept):
            self.faults.append(f"{what}: it changed what it was given")
        if not isinstance(result, OracleResult):
            self.faults.append(f"{what}: it returned {result!r:.80}, which is no OracleResult")
            return None
        self.faults += [f"{what}: {fault}" for fault in self._faults_of(result)]
        return result

    def _faults_of(self, result: OracleResult) -> list[str]:
        faults: list[str] = []
        if result.oracle_type != self._type:
            faults.append(f"its result is of type {result.oracle_type!r}, the oracle of {self._type!r}")
        try:
            json.dumps(result.to_dict(), allow_nan=False)
        except Exception as error:
            faults.append(f"its result cannot be written as JSON: {error}")
        return faults


async def _awaited(oracle: Any, given: OracleInput, config: Mapping[str, Any]) -> Any:
    result = oracle.evaluate(given, config)
    return await result if inspect.isawaitable(result) else result
