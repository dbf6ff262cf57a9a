"""What the golden scripts share: reading lines, judging them one by one, and the report at the end."""

import argparse
import json
from pathlib import Path


def read_lines(path):
    with Path(path).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def run(description, judge, id_of=lambda line: line["id"]):
    """The command line of a script: judge every line of a file; the exit status."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--show", type=int, default=20)
    arguments = parser.parse_args()
    totals = {"agree": 0, "listed": 0, "wrong": 0}
    for line in read_lines(arguments.file):
        verdict, found = judge(line)
        totals[verdict] += 1
        if verdict == "wrong" and totals["wrong"] <= arguments.show:
            print(f"{id_of(line)}:")
            for difference in found:
                print(f"    {difference}")
    print(f"agree {totals['agree']}, differ as listed {totals['listed']}, wrong {totals['wrong']}")
    print(f"{totals['agree'] + totals['listed']} passed, {totals['wrong']} failed")
    return 1 if totals["wrong"] else 0
