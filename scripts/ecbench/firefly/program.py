"""bench.sh firefly: compares the speed of erasure codes with the speed of replication, for several object sizes. It repeats the
coding part of the CPU tests of Ceph Firefly. Exit codes: 0 success; 1 for bad input, or if nothing can be measured; 2 if a code
returned wrong bytes; 130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP, 131 after SIGQUIT."""

import json
import sys
from collections.abc import Mapping, Sequence

from ecbench.firefly import points, table
from ecbench.measure import resume, rounds
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.point.axes import PROFILE
from ecbench.point.point import Json, Point, bytes_text
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.answers import KEYS_OF_RUN_FILES
from ecbench.runfile.figures import Figures, figures_of
from ecbench.runfile.summary import MARKED
from ecbench.terminal.arguments import Parser
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say

MODE = "firefly"
ALSO = ("format",)  # allowed with --resume

DESCRIPTION = """Compares erasure codes with replication (2 and 3 complete copies of the object). The CPU tests of the Ceph release
Firefly made this comparison in a cluster. This mode measures only the work of the CPU: encode, degraded read (one data chunk is
lost), repair (each chunk is lost in turn) and scrub. Erasure codes encode the object in stripes; copies have no stripes. A healthy
read (no chunk is lost) is not measured, because it decodes nothing and only joins the k data chunks. Joining the chunks takes at
most as long as copying the object once. The rows "copy" show the speed of copying the object once."""

WORDS = """words:
  k=4,6 m=2                   k+m (default 4+1, 6+2 and 10+3). If only k or only m is given, the default combinations with this k or
                              this m are measured
  plugin=isa technique=cauchy plugin and technique of the erasure codes (default jerasure reed_sol_van; other plugins have their own
                              default technique)
  packetsize=512 w=4 ...      other parameters of the erasure codes
  size=4M,128K,4K             bytes of the object (default: these three sizes)
  stripe-unit=4K              bytes of each chunk in one stripe (default 4K). none: the object is encoded as one stripe
  cache=warm                  warm: the chunks are in the cache; cold: the chunks are in memory (default warm)
  release=squid               the release of Ceph for which the row "stored / object" is computed (default squid). Releases before
                              tentacle pad objects to whole stripes. If the technique is reed_sol_van of isa or jerasure,
                              tentacle and newer releases pad objects only to whole pages (Fast EC)
Each combination of size, stripe-unit and cache has its own table."""

EXPLANATION = """GB/s: 10^9 bytes of the object per second on one core; padding is not counted. ±: half the width of the 95 %
interval. no code: nothing is computed, because the data is read from k data chunks or from one copy. encode: for 2x and
3x, one or two more copies of the object are made. repair: one lost chunk is rebuilt from the bytes that the code
requests; for 2x and 3x, a lost copy is made again from another copy. scrub: the coding chunks are computed again and
compared with the stored coding chunks; for 2x and 3x, the copies are made again and compared with the stored copies. The
CRC32C of all chunks or copies is also computed. CPU s/GB, CPU s/TB: CPU seconds for 10^9 or 10^12 bytes of objects.
copy: the object's data chunks are copied once with their padding."""


def make_parser() -> Parser:
    parser = Parser(mode="firefly", description=DESCRIPTION, epilog=WORDS,
                    axes=("plugin", "technique", *PROFILE, *points.AXES))
    parser.add_argument("words", nargs="*", metavar="KEY=VALUES")
    parser.add_argument("--format", choices=("table", "json"), default="table",
                        help="table (default), or json: one line for each measurement (the row of ecbench without its samples)")
    rounds.add_arguments(parser)
    return parser


def read_arguments(words: list[str]) -> None:
    """Checks the arguments. Throws Refused for errors that can be found without running ecbench."""
    if arguments := resume.check(MODE, words, make_parser(), also=ALSO):
        points.read_request(arguments.words, None)


def print_tables(request: points.Request, figures: Figures, count: int) -> None:
    for condition in request.conditions:
        print(f"{bytes_text(condition.size)} objects; EC: {request.codes}, {condition}{stored_by(request)}")
        for line in aligned(table.lines(request.stores, figures, condition, request.release)):
            print("  " + line)
        print()
    print(EXPLANATION)
    print(f"Medians of {count} interleaved rounds.")
    if figures.marked:
        print(MARKED)


def stored_by(request: points.Request) -> str:
    """Returns a text that names the release for which the stored bytes are computed. Returns "" for a release before Tentacle,
    because all of these releases store the same number of bytes."""
    return (f"; stored / object: as in Ceph {request.release.name} with allow_ec_optimizations" if request.release.has_fast_ec
            else "")


def print_json(figures: Figures) -> None:
    for name, rows in figures.rows.items():
        for number, row in enumerate(rows):
            kept = {key: value for key, value in row.items() if key not in (*KEYS_OF_RUN_FILES, "samples")}
            print(json.dumps({"name": name, "round": number, **kept}))


def possible_points(wanted: Mapping[str, Point], answers: Sequence[Json]) -> dict[str, Point]:
    """Returns the points that ecbench accepts. Prints the points that it refuses. Throws Refused if no erasure code remains."""
    refused: dict[str, list[str]] = {}
    possible = {}
    for (name, point), answer in zip(wanted.items(), answers, strict=True):
        if "refused" in answer:
            refused.setdefault(answer["refused"], []).append(name)
        else:
            possible[name] = point
    if not any(name.startswith("EC") for name in possible):
        raise Refused(f"none of the erasure codes can be compared: {next(iter(refused))}")
    rounds.report_left_out(refused)
    return possible


def firefly(child: Child) -> int:
    asked = resume.read(MODE, sys.argv[1:], make_parser(), child, also=ALSO)
    arguments = asked.arguments
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    request = points.read_request(arguments.words, ecbench.list_plugins())
    wanted = {name: point for condition in request.conditions for name, point in points.points(request.stores, condition).items()}
    possible = possible_points(wanted, ecbench.describe([{"words": point.words()} for point in wanted.values()]))
    run = rounds.measure(MODE, asked, ecbench, possible)
    figures = figures_of(run, possible)
    if arguments.format == "json":
        print_json(figures)
        say(f"run: {run.path}")
    else:
        print_tables(request, figures, arguments.rounds)
        print(f"run: {run.path}")
    return 2 if figures.wrong else 0


def main() -> int:
    return run_to_the_end(firefly, "interrupted before the first point")
