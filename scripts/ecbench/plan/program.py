"""bench.sh plan hosts=12 drives=24x20T [KEY=VALUES ...]: recommends an erasure code profile for a pool. Also prints
the durability, the rebuild times and the CPU cores for coding of all profiles that fit the cluster. Exit code 0; 1 for bad input; 2
if a code returned wrong bytes; 130, 143, 129 or 131 after SIGINT, SIGTERM, SIGHUP or SIGQUIT."""

import argparse
import sys
import textwrap
from collections.abc import Iterator

from ecbench.charts.page_file import PageFile
from ecbench.measure import resume, rounds
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.plan import json_document, page, speeds
from ecbench.plan.profiles import Counted, gather
from ecbench.plan.request import AXES, Request, read_request
from ecbench.plan.result import Result, front_of, result_of
from ecbench.plan.tables import Table, tables
from ecbench.point.expansion import report_dropped
from ecbench.point.point import bytes_text
from ecbench.point.wording import option_text
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.figures import figures_of
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import MARKED
from ecbench.terminal.arguments import Parser
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say

MODE = "plan"
ROUNDS, MIN_TIME = 3, 0.05
ALSO = ("format", "page")  # may be given with --resume
WIDTH = 120
MOST_LINES = 20  # if there are more profiles than this, only the first table has all of them (tables() in tables.py)

DESCRIPTION = """Compares erasure code profiles for a Ceph cluster: stored bytes, durability, the time to rebuild a drive and a
host, the bottleneck of the rebuild, and the CPU cores for coding. Recommends one profile, and prints Ceph's commands that create
a pool with this profile. ecbench counts the losses that a code can recover, and the bytes that a repair reads. It measures speeds
only for profiles on the Pareto front (space, durability, network traffic). All assumptions are printed. docs/plan.md describes
the model."""

WORDS = """words:
  hosts=12                    number of hosts; each chunk of an object is on a different host
  drives=24x20T               number of drives in each host, and size of each drive in bytes: here 24 drives of 20 TB
  k=4..10 m=2,3,4             numbers of data and coding chunks (default: these values)
  plugin=isa,lrc              isa, jerasure, lrc, shec, clay (default: those that the release can load, except jerasure)
  l=3 c=2                     parameters of lrc and shec (default: every possible l, and c=m-1)
  object=4M,64K               bytes of an object (default 4M)
  stripe-unit=4K,16K,64K      bytes of a chunk in a stripe (default 16K, or 4K for releases without allow_ec_optimizations)
  release=tentacle            Ceph's release: quincy, reef, squid, tentacle, umbrella or vampire (default tentacle)
  net=25G                     bits per second of each host's network (default 25G)
  drive-rate=200M             bytes per second of a drive (default 200M)
  recovery-share=30%          share of the drives' rate that a rebuild may use (default 30%)
  afr=1.4%                    annual failure rate of the drives (default 1.4%)
  write-rate=10G              rate at which all clients together write objects, in bytes per second (default 10G)
  cores=24                    cores of each host that a rebuild may use for coding (default: one per drive of the host)
  space=1.5                   upper limit for the bytes stored per byte of the object (default: no limit)
  nines=11                    durability that the recommended profile should reach, in nines: -log10 of the probability that an
                              object is lost in a year (default 11)
In drives=, net=, drive-rate= and write-rate=, K, M, G and T are 10^3, 10^6, 10^9 and 10^12. In object= and stripe-unit=, K and M
are 1024 and 1024^2.
If object= or stripe-unit= has several values, an additional table shows the stored bytes for each value. The other tables are for
the first object size and the first stripe unit."""


def make_parser() -> Parser:
    parser = Parser(mode="plan", description=DESCRIPTION, epilog=WORDS, axes=AXES)
    add = parser.add_argument
    add("words", nargs="*", metavar="KEY=VALUES")
    add("--runs", action="append", default=[], metavar="FILE",
        help="do not measure; use the speeds in the run file FILE. FILE can also be a directory; then all its run files are used. "
             "The option may be repeated. If several machines measured the same point, the lowest speed is used")
    add("--counts-only", action="store_true", help="do not measure. The tables then contain no speeds and no numbers of cores, and "
        "the rebuild times do not depend on the CPU")
    add("--format", choices=("table", "json"), default="table", help="table (default), or json: a document as in plan.schema.json")
    add("--page", metavar="FILE", help="write the HTML page to FILE (default: next to the run file)")
    rounds.add_arguments(parser, rounds=ROUNDS, min_time=MIN_TIME)
    return parser


def read_arguments(words: list[str]) -> None:
    """Throws Refused if the arguments are not allowed. Checks only arguments that can be checked without ecbench."""
    if arguments := resume.check(MODE, words, make_parser(), also=ALSO):
        check(arguments)


def check(arguments: argparse.Namespace) -> Request:
    """Throws Refused if options cannot be used together, or if a word is not allowed."""
    if arguments.runs and arguments.counts_only:
        raise Refused("--runs and --counts-only are not allowed together; give one of them")
    if arguments.output and (arguments.runs or arguments.counts_only):
        raise Refused("--output is not allowed with --runs or --counts-only, which measure nothing; leave out --output")
    return read_request(arguments.words)


def plan(child: Child) -> int:
    asked = resume.read(MODE, sys.argv[1:], make_parser(), child, also=ALSO)
    arguments, request = asked.arguments, check(asked.arguments)
    file = PageFile(MODE, arguments.page, asked.run.path if asked.run else None)
    file.check()
    stored = speeds.Stored(arguments.runs) if arguments.runs else None
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    counted, dropped = gather(request, ecbench)
    report_dropped(dropped)
    run: Run | None = None
    wrong: list[str] = []
    found: dict[str, speeds.Speeds] = {}
    notes = ["speeds: none were measured (--counts-only)"]
    if stored:
        found = {one.profile.name: stored.speeds(one, request) for one in counted}
        notes = notes_of(stored, found)
    elif not arguments.counts_only:
        chosen = front_of(counted, request)
        run, found, wrong = measure(chosen, request, asked, ecbench)
        notes = [f"speeds: {run.header['machine']['cpu']}, one core, {bytes_text(request.objects[0])} objects, cold; medians of "
                 f"{run.header['repetitions']} interleaved rounds"]
    if any(one.marked for one in found.values()):
        notes.append(MARKED)
    result = result_of(request, counted, dropped, found, notes)
    if arguments.format == "json":
        print(json_document.text(result))
    else:
        for line in lines(result):
            print(line)
    path = file.write(run.path if run else None, lambda: page.text_of(result))
    places = [*([f"run: {run.path}"] if run else []), *([f"page: {path}"] if path else [])]
    if places:
        say("; ".join(places))
    return 2 if wrong else 0


def measure(chosen: list[Counted], request: Request, asked: resume.Asked,
            ecbench: Ecbench) -> tuple[Run, dict[str, speeds.Speeds], list[str]]:
    """Returns the run, the speeds of each profile (key: name of the profile), and the points that returned wrong bytes."""
    wanted = speeds.points(chosen, request)
    run = rounds.measure(MODE, asked, ecbench, wanted)
    figures = figures_of(run, wanted)
    return run, {one.profile.name: speeds.measured(one.profile, figures) for one in chosen}, figures.wrong


def notes_of(stored: speeds.Stored, found: dict[str, speeds.Speeds]) -> list[str]:
    """One line: the run files and machines whose speeds are used, and the size, stripe unit and cache state of these speeds."""
    machines = list(dict.fromkeys(run.header["machine"]["cpu"] for run in stored.runs))
    if not any(one.encode or one.repair for one in found.values()):
        return ["speeds: not known, because the run files contain no row of these profiles"]
    conditions = "; ".join(f"{bytes_text(size)} objects, {option_text('stripe_unit', unit)}, {cache}"
                           for size, unit, cache in sorted(stored.conditions, key=str))
    return [f"speeds: one core, from {', '.join(run.path.name for run in stored.runs)} ({', '.join(machines)}). They "
            f"were measured with: {conditions}"]


def lines(result: Result) -> Iterator[str]:
    yield from wrapped(result.recommendation.sentence)
    for change in result.recommendation.changes:
        yield from wrapped(f"- {change}", "  ")
    yield ""
    yield from (f"    {command}" for command in result.commands)
    for one in tables(result, MOST_LINES):
        yield ""
        yield from table_lines(one)
    if len(result.outcomes) > MOST_LINES:
        yield from ("", "Only the first table has all profiles. The other tables have only the profiles with *.",
                    "--format json and the page contain all values of all profiles.")
    yield ""
    yield "Assumptions, and the arguments that change them"
    for text, words in result.request.assumptions():
        yield from wrapped(f"- {text}{f' ({words})' if words else ''}", "  ")
    for note in result.speed_notes:
        yield from wrapped(f"- {note}", "  ")


def table_lines(table: Table) -> Iterator[str]:
    yield table.title
    for line in aligned(table.lines, left=2):
        yield f"  {line}"
    yield from wrapped(table.explanation)


def wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def main() -> int:
    return run_to_the_end(plan, "interrupted before the first point")
