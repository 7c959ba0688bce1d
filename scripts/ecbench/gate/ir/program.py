"""bench.sh gate ir OLD NEW: tests whether NEW executes more instructions than OLD. Counts are reproducible to the last digit, also
on a busy machine."""

import argparse
import collections
import dataclasses
import sys
from collections.abc import Callable

from ecbench.experiment.expansion import report_dropped
from ecbench.experiment.experiment import file_of
from ecbench.gate.ir.comparing import GROWN, SAME, SHRUNK, CountChange, FunctionGrowth, Result, compared
from ecbench.gate.ir.counting import ByCallgrind, ByStepping, Counter
from ecbench.gate.sides import both_sides
from ecbench.gate.sides.both_sides import (
    DEFAULT_GRID,
    OLD_AND_NEW,
    add_files,
    add_sides,
    check_files,
    check_sides,
    points_of_codec_libraries,
    read_gate_points,
    read_lines,
    resolve_sides,
    write_files,
)
from ecbench.gate.sides.markdown import document
from ecbench.gate.sides.markdown import plain as as_markdown
from ecbench.measure.budget import Budget, add_budget
from ecbench.point.point import bytes_text
from ecbench.process.children import Child
from ecbench.profilers.formats import Unreadable
from ecbench.profilers.subject import Broken, demangler
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import GREEN, RED, Refused, WrongBytes, plain, print_columns, say

# The output of gate ir: a table of the points with the functions whose counts changed, JSON, and Markdown for a pull request.

TITLES = ("", "point", "OLD", "NEW", "change")
COLOURS = {GROWN: RED, SHRUNK: GREEN}
LONGEST_NAME = 80


def show(result: Result, arguments: argparse.Namespace, child: Child) -> None:
    """Prints the notes to standard error, and the table and the lines below it to standard output; writes the requested files."""
    result = dataclasses.replace(result, points=with_readable_names(result.points, demangler(child)))
    for note in result.notes:
        say(note)
    print_columns(TITLES, [cells(point) for point in result.points], sys.stdout, right=TITLES[2:],
                  colour_of=lambda row: COLOURS.get(row[0].split()[0]))
    sys.stdout.writelines(f"{plain(line)}\n" for line in [*function_lines(result.points), "", *summary(result)])
    sys.stdout.flush()
    write_files(arguments, result, lambda: markdown(result))


def with_readable_names(points: list[CountChange], demangle: Callable[[list[str]], list[str]]) -> list[CountChange]:
    names = sorted({function.function for point in points for function in point.functions})
    readable = dict(zip(names, demangle(names), strict=True))
    return [dataclasses.replace(point, functions=[dataclasses.replace(one, function=readable[one.function])
                                                  for one in point.functions]) for point in points]


def cells(point: CountChange) -> list[str]:
    change = "0" if point.change_percent == 0 else f"{point.change_percent:+.3f} %".replace("-", "\N{MINUS SIGN}")
    return [point.outcome, title(point), *(f"{count.instructions_per_byte:.4f}" for count in (point.old, point.new)), change]


def title(point: CountChange) -> str:
    if point.counter == "callgrind":
        return point.point
    size = bytes_text(point.new.size)
    return f"{point.point}, natively" + ("" if f" of {size}" in point.point else f" on {size}")


def function_lines(points: list[CountChange]) -> list[str]:
    """For each point whose count changed beyond the tolerance: the change, and the functions."""
    lines = []
    for point in points:
        if point.outcome == SAME:
            continue
        old, new = point.old.kernel or "unknown", point.new.kernel or "unknown"
        lines += ["", f"{title(point)}: {cells(point)[-1]}, {point.tolerance_percent:g} % allowed"]
        if old != new:
            lines.append(f"  another kernel: {old} in OLD, {new} in NEW")
        if point.is_of_other_kernel:
            lines.append(f"  counted kernel: {new}; native kernel: {point.native_kernel}")
        lines += [f"  {function_line(function)}" for function in point.functions]
    return lines


def function_line(function: FunctionGrowth) -> str:
    name = function.function
    name = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME - 1] + "…"
    return f"{name} in {function.object}: {function.old:.4f} in OLD, {function.new:.4f} in NEW"


def summary(result: Result) -> list[str]:
    """The last lines of the output."""
    counts = collections.Counter(point.outcome for point in result.points)
    text = (f"REGRESSION: {counts[GROWN]} of {counts.total()} points grew" if counts[GROWN]
            else f"none of {counts.total()} points grew beyond its tolerance" if counts.total() else "no point was counted")
    return [f"instructions per byte of object: {result.new}, against {result.old}",
            text + (f", {counts[SHRUNK]} shrank" if counts[SHRUNK] else "")]


def markdown(result: Result) -> str:
    """The rows of points whose outcome is SAME are folded."""
    lines = summary(result)
    shown: list[list[str]] = []
    folded: list[list[str]] = []
    for point in result.points:
        outcome, name, *figures = cells(point)
        functions = "<br>".join(as_markdown(function_line(function)) for function in point.functions)
        (folded if outcome == SAME else shown).append([as_markdown(name), outcome if outcome == SAME else f"**{outcome}**",
                                                       *figures, functions])
    return document([f"### ecbench gate ir: {lines[1]}", "", as_markdown(lines[0])],
                    ("point", "verdict", "OLD", "NEW", "change", "functions"), shown, folded,
                    [f"- {as_markdown(line)}" for line in result.notes])


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
        return both_sides.WRONG_BYTES
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
    show(result, arguments, child)
    return result.exit_code
