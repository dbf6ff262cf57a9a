"""Beyond paths: expressions, filters, conditions, loops, and what is no template of ours."""

from __future__ import annotations

import dataclasses
from datetime import date, datetime

import pytest
from matchex.plugin import TemplateError, TemplateProblem

from matchex_template import TemplateEngine

ENGINE = TemplateEngine()
DATA = {
    "n": [3, 1, 2],
    "a": 3,
    "b": 4,
    "name": "ann",
    "users": [{"name": "Ann", "age": 30, "city": "Rome"}, {"name": "Bob", "age": 20, "city": "Rome"}],
    "d": {"k": "v", "items": 5},
    "empty": [],
    "day": date(2024, 1, 2),
    "flag": True,
    "one": 1.0,
    "nested": ["{{ a }}", "<{{ name }}>"],
    "ref": {"to": "{{ users[0].name }}"},
}


def render(text, data=DATA, **options):
    return ENGINE.parse(text).render(data, **options).value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a + b", 7),
        ("a * 2 - 1", 5),
        ("b / 2", 2.0),
        ("b // 3", 1),
        ("2 ** 10", 1024),
        ("b % 3", 1),
        ("-a", -3),
        ("n | length", 3),
        ("n | sort", [1, 2, 3]),
        ("n | sum", 6),
        ("n | max", 3),
        ("n | first", 3),
        ("n | map('string') | list", ["3", "1", "2"]),
        ("n | select('odd') | list", [3, 1]),
        ("n | join('-')", "3-1-2"),
        ("n[1:]", [1, 2]),
        ("name[:1]", "a"),
        ("n + [9]", [3, 1, 2, 9]),
        ("n * 2", [3, 1, 2, 3, 1, 2]),
        ("2 in n", True),
        ("n == [3, 1, 2]", True),
        ("name | upper", "ANN"),
        ("name.upper()", "ANN"),
        ("name.replace('n', 'm')", "amm"),
        ("', '.join(n)", "3, 1, 2"),
        ("'a,b'.split(',')", ["a", "b"]),
        ("name ~ 1 ~ true ~ one", "ann1true1"),
        ("flag | string", "true"),
        ("one | string", "1"),
        ("n | string", "[3,1,2]"),
        ("d | tojson", '{"k":"v","items":5}'),
        ("'%s is %d%%' % (name, 5)", "ann is 5%"),
        ("'%s/%s' | format(flag, one)", "true/1.0"),
        ("'%(x)s' | format(x=name)", "ann"),
        ("users | map(attribute='name') | list", ["Ann", "Bob"]),
        ("users | map(attribute='name') | join(',')", "Ann,Bob"),
        ("users | join(',', attribute='age')", "30,20"),
        ("users | selectattr('age', '>', 25) | map(attribute='name') | first", "Ann"),
        ("users | sort(attribute='age') | map(attribute='name') | list", ["Bob", "Ann"]),
        ("users | sum(attribute='age')", 50),
        ("(users | groupby('city') | first).grouper", "Rome"),
        ("users[a - 3].name", "Ann"),
        ("users[0]['na' ~ 'me']", "Ann"),
        ("d.items", 5),
        ("d.get('k')", "v"),
        ("d.get('x', 1)", 1),
        ("d.keys() | list", ["k", "items"]),
        ("day.isoformat()", "2024-01-02"),
        ("day.strftime('%d.%m.')", "02.01."),
        ("1 if flag else 2", 1),
        ("1 if not flag", None),
        ("[a, [b]]", [3, [4]]),
        ("{'x': a}", {"x": 3}),
        ("range(3) | list", [0, 1, 2]),
        ("dict(x=1)", {"x": 1}),
        ("'{{' ~ a", "{{3"),
        ("empty | length == 0 and not empty", True),
        ("a is number and name is string and d is mapping and n is sequence", True),
        ("'x' | center(5)", "  x  "),
        ("'a b' | urlencode", "a%20b"),
        ("'<b>' | e", "&lt;b&gt;"),
        ("2.567 | round(1)", 2.6),
        ("ref.to | upper", "ANN"),
        ("nested | list", [3, "<ann>"]),
        ("nested[a - 3] + 1", 4),
        ("nested | join", "3<ann>"),
        ("3 in nested", True),
        ("nested | length", 2),
    ],
)
def test_expressions_keep_their_type(expression, value):
    found = render("{{ " + expression + " }}")
    if isinstance(found, str) is False and hasattr(found, "value"):
        found = found.value
    assert found == value
    assert type(found) is type(value)


def test_a_container_that_passes_through_is_handed_over_untouched():
    assert render("{{ users | default(1) }}") is DATA["users"]
    rendered = ENGINE.parse("{{ nested | d(1) }}").render(DATA)
    assert rendered.value is DATA["nested"]
    assert rendered.chain == ("nested | d(1)",)


def test_a_lazy_result_becomes_a_list():
    assert render("{{ n | map('abs') }}") == [3, 1, 2]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{% for x in n %}{{ x }};{% endfor %}", "3;1;2;"),
        ("{% for x in n if x > 1 %}{{ loop.index }}{{ ',' if not loop.last }}{% endfor %}", "1,2"),
        ("{% for x in empty %}{% else %}none{% endfor %}", "none"),
        ("{% for k, v in d.k | dictsort %}{% endfor %}", None),
        ("{% for k in d %}{{ k }} {% endfor %}", "k items "),
        ("{% for u in users %}{{ u.name }}={{ u.age }} {% endfor %}", "Ann=30 Bob=20 "),
        ("{% for u in users %}{{ loop.length }}{{ loop.revindex }}{{ loop.cycle('a', 'b') }}{% endfor %}", "22a21b"),
        ("{% for x in nested %}{{ x }}{% endfor %}", "3<ann>"),
        ("{% for c in 'ab' %}{{ c }}.{% endfor %}", "a.b."),
        ("{% if a > 2 and name == 'ann' %}yes{% elif b %}no{% endif %}", "yes"),
        ("{% set x = a * 2 %}{{ x }} << x >> {{ x + 1 }}", "6 6 7"),
        ("{% with y = 5 %}{{ y }}{% endwith %}", "5"),
        ("{% set ns = namespace(t=0) %}{% for x in n %}{% set ns.t = ns.t + x %}{% endfor %}{{ ns.t }}", "6"),
        ("{% if 1 %}\nA\n{% endif %}\nB", "A\nB"),
        ("{% for x in n %}\n  - {{ x }}\n{% endfor %}\n", "  - 3\n  - 1\n  - 2\n"),
        ("{% if a %}<< users[0].name >>{% raw %}{{ b }}{% endraw %}{% endif %}", "Ann{{ b }}"),
        (r"{% if a %}\{{ b }} a << b {# c #} {{ {% endif %}", "{{ b }} a << b {# c #} {{ "),
        ("{% if a %}{{ d }}{% endif %}", '{"k":"v","items":5}'),
        ("{% if a -%}  x  {%- endif %}", "x"),
    ],
)
def test_blocks(text, written):
    if written is None:
        with pytest.raises(TemplateError, match="the filter `dictsort` fails on a text"):
            render(text)
    else:
        assert render(text) == written


def test_a_dotted_variable_name_is_found_in_expressions_too():
    assert render("{{ x.y | upper }}", {"x.y": "a"}) == "A"


def test_a_loop_variable_hides_a_variable_of_its_name():
    assert render("{% for a in [1] %}{{ a }}{% endfor %}{{ a }}") == "13"


def test_records_are_mappings():
    @dataclasses.dataclass
    class Point:
        x: int
        y: int

    data = {"p": Point(1, 2)}
    assert render("{{ p.x + p.y }}", data) == 3
    assert render("{% for k in p %}{{ k }}{% endfor %}", data) == "xy"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "{{ a b }}",
            "`{{ a b }}` does not parse: expected token 'end of expression', got 'b'; braces that are meant as text "
            "stand inside {% raw %}…{% endraw %}",
        ),
        ("{{ }}", "{% raw %}"),
        ("{{}}", "{% raw %}"),
        ("{{ it's }}", "{% raw %}"),
        ("{{ a) + (b }}", "{% raw %}"),
        ("{{ {a }}", "{% raw %}"),
        ("x {{ {a} }}", "{% raw %}"),
        ("{% iff x %}", "unknown tag 'iff'"),
        ("{% if x %}", "{% raw %}"),
        ("{% endif %}", "{% raw %}"),
        ("{% raw %} {{ x }}", "{% raw %}"),
        ("{% if %}y{% endif %}", "{% raw %}"),
        ("{{ a | uper }}", "there is no filter `uper`; did you mean `upper`?"),
        ("{{ a is defind }}", "there is no test `defind`; did you mean `defined`?"),
        ("{{ a | attr('x') }}", "there is no filter `attr`"),
        ("{% macro m() %}{% endmacro %}", "the statement `macro` does not exist here"),
        ("{% set a %}x{% endset %}", "the statement `set … endset` does not exist here"),
        ("{% for a in b recursive %}{% endfor %}", "cannot be recursive"),
        ("{{ f(a=1, a=2) }}", "{{ f(a=1, a=2) }}"),
        ("{{ '\ufdd0' }}", "U+FDD0"),
        ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "nested too deeply"),
        ("{{ a" + " | abs" * 3000 + " }}", "nested too deeply"),
        ("{% for i in [1] %}" * 60 + "{% endfor %}" * 60, "nested too deeply"),
    ],
)
def test_what_does_not_parse(text, reason):
    with pytest.raises(TemplateProblem) as caught:
        ENGINE.parse(text)
    assert reason in str(caught.value)
    assert "\ufdd1" not in str(caught.value)
    assert len(str(caught.value)) < 900


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ a + name }}", "`+` does not work on a number and a text"),
        ("{{ a / 0 }}", "`/` by zero"),
        ("{{ name | round }}", "the filter `round` fails on a text: TypeError"),
        ("{{ name | sort(nope=1) }}", "the filter `sort` fails on a text: TypeError"),
        ("{{ name | tojson(indent=2) }}", "the filter `tojson` fails on a text: TypeError"),
        ("{{ a() }}", "a number cannot be called in a template"),
        ("{{ name.index('zzz') }}", "rendering `name.index('zzz')` fails: ValueError"),
        ("{{ name.upper }}", None),
        ("{{ name.upper | d(1) }}", "the result is no value; a method is called with ()"),
        ("{% for x in a %}{% endfor %}", "a loop goes through a list, a mapping or a text, not a number"),
        ("{{ a[1:] }}", "rendering `a[1:]` fails: TypeError"),
    ],
)
def test_errors_speak_of_names_and_kinds(text, message):
    with pytest.raises(TemplateError) as caught:
        render(text)
    if message is not None:
        assert caught.value.message == message


@pytest.mark.parametrize(
    "text",
    [
        "{{ s | int + t }}",
        "{{ s.index(t) }}",
        "{{ {s: 1}[t] }}",
        "{{ {1: 2}[t] }}",
        "{{ m[s] }}",
        "{{ s | round }}",
        "{{ m | map(s) | list }}",
        "{{ '%d' % s }}",
        "{{ v }}",
        "a {{ v | upper }}",
        "{{ w }}",
        "{{ x | upper }}",
        "{{ s[9].y }}",
    ],
)
def test_errors_never_show_values(text):
    secret = "hunter2"
    data = {
        "s": secret,
        "t": "tok-" + secret,
        "m": [secret],
        "v": secret + " {{ nope }}",
        "w": "{{ " + secret + " 1 }}",
        "x": "{{ m | index }} " + secret,
    }
    with pytest.raises(TemplateError) as caught:
        render(text, data)
    assert secret not in str(caught.value)
    assert caught.value.__cause__ is None


def test_dates_are_formatted_by_their_methods():
    assert render("{{ t.strftime('%H:%M') }}", {"t": datetime(2024, 1, 2, 3, 4)}) == "03:04"
