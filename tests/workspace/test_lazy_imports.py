"""Importing matchex and matching one plain mapping loads nothing heavy."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"pluggy", "importlib.metadata", "regex", "simpleeval", "diff_match_patch", "jsonschema", "jinja2"}

IMPORT = "import matchex"
MATCH = """
import matchex
order = {"id": 17, "customer": {"name": "Ada"}, "tags": ["a", "b"], "paid": True, "note": None}
assert matchex.validate(order, {**order, "tags": ["a"]}).passed
"""


def loaded_by(code: str) -> set[str]:
    """Run code in a fresh interpreter and return which heavy modules it has loaded, beyond the interpreter's own."""
    program = (
        f"import json, sys\nbefore = set(sys.modules)\n{code}\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return HEAVY & set(json.loads(done.stdout))


@pytest.mark.skipif(not (ROOT / "matchex/matchex/__init__.py").is_file(), reason="matchex has no code yet")
@pytest.mark.parametrize("code", [IMPORT, MATCH], ids=["import", "match"])
def test_nothing_heavy_is_loaded(code: str) -> None:
    assert loaded_by(code) == set()


def test_what_is_loaded_is_seen() -> None:
    assert loaded_by("import importlib.metadata, pluggy") >= {"importlib.metadata", "pluggy"}
