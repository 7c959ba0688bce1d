"""bench.sh contenders: compares the erasure code libraries of Ceph and of other storage systems. Exit codes: 0; 1 for bad input, or
if nothing can be measured; 2 after wrong bytes; 128 + the signal's number."""

import argparse
import contextlib
import functools
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from ecbench.comparison.case import Case, case_of_point
from ecbench.comparison.questions import SELECT
from ecbench.contenders import candidates, cases, document, libraries, qualification, run, tables, ways
from ecbench.contenders.page import file_of, text_of
from ecbench.contenders.results import Results
from ecbench.contenders.versions import version_lines
from ecbench.documents.document import schema_of
from ecbench.installation.needs import BUILD, CHARTS, INSTALL, WAIT, given
from ecbench.measure import resume, rounds, start
from ecbench.measure.cpus import quiet_cpus
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.lock import machine_lock
from ecbench.measure.mode import Mode
from ecbench.measure.session import Session, by_ecbench
from ecbench.point.axes import Language, read_axes, split
from ecbench.point.point import Json
from ecbench.process.children import Child, Interrupted
from ecbench.process.end import UNEXPECTED
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.short_row import shortened
from ecbench.terminal.console import OutOfTime, Refused, WrongBytes, plain, say, warn

EXAMPLES = """\
bench.sh contenders k=8 m=4 size=128K cache=warm
bench.sh contenders library=isa,simd workload=encode --isal ~/isa-l-2.32"""

DESCRIPTION = """Compares the erasure code libraries of storage systems: ISA-L, jerasure, and libraries in Go and Rust (`make
contenders` builds their plugins). In each round, the libraries of a case (workload, k+m, object size, cache state) are measured one
after another, in random order. Writes a page next to the run file. Without arguments, this takes about an hour."""

NAMES = ", ".join(libraries.AXES["library"].words)

WORDS = f"""words:
  k=6,8 m=2,4         k+m (default 2+1, 4+2, 6+2, 8+4 and 10+4; with only k or m: those of them that have it)
  shapes=usual,wide   named k+m; wide: 16+4, 16+8, 16+16, 32+32, 64+64 and 128+64
  size=4K,1M          bytes of the object (default 4K,128K,1M,4M)
  cache=warm,cold     the chunks are in the cache, or in memory (default both)
  workload=encode,decode,overwrite  (default all)
  erasures=1,2        lost chunks of decode (default 1,2)
  changed=1,2         data chunks that an overwrite changes (default 1)
  library=A,B plugin=A,B  the libraries to compare, or their plugins (default: all that are built):
                              {NAMES}"""

AXES = {**cases.AXES, **libraries.AXES}


def needs(words: list[str]) -> list[str]:
    """The plugins for Go and Rust libraries need go and cargo. `make contenders` skips those whose tool is missing."""
    return [] if given(words, "--resume") else [INSTALL, CHARTS, WAIT, BUILD, "try contenders"]


def read_words(arguments: argparse.Namespace) -> tuple[list[Case], list[libraries.Library]]:
    """Throws Refused."""
    axes = read_axes(split(arguments.words), Language(None, AXES, takes_profiles=False))
    return cases.read_cases(axes), libraries.chosen(axes, arguments.isal)


MODE = Mode(run.MODE, SELECT, EXAMPLES, DESCRIPTION, WORDS, AXES, read_words, "a line per case; --schema prints its schema",
            lambda parser: parser.add_argument("--isal", action="append", default=[], metavar="DIR", help="also measure plugin isa "
                                               "with the libisal.so.2 in DIR, in a column of its own; may be repeated"),
            functools.partial(rounds.add_arguments, rounds=8, min_time=0.05))
read_arguments = MODE.check


def schema() -> Json:
    return schema_of(document.Case, "A case of contenders", "A line of the output of bench.sh contenders --format json.")


def candidates_of(arguments: argparse.Namespace, ecbench: Ecbench) -> candidates.Candidates:
    """Prints what is left out. Throws Refused if an argument is not allowed, or if nothing is left to compare."""
    compared, chosen = read_words(arguments)
    if arguments.resume is None:
        run.check_output(arguments.output)
    found = candidates.gather(ecbench, chosen, compared)
    for line in found.left_out:
        say(line)
    return found


def measure(asked: resume.Asked, child: Child) -> Run:
    """Begins or resumes a run."""
    ecbench = Ecbench(find_program(asked.arguments.ecbench), child)
    found = candidates_of(asked.arguments, ecbench) if asked.run is None or not asked.run.header.points else None
    with machine_lock(child, asked.budget):
        if asked.run:
            run.check_libraries(ecbench, asked.run)
            writer, begun = start.go_on(asked.run.path, ecbench.environment())
        elif found:
            writer, begun = run.begin(asked, found, ecbench.environment(["--cpu", str(quiet_cpus(1)[0])]))
        for trouble in begun.header.environment.unfit:
            warn(trouble)
        with Session(begun, writer, by_ecbench(ecbench, begun, shortened, asked.budget), budget=asked.budget) as session:
            if found:
                plan(session, begun, found, ecbench, asked)
            try:
                session.measure_planned()
            except (Interrupted, OutOfTime):
                print_provisional(begun, sys.stderr if asked.arguments.format == "json" else sys.stdout)
                raise
            session.end()
    return read_run(writer.path)


def print_provisional(run: Run, out: TextIO) -> None:
    """Prints the cases in which every library was measured. The marks of a case are verdicts if it has enough rounds."""
    results = Results(run)
    missing = {case_of_point(run.points[entry.id]) for entry in run.header.points
               if entry.id not in run.rows and entry.id not in run.failures}
    total = len(results.cases)
    results.cases = [result for result in results.cases if result.case not in missing]
    if not results.cases:
        return
    rounds = max(one.speed.count for result in results.cases for one in result.libraries.candidates.values())
    print(f"provisional: at most {rounds} of {results.rounds} rounds, {len(results.cases)} of {total} cases", file=out)
    for line in tables.provisional(results, rounds):
        print(plain(line), file=out)
    out.flush()


def plan(session: Session, begun: Run, found: candidates.Candidates, ecbench: Ecbench, asked: resume.Asked) -> None:
    """Plans one candidate of each library and case, the rooflines and simd's ways to encode. Throws Refused and WrongBytes."""
    more = [*candidates.limits(ecbench, (candidate.case for candidate in found.all)), *ways.candidates(ecbench, found)]
    share = run.print_estimate(found, more, asked)
    choice = qualification.choose(session, found, begun.header.seed, share)
    if not choice.candidates:
        raise (WrongBytes if choice.wrong else Refused)(f"no candidate could be measured; see {begun.path}")
    session.plan([one.planned() for one in [*choice.candidates, *more]], tried=choice.tried, wrong_candidates=choice.wrong)


def table_lines(results: Results) -> Iterator[str]:
    yield "what was measured"
    for title, text in version_lines(results.run, results.entries):
        yield f"  {title}: {text}"
    yield from ("", *tables.lines(results))
    for table in ways.tables(results):
        yield from ("", *table.lines())
    yield from ways.crossovers(results)
    yield from (f"  {line}" for line in (*results.run.header.left_out, *results.run.notes))


def contenders(child: Child) -> int:
    """Measures nothing if the run to resume is finished."""
    asked = MODE.ask(child)
    if asked.run:
        file_of(asked.run.path).check()
    lines = document.lines if asked.arguments.format == "json" else table_lines
    if asked.run is None:
        return present(measure(asked, child), lines)
    with refuse_other_runs(asked.run.path):
        # A finished run can be printed on any machine, because this does not need the program ecbench.
        return present(asked.run if asked.run.finished else measure(asked, child), lines)


@contextlib.contextmanager
def refuse_other_runs(path: pathlib.Path) -> Iterator[None]:
    """Unexpected errors become Refused: the header or a row of the run lacks data that this mode writes."""
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
    page = file_of(measured.path).write(measured.path, lambda: text_of(results))
    if results.wrong_bytes:
        say(f"WRONG BYTES in {results.wrong_bytes} measurements: a code does not return the object")
        for line in results.wrong_bytes_lines():
            say(line)
    say(f"run: {measured.path}" + (f"; page: {page}" if page else ""))
    return 2 if results.wrong_bytes else 0


def main() -> int:
    return MODE.run(contenders)
