"""The assertions of a case whose driver is a graph, as one expectation on the state that the graph ends in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

import matchex
from aitestrunner._assertions import asks_about_ending, expectation_for, mentions_ending, problems_of
from aitestrunner._log import AITestIssue
from aitestrunner._settings import Settings
from aitestrunner._templates import Renderer
from matchex import MISSING

__all__ = ["expectation_of_case"]

_WELL_ENDED: Final = {
    "error": {"$exists": False, "$title": "the run ends without an error, or an assertion asks for it"}
}


def expectation_of_case(settings: Settings, renderer: Renderer) -> tuple[Any, list[AITestIssue]]:
    """The expectation that a case's assertions are together, and what is wrong with them.

    A run that breaks down may be what the case wants; where nothing in it says so, that is a failure too.

    Args:
        settings: What holds for the case.
        renderer: Fills in its placeholders.

    Returns:
        The expectation, `MISSING` where the case is not about a graph or something is wrong.
    """
    if settings.driver != "graph":
        if settings.assertions is None:
            return MISSING, []
        message = "`assertions` are about the state that a graph ends in: say `driver: graph` beside them"
        return MISSING, [AITestIssue("definition", message, "", settings.locate("assertions"))]
    rendered: list[Mapping[str, Any]] = []
    issues: list[AITestIssue] = []
    for index, written in enumerate(cast("list[Any]", settings.assertions or [])):
        kind, assertion, found = _rendered(written, renderer)
        place = settings.locate("assertions", (index,))
        issues += [AITestIssue(kind, f"`assertions[{index}]`: {problem}", "", place) for problem in found]
        rendered.append(assertion)
    if issues:
        return MISSING, issues
    checks = [expectation_for(assertion) for assertion in rendered]
    asked = any(map(asks_about_ending, rendered)) or mentions_ending(settings.expect)
    return {"$and": checks if asked else [*checks, _WELL_ENDED]}, []


def _rendered(written: Any, renderer: Renderer) -> tuple[str, Any, list[str]]:
    """An assertion with its placeholders filled in, and of which kind its problems are."""
    if not isinstance(written, Mapping):
        return "definition", written, problems_of(written)
    fields = cast("Mapping[Any, Any]", written)
    try:
        rendered = {key: renderer.expectation(v) if key == "expect" else renderer.data(v) for key, v in fields.items()}
    except matchex.MatchexError as error:
        return "template", fields, [str(error)]
    problems = problems_of(rendered)
    if not problems and rendered["type"] == "llm_judge":
        problems = ["llm_judge needs an evaluator, which only `run_eval` in Python takes (`evaluators`)"]
    return "definition", rendered, problems
