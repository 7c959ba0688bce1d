"""bench.sh plan hosts=12 drives=24x20T [KEY=VALUES ...]: recommends an erasure code profile for a pool. Also prints
the durability, the rebuild times and the CPU cores for coding of all profiles that fit the cluster. Exit code 0; 1 for bad input,
or if a point could not be measured; 2 if a code returned wrong bytes; 130, 143, 129 or 131 after SIGINT, SIGTERM, SIGHUP or
SIGQUIT."""

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence

from ecbench.ceph.placement import Crushtool
from ecbench.documents.document import Json, schema_of, to_json
from ecbench.experiment import running
from ecbench.experiment.experiment import NO_QUESTION, Experiment
from ecbench.installation.places import BUILD, PROGRAM, given, with_charts
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.resume import Asked, Mode
from ecbench.page.html import PageFile
from ecbench.plan.profiles import Counted, Measured, Speeds, clay_note, gather, points_of
from ecbench.plan.recommendation import failure_notes, folded
from ecbench.plan.request import AXES, Request, read_request
from ecbench.plan.result import SHOWN, WIDTH, Result, interesting, page_of, result_of, short_table, tables
from ecbench.point.point import Planned, bytes_text, option_text
from ecbench.process.process import Child, run_to_the_end
from ecbench.runfile.header import Options, paths_of
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.summary import Marks, summarize
from ecbench.terminal.arguments import Parser, seconds
from ecbench.terminal.console import Refused, WrongBytes, aligned, say

ROUNDS, MIN_TIME, SECONDS_FOR_A_PROCESS = 3, 0.05, 300
EXPERIMENT = Experiment(question=NO_QUESTION)
LINES = 40  # of the output without --verbose

EXAMPLES = """\
bench.sh plan hosts=12 drives=24x20T
bench.sh plan hosts=12 drives=24x20T net=100G space=1.5 --counts-only"""

DESCRIPTION = """Recommends an erasure code profile for a Ceph cluster, says what happens if drives and hosts fail, and prints
Ceph's commands. Tests the CRUSH rule if crushtool is installed (Debian: ceph-base). Measures coding speeds. docs/plan.md describes
the model."""

WORDS = """words:
  hosts=12 drives=24x20T  hosts, drives in each host, and bytes of each drive
  failure-domain=host     host, rack, zone or osd; with rack or zone, also racks=N or zones=N
  k=4..10 m=2,3,4         data and coding chunks (default: these; few hosts: also k=2,3, m=5,6)
  plugin=isa,lrc l=3 c=2  isa, jerasure, lrc, shec, clay (default: the release's except jerasure); l: lrc, c: shec
  object=4M stripe-unit=16K  bytes of an object, and of a chunk in a stripe (default 4M; 16K, or 4K before tentacle)
  release=tentacle        Ceph's release, from quincy to vampire (default tentacle)
  net=25G cores=24        bits per second of a host's network; cores for a rebuild (default: 25G, one per drive)
  drive-type=hdd max-backfills=1  hdd, ssd, nvme: defaults of drive-rate= (200M, 500M, 3G) and drive-seek= (8ms, 10us, 2us)
  recovery-share=30% afr=1.4% uer=1e-15 deep-scrub=7d  share of drive-rate for a rebuild; failures per year; unreadable bits; scrubs
  device-class=hdd        class of these drives, if the hosts have others too (default: all drives are equal)
  csum-block=4K min-alloc=4K write-rate=10G  blocks of BlueStore; bytes that all clients write per second
  space=1.5 nines=11      most stored bytes per byte; nines of an object per year to reach
K, M, G and T are powers of 1000, but of 1024 in sizes of objects and blocks."""


def add_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--format", choices=("table", "json"), default="table",
        help="table (default), or json: a document; --schema prints its schema")
    add("--page", metavar="FILE", help="the HTML page (default: next to the run file)")
    add("--min-time", type=seconds, default=MIN_TIME, metavar="SECONDS",
        help=f"duration of the samples of a measurement (default {MIN_TIME})")
    add("--runs", action="append", default=[], metavar="FILE",
        help="do not measure; use the speeds in this run file or directory; may be repeated")
    add("--counts-only", action="store_true", help="do not measure: no speeds and no numbers of cores")


def needs(words: list[str]) -> list[str]:
    found = with_charts(words, "--page")
    has_program = given(words, "--runs") and PROGRAM.exists()  # only counts with it, whatever its version
    return [need for need in found if need != BUILD or not has_program]


def check(arguments: argparse.Namespace) -> Request:
    """Throws Refused."""
    if arguments.runs and arguments.counts_only:
        raise Refused("--runs and --counts-only are not allowed together; give one of them")
    if arguments.output and (arguments.runs or arguments.counts_only):
        raise Refused("--output is not allowed with --runs or --counts-only, which measure nothing; leave out --output")
    return read_request(arguments.words)


MODE = Mode("plan", EXAMPLES, DESCRIPTION, WORDS, AXES, check, add_options, str(ROUNDS), also=("format", "page"),
            verbose="print all profiles, tables, assumptions and warnings")
read_arguments = MODE.check


def schema() -> Json:
    return schema_of(Result, "The plan for a Ceph cluster", "The output of bench.sh plan --format json.")


def plan(child: Child) -> int:
    asked = MODE.ask(sys.argv[1:], child)
    arguments, request = asked.arguments, check(asked.arguments)
    file = PageFile(MODE.name, arguments.page)
    file.path(asked.run.path if asked.run else None)
    of_files = Measured([read_run(path) for path in paths_of(arguments.runs)])
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    counted, dropped = gather(request, ecbench)
    if arguments.verbose:
        for reason in dropped:
            say(reason)
    crushtool = Crushtool(child)

    def show(run: Run | None = None) -> None:
        if run and run.wrong_bytes():
            return  # measure() throws WrongBytes
        source = Measured([run]) if run else of_files
        found = {one.name: source.speeds(one, request) for one in counted}
        is_marked = any(one.marked for one in found.values())
        notes = [notes_of(source, found, request, run),
                 *dict.fromkeys(filter(None, (Marks(one).note(is_marked) for one in source.runs)))]
        result = result_of(request, counted, dropped, found, notes,
                           lambda one: failure_notes(one, request, None if child.signal else crushtool),
                           lambda one: [] if child.signal else clay_note(counted, one, request, ecbench))
        if arguments.format == "json":
            print(json.dumps(to_json(result), indent=1, allow_nan=False))
        else:
            print(*lines(result, arguments.verbose), sep="\n")
        path = file.write(run.path if run else None, lambda: page_of(result))
        places = [*([f"run: {run.path}"] if run else []), *([f"page: {path}"] if path else [])]
        if places:
            say("; ".join(places))

    show(None if arguments.runs or arguments.counts_only else
         measure(interesting(counted, request), request, asked, ecbench, show))
    return 0


def measure(chosen: Sequence[Counted], request: Request, asked: Asked, ecbench: Ecbench, show: Callable[[Run], object]) -> Run:
    """Throws WrongBytes, and Refused if a point has no figure, because the recommendation depends on the speeds of all these
    profiles. `show` prints the plan of a run that ends early."""
    wanted = {name: point for one in chosen for name, point in points_of(one, request).items()}
    options = Options(asked.arguments.min_time, SECONDS_FOR_A_PROCESS, limit=False)
    run = running.measure(asked, ecbench, EXPERIMENT, [Planned(point, name=name) for name, point in wanted.items()], MODE.name,
                          options, asked.arguments.rounds or ROUNDS, show=show)
    found = {one.id: one for one in summarize(run)}
    for name, point in wanted.items():
        if found[point.id].has_wrong_bytes:
            raise WrongBytes(f"WRONG BYTES: {name}; see {run.path}")
    if failed := [name for name, point in wanted.items() if not found[point.id].gb_per_s]:
        raise Refused(f"no profile can be recommended, because {len(failed)} of {len(wanted)} points have no figure, for example "
                      f"{failed[0]}: remove the cause of the failures in {run.path}, leave out the plugin, or give --counts-only")
    return run


def notes_of(source: Measured, found: dict[str, Speeds], request: Request, run: Run | None) -> str:
    """`run`: if the speeds were measured now."""
    if run:
        left = len(run.points.keys() - run.rows.keys())
        return (f"speeds: {run.header.machine.cpu}, one core, {bytes_text(request.objects[0])} objects, cold; medians of at most "
                f"{run.header.repetitions} interleaved rounds"
                + (f"; {left} of {len(run.points)} points are not measured yet, so the plan may change" if left else ""))
    if not source.runs:
        return "speeds: none were measured (--counts-only)"
    machines = list(dict.fromkeys(run.header.machine.cpu for run in source.runs))
    if not any(one.encode or one.repair for one in found.values()):
        return "speeds: not known, because the run files contain no row of these profiles"
    conditions = "; ".join(f"{bytes_text(size)} objects, {option_text('stripe_unit', unit)}, {cache}"
                           for size, unit, cache in sorted(source.conditions, key=str))
    return (f"speeds: one core, from {', '.join(run.path.name for run in source.runs)} ({', '.join(machines)}). They "
            f"were measured with: {conditions}")


def lines(result: Result, is_verbose: bool) -> list[str]:
    """Without `is_verbose`, shows fewer assumptions and profiles until LINES are enough."""
    for fewer in range(LINES):
        printed = list(lines_with(result, is_verbose, fewer))
        if is_verbose or len(printed) <= LINES:
            break
    return printed


def lines_with(result: Result, is_verbose: bool, fewer: int) -> Iterator[str]:
    best = result.recommendation
    yield from wrapped(best.sentence)
    for note in [*best.notes, " ".join(best.changes), *(best.details if is_verbose else [])]:
        yield from wrapped(f"- {note}" if note else "", "  ")
    yield ""
    for command in best.commands:
        yield from textwrap.indent(folded(command), "    ").splitlines()
    for one in tables(result) if is_verbose else [short_table(result, max(0, fewer - SHOWN + 1))]:
        yield from ("", *([one.title] if one.title else []), *aligned(one.lines, left=2), *wrapped(one.explanation))
    yield ""
    if is_verbose:
        yield "Assumptions, and the arguments that change them:"
        for note in [*map(str, result.assumptions), *result.speeds]:
            yield from wrapped(f"- {note}", "  ")
        yield ""
    yield f"Nines if drives fail independently, with other assumptions{'' if is_verbose else ' (more: --verbose)'}:"
    for change in result.sensitivity[:None if is_verbose else max(1, SHOWN - fewer)]:
        yield from wrapped(f"- {change.text(best.profile)}", "  ")


def wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def main() -> int:
    return run_to_the_end(plan, "interrupted before the plan was complete; repeat the command")
