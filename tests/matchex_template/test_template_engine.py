"""The engine: delimiters, what is kept, pickling, laziness, and the hook by which matchex finds it."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest
from matchex.plugin import Delimiters, Template
from matchex.plugin import TemplateEngine as Protocol

from matchex_template import TemplateEngine
from matchex_template import _plugin as plugin


def test_it_is_what_matchex_expects():
    engine = TemplateEngine()
    assert isinstance(engine, Protocol)
    template = engine.parse("{{ a }}")
    assert isinstance(template, Template)
    assert template.text == "{{ a }}"
    assert repr(template) == "ParsedTemplate('{{ a }}')"


def test_the_hook_gives_one_engine():
    assert plugin.matchex_template_engine() is plugin.matchex_template_engine()
    assert hasattr(plugin.matchex_template_engine, "matchex_impl")


class TestDelimiters:
    def test_a_pair(self):
        engine = TemplateEngine(delimiters=("[[", "]]"))
        assert engine.parse("{{ a }}") is None
        assert engine.parse("[[ a ]] {{ a }} << a >>").render({"a": 1}).value == "1 {{ a }} 1"
        assert engine.parse("[[ a + 1 ]]").render({"a": 1}).value == 2
        assert engine.unescape(r"\[[ a ]]") == "[[ a ]]"

    def test_all_of_them(self):
        engine = TemplateEngine(delimiters=Delimiters(value=("${", "}"), block=("<%", "%>"), path=None))
        assert engine.parse("<% for x in l %>${x}<% endfor %>").render({"l": [1, 2]}).value == "12"
        assert engine.parse("${ {'a': n}['a'] }").render({"n": 1}).value == 1
        assert engine.parse("<< a >>") is None
        with pytest.raises(ValueError, match=r"<% raw %>"):
            engine.parse("${ a b }")

    def test_without_blocks_the_hint_is_another(self):
        engine = TemplateEngine(delimiters=Delimiters(block=None))
        assert engine.parse("{% if x %}") is None
        with pytest.raises(ValueError, match=r"write \\{{"):
            engine.parse("{{ a b }}")

    def test_values_are_read_with_the_same_delimiters(self):
        engine = TemplateEngine(delimiters=("[[", "]]"))
        assert engine.parse("[[ a ]]").render({"a": "[[ b ]]", "b": "{{ c }}"}).value == "{{ c }}"


def test_a_text_is_parsed_once():
    engine = TemplateEngine()
    large = "{{ a }}" * 2000
    assert engine.parse("x {{ a }}") is engine.parse("x {{ a }}")
    assert engine.parse(large) is engine.parse(large)


def test_one_template_serves_many_rows():
    template = TemplateEngine().parse("{% for t in tags %}{{ t }}{{ n | string }}{% endfor %}")
    rows = [{"tags": ["a"], "n": 1}, {"tags": ["b", "c"], "n": 2}]
    assert [template.render(row).value for row in rows] == ["a1", "b2c2"]


def test_pickling_keeps_the_settings():
    engine = pickle.loads(pickle.dumps(TemplateEngine(delimiters=("[[", "]]"), max_output=5)))
    assert engine.delimiters.value == ("[[", "]]")
    with pytest.raises(Exception, match="more than 5 characters"):
        engine.parse("a [[ v ]]").render({"v": "123456"})


def test_jinja_is_loaded_only_where_it_is_needed():
    code = (
        "import sys, matchex_template._plugin as p; e = p.matchex_template_engine()\n"
        "e.parse('a {{ b.c }} << d >>').render({'b': {'c': 1}, 'd': 2}); assert 'jinja2' not in sys.modules\n"
        "e.parse('{{ a | upper }}'); assert 'jinja2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
