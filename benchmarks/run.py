"""Run the benchmarks and print tables in Markdown: `python benchmarks/run.py [--quick] [GROUP …]`."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Iterator

from _table import Table
from _timing import FULL, QUICK, Effort
from growth import growth
from plugins import expressions, schemas, templates
from runner import runner
from startup import startup
from texts import diffs, patterns
from verdicts import compiled, one_shot

import matchex

GROUPS: dict[str, Callable[[Effort], Iterator[Table]]] = {
    "compiled": compiled,
    "one-shot": one_shot,
    "growth": growth,
    "patterns": patterns,
    "diffs": diffs,
    "expressions": expressions,
    "templates": templates,
    "schemas": schemas,
    "startup": startup,
    "runner": runner,
}


def main() -> None:
    arguments = _parser().parse_args()
    effort = QUICK if arguments.quick else FULL
    print(f"matchex {matchex.__version__}, {platform.python_implementation()} {platform.python_version()}")
    print(
        f"Ratios of times: medians of {effort.rounds} interleaved rounds, ± half the interquartile range from 5 % on.\n"
    )
    for name in arguments.groups or GROUPS:
        for table in GROUPS[name](effort):
            print(table, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Run the benchmarks of matchex; prints ratios, never bare times.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", choices=[*GROUPS, []], help=f"{', '.join(GROUPS)}; all")
    parser.add_argument("--quick", action="store_true", help="rougher figures, within half a minute")
    return parser


if __name__ == "__main__":
    main()
