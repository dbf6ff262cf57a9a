"""What holds for any data."""

from __future__ import annotations

import copy
import json
import time

from hypothesis import given
from hypothesis import strategies as st
from matchex.plugin import equal, has_placeholders, json_text, number_text

from matchex import Literal
from matchex_template import TemplateEngine

ENGINE = TemplateEngine()

plain_text = st.text(st.characters(codec="utf-8")).filter(lambda text: not ENGINE.marked(text))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | plain_text
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(plain_text, inner, max_size=4), max_leaves=12
)
names = st.sampled_from(["a", "b", "c"])
pieces = st.sampled_from(
    ["{{ a }}", "<< b >>", "{{ c | string }}", "{% if a %}x{% endif %}", r"\{{", " text ", "{{ b.k }}"]
)
templates = st.lists(pieces, max_size=5).map("".join)


@given(values)
def test_a_whole_placeholder_preserves_any_value(value):
    for text in ("{{ v }}", "<< v >>", "{{ v | default(0) }}", "{{ [v][0] }}", "{{ w.x }}"):
        assert equal(ENGINE.parse(text).render({"v": value, "w": {"x": value}}).value, value)


def as_written(value):
    """Large floats as the integers that their digits say: a text does not tell the two apart."""
    if isinstance(value, float):
        return int(number_text(value)) if value.is_integer() and abs(value) < 1e21 else value
    if isinstance(value, list):
        return [as_written(item) for item in value]
    return {key: as_written(item) for key, item in value.items()} if isinstance(value, dict) else value


@given(values)
def test_in_a_text_it_is_its_json(value):
    written = ENGINE.parse("<{{ v }}>").render({"v": value}).value[1:-1]
    if isinstance(value, (list, dict)):
        assert written == json_text(value)
        assert equal(json.loads(written), as_written(value))
    assert written == ENGINE.parse("{% if true %}{{ v }}{% endif %}").render({"v": value}).value


@given(templates, st.dictionaries(names, templates | values, max_size=3))
def test_rendering_changes_no_data_and_is_final(text, data):
    before = copy.deepcopy(data)
    template = ENGINE.parse(text)
    if template is None:
        return
    try:
        value = template.render(data).value
    except Exception as error:
        assert type(error).__name__ == "TemplateError", error
        value = None
    assert equal(before, data)
    if isinstance(value, str) and not has_placeholders(value):
        again = ENGINE.parse(value)
        assert again is None
        assert ENGINE.marked(value) or ENGINE.unescape(value) == value


@given(st.text(st.characters(codec="utf-8"), max_size=50))
def test_a_literal_stays_as_it_is(text):
    for template in ("{{ v }}", "{{ v | string }}", "{{ [v] | first }}", "{{ w }}"):
        assert ENGINE.parse(template).render({"v": Literal(text), "w": "{{ v }}"}).value == Literal(text)


def test_a_large_text_costs_in_proportion_to_its_length():
    def seconds(count):
        text = ("x" * 90 + "{{ a.b[0] }}") * count
        started = time.monotonic()
        rendered = ENGINE.parse(text).render({"a": {"b": ["value"]}}).value
        assert len(rendered) == 95 * count
        return time.monotonic() - started

    seconds(100)
    assert seconds(10_000) < 10
