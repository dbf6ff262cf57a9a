"""What an HTTP status of a service means for a chat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aitestrunner.chat._errors import (
    ChatError,
    GenerationError,
    InsufficientStorageError,
    InvalidRequestError,
    MissingKeyError,
    ModelNotFoundError,
    NetworkError,
    NotSupportedError,
)

__all__ = ["error_of_status"]

_BY_STATUS: Final[Mapping[int, type[ChatError]]] = {
    400: InvalidRequestError,
    401: MissingKeyError,
    403: MissingKeyError,
    404: ModelNotFoundError,
    408: NetworkError,
    422: InvalidRequestError,
    501: NotSupportedError,
    507: InsufficientStorageError,
}


def error_of_status(status: int | None) -> type[ChatError]:
    """The exception for a status; for those that say nothing of their own, the model failed to answer."""
    return _BY_STATUS.get(status or 0, GenerationError)
