"""The exceptions of the chat client. Each has a `code`, a number that other languages can share; 0 is success.

```
ChatError
├── MissingKeyError 1 · UnknownModelError 2 · UnknownProviderError 3         before anything is asked
├── NetworkError 4 · InvalidResponseError 5 · GenerationError 8              while a provider answers
├── InvalidRequestError 6 · NotSupportedError 7                              what was asked for
└── ModelNotFoundError 9 · ModelNotLoadedError 10 · ModelLoadError 11 ·      what a provider of local models tells
    ModelDownloadingError 12 · ModelDownloadError 13 · InsufficientStorageError 14
```
"""

from __future__ import annotations

from typing import ClassVar

from aitestrunner._errors import AITestError

__all__ = [
    "ChatError",
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
    "UnknownModelError",
    "UnknownProviderError",
]


class ChatError(AITestError):
    """Base of what a chat client raises; `code` says what went wrong.

    Example:
        >>> from aitestrunner.chat import ChatClient, ChatError
        >>> try:
        ...     ChatClient("mock-modle")
        ... except ChatError as error:
        ...     print(error.code, error)
        2 there is no model 'mock-modle'; did you mean 'mock-model'? There is mock-model
    """

    code: ClassVar[int]


class MissingKeyError(ChatError):
    """A service needs a key, and there is none, or it is not accepted.

    Example:
        >>> from aitestrunner.chat import MissingKeyError
        >>> MissingKeyError.code
        1
    """

    code = 1


class UnknownModelError(ChatError):
    """There is no model of that name; the message says which there are.

    Example:
        >>> from aitestrunner.chat import UnknownModelError
        >>> UnknownModelError.code
        2
    """

    code = 2


class UnknownProviderError(ChatError):
    """There is no provider of that name; the message says which there are.

    Example:
        >>> from aitestrunner.chat import UnknownProviderError
        >>> UnknownProviderError.code
        3
    """

    code = 3


class NetworkError(ChatError):
    """The connection to a service failed, or was gone in the middle of an answer.

    Example:
        >>> from aitestrunner.chat import NetworkError
        >>> NetworkError.code
        4
    """

    code = 4


class InvalidResponseError(ChatError):
    """What a provider answered is no chat completion.

    Example:
        >>> from aitestrunner.chat import InvalidResponseError
        >>> InvalidResponseError.code
        5
    """

    code = 5


class InvalidRequestError(ChatError):
    """A request, or a setting of it, that no model would take.

    Example:
        >>> from aitestrunner.chat import InvalidRequestError
        >>> InvalidRequestError.code
        6
    """

    code = 6


class NotSupportedError(ChatError):
    """The model does not do that by its capabilities, or its provider does not.

    Example:
        >>> from aitestrunner.chat import NotSupportedError
        >>> NotSupportedError.code
        7
    """

    code = 7


class GenerationError(ChatError):
    """The model failed to answer, or the answer might cost more than the client may spend.

    Example:
        >>> from aitestrunner.chat import GenerationError
        >>> GenerationError.code
        8
    """

    code = 8


class ModelNotFoundError(ChatError):
    """The provider does not have the model.

    Example:
        >>> from aitestrunner.chat import ModelNotFoundError
        >>> ModelNotFoundError.code
        9
    """

    code = 9


class ModelNotLoadedError(ChatError):
    """For providers of local models: the model is there, but not loaded.

    Example:
        >>> from aitestrunner.chat import ModelNotLoadedError
        >>> ModelNotLoadedError.code
        10
    """

    code = 10


class ModelLoadError(ChatError):
    """For providers of local models: the model cannot be loaded.

    Example:
        >>> from aitestrunner.chat import ModelLoadError
        >>> ModelLoadError.code
        11
    """

    code = 11


class ModelDownloadingError(ChatError):
    """For providers of local models: the model is on its way.

    Example:
        >>> from aitestrunner.chat import ModelDownloadingError
        >>> ModelDownloadingError.code
        12
    """

    code = 12


class ModelDownloadError(ChatError):
    """For providers of local models: the model could not be fetched.

    Example:
        >>> from aitestrunner.chat import ModelDownloadError
        >>> ModelDownloadError.code
        13
    """

    code = 13


class InsufficientStorageError(ChatError):
    """For providers of local models: there is no room for the model.

    Example:
        >>> from aitestrunner.chat import InsufficientStorageError
        >>> InsufficientStorageError.code
        14
    """

    code = 14
