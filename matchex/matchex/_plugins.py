"""Plugins: found once, through the entry-point group `matchex`, when an expectation first needs one.

A plugin is a module or object with any of these hooks, marked with `matchex.plugin.hookimpl`:

* `matchex_operators() -> Iterable[Operator]`
* `matchex_strategies() -> Mapping[str, Strategy]`
* `matchex_template_engine() -> TemplateEngine`
* `matchex_schema_engine() -> SchemaEngine`

They are asked once; while matching no hook is called. A plugin that cannot be loaded is reported by name and leaves the
others alone; two that claim one name are an error that names both.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from matchex._operator import Operator
from matchex._schema import SchemaEngine
from matchex._strategies import STRATEGIES, Strategy
from matchex._templates import TemplateEngine

if TYPE_CHECKING:
    import pluggy

__all__ = ["GROUP", "PluginWarning", "Plugins", "plugins"]

GROUP: Final = "matchex"
"""Name of the plugin project, and of its entry-point group."""


class PluginWarning(UserWarning):
    """A plugin of matchex could not be loaded, or did not keep its contract.

    Example:
        >>> from matchex.plugin import PluginWarning
        >>> issubclass(PluginWarning, UserWarning)
        True
    """


class Plugins:
    """What the installed plugins provide.

    Attributes:
        operators: Operators by name.
        strategies: Strategies by name, the built-in ones included.
        template_engine: The template engine, or None.
        schema_engine: The schema engine, or None.
        broken: For each plugin that could not be used, what went wrong.
        conflicts: For each name that several plugins claim, a sentence that names them.
    """

    def __init__(self, manager: pluggy.PluginManager | None = None) -> None:
        self.operators: dict[str, Operator] = {}
        self.strategies: dict[str, Strategy] = dict(STRATEGIES)
        self.template_engine: TemplateEngine | None = None
        self.schema_engine: SchemaEngine | None = None
        self.broken: dict[str, str] = {}
        self.conflicts: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        for name, plugin in self._load(manager or _new_manager()):
            self._read(name, plugin)

    def _load(self, manager: pluggy.PluginManager) -> Iterable[tuple[str, Any]]:
        """Load each entry point by itself, so that one that fails does not take the others down."""
        import importlib.metadata

        for entry in importlib.metadata.entry_points(group=GROUP):
            try:
                manager.register(entry.load(), name=entry.name)
            except Exception as error:
                self._report(entry.name, f"{type(error).__name__}: {error}")
        return manager.list_name_plugin()

    def _read(self, name: str, plugin: Any) -> None:
        """Take what one plugin provides."""
        operators: Iterable[Any] = self._ask(name, plugin, "matchex_operators", Iterable) or ()
        for operator in operators:
            if not isinstance(operator, Operator):
                self._report(name, f"matchex_operators gave {operator!r}, which is no matchex.Operator")
            elif self._claim(name, f"operator {operator.name}"):
                self.operators[operator.name] = operator
        strategies: Mapping[str, Any] = self._ask(name, plugin, "matchex_strategies", Mapping) or {}
        for key, strategy in strategies.items():
            if self._claim(name, f"strategy {key}"):
                self.strategies[key] = strategy
        template_engine = self._ask(name, plugin, "matchex_template_engine", TemplateEngine)
        if template_engine is not None and self._claim(name, "template engine"):
            self.template_engine = template_engine
        schema_engine = self._ask(name, plugin, "matchex_schema_engine", SchemaEngine)
        if schema_engine is not None and self._claim(name, "schema engine"):
            self.schema_engine = schema_engine

    def _ask(self, name: str, plugin: Any, hook: str, kind: type[Any]) -> Any:
        """What one hook of a plugin gives, or None; it must be of the given kind."""
        function: Callable[[], Any] | None = getattr(plugin, hook, None)
        if function is None or not hasattr(function, f"{GROUP}_impl"):
            return None
        try:
            answer = function()
        except Exception as error:
            self._report(name, f"{hook} raised {type(error).__name__}: {error}")
            return None
        if not isinstance(answer, kind):
            self._report(name, f"{hook} gave {type(answer).__name__}, which is no {kind.__name__}")
            return None
        return answer

    def _claim(self, name: str, what: str) -> bool:
        """Whether `name` is the first to provide something; otherwise note the conflict."""
        owner = self._owners.setdefault(what, name)
        if owner == name:
            return True
        self.conflicts[what] = f"the plugins {owner!r} and {name!r} both provide the {what}; uninstall one of them"
        return False

    def _report(self, name: str, message: str) -> None:
        self.broken[name] = message
        warnings.warn(f"the matchex plugin {name!r} cannot be used: {message}", PluginWarning, stacklevel=2)


def _new_manager() -> pluggy.PluginManager:
    import pluggy

    return pluggy.PluginManager(GROUP)


_lock: Final = threading.Lock()
_found: Plugins | None = None


def plugins() -> Plugins:
    """The installed plugins, found at the first call."""
    global _found
    if _found is None:
        with _lock:
            if _found is None:
                _found = Plugins()
    return _found
