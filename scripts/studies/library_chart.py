#!/usr/bin/python3 -Es
"""library_chart.py: draws GB/s by library, with 95 % intervals and the roofline, from runs of contenders. README.md shows
such a chart. Each run is a row of panels, with a panel for each --case that the run has."""

import argparse
import pathlib
import sys

import launch
from ecbench.charts.drawing import COLOURS, LIMIT, margins, new_figure, plain_axes, to_svg_file
from ecbench.contenders.results import CaseResult, Results
from ecbench.files.written_files import check_apart
from ecbench.point.wording import figure_text
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.run_file import read_run
from ecbench.terminal.console import Refused
from libraries import OWN
from matplotlib.axes import Axes

PANEL, LINE, TOP, FOOT, NAMES = 400, 19, 34, 42, 116  # pixels


def read_arguments() -> argparse.Namespace:
    parser = launch.parser(__doc__, takes_ecbench=False)
    parser.add_argument("runs", metavar="CPU=RUN", nargs="+", help="the name of the CPU, and a run file of contenders")
    parser.add_argument("--case", metavar="TEXT", action="append", required=True,
                        help='a case, such as "6+2 encode of 128 KiB, warm"; may be repeated')
    parser.add_argument("--output", metavar="FILE", type=pathlib.Path, required=True, help="the SVG file to write")
    return parser.parse_args()


def draw(axes: Axes, title: str, result: CaseResult, right: float) -> None:
    speeds = sorted(((cell.speed, name) for name, cell in result.libraries.candidates.items()), key=lambda pair: pair[0].median)
    for row, (speed, name) in enumerate(speeds):
        axes.barh(row, speed.median, height=0.68, color=COLOURS[1] if name in OWN else COLOURS[0])
        low, high = (speed.median if end is None else end for end in (speed.low, speed.high))
        axes.plot([low, high], [row, row], color=LIMIT, linewidth=1.6)
        axes.text(max(speed.median, high) + right / 90, row, figure_text(speed.median), va="center", fontsize=10)
    if result.limit:
        axes.axvline(result.limit.speed.median, color=LIMIT, linestyle=(0, (4, 2)))
        axes.text(result.limit.speed.median, len(speeds) - 0.35, "roofline", ha="center", fontsize=10, color=LIMIT)
    axes.set_yticks(range(len(speeds)), [name for _, name in speeds])
    axes.set_xlim(0, right)
    axes.set_ylim(-0.6, len(speeds) - 0.4)
    axes.set_title(title, loc="left", fontsize=11.5, fontweight="bold", pad=16)
    axes.set_xlabel("GB/s of object")
    plain_axes(axes, "x")


def program(_child: Child) -> int:
    arguments = read_arguments()
    runs = [text.partition("=")[::2] for text in arguments.runs]
    check_apart([("--output", arguments.output)], [("RUN", path) for _, path in runs])
    panels = []
    for cpu, path in runs:
        cases = {str(result.case): result for result in Results(read_run(path)).cases}
        panels.append([(f"{cpu}: {text.split()[0]}", cases[text]) for text in arguments.case if text in cases])
        if not panels[-1]:
            raise Refused(f"{path} has none of these cases; it has {', '.join(map(repr, cases))}")
    columns = max(map(len, panels))
    lines = max(len(result.libraries.candidates) for row in panels for _, result in row)
    right = 1.12 * max(cell.speed.high or cell.speed.median for row in panels for _, result in row
                       for cell in [*result.libraries.candidates.values(), result.limit] if cell)
    height = TOP + LINE * lines + FOOT
    figure = new_figure(PANEL * columns, height * len(panels))
    axes = figure.subplots(len(panels), columns, squeeze=False)
    margins(figure, NAMES, 10, FOOT, TOP)
    figure.subplots_adjust(hspace=(TOP + FOOT) / (LINE * lines), wspace=NAMES / (PANEL - NAMES))
    for row, of_row in zip(axes, panels):
        for one, (title, result) in zip(row, of_row):
            draw(one, title, result, right)
        for one in row[len(of_row):]:
            one.set_visible(False)
    arguments.output.write_text(to_svg_file(figure, f"GB/s by library, and the roofline: {'; '.join(arguments.case)}"), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(run_to_the_end(program, "interrupted", runs_others=False))
