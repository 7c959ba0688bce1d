"""bench.sh contenders: compares the erasure code libraries of Ceph and of other storage systems. Interleaved rounds show which
library is the fastest in each case, by which factor, and with which confidence. Exit codes: 0 success; 1 for bad input, or if
nothing can be measured; 2 if a code returned wrong bytes; 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP, 131 after
SIGQUIT."""

import argparse
import contextlib
import pathlib
import sys
import textwrap
from collections.abc import Callable, Iterator

from ecbench.contenders import candidates, cases, json_lines, libraries, qualification, run, tables
from ecbench.contenders.page import PageFile
from ecbench.contenders.results import Results
from ecbench.contenders.versions import version_lines
from ecbench.installation.places import how_to_install_charts
from ecbench.measure import resume, rounds, start
from ecbench.measure.cpus import quiet_cpus
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.lock import MachineLock
from ecbench.measure.session import Session, by_ecbench
from ecbench.point.axes import Language, read_axes, split
from ecbench.process.children import Child
from ecbench.process.end import UNEXPECTED, run_to_the_end
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.short_row import shortened
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, WrongBytes, plain, say

ROUNDS, MIN_TIME = 8, 0.05

DESCRIPTION = """Compares the erasure code libraries that storage systems use: ISA-L, jerasure's Reed-Solomon and bit-matrix
codes, and libraries in Go and Rust. `make contenders` builds the plugins for the libraries in Go and Rust. A case is one workload
with one k+m, one object size and one cache state. In each round, the libraries of a case are measured one after another, in
random order. bench.sh report and bench.sh compare can read the run file. An HTML page of the run is written to the directory of the
run file. Without arguments, the measurements take about an hour."""

NAMES = textwrap.fill(", ".join(libraries.AXES["library"].words), 132, initial_indent=" " * 30, subsequent_indent=" " * 30,
                      break_on_hyphens=False)

WORDS = f"""words:
  k=6,8 m=2,4                 k+m (default 2+1, 4+2, 6+2, 8+4 and 10+4). If only k or only m is given, the default combinations
                              with this k or this m are measured
  size=4K,1M                  bytes of the object (default 4K,128K,1M,4M)
  cache=warm,cold             warm: the chunks are in the cache; cold: the chunks are in memory (default both)
  workload=encode,decode,overwrite  (default all)
  erasures=1,2                numbers of lost chunks for decode (default 1,2)
  changed=1,2                 numbers of data chunks that an overwrite changes (default 1)
  library=A,B plugin=A,B      the libraries to compare, or their plugins (default: all libraries that are built).
                              These libraries can be selected:
{NAMES}"""

AXES = {**cases.AXES, **libraries.AXES}
ALSO = ("format",)  # allowed with --resume


def make_parser() -> Parser:
    parser = Parser(mode="contenders", description=DESCRIPTION, epilog=WORDS, axes=AXES)
    add = parser.add_argument
    add("words", nargs="*", metavar="KEY=VALUES")
    add("--isal", action="append", default=[], metavar="DIR",
        help="also measure plugin isa with the libisal.so.2 in DIR. The tables get one more column, whose title contains the "
             "version of this libisal. The option may be repeated")
    add("--format", choices=("table", "json"), default="table", help="table (default), or json: one line per case")
    rounds.add_arguments(parser, rounds=ROUNDS, min_time=MIN_TIME)
    return parser


def read_arguments(words: list[str]) -> None:
    """Checks the arguments. Throws Refused for errors that can be found without running ecbench."""
    if arguments := resume.check(run.MODE, words, make_parser(), also=ALSO):
        read_words(arguments)


def read_words(arguments: argparse.Namespace) -> tuple[list[cases.Case], list[libraries.Library]]:
    """Throws Refused."""
    axes = read_axes(split(arguments.words), Language(None, AXES, takes_profiles=False))
    return cases.read_cases(axes), libraries.chosen(axes, arguments.isal)


def candidates_of(arguments: argparse.Namespace, ecbench: Ecbench) -> candidates.Candidates:
    """Returns the candidates of the libraries and cases that the arguments select. Prints what is left out. Throws Refused if an
    argument is not allowed, or if nothing is left to compare."""
    compared, chosen = read_words(arguments)
    if arguments.resume is None:
        run.check_output(arguments.output, arguments.isal, ecbench)
    found = candidates.gather(ecbench, chosen, compared)
    for line in found.left_out:
        say(line)
    return found


def measure(asked: resume.Asked, child: Child) -> Run:
    """Begins or resumes a run, measures its points, and returns the finished run."""
    ecbench = Ecbench(find_program(asked.arguments.ecbench), child)
    found = candidates_of(asked.arguments, ecbench) if asked.run is None or not asked.run.header["points"] else None
    with MachineLock():
        if asked.run:
            run.check_libraries(ecbench, asked.run)
            writer, begun = start.go_on(asked.run.path, ecbench.environment())
        elif found:
            writer, begun = run.begin(asked, found, ecbench.environment(["--cpu", str(quiet_cpus(1)[0])]))
        for trouble in begun.header["environment"]["unfit"]:
            say(trouble)
        with Session(begun, writer, by_ecbench(ecbench, begun, shortened)) as session:
            if found:
                plan(session, begun, found, ecbench, asked.arguments)
            session.measure_planned()
            session.end()
    return read_run(writer.path)


def plan(session: Session, begun: Run, found: candidates.Candidates, ecbench: Ecbench, arguments: argparse.Namespace) -> None:
    """For each case, picks one candidate of each library. Plans the points of these candidates and of the memory limits. Throws
    Refused and WrongBytes."""
    limits = candidates.limits(ecbench, (candidate.case for candidate in found.all))
    run.print_estimate(found, limits, arguments)
    choice = qualification.choose(session, found, begun.header["seed"])
    if not choice.candidates:
        raise (WrongBytes if choice.wrong else Refused)(f"no candidate could be measured; see {begun.path}")
    session.plan([one.entry() for one in [*choice.candidates, *limits]], tried=choice.tried, wrong_candidates=choice.wrong)


def table_lines(results: Results) -> Iterator[str]:
    """Yields the lines of the output: the versions and kernels of the libraries, the tables, what was left out, and notes."""
    yield "what was measured"
    for title, text in version_lines(results.run, results.entries):
        yield f"  {title}: {text}"
    yield from ("", *tables.lines(results))
    yield from (f"  {line}" for line in (*results.run.header.get("left_out", []), *results.run.notes))


def contenders(child: Child) -> int:
    """Measures, prints the results, and writes the page. Measures nothing if the run to resume is finished. Returns the exit
    code."""
    asked = resume.read(run.MODE, sys.argv[1:], make_parser(), child, also=ALSO)
    if asked.run:
        PageFile(asked.run.path).check()
    lines = json_lines.lines if asked.arguments.format == "json" else table_lines
    if asked.run is None:
        return present(measure(asked, child), lines)
    with refuse_other_runs(asked.run.path):
        # A finished run can be printed on any machine, because this does not need the program ecbench.
        return present(asked.run if asked.run.finished else measure(asked, child), lines)


@contextlib.contextmanager
def refuse_other_runs(path: pathlib.Path) -> Iterator[None]:
    """Converts unexpected errors of the `with` block to Refused. Such an error occurs if the header or a row of the run lacks data
    that bench.sh contenders writes."""
    try:
        yield
    except UNEXPECTED as error:
        raise Refused(f"{path} lacks data that every run of the mode contenders has ({type(error).__name__}: {error})") from error


def present(measured: Run, lines: Callable[[Results], Iterator[str]]) -> int:
    results = Results(measured)
    if not results.cases:
        raise (WrongBytes if results.wrong_bytes else Refused)(f"{measured.path} has no figure: every measurement failed")
    for line in list(lines(results)):
        print(plain(line))
    page = PageFile(measured.path).write(results)
    if results.wrong_bytes:
        say(f"WRONG BYTES in {results.wrong_bytes} measurements: a code does not return the object")
        for line in results.wrong_bytes_lines():
            say(line)
    say(f"run: {measured.path}; " + (f"page: {page}" if page else "no page, because matplotlib or jinja2 is not "
                                     f"installed: {how_to_install_charts()}"))
    return 2 if results.wrong_bytes else 0


def main() -> int:
    return run_to_the_end(contenders, "interrupted: the rounds are not complete, so no table is printed")
