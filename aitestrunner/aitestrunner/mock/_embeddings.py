"""Embeddings that mean nothing, but are always the same for the same text: unit vectors drawn from its hash."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import random
import sys
from array import array
from collections.abc import Mapping
from typing import Any, Final, cast

from aitestrunner.mock._echo import count_tokens
from aitestrunner.mock._faults import refused

__all__ = ["embeddings"]

_DIMENSIONS: Final = 256
_MOST_DIMENSIONS: Final = 4096
_MOST_INPUTS: Final = 2048


def embeddings(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a request for embeddings.

    Raises:
        MockFault: The real service would refuse it.
    """
    if not isinstance(request.get("model"), str) or not request["model"]:
        raise refused("you must provide a `model`", "missing_required_parameter", "model")
    texts = _texts(request.get("input"))
    dimensions = request.get("dimensions") or _DIMENSIONS
    if isinstance(dimensions, bool) or not isinstance(dimensions, int) or not 1 <= dimensions <= _MOST_DIMENSIONS:
        raise refused(f"`dimensions` is a number from 1 to {_MOST_DIMENSIONS}", "invalid_value", "dimensions")
    encoding = request.get("encoding_format") or "float"
    if encoding not in ("float", "base64"):
        raise refused("`encoding_format` is float or base64", "invalid_value", "encoding_format")
    tokens = sum(map(count_tokens, texts))
    data = [
        {"object": "embedding", "index": index, "embedding": _encoded(_vector(text, dimensions), encoding)}
        for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": request["model"], "usage": usage}


def _texts(value: Any) -> list[str]:
    """The inputs: a text, texts, or lists of tokens, which are taken as they are written."""
    items: list[Any] = list(cast("list[Any]", value)) if isinstance(value, list) else [value]
    if items and all(map(_is_token, items)):
        items = [items]
    texts = [item if isinstance(item, str) else json.dumps(item) for item in items if _is_input(item)]
    if not texts or len(texts) != len(items) or len(texts) > _MOST_INPUTS:
        wanted = f"`input` is a text that is not empty, or a list of at most {_MOST_INPUTS} of them"
        raise refused(wanted, "invalid_value", "input")
    return texts


def _is_input(item: Any) -> bool:
    if isinstance(item, str):
        return bool(item)
    tokens = cast("list[Any]", item) if isinstance(item, list) else []
    return bool(tokens) and all(map(_is_token, tokens))


def _is_token(item: Any) -> bool:
    return isinstance(item, int) and not isinstance(item, bool)


def _vector(text: str, dimensions: int) -> list[float]:
    source = random.Random(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())  # noqa: S311 (no secret)
    drawn = [source.gauss(0, 1) for _ in range(dimensions)]
    length = math.sqrt(sum(value * value for value in drawn)) or 1.0
    return [value / length for value in drawn]


def _encoded(vector: list[float], encoding: str) -> list[float] | str:
    if encoding == "float":
        return vector
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode()
