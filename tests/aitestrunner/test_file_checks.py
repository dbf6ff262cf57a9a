"""`aitest validate`: what cannot work, and what probably misleads."""

from pathlib import Path

import pytest
from aitestrunner._cli import main
from aitestrunner._lint import lint_file

from aitestrunner import load_fixture_file


@pytest.fixture
def lint(tmp_path):
    def lint(text, **variables):
        path = tmp_path / "a.fixture.yaml"
        path.write_text(text)
        found = lint_file(load_fixture_file(path), variables=variables, allow_code=True)
        return [(finding.severity, finding.position.line, finding.message) for finding in found]

    return lint


@pytest.mark.parametrize(
    ("text", "severity", "line", "words"),
    [
        ("- output:\n    a: {$contians: 1}\n", "error", 2, "did you mean $contains"),
        ("- output: '{{nmae}} {{name}}'\n  name: x\n", "error", 1, "nmae"),
        ("- outptu: x\n", "error", 1, "did you mean `output`"),
        ("- outputSchema: {type: text}\n", "error", 1, "type"),
        ("- input: x\n", "error", 1, "checks nothing"),
        ("---\noperators: {$x: ./nowhere.py:x}\n---\n- output: {$x: 1}\n", "error", 2, "nowhere.py"),
        ("- output: x y\n  scoring: true\n  passScore: 200\n", "warning", 3, "no answer can reach"),
        ("- output: x y\n  passScore: 50\n", "warning", 2, "no effect without `scoring"),
        (
            "- output:\n    - {$expect: 1, $score: 0}\n    - {$expect: 2, $score: 0}\n",
            "warning",
            1,
            "add up to nothing",
        ),
        ("- output:\n    a: {$expect: 1, $score: 0.5}\n    b: {$expect: 2, $score: 50}\n", "warning", 1, "mixed"),
        ("- output:\n    a: {$expect: 1, $score: 50}\n    b: {$expect: 2, $score: -80}\n", "warning", 1, "outweigh"),
        ("- output: x y\n  unused: 1\n", "warning", 2, "no placeholder uses the variable `unused`"),
        ("---\nunused: 1\n---\n- output: x y\n", "warning", 2, "no placeholder uses"),
        ("- output:\n    status: ok\n", "warning", 2, "write {$eq: ok}"),
        ("- output: x y\n  scoring: true\n  passScore: 0.7\n", "warning", 3, 'a share is written "70%"'),
        ("- output:\n    a: {$not: /password/I}\n", "warning", 2, "I is no flag"),
        ("- output:\n    p: /static/img\n", "warning", 2, "a path is written {$eq: /static/img}"),
        ("- output: '\\d+ EUR'\n", "warning", 1, "between slashes"),
        ("- output: (?i)password\n", "warning", 1, "between slashes"),
        ("- output: {$not: refund|EUR}\n", "warning", 1, "between slashes"),
        ("- output: {$not: ^Your}\n", "warning", 1, "between slashes"),
        ("- output: {$not: /refund/ i}\n", "warning", 1, "between slashes"),
        ("- output: {$not: [refund, sorry]}\n", "warning", 1, "{$not: {$or: […]}}"),
        ("- expect:\n    meta:\n      model: small\n", "warning", 3, "write {$eq: small}"),
        ("- output: '/\\Adone\\Z/'\n", "warning", 1, "^ and $ are the ends"),
        ("- output: '/^[[:alpha:]]+$/'\n", "warning", 1, "\\p{L} with the flag u"),
        ("- output: x y\n  tools: []\n", "warning", 2, "`expect: {tools: []}`"),
        ("- expect: {tools: {$none: {tool: refund}}}\n", "error", 1, "`name`, not `tool`"),
        ("- expect: {tools: [{name: a, arguments: {x: 1}}]}\n", "error", 1, "`args`, not `arguments`"),
        ("- expect: {tools: {$none: [a, b]}}\n", "error", 1, "{name: {$in: […]}}"),
        ("- expect: {tools: {$not: {$contains: {$or: [{function: a}]}}}}\n", "error", 1, "`name`, not `function`"),
    ],
)
def test_findings(lint, text, severity, line, words):
    found = lint(text)
    assert len(found) == 1, found
    assert found[0][:2] == (severity, line)
    assert words in found[0][2]


def test_doubled_ids_are_found_before_a_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.fixture.yaml").write_text("- {id: a, output: x y}\n- {id: b, output: x y}\n")
    Path("b.fixture.yaml").write_text("- {id: c, output: x y}\n- {id: a, output: x y}\n")
    assert main(["validate", "."]) == 4
    out = capsys.readouterr().out
    assert "b.fixture.yaml:2:4: error: another case has the id 'a' too (at a.fixture.yaml:1:3)" in out
    assert "4 cases in 2 files: 1 error" in out


@pytest.mark.parametrize(
    "text",
    [
        "- output: word\n",
        "- output: {status: {$eq: ok}}\n",
        "- output: {status: ok}\n  strict: text\n",
        "- expect: {output: word, tools: [{name: search}]}\n",
        "- output: '{{a.b}}'\n  a: {b: 1}\n",
        "- output: {$expr: 'actual > data.limit'}\n  limit: 3\n",
        "- output: '{{given}}'\n",
        "- output: {p: {$eq: /static/img}, q: /usr/local/share, r: /a.*b/i, t: '/\\d+ EUR/'}\n",
        "- output: 'what? (really) costs $5 ... ^^'\n",
        "- output: 'C:\\data\\works and more'\n",
        "- expect: {output: x y, diff: [{value: Paris, added: true}]}\n",
        "- output:\n    a: {$expect: 1, $score: -50}\n    b: 2\n",
        "- output:\n    $and:\n      - {a: 1, $score: -50}\n",
    ],
)
def test_nothing_to_find(lint, text):
    assert lint(text, given=1) == []
