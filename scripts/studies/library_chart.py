#!/usr/bin/python3 -Es
"""library_chart.py: draws GB/s by library, with 95 % intervals and the roofline, from runs of the experiment libraries. README.md
shows such a chart. Each run is a row of panels, with a panel for each --case that the run has."""

import argparse
import pathlib
import sys

import launch
from ecbench.charts import available
from ecbench.experiment.results import Results
from ecbench.files.written_files import check_apart
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.run_file import read_run
from ecbench.terminal.console import Refused


def read_arguments() -> argparse.Namespace:
    parser = launch.parser(__doc__, takes_ecbench=False)
    parser.add_argument("runs", metavar="CPU=RUN", nargs="+", help="the name of the CPU, and a run of libraries")
    parser.add_argument("--case", metavar="TEXT", action="append", required=True,
                        help='a case, such as "6+2 encode of 128 KiB, warm"; may be repeated')
    parser.add_argument("--output", metavar="FILE", type=pathlib.Path, required=True, help="the SVG file to write")
    return parser.parse_args()


def program(_child: Child) -> int:
    arguments = read_arguments()
    with available.drawing("the chart"):
        import library_panels
    runs = [text.partition("=")[::2] for text in arguments.runs]
    check_apart([("--output", arguments.output)], [("RUN", path) for _, path in runs])
    panels = []
    for cpu, path in runs:
        results = Results.of_run(read_run(path))
        cases = {results.title_of(case): (found, results.limit(case, found)) for case, found in results.cases}
        panels.append([(f"{cpu}: {text.split()[0]}", cases[text]) for text in arguments.case if text in cases])
        if not panels[-1]:
            raise Refused(f"{path} has none of these cases; it has {', '.join(map(repr, cases))}")
    title = f"GB/s by library, and the roofline: {'; '.join(arguments.case)}"
    arguments.output.write_text(library_panels.chart(panels, title), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(run_to_the_end(program, "interrupted", runs_others=False))
