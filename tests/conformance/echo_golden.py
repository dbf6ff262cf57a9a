#!/usr/bin/env python3
"""Hold the mock against recorded answers of the provider that it descends from: echo_golden.py FILE.jsonl [--show N].

A line of FILE is one request: `id, messages, response, usage, cost, error_code, from_cache, model, stream_chunks`. A
case agrees when the reply, the counts, the cost and the pieces of the stream are the same. Where the older provider was
wrong, echo_differences.jsonl beside the data says which recordings that concerns (`where`, an expectation on the line)
and our right answer (`want`), which is checked in place of the recorded one; `"whole characters"` asks that the pieces
add up to the reply and that each is as long as it can be in 10 bytes without cutting a character.

Lines that are requests to the server are judged by echo_http_cases.py, sessions of the chat client by
echo_client_cases.py.

Two corrections concern every case, so they are applied to all rather than listed: the finish reason `stop` and the
provider's name were left empty. Times are not compared. Prints the cases that are wrong (at most N), then agree /
differ-as-listed / wrong, and last 'N passed, N failed'; the exit status is 1 when any is wrong.
"""

import sys
from pathlib import Path

import echo_client_cases as client_cases
import echo_http_cases as http_cases
import regex
from aitestrunner.mock import MockFault, MockProvider
from golden import read_lines, run

import matchex

DIFFERENCES = Path(__file__).parent / "data" / "echo_differences.jsonl"
PIECE = 10
SUCCESS = 0


def observe(case):
    """What the mock answers, in the words of the recordings."""
    request = {"model": case.get("model", "mock-model"), "messages": case["messages"]}
    provider = MockProvider(piece_size=PIECE)
    try:
        answer = provider.complete(request)
        chunks = list(provider.stream(request))
    except MockFault as fault:
        return {"error_code": str(fault)}
    choice = answer["choices"][0]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    return {
        "response": choice["message"]["content"],
        "usage": answer["usage"],
        "cost": 0.0,
        "error_code": SUCCESS,
        "finish_reason": choice["finish_reason"],
        "from_cache": False,
        "model": answer["model"],
        "stream_chunks": [delta["content"] for delta in deltas if delta.get("content")] + [""],
    }


def recorded(case):
    return {
        "response": case["response"],
        "usage": case["usage"],
        "cost": case["cost"],
        "error_code": case["error_code"],
        "finish_reason": "stop",
        "from_cache": case["from_cache"],
        "model": case["model"],
        "stream_chunks": case["stream_chunks"],
    }


def corrected(want, correction):
    """What was recorded, with our right answer in its place."""
    want = {**want, **{key: value for key, value in correction.items() if key != "completion_tokens"}}
    if "completion_tokens" in correction:
        prompt, completion = want["usage"]["prompt_tokens"], correction["completion_tokens"]
        counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
        want = {**want, "usage": counts}
    return want


def has_whole_characters(pieces, text):
    """Whether pieces add up to a text, and each, but for the last, has no room for the character that follows."""
    *filled, end = pieces
    characters = [regex.findall(r"\X", piece) for piece in filled]
    fits = all(len(piece.encode()) <= PIECE or len(found) == 1 for piece, found in zip(filled, characters, strict=True))
    full = all(len((piece + after[0]).encode()) > PIECE for piece, after in zip(filled, characters[1:], strict=False))
    whole = [one for found in characters for one in found] == regex.findall(r"\X", text)
    return end == "" and "".join(filled) == text and fits and full and whole


def differences_between(got, want):
    found = [f"{key}: {got.get(key)!r} want {want[key]!r}" for key in want if got.get(key) != want[key]]
    if want["stream_chunks"] == "whole characters" and has_whole_characters(got["stream_chunks"], want["response"]):
        found = [line for line in found if not line.startswith("stream_chunks:")]
    return found


def corrections_of(case, listed):
    return [entry for entry in listed if matchex.validate(case, entry["where"]).passed]


def judge(case, listed):
    """`agree`, `listed` or `wrong`, with what differs."""
    if http_cases.is_case(case):
        return http_cases.judge(case, http_cases.read_differences())
    if client_cases.is_case(case):
        return client_cases.judge(case, client_cases.read_differences())
    corrections = corrections_of(case, listed)
    want = recorded(case)
    for entry in corrections:
        want = corrected(want, entry["want"])
    found = differences_between(observe(case), want)
    if found:
        return "wrong", found
    return ("listed" if corrections else "agree"), []


def main():
    listed = read_lines(DIFFERENCES)
    return run(__doc__, lambda line: judge(line, listed))


if __name__ == "__main__":
    sys.exit(main())
