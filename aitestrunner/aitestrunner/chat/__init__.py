"""A chat client for tests and small tools: a session with a model, its history, its costs, its cache."""

from __future__ import annotations

from aitestrunner.chat._cache import CacheCounters
from aitestrunner.chat._client import ChatClient
from aitestrunner.chat._errors import (
    ChatError,
    GenerationError,
    InsufficientStorageError,
    InvalidRequestError,
    InvalidResponseError,
    MissingKeyError,
    ModelDownloadError,
    ModelDownloadingError,
    ModelLoadError,
    ModelNotFoundError,
    ModelNotLoadedError,
    NetworkError,
    NotSupportedError,
    UnknownModelError,
    UnknownProviderError,
)
from aitestrunner.chat._model_files import load_models
from aitestrunner.chat._models import ChatModel
from aitestrunner.chat._openai import OpenAIProvider
from aitestrunner.chat._providers import ChatProvider
from aitestrunner.chat._response import ChatResponse, ChatStatistics
from aitestrunner.chat._settings import ChatSettings

__all__ = [
    "CacheCounters",
    "ChatClient",
    "ChatError",
    "ChatModel",
    "ChatProvider",
    "ChatResponse",
    "ChatSettings",
    "ChatStatistics",
    "GenerationError",
    "InsufficientStorageError",
    "InvalidRequestError",
    "InvalidResponseError",
    "MissingKeyError",
    "ModelDownloadError",
    "ModelDownloadingError",
    "ModelLoadError",
    "ModelNotFoundError",
    "ModelNotLoadedError",
    "NetworkError",
    "NotSupportedError",
    "OpenAIProvider",
    "UnknownModelError",
    "UnknownProviderError",
    "load_models",
]
