"""bench.sh firefly: the CPU tests of Ceph Firefly, for the coding alone: erasure codes against replication at three object sizes.

Exit code 0; 1 for bad input, or if nothing can be measured; 2 if a code gave back wrong bytes; 130, 143, 129 or 131 if SIGINT,
SIGTERM, SIGHUP or SIGQUIT ends it."""

import argparse
import json
import sys

from ecbench.firefly import points, table
from ecbench.measure import resume, rounds
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.process.end import run_to_the_end
from ecbench.point.point import bytes_text
from ecbench.runfile.answers import KEYS_OF_RUN_FILES
from ecbench.runfile.figures import figures_of
from ecbench.runfile.summary import MARKED

MODE = "firefly"

DESCRIPTION = """Compares EC 4+1, 6+2 and 10+3 with 2 and 3 whole copies at 4 MiB, 128 KiB and 4 KiB, as the CPU tests of Ceph
Firefly did with a cluster, for what the CPU computes alone: encode, degraded read (one data chunk lost) and repair (each chunk lost
in turn). Objects are coded in stripes of k chunks of 4 KiB, copies are whole. A healthy read runs no code: what stands beside as
"copy" is the speed of copying the object once, which is what joining chunks costs at most."""

EXPLANATION = """GB/s: 10^9 bytes of object a second by one core; padding is not counted. ±: half the 95 % interval. no code: the
data is read as it is, from k data chunks or from one copy. encode of Nx: making N-1 copies. repair: one lost chunk from what the
code asks for, one lost copy from another. copy: the object's data chunks, padding and all, copied once without any coding."""


def make_parser():
    parser = argparse.ArgumentParser(prog="bench.sh firefly", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--plugin", default="jerasure", metavar="NAME", help="of the erasure codes (default jerasure, as then)")
    parser.add_argument("--technique", metavar="NAME",
                        help="of the erasure codes (default reed_sol_van with jerasure, as then; else the plugin's)")
    parser.add_argument("--parameter", action="append", default=[], metavar="KEY=VALUE",
                        help="further parameter of the erasure codes, such as packetsize=512")
    parser.add_argument("--cache", choices=("warm", "cold"), default="warm",
                        help="where the chunks are (default warm: in the cache)")
    parser.add_argument("--format", choices=("table", "json"), default="table",
                        help="table (default), or json: ecbench's rows, one a line, without their samples")
    rounds.add_arguments(parser)
    parser.error = refuse
    return parser


def check(arguments):
    for parameter in arguments.parameter:
        if parameter.partition("=")[0] in ("k", "m", "technique", "size", ""):
            raise Refused(f"--parameter {parameter} is not allowed: k, m, the technique and the copies are what is compared")
    if arguments.technique is None and arguments.plugin == "jerasure":
        arguments.technique = "reed_sol_van"


def refuse(message):
    raise Refused(f"{message}: bench.sh firefly --help tells what there is")


def print_tables(arguments, stores, figures):
    name = " ".join(word for word in (arguments.plugin, arguments.technique, *arguments.parameter) if word)
    for size in points.SIZES:
        print(f"{bytes_text(size)} objects; EC: {name}, stripe unit {bytes_text(points.STRIPE_UNIT)}; {arguments.cache}")
        for line in aligned(table.lines(stores, figures, size)):
            print("  " + line)
        print()
    print(EXPLANATION)
    print(f"Medians of {arguments.rounds} interleaved rounds.")
    if figures.marked:
        print(MARKED)


def print_json(figures):
    for name, rows in figures.rows.items():
        for number, row in enumerate(rows):
            kept = {key: value for key, value in row.items() if key not in (*KEYS_OF_RUN_FILES, "samples")}
            print(json.dumps({"name": name, "round": number, **kept}))


def possible_ones(wanted, answers):
    """Those that ecbench does not refuse; the others are told, once for each reason. Throws Refused if no erasure code is left."""
    refused = {}
    for name, answer in zip(wanted, answers, strict=True):
        if "refused" in answer:
            refused.setdefault(answer["refused"], []).append(name)
    left_out = {name for names in refused.values() for name in names}
    possible = {name: point for name, point in wanted.items() if name not in left_out}
    if not any(name.startswith("EC") for name in possible):
        raise Refused(f"none of the erasure codes can be compared: {next(iter(refused))}")
    for why, names in refused.items():
        others = f" (and {len(names) - 1} others)" if len(names) > 1 else ""
        say(f"{names[0]}{others} is left out: {why}")
    return possible


def firefly(child):
    asked = resume.read(MODE, sys.argv[1:], make_parser(), child, also=("format",))
    arguments = asked.arguments
    check(arguments)
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    stores = points.stores(arguments.plugin, arguments.technique, arguments.parameter)
    wanted = points.points(stores, arguments.cache)
    possible = possible_ones(wanted, ecbench.describe([{"words": point.words()} for point in wanted.values()]))
    run = rounds.measure(MODE, asked, ecbench, possible)
    figures = figures_of(run, possible)
    if arguments.format == "json":
        print_json(figures)
        say(f"run: {run.path}")
    else:
        print_tables(arguments, stores, figures)
        print(f"run: {run.path}")
    return 2 if figures.wrong else 0


def main():
    return run_to_the_end(firefly, "interrupted before the first point")
