"""The variables of a case: what placeholders see, and what the executor is given as `args`. They are the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from matchex.plugin import split

from aitestrunner._options import RunOptions
from aitestrunner._settings import Settings
from matchex import MISSING

__all__ = ["input_fields", "variables_of", "without_null_fields"]

_NAME: Final = re.compile(r"[^\W\d]\w*")


def variables_of(settings: Settings, options: RunOptions) -> dict[str, Any]:
    """The variables of a case, not yet rendered.

    Later layers win, name by name: what the script says about itself · variables of the front matter · fields of the
    input · `data` of the `user_config` · variables of the case · the whole input, as `input`. A field of the input that
    passes on the variable of its own name (`shop: "{{shop}}"`) leaves it to the layers below.
    """
    data = options.user_config.get("data")
    below = {**_script_variables(options.script_config), **settings.defaults.settings.vars}
    merged = below.copy()
    for name, value in input_fields(settings.input).items():
        if name not in below or not _mentions(value, name):
            merged[name] = value
    if isinstance(data, Mapping):
        merged.update(cast("Mapping[str, Any]", data))
    merged.update(settings.case.vars)
    if settings.input is not None and settings.input is not MISSING:
        merged["input"] = settings.input
    return merged


def input_fields(value: Any) -> dict[str, Any]:
    """The fields of an input as variables: those of a mapping that are not null, the items of a list by index."""
    if isinstance(value, str):
        return {}
    if isinstance(value, Mapping):
        return without_null_fields(cast("Mapping[str, Any]", value))
    if isinstance(value, list):
        return {str(index): item for index, item in enumerate(cast("list[Any]", value))}
    return {}


def without_null_fields(value: Any) -> Any:
    """A mapping without its fields that are null; anything else as it is."""
    if isinstance(value, str) or not isinstance(value, Mapping):
        return value
    return {key: item for key, item in cast("Mapping[str, Any]", value).items() if item is not None}


def _mentions(value: Any, name: str) -> bool:
    """Whether a text has a placeholder that names a variable."""
    if not isinstance(value, str):
        return False
    return any(part.kind != "text" and name in _NAME.findall(part.text) for part in split(value))


def _script_variables(config: Mapping[str, Any]) -> dict[str, Any]:
    """What a script says about itself; the fields of its `prompt` are lifted to the top."""
    if not config:
        return {}
    prompt = config.get("prompt")
    lifted: Mapping[str, Any] = cast("Any", prompt) if isinstance(prompt, Mapping) else {}
    return {
        key: value
        for key, value in {**config, **lifted}.items()
        if not key.startswith("_") and value is not None and not callable(value)
    }
