"""bench.sh gate ab OLD NEW: tests whether NEW is slower than OLD. Both run alternately, in short time slices."""

import argparse
import dataclasses
import math
import secrets

from ecbench.comparison.figures import ALPHA_OF_LAUNCHES, FASTER, INCONCLUSIVE, LOOKS, SLOWER, THRESHOLD_PERCENT, Settings
from ecbench.gate.ab.launch import SECONDS_TO_ANSWER, Launcher, libraries_to_link, measure
from ecbench.gate.ab.verdicts import FEWEST_LAUNCHES, PAIRS, SLICE_NS, GateRun, Plan, Record, forest, page_of, result_of
from ecbench.gate.sides import both_sides, builds, sides
from ecbench.gate.sides.builds import CRATE, GO_MODULE
from ecbench.gate.sides.sides import Side
from ecbench.measure.machine import machine_lock, quiet_cpus
from ecbench.measure.session import Budget, add_budget
from ecbench.page.charts import NoPage, svg
from ecbench.process.process import Child
from ecbench.runfile.header import SharedObject, machine_of
from ecbench.runfile.run_file import now
from ecbench.terminal.arguments import Parser, cpu, percent, seed, whole
from ecbench.terminal.console import GREEN, RED, YELLOW, Refused, say

COLOURS = {SLOWER: RED, INCONCLUSIVE: YELLOW, FASTER: GREEN}

DESCRIPTION = """Compares two builds and fails if NEW is slower. Both run alternately on one CPU, in time slices of at most 2 ms.
Each point gets the ratio of the speeds with an exact confidence interval. Inconclusive points are measured once more."""

EXAMPLES = """\
bench.sh gate ab HEAD~1 build
bench.sh gate ab --go-module github.com/klauspost/reedsolomon@v1.12.4 github.com/klauspost/reedsolomon@v1.14.2"""

EPILOG = f"""\
{both_sides.OLD_AND_NEW}

Exit codes: 0 no regression; 1 bad input; 2 wrong bytes; 3 regression; 4 inconclusive (--require-conclusive)."""


def add_arguments(parser: Parser) -> None:
    parser.examples, parser.description, parser.epilog = EXAMPLES, DESCRIPTION, EPILOG
    libraries, add = both_sides.add_sides(parser, SECONDS_TO_ANSWER, "a command to a build"), parser.add_argument
    libraries.add_argument(GO_MODULE, nargs=2, metavar=("PATH@OLD", "PATH@NEW"),
                           help="compare two versions of a Go module, or branches or commits")
    libraries.add_argument(CRATE, nargs=2, metavar=("NAME@OLD", "NAME@NEW"), help="compare two versions of a Rust crate")
    add("--threshold", type=percent, default=THRESHOLD_PERCENT, metavar="PERCENT",
        help=f"the smallest loss that is a regression (default {THRESHOLD_PERCENT:g})")
    add("--launches", type=whole(1, 1000), metavar="N", help="launches of each point, twice if inconclusive (default 10)")
    add("--pairs", type=whole(2, 10000), default=PAIRS, metavar="N",
        help=f"pairs of time slices (OLD, NEW) in each launch (default {PAIRS})")
    add("--require-conclusive", action="store_true", help="exit code 4 if a point is inconclusive")
    add("--cpu", type=cpu, metavar="N", help="the CPU for both builds (default: the highest number)")
    add("--seed", type=seed, metavar="N", help="seed for the order (default: random)")
    add("--output", metavar="FILE", help="write every launch to FILE, as lines of JSON")
    add_budget(parser, on="the verdict uses the launches so far")
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=("table", "json", "markdown"), default="table", metavar="table|json|markdown",
                       help="format of standard output (default table)")
    both_sides.add_files(group.add_argument)
    group.add_argument("--svg", metavar="FILE", help="write the forest plot to FILE")


def check(arguments: argparse.Namespace) -> None:
    """See both_sides.check()."""
    option, given = (CRATE, arguments.crate) if arguments.crate else (GO_MODULE, arguments.go_module)
    arguments.wanted = builds.read_pair(option, given) if given else ()
    if arguments.wanted and arguments.sides:
        raise Refused(f"{option} is not allowed with OLD and NEW, because {option} builds both sides; give either {option}, or OLD "
                      "and NEW")
    both_sides.check(arguments, f"--codec-lib, {GO_MODULE} or {CRATE}")


def main(arguments: argparse.Namespace, child: Child) -> int:
    """Runs the gate and returns the exit code. Throws Refused and Interrupted."""
    record = Record(arguments.output)
    try:
        if arguments.svg is not None:
            svg({"mark": "point"})  # whether a plot can be drawn, before anything is built
    except NoPage as no_page:
        raise Refused(f"--svg {arguments.svg} is not possible: {str(no_page).partition(': ')[2]}") from no_page
    budget = Budget(arguments.budget)
    with machine_lock(child, budget.left()):
        old, new = both_sides.resolve_sides(arguments, child)
        with both_sides.failing(arguments, record.end):
            return compare(arguments, old, new, child, record, budget)


def compare(arguments: argparse.Namespace, old: Side, new: Side, child: Child, record: Record, budget: Budget) -> int:
    for side in (old, new):
        sides.check_has(side, "--serve-slices", child)
    points = both_sides.common_points(arguments, old, new, child)
    run, loaded = plan_run(arguments, old, new, points, child)
    record.begin(**run.header)
    launcher = Launcher(old, new, run.plan, child, arguments.timeout, libraries_to_link(old, new, loaded), budget)
    measure(run, launcher, record, budget)
    result = result_of(run, arguments.require_conclusive)
    record.end(exit_code=result.exit_code, seconds=round(run.seconds, 1))
    if unknown := result.counts[INCONCLUSIVE]:
        say(f"{unknown} of {len(points)} points {'is' if unknown == 1 else 'are'} inconclusive after at most "
            f"{max(map(len, run.launches.values()))} launches per point; end other programs on this machine, use another CPU with "
            "--cpu, or give more --launches")
    both_sides.show(page_of(result), result, arguments, COLOURS, svg=lambda: forest(result))
    return result.exit_code


def plan_run(arguments: argparse.Namespace, old: Side, new: Side, points: both_sides.GatePoints,
             child: Child) -> tuple[GateRun, dict[str, list[SharedObject]]]:
    """The run, and the libraries that each side loads."""
    settings = Settings(len(points), arguments.threshold, ALPHA_OF_LAUNCHES)
    order = secrets.randbits(32) if arguments.seed is None else arguments.seed
    place = quiet_cpus(1)[0] if arguments.cpu is None else arguments.cpu
    launches = arguments.launches or max(FEWEST_LAUNCHES, settings.launches_needed)
    if LOOKS * launches < settings.launches_needed:
        raise Refused(f"--launches {launches} is not allowed: with {len(points)} points, the verdict 'slower' needs "
                      f"{settings.launches_needed} launches of a point, and a point gets at most {LOOKS * launches}; give at least "
                      f"{math.ceil(settings.launches_needed / LOOKS)}")
    plan = Plan(launches, arguments.pairs, SLICE_NS, order, place)
    environments = [side.ecbench(child).environment([*side.codec_words(), "--cpu", str(place)]) for side in (old, new)]
    both_sides.tell_builds(*(environment.ecbench for environment in environments))
    for trouble in environments[0].unfit:
        say(trouble)
    described = [{**side.to_json(), "build": environment.json["ecbench"], "shared_objects": environment.json["shared_objects"]}
                 for side, environment in zip((old, new), environments)]
    header = {
        "started": now(), "old": described[0], "new": described[1], "threshold": settings.threshold, "alpha": settings.alpha,
        **dataclasses.asdict(plan), "grid": " ".join(both_sides.grid_of(arguments)),
        "machine": dataclasses.asdict(machine_of(environments[0])), "environment": environments[0].json,
        "points": [{"id": identity, "point": gate_point.point.to_json()} for identity, gate_point in points.items()]}
    loaded = {side.name: environment.shared_objects for side, environment in zip((old, new), environments)}
    return GateRun(header, settings, plan, points, {identity: [] for identity in points}), loaded
