"""The recording store: keys, persistence, torn lines, several users of one file."""

import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import date

import pytest
from aitestrunner._recordings import request_of
from hypothesis import given, settings
from hypothesis import strategies as st

from aitestrunner import AIExecutionContext, ExecutorError, Literal, RecordingStore, recording_key

data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)  # a loaded machine is no fault
@given(st.dictionaries(st.text(), data, max_size=4))
def test_keys_do_not_depend_on_order(request):
    assert recording_key(request) == recording_key(dict(reversed(request.items())))


@pytest.mark.parametrize("other", [{"a": 1.0}, {"a": True}, {"a": "1"}, {"a": [1]}, {"b": 1}, {}])
def test_different_requests_have_different_keys(other):
    assert recording_key({"a": 1}) != recording_key(other)
    assert recording_key(other) != recording_key(other, repeat=1)


def test_keys_are_the_same_in_every_process():
    program = "from aitestrunner import recording_key; print(recording_key({'a': {'é': [1, None]}, 'b': 2}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == recording_key({"b": 2, "a": {"é": [1, None]}})


def test_what_is_no_data_has_no_key():
    @dataclass
    class Pair:
        left: int

    assert recording_key({"a": [Literal("x"), Pair(1), date(2026, 1, 2)]}) == recording_key(
        {"a": ["x", {"left": 1}, "2026-01-02"]}
    )
    with pytest.raises(ExecutorError, match="object is no data"):
        recording_key({"a": object()})


def test_keys_and_passwords_are_no_part_of_a_request():
    options = {"model": "small", "maxTokens": 5, "apiKey": "s3cret", "headers": {"Authorization": "Bearer s3cret"}}
    request = request_of(AIExecutionContext("bot", {"input": 1}, options, "case"), "function")
    assert request["options"] == {"model": "small", "maxTokens": 5, "headers": {}}
    assert "case" not in json.dumps(request)


def test_what_is_recorded_is_found_by_everybody(tmp_path):
    path = tmp_path / "folder" / "recordings.jsonl"
    with RecordingStore(path) as store:
        assert store.find({"a": 1}) is None
        store.add({"a": 1}, {"output": "old"}, case="one")
        store.add({"a": 1}, {"output": "second run"}, case="one", repeat=1)
        store.add({"a": 1}, {"output": ("new", {"é": 1}), "cost": 0.5}, case="one")
    again = RecordingStore(path)
    assert len(again) == 2
    found = again.find({"a": 1})
    assert (found.answer, found.case, found.request) == ({"output": ["new", {"é": 1}], "cost": 0.5}, "one", {"a": 1})
    assert again.find({"a": 1}, repeat=1).result().output == "second run"
    assert [recording.repeat for recording in again] == [0, 1]


def test_a_torn_last_line_is_dropped(tmp_path):
    path = tmp_path / "recordings.jsonl"
    with RecordingStore(path) as store:
        store.add({"a": 1}, {"output": 1}, case="one")
        store.add({"a": 2}, {"output": 2}, case="two")
    whole = path.read_bytes()
    for cut in range(1, 60):
        path.write_bytes(whole[:-cut])
        with RecordingStore(path) as store:
            assert [recording.case for recording in store] == ["one"]
            store.add({"a": 3}, {"output": 3}, case="three")
        assert [json.loads(line)["case"] for line in path.read_text().splitlines()] == ["one", "three"]


def test_two_stores_on_one_file(tmp_path):
    path = tmp_path / "recordings.jsonl"
    with RecordingStore(path) as left, RecordingStore(path) as right:
        for number in range(20):
            (left, right)[number % 2].add({"n": number}, {"output": number}, case=str(number))
        left.add({"n": 20}, {"output": 20}, case="20")
        assert [left.find({"n": number}).answer["output"] for number in range(21)] == list(range(21))
    assert len(RecordingStore(path)) == 21


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "recordings.jsonl"
    path.write_text('{"output": 1}\n')
    with pytest.raises(ExecutorError, match="is no file of recordings"):
        RecordingStore(path)
