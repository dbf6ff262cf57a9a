"""What is built and installed is what lies in this checkout, complete and nothing more."""

import importlib
import importlib.metadata
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["matchex", "matchex_schema", "matchex_template", "aitestrunner"]
EXISTING = [name for name in PACKAGES if (ROOT / name / name / "__init__.py").is_file()]


@pytest.mark.parametrize("package", EXISTING)
def test_the_package_under_test_is_the_one_of_this_checkout(package: str) -> None:
    found = Path(importlib.import_module(package).__file__ or "")
    assert found.resolve() == ROOT / package / package / "__init__.py", "the environment belongs to another checkout"


@pytest.mark.parametrize("package", EXISTING)
def test_a_wheel_holds_the_whole_package(package: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT / package, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    built = zipfile.ZipFile(wheel).namelist()

    source = ROOT / package / package
    expected = {path.relative_to(source.parent).as_posix() for path in source.rglob("*.py")} | {f"{package}/py.typed"}
    assert expected <= set(built)
    assert {name.split("/")[2] for name in built if ".dist-info/licenses/" in name} == {"LICENSE"}
    strangers = [name for name in built if not name.startswith((f"{package}/", f"{package}-"))]
    assert not strangers


@pytest.mark.parametrize("package", EXISTING)
def test_entry_points_and_scripts_can_be_loaded(package: str) -> None:
    project = tomllib.loads((ROOT / package / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {**project.get("entry-points", {}), "console_scripts": project.get("scripts", {})}
    for group, entries in groups.items():
        for name, value in entries.items():
            assert importlib.metadata.EntryPoint(name, value, group).load()
