"""Keys and passwords: where they come from, and how they are kept out of everything that is shown or stored.

A secret is written as `${NAME}` and read from the environment. Whatever an executor gives back, an answer or the text
of an error, goes through `Secrets` first, because servers and programs like to repeat what they were sent.
"""

from __future__ import annotations

import base64
import logging
import os
import re
import weakref
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, cast
from urllib.parse import parse_qsl, quote, urlsplit

from aitestrunner._errors import ExecutorError
from aitestrunner._plain import plain

__all__ = ["Secrets", "filled_in", "literal_secret", "sensitive_headers", "sounds_secret"]

_MASK: Final = "***"
_SHORTEST: Final = 4
_REFERENCE: Final = re.compile(r"\$(?:\$(?=\{)|\{(?P<name>[^\W\d]\w*)\})", re.ASCII)
_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)
_SECRET_NAME: Final = re.compile(
    r"(?:\A|_)(?:\w*KEY|TOKEN|SECRET|PASS|PASSWORD|PASSWD|CREDENTIALS?|AUTH|PAT|JWT)(?:_|\Z)", re.IGNORECASE
)
_HEADERS: Final = re.compile(r"auth(?!ors?\b)|cookie|key|token|secret|passw|credential", re.IGNORECASE)


class Secrets:
    """Texts that nobody may see. Those of less than four characters are not kept: they would black out half a text."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        for value in values:
            self.add(value)

    def __bool__(self) -> bool:
        return bool(self._values)

    @classmethod
    def of_environment(cls) -> Secrets:
        """The values of variables whose names sound like secrets: a program that is started can see them."""
        return cls(value for name, value in os.environ.items() if sounds_secret(name) and len(value) >= 2 * _SHORTEST)

    def add(self, value: str) -> None:
        """Keep a secret, in the forms in which it travels: alone, behind `Bearer`, encoded for a URL or a header."""
        for part in {value, value.rpartition(" ")[2]}:
            if len(part) >= _SHORTEST:
                forms = {part, quote(part, safe=""), base64.b64encode(part.encode()).decode()}
                self._values |= forms | {repr(form)[1:-1] for form in forms}
        self._pattern = None

    def add_all(self, other: Secrets) -> None:
        """Keep the secrets of another."""
        self._values |= other._values
        self._pattern = None

    def mask(self, text: str) -> str:
        """A text with every secret in it replaced."""
        if not self._values:
            return text
        if self._pattern is None:
            self._pattern = re.compile("|".join(map(re.escape, sorted(self._values, key=len, reverse=True))))
        return self._pattern.sub(_MASK, text)

    def masked(self, value: Any) -> Any:
        """Data with every secret in its texts and keys replaced."""
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, Mapping):
            fields = cast("Mapping[Any, Any]", value)
            return {self.masked(key): self.masked(item) for key, item in fields.items()}
        if isinstance(value, (list, tuple)):
            return [self.masked(item) for item in cast("list[Any]", value)]
        if value is None or isinstance(value, (bool, int, float)):
            return value
        shown = plain(value)  # an object, perhaps of a provider's library
        masked = self.masked(shown)
        return value if masked == shown else masked

    def keep_out_of_log(self, name: str) -> None:
        """Mask the messages of a library's logger, which tells every URL."""
        logger = logging.getLogger(name)
        if not any(one is _LOG_FILTER for one in logger.filters):
            logger.addFilter(_LOG_FILTER)
        _LOG_FILTER.secrets.add(self)


class _LogFilter(logging.Filter):
    """Masks the secrets of every executor that is still in use."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets: weakref.WeakSet[Secrets] = weakref.WeakSet()

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        masked = message
        for secrets in list(self.secrets):
            masked = secrets.mask(masked)
        if masked != message:
            record.msg, record.args = masked, ()
        return True


_LOG_FILTER: Final = _LogFilter()


def literal_secret(value: Any) -> str | None:
    """The name under which options hold a secret as it is, rather than as `${NAME}`; None where there is none.

    What is written in a file or on the command line ends up in logs, recordings and the history of a shell.
    """
    if isinstance(value, str):
        query = urlsplit(value).query if "://" in value else ""
        return next((name for name, item in parse_qsl(query) if _is_literal(name, item)), None)
    if isinstance(value, Mapping):
        for name, item in cast("Mapping[Any, Any]", value).items():
            found = str(name) if _is_literal(name, item) else literal_secret(item)
            if found is not None:
                return found
    return None


def _is_literal(name: Any, value: Any) -> bool:
    return isinstance(value, str) and _HEADERS.search(str(name)) is not None and "${" not in value and bool(value)


def sounds_secret(variable: str) -> bool:
    """Whether a variable of the environment probably holds a secret, by its name."""
    return _NAME.search(variable) is not None


def sensitive_headers(headers: Mapping[str, str]) -> Secrets:
    """The values of headers that carry keys."""
    return Secrets(value for name, value in headers.items() if _HEADERS.search(name))


def is_secret_name(variable: str) -> bool:
    """Whether a variable of the environment is a secret by its name, so that its value may change without meaning."""
    return _SECRET_NAME.search(variable) is not None


def variables_in(value: Any) -> dict[str, str]:
    """The variables of the environment that options name as `${NAME}`, with their values."""
    if isinstance(value, str):
        names = [match["name"] for match in _REFERENCE.finditer(value) if match["name"]]
        return {name: os.environ.get(name, "") for name in names}
    items: Iterable[Any] = ()
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).values()
    elif isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
    found: dict[str, str] = {}
    for item in items:
        found |= variables_in(item)
    return found


def filled_in(value: Any, secrets: Secrets, *, allowed: Collection[str] | None = None) -> Any:
    """Options with `${NAME}` replaced by variables of the environment, at any depth; `$${` is a plain `${`.

    Args:
        value: The options.
        secrets: Learns every value that is filled in.
        allowed: The variables that may be read; None for all.

    Raises:
        ExecutorError: A variable is not set, or may not be read.
    """
    if isinstance(value, str):
        return _REFERENCE.sub(lambda match: _filled(match, secrets, allowed), value)
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        return {key: filled_in(item, secrets, allowed=allowed) for key, item in fields.items()}
    if isinstance(value, (list, tuple)):
        return [filled_in(item, secrets, allowed=allowed) for item in cast("list[Any]", value)]
    return value


def _filled(match: re.Match[str], secrets: Secrets, allowed: Collection[str] | None) -> str:
    name = match["name"]
    if name is None:
        return "$"
    if allowed is not None and name not in allowed:
        raise ExecutorError(
            f"a fixture file asks for the environment variable {name}; if it may have it, run with --allow-env {name}"
        )
    value = os.environ.get(name)
    if value is None:
        raise ExecutorError(f"the environment variable {name} is not set; the executor's options ask for ${{{name}}}")
    secrets.add(value)
    return value
