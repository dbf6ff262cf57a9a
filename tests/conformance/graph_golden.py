#!/usr/bin/env python3
"""Hold graph assertions against recorded answers of an older framework: graph_golden.py FILE.jsonl [--show N].

A line of FILE is either one assertion (`assertion`, `state`, `result`) or one suite (`suite`, `report` or `threw`). It
agrees when the verdicts, scores and values looked at are the same. Where the older framework was wrong,
graph_differences.jsonl beside the data says which recordings that concerns (`where`, an expectation on the decoded
line, with the line as written under `raw`) and our right answer (`want`, an expectation on what we answer), which is
checked in place of the recorded one. The last entry that concerns a line counts.

Nodes of recorded graphs do what the recordings say of them: a tool hands its memory on, an agent writes one text for 30
tokens, an approval waits. Prints the lines that are wrong (at most N), then agree / differ-as-listed / wrong, and last
'N passed, N failed'; the exit status is 1 when any is wrong.
"""

import asyncio
import datetime
import json
import re
import sys
from pathlib import Path

from aitestrunner.graph import Edge, Graph, Node, PythonGraphRunner, Update, check_assertion, run_eval
from golden import read_lines, run

import matchex
from aitestrunner import ExecutorError, FixtureError
from matchex import MISSING

DIFFERENCES = Path(__file__).parent / "data" / "graph_differences.jsonl"
TOKENS_OF_AN_AGENT = 30
SLOW = 2.0
SLOW_JUDGE = 0.3
CONDITION = re.compile(r"conditional:(?:number\()?memory\.(\w+)\)? (>|==) (\d+)")
WORLD_OUTSIDE = re.compile(
    r"Graph validation|Node '.*' is not an end|Workflow .* timed out|Token budget|Agent not found"
)


# --- values that JSON cannot hold -----------------------------------------------------------------------------------

PLAIN = {
    "undefined": lambda _: MISSING,
    "NaN": lambda _: float("nan"),
    "Infinity": lambda _: float("inf"),
    "-Infinity": lambda _: float("-inf"),
    "-0": lambda _: -0.0,
    "BigInt": lambda coded: int(coded["value"]),
    "Date": lambda coded: datetime.datetime.fromisoformat(coded["iso"].replace("Z", "+00:00")),
    "Map": lambda coded: {str(key): decode(value) for key, value in coded["entries"]},
    "function": lambda _: len,
    "Object.prototype": lambda _: object(),
    "runs": lambda coded: "".join(char * count for char, count in coded["runs"]),
}


def decode(value, parent=None):
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$js" in value:
        return parent if value["$js"] == "circular" else PLAIN[value["$js"]](value)
    decoded = {}
    decoded.update({key: decode(item, decoded) for key, item in value.items()})
    return decoded


def without_undefined(fields):
    """In what a person writes, a key that is undefined is one that is not there."""
    return {k: v for k, v in fields.items() if v is not MISSING} if isinstance(fields, dict) else fields


def is_plain(value):
    return "$js" not in json.dumps(value)


# --- one assertion --------------------------------------------------------------------------------------------------


def evaluators_for(line):
    """The judge of a recording. A registry that could not load it is one of ours that raises."""
    reply, message = line.get("judge_reply", ""), (line.get("result") or {}).get("message", "")

    def judge(context):
        if "Failed to load agent" in message or "Agent not found" in message:
            raise RuntimeError(message)
        if isinstance(reply, dict):
            return {"output": {"id": context.args["verdict_id"], **reply}}  # a model copies the number
        number = json.dumps(context.args["verdict_id"])
        return str(reply).replace("{", f'{{"id": {number}, ', 1)

    agent = (line["assertion"] or {}).get("evaluator_agent_id") if isinstance(line["assertion"], dict) else None
    return {agent: judge} if isinstance(agent, str) else {}


def observe_assertion(line):
    assertion, state = without_undefined(decode(line["assertion"])), decode(line["state"])
    try:
        result = check_assertion(assertion, state, evaluators=evaluators_for(line))
    except FixtureError as error:
        return {"status": "definition", "message": str(error)}
    return {"status": result.status, "message": result.message or "", "actual": result.actual}


def assertion_agrees(got, line):
    recorded = line["result"]
    if "threw" in recorded:
        return [f"threw {recorded['threw']!r}, we answer {got}"]
    refused = str(recorded.get("message", "")).startswith("LLM judge error")
    want = "pass" if recorded["passed"] else "error" if refused else "fail"
    found = [] if got["status"] == want else [f"status {got['status']} want {want}: {got['message']}"]
    if "actual" in recorded and is_plain(recorded["actual"]) and not same(got.get("actual"), recorded["actual"]):
        found.append(f"actual {got.get('actual')!r} want {recorded['actual']!r}")
    return found


def same(actual, recorded):
    if isinstance(recorded, dict) and "used" in recorded:  # undefined is None here
        return actual == {"used": None, "budget": None, **recorded}
    return matchex.validate(actual, {"$eq": recorded}).passed


# --- suites ---------------------------------------------------------------------------------------------------------


class RecordedGraphs:
    """Runs graphs as the recordings describe them."""

    def __init__(self, line):
        self.order = []
        self._raises = {
            case["name"]: case["error"]
            for case in line.get("report", {}).get("cases", [])
            if "error" in case and not WORLD_OUTSIDE.match(case["error"]) and "Cannot read" not in case["error"]
        }

    def node_ids(self, graph):
        return [node["id"] for node in graph["nodes"]]

    async def run(self, graph, input, *, timeout):
        nodes = [
            Node(n["id"], interrupt="approve?") if n["type"] == "approval" else self._node(n) for n in graph["nodes"]
        ]
        edges = [Edge(source, target, condition_of(kind)) for source, target, kind in graph["edges"]]
        built = Graph(nodes, edges, start=graph["start"], end=graph["end"])
        return await PythonGraphRunner().run(built, input, timeout=timeout)

    def _node(self, node):
        name = node["id"].removeprefix("n_")

        async def run(memory):
            self.order.append(f"start {name}")
            if name == "slow":
                await asyncio.sleep(SLOW)
            if self._raises and name not in ("fetch", "transform", "prepare"):
                raise RuntimeError(next(iter(self._raises.values())))
            for value in memory.values():
                if name == "mut" and isinstance(value, list):
                    value.append("changed")
            self.order.append(f"end {name}")
            if node["type"] == "agent":
                return Update(memory={f"{name}_output": "agent says hi"}, tokens=TOKENS_OF_AN_AGENT)
            return {key: value for key, value in memory.items() if not re.search("^_|_result$", key)}

        return Node(node["id"], run)


def condition_of(kind):
    if kind == "always":
        return None
    key, relation, number = CONDITION.fullmatch(kind).groups()
    return {key: {"$gt" if relation == ">" else "$eq": int(number)}}


async def slow_judge(context):
    await asyncio.sleep(SLOW_JUDGE)
    return {"output": {"id": context.args["verdict_id"], "score": 0.9, "reasoning": "fine"}}


def observe_suite(line):
    suite = decode(line["suite"])
    runner = RecordedGraphs(line)
    if isinstance(suite, dict):
        suite = {"name": line["id"], **suite}
    try:
        report = run_eval(suite, runner=runner, evaluators={"judge-1": slow_judge})
    except (FixtureError, ExecutorError) as error:
        return {"refused": str(error)}
    inputs = [case.get("input") for case in suite["cases"] if isinstance(case, dict)]
    return {**report.to_dict(), "order": runner.order, "input_after": inputs[0] if inputs else None}


def suite_agrees(got, line):
    if "threw" in line or "refused" in got:
        return [] if ("threw" in line) == ("refused" in got) else [f"recorded {line.get('threw')!r}, we answer {got}"]
    want = line["report"]
    found = [f"{n}: {got[n]} want {want[n]}" for n in ("total", "passed") if got[n] != want[n]]
    if got["failed"] + got["errors"] != want["failed"]:
        found.append(f"failed and errors: {got['failed']} + {got['errors']} want {want['failed']}")
    if abs(got["overall_score"] - want["overall_score"]) > 1e-9:
        found.append(f"overall_score: {got['overall_score']} want {want['overall_score']}")
    further = [name for name in ("order", "input_after") if name in line and got[name] != line[name]]
    found += [f"{name}: {got[name]} want {line[name]}" for name in further]
    for ours, theirs in zip(got["cases"], want["cases"], strict=True):
        found += [f"case {theirs['name']}: {difference}" for difference in case_agrees(ours, theirs)]
    return found


def case_agrees(ours, theirs):
    verdicts = [result["passed"] for result in ours.get("assertions", [])]
    want = [result["passed"] for result in theirs["assertions"]]
    found = [] if verdicts == want else [f"assertions {verdicts} want {want} ({ours.get('errors')})"]
    if ours["passed"] != theirs["passed"] or abs(ours["score"] - theirs["score"]) > 1e-9:
        found.append(f"{ours['status']} {ours['score']} want {theirs['passed']} {theirs['score']}")
    if ("error" in theirs) != (ours["status"] == "error"):
        found.append(f"error {ours.get('error')!r} want {theirs.get('error')!r}")
    for result, recorded in zip(ours.get("assertions", []), theirs["assertions"], strict=False):
        if "actual" in recorded and not same(result.get("actual"), recorded["actual"]):
            found.append(f"actual {result.get('actual')!r} want {recorded['actual']!r}")
    return found


# --- the verdict ----------------------------------------------------------------------------------------------------


def difference_of(line, listed):
    """The listed difference that concerns a line, or None."""
    decoded = {**decode(line), "raw": line}
    concerned = [entry for entry in listed if matchex.validate(decoded, entry["where"], templates=False).passed]
    return concerned[-1] if concerned else None


def observe(line):
    return observe_suite(line) if "suite" in line else observe_assertion(line)


def disagreements(got, line):
    return suite_agrees(got, line) if "suite" in line else assertion_agrees(got, line)


def judge(line, listed):
    """`agree`, `listed` or `wrong`, and what differs."""
    got, entry = observe(line), difference_of(line, listed)
    if entry is None:
        found = disagreements(got, line)
        return ("wrong" if found else "agree"), found
    result = matchex.validate(got, entry["want"], templates=False)
    found = [] if result.passed else [f"not as {entry['number']} says: {result}"]
    return ("listed" if result.passed else "wrong"), found


def main():
    listed = read_lines(DIFFERENCES)
    return run(__doc__, lambda line: judge(line, listed))


if __name__ == "__main__":
    sys.exit(main())
