"""Plugins are found by their entry points: real wheels in clean virtual environments, without a network.

Third-party packages are those of the running environment, linked into the new one; ours come from wheels alone.
"""

import json
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {
    "matchex": ROOT / "matchex",
    "schema": ROOT / "matchex_schema",
    "template": ROOT / "matchex_template",
    "plugin": ROOT / "examples" / "plugin",
}
OURS = ("matchex", "_matchex", "aitestrunner", "_aitestrunner", "__editable__")
TIMEOUT = 100  # seconds; a hang ends here

QUESTIONS = """
import json, warnings
import matchex

warnings.simplefilter("error")  # a plugin that cannot be loaded warns

def ask(actual, expected, **options):
    try:
        return matchex.validate(actual, expected, **options).status
    except matchex.ExpectationError as error:
        return error.problems[0].message

print(json.dumps({
    "plain": ask({"a": 1}, {"a": {"$gte": 1}}),
    "schema": ask(5, {"$schema": {"type": "string"}}),
    "looks like a schema": ask("text", {"type": "string"}),
    "template": ask("Hello Ann", "Hello {{name}}", data={"name": "Ann"}),
    "operator": ask("two words", {"$wordCount": 2}),
    "strategy": ask({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2, "c": 0, "$strategy": "majority"}),
}))
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A wheel of each distribution, built from this checkout."""
    built: dict[str, Path] = {}
    for name, source in SOURCES.items():
        folder = tmp_path_factory.mktemp(f"wheel-{name}")
        run([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)], source)
        (built[name],) = folder.glob("*.whl")
    return built


@pytest.fixture
def install(tmp_path: Path, wheels: dict[str, Path]) -> Callable[..., Path]:
    """A function that makes an environment with matchex and the distributions named, and gives its interpreter."""

    def make(*names: str) -> Path:
        venv.create(tmp_path / "env", with_pip=False, symlinks=True)
        scripts = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
        python = scripts / Path(sys.executable).name
        link_third_parties(tmp_path / "third-parties", python)
        chosen = [str(wheels[name]) for name in ("matchex", *names)]
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
        run([*pip, "install", "--quiet", "--no-index", "--no-deps", *chosen], tmp_path)
        return python

    return make


def link_third_parties(folder: Path, python: Path) -> None:
    """Show the packages of the running environment, but for ours, to another one."""
    folder.mkdir()
    for site in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(site).iterdir():
            if not entry.name.startswith(OURS) and entry.suffix != ".pth":
                (folder / entry.name).symlink_to(entry)
    target = run([str(python), "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder).strip()
    Path(target, "third_parties.pth").write_text(f"{folder}\n", "utf-8")


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def answers(python: Path, folder: Path) -> dict[str, Any]:
    return json.loads(run([str(python), "-I", "-c", QUESTIONS], folder))


def test_matchex_alone_names_what_is_to_be_installed(install: Callable[..., Path], tmp_path: Path) -> None:
    found = answers(install(), tmp_path)
    assert found["plain"] == "pass"
    assert "pip install matchex-schema" in found["schema"]
    assert found["looks like a schema"] == "fail"  # it is data here, and a text is no mapping
    assert "pip install matchex-template" in found["template"]
    assert "unknown operator $wordCount" in found["operator"]
    assert "unknown strategy 'majority'" in found["strategy"]


def test_with_the_schema_plugin(install: Callable[..., Path], tmp_path: Path) -> None:
    found = answers(install("schema"), tmp_path)
    assert (found["plain"], found["schema"], found["looks like a schema"]) == ("pass", "fail", "pass")
    assert "pip install matchex-template" in found["template"]


def test_with_the_template_plugin(install: Callable[..., Path], tmp_path: Path) -> None:
    found = answers(install("template"), tmp_path)
    assert (found["plain"], found["template"], found["looks like a schema"]) == ("pass", "pass", "fail")
    assert "pip install matchex-schema" in found["schema"]


def test_with_both_plugins(install: Callable[..., Path], tmp_path: Path) -> None:
    found = answers(install("schema", "template"), tmp_path)
    assert (found["schema"], found["looks like a schema"], found["template"]) == ("fail", "pass", "pass")


def test_the_example_plugin_does_what_its_readme_says(install: Callable[..., Path], tmp_path: Path) -> None:
    python = install("plugin")
    found = answers(python, tmp_path)
    assert (found["plain"], found["operator"], found["strategy"]) == ("pass", "pass", "pass")
    readme = (SOURCES["plugin"] / "README.md").read_text("utf-8")
    (code,) = re.findall(r"^```python no-run\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    run([str(python), "-I", "-c", code], tmp_path)
