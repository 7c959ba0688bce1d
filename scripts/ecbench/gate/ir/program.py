"""bench.sh gate ir: tests whether a code executes more instructions than before. Counts are reproducible to the last digit, also on
a busy machine."""

import argparse
import os

from ecbench.files.written_files import check_apart, check_writable
from ecbench.gate.ir import output
from ecbench.gate.ir.baseline import default_path, read_baseline
from ecbench.gate.ir.comparing import Result, against_baseline, against_build
from ecbench.gate.ir.counting import ByCallgrind, ByStepping, Counter
from ecbench.gate.sides import exit_codes, likeness, sides
from ecbench.gate.sides.points import DEFAULT_GRID, GatePoints, grid_file, read_gate_points, read_lines
from ecbench.gate.sides.sides import Side
from ecbench.installation.places import OWN_BUILD
from ecbench.point.expansion import report_dropped
from ecbench.process.children import Child
from ecbench.profilers.profile_data import Unreadable
from ecbench.profilers.subject import Broken
from ecbench.terminal.console import Refused, WrongBytes, say

DESCRIPTION = """Counts the instructions per byte of object for every point of a grid, and fails if the count of a point grew by
more than its tolerance (0.5 %, or tolerance= in the point's line of the grid). Prints the functions whose counts grew. The counts
are compared with a baseline in the repository or, with --against, with another build that is counted in the same run."""

EPILOG = """\
callgrind counts the instructions of a synthetic CPU with AVX2, which is the same on every machine. --native counts the
instructions that this CPU executes, including AVX-512 and GFNI. --native runs the program one instruction at a time. This is slow,
so the objects are smaller.

A baseline is valid for one fingerprint: the version of valgrind, the CPU flags that valgrind emulates, libc, the compiler and its
options, and the build ids of the codec libraries. The builds of ecbench and its plugins are not part of the fingerprint, because
the gate judges them. The baseline file has one baseline for each fingerprint. If no baseline has the
present fingerprint, the gate reports this, and has exit code 0.

  bench.sh gate ir                       compares with the baseline
  bench.sh gate ir --update              accepts the present counts
  bench.sh gate ir --against HEAD~1      compares with another revision, built in a worktree
  bench.sh gate ir --codec-lib system ../isa-l/.libs isa
                                         compares two builds of a codec library, at the points with isa in the name
  bench.sh gate ir --native=all isa      also counts natively, at the points with isa in the name

Exit codes: 0 no point grew, or no baseline matches; 1 bad input; 2 wrong bytes; 3 instructions grew beyond the tolerance; 4 no
baseline, with --require-baseline; 130 after Ctrl-C."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add = parser.add_argument
    add("points", nargs="*", metavar="POINT", help="use only points with POINT in the name, and points whose id begins with POINT")
    add("--baseline", metavar="FILE", help="the file of baselines (default results/gate/ir-baseline.json)")
    add("--update", action="store_true", help="accept the counts: write them to the baseline of this fingerprint")
    add("--require-baseline", action="store_true", help="exit code 4 if a point has no baseline")
    add("--against", metavar="DIR|REV", help="use no baseline: compare with a build directory, a plugin directory or a git "
                                             "revision")
    add("--codec-lib", nargs=2, metavar=("OLD_DIR", "NEW_DIR"),
        help="use no baseline: count one build with the codec libraries of OLD_DIR and with those of NEW_DIR, and compare the "
             f"counts. {sides.SYSTEM}: the libraries that ecbench loads without --codec-lib")
    add("--build", metavar="DIR|REV", help="the build to judge: a build directory (default build/), plugin directory or revision")
    add("--native", nargs="?", const="differing", choices=("differing", "all", "only"), metavar="differing|all|only",
        help="also count instructions without valgrind, by single-stepping. --native and --native=differing: only points whose "
             "kernel under valgrind is not the native kernel; --native=all: all points; --native=only: all points, without "
             "callgrind")
    add("--grid", type=str.splitlines, default=[DEFAULT_GRID], metavar="GRID",
        help="the points: axes as in bench.sh sweep, a named grid or a file; axes after a name or file replace its axes "
             "(default scripts/grids/gate)")
    add("--ecbench", metavar="PATH", help="the ecbench program that loads a plugin directory (default: this ecbench)")
    add("--json", metavar="FILE", help="also write the outcome to FILE, as JSON")
    add("--markdown", metavar="FILE", help="write a summary for a pull request to FILE, such as \"$GITHUB_STEP_SUMMARY\"")


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
    """Checks what can be checked before a build. Throws Refused."""
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
    """Counts and judges. Throws Refused, WrongBytes, Broken, Unreadable and children.Interrupted."""
    counters: list[Counter] = [] if arguments.native == "only" else [ByCallgrind()]
    # The baseline is read first, because counting takes a minute and is useless if the baseline cannot be read.
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
