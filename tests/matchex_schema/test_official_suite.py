"""The official JSON Schema test suite, in a folder that the environment variable JSON_SCHEMA_TEST_SUITE names.

Required and optional tests run with both backends. What does not agree is listed, with the reason, in
`official_suite_skips.json`; an entry there that agrees after all is a failure too.
"""

import functools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from referencing import Registry, Resource
from referencing.jsonschema import specification_with

import matchex
from matchex_schema import Schema, backends

FOLDER = os.environ.get("JSON_SCHEMA_TEST_SUITE")
DIALECTS = {
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
SKIPS: list[dict[str, str]] = json.loads(Path(__file__).with_name("official_suite_skips.json").read_text("utf-8"))

pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="JSON_SCHEMA_TEST_SUITE does not name the folder of the official JSON Schema test suite"
)


def files() -> list[str]:
    if FOLDER is None:
        return ["the official suite"]
    root = Path(FOLDER) / "tests"
    return [path.relative_to(root).as_posix() for draft in DIALECTS for path in sorted((root / draft).rglob("*.json"))]


@functools.cache
def remotes(draft: str) -> Registry[Any]:
    root = Path(str(FOLDER)) / "remotes"
    resources: list[tuple[str, Resource[Any]]] = []
    for path in root.rglob("*.json"):
        name = path.relative_to(root).as_posix()
        dialect = DIALECTS.get(name.partition("/")[0], DIALECTS[draft])
        contents = json.loads(path.read_text("utf-8"))
        resource = Resource.from_contents(contents, default_specification=specification_with(dialect))
        resources.append((f"http://localhost:1234/{name}", resource))
    return Registry[Any]().with_resources(resources)


def with_dialect(schema: Any, draft: str) -> Any:
    """Every test file names its draft by its folder, few schemas do it themselves."""
    if isinstance(schema, dict) and "$schema" not in schema:
        return {"$schema": DIALECTS[draft], **schema}
    return schema


def skip_for(file: str, group: str, test: str) -> int | None:
    for number, skip in enumerate(SKIPS):
        if (skip["file"], skip["group"]) == (file, group) and skip.get("test", test) == test:
            return number
    return None


def outcomes(file: str, backend: Any) -> Iterator[tuple[str, str, bool]]:
    """Each test of a file with its name, and whether our verdict is the right one."""
    draft = file.partition("/")[0]
    asserted = file.partition("/")[2] != "format.json"  # which expects that formats are annotations
    for group in json.loads((Path(str(FOLDER)) / "tests" / file).read_text("utf-8")):
        schema = Schema(
            with_dialect(group["schema"], draft), registry=remotes(draft), backend=backend, formats=asserted
        )
        try:
            matcher = matchex.compile(schema)
        except matchex.ExpectationError:
            matcher = None
        for test in group["tests"]:
            right = matcher is not None and matcher.match(test["data"]).status == ("pass" if test["valid"] else "fail")
            yield group["description"], test["description"], right


@pytest.mark.parametrize("backend", ["python", "rust"])
@pytest.mark.parametrize("file", files())
def test_file_of_the_suite(file: str, backend: str) -> None:
    if backend not in backends():
        pytest.skip(f"the backend {backend} is not installed")
    wrong: list[str] = []
    needed: set[int] = set()
    for group, test, right in outcomes(file, backend):
        skip = skip_for(file, group, test)
        if not right and skip is None:
            wrong.append(f"{group} · {test}")
        if not right and skip is not None:
            needed.add(skip)
    idle = [skip for number, skip in enumerate(SKIPS) if skip["file"] == file and number not in needed]
    assert (wrong, idle) == ([], [])
