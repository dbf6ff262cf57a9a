"""What can go wrong with a request to a provider, as the mock makes it happen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aitestrunner._errors import AITestError

__all__ = ["FAULT_KINDS", "MockFault", "refused"]

FAULT_KINDS: Final = ("status", "reset", "cut", "invalidJson")

_STATUSES: Final[Mapping[int, tuple[str, str | None, str]]] = {
    400: ("invalid_request_error", "invalid_request", "The mock was told to refuse this request."),
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    403: ("invalid_request_error", "permission_denied", "You may not use this model."),
    404: ("invalid_request_error", "model_not_found", "There is no such model."),
    408: ("timeout", "timeout", "The request took too long."),
    429: ("rate_limit_error", "rate_limit_exceeded", "Too many requests."),
}
_OTHER: Final = ("server_error", None, "The server had an error.")


class MockFault(AITestError):
    """A fault that the mock was told to make.

    Args:
        kind: `status` (an HTTP answer that is an error), `reset` (the connection is gone before anything came), `cut`
            (it is gone in the middle of the answer) or `invalidJson` (the answer is no JSON).
        status: The HTTP status, for kind `status`.
        message: What the provider says about it.
        type: The provider's name for errors of this sort.
        code: The provider's name for this error.
        param: The parameter of the request that it is about.
        retry_after: Seconds after which the client should try again.
        after: How many pieces of a stream come before a cut, or before the piece that is no JSON.

    Example:
        >>> from aitestrunner.mock import MockFault, MockProvider
        >>> provider = MockProvider([{"reply": {"error": 429}}])
        >>> try:
        ...     provider.complete([{"role": "user", "content": "hi"}])
        ... except MockFault as fault:
        ...     print(fault.status, fault)
        429 Too many requests.
    """

    def __init__(
        self,
        kind: str,
        *,
        status: int | None = None,
        message: str | None = None,
        type: str | None = None,
        code: str | None = None,
        param: str | None = None,
        retry_after: float | None = None,
        after: int = 1,
    ) -> None:
        known_type, known_code, known_message = _STATUSES.get(status or 500, _OTHER)
        texts = {
            "status": known_message,
            "reset": "The connection was reset.",
            "cut": "The connection was closed in the middle of the answer.",
            "invalidJson": "The answer is no JSON.",
        }
        super().__init__(message or texts[kind])
        self.kind = kind
        self.status = status
        self.type = type or known_type
        self.code = code or known_code
        self.param = param
        self.retry_after = retry_after
        self.after = after

    def again(self) -> MockFault:
        """The same fault, to be raised once more: an exception keeps the traceback of where it was raised last."""
        return MockFault(
            self.kind,
            status=self.status,
            message=str(self),
            type=self.type,
            code=self.code,
            param=self.param,
            retry_after=self.retry_after,
            after=self.after,
        )

    def body(self) -> dict[str, Any]:
        """What an OpenAI-compatible server sends for it."""
        return {"error": {"message": str(self), "type": self.type, "param": self.param, "code": self.code}}


def refused(message: str, code: str = "invalid_request", param: str | None = None) -> MockFault:
    """A request that no service would take."""
    return MockFault("status", status=400, message=message, code=code, param=param)
