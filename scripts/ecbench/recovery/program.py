"""bench.sh recovery: prints how many chunks a code reads and sends to repair a lost chunk, and the speed of repair. The tables are
for the k+m of the article "Erasure Code in Ceph: costs and benefits", or for the given k and m. Exit code 0; 1 for bad input; 2 if
a code returned wrong bytes; 130, 143, 129 or 131 after SIGINT, SIGTERM, SIGHUP or SIGQUIT."""

import itertools
import re
import sys
import textwrap
from collections.abc import Sequence

from ecbench.measure import resume, rounds
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.point.point import bytes_text
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.recovery import codes, local
from ecbench.recovery.codes import Code
from ecbench.recovery.counted import Counter
from ecbench.recovery.request import AXES, Request, read_request
from ecbench.recovery.tables import Lines, Tables
from ecbench.runfile.figures import Figures, figures_of
from ecbench.runfile.summary import MARKED
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.arguments import Parser
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say

MODE = "recovery"

DESCRIPTION = """Prints how many chunks are read and sent to repair one lost chunk with Reed-Solomon, CLAY, SHEC and LRC. The
numbers are counted from the read sets that each code requests (ecbench --show-reads). The last columns have the measured speed of
repair, in GB/s of the object (Ceph calls this recovery speed); each chunk is lost in turn. Without k and m, the tables are those of
the article "Erasure Code in Ceph: costs and benefits", and each count is compared with the article's."""

WORDS = """words:
  k=8,10 m=3                  k+m (default: all k+m of the article; if only k or only m is given: those that have this k or m)
  c=2 l=4                     parameters of SHEC and LRC (default: every c below m, and every possible l)
  size=4M                     bytes of the object (default 4M, as in Ceph)
  cache=cold,warm             cold: the chunks that a repair reads are in memory, as if they came from the network; warm: they are
                              in the cache (default cold)
  backend=isa                 the plugin whose kernels all codes use (default isa; the article used jerasure)
Each combination of size and cache has its own tables."""

BEFORE_CLAY = """RS and CLAY (d=k+m-1): chunks read from drives and sent over the network to repair a lost chunk. The primary OSD
reads its own chunk locally, receives the other chunks, and sends the rebuilt chunk."""
BEFORE_SHEC = """SHEC (technique=single): overhead is chunks read / k, the mean over all losses of 1 and of 2 chunks that can be
recovered. c=ml/k estimates the durability: any floor(c) lost chunks can be decoded. Column `N lost` has the share of the patterns
of N lost chunks that can be decoded. In Ceph, c must be a whole number. For any other c, ecbench uses its own parameter l."""
BEFORE_LRC = "LRC: chunks read and sent to repair a lost chunk; space factor is n/k. RS is Reed-Solomon with k+m chunks."


def make_parser() -> Parser:
    parser = Parser(mode="recovery", description=DESCRIPTION, epilog=WORDS, axes=AXES)
    parser.add_argument("words", nargs="*", metavar="KEY=VALUES")
    parser.add_argument("--counts-only", action="store_true", help="print only the counted figures; measure no speeds")
    rounds.add_arguments(parser)
    return parser


def read_arguments(words: list[str]) -> None:
    """Checks the arguments without running ecbench. Throws Refused."""
    if arguments := resume.check(MODE, words, make_parser()):
        read_request(arguments.words)


def codes_to_measure(request: Request, counter: Counter, lrc: Sequence[tuple[Code, int, int]]) -> list[Code]:
    """The codes that ecbench does not refuse, without duplicates."""
    backend = request.backend
    found = [code for k, m in request.shapes for code in (codes.reed_solomon(k, m, backend), codes.clay(k, m, backend))]
    found += [code for shape in request.shec for code in (codes.reed_solomon(shape.k, shape.m, backend), shape.code(backend))]
    found += [each for code, k, m in lrc for each in (codes.reed_solomon(k, m, backend), code)]
    return list(dict.fromkeys(code for code in found if counter.losses(code)))


def report_refusals(request: Request, counter: Counter, reported: set[str]) -> None:
    """Prints the refusals. Reasons that differ only in numbers are printed once. `reported`: codes whose refusal the tables already
    show; they are skipped."""
    reasons: dict[str, tuple[str, list[str]]] = {}
    for name, why in counter.refusals.items():
        if name not in reported:
            reasons.setdefault(re.sub(r"\d+", "N", why), (why, []))[1].append(name)
    for k, m in request.shapes:
        if not any((shape.k, shape.m) == (k, m) for shape in request.shec) and not request.is_article:
            say(f"SHEC {k}+{m} is left out: no c is below m={m}; give c={m} to include it")
    rounds.report_left_out(dict(reasons.values()))


def print_table(title: str, lines: Lines, left: int = 0) -> None:
    print(title)
    for line in aligned(lines, left) if len(lines) > 1 else ():
        print("  " + line)
    print()


def refusal_of(answer: local.Answer) -> str:
    if answer.l is None:
        text = f"k={answer.k} m={answer.m} has no LRC: {answer.why}"
    else:
        near = ", ".join(code.name.removeprefix("LRC ") for code in answer.valid) or "none"
        text = f"k={answer.k} m={answer.m} l={answer.l} is refused: {answer.why}; the nearest valid profiles: {near}"
    return textwrap.fill(text, 120, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def local_codes(request: Request, counter: Counter, answers: Sequence[local.Answer]) -> list[tuple[Code, int, int]]:
    """The valid codes, each with its k and m, without duplicates."""
    found = []
    for answer in answers:
        found += [(code, answer.k, answer.m) for code in answer.valid]
        if request.is_article and (answer.k, answer.m, answer.l) == codes.LRC[0]:
            layered = codes.lrc_844_by_layers(request.backend)
            found += [(layered, answer.k, answer.m)] if counter.losses(layered) else []
    return list(dict.fromkeys(found))


def recovery(child: Child) -> int:
    asked = resume.read(MODE, sys.argv[1:], make_parser(), child)
    arguments, request = asked.arguments, read_request(asked.arguments.words)
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    counter = Counter(ecbench)
    answers = [local.ask(*shape, counter, request.backend) for shape in request.lrc]
    reported = set(counter.refusals) if any(answer.valid for answer in answers) else set()
    lrc = local_codes(request, counter, answers)
    wanted = codes_to_measure(request, counter, lrc)
    if not wanted:
        raise Refused(f"nothing can be counted: {counter.refusals[codes.reed_solomon(*request.shapes[0], request.backend).name]}")
    report_refusals(request, counter, reported)
    conditions = list(itertools.product(request.sizes, request.caches))
    run = None
    found: list[Figures] = []
    if not arguments.counts_only:
        run = rounds.measure(MODE, asked, ecbench, {
            code.name + ("" if len(conditions) == 1 else f" of {bytes_text(size)}, {cache}"): code.repair(size, cache)
            for size, cache in conditions for code in wanted})
        found = [figures_of(run, {code.name: code.repair(*condition) for code in wanted}) for condition in conditions]
    for (size, cache), figures in zip(conditions, found or (None,)):
        condition = f"{bytes_text(size)} objects, {cache}"
        if len(found) > 1:
            print(f"{condition}\n")
        print_tables(request, counter, figures, answers, lrc)
        if figures:
            intervals = ", ratios with 95 % intervals" if arguments.rounds >= FEWEST_VALUES else ""
            print(f"GB/s: 10^9 bytes of the object per second of repair, {condition}, kernels of {request.backend}; medians of "
                  f"{arguments.rounds} interleaved rounds{intervals}")
            print(f"{MARKED}\n" if figures.marked else "")
    if run:
        print(f"run: {run.path}")
    return 2 if any(figures.wrong for figures in found) else 0


def print_tables(request: Request, counter: Counter, figures: Figures | None, answers: Sequence[local.Answer],
                 lrc: Sequence[tuple[Code, int, int]]) -> None:
    tables = Tables(request, counter, figures)
    print_table(BEFORE_CLAY, tables.clay())
    if len(shec := tables.shec()) > 1:
        print_table(BEFORE_SHEC, shec)
    if answers:
        print_table("\n".join([BEFORE_LRC, *(refusal_of(answer) for answer in answers if answer.why)]), tables.lrc(lrc), left=1)
    if request.is_article:
        for unlike in tables.unlike:
            say(unlike)
        agreed = tables.compared - len(tables.unlike)
        print(f"{agreed} of {tables.compared} figures are equal to those of the article, to the digits that the article prints")


def main() -> int:
    return run_to_the_end(recovery, "interrupted before the first point")
