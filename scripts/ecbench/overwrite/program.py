"""bench.sh overwrite: compares three ways to update coding chunks. These are parity delta as in Ceph, parity delta in one pass, and
re-encoding. Exit codes: 0 success; 1 for bad input; 2 if a code returned wrong bytes; 130, 143, 129 or 131 after SIGINT, SIGTERM,
SIGHUP or SIGQUIT."""

import dataclasses
import json
import sys
from collections.abc import Sequence

from ecbench.measure import resume, rounds
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.overwrite.request import AXES, CEPH, FUSED, WAYS, Request, default_dispatch, read_request
from ecbench.overwrite.result import Line, Result, Time, document, results_of
from ecbench.point.point import Point
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.figures import figures_of
from ecbench.runfile.summary import MARKED
from ecbench.statistics.interval import FEWEST_VALUES, Estimate
from ecbench.terminal.arguments import Parser
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say

MODE = "overwrite"
ALSO = ("format",)  # allowed with --resume
NONE = "-"

DESCRIPTION = """Compares three ways to update the coding chunks of a stripe after some of its data chunks have changed:
  1. Parity delta as in Ceph. Plugin isa calls the library once for each pair of a changed chunk and a coding chunk.
  2. Parity delta in one pass for up to 3 changed chunks. Plugin simd computes the same bytes as isa.
  3. Re-encoding of the whole stripe, with each of the two plugins.
Prints the times, the numbers of chunks that a storage system reads and writes, and the smallest number of changed chunks for which
re-encoding is faster."""

WORDS = """words:
  k=6,10 m=2,4                k+m (default 6+2 and 10+4). If only k or only m is given, the default combinations with this k or
                              this m are measured
  size=4K,64K                 bytes of a data chunk; an overwrite replaces whole chunks (default 4K,64K)
  changed=1,2,3               numbers of changed data chunks (default: 1 to k)
  cache=warm,cold             warm: the chunks are in the cache; cold: the chunks are in memory (default warm)
  dispatch=avx2,avx512        dispatch level of both plugins (default: the highest level that both plugins have on this CPU)
  technique=reed_sol_van      reed_sol_van or cauchy (default reed_sol_van)
  codec-lib=DIR               the directory with the libisal for plugin isa (default: the system's library)
Each combination of k, m, size, cache and dispatch has its own table."""


def make_parser() -> Parser:
    parser = Parser(mode=MODE, description=DESCRIPTION, epilog=WORDS, axes=AXES)
    parser.add_argument("words", nargs="*", metavar="KEY=VALUES")
    parser.add_argument("--format", choices=("table", "json"), default="table",
                        help="table (default), or json: a document as in overwrite.schema.json")
    rounds.add_arguments(parser)
    return parser


def read_arguments(words: list[str]) -> None:
    """Throws Refused. Does not need ecbench."""
    if arguments := resume.check(MODE, words, make_parser(), also=ALSO):
        read_request(arguments.words)


def possible(request: Request, ecbench: Ecbench) -> Request:
    """Returns the request without the cases that ecbench refuses for isa or for simd. Reports these cases. Throws Refused if no
    case is left."""
    asked = [(case, described(request.point(case, plugin, changed)))
             for case in request.cases for plugin in WAYS for changed in (1, 0)]
    refused: dict[str, list[str]] = {}
    left_out = set()
    answers = ecbench.describe([{"words": point.words()} for _, point in asked])
    for (case, _), answer in zip(asked, answers, strict=True):
        if "refused" in answer and case not in left_out:
            left_out.add(case)
            refused.setdefault(answer["refused"], []).append(str(case))
    if len(left_out) == len(request.cases):
        raise Refused(f"nothing can be measured: {next(iter(refused))}")
    rounds.report_left_out(refused)
    return dataclasses.replace(request, cases=[case for case in request.cases if case not in left_out])


def described(point: Point) -> Point:
    """Returns the point for --describe, which can check dispatch levels only with the system's libraries. Therefore the dispatch
    level of a point with codec-lib is not checked here. If the library of codec-lib does not have this level, ecbench refuses the
    measurement later."""
    return dataclasses.replace(point, dispatch="native", codec_lib=None) if point.codec_lib else point


def time_text(time: Time) -> str:
    return NONE if time.ns is None else f"{time.ns:.0f}{time.mark}"


def ratio_text(ratio: Estimate | None) -> str:
    if ratio is None:
        return NONE
    return f"{ratio.median:.2f}" + ("" if ratio.low is None else f" ({ratio.low:.2f}..{ratio.high:.2f})")


def cells(line: Line) -> list[str]:
    return [*map(time_text, line.times), ratio_text(line.ratio)]


def table(result: Result) -> list[list[str]]:
    lines = [["changed", f"{CEPH} ns", f"{FUSED} ns", f"{FUSED}/{CEPH}", "delta reads+writes", "re-encoding reads+writes"]]
    for line in result.lines:
        traffic = (f"{reads}+{line.writes}" for reads in (line.delta_reads, line.reencoding_reads))
        lines.append([str(line.changed), *cells(line), *traffic])
    return [*lines, ["re-encoding", *cells(result.reencoding), NONE, NONE]]


def from_text(count: int | None) -> str:
    return "for no measured number of changed chunks" if count is None else f"from {count} changed chunk{'s' * (count > 1)}"


def print_result(result: Result) -> None:
    print(result.case)
    for line in aligned(table(result)):
        print("  " + line)
    faster = ", ".join(f"with {plugin} {from_text(result.reencoding_from(plugin))}" for plugin in WAYS)
    print(f"  Re-encoding is faster: {faster}.")
    print(f"  Re-encoding reads fewer chunks: {from_text(result.fewer_reads_from)}.\n")


def print_tables(results: Sequence[Result], count: int, is_marked: bool) -> None:
    for result in results:
        print_result(result)
    intervals = (", with 95 % intervals" if count >= FEWEST_VALUES else
                 f", without intervals, which need {FEWEST_VALUES} rounds. The line `Re-encoding is faster` compares medians")
    print(f"ns: time of the code for one stripe. {FUSED}/{CEPH}: ratio of speeds{intervals}.\n"
          f"reads+writes: chunks that a store reads and writes. Medians of {count} interleaved rounds.")
    if is_marked:
        print(MARKED)


def overwrite(child: Child) -> int:
    asked = resume.read(MODE, sys.argv[1:], make_parser(), child, also=ALSO)
    arguments = asked.arguments
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    request = read_request(arguments.words)
    if not asked.run:  # the header of a resumed run already contains the dispatch level
        level = default_dispatch(arguments.words, ecbench.list_plugins(request.codec_lib))
        asked.words = [*asked.words, *level]
        request = read_request([*arguments.words, *level])
    request = possible(request, ecbench)
    points: dict[str, Point] = request.points()
    run = rounds.measure(MODE, asked, ecbench, points)
    figures = figures_of(run, points)
    results = results_of(request, figures)
    if arguments.format == "json":
        print(json.dumps(document(request, results, str(run.path)), indent=1))
        say(f"run: {run.path}")
    else:
        print_tables(results, run.header["repetitions"], figures.marked)
        print(f"run: {run.path}")
    return 2 if figures.wrong else 0


def main() -> int:
    return run_to_the_end(overwrite, "interrupted before the first point")
