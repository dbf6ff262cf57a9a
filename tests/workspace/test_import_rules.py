"""Who may import whom: packages downwards and by public names, modules without cycles, third parties as declared."""

import ast
import graphlib
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

MAY_IMPORT = {
    "matchex": set[str](),
    "matchex_schema": {"matchex"},
    "matchex_template": {"matchex"},
    "aitestrunner": {"matchex", "matchex_schema", "matchex_template"},
}
EXISTING = [name for name in MAY_IMPORT if (ROOT / name / name / "__init__.py").is_file()]


@dataclass(frozen=True)
class Import:
    """One imported module, or one name imported from it, and where it is written."""

    importer: str
    module: str
    name: str | None
    line: int
    runs_at_import: bool

    def __str__(self) -> str:
        what = f"from {self.module} import {self.name}" if self.name else f"import {self.module}"
        return f"{self.importer}, line {self.line}: {what}"

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]


def imports_of(source: str, importer: str, *, is_package: bool = False) -> list[Import]:
    return list(_walk(ast.parse(source), importer, is_package, runs=True))


def _walk(node: ast.AST, importer: str, is_package: bool, runs: bool) -> Iterator[Import]:
    match node:
        case ast.Import():
            for alias in node.names:
                yield Import(importer, alias.name, None, node.lineno, runs)
        case ast.ImportFrom():
            module = _absolute(node, importer, is_package)
            for alias in node.names:
                yield Import(importer, module, alias.name, node.lineno, runs)
        case ast.If() if _is_type_checking(node.test):
            for child in node.body:
                yield from _walk(child, importer, is_package, runs=False)
            for child in node.orelse:
                yield from _walk(child, importer, is_package, runs)
        case _:
            inside = runs and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from _walk(child, importer, is_package, inside)


def _absolute(node: ast.ImportFrom, importer: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = importer.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, *([node.module] if node.module else [])])


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def modules_of(package: str) -> dict[str, Path]:
    folder = ROOT / package
    found: dict[str, Path] = {}
    for path in sorted((folder / package).rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def package_imports(package: str) -> list[Import]:
    return [
        found
        for module, path in modules_of(package).items()
        for found in imports_of(path.read_text("utf-8"), module, is_package=path.name == "__init__.py")
    ]


def listed_names(module: str) -> set[str] | None:
    """Return what `__all__` of one of our modules lists, None where it has none that can be read."""
    package = module.partition(".")[0]
    path = modules_of(package).get(module)
    if path is None:
        return None
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value)
            ):
                return set(ast.literal_eval(value))
            case _:
                pass
    return None


def breaks_public_rule(found: Import) -> str | None:
    """Return why an import of another package of ours reaches past its public names."""
    if found.top not in MAY_IMPORT[found.importer.partition(".")[0]]:
        return f"{found.importer.partition('.')[0]} may not import {found.top}"
    if any(part.startswith("_") for part in found.module.split(".")):
        return "a private module"
    if found.name is None:
        return None
    if found.name.startswith("_") or found.name == "*":
        return "no public name"
    listed = listed_names(found.module)
    is_module = f"{found.module}.{found.name}" in modules_of(found.top)
    if listed is not None and found.name not in listed and not is_module:
        return f"not in __all__ of {found.module}"
    return None


def cycle_in(imports: list[Import], modules: set[str]) -> list[str] | None:
    """Return modules that import each other while they are being imported, in order, or None."""
    graph: dict[str, set[str]] = {module: set() for module in modules}
    for found in imports:
        if not found.runs_at_import:
            continue
        submodule = f"{found.module}.{found.name}"
        target = submodule if submodule in modules else found.module
        if target in modules and target != found.importer:
            graph[found.importer].add(target)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(reversed(error.args[1]))
    return None


def declared(package: str) -> set[str]:
    """Return the normalised names of the distributions that a package declares, extras included."""
    project = tomllib.loads((ROOT / package / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project.get("optional-dependencies", {}).values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    return {normalised(re.split(r"[\s\[<>=!~;]", line, maxsplit=1)[0]) for line in lines}


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def third_party(imports: list[Import]) -> list[Import]:
    ours = set(MAY_IMPORT)
    return [found for found in imports if found.top not in sys.stdlib_module_names and found.top not in ours]


def undeclared(imports: list[Import], declared_names: set[str], distributions: dict[str, list[str]]) -> list[Import]:
    def is_declared(found: Import) -> bool:
        names = {normalised(name) for name in distributions.get(found.top, [found.top])}
        return bool(names & declared_names)

    return [found for found in third_party(imports) if not is_declared(found)]


@pytest.mark.parametrize("package", EXISTING)
def test_packages_import_only_public_names_of_packages_below(package: str) -> None:
    others = [found for found in package_imports(package) if found.top in MAY_IMPORT and found.top != package]
    faults = [f"{found}: {why}" for found in others if (why := breaks_public_rule(found))]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("package", EXISTING)
def test_modules_of_a_package_do_not_import_each_other_in_a_cycle(package: str) -> None:
    modules = set(modules_of(package))
    assert package in modules
    cycle = cycle_in(package_imports(package), modules)
    assert cycle is None, "import cycle: " + " → ".join(cycle)


@pytest.mark.parametrize("package", EXISTING)
def test_third_parties_are_declared(package: str) -> None:
    faults = undeclared(package_imports(package), declared(package), importlib.metadata.packages_distributions())
    assert not faults, f"not declared in {package}/pyproject.toml:\n" + "\n".join(map(str, faults))


@pytest.mark.skipif("matchex" not in EXISTING, reason="matchex has no code yet")
def test_matchex_imports_third_parties_only_inside_functions() -> None:
    eager = [found for found in third_party(package_imports("matchex")) if found.runs_at_import]
    assert not eager, "import these inside the function that first needs them:\n" + "\n".join(map(str, eager))


class TestTheRulesThemselves:
    """The functions above find what they are meant to find."""

    def test_imports_are_read_with_their_place(self) -> None:
        source = (
            "import json, a.b\n"
            "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    import c\nelse:\n    import d\n"
            "class K:\n    import e\n    def f(self):\n        import g\n"
        )
        found = {one.module: one.runs_at_import for one in imports_of(source, "matchex._x")}
        assert found == {"json": True, "a.b": True, "typing": True, "c": False, "d": True, "e": True, "g": False}

    @pytest.mark.parametrize(
        ("importer", "is_package", "line", "module"),
        [
            ("matchex._a", False, "from . import _b", "matchex"),
            ("matchex._a", False, "from ._b import x", "matchex._b"),
            ("matchex", True, "from ._b import x", "matchex._b"),
            ("matchex.ops._a", False, "from .._b import x", "matchex._b"),
            ("matchex.ops", True, "from .. import _b", "matchex"),
        ],
    )
    def test_relative_imports_are_resolved(self, importer: str, is_package: bool, line: str, module: str) -> None:
        assert [one.module for one in imports_of(line, importer, is_package=is_package)] == [module]

    @pytest.mark.parametrize(
        ("importer", "line"),
        [
            ("matchex._x", "import aitestrunner"),
            ("matchex_schema._x", "import matchex_template"),
            ("matchex_schema._x", "import matchex._values"),
            ("matchex_schema._x", "from matchex._values import equal"),
            ("matchex_schema._x", "from matchex import _values"),
            ("aitestrunner._x", "from matchex import *"),
        ],
    )
    def test_imports_that_are_not_allowed(self, importer: str, line: str) -> None:
        (found,) = imports_of(line, importer)
        assert breaks_public_rule(found)

    @pytest.mark.parametrize(
        ("importer", "line"),
        [
            ("matchex_schema._x", "import matchex"),
            ("matchex_template._x", "import matchex.plugin"),
            ("aitestrunner._x", "import matchex_schema"),
        ],
    )
    def test_imports_that_are_allowed(self, importer: str, line: str) -> None:
        (found,) = imports_of(line, importer)
        assert breaks_public_rule(found) is None

    def test_cycles_are_found_and_lazy_imports_are_none(self) -> None:
        modules = {"p", "p._a", "p._b"}
        eager = [*imports_of("from p import _b", "p._a"), *imports_of("from p._a import x", "p._b")]
        lazy = [*imports_of("from p import _b", "p._a"), *imports_of("def f():\n    import p._a", "p._b")]
        assert sorted(set(cycle_in(eager, modules) or [])) == ["p._a", "p._b"]
        assert cycle_in(lazy, modules) is None

    def test_undeclared_third_parties_are_found(self) -> None:
        found = imports_of("import json, yaml, numpy, matchex", "aitestrunner._x")
        distributions = {"yaml": ["PyYAML"]}
        assert [one.module for one in undeclared(found, {"pyyaml"}, distributions)] == ["numpy"]


@pytest.mark.parametrize("package", ["matchex", "aitestrunner"])
def test_the_map_has_every_module(package: str) -> None:
    text = (ROOT / "docs/design/architecture.md").read_text("utf-8")
    modules = [path.stem for path in (ROOT / package / package).glob("*.py") if not path.stem.startswith("__")]
    missing = sorted(name for name in modules if f"`{name}`" not in text)
    assert not missing, f"not in docs/design/architecture.md: {missing}"
