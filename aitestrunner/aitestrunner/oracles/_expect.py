"""`expect`: an expectation, as it is written in a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from aitestrunner._expectations import for_result, is_for_data
from aitestrunner._messages import calls_of
from aitestrunner._parse import parse_answer
from aitestrunner.oracles._config import Key, anything
from aitestrunner.oracles._contract import OracleError, OracleInput
from aitestrunner.oracles._value import Question, ValueOracle
from matchex import MISSING

__all__ = ["Expect", "whole_result"]


class Expect(ValueOracle):
    """`expect`: matchex itself, on the answer or on the whole result.

    Configuration:
        output: An expectation on the answer.
        expect: An expectation on the whole result: `output`, `messages`, `tools`, `meta`, `usage`, `cost` and what else
            the executor told. One of the two.
        strict: Where nothing but the expected is allowed, as in a case.

    Example:
        >>> from aitestrunner.oracles import Expect, OracleInput
        >>> given = OracleInput(actual="Paris, of course", result={"cost": 0.02})
        >>> Expect().evaluate_now(given, {"output": "/paris/i"}).passed
        True
        >>> Expect().evaluate_now(given, {"expect": {"cost": {"$lt": 0.01}}}).message
        'cost: expected a value less than 0.01, got 0.02'
    """

    type = "expect"
    keys: ClassVar = {
        "output": Key("an expectation", anything),
        "expect": Key("an expectation", anything),
        "strict": Key("true, false, or some of object, array, diff, text", anything),
    }

    def question(self, config: Mapping[str, Any], given: OracleInput, /) -> Question:
        """The expectation itself."""
        if ("output" in config) is ("expect" in config):
            raise OracleError("give `output` (an expectation on the answer) or `expect` (one on the whole result)")
        options: dict[str, Any] = {
            "data": given.variables,
            "input": None if given.input is MISSING else given.input,
            "strict": config.get("strict", False),
            "base_dir": given.resources.base_dir,
        }
        if "output" in config:
            return Question(config["output"], options)
        return Question(for_result(config["expect"], MISSING, has_messages=True), options)

    def subject(self, given: OracleInput, config: Mapping[str, Any], /) -> Any:
        """The answer, or the whole result."""
        if "expect" in config:
            return whole_result(given)
        if isinstance(given.actual, str) and is_for_data(config["output"]):
            parsed = parse_answer(given.actual)
            return given.actual if parsed is MISSING else parsed
        return given.actual

    def missing(self, given: OracleInput, config: Mapping[str, Any], /) -> str | None:
        """The messages, where calls of tools are asked for: of calls that nobody told of nothing is known."""
        if "output" in config:
            return super().missing(given, config)
        expected: Any = config["expect"]
        if given.messages is not None or not isinstance(expected, Mapping):
            return None
        if cast("Mapping[str, Any]", expected).get("tools") is None:
            return None
        return "nothing is known about tool calls, because the executor returned no `messages`"


def whole_result(given: OracleInput) -> dict[str, Any]:
    """The fields of the result, with messages normalised and the flat list of their calls under `tools`."""
    fields = dict(given.result)
    if given.messages is not None:
        fields["messages"] = [message.to_dict() for message in given.messages]
        fields["tools"] = [call.to_dict() for call in calls_of(given.messages)]
    return fields
