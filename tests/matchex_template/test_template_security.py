"""No way out of the sandbox, and no text that costs more than its bounds."""

from __future__ import annotations

import time

import pytest
from matchex.plugin import TemplateError, TemplateProblem

from matchex import Literal
from matchex_template import TemplateEngine

ENGINE = TemplateEngine()


class Thing:
    attribute = "class attribute"

    def __init__(self):
        self.own = "own attribute"

    def method(self):
        raise AssertionError("called")


def never():
    raise AssertionError("called")


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__ }}",
        "{{ ''['__class__'] }}",
        "{{ x.__class__ }}",
        "{{ x['__class__'] }}",
        "{{ x['__cla' ~ 'ss__'] }}",
        "{{ x|attr('__class__') }}",
        "{{ x|map('attr', '__class__')|list }}",
        "{{ x|map(attribute='__class__')|list }}",
        "{{ x|map(attribute='__class__.__mro__')|list }}",
        "{{ x|selectattr('__class__')|list|length + 'x' }}",
        "{{ x|sum(attribute='__class__') }}",
        "{{ x|sort(attribute='__class__') }}",
        "{{ x|groupby('__class__') }}",
        "{{ x|join(attribute='__class__') }}",
        "{{ x|map('matchex:keep')|list }}",
        "{{ x|map('matchex:member', '__class__', '', false)|list }}",
        "{{ (1).__class__ }}",
        "{{ [].__class__.__base__.__subclasses__() }}",
        "{{ {}.__class__ }}",
        "{{ ().__class__ }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ joiner.__init__ }}",
        "{{ lipsum.__globals__ }}",
        "{{ lipsum() }}",
        "{{ range.__self__ }}",
        "{{ (range)['__self__'] }}",
        "{{ namespace.__init__ }}",
        "{{ namespace().__class__ }}",
        "{{ namespace(a=1)._Namespace__attrs }}",
        "{{ dict.__base__ }}",
        "{{ dict.mro() }}",
        "{{ self }}",
        "{{ self.__init__ }}",
        "{{ self._TemplateReference__context }}",
        "{{ caller }}",
        "{{ environment }}",
        "{{ ''.join.__self__ }}",
        "{{ 'x'.upper.call }}",
        "{{ 'x'.upper.__func__ }}",
        "{{ '{0.__class__}'.format(x) }}",
        "{{ '{0.__class__}'.format_map(x) }}",
        "{{ ('{0.__class__}'|format(x)).__class__ }}",
        "{{ '%s'.__mod__ }}",
        "{{ ''.translate({}) }}",
        "{{ ''.encode() }}",
        "{{ fn() }}",
        "{{ fn.__globals__ }}",
        "{{ fn.__code__ }}",
        "{{ thing.own }}",
        "{{ thing.own|upper }}",
        "{{ thing.attribute|upper }}",
        "{{ thing.method() }}",
        "{{ thing['method']() }}",
        "{{ cls.method }}",
        "{{ cls() }}",
        "{{ cls.mro() }}",
        "{% for i in [1] %}{{ loop.__class__ }}{% endfor %}",
        "{% for i in [1] %}{{ loop._iterable }}{% endfor %}",
        "{% for i in [1] %}{{ loop._undefined }}{% endfor %}",
        "{% for i in [1] %}{{ loop }}{% endfor %}",
        "{% for i in [1] %}{{ loop(i) }}{% endfor %}",
        "{% import 'os' as os %}",
        "{% from 'os' import system %}",
        "{% include '/etc/passwd' %}",
        "{% include x %}",
        "{% extends 'base' %}",
        "{% block a %}{% endblock %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% call x() %}{% endcall %}",
        "{% filter upper %}a{% endfilter %}",
        "{% autoescape true %}{% endautoescape %}",
        "{% do x.append(1) %}",
        "{% debug %}",
        "{{ x.append(1) }}",
        "{{ x.clear() }}",
        "{{ x.pop() }}",
        "{{ d.update(a=1) }}",
        "{{ d.pop('k') }}",
        "{{ d.setdefault('n', 1) }}",
        "{{ d.clear() }}",
        "{% set d.k = 1 %}",
        "{% set x.y = 1 %}",
    ],
)
def test_there_is_no_way_out(text):
    data = {"x": [1, 2], "d": {"k": "v"}, "fn": never, "thing": Thing(), "cls": Thing}
    with pytest.raises((TemplateError, TemplateProblem)):
        ENGINE.parse(text).render(data)
    assert data["x"] == [1, 2]
    assert data["d"] == {"k": "v"}


def test_internals_are_not_there_for_tests_either():
    assert ENGINE.parse("{% if ''.__class__.__mro__ %}y{% else %}n{% endif %}").render({}).value == "n"
    assert ENGINE.parse("{{ x.__class__ is defined }}").render({"x": Thing()}).value is False


@pytest.mark.parametrize(
    "text",
    [
        "{{ 'a' * 10**9 }}",
        "{{ 10**9 * 'a' }}",
        "{{ [1] * 10**9 }}",
        "{{ 7 ** (7 ** 7) }}",
        "{{ (10 ** 9) ** (10 ** 9) }}",
        "{{ 'x'|center(1000000000) }}",
        "{{ 'x'|center(width=10**9) }}",
        "{{ 'x'|indent(1000000000) }}",
        "{{ 'x'|indent('y' * 9000000) }}",
        "{{ 'x'|truncate(10**9) }}",
        "{{ big|wordwrap(1, true, big) }}",
        "{{ big|wordwrap(1, wrapstring='y' * 500) }}",
        "{{ 2.5|round(1000000000, 'ceil') }}",
        "{{ [1]|batch(1000000000, 0)|list }}",
        "{{ [1]|slice(1000000000)|list }}",
        "{{ [[1]] * 1000|sum(start=[]) }}",
        "{{ '%1000000000d' % 5 }}",
        "{{ '%.1000000000f' % 5 }}",
        "{{ '%*d' % (1000000000, 5) }}",
        "{{ '%1000000000d'|format(5) }}",
        "{{ ('%(a)s' * 1000)|format(a=big) }}",
        "{{ big.replace('', big) }}",
        "{{ big|replace('', big) }}",
        "{{ ''.join([big] * 10000) }}",
        "{{ ([big] * 10000)|join }}",
        "{{ ([big] * 10000)|upper }}",
        "{{ ([big] * 10000)|tojson }}",
        "a {{ [big] * 10000 }}",
        "{{ range(10**12)|sum }}",
        "{{ 1.5 in range(10**15) }}",
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% for a in range(99999) %}{{ big }}{% endfor %}",
        "{% for a in range(99999) %}{{ range(99999)|list|length }}{% endfor %}",
        "{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
        "{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
        "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
        "{% set ns = namespace(i=2) %}{% for i in range(60) %}{% set ns.i = ns.i * ns.i %}{% endfor %}",
        "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = ns.l + [big[1:]] %}{% endfor %}",
    ],
)
def test_bombs_do_not_go_off(text):
    started = time.monotonic()
    with pytest.raises(TemplateError):
        ENGINE.parse(text).render({"big": "x" * 1_000_000})
    assert time.monotonic() - started < 20


def test_values_that_multiply():
    laughs = {f"v{n}": f"{{{{ v{n + 1} }}}}{{{{ v{n + 1} }}}}" for n in range(60)} | {"v60": ""}
    with pytest.raises(TemplateError, match="max_steps"):
        TemplateEngine(max_steps=10_000).parse("{{ v0 }}").render(laughs)


def test_values_behind_values():
    ladder = {f"v{n}": f"{{{{ v{n + 1} }}}}" for n in range(5000)} | {"v5000": "end"}
    with pytest.raises(TemplateError, match="more than 100 values"):
        ENGINE.parse("{{ v0 }}").render(ladder)
    assert ENGINE.parse("{{ v4950 }}").render(ladder).value == "end"


@pytest.mark.parametrize(
    ("limits", "text", "named"),
    [
        ({"max_steps": 10}, "{% for i in range(20) %}x{% endfor %}", "max_steps"),
        ({"max_output": 10}, "{{ 'x' * 20 }}", "max_output"),
        ({"max_output": 10}, "-{{ long }}", "max_output"),
        ({"timeout": 1e-9}, "a {{ long }}{{ long }}", "timeout"),
    ],
)
def test_limits_are_options_and_say_so(limits, text, named):
    with pytest.raises(TemplateError, match=named):
        TemplateEngine(**limits).parse(text).render({"long": "y" * 100})


@pytest.mark.parametrize("limits", [{"max_steps": 0}, {"max_output": -1}, {"timeout": 0}])
def test_limits_are_positive(limits):
    with pytest.raises(ValueError, match="positive"):
        TemplateEngine(**limits)


@pytest.mark.parametrize(
    "text",
    [
        "{{ v }}",
        "a {{ v }}",
        "{{ v | string }}",
        "{% if true %}{{ v }}{% endif %}",
        "{{ [v] }}",
        "{{ {'k': v} }}",
        "{{ w }}",
    ],
)
def test_a_literal_never_becomes_a_template(text):
    rendered = ENGINE.parse(text).render({"v": Literal("{{ boom }}{{ 1 / 0 }}"), "w": "{{ v }}"})
    assert "{{ boom }}" in str(rendered.value)


def test_computed_text_never_becomes_a_template():
    value = ENGINE.parse("{{ '{' ~ '{ secret }' ~ '}' }}").render({"secret": 1}).value
    assert value == Literal("{{ secret }}")
