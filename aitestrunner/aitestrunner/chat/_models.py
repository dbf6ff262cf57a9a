"""Models that a chat client can use, and how one is found by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from matchex.plugin import nearest

from aitestrunner.chat._errors import NotSupportedError, UnknownModelError

__all__ = ["MOCK_MODEL", "ChatModel", "among", "find_model"]

DEFAULT_RANKING: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModel:
    """A model as a configuration describes it.

    Args:
        name: Its name.
        provider: The name of the provider that serves it.
        ranking: How good it is, from 0 to 100; models are listed from the highest.
        description: What it is, for people.
        capabilities: What it can do: `completion`, `streaming`, `embeddings`, `tools`. What is not said, it can.
        limits: `contextWindow`, `maxInputTokens`, `maxOutputTokens`. What is not said has no limit.
        prices: Of a million tokens: `input`, `output` and perhaps `cachedInput`.

    Example:
        >>> from aitestrunner.chat import ChatModel
        >>> ChatModel(name="small", provider="mock", capabilities={"streaming": False}).can("streaming")
        False
    """

    name: str
    provider: str
    ranking: float = DEFAULT_RANKING
    description: str = ""
    capabilities: Mapping[str, bool] = field(default_factory=dict[str, bool])
    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    prices: Mapping[str, float] | None = None

    def can(self, capability: str) -> bool:
        """Whether the model can do something.

        Example:
            >>> from aitestrunner.chat import ChatModel
            >>> ChatModel(name="small", provider="mock").can("tools")
            True
        """
        return self.capabilities.get(capability, True)

    def require(self, capability: str) -> None:
        """Refuse what the model cannot do.

        Raises:
            NotSupportedError: It cannot.

        Example:
            >>> from aitestrunner.chat import ChatModel
            >>> ChatModel(name="small", provider="mock", capabilities={"tools": False}).require("tools")
            Traceback (most recent call last):
            aitestrunner.chat._errors.NotSupportedError: the model 'small' has no capability `tools`
        """
        if not self.can(capability):
            raise NotSupportedError(f"the model {self.name!r} has no capability `{capability}`")


MOCK_MODEL: Final = ChatModel(name="mock-model", provider="mock", description="Says what it is told to")


def find_model(name: str, models: Mapping[str, ChatModel]) -> ChatModel:
    """The model of a name.

    Raises:
        UnknownModelError: There is none.
    """
    if name not in models:
        raise UnknownModelError(f"there is no model {name!r}{among(name, models)}")
    return models[name]


def among(name: str, known: Iterable[str]) -> str:
    """What a message about an unknown name ends with: the nearest name, and all that there are."""
    names = list(known)
    guess = nearest(name, names)
    hint = f"; did you mean {guess!r}? There is" if guess else "; there is"
    return f"{hint} {', '.join(names) or 'none'}"
