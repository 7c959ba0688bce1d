"""bench.sh contenders: the codes that stores use, Ceph's and others', in one interleaved table: who is fastest where, by how much,
and how sure that is.

Exit code 0; 1 for bad input, or if nothing can be measured; 2 if a code gave back wrong bytes; 130, 143, 129 or 131 if SIGINT,
SIGTERM, SIGHUP or SIGQUIT ends it."""

import contextlib
import sys

from ecbench.contenders import cases, contestants, field, json_lines, order, qualifying, running, tables
from ecbench.contenders.naming import version_lines
from ecbench.contenders.page_file import PageFile
from ecbench.contenders.results import Results
from ecbench.measure import resume, rounds, start
from ecbench.measure.cpus import quiet_cpus
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.lock import MachineLock
from ecbench.measure.session import Session, by_ecbench
from ecbench.point.axes import Language, read_axes, split
from ecbench.process.end import UNEXPECTED, run_to_the_end
from ecbench.runfile.run_file import read_run
from ecbench.runfile.short_row import shortened
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, plain, say

ROUNDS, MIN_TIME = 8, 0.05

DESCRIPTION = """Races the erasure codes that stores use: ISA-L, jerasure's Reed-Solomon and its bit matrix codes, and what make
contenders builds of other languages. Each case is a kind of work on an object of one size; its contestants are measured next to
each other, in rounds, in an order drawn anew. The run is a file under results/ that bench.sh report and compare read, its page lies
beside it. All of the default's cases take about 40 minutes."""


WORDS = f"""words:
  k=6,8 m=2,4                 the shapes (default 2+1, 4+2, 6+2, 8+4 and 10+4; k or m only: those of these that have it)
  size=4K,1M                  bytes of the object (default 4K,128K,1M,4M)
  cache=warm,cold             where the chunks are (default both)
  workload=encode,decode      (default both)
  erasures=1,2                chunks that decode has lost (default 1,2)
  library=A,B plugin=A,B      what is compared, of {', '.join(contestants.AXES["library"].words)}
                              (default all that are built)"""

AXES = {**cases.AXES, **contestants.AXES}
ALSO = ("format",)  # may be given with --resume


class WrongBytes(Exception):
    """Nothing is left to tell but that codes gave back wrong bytes."""


def make_parser():
    parser = Parser(prog="bench.sh contenders", description=DESCRIPTION, epilog=WORDS, axes=AXES)
    add = parser.add_argument
    add("words", nargs="*", metavar="KEY=VALUES")
    add("--isal", action="append", default=[], metavar="DIR",
        help="also plugin isa with the libisal.so.2 in DIR, a column by its version; may be given again")
    add("--format", choices=("table", "json"), default="table", help="table (default), or json: a line for each case")
    rounds.add_arguments(parser, rounds=ROUNDS, min_time=MIN_TIME)
    return parser


def read_arguments(words):
    """Throws Refused for what can be told without the program."""
    if arguments := resume.check(running.MODE, words, make_parser(), also=ALSO):
        read_words(arguments)


def read_words(arguments):
    """The cases, and the contestants. Throws Refused."""
    axes = read_axes(split(arguments.words), Language(None, AXES, takes_profiles=False))
    return cases.read_cases(axes), contestants.chosen(axes, arguments.isal)


def field_of(arguments, ecbench):
    """Throws Refused for what cannot be compared."""
    compared, competing = read_words(arguments)
    if arguments.resume is None:
        running.check_output(arguments.output, arguments.isal, ecbench)
    found = field.gather(ecbench, competing, compared)
    for line in found.left_out:
        say(line)
    return found


def measure(asked, child):
    """The finished run."""
    arguments = asked.arguments
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    found = None if asked.run and asked.run.header["points"] else field_of(arguments, ecbench)
    with MachineLock(running.MODE):
        if asked.run:
            running.check_libraries(ecbench, asked.run)
            writer, run = start.go_on(asked.run.path, ecbench.environment())
        else:
            writer, run = running.begin(asked, found, ecbench.environment(["--cpu", str(quiet_cpus(1)[0])]))
        for trouble in run.header["environment"]["unfit"]:
            say(trouble)
        with Session(run, writer, by_ecbench(ecbench, run, shortened)) as session:
            if not run.header["points"]:
                plan(session, run, found, ecbench, arguments)
            session.measure_planned()
            session.end()
    return read_run(writer.path)


def plan(session, run, found, ecbench, arguments):
    """Chooses among the candidates. Throws Refused and WrongBytes."""
    yardsticks = field.limits(ecbench, list(dict.fromkeys(entry.case for entry in found.entries)))
    running.tell_estimate(found, yardsticks, arguments)
    choice = qualifying.qualify(session, found, run.header["seed"])
    if not choice.entries:
        raise (WrongBytes if choice.wrong else Refused)(f"no candidate could be measured; {run.path} says why")
    session.plan([entry.header() for entry in [*choice.entries, *yardsticks]], tried=choice.tried, wrong_candidates=choice.wrong)


def table_lines(results):
    yield from tables.lines(results)
    for block in (tables.call_lines(results), list(order.lines(results))):
        if block:
            yield from ("", *block)
    yield from ("", "what ran")
    for name, text in version_lines(results.run):
        yield f"  {name}: {text}"
    for line in (*results.run.header.get("left_out", []), *results.run.notes):
        yield f"  {line}"


def contenders(child):
    """Prints and draws all; returns the exit code."""
    asked = resume.read(running.MODE, sys.argv[1:], make_parser(), child, also=ALSO)
    if asked.run:
        PageFile(asked.run.path).check()
    lines = json_lines.lines if asked.arguments.format == "json" else table_lines
    try:
        if asked.run is None:
            return present(Results(measure(asked, child)), lines)
        with as_contest(asked.run.path):
            # A finished run needs no program, and no machine of its own.
            return present(Results(asked.run if asked.run.finished else measure(asked, child)), lines)
    except WrongBytes as error:
        say(error)
        return 2


@contextlib.contextmanager
def as_contest(path):
    """Its rows and its header have more than those of other runs, which nothing else checks."""
    try:
        yield
    except UNEXPECTED as error:
        raise Refused(f"{path} lacks what a run of bench.sh contenders has ({type(error).__name__}: {error})") from error


def present(results, lines):
    if not results.standings:
        raise (WrongBytes if results.wrong_bytes else Refused)(f"{results.run.path} has no figure: every measurement failed")
    for line in list(lines(results)):
        print(plain(line))
    tell_files(results, PageFile(results.run.path).write(results))
    return 2 if results.wrong_bytes else 0


def tell_files(results, page):
    if results.wrong_bytes:
        say(f"WRONG BYTES in {results.wrong_bytes} measurements: a code does not give back the object")
        for line in results.disqualified():
            say(line)
    say(f"run: {results.run.path}; "
        + (f"page: {page}" if page else "no page, which needs matplotlib: scripts/install-deps.sh report"))


def main():
    return run_to_the_end(contenders, "interrupted: no table is printed of rounds that are not over")
