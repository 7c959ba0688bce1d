"""bench.sh gate ir OLD NEW: tests whether NEW executes more instructions than OLD. Counts are reproducible to the last digit, also
on a busy machine."""

import argparse

from ecbench.experiment.expansion import report_dropped
from ecbench.experiment.experiment import file_of
from ecbench.gate.ir import output
from ecbench.gate.ir.comparing import compared
from ecbench.gate.ir.counting import ByCallgrind, ByStepping, Counter
from ecbench.gate.sides import exit_codes
from ecbench.gate.sides.arguments import OLD_AND_NEW, add_files, add_sides, check_files, check_sides, resolve_sides
from ecbench.gate.sides.likeness import points_of_codec_libraries
from ecbench.gate.sides.points import DEFAULT_GRID, read_gate_points, read_lines
from ecbench.measure.budget import Budget, add_budget
from ecbench.process.children import Child
from ecbench.profilers.profile_data import Unreadable
from ecbench.profilers.subject import Broken
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, WrongBytes, say

DESCRIPTION = """Counts the instructions per byte of object of two builds. Fails if a count grew by more than its tolerance (0.5 %,
or tolerance= in the grid). Prints the functions that grew."""

EXAMPLES = """\
bench.sh gate ir HEAD~1 build
bench.sh gate ir --codec-lib system ../isa-l/.libs"""

EPILOG = f"""\
{OLD_AND_NEW}

callgrind counts on a synthetic CPU with AVX2, without AVX-512 and GFNI. --native counts on this CPU, one instruction at a time,
with smaller objects.

Exit codes: 0 no count grew beyond the tolerance; 1 bad input; 2 wrong bytes; 3 a count grew; 130 after Ctrl-C."""


def add_arguments(parser: Parser) -> None:
    parser.examples, parser.description, parser.epilog = EXAMPLES, DESCRIPTION, EPILOG
    add_sides(parser)
    add = parser.add_argument
    add("--native", nargs="?", const="differing", choices=("differing", "all", "only"), metavar="differing|all|only",
        help="count natively: where valgrind runs another kernel (default), at all points, or only natively")
    add("--grid", type=str.splitlines, default=[DEFAULT_GRID], metavar="GRID",
        help="experiment or axes as in bench.sh run (default: gate)")
    add_budget(parser, on="the verdict is then about the points so far")
    add_files(add)


def check(arguments: argparse.Namespace) -> None:
    """Checks the arguments before anything is built. Throws Refused."""
    check_sides(arguments)
    read_lines(arguments.grid, None)
    check_files(arguments, [("--grid", file_of(arguments.grid))])


def main(arguments: argparse.Namespace, child: Child) -> int:
    """Runs the gate and returns the exit code. Throws Refused and children.Interrupted."""
    try:
        return count(arguments, child)
    except WrongBytes as error:
        say(f"WRONG BYTES: {error}")
        return exit_codes.WRONG_BYTES
    except (Broken, Unreadable) as error:
        raise Refused(str(error)) from error


def count(arguments: argparse.Namespace, child: Child) -> int:
    counters: list[Counter] = [] if arguments.native == "only" else [ByCallgrind()]
    if arguments.native:
        counters.append(ByStepping())
    old, new = resolve_sides(arguments, child)
    check_files(arguments, [*old.inputs(), *new.inputs()])
    for side in (old, new):
        for counter in counters:
            counter.check(side, child)
    points, dropped = read_gate_points(arguments.grid, old.ecbench(child))
    report_dropped(dropped)
    points = points_of_codec_libraries(points, (old, new), child)
    result = compared(points, counters, old, new, arguments.native, child, Budget(arguments.budget))
    output.show(result, arguments, child)
    return result.exit_code
