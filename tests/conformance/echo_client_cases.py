"""Recorded sessions of the chat client that ours descends from, and what ours does in its place.

A line is one session: `id, steps, history, stats`, where a step sends messages (`send`, `send_stream`), or shows the
history after it was cleared (`after_clear`) or the tokens that an answer may have (`max_default`). What the recordings
leave out is told by the rest: that a history was cleared before a step by its size, a system prompt and messages put in
before by the history, a cache by the case's name. Other lines (`init.`, `client.`, `stateless.`, `shutdown`) are calls
made anew below.

`Older` is the older client in few words: it must say what was recorded, or the recording is not understood. Each `rule`
of echo_client_differences.jsonl rights one of its faults, in every case, so also in those that nobody has seen. Ours
must do what the older client would have done with all of them righted. Lines that are no sessions have our right answer
in `want`, for the lines where `where` holds.
"""

import json
import os
import re
import tempfile
from pathlib import Path
from unittest import mock

from aitestrunner.chat import ChatClient, ChatError, load_models
from aitestrunner.mock import DEFAULT_REPLY, MockProvider

import matchex

DIFFERENCES = Path(__file__).parent / "data" / "echo_client_differences.jsonl"
OLDER_DEFAULT = (
    "This is a mock response. Use <echo>your expected response</echo> tags in your messages to control the output."
)
PIECE = 10
PRICES = {"input": 1e6, "output": 2e6}
NOTHING = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
STEPS = (
    {"send", "text", "usage", "cost", "error_code", "from_cache", "history_size", "model"},
    {"send_stream", "callbacks", "error_code", "history_size"},
    {"after_clear"},
    {"max_default"},
)
SAMPLE = {
    "models": [
        {
            "name": "mock-model",
            "provider": "mock",
            "ranking": 1,
            "description": "Mock provider for testing",
            "capabilities": {"completion": True, "streaming": True, "embeddings": False},
        }
    ]
}


def is_case(line):
    return "messages" not in line and "request" not in line


def read_differences():
    return [json.loads(line) for line in DIFFERENCES.read_text("utf-8").splitlines()]


def is_session(case):
    return "history" in case and "steps" in case


class Setup:
    """What a recording was made with."""

    def __init__(self, case):
        self.name = case["id"]
        sends = [step.get("send", step.get("send_stream")) for step in case["steps"]]
        self.sends = [send for send in sends if send is not None]
        system = [message["content"] for message in case["history"][:1] if message["role"] == "system"]
        self.system = system[0] if system else ""
        said = case["history"][len(system) :]
        first = next((message for send in self.sends for message in send if message["role"] != "system"), None)
        self.before = said[: said.index(first)] if first in said else []
        self.model = next((step["model"] for step in case["steps"] if "model" in step), "mock-model")
        self.ttl = None if not self.name.startswith("cache.") else 0 if "ttl" in self.name else 3600
        self.prices = PRICES if self.name.startswith("stats.") else None
        self.cleared = list(self._cleared(case["steps"], len(system) + len(self.before)))

    def _cleared(self, steps, size):
        """Before which steps the history was cleared: the recorded size is smaller than it would be."""
        for step in steps:
            sent = step.get("send", step.get("send_stream"))
            if sent is not None:
                answer = "".join(piece for piece, _ in step["callbacks"]) if "callbacks" in step else step["text"]
                added = sum(message["role"] != "system" for message in sent) + bool(answer)
                due = size + (0 if step.get("from_cache") else added)
                yield step["history_size"] < due
                size = step["history_size"]
            else:
                yield "after_clear" in step

    def temperature(self, index):
        return {"temperature": index / 10} if "temperature" in self.name else {}


class Older:
    """The older client, with the faults righted that `rules` name."""

    def __init__(self, setup, rules):
        self.setup = setup
        self.rules = rules
        self.system = [{"role": "system", "content": setup.system}] if setup.system else []
        self.history = self.system + setup.before
        self.kept = {}
        self.stats = {"cached_responses": 0, "completion_count": 0, "estimated_cost": 0.0, **NOTHING}

    def step(self, step, index):
        if self.setup.cleared[index]:
            self.history = list(self.system)
        if "after_clear" in step:
            return {"after_clear": self.history}
        if "max_default" in step:
            return {"max_default": None if "no limit of its own" in self.rules else 2048}
        sent = step.get("send", step.get("send_stream"))
        asked = sent if "hit by request" in self.rules else self.history + sent
        key = json.dumps([asked, self.setup.temperature(index)])
        if "send" in step and self.setup.ttl and key in self.kept:
            self.stats["cached_responses"] += 1
            return {**self.kept[key], "from_cache": True, "history_size": len(self.history)}
        answer = self.answer(sent)
        said = [message for message in sent if message["role"] != "system"]
        if answer["text"] or "empty reply remembered" in self.rules:
            said.append({"role": "assistant", "content": answer["text"]})
        self.history = self.history + said
        self.count(answer, "send_stream" in step)
        if "send_stream" in step:
            end = [["", True]] if "end told once" in self.rules else [["", False], ["", True]]
            callbacks = [[piece, False] for piece in pieces_of(answer["text"])] + end
            return {"callbacks": callbacks, "error_code": 0, "history_size": len(self.history)}
        self.kept[key] = answer
        return {**answer, "history_size": len(self.history)}

    def answer(self, sent):
        messages = self.history + sent
        text = self.tag(messages)
        if "newest turn" in self.rules:
            last = max((i for i, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
            turn = [message for message in messages[last + 1 :] if message["role"] != "system"]
            own = self.tag(turn)
            text = self.tag([one for one in messages if one["role"] == "system"]) if own is None else own
        if text is None:
            text = DEFAULT_REPLY if "default without tag" in self.rules else OLDER_DEFAULT
        prompt, completion = len(joined(messages).encode()) // 4, len(text.encode()) // 4
        usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
        priced = self.setup.prices and "costs counted" in self.rules
        cost = (prompt * PRICES["input"] + completion * PRICES["output"]) / 1e6 if priced else 0.0
        head = {"cost": cost, "error_code": 0, "from_cache": False, "model": self.setup.model}
        return {**head, "text": text, "usage": usage}

    def count(self, answer, streamed):
        self.stats["completion_count"] += 1
        if not streamed or "streams counted" in self.rules:
            self.stats["estimated_cost"] += answer["cost"]
            for name, count in answer["usage"].items():
                self.stats[name] += count

    @staticmethod
    def tag(messages):
        found = re.search("<echo>(.*?)</echo>", joined(messages), re.IGNORECASE | re.DOTALL | re.ASCII)
        return found and found[1].strip(" \t\r\n")


def joined(messages):
    return "".join(f"{message.get('content') or ''}\n" for message in messages)


def pieces_of(text):
    """The pieces of a text of ASCII; recordings with others are not understood, and so are wrong."""
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def told_by_older(case, rules):
    setup = Setup(case)
    older = Older(setup, rules)
    steps = [older.step(step, index) for index, step in enumerate(case["steps"])]
    return {"steps": steps, "history": older.history, "stats": older.stats}


def observe_session(case):
    """What our client does, in the words of the recordings."""
    setup = Setup(case)
    model = {"name": setup.model, "provider": "mock", **({"prices": setup.prices} if setup.prices else {})}
    client = ChatClient(
        setup.model,
        models={"models": [model]},
        providers={"mock": MockProvider(piece_size=PIECE)},
        system=setup.system,
        cache_ttl=setup.ttl,
    )
    for message in setup.before:
        client.add(message)
    steps = [observe_step(client, setup, step, index) for index, step in enumerate(case["steps"])]
    used = client.statistics
    stats = {
        "cached_responses": used.cached_responses,
        "completion_count": used.completions,
        "completion_tokens": used.completion_tokens,
        "estimated_cost": used.cost,
        "prompt_tokens": used.prompt_tokens,
        "total_tokens": used.total_tokens,
    }
    return {"steps": steps, "history": client.messages, "stats": stats}


def observe_step(client, setup, step, index):
    if setup.cleared[index]:
        client.clear()
    if "after_clear" in step:
        return {"after_clear": client.messages}
    if "max_default" in step:
        return {"max_default": client.model.limits.get("maxOutputTokens")}
    if "send_stream" in step:
        told = []
        client.stream(step["send_stream"], lambda *piece: told.append(list(piece)), **setup.temperature(index))
        return {"callbacks": told, "error_code": 0, "history_size": len(client.messages)}
    answer = observe_answer(lambda: client.complete(step["send"], **setup.temperature(index)))
    return {**answer, "history_size": len(client.messages)}


def observe_answer(ask):
    """An answer; what is raised is shown as the blank answer that the older client gave with its code."""
    try:
        response = ask()
    except ChatError as error:
        return {"error_code": error.code, "text": "", "usage": NOTHING, "cost": 0.0, "from_cache": False}
    return {
        "error_code": 0,
        "text": response.text,
        "usage": response.usage,
        "cost": response.cost,
        "from_cache": response.from_cache,
        "model": response.model,
    }


def observe_calls(case):
    """What our client does where there was no session."""
    name = case["id"]
    if name.startswith("init."):
        return {key: value for key, value in observe_init().items() if key in case}
    return {
        "client.null": observe_names,
        "stateless.basic": observe_stateless,
        "stateless.spend_limit": observe_spending,
        "stateless.stream": observe_stream,
        "shutdown": observe_end,
    }.get(name, dict)()


def observe_init():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "models.json"
        path.write_text(json.dumps(SAMPLE), "utf-8")
        client = ChatClient("mock-model", models=path)
        return {
            "null_client": client.complete("<echo>x</echo>").text != "x",
            "error_code": 0,
            "models": list(load_models(path)),
        }


def observe_names():
    models = {"models": [{"name": "strange", "provider": "strange"}, {"name": "cloud", "provider": "openai"}]}
    asked = {"unknown_model": "none", "unknown_provider": "strange", "openai_without_key_is_null": "cloud"}
    without_keys = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    with mock.patch.dict(os.environ, without_keys, clear=True):
        made = {key: observe_answer(lambda name=name: ChatClient(name, models=models)) for key, name in asked.items()}
    return {key: answer["error_code"] for key, answer in made.items()}


def observe_stateless():
    models = {"models": [*SAMPLE["models"], {"name": "strange", "provider": "strange"}]}
    asked = [("mock-model", "<echo>one</echo>"), ("mock-model", "<echo>two</echo>"), ("none", "x"), ("strange", "x")]
    steps = [
        observe_answer(lambda name=name, text=text: ChatClient(name, models=models).complete(text))
        for name, text in asked
    ]
    return {"steps": [without_model(step) for step in steps]}


def observe_spending():
    prices = {"input": 0.01 * 1e6, "output": 0}
    client = ChatClient("m", models={"models": [{"name": "m", "provider": "mock", "prices": prices}]}, cost_limit=0.05)
    asked = ["x" * 400, "padding <echo>x</echo>"]
    return {"steps": [without_model(observe_answer(lambda text=text: client.complete(text))) for text in asked]}


def observe_stream():
    chunks = []
    ChatClient("mock-model").stream("<echo>abcdefghijkl</echo>", lambda piece, done: chunks.append(piece))
    return {"steps": [{"chunks": chunks, "error_code": 0}]}


def observe_end():
    client = ChatClient("mock-model")
    ChatClient("mock-model").complete("another one ends")
    return {
        "steps": [{"error_code": observe_answer(lambda: client.complete("x"))["error_code"]}, {"client_null": False}]
    }


def without_model(answer):
    return {key: value for key, value in answer.items() if key != "model"}


def recorded(case):
    """What was recorded: of a step, without what was sent."""
    kept = {key: value for key, value in case.items() if key not in ("id", "note")}
    if "steps" in kept:
        sent = ("send", "send_stream")
        kept["steps"] = [{key: value for key, value in step.items() if key not in sent} for step in case["steps"]]
    return kept


def differences_between(got, want):
    """Where two answers differ, step by step."""
    found = [
        f"step {index}: {one!r} want {other!r}"
        for index, (one, other) in enumerate(zip(got.get("steps", []), want.get("steps", []), strict=False))
        if one != other
    ]
    if len(got.get("steps", [])) != len(want.get("steps", [])):
        found.append("the number of steps")
    keys = (got.keys() | want.keys()) - {"steps"}
    return found + [
        f"{key}: {got.get(key)!r} want {want.get(key)!r}" for key in sorted(keys) if got.get(key) != want.get(key)
    ]


def judge(case, listed):
    """`agree`, `listed` or `wrong`, with what differs."""
    was = recorded(case)
    if is_session(case):
        strange = next((step for step in case["steps"] if step.keys() not in STEPS), None)
        if strange is not None:
            return "wrong", [f"a step that cannot be made anew: {strange}"]
        misread = differences_between(told_by_older(case, ()), was)
        if misread:
            return "wrong", ["the recording is not understood", *misread]
        want, got = told_by_older(case, {entry["rule"] for entry in listed if "rule" in entry}), observe_session(case)
    else:
        want, got = righted(case, was, listed), observe_calls(case)
    found = differences_between(got, want)
    if found:
        return "wrong", found
    return ("listed" if differences_between(want, was) else "agree"), []


def righted(case, was, listed):
    for entry in listed:
        if "where" in entry and matchex.validate(case, entry["where"]).passed:
            return {key: entry["want"].get(key, value) for key, value in was.items()}
    return was
