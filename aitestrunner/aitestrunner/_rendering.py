"""Texts that are filled in while a case runs, when its variables are final: what they hold is never read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aitestrunner._errors import ExecutionError
from aitestrunner._templates import Renderer
from matchex import Literal, MatchexError

__all__ = ["final_variables", "rendered"]


def final_variables(values: Mapping[str, Any]) -> dict[str, Any]:
    """Variables whose texts are plain text: what a model said, or what has been rendered, holds no placeholders."""
    return {name: value if isinstance(value, Literal) else Literal(value) for name, value in values.items()}


def rendered(template: Any, variables: Mapping[str, Any]) -> Any:
    """A template filled in.

    Raises:
        ExecutionError: It names something that is not there.
    """
    try:
        return Renderer(variables).data(template)
    except MatchexError as error:
        raise ExecutionError("template", f"a template cannot be filled in: {error}") from error
