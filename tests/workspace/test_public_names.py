"""Every public name is listed in order, explained with an example that runs, and mentioned in the documentation."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import io
import itertools
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["matchex", "matchex_schema", "matchex_template", "aitestrunner"]
EXISTING = [name for name in PACKAGES if (ROOT / name / name / "__init__.py").is_file()]


def public_modules(package: str) -> list[str]:
    """Return the package and those of its modules that have no underscore in their path."""
    folder = ROOT / package
    paths = [path.relative_to(folder).with_suffix("").parts for path in (folder / package).rglob("*.py")]
    public = [parts for parts in paths if not any(p.startswith("_") and p != "__init__" for p in parts)]
    return sorted(".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in public)


MODULES = [module for package in EXISTING for module in public_modules(package)]


def order(name: str) -> tuple[int, str]:
    """Sort as ruff sorts `__all__`: constants, classes, then everything else."""
    rank = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return rank, name


def public_objects(module_name: str) -> Iterator[tuple[str, Any]]:
    module = importlib.import_module(module_name)
    for name in module.__all__:
        yield name, getattr(module, name)


def owner_of(package: str, name: str) -> str:
    """Return the package that a constant comes from: one that hands on names of matchex does not explain them again."""
    matchex = importlib.import_module("matchex")
    return "matchex" if name in matchex.__all__ else package


def documented_in_source(package: str, name: str) -> bool:
    """Tell whether some module of the package assigns the name and follows it with a text that explains it."""
    owner = owner_of(package, name)
    for path in (ROOT / owner / owner).rglob("*.py"):
        body = ast.parse(path.read_text("utf-8")).body
        for assignment, text in itertools.pairwise(body):
            targets = assignment.targets if isinstance(assignment, ast.Assign) else []
            if isinstance(assignment, ast.AnnAssign):
                targets = [assignment.target]
            named = any(isinstance(target, ast.Name) and target.id == name for target in targets)
            if named and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                return isinstance(text.value.value, str)
    return False


def lacks_docstring(package: str, name: str, value: object) -> bool:
    if isinstance(value, types.ModuleType):
        return not inspect.getdoc(value)
    if not is_function_or_class(value):
        return not documented_in_source(package, name)
    text = value.__doc__ or ""
    return not text.strip() or text.startswith(f"{name}(")  # the second is what @dataclass writes of itself


def unlisted_names(module: types.ModuleType) -> list[str]:
    """Return the functions and classes of ours that a module shows without an underscore and without listing them."""
    shown = [name for name, value in vars(module).items() if is_function_or_class(value) and is_ours(value)]
    return sorted(name for name in shown if not name.startswith("_") and name not in module.__all__)


def is_ours(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).partition(".")[0] in PACKAGES


def is_function_or_class(value: object) -> bool:
    return inspect.isclass(value) or inspect.isroutine(value)


def examples_of(value: Any, name: str, package: str) -> list[doctest.DocTest]:
    module = importlib.import_module(value.__module__)
    namespace = {package: importlib.import_module(package)}
    found = doctest.DocTestFinder().find(value, name, module=module, globs=namespace)
    return [test for test in found if test.examples]


def run_example(test: doctest.DocTest) -> str:
    """Run the examples of one docstring and return what doctest has to say about them, nothing if all is well."""
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=report.write)
    return report.getvalue()


def code_in(markdown: str) -> str:
    """Return what a page sets as code: fenced blocks and code spans."""
    fence = re.compile(r"^(`{3,})[^\n`]*\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
    blocks = [match[2] for match in fence.finditer(markdown)]
    spans = re.findall(r"`([^`\n]+)`", fence.sub("", markdown))
    return "\n".join([*blocks, *spans])


@pytest.mark.parametrize("module_name", MODULES)
def test_names_are_listed_in_order(module_name: str) -> None:
    names = importlib.import_module(module_name).__all__
    assert list(names) == sorted(set(names), key=order)


@pytest.mark.parametrize("module_name", MODULES)
def test_every_public_name_is_listed(module_name: str) -> None:
    unlisted = unlisted_names(importlib.import_module(module_name))
    assert not unlisted, f"{module_name} has these without listing them in __all__: {unlisted}"


@pytest.mark.parametrize("module_name", MODULES)
def test_names_have_docstrings(module_name: str) -> None:
    package = module_name.partition(".")[0]
    faults = [name for name, value in public_objects(module_name) if lacks_docstring(package, name, value)]
    assert not faults, f"{module_name}: no docstring of their own: {faults}"


@pytest.mark.parametrize("module_name", MODULES)
def test_functions_and_classes_have_examples_that_run(module_name: str) -> None:
    package = module_name.partition(".")[0]
    faults: list[str] = []
    for name, value in public_objects(module_name):
        if not is_function_or_class(value):
            continue
        tests = examples_of(value, name, package)
        if not any(test.name == name for test in tests):
            faults.append(f"{module_name}.{name}: its docstring has no example (>>> …)")
        faults.extend(text for test in tests if (text := run_example(test)))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("module_name", MODULES)
def test_names_are_mentioned_in_the_documentation(module_name: str) -> None:
    pages = "\n".join(code_in(path.read_text("utf-8")) for path in sorted((ROOT / "docs").rglob("*.md")))
    names = importlib.import_module(module_name).__all__
    missing = [name for name in names if not re.search(rf"\b{re.escape(name)}\b", pages)]
    assert not missing, f"{module_name}: mentioned as code nowhere in docs/**/*.md: {missing}"


class TestTheChecksThemselves:
    """The functions above find what they are meant to find."""

    @pytest.fixture
    def sample(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
        source = '''
import dataclasses

def right():
    """One.

    >>> 1 + 1
    2
    """

def wrong():
    """One.

    >>> 1 + 1
    3
    """

def bare():
    pass

@dataclasses.dataclass
class Record:
    field: int
'''
        (tmp_path / "sample_of_public_names.py").write_text(source, "utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        return importlib.import_module("sample_of_public_names")

    def test_missing_docstrings(self, sample: types.ModuleType) -> None:
        lacking = [name for name in ("right", "bare", "Record") if lacks_docstring("p", name, getattr(sample, name))]
        assert lacking == ["bare", "Record"]

    def test_wrong_and_missing_examples(self, sample: types.ModuleType) -> None:
        package = sample.__name__
        (right,) = examples_of(sample.right, "right", package)
        (wrong,) = examples_of(sample.wrong, "wrong", package)
        assert not run_example(right)
        assert "Expected:" in run_example(wrong)
        assert not examples_of(sample.bare, "bare", package)

    def test_unlisted_names(self) -> None:
        def shown() -> None: ...

        shown.__module__ = "matchex._private"
        module = types.ModuleType("matchex")
        vars(module).update(
            {"__all__": ["listed"], "listed": shown, "other": shown, "_hidden": shown, "run": run_example}
        )
        assert unlisted_names(module) == ["other"]

    def test_only_code_counts_as_mentioned(self) -> None:
        page = "compile in prose, `one` and\n\n```python\ntwo()\n```\n\nthe end"
        assert code_in(page).split() == ["two()", "one"]

    def test_order_is_constants_classes_functions(self) -> None:
        assert sorted(["validate", "Options", "MISSING", "Failure", "compile"], key=order) == [
            "MISSING",
            "Failure",
            "Options",
            "compile",
            "validate",
        ]
