"""What holds for all files: they speak of the project alone, licences and versions agree, pins are complete."""

import ast
import io
import os
import re
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["matchex", "matchex_schema", "matchex_template", "aitestrunner"]
GENERATED = {"__pycache__", "dist", "build", "node_modules"}

# Put together from parts, so that this file passes its own test.
HOSTS = [
    ".".join(parts)
    for parts in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("registry", "yarnpkg", "com"),
        ("proxy", "golang", "org"),
        ("crates", "io"),
        ("rubygems", "org"),
        ("conda", "anaconda", "org"),
    ]
]
FORBIDDEN = {
    "names a package registry's host": re.compile("|".join(map(re.escape, HOSTS))),
    "names a path of somebody's machine": re.compile(
        r"(?<![\w.~:/}-])/(?:work|root|farm|Users)/\w|(?<![\w.~:/}-])/home/\w+/|(?<![\w.])[A-Z]:\\Users\\"
    ),
    "speaks of how the work is organised": re.compile(
        r"\bPart \d+ of\b|\bissues? #?\d+\b|\bhelper sessions?\b|\bfounders?\b|\.\./shared\b",
        re.IGNORECASE,
    ),
}
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX)\b")


def files() -> Iterator[Path]:
    for folder, names, found in os.walk(ROOT):
        names[:] = sorted(n for n in names if n not in GENERATED and (not n.startswith(".") or n in {".ci", ".github"}))
        for name in sorted(found):
            if not name.endswith((".pyc", ".egg-info")) and name not in {".git", ".coverage"}:
                yield Path(folder, name)


def faults_in(text: str) -> list[str]:
    """Return what a text says that does not belong into the repository, with the line."""
    return [
        f"line {number} {why}: {found[0]!r}"
        for number, line in enumerate(text.splitlines(), 1)
        for why, pattern in FORBIDDEN.items()
        if (found := pattern.search(line))
    ]


def unfinished_in(source: str) -> list[str]:
    """Return the comments of a Python source that leave work to be done."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [t.string for t in tokens if t.type == tokenize.COMMENT and UNFINISHED.search(t.string)]


def manifest(package: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / package / "pyproject.toml").read_text("utf-8"))["project"]


def normalised(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]).lower()


def requirement_lines(name: str) -> list[str]:
    lines = (line.strip() for line in (ROOT / name).read_text("utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def test_files_are_utf8_and_speak_of_the_project_alone() -> None:
    faults: list[str] = []
    seen = 0
    for path in files():
        seen += 1
        try:
            found = faults_in(path.read_text("utf-8"))
        except UnicodeDecodeError:
            found = ["is not UTF-8"]
        faults.extend(f"{path.relative_to(ROOT)}: {fault}" for fault in found)
    assert seen > len(PACKAGES)
    assert not faults, "\n".join(faults)


def test_python_files_compile_and_are_finished() -> None:
    faults: list[str] = []
    sources = [path for path in files() if path.suffix == ".py"]
    assert Path(__file__).resolve() in sources
    for path in sources:
        source = path.read_text("utf-8")
        try:
            ast.parse(source, feature_version=(3, 11))
        except SyntaxError as error:
            faults.append(f"{path.relative_to(ROOT)}:{error.lineno}: {error.msg}")
            continue
        faults.extend(f"{path.relative_to(ROOT)}: {comment}" for comment in unfinished_in(source))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_distribution_has_what_it_needs(package: str) -> None:
    folder = ROOT / package
    licence = (ROOT / "LICENSE").read_text("utf-8")
    assert licence.startswith("MIT License")
    assert (folder / "LICENSE").read_text("utf-8") == licence
    assert (folder / package / "py.typed").is_file()
    assert (folder / "README.md").read_text("utf-8").startswith(f"# {manifest(package)['name']}\n")


def test_the_four_distributions_agree() -> None:
    for field in ("version", "requires-python", "license", "authors"):
        values = {package: manifest(package)[field] for package in PACKAGES}
        assert all(value == values["matchex"] for value in values.values()), f"{field} differs: {values}"


def test_constraints_are_plain_pins() -> None:
    pin = re.compile(r"[A-Za-z0-9][\w.-]*==[\w.!+]+")
    faults = [line for line in requirement_lines("constraints.txt") if not pin.fullmatch(line)]
    assert not faults, f"not of the form name==version: {faults}"


def test_what_the_environment_installs_is_pinned() -> None:
    # The extra ray of the runner is not installed for development, so it has no pin.
    ours = {normalised(package) for package in PACKAGES}
    needed = {normalised(line) for line in requirement_lines("requirements-dev.txt")}
    for package in PACKAGES:
        needed |= {normalised(line) for line in manifest(package)["dependencies"]}
    pinned = {normalised(line) for line in requirement_lines("constraints.txt")}
    assert needed - ours - pinned == set()


class TestTheChecksThemselves:
    """The functions above find what they are meant to find."""

    @pytest.mark.parametrize(
        "text",
        [
            f"--index-url https://{HOSTS[0]}/simple",
            "see " + "/work" + "/main/x.py",
            '"' + "/home" + '/ada/project"',
            "as Part" + " 3 of 11 says",
            "python ../" + "shared/run.py",
        ],
    )
    def test_what_does_not_belong_is_found(self, text: str) -> None:
        assert faults_in(f"a good line\n{text}")[0].startswith("line 2 ")

    @pytest.mark.parametrize("text", ["https://example.com/work/today", "{home}/work/x", "shared memory", "/etc/x"])
    def test_what_belongs_is_left_alone(self, text: str) -> None:
        assert faults_in(text) == []

    def test_unfinished_comments_are_found(self) -> None:
        assert unfinished_in("x = 1  # TO" + "DO: later\ny = 'TO" + "DO list'\n") == ["# TO" + "DO: later"]
