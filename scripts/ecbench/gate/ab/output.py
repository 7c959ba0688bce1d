"""The forest plot of a gate ab run: the ratio and the interval of each point."""

import argparse
import dataclasses
from typing import Annotated, TextIO

from ecbench.comparison.figures import FASTER, INCONCLUSIVE, SLOWER
from ecbench.files.written_files import write
from ecbench.gate.ab import verdicts
from ecbench.gate.ab.markdown import summary
from ecbench.gate.ab.verdicts import WORST_FIRST, PointResult, Result
from ecbench.gate.sides.both_sides import add_files, as_json, write_files
from ecbench.page import charts, library
from ecbench.page.block import Block, Chart, Column, Form, Kind
from ecbench.page.library import NoPage
from ecbench.terminal.console import GREEN, RED, YELLOW, plain, print_columns, say

WIDTH = 900  # pixels


@dataclasses.dataclass(frozen=True)
class Row:
    code: Annotated[str, Column(title="Point")]
    ratio: Annotated[float, Column(title="speed of NEW / speed of OLD", form=Form.RATIO)]
    low: Annotated[float | None, Column(form=Form.RATIO)]
    high: Annotated[float | None, Column(form=Form.RATIO)]
    verdict: Annotated[str, Column(title="Verdict")]
    text: Annotated[str, Column()]


def forest(result: Result) -> str:
    """The plot as the text of an SVG file. Throws NoPage."""
    rows = [Row(point.name, point.ratio, point.low, point.high, point.verdict, f"{point.ratio:.3f} ({verdicts.interval(point)})")
            for point in result.points]
    chart = Chart(Kind.RATIOS, "Ratios", "ratio", "low", "high", text="text", colour="verdict", colours=WORST_FIRST)
    old, new = verdicts.sides(result)
    title = {"text": verdicts.outcome(result), "subtitle": f"{old} → {new}; threshold {result.threshold_percent:g} %",
             "anchor": "start", "frame": "bounds"}
    spec = charts.picture(Block("", "", Row, rows, [chart]), chart, rows, WIDTH)
    return library.svg({**spec, "background": "white", "title": title, "description": verdicts.outcome(result)})


# Writes the outcome of a gate ab run to standard output in one format, and to the requested files.

TITLES = ("verdict", "point", "ratio", "interval", "level", "change %", "launches", "time, OLD", "time, NEW")
RIGHT = ("ratio", "level", "change %", "launches", "time, OLD", "time, NEW")
COLOURS = {SLOWER: RED, INCONCLUSIVE: YELLOW, FASTER: GREEN}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=("table", "json", "markdown"), default="table",
                       help="format of standard output (default table)")
    add_files(group.add_argument)
    group.add_argument("--svg", metavar="FILE", help="write the forest plot to FILE")


def show(result: Result, arguments: argparse.Namespace, out: TextIO) -> None:
    """Prints the outcome to `out`, and writes the requested files."""
    if arguments.format == "json":
        out.write(as_json(result))
    elif arguments.format == "markdown":
        out.write(summary(result))
    else:
        print_table(result, out)
    out.flush()
    write_files(arguments, result, lambda: summary(result))
    if arguments.svg is not None:
        try:
            write("--svg", arguments.svg, forest(result))
        except NoPage as no_page:
            say(no_page)


def print_table(result: Result, out: TextIO) -> None:
    print_columns(TITLES, [cells(point) for point in result.points], out, RIGHT, lambda row: COLOURS.get(row[0]))
    out.write("\n")
    out.writelines(f"{line}\n" for line in verdicts.legend(result))
    old, new = verdicts.sides(result)
    if line := verdicts.kernels(result):
        out.write(f"{plain(line)}\n")
    out.write(f"OLD: {plain(old)}; NEW: {plain(new)}; {verdicts.effort(result)}\n")
    out.write(f"{verdicts.outcome(result)}\n")


def cells(point: PointResult) -> list[str]:
    return [point.verdict, point.name, *verdicts.figures(point), str(point.launches),
            *map(verdicts.nanoseconds, (point.old_ns_per_iteration, point.new_ns_per_iteration))]
