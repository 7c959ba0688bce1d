"""bench.sh gate ab OLD NEW: tests whether NEW is slower than OLD. Both run alternately, in short time slices."""

import argparse
import math
import secrets
import sys
from typing import Any

from ecbench.gate.ab import output
from ecbench.gate.ab.codec_folder import loaded_alike
from ecbench.gate.ab.gate_run import PAIRS, SLICE_NS, GateRun, Plan, launches_for
from ecbench.gate.ab.launch import Launcher
from ecbench.gate.ab.measuring_run import measure
from ecbench.gate.ab.record import Record, now
from ecbench.gate.ab.result import result_of
from ecbench.gate.ab.verdict import ALPHA, INCONCLUSIVE, LOOKS, THRESHOLD_PERCENT, Settings
from ecbench.gate.sides import contender, exit_codes, likeness, sides
from ecbench.gate.sides.contender import CRATE, GO_MODULE, Wanted
from ecbench.gate.sides.points import (
    DEFAULT_GRID,
    GRID_HELP,
    GRID_OF_A_CONTENDER,
    GatePoints,
    Line,
    expand_lines,
    grid_file,
    plugins_of,
    read_lines,
)
from ecbench.gate.sides.sides import Side
from ecbench.measure.cpus import quiet_cpus
from ecbench.measure.lock import MachineLock
from ecbench.point.axes import Plugins
from ecbench.point.expansion import report_dropped
from ecbench.process.children import Child, Interrupted
from ecbench.runfile.machine import machine_of
from ecbench.terminal.arguments import cpu, percent, seed, whole
from ecbench.terminal.console import Refused, WrongBytes, say

NEEDED = "--serve-slices"

DESCRIPTION = """Compares two builds and fails if NEW is slower. The builds run in separate processes. Both processes use the same
CPU and the same memory. They run alternately, in time slices of at most 2 ms. If an iteration takes longer, the slice contains one
iteration. For each point, the gate computes the ratio of the speeds and an exact confidence interval of this ratio. If a point is
inconclusive, the gate measures the point once again. The final verdict then uses all measurements of the point."""

EPILOG = """\
OLD and NEW can each be
  a build directory   with ecbench and plugins/, such as build/
  a plugin directory  with libec_*.so. By default, the ecbench of the other side loads these plugins. If OLD and NEW are both
                      plugin directories, the ecbench in build/ loads both
  a git revision      of this repository. The gate builds it in a worktree, and keeps the build in build-gate/ for later calls
If a directory and a revision have the same name, the directory is used.

To test a codec library, compare two versions of the library in the same build:
  bench.sh gate ab --codec-lib system ../isa-l/.libs
To test a Go or Rust library, name two versions of it. The gate builds the library's plugin with each version (needs go or cargo):
  bench.sh gate ab --go-module github.com/klauspost/reedsolomon@v1.12.4 github.com/klauspost/reedsolomon@v1.14.2

Exit codes: 0 no regression was found (but points can be inconclusive); 1 bad input; 2 wrong bytes, or OLD and NEW encode the same
object to different chunks; 3 a regression; 4 a point is inconclusive (only with --require-conclusive); 130 after Ctrl-C."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add = parser.add_argument
    add("sides", nargs="*", metavar="OLD NEW", help="the builds to compare (default with --codec-lib: build/ for both)")
    add("--codec-lib", nargs=2, metavar=("OLD_DIR", "NEW_DIR"),
        help="compare the codec libraries in OLD_DIR with those in NEW_DIR (libisal.so.2, libJerasure.so.2, libgf_complete.so.1). "
             f"{sides.SYSTEM_HELP}")
    add(GO_MODULE, nargs=2, metavar=("PATH@OLD", "PATH@NEW"),
        help="compare two versions of a Go module. The plugin that uses the module is built with each version. A version may be a "
             "branch or a commit")
    add(CRATE, nargs=2, metavar=("NAME@OLD", "NAME@NEW"),
        help="compare two versions of a Rust crate. The plugin that uses the crate is built with each version")
    add("--grid", type=str.splitlines, metavar="GRID",
        help=f"{GRID_HELP} (default: scripts/grids/gate; with {GO_MODULE} or {CRATE}: {GRID_OF_A_CONTENDER})")
    add("--threshold", type=percent, default=THRESHOLD_PERCENT, metavar="PERCENT",
        help=f"the smallest loss of speed that is a regression, in percent (default {THRESHOLD_PERCENT:g})")
    add("--launches", type=whole(1, 1000), metavar="N",
        help="number of launches of each point (default: 10, or more if the grid has many points). If a point is "
             "inconclusive after these launches, the gate makes the same number of additional launches of this point")
    add("--pairs", type=whole(2, 10000), default=PAIRS, metavar="N",
        help=f"number of pairs of time slices in each launch; a pair is one slice of OLD and one slice of NEW (default {PAIRS})")
    add("--require-conclusive", action="store_true",
        help="return exit code 4 if a point is inconclusive and no point has a regression")
    add("--cpu", type=cpu, metavar="N",
        help="run both builds on CPU N (default: the highest-numbered CPU that this process may use)")
    add("--seed", type=seed, metavar="N", help="seed for the random order of measurements (default: a random seed, recorded)")
    add("--ecbench", metavar="PATH",
        help="the ecbench program to use if OLD or NEW is a plugin directory, or if OLD and NEW are not given")
    add("--output", metavar="FILE", help="write every launch to FILE, as lines of JSON; the file must not exist")
    output.add_arguments(parser)


def check(arguments: argparse.Namespace) -> None:
    """Makes all checks of the arguments that need no build. Throws Refused."""
    given = len(arguments.sides)
    libraries = [option for option, value in (("--codec-lib", arguments.codec_lib), (GO_MODULE, arguments.go_module),
                                              (CRATE, arguments.crate)) if value]
    if len(libraries) > 1:
        raise Refused(f"{' and '.join(libraries)} are not allowed together: a gate compares versions of one library; give only "
                      "one of these options")
    if given and libraries and libraries != ["--codec-lib"]:
        raise Refused(f"{libraries[0]} is not allowed with OLD and NEW, because {libraries[0]} builds both sides; give either "
                      f"{libraries[0]}, or OLD and NEW")
    if given != 2 and (given or not libraries):
        raise Refused(f"gate ab compares two builds, and {given} {'is' if given == 1 else 'are'} given; name OLD and NEW, or two "
                      f"versions of a library with --codec-lib, {GO_MODULE} or {CRATE}")
    for name, folder in zip(("OLD", "NEW"), arguments.codec_lib or ()):
        sides.check_codec_lib(name, folder)
    wanted_libraries(arguments)
    lines_of(arguments, None)
    output.check(arguments, {"--output": arguments.output},
                 [("--grid", grid_file(grid_words(arguments))), ("--ecbench", arguments.ecbench)])


def wanted_libraries(arguments: argparse.Namespace) -> tuple[Wanted, Wanted] | None:
    """The two versions of a Go module or Rust crate; None if the user gave neither option."""
    for option, given in ((GO_MODULE, arguments.go_module), (CRATE, arguments.crate)):
        if given:
            return contender.read_pair(option, given)
    return None


def grid_words(arguments: argparse.Namespace) -> list[str]:
    if arguments.grid is not None:
        return arguments.grid
    return [GRID_OF_A_CONTENDER if wanted_libraries(arguments) else DEFAULT_GRID]


def lines_of(arguments: argparse.Namespace, plugins: Plugins | None) -> list[Line]:
    """The lines of the grid. If a Go module or Rust crate is compared, each line without plugin= gets the plugin of this library.
    In the default grid, each line without technique= then also gets the plugin's default technique."""
    lines = read_lines(grid_words(arguments), plugins)
    if wanted := wanted_libraries(arguments):
        plugin = wanted[0].plugin
        technique = (plugins or {}).get(plugin, {}).get("default_technique")
        for _, axes in lines:
            axes.setdefault("plugin", (plugin,))
            if arguments.grid is None and technique:
                axes.setdefault("technique", (technique,))
    return lines


def main(arguments: argparse.Namespace, child: Child) -> int:
    """Runs the gate and returns the exit code. Throws Refused and children.Interrupted."""
    record = Record(arguments.output)
    reason: dict[str, Any] = {}
    try:
        with MachineLock():
            return compare(arguments, child, record)
    except WrongBytes as error:
        reason = {"why": str(error), "exit_code": exit_codes.WRONG_BYTES}
        say(f"WRONG BYTES: {error}")
        return exit_codes.WRONG_BYTES
    except Refused as error:
        reason = {"why": str(error), "exit_code": exit_codes.ERROR}
        raise
    except Interrupted as interrupt:
        reason = {"why": "interrupted", "exit_code": 128 + interrupt.args[0]}
        raise
    finally:
        record.break_off(**reason)


def compare(arguments: argparse.Namespace, child: Child, record: Record) -> int:
    result = compared(arguments, child, record)
    output.show(result, arguments, sys.stdout)
    return result["exit_code"]


def compared(arguments: argparse.Namespace, child: Child, record: Record) -> dict[str, Any]:
    """Runs the measurements. Returns the outcome, in the format of result.schema.json."""
    old, new = chosen_sides(arguments, child)
    output.check(arguments, {"--output": arguments.output}, [*old.inputs(), *new.inputs()])
    points = chosen_points(arguments, old, new, child)
    run = plan_run(arguments, old, new, points, child)
    record.begin(**run.header)
    with loaded_alike(old, new, {name.upper(): run.header[name]["shared_objects"] for name in ("old", "new")}) as alike:
        measure(run, Launcher(*alike, run.plan, child), record)
    result = result_of(run, arguments.require_conclusive)
    record.end(exit_code=result["exit_code"], seconds=round(run.seconds, 1))
    unknown = result["counts"][INCONCLUSIVE]
    if unknown:
        say(f"{unknown} of {len(points)} points {'is' if unknown == 1 else 'are'} inconclusive, even after "
            f"{LOOKS * run.plan.launches} launches per point; end other programs on this machine, use another CPU with --cpu, or "
            "give more --launches")
    return result


def chosen_sides(arguments: argparse.Namespace, child: Child) -> tuple[Side, Side]:
    if wanted := wanted_libraries(arguments):
        old, new = sides.contender_sides(wanted, child, arguments.ecbench)
        sides.check_has(new, NEEDED, child)
    elif arguments.sides:
        given_old, given_new = arguments.sides
        old, new = sides.resolve_pair(given_old, given_new, child, arguments.ecbench, NEEDED)
    else:
        old, new = (sides.own_side(name, arguments.ecbench) for name in ("OLD", "NEW"))
        sides.check_has(new, NEEDED, child)
    if arguments.codec_lib:
        old, new = sides.with_codec_libs(old, new, arguments.codec_lib, child)
    return old, new


def chosen_points(arguments: argparse.Namespace, old: Side, new: Side, child: Child) -> GatePoints:
    lists = [side.ecbench(child).list_plugins() for side in (new, old)]
    plugins = {**lists[0], **lists[1]}
    lines = lines_of(arguments, plugins)
    likeness.check_plugins(old, new, plugins_of(lines))
    points, dropped = expand_lines(lines, plugins, old.ecbench(child).describe)
    report_dropped(dropped)
    likeness.check_points(points, old, new, child)
    if arguments.codec_lib and any(gate_point.point.codec_lib for gate_point in points.values()):
        raise Refused("--codec-lib is not allowed with a grid that has codec-lib=: both set the codec libraries; leave one out")
    return likeness.points_of_codec_libraries(points, (old, new), child)


def plan_run(arguments: argparse.Namespace, old: Side, new: Side, points: GatePoints, child: Child) -> GateRun:
    settings = Settings(len(points), arguments.threshold, ALPHA)
    order = secrets.randbits(32) if arguments.seed is None else arguments.seed
    place = quiet_cpus(1)[0] if arguments.cpu is None else arguments.cpu
    launches = arguments.launches or launches_for(settings)
    if LOOKS * launches < settings.launches_needed:
        raise Refused(f"--launches {launches} is not allowed: with {len(points)} points, the verdict 'slower' needs "
                      f"{settings.launches_needed} launches of a point, and a point gets at most {LOOKS * launches}; give at least "
                      f"{math.ceil(settings.launches_needed / LOOKS)}")
    plan = Plan(launches, arguments.pairs, SLICE_NS, order, place)
    environments = [side.ecbench(child).environment([*side.codec_words(), "--cpu", str(place)]) for side in (old, new)]
    likeness.tell_builds(*environments)
    for trouble in environments[0]["unfit"]:
        say(trouble)
    described = [{**side.to_json(), "build": environment["ecbench"], "shared_objects": environment["shared_objects"]}
                 for side, environment in zip((old, new), environments)]
    header = {
        "started": now(), "old": described[0], "new": described[1], "threshold": settings.threshold, "alpha": settings.alpha,
        "launches": plan.launches, "pairs": plan.pairs, "slice_ns": plan.slice_ns, "seed": plan.seed, "cpu": plan.cpu,
        "grid": " ".join(grid_words(arguments)), "machine": machine_of(environments[0]), "environment": environments[0],
        "points": [{"id": identity, "point": gate_point.point.to_json()} for identity, gate_point in points.items()]}
    return GateRun(header, settings, plan, points, {identity: [] for identity in points})
