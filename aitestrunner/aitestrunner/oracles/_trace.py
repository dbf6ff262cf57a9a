"""`trace-no-errors`: what happened on the way to the answer, step by step."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, cast

from matchex.plugin import lookup, parse_path, show

from aitestrunner._messages import ToolCall, calls_of
from aitestrunner.oracles._config import Key, is_count, is_flag, is_names
from aitestrunner.oracles._contract import OracleError, OracleInput
from aitestrunner.oracles._value import Question, ValueOracle
from matchex import MISSING

__all__ = ["TraceNoErrors"]

_BAD: Final = (
    *("failed", "failure", "error", "errored"),
    *("cancelled", "canceled", "aborted", "timeout", "timedout", "timed out"),
)
_SPECIAL: Final = re.compile(r"[\\^$.*+?()\[\]{}|/]")
_MAX_DEPTH: Final = 50
_MAX_STEPS: Final = 100_000


class TraceNoErrors(ValueOracle):
    """`trace-no-errors`: no step failed, there were not too few or too many, and the right ones took part.

    A step is a mapping with `name`, `status`, `error`, `warnings` and, for what happened inside it, `steps`. Names and
    statuses are compared without letter case and outer blanks. Steps come from the field `steps` of the result; where
    there is none, the calls of tools in its messages are the steps.

    Configuration:
        steps: The path of the steps in the result.
        minSteps, maxSteps: How many steps there may be on the outermost level.
        required: Names of steps that must occur, on any level.
        forbidden: Names of steps that must not.
        allowWarnings: False: warnings are failures.

    Example:
        >>> from aitestrunner.oracles import OracleInput, TraceNoErrors
        >>> steps = [{"name": "plan"}, {"name": "search", "status": "failed", "error": "no route to host"}]
        >>> result = TraceNoErrors().evaluate_now(OracleInput(result={"steps": steps}), {"required": ["Plan"]})
        >>> result.passed, round(result.score, 2)
        (False, 0.67)
    """

    type = "trace-no-errors"
    keys: ClassVar = {
        "steps": Key("a path like meta.steps", lambda value: isinstance(value, str) and bool(value)),
        "minSteps": Key("a whole number of at least 0", is_count),
        "maxSteps": Key("a whole number of at least 0", is_count),
        "required": Key("a list of names, at least one", is_names),
        "forbidden": Key("a list of names, at least one", is_names),
        "allowWarnings": Key("true or false", is_flag),
    }

    def question(self, config: Mapping[str, Any], given: OracleInput, /) -> Question:
        """One check for the run, one for its steps, and one for everything that is configured."""
        if config.get("minSteps", 0) > config.get("maxSteps", _MAX_STEPS):
            raise OracleError(f"`minSteps` {config['minSteps']} is more than `maxSteps` {config['maxSteps']}")
        bad = {"$in": list(_BAD)}
        checks: list[Any] = [
            {"status": {"$nin": list(_BAD)}},
            {"steps": {"$none": {"status": bad}}},
        ]
        checks += [{"count": {bound: config[name]}} for name, bound in _BOUNDS.items() if name in config]
        checks += [{"steps": {"$contains": {"name": _named(name)}}} for name in config.get("required", ())]
        checks += [{"steps": {"$none": {"name": _named(name)}}} for name in config.get("forbidden", ())]
        if config.get("allowWarnings") is False:
            checks.append({"steps": {"$none": {"warnings": {"$length": {"$gte": 1}}}}})
        return Question({"$and": checks}, {"templates": False, "heuristic_schema": False})

    def subject(self, given: OracleInput, config: Mapping[str, Any], /) -> Any:
        """How the run ended, how many steps it had, and all of them in one list, those inside others behind these."""
        steps = _found(given, config)
        if not isinstance(steps, list):
            raise OracleError(f"the steps are no list: {show(steps)}")
        flat = list(itertools.islice(_flat(cast("list[Any]", steps), 0), _MAX_STEPS + 1))
        if len(flat) > _MAX_STEPS:
            raise OracleError(f"there are more than {_MAX_STEPS} steps")
        return {
            "status": _plain_status(given.result.get("status"), given.result.get("error")),
            "count": len(cast("list[Any]", steps)),
            "steps": flat,
        }

    def missing(self, given: OracleInput, config: Mapping[str, Any], /) -> str | None:
        """The steps."""
        if _found(given, config) is not MISSING:
            return None
        name = config.get("steps", "steps")
        return f"nothing is known about the steps: the executor returned no `{name}`" + (
            "" if "steps" in config else " and no `messages`"
        )


_BOUNDS: Final = {"minSteps": "$gte", "maxSteps": "$lte"}


def _named(name: str) -> str:
    """The pattern of a name, which letter case and outer blanks do not matter to."""
    quoted = _SPECIAL.sub(r"\\\g<0>", name.strip())
    return f"/^{quoted}$/i"


def _found(given: OracleInput, config: Mapping[str, Any]) -> Any:
    steps = lookup(given.result, parse_path(config.get("steps", "steps")))
    if steps is MISSING and "steps" not in config and given.messages is not None:
        return [_step_of(call) for call in calls_of(given.messages)]
    return list(cast("tuple[Any, ...]", steps)) if isinstance(steps, tuple) else steps


def _step_of(call: ToolCall) -> dict[str, Any]:
    """A call as a step: one whose result is a mapping with an `error` has failed."""
    fields = call.to_dict()
    result: Any = fields.get("result")
    error = cast("Mapping[str, Any]", result).get("error") if isinstance(result, Mapping) else None
    return {"error": error, **fields}


def _flat(steps: list[Any], depth: int) -> Iterator[dict[str, Any]]:
    """Every step, in order, with what is asked about it.

    Raises:
        OracleError: Something in the list is no step, or steps are nested too deeply.
    """
    if depth > _MAX_DEPTH:
        raise OracleError(f"the steps are nested more than {_MAX_DEPTH} deep")
    for number, step in enumerate(steps):
        if not isinstance(step, Mapping):
            raise OracleError(f"step {number} is no mapping: {show(step)}")
        fields = cast("Mapping[str, Any]", step)
        yield {
            "name": str(fields.get("name", "")).strip(),
            "status": _plain_status(fields.get("status"), fields.get("error")),
            "error": fields.get("error"),
            "warnings": _as_list(fields.get("warnings")),
        }
        inner = fields.get("steps")
        if isinstance(inner, list):
            yield from _flat(cast("list[Any]", inner), depth + 1)


def _plain_status(status: Any, error: Any) -> str:
    """A status in lower case; what has an error and says nothing else has failed."""
    if error is not None and error is not False and error != "":
        return "failed"
    return "" if status is None else str(getattr(status, "value", status)).strip().lower()


def _as_list(value: Any) -> list[Any]:
    if value is None or value == "":
        return []
    return list(cast("list[Any]", value)) if isinstance(value, (list, tuple)) else [value]
