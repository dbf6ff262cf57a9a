"""Operators of one's own, and where code may come from."""

import pytest
from aitestrunner._references import reference_name

from aitestrunner import AITestRunner, CodeError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "checks.py").write_text(
        "def even(actual, expected):\n    return (actual % 2 == 0) is expected\n\n"
        "def doubled(actual, expected):\n    return actual == 2 * expected or f'{actual} is not twice {expected}'\n"
    )
    (tmp_path / "inside").mkdir()
    return tmp_path


def run_file(path, text, **options):
    path.write_text(text)
    (log,) = AITestRunner(lambda context: 4).run_sync("s", path, **options).logs
    return log


class TestFiles:
    def test_mapping_and_list(self, folder):
        log = run_file(
            folder / "a.fixture.yaml",
            "---\noperators: {even: './checks.py:even'}\n---\n"
            "- operators: ['./checks.py#doubled']\n  output: {$even: true, $doubled: 2}\n",
        )
        assert log.passed, log.errors

    def test_a_text_is_the_message(self, folder):
        log = run_file(folder / "a.fixture.yaml", "operators: {$d: './checks.py:doubled'}\noutput: {$d: 1}\n")
        assert "4 is not twice 1" in log.failures[0].message

    @pytest.mark.parametrize(
        ("reference", "words"),
        [
            ("../checks.py:even", "leads out of the folder"),
            ("os:system", "names an installed module"),
            ("py:os:system", "names an installed module"),
            ("./nowhere.py:even", "no file nowhere.py"),
            ("./checks.py:evn", "did you mean 'even'"),
        ],
    )
    def test_references_that_lead_nowhere(self, folder, reference, words):
        (folder / "inside" / "checks.py").write_text((folder / "checks.py").read_text())
        log = run_file(
            folder / "inside" / "a.fixture.yaml",
            f"---\noperators: {{$even: '{reference}'}}\n---\n- output: {{$even: true}}\n",
        )
        assert (log.status, log.error.kind) == ("error", "operators")
        assert words in log.error.message
        assert log.error.location.line == 2

    def test_links_out_of_the_folder_are_followed_before_they_are_checked(self, folder):
        (folder / "inside" / "link.py").symlink_to(folder / "checks.py")
        text = "operators: {$even: './link.py:even'}\noutput: {$even: true}\n"
        assert "leads out of the folder" in run_file(folder / "inside" / "a.fixture.yaml", text).error.message

    def test_code_can_be_forbidden(self, folder):
        text = "operators: {$even: './checks.py:even'}\noutput: {$even: true}\n"
        assert "does not allow" in run_file(folder / "a.fixture.yaml", text, allow_code=False).error.message
        front = "---\noperators: {$even: './checks.py:even'}\n---\n- output: {$even: true}\n"
        assert "does not allow" in run_file(folder / "b.fixture.yaml", front, allow_code=False).error.message


class TestPython:
    def test_by_name(self, folder):
        runner = AITestRunner(lambda context: 4)
        case = {"output": {"$even": True}}
        assert runner.run_sync("s", [case], operators=["./checks.py:even"], base_dir=folder).passed
        assert runner.run_sync("s", [case], operators={"even": lambda actual, expected: actual % 2 == 0}).passed

    def test_a_wrong_one_ends_the_run_before_it_begins(self):
        calls = []
        with pytest.raises(CodeError, match=r"no file nowhere\.py"):
            AITestRunner(calls.append).run_sync("s", [{"output": 1}], operators={"$x": "./nowhere.py:x"})
        with pytest.raises(CodeError, match="must be a function"):
            AITestRunner(calls.append).run_sync("s", [{"output": 1}], operators={"$x": 5})
        assert not calls

    def test_built_in_ones_are_kept(self):
        runner = AITestRunner(lambda context: 4)
        case = {"output": {"$eq": 5}}
        options = {"operators": {"$eq": lambda actual, expected: True}}
        assert runner.run_sync("s", [case], **options).logs[0].error.kind == "definition"
        assert runner.run_sync("s", [{**case, "allowOperatorOverride": True}], **options).passed


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("./a/my-check.py", "myCheck"),
        ("./my.check.py", "myCheck"),
        ("pkg.mod:attr", "attr"),
        ("py:pkg.mod#attr", "attr"),
    ],
)
def test_names(reference, name):
    assert reference_name(reference) == name
