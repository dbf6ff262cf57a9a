"""Recorded requests to the server that the mock descends from: what they were answered, and what ours answers.

A line is one request: `id, request {method, path, body}, status, content_type`, and `body` (JSON), `body_text`,
`events` of a stream, or `error` where there was no answer. A case agrees when status, content type and body or events
are the same but for ids and times. A field that is null and one that is left out are the same here, as for clients.

Where the older server was wrong, echo_http_differences.jsonl says which recordings that concerns (`where`, an
expectation on the line) and our right answer: `answer`, an expectation on status, content type, body or events; or
`served`: what the mock says to such a request, made anew below, with the `reply` or the `pieces` that stand there. The
first entry that holds counts, so those for a case by its id stand before the rules for cases that nobody has seen.
"""

import asyncio
import json
import re
from pathlib import Path

import httpx
import regex
from aitestrunner.mock import DEFAULT_REPLY, MockProvider
from aitestrunner.mock._server import application

import matchex

DIFFERENCES = Path(__file__).parent / "data" / "echo_http_differences.jsonl"
PIECE = 10
DATA = "data: "


def is_case(line):
    return "path" in line.get("request", {})


def read_differences():
    return [json.loads(line) for line in DIFFERENCES.read_text("utf-8").splitlines()]


def observe(case):
    """What our server answers, in the words of the recordings."""
    return asyncio.run(_asked(**case["request"]))


async def _asked(method, path, body):
    provider = MockProvider(piece_size=PIECE)
    transport = httpx.ASGITransport(app=application(lambda: provider, lambda client: None))
    content = None if body is None else body if isinstance(body, str) else json.dumps(body)
    async with httpx.AsyncClient(transport=transport, base_url="http://mock") as client:
        answer = await client.request(method, path, content=content)
    kind = answer.headers.get("content-type", "").partition(";")[0]
    got = {"status": answer.status_code, "content_type": kind or None}
    if kind == "text/event-stream":
        return {**got, "events": [line for line in answer.text.split("\n\n") if line]}
    return {**got, "body": answer.json()} if kind == "application/json" else {**got, "body_text": answer.text}


def comparable(answer):
    """An answer without what may differ: ids, times, nulls, and the empty text that opens a stream."""
    parts = {key: answer[key] for key in ("status", "content_type", "body", "body_text", "error") if key in answer}
    events = [event.removeprefix(DATA) for event in answer.get("events", [])]
    if events:
        parts["events"] = [event if event == "[DONE]" else json.loads(event) for event in events]
    return _masked(parts)


def _masked(value):
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _masked(item) for key, item in value.items() if item is not None and key != "created"}
    if str(kept.get("id", "")).startswith("chatcmpl-"):
        kept["id"] = re.sub("-([0-9a-f]{16}|<16hex>)$", "-*", kept["id"])
    if kept.get("delta") == {"role": "assistant", "content": ""}:
        kept["delta"] = {"role": "assistant"}
    return kept


def served(request, reply=None, pieces=None):
    """What the mock says to a request for a chat: the first tag of all messages, or the default reply."""
    body = request["body"]
    joined = "".join(_text(message.get("content")) + "\n" for message in body["messages"])
    tag = re.search("<echo>(.*?)</echo>", joined, re.DOTALL | re.IGNORECASE | re.ASCII)
    said = tag[1].strip(" \t\r\n") if tag else reply or DEFAULT_REPLY
    prompt, completion = len(joined.encode()) // 4, len(said.encode()) // 4
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    head = {"id": "chatcmpl-<16hex>", "model": body["model"]}
    if not body.get("stream"):
        choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        return {"status": 200, "content_type": "application/json", "body": whole}
    head["object"] = "chat.completion.chunk"
    deltas = [{"role": "assistant"}, *({"content": piece} for piece in pieces or _pieces(said))]
    choices = [{"index": 0, "delta": delta} for delta in deltas] + [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    events = [{**head, "choices": [choice]} for choice in choices]
    if (body.get("stream_options") or {}).get("include_usage"):
        events.append({**head, "choices": [], "usage": usage})
    lines = [DATA + json.dumps(event) for event in events] + [DATA + "[DONE]"]
    return {"status": 200, "content_type": "text/event-stream", "events": lines}


def _text(content):
    if isinstance(content, list):
        texts = [part if isinstance(part, str) else part.get("text") for part in content]
        return " ".join(text for text in texts if isinstance(text, str))
    return content or ""


def _pieces(text):
    """As many whole characters as fit in a piece."""
    pieces = [""]
    for character in regex.findall(r"\X", text):
        if pieces[-1] and len((pieces[-1] + character).encode()) > PIECE:
            pieces.append("")
        pieces[-1] += character
    return [piece for piece in pieces if piece]


def correction_of(case, listed):
    return next((entry for entry in listed if matchex.validate(case, entry["where"]).passed), None)


def differences_between(got, case, correction):
    """What an answer lacks of the right one: ours where a correction is listed, else the recorded one."""
    if correction and "answer" in correction:
        return [str(failure) for failure in matchex.validate(got, correction["answer"]).failures]
    want = comparable(served(case["request"], **correction["served"]) if correction else case)
    return [
        f"{key}: {got.get(key)!r} want {want.get(key)!r}"
        for key in sorted(want.keys() | got.keys())
        if got.get(key) != want.get(key)
    ]


def judge(case, listed):
    """`agree`, `listed` or `wrong`, with what differs."""
    correction = correction_of(case, listed)
    found = differences_between(comparable(observe(case)), case, correction)
    if found:
        return "wrong", found
    return ("listed" if correction else "agree"), []
