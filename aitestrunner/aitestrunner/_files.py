"""Fixture files: every form in which cases may be written, read into defaults and cases."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from aitestrunner._cases import AITestFixture, Defaults, read_case, read_defaults
from aitestrunner._errors import FixtureError, FixtureProblem
from aitestrunner._json import parse_json, parse_json_lines
from aitestrunner._keys import FILE_KEYS, KEYS
from aitestrunner._positions import Node, Position
from aitestrunner._yaml import parse_yaml
from matchex import MISSING, Literal

__all__ = ["FixtureFile", "find_fixture_files", "load_fixture_file", "parse_rows"]

_ENDINGS: Final = tuple(
    kind + suffix for kind in (".fixture", ".aitest") for suffix in (".yaml", ".yml", ".json", ".jsonl")
)
_FOREIGN_FOLDERS: Final = frozenset({"node_modules", "site-packages", "__pycache__"})
_MARKER: Final = re.compile(r"---[ \t]*(?:#.*)?\Z")
_BLANK: Final = re.compile(r"[ \t]*(?:#.*)?\Z")


@dataclass(frozen=True, slots=True)
class FixtureFile:
    r"""What a fixture file holds.

    Args:
        path: The file.
        defaults: Its front matter: what its cases take where they say nothing themselves.
        cases: Its cases, in order.
        problems: What is wrong with it; cases that could not be read are not among `cases`.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from aitestrunner import load_fixture_file
        >>> path = Path(tempfile.mkdtemp()) / "bot.fixture.yaml"
        >>> _ = path.write_text("- {input: a, output: b}\n- {input: c, output: d, id: last}\n")
        >>> file = load_fixture_file(path)
        >>> len(file.cases), file.ids()[-1], file.problems
        (2, 'last', ())
    """

    path: Path
    defaults: Defaults = field(default_factory=Defaults)
    cases: tuple[AITestFixture, ...] = ()
    problems: tuple[FixtureProblem, ...] = ()

    def ids(self) -> list[str]:
        """The ids of its cases: their own, or `path#index`."""
        return [
            case.id if isinstance(case.id, str) and case.id else f"{self.path.as_posix()}#{index}"
            for index, case in enumerate(self.cases)
        ]


def find_fixture_files(paths: Iterable[str | Path]) -> list[Path]:
    """The fixture files that the paths name: a file is itself, a folder is searched, in the order of names.

    In folders, files count that end in `.fixture` or `.aitest` and then `.yaml`, `.yml`, `.json` or `.jsonl`; hidden
    folders and those of installed packages are left out.

    Raises:
        FileNotFoundError: A path is not there.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from aitestrunner import find_fixture_files
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "bot.fixture.yaml").write_text("- output: hi")
        >>> [path.name for path in find_fixture_files([folder])]
        ['bot.fixture.yaml']
    """
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        if path.is_dir():
            found.update(dict.fromkeys(sorted(_fixture_files_below(path))))
        elif path.exists():
            found[path] = None
        else:
            raise FileNotFoundError(f"there is no file or folder {str(path)!r}")
    return list(found)


def _fixture_files_below(folder: Path) -> Iterator[Path]:
    def raise_error(error: OSError) -> None:
        raise error  # what cannot be looked into would be left out in silence

    for parent, folders, names in os.walk(folder, onerror=raise_error):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _FOREIGN_FOLDERS]
        yield from (Path(parent, name) for name in names if name.endswith(_ENDINGS))


def load_fixture_file(path: str | Path) -> FixtureFile:
    r"""Read one fixture file. What is wrong with it is in `problems`, nothing is raised for it.

    Args:
        path: A YAML, JSON or JSON Lines file, told apart by its ending; UTF-8 whatever the locale says.

    Raises:
        OSError: The file cannot be read.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from aitestrunner import load_fixture_file
        >>> path = Path(tempfile.mkdtemp()) / "bot.fixture.yaml"
        >>> _ = path.write_text("- input: hi\n  outptu: hello\n")
        >>> load_fixture_file(path).problems[0].position.line
        2
    """
    path = Path(path)
    try:
        with _collector_paused():
            return _Loader(path).load()
    except FixtureError as error:
        return FixtureFile(path, problems=error.problems)


@contextmanager
def _collector_paused() -> Generator[None]:
    """Loading makes many objects and no cycles: the collector would only walk them again and again (half the time)."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _read_text(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise FixtureError(
            [
                FixtureProblem(
                    f"not UTF-8 (byte {error.start}, {error.object[error.start]:#04x}); save the file as UTF-8",
                    Position(str(path), line, 1),
                )
            ]
        ) from None
    return text.replace("\r\n", "\n")


def _parse_document(text: str, path: Path, *, first_line: int = 1) -> Node:
    if path.suffix == ".json":
        return parse_json(text, str(path), first_line=first_line)
    return parse_yaml(text, str(path), first_line=first_line)


class _Loader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = str(path)
        self._problems: list[FixtureProblem] = []
        self._cases: list[AITestFixture] = []

    def load(self) -> FixtureFile:
        text = _read_text(self._path)
        if self._path.suffix == ".jsonl":
            self._add(parse_json_lines(text, self._file))
            return self._file_of(self._defaults(None))
        parts = split_front_matter(text) if self._path.suffix != ".json" else None
        if parts is None:
            return self._with_body(None, _parse_document(text, self._path))
        front = parse_yaml(parts.front, self._file, first_line=parts.front_line)
        return self._with_body(front, parse_yaml(parts.body, self._file, first_line=parts.body_line))

    def _with_body(self, front: Node | None, body: Node) -> FixtureFile:
        defaults = self._defaults(front)
        value = body.value
        if isinstance(value, list):
            self._add(body.children())
        elif isinstance(value, dict) and ("cases" in value or "casesFrom" in value):
            defaults = self._overlaid(defaults, body)
        elif isinstance(value, dict):
            self._add_single(body, cast("dict[str, Any]", value))
        elif value is None and self._rows_from(front):
            pass  # the front matter says where the cases come from
        elif value is None:
            self._problem(body, "there are no cases: a fixture file holds a list, `- input: …`")
        else:
            self._problem(body, f"a fixture file holds a list of cases, or a mapping; got {value!r:.60}")
        self._add_rows(front)
        return self._file_of(defaults)

    def _add_single(self, body: Node, value: Mapping[str, Any]) -> None:
        other = next((name for name in ("fixtures", "tests", "test") if isinstance(value.get(name), list)), None)
        if other and not any(name in KEYS for name in value if name not in ("title", "tags", "id")):
            self._problem(body, f"`{other}` is not a key of a fixture file; write `cases:`", (other,))
        else:
            self._add([body])

    def _overlaid(self, defaults: Defaults, body: Node) -> Defaults:
        """A mapping of defaults and `cases`; its defaults go before those of the front matter."""
        cases = body.field("cases")
        if cases is not None and not FILE_KEYS["cases"].accepts(cases.value):
            self._problem(body, f"`cases` takes {FILE_KEYS['cases'].takes}; got {cases.value!r:.60}", ("cases",))
        elif cases is not None:
            self._add(cases.children())
        own = self._defaults(body)
        self._add_rows(body)
        if defaults.node is None:
            return own
        self._problem(body, "defaults stand in front matter or beside `cases`, not in both")
        return defaults

    def _defaults(self, node: Node | None) -> Defaults:
        base_dir = str(self._path.parent)
        if node is None or node.value is None:
            return Defaults(base_dir=base_dir)
        settings, problems = read_defaults(node)
        self._problems += problems
        return Defaults(settings, node, base_dir)

    def _rows_from(self, node: Node | None) -> bool:
        return node is not None and "casesFrom" in node.fields

    def _add_rows(self, node: Node | None) -> None:
        if node is None or not self._rows_from(node):
            return
        name = node.value["casesFrom"]
        if not isinstance(name, str):
            self._problem(node, f"`casesFrom` takes {FILE_KEYS['casesFrom'].takes}; got {name!r:.60}", ("casesFrom",))
            return
        path = self._path.parent / name
        try:
            rows = list(parse_rows(path))
        except OSError as error:
            self._problem(node, f"`casesFrom`: cannot read {str(path)!r} ({error.strerror})", ("casesFrom",))
            return
        ids = _ids_of(rows)
        self._cases += [
            AITestFixture(id=case_id, vars=row_variables(row.value), source=row)
            for case_id, row in zip(ids, rows, strict=True)
        ]

    def _add(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            case, problems = read_case(node)
            self._problems += problems
            if not problems:
                self._cases.append(case)

    def _problem(self, node: Node, message: str, path: tuple[str, ...] = ()) -> None:
        self._problems.append(FixtureProblem(message, node.locate(path)))

    def _file_of(self, defaults: Defaults) -> FixtureFile:
        if not self._cases and not self._problems:
            self._problems.append(FixtureProblem("there are no cases in this file", Position(self._file, 1, 1)))
        return FixtureFile(self._path, defaults, tuple(self._cases), tuple(self._problems))


def parse_rows(path: Path) -> Iterator[Node]:
    """The rows of a data file: JSON Lines, or a JSON or YAML list. Every row is a mapping.

    Raises:
        FixtureError: It cannot be read as such.
        OSError: It cannot be read at all.
    """
    text = _read_text(path)
    if path.suffix == ".jsonl":
        rows: Iterable[Node] = parse_json_lines(text, str(path))
    else:
        document = _parse_document(text, path)
        if not isinstance(document.value, list):
            raise FixtureError([FixtureProblem("a file of rows holds a list of mappings", document.locate())])
        rows = document.children()
    for row in rows:
        if not isinstance(row.value, dict):
            raise FixtureError(
                [FixtureProblem(f"a row is a mapping of names to values; got {row.value!r:.60}", row.locate())]
            )
        yield row


def _ids_of(rows: Sequence[Node]) -> list[Any]:
    """The ids that a column `id` gives the cases of all rows, so that they stay when rows are added; else none."""
    found = [row.value.get("id") for row in rows]
    ids = [str(value) if type(value) in (str, int) else "" for value in found]
    return list(ids) if all(ids) and len(set(ids)) == len(ids) else [MISSING] * len(rows)


def row_variables(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a row as variables whose texts are plain text: data cannot smuggle patterns or operators in."""
    return {name: _as_plain_text(value) for name, value in row.items()}


def _as_plain_text(value: Any) -> Any:
    return Literal(cast("Any", value)) if isinstance(value, (str, list, dict)) else value


@dataclass(frozen=True, slots=True)
class _Parts:
    front: str
    front_line: int
    body: str
    body_line: int


def split_front_matter(text: str) -> _Parts | None:
    """Split off front matter: the lines between a first line `---` (after blank and `#` lines) and the next `---`."""
    lines = text.split("\n")
    opening = next((i for i, line in enumerate(lines) if not _BLANK.match(line)), None)
    if opening is None or not _MARKER.match(lines[opening]):
        return None
    closing = next((i for i in range(opening + 1, len(lines)) if _MARKER.match(lines[i])), None)
    if closing is None:
        return None
    front, body = lines[opening + 1 : closing], lines[closing + 1 :]
    return _Parts("\n".join(front), opening + 2, "\n".join(body), closing + 2)
