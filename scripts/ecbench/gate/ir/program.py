"""bench.sh gate ir OLD NEW: tests whether NEW executes more instructions than OLD. Counts are reproducible to the last digit, also
on a busy machine."""

import argparse
import collections
import dataclasses
import sys
from typing import Annotated

from ecbench.experiment.experiment import file_of
from ecbench.gate.ir.comparing import GROWN, SAME, SHRUNK, CountChange, Result, compared
from ecbench.gate.ir.counting import ByCallgrind, ByStepping, Counter
from ecbench.gate.sides import both_sides
from ecbench.measure.budget import Budget, add_budget
from ecbench.page.block import Block, Column, Form, Page
from ecbench.point.point import bytes_text
from ecbench.process.children import Child
from ecbench.profilers.subject import shortened
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import GREEN, RED

COLOURS = {GROWN: RED, SHRUNK: GREEN}


@dataclasses.dataclass(frozen=True)
class PointRow:
    """Instructions per byte of the object."""

    outcome: Annotated[str, Column(title="outcome")]
    point: Annotated[str, Column(title="point")]
    old: Annotated[float, Column(title="OLD", form=Form.RATIO)]
    new: Annotated[float, Column(title="NEW", form=Form.RATIO)]
    change: Annotated[float, Column(title="change %", form=Form.RATIO)]
    kernels: Annotated[str, Column(title="kernels")]  # if they differ


@dataclasses.dataclass(frozen=True)
class FunctionRow:
    """A function whose count changed, in a point whose outcome is not SAME."""

    function: Annotated[str, Column(title="function")]
    object: Annotated[str, Column(title="object")]
    point: Annotated[str, Column(title="point")]
    old: Annotated[float, Column(title="OLD", form=Form.RATIO)]
    new: Annotated[float, Column(title="NEW", form=Form.RATIO)]


def page_of(result: Result) -> Page:
    rows = [PointRow(point.outcome, title(point), point.old.instructions_per_byte, point.new.instructions_per_byte,
                     point.change_percent, kernels(point)) for point in result.points]
    functions = [FunctionRow(shortened(one.function), one.object, title(point), one.old, one.new)
                 for point in result.points for one in point.functions]
    counts = collections.Counter(point.outcome for point in result.points)
    answer = (f"REGRESSION: {counts[GROWN]} of {counts.total()} points grew" if counts[GROWN]
              else f"none of {counts.total()} points grew beyond its tolerance" if counts.total() else "no point was counted")
    answer += f", {counts[SHRUNK]} shrank" if counts[SHRUNK] else ""
    rows.sort(key=lambda row: row.outcome == SAME)
    return Page("gate ir", "ecbench gate ir", [answer],
                [Block("Points", "", PointRow, rows), Block("Functions", "", FunctionRow, functions)],
                [("", [f"instructions per byte of object: {result.new}, against {result.old}", *result.notes])])


def title(point: CountChange) -> str:
    if point.counter == "callgrind":
        return point.point
    size = bytes_text(point.new.size)
    return f"{point.point}, natively" + ("" if f" of {size}" in point.point else f" on {size}")


def kernels(point: CountChange) -> str:
    old, new = point.old.kernel or "unknown", point.new.kernel or "unknown"
    of_sides = f"{old} in OLD, {new} in NEW" if old != new else ""
    return f"{of_sides or new}; natively {point.native_kernel}" if point.is_of_other_kernel else of_sides


DESCRIPTION = """Counts the instructions per byte of object of two builds. Fails if a count grew by more than its tolerance (0.5 %,
or tolerance= in the grid). Prints the functions that grew."""

EXAMPLES = """\
bench.sh gate ir HEAD~1 build
bench.sh gate ir --codec-lib system ../isa-l/.libs"""

EPILOG = f"""\
{both_sides.OLD_AND_NEW}

callgrind counts on a synthetic CPU with AVX2, without AVX-512 and GFNI. --native counts on this CPU, one instruction at a time,
with smaller objects.

Exit codes: 0 no count grew beyond the tolerance; 1 bad input; 2 wrong bytes; 3 a count grew; 130 after Ctrl-C."""


def add_arguments(parser: Parser) -> None:
    parser.examples, parser.description, parser.epilog = EXAMPLES, DESCRIPTION, EPILOG
    both_sides.add_sides(parser)
    add = parser.add_argument
    add("--native", nargs="?", const="differing", choices=("differing", "all", "only"), metavar="differing|all|only",
        help="count natively: where valgrind runs another kernel (default), at all points, or only natively")
    add("--grid", type=str.splitlines, default=[both_sides.DEFAULT_GRID], metavar="GRID",
        help="experiment or axes as in bench.sh run (default: gate)")
    add_budget(parser, on="the verdict is then about the points so far")
    both_sides.add_files(add)


def check(arguments: argparse.Namespace) -> None:
    """Checks the arguments before anything is built. Throws Refused."""
    both_sides.check_sides(arguments)
    both_sides.read_lines(arguments.grid, None)
    both_sides.check_files(arguments, [("--grid", file_of(arguments.grid))])


def main(arguments: argparse.Namespace, child: Child) -> int:
    """Runs the gate and returns the exit code. Throws Refused, WrongBytes, Broken, Unreadable and children.Interrupted."""
    counters: list[Counter] = [] if arguments.native == "only" else [ByCallgrind()]
    if arguments.native:
        counters.append(ByStepping())
    old, new = both_sides.resolve_sides(arguments, child)
    both_sides.check_files(arguments, [*old.inputs(), *new.inputs()])
    for side in (old, new):
        for counter in counters:
            counter.check(side, child)
    points = both_sides.common_points(lambda plugins: both_sides.read_lines(arguments.grid, plugins), old, new, child)
    result = compared(points, counters, old, new, arguments.native, child, Budget(arguments.budget))
    both_sides.show(page_of(result), result, arguments, sys.stdout, COLOURS)
    return result.exit_code
