"""bench.sh gate ir: tests whether erasure codes execute more instructions than before a change. Counts are reproducible to the last
digit, also on a busy machine."""

import argparse
import os

from ecbench.files.written_files import check_apart, check_writable
from ecbench.gate.ir import output
from ecbench.gate.ir.baseline import default_path, read_baseline
from ecbench.gate.ir.comparing import Result, against_baseline, against_build
from ecbench.gate.ir.counting import ByCallgrind, ByStepping, Counter
from ecbench.gate.sides import exit_codes, likeness, sides
from ecbench.gate.sides.points import DEFAULT_GRID, GRID_HELP, GatePoints, grid_file, read_gate_points, read_lines
from ecbench.gate.sides.sides import Side
from ecbench.installation.places import OWN_BUILD
from ecbench.point.expansion import report_dropped
from ecbench.process.children import Child
from ecbench.profilers.profile_data import Unreadable
from ecbench.profilers.subject import Broken
from ecbench.terminal.console import Refused, WrongBytes, say

DESCRIPTION = """Counts the instructions per byte of object for every point of a grid. Compares the counts with a baseline in the
repository. With --against, also counts the instructions of another build, and compares the two builds. Fails if the count of a
point has grown by more than the tolerance of the point. The tolerance is 0.5 %, or the value of tolerance= in the point's line of
the grid. Prints the functions whose counts have grown."""

EPILOG = """\
callgrind counts the instructions of valgrind's synthetic CPU. This CPU supports AVX2, but neither AVX-512 nor GFNI, even if the
machine's CPU supports them. --native counts the instructions that the machine's CPU executes, including AVX-512 and GFNI. For this,
--native runs the program one instruction at a time. This is slow, so --native uses smaller objects.

A baseline is valid for one fingerprint: the version of valgrind, the CPU flags that valgrind emulates, libc, the compiler and its
options, and the build ids of the codec libraries. The builds of ecbench and its plugins are not part of the fingerprint, because
the gate judges them. The baseline file has one baseline for each fingerprint. If no baseline has the fingerprint of this run, the
gate prints a message, and its exit code is 0, or 4 if --require-baseline is given.

  bench.sh gate ir                       compares with the baseline
  bench.sh gate ir --update              writes the present counts to the baseline
  bench.sh gate ir --against HEAD~1      compares with another revision, built in a worktree
  bench.sh gate ir --codec-lib system ../isa-l/.libs isa
                                         compares two builds of a codec library, only for points with isa in the name
  bench.sh gate ir --native=all isa      counts with callgrind and natively, only for points with isa in the name

Exit codes: 0 no count grew beyond the tolerance, or no baseline matches; 1 bad input; 2 wrong bytes; 3 a count grew beyond the
tolerance; 4 a point has no baseline (only with --require-baseline); 130 after Ctrl-C."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add = parser.add_argument
    add("points", nargs="*", metavar="POINT", help="use only points whose name contains POINT or whose id begins with POINT")
    add("--baseline", metavar="FILE", help="the file that contains the baselines (default results/gate/ir-baseline.json)")
    add("--update", action="store_true", help="write the counts to the baseline file, as the baseline for the fingerprint of "
                                                       "this run")
    add("--require-baseline", action="store_true", help="exit code 4 if a point has no baseline")
    add("--against", metavar="DIR|REV", help="compare with this build, not with a baseline: a build directory, a plugin directory "
                                             "or a git revision")
    add("--codec-lib", nargs=2, metavar=("OLD_DIR", "NEW_DIR"),
        help=f"use no baseline: compare the codec libraries of OLD_DIR with those of NEW_DIR, both in the same build. "
             f"{sides.SYSTEM_HELP}")
    add("--build", metavar="DIR|REV", help="the build to judge: a build directory (default build/), a plugin directory or a git "
                                           "revision")
    add("--native", nargs="?", const="differing", choices=("differing", "all", "only"), metavar="differing|all|only",
        help="also count natively (without valgrind, by single-stepping). differing: only for points whose kernel under valgrind "
             "is not the native kernel; all: for all points; only: for all points, and without callgrind. --native without a "
             "value means --native=differing")
    add("--grid", type=str.splitlines, default=[DEFAULT_GRID], metavar="GRID",
        help=f"{GRID_HELP} (default scripts/grids/gate)")
    add("--ecbench", metavar="PATH", help="if --build or --against is a plugin directory: the ecbench program that loads the "
                                          "plugins (default: the ecbench of the other build if it has one, otherwise this ecbench)")
    add("--json", metavar="FILE", help="also write the outcome to FILE, as JSON")
    add("--markdown", metavar="FILE", help="write a summary to FILE, as Markdown; FILE can be \"$GITHUB_STEP_SUMMARY\"")


def main(arguments: argparse.Namespace, child: Child) -> int:
    """Runs the gate and returns the exit code. Throws Refused and children.Interrupted."""
    try:
        result = counted(arguments, child)
        output.show(result, arguments, child)
        return result.exit_code
    except WrongBytes as error:
        say(f"WRONG BYTES: {error}")
        return exit_codes.WRONG_BYTES
    except (Broken, Unreadable) as error:
        raise Refused(str(error)) from error


def check(arguments: argparse.Namespace) -> None:
    """Checks the arguments before anything is built. Throws Refused."""
    read_lines(arguments.grid, None)
    for name, folder in zip(("OLD", "NEW"), arguments.codec_lib or ()):
        sides.check_codec_lib(name, folder)
    baseline = None if has_two_sides(arguments) else arguments.baseline or default_path()
    check_writable({"--json": arguments.json, "--markdown": arguments.markdown}, {"--baseline": baseline})
    check_apart(outputs(arguments), [("--grid", grid_file(arguments.grid)), ("--baseline", None if arguments.update else baseline)])
    if not has_two_sides(arguments):
        return
    pair = "--against" if arguments.against else "--codec-lib"
    for option in ("baseline", "update", "require_baseline"):
        if getattr(arguments, option):
            raise Refused(f"--{option.replace('_', '-')} is not allowed with {pair}, which counts both sides and uses no baseline")
    if arguments.against and arguments.codec_lib:
        raise Refused("--codec-lib (compares libraries) is not allowed with --against (compares builds); leave one out")


def outputs(arguments: argparse.Namespace) -> list[tuple[str, str | os.PathLike | None]]:
    """Pairs: an option, and the path of the file that the gate writes for this option."""
    baseline = arguments.baseline or default_path() if arguments.update else None
    return [("--json", arguments.json), ("--markdown", arguments.markdown), ("--baseline", baseline)]


def has_two_sides(arguments: argparse.Namespace) -> bool:
    return bool(arguments.against or arguments.codec_lib)


def counted(arguments: argparse.Namespace, child: Child) -> Result:
    """Counts the instructions and compares the counts. Throws Refused, WrongBytes, Broken, Unreadable and children.Interrupted."""
    counters: list[Counter] = [] if arguments.native == "only" else [ByCallgrind()]
    # The baseline is read before the instructions are counted, because a count takes long and needs a readable baseline.
    baseline = None if has_two_sides(arguments) else read_baseline(
        arguments.baseline or default_path(), may_be_missing=arguments.update or arguments.baseline is None)
    old, new = chosen_sides(arguments, child)
    check_apart(outputs(arguments), [pair for side in filter(None, (old, new)) for pair in side.inputs()])
    if arguments.native:
        counters.append(ByStepping())
    for side in filter(None, (old, new)):
        for counter in counters:
            counter.check(side, child)
    points = likeness.points_of_codec_libraries(chosen_points(arguments, old or new, child), filter(None, (old, new)), child)
    if baseline:
        return against_baseline(points, counters, new, arguments, baseline, child)
    return against_build(points, counters, old or new, new, arguments.native, child)


def chosen_sides(arguments: argparse.Namespace, child: Child) -> tuple[Side | None, Side]:
    if arguments.build is None:
        sides.own_side("NEW")
    new = arguments.build or str(OWN_BUILD)
    if arguments.codec_lib:
        old_side, new_side = (sides.resolve_one(name, new, child, arguments.ecbench) for name in ("OLD", "NEW"))
        return sides.with_codec_libs(old_side, new_side, arguments.codec_lib, child)
    if arguments.against is None:
        return None, sides.resolve_one("NEW", new, child, arguments.ecbench)
    return sides.resolve_pair(arguments.against, new, child, arguments.ecbench)


def chosen_points(arguments: argparse.Namespace, side: Side, child: Child) -> GatePoints:
    """id → GatePoint."""
    points, dropped = read_gate_points(arguments.grid, side.ecbench(child))
    report_dropped(dropped)
    if not arguments.points:
        return points
    chosen = {identity: point for identity, point in points.items()
              if any(text.lower() in str(point.point).lower() or identity.startswith(text) for text in arguments.points)}
    if not chosen:
        raise Refused(f"no point of the grid {' '.join(arguments.grid)} has {' or '.join(arguments.points)} in its "
                      f"name; a point of this grid is {next(iter(points.values())).point}")
    return chosen
