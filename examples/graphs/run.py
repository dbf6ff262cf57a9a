"""Runs the suites on graphs of Python functions and on graphs of LangGraph: `python examples/graphs/run.py`."""

import sys

import lang_graphs
import python_graphs
from aitestrunner.graph import EvalReport, run_eval
from suites import suites


def lines_of(report: EvalReport) -> list[str]:
    """A report in a few lines."""
    lines = [f"{report.suite_name}: {report.passed} of {report.total} passed, score {report.overall_score:.2f}"]
    for case in report.cases:
        lines.append(f"  {case.status}  {case.name}  ({' > '.join(case.path)})")
        lines += [f"        {result.message}" for result in case.assertions if not result.passed]
    return lines


def main() -> int:
    """Run everything; 0 if all passed."""
    all_passed = True
    for library, graphs in (("Python functions", python_graphs.graphs()), ("LangGraph", lang_graphs.graphs())):
        print(f"--- {library}")
        for suite in suites(graphs):
            report = run_eval(suite)
            all_passed = all_passed and report.all_passed
            print("\n".join(lines_of(report)))
    return 0 if all_passed else 1


if __name__ == "__main__":
    sys.exit(main())
