"""bench.sh recovery: the tables of the article on costs and benefits, counted from what the codes really ask for, and how fast they
repair.

Exit code 0; 1 for bad input; 2 if a code gave back wrong bytes; 130, 143, 129 or 131 if SIGINT, SIGTERM, SIGHUP or SIGQUIT ends
it."""

import argparse
import re
import sys
import textwrap

from ecbench.measure import resume, rounds
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.process.end import run_to_the_end
from ecbench.point.grid import read_numbers
from ecbench.point.point import bytes_text
from ecbench.recovery import codes, local
from ecbench.recovery.counted import Counter
from ecbench.recovery.tables import Tables
from ecbench.runfile.figures import figures_of
from ecbench.runfile.summary import FEWEST_FOR_INTERVAL, MARKED

MODE = "recovery"

DESCRIPTION = """Prints what repairing one lost chunk reads and sends with Reed-Solomon, CLAY, SHEC and LRC: the tables of the
article on costs and benefits, each figure counted from the read sets that the code itself asks for (ecbench --show-reads). Beside
them stands the measured speed of repair, each chunk lost in turn, in GB/s of the object, which Ceph calls recovery speed."""

BEFORE_CLAY = """RS and CLAY (d=k+m-1): bytes read and bytes sent to repair a lost chunk, in chunks. The primary reads its own
share where it is, receives the rest, and sends the rebuilt chunk on."""
BEFORE_SHEC = """SHEC (technique=single): overhead is the mean of chunks read / k, over all losses of 1 and of 2 chunks that can be
recovered. c=ml/k is an estimate: any floor(c) lost chunks can be decoded, of more lost ones the share that stands under their
number. Only a whole c is a profile of Ceph; the others are made with l=."""
BEFORE_LRC = "LRC: what repairing a lost chunk reads and sends, in chunks; space factor is n/k. RS has k+m chunks."


def make_parser():
    parser = argparse.ArgumentParser(prog="bench.sh recovery", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--counts-only", action="store_true", help="count, and measure nothing")
    parser.add_argument("--backend", default="isa", metavar="NAME",
                        help="the plugin by whose kernels all codes compute (default isa; jerasure as in the article)")
    parser.add_argument("--size", type=size_of, default=4 << 20, metavar="BYTES", help="of an object (default 4M, as Ceph's)")
    parser.add_argument("--cache", choices=("cold", "warm"), default="cold",
                        help="where the chunks are that a repair reads: fresh in memory, as they come off the network (default), "
                             "or in the cache")
    rounds.add_arguments(parser)
    parser.error = refuse
    return parser


def refuse(message):
    raise Refused(f"{message}: bench.sh recovery --help tells what there is")


def size_of(text):
    """As in a grid: 4096, 4K, 4M. Throws Refused."""
    sizes = read_numbers("size", text)
    if len(sizes) > 1:
        raise Refused(f"--size {text} is not allowed: one size")
    return sizes[0]


def codes_to_measure(counter, locals_, backend):
    """Each once, those alone that are there."""
    pairs = [(codes.reed_solomon(k, m, backend), codes.clay(k, m, backend)) for k, m, _, _ in codes.CLAY]
    pairs += [(codes.reed_solomon(k, m, backend), codes.shec(k, m, l, backend)) for k, m, l, _ in codes.SHEC]
    pairs += [(codes.reed_solomon(k, m, backend), code) for code, k, m, _ in locals_]
    return dict.fromkeys(code for pair in pairs for code in pair if counter.losses(code) is not None)


def tell_refusals(counter, expected):
    """Codes that are refused for one reason are told together."""
    reasons = {}
    for name, why in counter.refusals.items():
        if name not in expected:
            reasons.setdefault(re.sub(r"\d+", "N", why), (why, []))[1].append(name)
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
            near = ", ".join(code.name.removeprefix("LRC ") for code in answer.sound[:2]) or "none"
            text = f"k={k} m={m} l={l} is refused: {answer.why}; the nearest that are sound: {near}"
            print(textwrap.fill(text, 120, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))
    for line in aligned(tables.lrc(sound)):
        print("  " + line)
    print()


def local_codes(counter, answers, backend):
    """(code, k, m, n) of each that is there, once."""
    found = {}
    for answer in answers:
        k, m, _ = answer.asked
        for code in answer.sound[:2]:
            found[code] = (code, k, m, local.chunk_count(counter, code))
        if answer.asked == codes.LRC[0]:
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
    arguments = asked.arguments
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    counter = Counter(ecbench)
    answers = [local.ask(*asked, counter, arguments.backend) for asked in codes.LRC]
    expected = set(counter.refusals) if any(answer.sound for answer in answers) else set()
    sound = local_codes(counter, answers, arguments.backend)
    wanted = codes_to_measure(counter, sound, arguments.backend)
    if not wanted:
        k, m, _, _ = codes.CLAY[0]
        raise Refused(f"nothing can be counted: {counter.refusals[codes.reed_solomon(k, m, arguments.backend).name]}")
    tell_refusals(counter, expected)
    run = figures = None
    if not arguments.counts_only:
        points = {code.name: code.repair(arguments.size, arguments.cache) for code in wanted}
        run = rounds.measure(MODE, asked, ecbench, points)
        figures = figures_of(run, points)
    tables = Tables(counter, figures, arguments.backend)
    print_table(BEFORE_CLAY, tables.clay(), 0)
    print_table(BEFORE_SHEC, tables.shec(), 0)
    if sound:
        print_local(answers, tables, sound)
    tell_agreement(tables)
    if figures:
        sure = ", ratios with 95 % intervals" if arguments.rounds >= FEWEST_FOR_INTERVAL else ""
        print(f"GB/s: 10^9 bytes of object repaired a second, {bytes_text(arguments.size)} objects, {arguments.cache}, kernels of "
              f"{arguments.backend}; medians of {arguments.rounds} interleaved rounds{sure}")
        if figures.marked:
            print(MARKED)
        print(f"run: {run.path}")
    return 2 if figures and figures.wrong else 0


def main():
    return run_to_the_end(recovery, "interrupted before the first point")
