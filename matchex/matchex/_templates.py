"""What a template plugin provides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

__all__ = ["Rendered", "Template", "TemplateEngine"]


class Rendered(NamedTuple):
    """What a template gave.

    Attributes:
        value: The value: of any type for a text that is one placeholder, else a text.
        chain: The names that were passed through, for finding cycles in what is rendered below.

    Example:
        >>> from matchex.plugin import Rendered
        >>> Rendered(5, ("limit",)).value
        5
    """

    value: Any
    chain: tuple[str, ...] = ()


@runtime_checkable
class Template(Protocol):
    """A parsed text with placeholders.

    Attributes:
        text: The text.
        whole: Whether it is, but for blanks, one placeholder, and so gives a value of any type.

    Example:
        >>> from matchex.plugin import Rendered, Template
        >>> class Constant:
        ...     text, whole = "{{ five }}", True
        ...     def render(self, variables, *, chain=(), quote=None): return Rendered(5)
        >>> isinstance(Constant(), Template)
        True
    """

    text: str
    whole: bool

    def render(
        self,
        variables: Mapping[str, Any],
        *,
        chain: tuple[str, ...] = (),
        quote: Callable[[str], str] | None = None,
    ) -> Rendered:
        """Render it.

        Args:
            variables: The names that it may use.
            chain: The names passed through on the way here.
            quote: Applied to inserted text (in a pattern).

        Raises:
            TemplateError: An undefined name, a cycle, a filter that failed, a bound that was hit.
        """
        ...


@runtime_checkable
class TemplateEngine(Protocol):
    """Parses texts with placeholders.

    Example:
        >>> from matchex.plugin import TemplateEngine
        >>> class Never:
        ...     def parse(self, text): return None
        >>> isinstance(Never(), TemplateEngine)
        True
    """

    def parse(self, text: str) -> Template | None:
        """The template in a text, or None where there is no placeholder in it.

        Raises:
            TemplateProblem: Braces that close but do not parse.
        """
        ...
