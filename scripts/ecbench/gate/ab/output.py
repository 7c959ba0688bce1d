"""Writes the outcome of a gate ab run to standard output in one format, and to the requested files."""

import argparse
from typing import TextIO

from ecbench.comparison.questions import FASTER, INCONCLUSIVE, SLOWER
from ecbench.files.written_files import write
from ecbench.gate.ab import wording
from ecbench.gate.ab.forest import forest
from ecbench.gate.ab.markdown import summary
from ecbench.gate.ab.result import PointResult, Result
from ecbench.gate.sides.arguments import add_files, as_json, write_files
from ecbench.page.library import NoPage
from ecbench.terminal.columns import GREEN, RED, YELLOW, print_columns
from ecbench.terminal.console import plain, say

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
    out.writelines(f"{line}\n" for line in wording.legend(result))
    old, new = wording.sides(result)
    if line := wording.kernels(result):
        out.write(f"{plain(line)}\n")
    out.write(f"OLD: {plain(old)}; NEW: {plain(new)}; {wording.effort(result)}\n")
    out.write(f"{wording.outcome(result)}\n")


def cells(point: PointResult) -> list[str]:
    return [point.verdict, point.name, *wording.figures(point), str(point.launches),
            *map(wording.nanoseconds, (point.old_ns_per_iteration, point.new_ns_per_iteration))]
