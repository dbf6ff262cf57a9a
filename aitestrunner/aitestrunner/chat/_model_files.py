"""Reading models from configuration files; every mistake is found, each with its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from matchex.plugin import nearest

from aitestrunner._errors import FixtureError, FixtureProblem
from aitestrunner._positions import Node, Place, Position
from aitestrunner.chat._models import DEFAULT_RANKING, ChatModel

__all__ = ["load_models"]

_ENDINGS: Final = (".json", ".yaml", ".yml")


def load_models(source: str | Path | Mapping[str, Any]) -> dict[str, ChatModel]:
    """Read models from `{models: [{name: …, provider: …}]}`; the highest ranking comes first, then by name.

    A model has `name` (or `model`, the same) and `provider`, and perhaps `ranking`, `description`, `capabilities`,
    `limits` and `prices`, as `ChatModel` has them.

    Args:
        source: A JSON or YAML file, a folder with such files (not those in its folders), or what one holds.

    Raises:
        FixtureError: Something in it is wrong; all that was found, with file, line and column.
        OSError: It cannot be read.

    Example:
        >>> from aitestrunner.chat import load_models
        >>> models = load_models({"models": [{"name": "small", "provider": "mock"}]})
        >>> models["small"].provider
        'mock'
    """
    problems: list[FixtureProblem] = []
    found: dict[str, tuple[ChatModel, Position | None]] = {}
    for document in _documents(source):
        for node in _entries(document, problems):
            wrong = [FixtureProblem(message, node.locate(place)) for place, message in _problems(node.value)]
            problems += wrong
            if not wrong:
                _add(_model(node.fields), node.locate(), found, problems)
    if problems:
        raise FixtureError(problems)
    models = sorted((model for model, _ in found.values()), key=lambda model: (-model.ranking, model.name.casefold()))
    return {model.name: model for model in models}


def _documents(source: str | Path | Mapping[str, Any]) -> Iterator[Node]:
    if isinstance(source, Mapping):
        yield Node(source)
        return
    path = Path(source)
    files = sorted(one for one in path.iterdir() if one.suffix in _ENDINGS) if path.is_dir() else [path]
    if not files:
        raise FixtureError([FixtureProblem(f"{path}: the folder has no models; they stand in {', '.join(_ENDINGS)}")])
    yield from map(_loaded, files)


def _loaded(path: Path) -> Node:
    from aitestrunner._json import parse_json
    from aitestrunner._yaml import parse_yaml

    text = path.read_text("utf-8-sig")
    return parse_json(text, str(path)) if path.suffix == ".json" else parse_yaml(text, str(path))


def _entries(document: Node, problems: list[FixtureProblem]) -> Iterator[Node]:
    listed = document.field("models")
    others = [key for key in document.fields if key != "models"]
    if listed is None or not isinstance(listed.value, list) or others:
        shown = f"got {document.value!r:.60}"
        message = f"a configuration of models is a mapping with a list, `models: [{{name: …, provider: …}}]`; {shown}"
        problems.append(FixtureProblem(message, document.locate(others[:1])))
        return
    yield from listed.children()


def _add(
    model: ChatModel,
    position: Position | None,
    found: dict[str, tuple[ChatModel, Position | None]],
    problems: list[FixtureProblem],
) -> None:
    if model.name in found:
        where = f" (at {found[model.name][1]})" if found[model.name][1] else ""
        problems.append(FixtureProblem(f"another model has the name {model.name!r} too{where}", position))
    else:
        found[model.name] = model, position


def _model(fields: Mapping[str, Any]) -> ChatModel:
    return ChatModel(
        name=fields.get("name", fields.get("model")),
        provider=fields["provider"],
        ranking=fields.get("ranking", DEFAULT_RANKING),
        description=fields.get("description", ""),
        capabilities=dict(fields.get("capabilities", {})),
        limits=dict(fields.get("limits", {})),
        prices=dict(fields["prices"]) if "prices" in fields else None,
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_price(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf


def _is_ranking(value: Any) -> bool:
    return _is_price(value) and value <= 100


_Known = Mapping[str, tuple[str, Callable[[Any], bool]]]

_KEYS: Final[_Known] = {
    "name": ("a text", _is_name),
    "model": ("a text", _is_name),
    "provider": ("the name of a provider", _is_name),
    "ranking": ("a number from 0 to 100", _is_ranking),
    "description": ("a text", _is_text),
    "capabilities": ("a mapping of capabilities to true or false", _is_mapping),
    "limits": ("a mapping of limits to numbers", _is_mapping),
    "prices": ("a mapping, {input: n, output: n}, per million tokens", _is_mapping),
}
_LIMITS: Final = ("contextWindow", "maxInputTokens", "maxOutputTokens")
_INSIDE: Final[Mapping[str, _Known]] = {
    "capabilities": dict.fromkeys(("completion", "streaming", "embeddings", "tools"), ("true or false", _is_flag)),
    "limits": dict.fromkeys(
        ("contextWindow", "maxInputTokens", "maxOutputTokens"), ("a number of tokens, at least 1", _is_count)
    ),
    "prices": dict.fromkeys(("input", "output", "cachedInput"), ("a price per million tokens", _is_price)),
}


def _problems(entry: Any) -> Iterator[tuple[Place, str]]:
    """What is wrong with one model: the place in it, and what to write instead."""
    if not isinstance(entry, Mapping):
        yield (), f"a model is a mapping, {{name: …, provider: …}}; got {entry!r:.60}"
        return
    fields = cast("Mapping[Any, Any]", entry)
    yield from _wrong_keys(fields, _KEYS, "a model")
    if ("name" in fields) == ("model" in fields):
        yield (), "a model has a `name` (or `model`, which is the same; not both)"
    if "provider" not in fields:
        yield (), "a model has a `provider`"
    for key, known in _INSIDE.items():
        inside = fields.get(key)
        if isinstance(inside, Mapping):
            found = _wrong_keys(cast("Mapping[Any, Any]", inside), known, f"`{key}`")
            yield from (((key, *place), message) for place, message in found)
    prices = fields.get("prices")
    if isinstance(prices, Mapping) and not {"input", "output"} <= prices.keys():
        yield ("prices",), "`prices` has both `input` and `output`, per million tokens"


def _wrong_keys(fields: Mapping[Any, Any], known: _Known, what: str) -> Iterator[tuple[Place, str]]:
    for key, value in fields.items():
        if key not in known:
            guess = nearest(str(key), list(known))
            hint = f"; did you mean `{guess}`?" if guess else f"; known are {', '.join(known)}"
            yield (str(key),), f"unknown key `{key}` in {what}{hint}"
        elif not known[key][1](value):
            yield (key,), f"`{key}` takes {known[key][0]}; got {value!r:.60}"
