"""bench.sh firefly: compares erasure codes with replication, as the CPU tests of Ceph Firefly did. Exit codes: 0; 1 for bad input,
or if nothing can be measured; 2 after wrong bytes; 128 + the signal's number."""

import json

from ecbench.ceph.releases import Release
from ecbench.comparison.comparison import Comparison, exit_code
from ecbench.comparison.questions import CHANGE
from ecbench.firefly import points, table
from ecbench.measure import rounds
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.mode import Mode
from ecbench.point.axes import PROFILE
from ecbench.point.point import bytes_text
from ecbench.process.children import Child
from ecbench.runfile.row import OF_RUN_FILES
from ecbench.runfile.summary import MARKED
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say

EXAMPLES = """\
bench.sh firefly
bench.sh firefly k=8 m=3 plugin=isa size=4M"""

DESCRIPTION = """Compares erasure codes with 2 and 3 copies, as the CPU tests of the Ceph release Firefly did, but measures only the
work of the CPU: encode, degraded read (one data chunk lost), repair (each chunk lost in turn) and scrub. The rows "copy" show the
speed of copying the object once."""

WORDS = """words:
  k=4,6 m=2             k+m (default 4+1, 6+2 and 10+3; with only k or m: those of them that have it)
  plugin=isa technique=cauchy  the codes (default jerasure reed_sol_van)
  packetsize=512 w=4    other parameters of the codes
  size=4M,128K,4K       bytes of the object (default: these)
  stripe-unit=4K        bytes of a chunk in a stripe, or none: one stripe (default 4K)
  cache=warm,cold       the chunks are in the cache, or in memory (default warm)
  release=squid         Ceph's release, for the row "stored / object" (default squid)
Each combination of size, stripe-unit and cache has its own table."""

EXPLANATION = """GB/s: 10^9 bytes of the object per second on one core; padding is not counted. ±: half the width of the 95 %
interval. no code: nothing is computed, because the data is read from k data chunks or from one copy. encode: for 2x and
3x, one or two more copies of the object are made. repair: one lost chunk is rebuilt from the bytes that the code
requests; for 2x and 3x, a lost copy is made again from another copy. scrub: the coding chunks are computed again and
compared with the stored coding chunks; for 2x and 3x, the copies are made again and compared with the stored copies. The
CRC32C of all chunks or copies is also computed. CPU s/GB, CPU s/TB: CPU seconds for 10^9 or 10^12 bytes of objects.
copy: the object's data chunks are copied once with their padding."""


MODE = Mode("firefly", CHANGE, EXAMPLES, DESCRIPTION, WORDS, ("plugin", "technique", *PROFILE, *points.AXES),
            lambda arguments: points.read_request(arguments.words, None),
            "one line for each measurement (the row of ecbench without its samples)")
read_arguments = MODE.check


def print_tables(request: points.Request, figures: Comparison, count: int) -> None:
    for condition in request.conditions:
        print(f"{bytes_text(condition.size)} objects; EC: {request.codes}, {condition}{stored_by(request.release, figures)}")
        for line in aligned(table.lines(request.stores, figures, condition, request.release)):
            print("  " + line)
        print()
    print(EXPLANATION)
    print(f"Medians of {count} interleaved rounds.")
    if figures.is_marked:
        print(MARKED)


def stored_by(release: Release, figures: Comparison) -> str:
    """All releases before Tentacle store the same number of bytes."""
    if not release.has_fast_ec:
        return ""
    rows = [candidate.rows[0] for candidate in figures.candidates.values() if candidate.rows]
    with_fast_ec = " with allow_ec_optimizations" if any(points.uses_fast_ec(row, release) for row in rows) else ""
    return f"; stored / object: as in Ceph {release.name}{with_fast_ec}"


def print_json(figures: Comparison) -> None:
    for name, candidate in figures.candidates.items():
        for number, row in enumerate(candidate.rows):
            kept = {key: value for key, value in row.json.items() if key not in (*OF_RUN_FILES, "samples")}
            print(json.dumps({"name": name, "round": number, **kept}))


def firefly(child: Child) -> int:
    asked = MODE.ask(child)
    arguments = asked.arguments
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    request = points.read_request(arguments.words, ecbench.list_plugins())
    possible, refused = rounds.possible(ecbench, {name: point for condition in request.conditions
                                                  for name, point in points.points(request.stores, condition).items()})
    if not any(name.startswith("EC") for name in possible):
        raise Refused(f"none of the erasure codes can be compared: {next(iter(refused))}")
    rounds.report_left_out(refused)
    run = rounds.measure(MODE.name, asked, ecbench, possible)
    figures = Comparison.of_run(run, possible)
    if arguments.format == "json":
        print_json(figures)
        say(f"run: {run.path}")
    else:
        print_tables(request, figures, arguments.rounds)
        print(f"run: {run.path}")
    return exit_code(run, len(figures.wrong), len(figures.candidates))


def main() -> int:
    return MODE.run(firefly)
