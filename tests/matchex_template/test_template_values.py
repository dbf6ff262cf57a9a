"""What placeholders give: values by paths, texts, regexes, cycles, names that do not exist."""

from __future__ import annotations

import dataclasses
import re
from datetime import date, datetime, time
from decimal import Decimal

import pytest
from matchex.plugin import TemplateError

from matchex import MISSING, Literal
from matchex_template import TemplateEngine

ENGINE = TemplateEngine()


def render(text, variables, **options):
    return ENGINE.parse(text).render(variables, **options).value


def error_of(text, variables, **options):
    with pytest.raises(TemplateError) as caught:
        render(text, variables, **options)
    assert caught.value.kind == "template"
    return caught.value.message


@dataclasses.dataclass
class User:
    name: str
    tags: list[str] = dataclasses.field(default_factory=list)

    def shout(self):
        return self.name.upper()


class TestWholeValues:
    @pytest.mark.parametrize(
        "value", [5, 1.0, True, None, "text", [1], {"a": 1}, Decimal("1.5"), date(2024, 1, 2), b"x"]
    )
    def test_keep_their_type(self, value):
        found = render("{{ v }}", {"v": value})
        assert found is value

    def test_blanks_around_do_not_count(self):
        template = ENGINE.parse("\n {{v}}\ufeff ")
        assert template.whole
        assert template.render({"v": 5}).value == 5

    @pytest.mark.parametrize("text", ["{{ v }}.", "{{ v }}{{ v }}", "{% if v %}{{ v }}{% endif %}", "{{ v }} \\{{"])
    def test_everything_else_is_a_text(self, text):
        template = ENGINE.parse(text)
        assert not template.whole
        assert isinstance(template.render({"v": 5}).value, str)

    def test_a_container_is_handed_over_untouched(self):
        data = {"a": ["{{ b }}"], "b": 1}
        rendered = ENGINE.parse("{{ a }}").render(data)
        assert rendered.value is data["a"]
        assert rendered.chain == ("a",)

    def test_patterns_and_functions(self):
        pattern = re.compile("x")
        assert render("{{ p }}", {"p": pattern}) is pattern
        assert render("{{ p }}", {"p": len}) is len


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("users[0].name", "Ann"),
        ("users[-1].name", "Bob"),
        ("users.1.tags[0]", "x"),
        ('odd["x y"]', 1),
        ("odd['a.b']", 2),
        ("名前", "太郎"),
        ("dotted.name", "literal"),
        ("dotted.other", "path"),
        ("in", "keyword"),
        ("items", "a name of Jinja's"),
    ],
)
@pytest.mark.parametrize("form", ["{{ %s }}", "{{%s}}", "<< %s >>", "<<%s>>"])
def test_paths(form, path, found):
    data = {
        "users": [User("Ann"), User("Bob", ["x"])],
        "odd": {"x y": 1, "a.b": 2},
        "名前": "太郎",
        "dotted.name": "literal",
        "dotted": {"name": "hidden", "other": "path"},
        "in": "keyword",
        "items": "a name of Jinja's",
    }
    assert render(form % path, data) == found


def test_a_variable_may_have_any_name():
    assert render("{{ k-k }}", {"k-k": 1}) == 1
    assert render("{{ k-k }}", {"k": 3}) == 0
    assert render("{{ true }}", {}) is True
    assert render("{{ none }}", {}) is None


class TestTexts:
    @pytest.mark.parametrize(
        ("value", "written"),
        [
            ("plain", "plain"),
            (5, "5"),
            (1.0, "1"),
            (1.5, "1.5"),
            (True, "true"),
            (False, "false"),
            (None, ""),
            ([1, "b", None, True, 2.0, "ä"], '[1,"b",null,true,2,"ä"]'),
            ({"a": {"b": []}}, '{"a":{"b":[]}}'),
            ((1, 2), "[1,2]"),
            ({3, 1, 2}, "[1,2,3]"),
            (User("Ann"), '{"name":"Ann","tags":[]}'),
            (Decimal("1.50"), "1.50"),
            (date(2024, 1, 2), "2024-01-02"),
            (datetime(2024, 1, 2, 3, 4), "2024-01-02T03:04:00"),
            (time(3, 4), "03:04:00"),
            ([date(2024, 1, 2)], '["2024-01-02"]'),
        ],
    )
    def test_values_in_a_text(self, value, written):
        assert render("<{{ v }}|<< v >>>", {"v": value}) == f"<{written}|{written}>"
        assert render("{% if true %}{{ v }}{% endif %}", {"v": value}) == written

    @pytest.mark.parametrize(("value", "what"), [(re.compile("x"), "a pattern"), (b"x", "bytes"), (len, "an object")])
    def test_values_without_a_text(self, value, what):
        assert error_of("a {{ v }}", {"v": value}).startswith(f"{what} ")

    def test_a_value_that_holds_itself(self):
        loop: list[object] = []
        loop.append(loop)
        assert "deep" in error_of("a {{ v }}", {"v": loop})

    def test_escapes_and_code_around_placeholders(self):
        assert render(r"\{{ a }} {{ a }} 1 << 2 {% raw %}{{ b }}{% endraw %}", {"a": 1}) == "{{ a }} 1 1 << 2 {{ b }}"

    def test_stripping_marks(self):
        assert render("a \n {{- v -}} \n b", {"v": 1}) == "a1b"
        assert render("a {{- v | upper -}} b", {"v": "x"}) == "aXb"

    def test_a_text_without_placeholders_is_no_template(self):
        assert ENGINE.parse("a {{ b") is None
        assert ENGINE.parse(r"\{{ b }}") is None
        assert ENGINE.unescape(r"\{{ b }}") == "{{ b }}"


class TestValuesWithPlaceholders:
    def test_the_type_survives(self):
        assert render("{{ a }}", {"a": "{{ b }}", "b": " << c >> ", "c": 7}) == 7

    def test_the_chain_names_what_was_passed(self):
        data = {"a": "{{ b.c }}", "b": {"c": ["{{ a }}"]}}
        rendered = ENGINE.parse("{{ a }}").render(data)
        assert rendered.value is data["b"]["c"]
        assert rendered.chain == ("a", "b.c")

    def test_inside_texts_and_containers(self):
        data = {"a": {"{{ k }}": ["<{{ v }}>", "{{ v }}"]}, "k": "key", "v": True}
        assert render("x {{ a }}", data) == 'x {"key":["<true>",true]}'
        assert data == {"a": {"{{ k }}": ["<{{ v }}>", "{{ v }}"]}, "k": "key", "v": True}

    def test_escapes_in_values(self):
        assert render("{{ a }}", {"a": r"\{{ b }}"}) == "{{ b }}"
        assert render("-{{ a }}", {"a": "{{ b }}", "b": "{% raw %}{{ c }}{% endraw %}"}) == "-{{ c }}"

    def test_used_twice_is_no_cycle(self):
        assert render("{{ a }}{{ a }}{{ b }}", {"a": "{{ c }}", "b": "{{ c }}", "c": 1}) == "111"

    @pytest.mark.parametrize(
        ("text", "data", "cycle"),
        [
            ("{{ a }}", {"a": "{{ a }}"}, "a -> a"),
            ("{{ a }}", {"a": "{{ b }}", "b": "{{ a }}"}, "a -> b -> a"),
            ("x {{ a }}", {"a": "y {{ b }}", "b": "z << a >>"}, "a -> b -> a"),
            ("{{ x }}", {"x": "{{ a }}", "a": "{{ b.c }}", "b": {"c": "{{ a }}"}}, "a -> b.c -> a"),
            ("x {{ a }}", {"a": ["{{ a }}"]}, "a -> a[0] -> a"),
            ("{{ a | upper }}", {"a": "{{ a | upper }}"}, "a | upper -> a -> a | upper"),
            ("{% if true %}{{ a }}{% endif %}", {"a": "{% if true %}{{ a }}{% endif %}"}, "a -> a"),
        ],
    )
    def test_cycles(self, text, data, cycle):
        assert error_of(text, data) == f"the placeholders form a cycle: {cycle}"

    def test_a_cycle_through_what_the_caller_renders(self):
        assert error_of("{{ a }}", {"a": ["{{ a }}"]}, chain=("a",)).endswith("a -> a")

    def test_siblings_in_one_container_are_no_cycle(self):
        data = {"a": {"x": 1, "y": "{{ a.x }}", "z": "{{ a.y | string }}"}}
        assert render("{{ a.z }}", data) == "1"
        assert render("v={{ a }}", data) == 'v={"x":1,"y":1,"z":"1"}'

    def test_values_that_do_not_parse(self):
        message = error_of("{{ a }}", {"a": "my secret {{ is here }}"})
        assert message.startswith("the value of `a` has braces that do not parse")
        assert "secret" not in message
        assert "matchex.Literal" in message


class TestLiterals:
    def test_whole(self):
        literal = Literal("{{ x }}")
        assert render("{{ a }}", {"a": literal}) is literal

    def test_a_text_that_a_literal_went_into_is_literal(self):
        assert render("/{{ a }}", {"a": Literal(".*{{ x }}/")}) == Literal("/.*{{ x }}/")
        assert render("b {{ a }}", {"a": "c {{ l }}", "l": Literal("{{ x }}")}) == Literal("b c {{ x }}")

    def test_what_is_inside_a_literal_is_literal(self):
        data = {"a": Literal({"b": ["{{ x }}"]})}
        assert render("{{ a.b[0] }}", data) == Literal("{{ x }}")
        assert render("- {{ a }}", data) == Literal('- {"b":["{{ x }}"]}')

    @pytest.mark.parametrize(
        "expression",
        [
            "a | trim",
            "a ~ ''",
            "[a] | first",
            "[a][0]",
            "d.t",
            "d | items | list | last | last",
            "a if true else 1",
            "s | first",
        ],
    )
    def test_what_is_computed_from_a_literal_is_literal(self, expression):
        data = {"a": Literal("{{ x }}"), "d": Literal({"t": "{{ x }}"}), "s": [Literal("{{ x }}")]}
        assert render(f"{{{{ ({expression}) }}}}", data) == Literal("{{ x }}")

    def test_in_blocks(self):
        data = {"l": Literal(["{{ x }}", "<< y >>"])}
        assert render("{% for t in l %}{{ t }};{% endfor %}", data) == Literal("{{ x }};<< y >>;")

    def test_placeholders_beside_a_literal_are_rendered(self):
        assert render("{{ [l, t] }}", {"l": Literal("{{ x }}"), "t": "{{ x }}", "x": 1}) == [Literal("{{ x }}"), 1]


class TestRegexes:
    def test_inserted_text_is_quoted(self):
        assert render("^{{ a }}$", {"a": "x.y"}, quote=re.escape) == r"^x\.y$"
        assert render("^{{ a }}$", {"a": "{{ b }}+", "b": "."}, quote=re.escape) == r"^\.\+$"
        assert render("{{ a }}", {"a": "."}, quote=re.escape) == r"\."
        assert render("{% for t in l %}{{ t }}|{% endfor %}", {"l": [".", "b"]}, quote=re.escape) == r"\.|b|"

    def test_an_inserted_pattern_is_not(self):
        class Pattern:
            source = "a.b"
            flags = ""

        assert render("^{{ p }}$", {"p": Pattern()}, quote=re.escape) == "^a.b$"
        assert render("^{{ p }}$", {"p": re.compile("a.b")}, quote=re.escape) == "^a.b$"
        assert render("^{{ a }}$", {"a": "{{ p }}", "p": re.compile("a.b")}, quote=re.escape) == "^a.b$"

    def test_a_literal_is_quoted_text(self):
        assert render("^{{ a }}$", {"a": Literal(".")}, quote=re.escape) == r"^\.$"


class TestUndefined:
    @pytest.mark.parametrize(
        ("text", "data", "message"),
        [
            ("{{ usr }}", {"user": 1}, "undefined variable `usr`; did you mean `user`?"),
            ("a << usr >>", {"user": 1}, "undefined variable `usr`; did you mean `user`?"),
            ("{{ user.nmae }}", {"user": {"name": 1}}, "undefined variable `user.nmae`; did you mean `user.name`?"),
            ("{{ u.nmae | upper }}", {"u": User("x")}, "undefined variable `u.nmae`; did you mean `u.name`?"),
            ("{{ nope }}", {"limit": 1, "tags": 2}, "undefined variable `nope`; known are: limit, tags"),
            ("{{ nope }}", {}, "undefined variable `nope`; there are no variables (neither data nor input were given)"),
            ("{{ l[2] }}", {"l": [1]}, "undefined variable `l[2]`; `l` is a list of 1"),
            ("{{ l.length }}", {"l": [1]}, "undefined variable `l.length`; write `l | length`"),
            ("{{ t.length }}", {"t": "x"}, "undefined variable `t.length`; write `t | length`"),
            ("{{ t.name }}", {"t": "x"}, "undefined variable `t.name`; `t` is a text, it has no fields"),
            ("{{ u.shout }}", {"u": User("x")}, "undefined variable `u.shout`; known are: name, tags"),
            ("{{ nope.x | upper }}", {"a": 1}, "undefined variable `nope`; known are: a"),
            ("{{ m }}", {"m": MISSING}, "undefined variable `m`; did you mean `m`?"),
            ("{{ nope + 1 }}", {"a": 1}, "undefined variable `nope`; known are: a"),
            ("{{ nope == 1 }}", {"a": 1}, "undefined variable `nope`; known are: a"),
            ("{{ [nope] }}", {"a": 1}, "undefined variable `nope`; known are: a"),
            ("{{ 'x' ~ nope }}", {"a": 1}, "undefined variable `nope`; known are: a"),
            ("{% for x in nope %}{% endfor %}", {"a": 1}, "undefined variable `nope`; known are: a"),
            ("{% for x in l %}{{ x.b }}{% endfor %}", {"l": [{"c": 1}]}, "undefined variable `x.b`; known are: c"),
        ],
    )
    def test_is_an_error_that_names_it(self, text, data, message):
        assert error_of(text, data) == message

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("{% if x %}y{% else %}n{% endif %}", "n"),
            ("{% if u.a.b %}y{% else %}n{% endif %}", "n"),
            ("{{ x is defined }}", False),
            ("{{ u.n is defined }}", True),
            ("{{ u.nmae.x is undefined }}", True),
            ("{{ x | default(9) }}", 9),
            ("{{ u.a.b | d('-') }}", "-"),
            ("{{ x or 3 }}", 3),
            ("{{ not x }}", True),
            ("{{ 1 if x else 2 }}", 2),
        ],
    )
    def test_may_be_tested(self, text, found):
        assert render(text, {"u": {"n": 1}}) == found

    def test_many_names_are_not_all_listed(self):
        message = error_of("{{ zzzzz }}", {f"name_{n}": n for n in range(5000)})
        assert message.endswith("name_7 and 4992 more")
