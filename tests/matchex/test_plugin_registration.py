"""Plugins: what they may bring, which of them are left out, and how that is reported."""

import warnings
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any

import pytest
from matchex.plugin import PluginWarning, hookimpl

import matchex
from matchex import ExpectationError, Operator
from matchex import _plugins as module


def providing(**hooks: Any) -> Any:
    """A plugin whose hooks give what is passed (or call it)."""
    functions = {}
    for name, value in hooks.items():

        def hook(value: Any = value) -> Any:
            return value() if callable(value) else value

        functions[name] = hookimpl(hook)
    return SimpleNamespace(**functions)


def found(monkeypatch: pytest.MonkeyPatch, **named: Any) -> module.Plugins:
    """The plugins of a manager that holds exactly these, in place of the installed ones."""
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [])
    manager = module.new_manager()
    for name, plugin in named.items():
        manager.register(plugin, name=name)
    plugins = module.Plugins.found(manager)
    monkeypatch.setattr(module, "_found", plugins)
    return plugins


def operator(name: str, answer: bool = True) -> Operator:
    return Operator(name, lambda actual, expected: answer)


class Half:
    """A strategy of a plugin: one half of the parts is enough."""

    all_needed = False

    def weights(self, weights: Any, options: Any) -> list[float]:
        return [1 / len(weights)] * len(weights)

    def combine(self, parts: Any) -> tuple[bool, float]:
        score = sum(part.passed for part in parts) / len(parts)
        return score >= 0.5, score


def test_operators_and_strategies_of_a_plugin_are_known(monkeypatch):
    found(
        monkeypatch,
        acme=providing(matchex_operators=[operator("$acme")], matchex_strategies={"half": Half()}),
    )
    assert matchex.validate(1, {"$acme": 1}).passed
    result = matchex.validate({"a": 1, "b": 2}, {"a": 1, "b": 3, "$strategy": "half"})
    assert (result.status, result.score) == ("pass", 0.5)
    with pytest.raises(ExpectationError) as caught:
        matchex.compile({"$acne": 1})
    assert caught.value.problems[0].suggestion == "$acme"
    with pytest.raises(ExpectationError, match="did you mean half"):
        matchex.compile({"a": 1, "$strategy": "halff"})


def test_operators_of_a_call_win_over_those_of_plugins(monkeypatch):
    found(monkeypatch, acme=providing(matchex_operators=[operator("$acme", False)]))
    assert matchex.validate(1, {"$acme": 1}, operators=[operator("$acme")]).passed


def test_two_plugins_that_claim_one_operator_are_both_named(monkeypatch):
    found(
        monkeypatch,
        acme=providing(matchex_operators=[operator("$same"), operator("$one")]),
        other=providing(matchex_operators=[operator("$same")]),
    )
    with pytest.raises(ExpectationError, match=r"'acme' and 'other' both provide the operator \$same"):
        matchex.compile({"$same": 1})
    assert matchex.validate(1, {"$one": 1}).passed


def test_two_plugins_that_claim_one_strategy_or_engine_are_both_named(monkeypatch):
    class Engine:
        def parse(self, text: str) -> None:
            return None

    claim = {"matchex_strategies": {"half": Half()}, "matchex_template_engine": Engine()}
    found(monkeypatch, acme=providing(**claim), other=providing(**claim))
    with pytest.raises(ExpectationError, match=r"'acme' and 'other' both provide the strategy half"):
        matchex.compile({"a": 1, "$strategy": "half"})
    with pytest.raises(ExpectationError, match=r"'acme' and 'other' both provide the template engine"):
        matchex.compile("{{ x }}")
    assert matchex.validate("plain", "plain").passed


def raising() -> Any:
    raise OSError("the word list is missing")


BROKEN = {
    "a hook that raises": (providing(matchex_operators=raising), "OSError: the word list is missing"),
    "no operator": (providing(matchex_operators=["$word"]), "'$word', which is no matchex.Operator"),
    "no list": (providing(matchex_operators=5), "int"),
    "no mapping of strategies": (providing(matchex_strategies=["half"]), "list"),
    "no engine": (providing(matchex_schema_engine=object()), "object"),
}


@pytest.mark.parametrize(("plugin", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plugin_is_named_and_leaves_the_others_alone(monkeypatch, plugin, reason):
    with pytest.warns(PluginWarning, match="'broken' cannot be used") as caught:
        plugins = found(monkeypatch, broken=plugin, sound=providing(matchex_operators=[operator("$sound")]))
    assert reason in str(caught[0].message)
    assert matchex.validate(1, {"$sound": 1}).passed
    assert list(plugins.broken) == ["broken"]
    with pytest.raises(ExpectationError, match="the plugin 'broken' could not be used"):
        matchex.compile({"$word": 1})


def test_a_plugin_that_cannot_be_loaded_is_named_and_leaves_the_others_alone(monkeypatch):
    entries = [EntryPoint("gone", "matchex_no_such_module", module.GROUP), EntryPoint("mine", "math", module.GROUP)]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: entries)
    with pytest.warns(PluginWarning, match="'gone' cannot be used: ModuleNotFoundError"):
        plugins = module.Plugins.found()
    assert list(plugins.broken) == ["gone"]


def test_a_function_without_the_marker_is_no_hook(monkeypatch):
    found(monkeypatch, plain=SimpleNamespace(matchex_operators=lambda: [operator("$plain")]))
    with pytest.raises(ExpectationError, match=r"unknown operator \$plain"):
        matchex.compile({"$plain": 1})


def test_the_installed_plugins_are_sound():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plugins = module.Plugins.found()
    assert not plugins.broken
    assert not plugins.conflicts
    assert plugins.template_engine is not None
    assert plugins.schema_engine is not None


def test_without_plugins_the_message_names_the_package_to_install(monkeypatch):
    found(monkeypatch)
    with pytest.raises(ExpectationError, match="pip install matchex-template"):
        matchex.compile("{{ x }}")
    with pytest.raises(ExpectationError, match="pip install matchex-schema"):
        matchex.compile({"$schema": {"type": "string"}})
    assert matchex.validate("{{ x }}", "{{ x }}", templates=False).passed
