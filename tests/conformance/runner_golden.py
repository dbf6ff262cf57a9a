#!/usr/bin/env python3
"""Hold aitestrunner against recorded runs of the runner that it descends from: runner_golden.py FILE.jsonl [--show N].

A line of FILE is one run: `group, name, script, exec` (how the executor answers), `fixtures, options, result`. A case
agrees when counts, events and their order, executor calls, verdicts and scores are the same; texts need not be. Where
the older runner was wrong, runner_differences.jsonl beside the data holds the number of the correction (R1 to R9 of
the resolution; 1 to 30 of its known faults, or D for what it lacked; D1 to D62 of the language) and our right answer,
which is checked in place of the recorded one. Prints the cases that are wrong (at most N), then agree /
differ-as-listed / wrong, and last 'N passed, N failed'; the exit status is 1 when any is wrong.

Two corrections concern nearly every case, so they are applied to all recorded runs rather than listed:

* R6, the executor does not see the expected answer: keys of a case that are no variables are left out of its `args`.
* fault 8, a case without checks passed: all runs allow it, but for those listed with `"unchecked": "error"`.
"""

import json
import math
import re
import sys
from pathlib import Path

from aitestrunner._keys import KEYS
from golden import read_lines, run

from aitestrunner import AIExecutionResult, AITestRunner

DIFFERENCES = Path(__file__).parent / "data" / "runner_differences.jsonl"


def id_of(case):
    return f"{case['group']}/{case['name']}"


def executor_of(how, calls):
    def execute(context):
        calls.append({"script": context.script, "args": dict(context.args), "options": dict(context.options)})
        if "throw" in how:
            raise RuntimeError(how["throw"])
        if "echo" in how:
            return AIExecutionResult(context.args.get(how["echo"]))
        return how["result"]

    return execute


def options_of(case, unchecked):
    options = {re.sub("[A-Z]", lambda m: "_" + m[0].lower(), key): value for key, value in case["options"].items()}
    if unchecked != "error":
        options["fixture_config"] = {"allowUnchecked": True, **options.get("fixture_config", {})}
    return options


def observe(case, unchecked=None):
    """Run a case, and describe what happened in the words of `recorded`."""
    events, calls = [], []
    runner = AITestRunner(executor_of(case["exec"], calls))
    for event in ("start", "pass", "fail", "error", "skip"):
        runner.on(
            f"test:{event}",
            lambda item, event=event: events.append([event, item["i"] if event == "start" else item.i]),
        )
    try:
        result = runner.run_sync(case["script"], case["fixtures"], **options_of(case, unchecked))
    except Exception as error:
        return {"rejected": f"{type(error).__name__}: {error}"}
    return {
        "counts": [result.passed_count, result.failed_count + result.error_count, result.skipped_count],
        "events": events,
        "calls": calls,
        "cases": [
            {
                "status": item.status,
                "score": item.score,
                "critical": bool(item.failed_critical),
                "script": item.script if item.status in ("pass", "fail") else None,
                "tools": item.to_dict().get("tools"),
                "reason": item.to_dict().get("reason"),
            }
            for item in result.logs
        ],
    }


def recorded(case):
    """What the older runner did, with the expected answers taken out of what the executor saw (R6)."""
    result = case["result"]
    if "logs" not in result:
        return {"rejected": True}
    events = [[name.removeprefix("test:"), i] for name, i in result["events"]]
    statuses = {i: name for name, i in events if name != "start"}
    config = dict(case["options"].get("fixtureConfig") or {})
    if (case["options"].get("scriptConfig") or {}).get("output"):
        config["outputSchema"] = None  # the older runner writes it into the defaults
    fixtures = [case["fixtures"][i] for name, i in events if name == "start"]
    return {
        "counts": [result["passedCount"], result["failedCount"], result["skippedCount"]],
        "events": events,
        "calls": [
            {**call, "args": without_keys_of_case(call["args"], fixture, config)}
            for call, fixture in zip(result["calls"], fixtures, strict=True)
        ],
        "cases": [
            {
                "status": statuses[log["i"]],
                "score": log.get("score"),
                "critical": bool(log.get("failedCritical")),
                "script": log.get("script"),
                "tools": log.get("tools"),
                "reason": log.get("reason"),
            }
            for log in result["logs"]
        ],
    }


def without_keys_of_case(args, fixture, config):
    """`args` without what the case or its defaults say about the test; fields of the input may have such names too."""
    own = fixture.get("input") if isinstance(fixture.get("input"), dict) else {}
    kept = {"input", "tools", *own}
    return {
        key: value
        for key, value in args.items()
        if key in kept or key not in KEYS or (key not in fixture and key not in config)
    }


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=0, abs_tol=1e-6)
    return a == b


def differences_between(got, want):
    if "rejected" in got or "rejected" in want:
        return (
            []
            if ("rejected" in got) == ("rejected" in want)
            else [f"got {got.get('rejected')}, want {want.get('rejected')}"]
        )
    return [
        f"{key}: {json.dumps(got[key], default=str)} want {json.dumps(want[key])}"
        for key in want
        if not same(got[key], want[key])
    ]


def judge(case, listed):
    """`agree`, `listed` or `wrong`, with what differs."""
    difference = listed.get(id_of(case))
    got = observe(case, difference and difference.get("unchecked"))
    want = difference["want"] if difference else recorded(case)
    found = differences_between(got, want)
    if found:
        return "wrong", found
    return ("listed" if difference else "agree"), []


def main():
    listed = {entry["id"]: entry for entry in read_lines(DIFFERENCES)}
    return run(__doc__, lambda line: judge(line, listed), id_of)


if __name__ == "__main__":
    sys.exit(main())
