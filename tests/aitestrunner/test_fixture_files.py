"""Every form in which cases may be written."""

import json

import pytest

from aitestrunner import find_fixture_files, load_fixture_file
from matchex import MISSING, Literal


@pytest.fixture
def load(tmp_path):
    def load(text, name="a.fixture.yaml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_fixture_file(path)

    return load


def problems_of(file):
    return [(problem.position.line, problem.message) for problem in file.problems]


class TestForms:
    def test_list(self, load):
        file = load("- input: a\n  output: b\n- output: c\n")
        assert [case.output for case in file.cases] == ["b", "c"]
        assert file.cases[1].input is MISSING

    def test_front_matter_and_list(self, load):
        file = load("# about\n\n---\noutput: /x{{n}}/\nshared: 1\n---\n- n: 1\n- n: 2\n")
        assert file.defaults.settings.output == "/x{{n}}/"
        assert file.defaults.settings.vars == {"shared": 1}
        assert [case.vars for case in file.cases] == [{"n": 1}, {"n": 2}]
        assert [case.position().line for case in file.cases] == [7, 8]

    def test_front_matter_and_single_mapping(self, load):
        file = load("---\nscript: a\n---\noutput: x\n")
        assert len(file.cases) == 1
        assert file.defaults.settings.script == "a"

    def test_no_front_matter_without_an_opening_marker(self, load):
        assert "second document" in load("- output: a\n---\n- output: b\n").problems[0].message

    def test_only_an_opening_marker_is_no_front_matter(self, load):
        file = load("---\n- output: a\n")
        assert [case.output for case in file.cases] == ["a"]
        assert file.defaults.node is None

    @pytest.mark.parametrize("marker", ["----", " ---", "---x"])
    def test_what_is_no_marker(self, load, marker):
        assert load(f"{marker}\na: 1\n---\n- output: x\n").problems

    def test_defaults_beside_cases(self, load):
        file = load("script: a\nx: 1\ncases:\n  - output: b\n")
        assert file.defaults.settings.script == "a"
        assert file.defaults.settings.vars == {"x": 1}
        assert file.cases[0].position().line == 4

    def test_json(self, load):
        file = load('{"script": "a", "cases": [\n {"output": 1}]}', "a.fixture.json")
        assert file.cases[0].output == 1
        assert file.cases[0].position(("output",))[1:] == (2, 3)

    def test_json_lines(self, load):
        file = load('{"output": 1}\n\n{"output": 2}\n', "a.fixture.jsonl")
        assert [case.output for case in file.cases] == [1, 2]
        assert file.cases[1].position().line == 3

    def test_cases_from_rows(self, load, tmp_path):
        (tmp_path / "rows.jsonl").write_text(
            '{"q": "/x/", "a": {"$gt": 1}, "n": 3, "output": "y"}\n{"q": "2", "n": 4}\n'
        )
        file = load("---\ncasesFrom: rows.jsonl\noutput: '{{a}}'\n---\n")
        assert file.cases[0].vars == {"q": Literal("/x/"), "a": Literal({"$gt": 1}), "n": 3, "output": Literal("y")}
        assert file.cases[0].output is MISSING
        assert file.cases[1].position().file.endswith("rows.jsonl")

    @pytest.mark.parametrize(
        ("rows", "ids"),
        [
            ([{"id": "a"}, {"id": 7}], ["a", "7"]),
            ([{"id": "a"}, {"q": 1}], ["#0", "#1"]),
            ([{"id": "a"}, {"id": "a"}], ["#0", "#1"]),
            ([{"id": "a"}, {"id": True}], ["#0", "#1"]),
            ([{"id": "1"}, {"id": 1}], ["#0", "#1"]),
        ],
    )
    def test_a_column_names_the_cases_where_every_row_has_a_name_of_its_own(self, load, tmp_path, rows, ids):
        (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        file = load("---\ncasesFrom: rows.jsonl\noutput: x\n---\n")
        assert [case_id.removeprefix(file.path.as_posix()) for case_id in file.ids()] == ids

    def test_rows_in_yaml_beside_cases(self, load, tmp_path):
        (tmp_path / "rows.yaml").write_text("- {q: a}\n- {q: b}\n")
        file = load("casesFrom: rows.yaml\noutput: x\ncases:\n- q: c\n")
        assert [case.vars["q"] for case in file.cases] == ["c", Literal("a"), Literal("b")]

    @pytest.mark.parametrize("text", ["", "# nothing\n", "---\nscript: a\n---\n", "[]", "just text"])
    def test_a_file_without_cases(self, load, text):
        assert len(load(text).problems) == 1

    @pytest.mark.parametrize("name", ["fixtures", "tests"])
    def test_other_names_for_cases(self, load, name):
        assert "write `cases:`" in load(f"{name}:\n- output: a\n").problems[0].message


class TestEncoding:
    def test_mark_and_line_ends(self, load):
        file = load("\ufeff---\r\nscript: a\r\n---\r\n- output: |\r\n    x\r\n    y\r\n".encode())
        assert file.defaults.settings.script == "a"
        assert file.cases[0].output == "x\ny\n"

    def test_not_utf8(self, load):
        file = load(b"- output: x\n- output: " + "中".encode("gbk"))
        assert problems_of(file)[0][0] == 2
        assert "UTF-8" in problems_of(file)[0][1]

    def test_every_script(self, load):
        assert load("- output: 天气🌦 été\n").cases[0].output == "天气🌦 été"


class TestKeys:
    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("pass_score", "passScore"),
            ("PassScore", "passScore"),
            ("ouput", "output"),
            ("outptu", "output"),
            ("outputs", "output"),
            ("output_schema", "outputSchema"),
            ("OUTPUT", "output"),
            ("Input", "input"),
            ("expcet", "expect"),
            ("tool_tester", "toolTester"),
            ("disableHeuristicSchemas", "disableHeuristicSchema"),
        ],
    )
    def test_near_misses_are_errors(self, load, written, meant):
        (problem,) = problems_of(load(f"- output: x\n  {written}: 1\n"))
        assert problem[0] == 2
        assert f"did you mean `{meant}`" in problem[1]

    @pytest.mark.parametrize("name", ["inputs", "tool", "tags2", "question", "strictness", "answer", "名字", "x"])
    def test_other_keys_are_variables(self, load, name):
        assert load(f"- output: x\n  {name}: 1\n").cases[0].vars == {name: 1}

    def test_vars_hold_any_name(self, load):
        file = load("- output: x\n  vars: {outputs: 1, pass_score: 2}\n  y: 3\n")
        assert file.cases[0].vars == {"outputs": 1, "pass_score": 2, "y": 3}

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("strict: obj", "true, false, or some of object"),
            ("not: yes", "write true"),
            ("skip: no", "write false"),
            ("maxScore: -1", "at least 0"),
            ("passScore: 70 percent", '"70%"'),
            ("threshold: 5", "from 0 to 1"),
            ("tags: [1]", "list of texts"),
            ("vars: [a]", "mapping"),
            ("parse: yaml", "json, none or auto"),
            ("scoring: perhaps", "auto"),
            ("cases: []", "front matter"),
            ("<<: {a: 1}", "merge keys"),
            ("title: 5", "a text"),
        ],
    )
    def test_values_of_the_wrong_form(self, load, line, words):
        (problem,) = problems_of(load(f"- output: x\n  {line}\n"))
        assert problem[0] == 2
        assert words in problem[1]

    def test_templated_settings_are_looked_at_later(self, load):
        assert not load("- output: x\n  passScore: '{{p}}'\n").problems

    @pytest.mark.parametrize("name", ["only: true", "skip: true", "diff: true", "not: true", "id: a"])
    def test_what_belongs_to_a_case(self, load, name):
        (problem,) = problems_of(load(f"---\n{name}\n---\n- output: x\n"))
        assert "belongs to a case" in problem[1]

    def test_one_bad_case_does_not_hide_the_others(self, load):
        file = load("- outputt: x\n- output: y\n- 5\n")
        assert [line for line, _ in problems_of(file)] == [1, 3]
        assert len(file.cases) == 1


class TestFinding:
    def test_folders_are_searched(self, tmp_path):
        names = ["b.fixture.yaml", "a.aitest.json", "sub/c.fixture.jsonl", "d.yaml", "e.fixture.txt"]
        for name in [*names, ".venv/f.fixture.yaml", "sub/node_modules/g.fixture.yaml"]:
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.touch()
        found = [path.relative_to(tmp_path).as_posix() for path in find_fixture_files([tmp_path])]
        assert found == ["a.aitest.json", "b.fixture.yaml", "sub/c.fixture.jsonl"]

    def test_a_named_file_may_have_any_name_and_counts_once(self, tmp_path):
        path = tmp_path / "cases.yaml"
        path.touch()
        assert find_fixture_files([path, str(path)]) == [path]

    def test_what_is_not_there(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"nowhere\.yaml"):
            find_fixture_files([tmp_path / "nowhere.yaml"])
