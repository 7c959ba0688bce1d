"""bench.sh overwrite: compares three ways to update coding chunks. Exit codes: 0; 1 for bad input, or if nothing could be measured;
2 after wrong bytes; 128 + the signal's number."""

import dataclasses
import json
from collections.abc import Sequence

from ecbench.comparison.case import Case
from ecbench.comparison.comparison import Comparison, exit_code
from ecbench.comparison.questions import CHANGE, INCONCLUSIVE
from ecbench.comparison.text import NONE, ratio_text
from ecbench.documents.document import schema_of
from ecbench.measure import rounds
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.mode import Mode
from ecbench.overwrite.document import Document, document
from ecbench.overwrite.request import AXES, CEPH, FUSED, WAYS, Request, default_dispatch, name_of, read_request, title_of
from ecbench.overwrite.result import Line, Result, results_of
from ecbench.point.point import Json, Point
from ecbench.process.children import Child
from ecbench.runfile.summary import MARKED
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, say

EXAMPLES = """\
bench.sh overwrite
bench.sh overwrite k=8 m=3 size=16K changed=1,2,4"""

DESCRIPTION = """Compares three ways to update coding chunks after data chunks have changed:
  1.  parity delta as in Ceph: plugin isa calls the library for each pair of a changed chunk and a coding chunk
  2.  parity delta in one pass for up to 3 changed chunks: plugin simd computes the same bytes
  3.  re-encoding of the whole stripe, with each of the two plugins
Prints the times, the chunks that are read and written, and from which number of changed chunks re-encoding is faster."""

WORDS = """words:
  k=6,10 m=2,4             k+m (default 6+2 and 10+4; with only k or m: those of them that have it)
  size=4K,64K              bytes of a data chunk; an overwrite replaces whole chunks (default 4K,64K)
  changed=1,2,3            changed data chunks (default: 1 to k)
  cache=warm,cold          the chunks are in the cache, or in memory (default warm)
  dispatch=avx2,avx512     dispatch level of both plugins (default: the highest that both have)
  technique=reed_sol_van   reed_sol_van or cauchy (default reed_sol_van)
  codec-lib=DIR            directory of the libisal for plugin isa (default: the system's)
Each combination of k, m, size, cache and dispatch has its own table."""


MODE = Mode("overwrite", CHANGE, EXAMPLES, DESCRIPTION, WORDS, AXES, lambda arguments: read_request(arguments.words),
            "a document; --schema prints its schema")
read_arguments = MODE.check


def schema() -> Json:
    return schema_of(Document, "Times of overwrites by parity delta and by re-encoding",
                     "The output of bench.sh overwrite --format json.")


def possible(request: Request, ecbench: Ecbench) -> Request:
    """The request without the cases that ecbench refuses for isa or for simd. Throws Refused if no case is left."""
    asked = {name_of(case, plugin, changed): (case, described(request.point(case, plugin, changed)))
             for case in request.cases for plugin in WAYS for changed in (1, 0)}
    _, refused = rounds.possible(ecbench, {name: point for name, (_, point) in asked.items()})
    reasons: dict[Case, str] = {}
    for why, names in refused.items():
        for name in names:
            reasons.setdefault(asked[name][0], why)
    if len(reasons) == len(request.cases):
        raise Refused(f"nothing can be measured: {next(iter(refused))}")
    rounds.report_left_out({why: [title_of(case) for case in request.cases if reasons.get(case) == why]
                            for why in dict.fromkeys(reasons.values())})
    return dataclasses.replace(request, cases=[case for case in request.cases if case not in reasons])


def described(point: Point) -> Point:
    """--describe can check dispatch levels only with the system's libraries. With codec-lib, ecbench refuses a wrong level
    later."""
    return dataclasses.replace(point, dispatch="native", codec_lib=None) if point.codec_lib else point


def cells(line: Line) -> list[str]:
    return [*(NONE if time.ns is None else f"{time.ns:.0f}{time.mark}" for time in line.times), ratio_text(line.ratio)]


def table(result: Result) -> list[list[str]]:
    lines = [["changed", f"{CEPH} ns", f"{FUSED} ns", f"{FUSED}/{CEPH}", "delta reads+writes", "re-encoding reads+writes"]]
    for line in result.lines:
        traffic = (f"{reads}+{line.writes}" for reads in (line.delta_reads, line.reencoding_reads))
        lines.append([str(line.changed), *cells(line), *traffic])
    return [*lines, ["re-encoding", *cells(result.reencoding), NONE, NONE]]


def from_text(count: int | str | None) -> str:
    if count == INCONCLUSIVE:
        return "inconclusive (too few rounds have both times)"
    return "for no measured number of changed chunks" if count is None else f"from {count} changed chunk{'s' * (count != 1)}"


def print_result(result: Result) -> None:
    print(title_of(result.case))
    for line in aligned(table(result)):
        print("  " + line)
    faster = ", ".join(f"with {plugin} {from_text(result.reencoding_from(plugin))}" for plugin in WAYS)
    print(f"  Re-encoding is faster: {faster}.")
    print(f"  Re-encoding reads fewer chunks: {from_text(result.fewer_reads_from)}.\n")


def print_tables(results: Sequence[Result], count: int, is_marked: bool) -> None:
    for result in results:
        print_result(result)
    intervals = (", with 95 % intervals" if count >= FEWEST_VALUES else
                 f", without intervals, which need {FEWEST_VALUES} rounds")
    print(f"ns: time of the code for one stripe. {FUSED}/{CEPH}: ratio of speeds{intervals}.\n"
          f"reads+writes: chunks that a store reads and writes. Medians of {count} interleaved rounds.")
    if is_marked:
        print(MARKED)


def overwrite(child: Child) -> int:
    asked = MODE.ask(child)
    arguments = asked.arguments
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    request = read_request(arguments.words)
    if not asked.run:  # the header of a resumed run already contains the dispatch level
        level = default_dispatch(arguments.words, ecbench.list_plugins(request.codec_lib))
        asked.words = [*asked.words, *level]
        request = read_request([*arguments.words, *level])
    request = possible(request, ecbench)
    points: dict[str, Point] = request.points()
    run = rounds.measure(MODE.name, asked, ecbench, points)
    figures = Comparison.of_run(run, points)
    results = results_of(request, figures)
    if arguments.format == "json":
        print(json.dumps(document(request, results, str(run.path)), indent=1))
        say(f"run: {run.path}")
    else:
        print_tables(results, run.header.repetitions, figures.is_marked)
        print(f"run: {run.path}")
    return exit_code(run, len(figures.wrong), len(figures.candidates))


def main() -> int:
    return MODE.run(overwrite)
