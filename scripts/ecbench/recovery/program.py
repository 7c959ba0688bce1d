"""bench.sh recovery: what codes read and send to repair a lost chunk, counted from what they ask for, and how fast they repair: the
tables of the article on costs and benefits, or those of other shapes.

Exit code 0; 1 for bad input; 2 if a code gave back wrong bytes; 130, 143, 129 or 131 if SIGINT, SIGTERM, SIGHUP or SIGQUIT ends
it."""

import itertools
import re
import sys
import textwrap

from ecbench.measure import resume, rounds
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.point.point import bytes_text
from ecbench.process.end import run_to_the_end
from ecbench.recovery import codes, local
from ecbench.recovery.counted import Counter
from ecbench.recovery.request import AXES, Request, read_request
from ecbench.recovery.tables import Tables
from ecbench.runfile.figures import figures_of
from ecbench.runfile.summary import MARKED
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.arguments import Parser
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say

MODE = "recovery"

DESCRIPTION = """Prints what repairing one lost chunk reads and sends with Reed-Solomon, CLAY, SHEC and LRC. Each figure is counted
from the read sets that the code itself asks for (ecbench --show-reads). The last columns are the measured speed of repair, each
chunk lost in turn, in GB/s of the object, which Ceph calls recovery speed. Without k and m it prints the tables of the article on
costs and benefits, and compares the counts with it."""

WORDS = """words:
  k=8,10 m=3                  the shapes (default those of the article; k or m only: those of these that have it)
  c=2 l=4                     of SHEC and LRC (default every c below m, and every l that is possible)
  size=4M                     bytes of the object (default 4M, as in Ceph)
  cache=cold,warm             the chunks that a repair reads are in memory, as if they came from the network (cold, default), or in
                              the cache
  backend=isa                 the plugin whose kernels all codes use (default isa; the article has jerasure)
Each combination of size and cache has tables of its own."""

BEFORE_CLAY = """RS and CLAY (d=k+m-1): bytes read and bytes sent to repair a lost chunk, in chunks. The primary reads its own
share where it is, receives the rest, and sends the rebuilt chunk on."""
BEFORE_SHEC = """SHEC (technique=single): overhead is the mean of chunks read / k, over all losses of 1 and of 2 chunks that can be
recovered. c=ml/k is an estimate: any floor(c) lost chunks can be decoded, of more lost ones the share that stands under their
number. Only a whole c is a profile of Ceph; the others are made with l=."""
BEFORE_LRC = "LRC: what repairing a lost chunk reads and sends, in chunks; space factor is n/k. RS has k+m chunks."


def make_parser():
    parser = Parser(prog="bench.sh recovery", description=DESCRIPTION, epilog=WORDS, axes=AXES)
    parser.add_argument("words", nargs="*", metavar="KEY=VALUES")
    parser.add_argument("--counts-only", action="store_true", help="count, and measure nothing")
    rounds.add_arguments(parser)
    return parser


def read_arguments(words):
    """Throws Refused for what can be told without the program."""
    if arguments := resume.check(MODE, words, make_parser()):
        read_request(arguments.words)


def codes_to_measure(request, counter, locals_):
    """Those that exist, each once."""
    backend = request.backend
    pairs = [(codes.reed_solomon(k, m, backend), codes.clay(k, m, backend)) for k, m in request.shapes]
    pairs += [(codes.reed_solomon(shape.k, shape.m, backend), shape.code(backend)) for shape in request.shec]
    pairs += [(codes.reed_solomon(k, m, backend), code) for code, k, m, _ in locals_]
    return dict.fromkeys(code for pair in pairs for code in pair if counter.losses(code) is not None)


def tell_refusals(request, counter, expected):
    """Codes that are refused for one reason are told together."""
    reasons = {}
    for name, why in counter.refusals.items():
        if name not in expected:
            reasons.setdefault(re.sub(r"\d+", "N", why), (why, []))[1].append(name)
    for k, m in request.shapes:
        if not any((shape.k, shape.m) == (k, m) for shape in request.shec) and not request.is_article:
            say(f"SHEC {k}+{m} is left out: there is no c below m={m}")
    for why, names in reasons.values():
        others = f" (and {len(names) - 1} others)" if len(names) > 1 else ""
        say(f"{names[0]}{others} is left out: {why}")


def print_table(title, lines, left=1):
    print(title)
    for line in aligned(lines, left):
        print("  " + line)
    print()


def print_local(answers, tables, sound):
    print(BEFORE_LRC)
    for answer in answers:
        k, m, l = answer.asked
        if answer.why:
            near = ", ".join(code.name.removeprefix("LRC ") for code in answer.sound) or "none"
            text = (f"k={k} m={m} has no LRC: {answer.why}" if l is None else
                    f"k={k} m={m} l={l} is refused: {answer.why}; the nearest that are sound: {near}")
            print(textwrap.fill(text, 120, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))
    for line in aligned(tables.lrc(sound)) if sound else ():
        print("  " + line)
    print()


def local_codes(request, counter, answers):
    """(code, k, m, n) of each that exists, once."""
    found, backend = {}, request.backend
    for answer in answers:
        k, m, _ = answer.asked
        for code in answer.sound:
            found[code] = (code, k, m, local.chunk_count(counter, code))
        if request.is_article and answer.asked == codes.LRC[0]:
            layered = codes.lrc_844_by_layers(backend)
            if counter.losses(layered) is not None:
                found[layered] = (layered, k, m, local.chunk_count(counter, layered))
    return list(found.values())


def tell_agreement(tables):
    for unlike in tables.unlike:
        say(unlike)
    agreed = tables.compared - len(tables.unlike)
    print(f"{agreed} of {tables.compared} figures are the article's, to the digits that it prints")


def recovery(child):
    asked = resume.read(MODE, sys.argv[1:], make_parser(), child)
    arguments, request = asked.arguments, read_request(asked.arguments.words)
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    counter = Counter(ecbench)
    answers = [local.ask(*shape, counter, request.backend) for shape in request.lrc]
    expected = set(counter.refusals) if any(answer.sound for answer in answers) else set()
    sound = local_codes(request, counter, answers)
    wanted = codes_to_measure(request, counter, sound)
    if not wanted:
        first = codes.reed_solomon(*request.shapes[0], request.backend)
        raise Refused(f"nothing can be counted: {counter.refusals[first.name]}")
    tell_refusals(request, counter, expected)
    combinations = list(itertools.product(request.sizes, request.caches))
    run, found = None, {None: None}
    if not arguments.counts_only:
        points = {name_of(code, *where, len(combinations)): code.repair(*where)
                  for where in combinations for code in wanted}
        run = rounds.measure(MODE, asked, ecbench, points)
        found = {where: figures_of(run, {code.name: code.repair(*where) for code in wanted}) for where in combinations}
    for where, figures in found.items():
        if len(found) > 1:
            print(f"{bytes_text(where[0])} objects, {where[1]}\n")
        print_tables(request, counter, figures, answers, sound)
        if figures:
            print_legend(request, arguments.rounds, where, figures)
            print()
    if run:
        print(f"run: {run.path}")
    return 2 if any(figures and figures.wrong for figures in found.values()) else 0


def name_of(code, size, cache, combinations):
    return code.name if combinations == 1 else f"{code.name} of {bytes_text(size)}, {cache}"


def print_tables(request: Request, counter, figures, answers, sound):
    tables = Tables(request, counter, figures)
    print_table(BEFORE_CLAY, tables.clay(), 0)
    if len(shec := tables.shec()) > 1:
        print_table(BEFORE_SHEC, shec, 0)
    if answers:
        print_local(answers, tables, sound)
    if request.is_article:
        tell_agreement(tables)


def print_legend(request, count, where, figures):
    sure = ", ratios with 95 % intervals" if count >= FEWEST_VALUES else ""
    print(f"GB/s: 10^9 bytes of object repaired a second, {bytes_text(where[0])} objects, {where[1]}, kernels of "
          f"{request.backend}; medians of {count} interleaved rounds{sure}")
    if figures.marked:
        print(MARKED)


def main():
    return run_to_the_end(recovery, "interrupted before the first point")
