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
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from matchex._operator import Operator
from matchex._schema import SchemaEngine
from matchex._strategies import STRATEGIES, Strategy
from matchex._templates import TemplateEngine

if TYPE_CHECKING:
    import pluggy

__all__ = ["GROUP", "PluginWarning", "Plugins", "new_manager", "plugins"]

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
        self._owners: dict[str, str] = {f"strategy {name}": "matchex" for name in STRATEGIES}

    @classmethod
    def found(cls, manager: pluggy.PluginManager | None = None) -> Plugins:
        """The plugins that are installed, and those that a manager already has."""
        plugins = cls()
        manager = manager or new_manager()
        plugins._load(manager)
        plugins._check_hooks(manager)
        plugins._read(manager)
        return plugins

    def _load(self, manager: pluggy.PluginManager) -> None:
        """Load each entry point by itself, so that one that fails does not take the others down."""
        import importlib.metadata

        for entry in importlib.metadata.entry_points(group=GROUP):
            try:
                manager.register(entry.load(), name=entry.name)
            except Exception as error:
                self._report(entry.name, f"{type(error).__name__}: {error}")

    def _check_hooks(self, manager: pluggy.PluginManager) -> None:
        """Report hooks that do not exist: a misspelt one would never be asked."""
        import pluggy

        try:
            manager.check_pending()
        except pluggy.PluginValidationError as error:
            name = manager.get_name(error.plugin) or repr(error.plugin)
            self._report(name, f"{error}; the hooks are {', '.join(_HOOKS)}")

    def _read(self, manager: pluggy.PluginManager) -> None:
        """Take what the plugins provide."""
        for name, operators in self._ask(manager, "matchex_operators", Iterable):
            for operator in operators:
                if not isinstance(operator, Operator):
                    self._report(name, f"matchex_operators gave {operator!r}, which is no matchex.Operator")
                elif self._claim(name, f"operator {operator.name}"):
                    self.operators[operator.name] = operator
        for name, strategies in self._ask(manager, "matchex_strategies", Mapping):
            for key, strategy in strategies.items():
                if not isinstance(strategy, Strategy):
                    self._report(name, f"matchex_strategies gave {strategy!r}, which is no matchex.plugin.Strategy")
                elif self._claim(name, f"strategy {key}"):
                    self.strategies[key] = strategy
        for name, engine in self._ask(manager, "matchex_template_engine", TemplateEngine):
            if self._claim(name, "template engine"):
                self.template_engine = engine
        for name, engine in self._ask(manager, "matchex_schema_engine", SchemaEngine):
            if self._claim(name, "schema engine"):
                self.schema_engine = engine

    def _ask(self, manager: pluggy.PluginManager, hook: str, kind: type[Any]) -> Iterator[tuple[str, Any]]:
        """What each plugin gives for one hook; an answer of another kind is reported."""
        for implementation in getattr(manager.hook, hook).get_hookimpls():
            name: str = implementation.plugin_name
            try:
                answer = implementation.function()
            except Exception as error:
                self._report(name, f"{hook} raised {type(error).__name__}: {error}")
                continue
            if isinstance(answer, kind):
                yield name, answer
            else:
                self._report(name, f"{hook} gave {type(answer).__name__}, which is no {kind.__name__}")

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


class _Hooks:
    """The hooks that a plugin may implement."""

    def matchex_operators(self) -> Iterable[Operator]:
        """Operators that the plugin adds."""
        raise NotImplementedError

    def matchex_strategies(self) -> Mapping[str, Strategy]:
        """Strategies that the plugin adds, by name."""
        raise NotImplementedError

    def matchex_template_engine(self) -> TemplateEngine:
        """The engine that renders placeholders."""
        raise NotImplementedError

    def matchex_schema_engine(self) -> SchemaEngine:
        """The engine that compiles JSON Schemas."""
        raise NotImplementedError


_HOOKS: Final = ("matchex_operators", "matchex_strategies", "matchex_template_engine", "matchex_schema_engine")


def new_manager() -> pluggy.PluginManager:
    """A manager that knows the hooks."""
    import pluggy

    manager = pluggy.PluginManager(GROUP)
    mark = pluggy.HookspecMarker(GROUP)
    for name in _HOOKS:
        mark(getattr(_Hooks, name))
    manager.add_hookspecs(_Hooks)
    return manager


_lock: Final = threading.RLock()
_found: Plugins | None = None
_loading = False


def plugins() -> Plugins:
    """The installed plugins, found at the first call; none for a plugin that matches something while it is imported."""
    global _found, _loading
    if _found is None:
        with _lock:
            if _loading:
                return Plugins()
            if _found is None:
                _loading = True
                try:
                    _found = Plugins.found()
                finally:
                    _loading = False
    return _found
