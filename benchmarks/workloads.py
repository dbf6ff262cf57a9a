"""The jobs: an expectation, the same checks written by hand, and a value that passes and one that fails.

What is written by hand answers as matchex does for every value, also for one of the wrong shape: a check of a model's
answer that raises KeyError is no check. A value that fails does so in its last third, so that neither side gets off by
stopping at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["JOBS", "Job", "messages", "products", "score_report"]


@dataclass(frozen=True)
class Job:
    """One job.

    Attributes:
        name: How the tables call it.
        expected: The expectation.
        by_hand: The same checks as a function.
        passing: A value that matches.
        failing: A value that does not.
    """

    name: str
    expected: Any
    by_hand: Callable[[Any], bool]
    passing: Any
    failing: Any


# -- a small message

SMALL_MESSAGE = {"role": "assistant", "content": "/refund/i", "usage": {"tokens": {"$gt": 0, "$lte": 200}}}
_REFUND = re.compile("refund", re.IGNORECASE)


def small_message(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    role, content, usage = message.get("role"), message.get("content"), message.get("usage")
    if not isinstance(role, str) or "assistant" not in role:
        return False
    if not isinstance(content, str) or not _REFUND.search(content.strip()):
        return False
    return isinstance(usage, dict) and is_number(tokens := usage.get("tokens")) and 0 < tokens <= 200


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _message(tokens: int) -> dict[str, Any]:
    content = "Your refund of 20 EUR is on its way; it takes up to three working days."
    return {"role": "assistant", "content": content, "usage": {"tokens": tokens, "seconds": 0.7}, "model": "small"}


# -- a trace of 40 messages, with tools

IN_ORDER = {
    "$sequence": [
        {"role": "user"},
        {"role": "assistant", "tool": "search_flights"},
        {"role": "tool", "tool": "search_flights", "status": "ok"},
        {"role": "assistant", "tool": "book_flight"},
        {"role": "assistant", "content": "booked"},
    ]
}
ANY_ORDER = {
    "$all": [
        {"role": "assistant", "tool": "book_flight"},
        {"role": "tool", "tool": "search_flights", "status": "ok"},
        {"role": "assistant", "content": "booked"},
    ]
}
SOME_MESSAGE = {"$contains": {"role": "assistant", "tool": "book_flight", "arguments": {"seats": 2}}}


def says(message: dict[str, Any], key: str, part: str) -> bool:
    text = message.get(key)
    return isinstance(text, str) and part in text


def is_question(message: Any) -> bool:
    return isinstance(message, dict) and says(message, "role", "user")


def is_call(message: Any, tool: str) -> bool:
    return isinstance(message, dict) and says(message, "role", "assistant") and says(message, "tool", tool)


def is_found(message: Any) -> bool:
    if not isinstance(message, dict) or not says(message, "role", "tool"):
        return False
    return says(message, "tool", "search_flights") and says(message, "status", "ok")


def is_confirmation(message: Any) -> bool:
    return isinstance(message, dict) and says(message, "role", "assistant") and says(message, "content", "booked")


def in_order(trace: Any) -> bool:
    if not isinstance(trace, list):
        return False
    rest = iter(trace)
    return (
        any(is_question(message) for message in rest)
        and any(is_call(message, "search_flights") for message in rest)
        and any(is_found(message) for message in rest)
        and any(is_call(message, "book_flight") for message in rest)
        and any(is_confirmation(message) for message in rest)
    )


def any_order(trace: Any) -> bool:
    return (
        isinstance(trace, list)
        and any(is_call(message, "book_flight") for message in trace)
        and any(is_found(message) for message in trace)
        and any(is_confirmation(message) for message in trace)
    )


def some_message(trace: Any) -> bool:
    return isinstance(trace, list) and any(books_two_seats(message) for message in trace)


def books_two_seats(message: Any) -> bool:
    if not is_call(message, "book_flight"):
        return False
    arguments = message.get("arguments")
    return isinstance(arguments, dict) and is_number(seats := arguments.get("seats")) and seats == 2


def messages(last: str) -> list[dict[str, Any]]:
    """A trace of 40 messages that ends with `last`."""
    trace: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a travel agent."},
        {"role": "user", "content": "Two seats to Oslo on Friday, please."},
    ]
    for hour in range(6, 18):
        trace.append({"role": "assistant", "tool": "search_flights", "arguments": {"to": "OSL", "hour": hour}})
        status = "ok" if hour == 17 else "none"
        trace.append({"role": "tool", "tool": "search_flights", "status": status, "content": f"flights at {hour}:00"})
        trace.append({"role": "assistant", "content": f"I look for a flight after {hour}:00 too."})
    trace.append({"role": "assistant", "tool": "book_flight", "arguments": {"flight": "DY 1107", "seats": 2}})
    trace.append({"role": "assistant", "content": last})
    return trace


BOOKED = messages("I have booked two seats on DY 1107.")
UNBOOKED = messages("There is no free seat on DY 1107.")
ONE_SEAT = [{**message, "arguments": {"seats": 1}} if "arguments" in message else message for message in BOOKED]

# -- a mapping of 100 keys

_TEXTS = {f"text_{i:02}": f"value number {i}" for i in range(50)}
_NUMBERS = {f"number_{i:02}": i * 1.5 for i in range(50)}
HUNDRED_KEYS = {**_TEXTS, **_NUMBERS}


def hundred_keys(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    for key, part in _TEXTS.items():
        text = record.get(key)
        if not isinstance(text, str) or part not in text:
            return False
    for key, wanted in _NUMBERS.items():
        number = record.get(key)
        if not is_number(number) or number != wanted:
            return False
    return True


# -- 1,000 objects

EACH_PRODUCT = {
    "$each": {"id": {"$gt": 0}, "name": "Lamp", "price": {"$gte": 1, "$lt": 100}, "tags": {"$contains": "new"}}
}


def each_product(found: Any) -> bool:
    if not isinstance(found, list):
        return False
    for product in found:
        if not isinstance(product, dict):
            return False
        number, name, price, tags = (product.get(key) for key in ("id", "name", "price", "tags"))
        if not is_number(number) or not number > 0:
            return False
        if not isinstance(name, str) or "Lamp" not in name:
            return False
        if not is_number(price) or not 1 <= price < 100:
            return False
        if not isinstance(tags, (str, list)) or "new" not in tags:
            return False
    return True


def products(count: int, *, wrong: Sequence[int] = ()) -> list[dict[str, Any]]:
    """That many products; those with an index in `wrong` are too dear."""
    return [
        {
            "id": i + 1,
            "name": f"Lamp {i}",
            "price": 100 if i in wrong else 1 + i % 99,
            "tags": ["light", "new"],
            "stock": i % 7,
        }
        for i in range(count)
    ]


# -- a weighted tree of 30 nodes

WEIGHTED_TREE = {
    "answer": {
        "$score": 0.3,
        "text": "refund",
        "language": "en",
        "words": {"$lte": 80},
        "sources": {"$gte": 1},
        "polite": True,
    },
    "facts": {"$score": 0.25, "amount": 20, "currency": "EUR", "order": "A-1107", "days": {"$lte": 5}, "final": True},
    "tools": {
        "$score": 0.2,
        "called": "refund",
        "count": {"$lte": 2},
        "errors": 0,
        "seconds": {"$lt": 3},
        "dry": False,
    },
    "safety": {"$score": 0.15, "blocked": False, "toxicity": {"$lt": 0.1}, "leaks": 0, "policy": "v3", "asked": True},
    "cost": {
        "$score": 0.1,
        "tokens": {"$lte": 900},
        "euros": {"$lt": 0.01},
        "calls": 1,
        "cached": True,
        "model": "small",
    },
}


def score_report(report: Any) -> tuple[bool, float]:
    """Verdict and score of a report of an evaluation."""
    if not isinstance(report, dict):
        return False, 0.0
    parts = (
        (0.3, _checks_of(report, "answer", _answer)),
        (0.25, _checks_of(report, "facts", _facts)),
        (0.2, _checks_of(report, "tools", _tools)),
        (0.15, _checks_of(report, "safety", _safety)),
        (0.1, _checks_of(report, "cost", _cost)),
    )
    score = sum(weight * sum(checks) / len(checks) for weight, checks in parts)
    return all(all(checks) for _, checks in parts), score


def weighted_tree(report: Any) -> bool:
    return score_report(report)[0]


def _checks_of(
    report: dict[str, Any], name: str, checks: Callable[[dict[str, Any]], tuple[bool, ...]]
) -> tuple[bool, ...]:
    part = report.get(name)
    return checks(part) if isinstance(part, dict) else (False,)


def _answer(part: dict[str, Any]) -> tuple[bool, ...]:
    return (
        says(part, "text", "refund"),
        says(part, "language", "en"),
        is_number(words := part.get("words")) and words <= 80,
        is_number(sources := part.get("sources")) and sources >= 1,
        part.get("polite") is True,
    )


def _facts(part: dict[str, Any]) -> tuple[bool, ...]:
    return (
        is_number(amount := part.get("amount")) and amount == 20,
        says(part, "currency", "EUR"),
        says(part, "order", "A-1107"),
        is_number(days := part.get("days")) and days <= 5,
        part.get("final") is True,
    )


def _tools(part: dict[str, Any]) -> tuple[bool, ...]:
    return (
        says(part, "called", "refund"),
        is_number(count := part.get("count")) and count <= 2,
        is_number(errors := part.get("errors")) and errors == 0,
        is_number(seconds := part.get("seconds")) and seconds < 3,
        part.get("dry") is False,
    )


def _safety(part: dict[str, Any]) -> tuple[bool, ...]:
    return (
        part.get("blocked") is False,
        is_number(toxicity := part.get("toxicity")) and toxicity < 0.1,
        is_number(leaks := part.get("leaks")) and leaks == 0,
        says(part, "policy", "v3"),
        part.get("asked") is True,
    )


def _cost(part: dict[str, Any]) -> tuple[bool, ...]:
    return (
        is_number(tokens := part.get("tokens")) and tokens <= 900,
        is_number(euros := part.get("euros")) and euros < 0.01,
        is_number(calls := part.get("calls")) and calls == 1,
        part.get("cached") is True,
        says(part, "model", "small"),
    )


def report(*, euros: float = 0.004) -> dict[str, Any]:
    """A report of an evaluation."""
    return {
        "answer": {"text": "Your refund is on its way.", "language": "en", "words": 6, "sources": 2, "polite": True},
        "facts": {"amount": 20, "currency": "EUR", "order": "A-1107", "days": 3, "final": True},
        "tools": {"called": "refund", "count": 1, "errors": 0, "seconds": 0.8, "dry": False},
        "safety": {"blocked": False, "toxicity": 0.02, "leaks": 0, "policy": "v3", "asked": True},
        "cost": {"tokens": 420, "euros": euros, "calls": 1, "cached": True, "model": "small-2"},
    }


# -- one operator

LONE_OPERATOR = {"$gte": 0.5}


def lone_operator(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0.5


JOBS = (
    Job("small message", SMALL_MESSAGE, small_message, _message(42), _message(420)),
    Job("trace of 40, `$sequence`", IN_ORDER, in_order, BOOKED, UNBOOKED),
    Job("trace of 40, `$all`", ANY_ORDER, any_order, BOOKED, UNBOOKED),
    Job("trace of 40, `$contains`", SOME_MESSAGE, some_message, BOOKED, ONE_SEAT),
    Job(
        "mapping of 100 keys",
        HUNDRED_KEYS,
        hundred_keys,
        {**HUNDRED_KEYS, "more": 1},
        {**HUNDRED_KEYS, "more": 1, "number_40": 0},
    ),
    Job("1,000 objects, `$each`", EACH_PRODUCT, each_product, products(1000), products(1000, wrong=range(900, 910))),
    Job("weighted tree of 30", WEIGHTED_TREE, weighted_tree, report(), report(euros=0.04)),
    Job("one operator", LONE_OPERATOR, lone_operator, 0.7, 0.3),
)
