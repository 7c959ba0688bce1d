"""bench.sh compare A B: compares two run files point by point: the speed of B divided by that of A.

Exit code 0 for any ratio, because this is not a gate; 1 if a run cannot be read or the two have no point in common."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from ecbench.files.written_files import check_apart
from ecbench.installation.places import FRONT
from ecbench.point.point import bytes_text
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.pairing import FASTER, SAME, SLOWER, Group, Pair, groups_of, pair_up
from ecbench.runfile.run_file import Run, read_run
from ecbench.runfile.summary import MARKED, summarize
from ecbench.terminal.arguments import Parser
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import Refused, plain, say

HELP = """Compares run B with run A, point by point: the ratio of their speeds (above 1: B is faster) with its 95 % interval, by
workload, size and technique, the worst first. A '~' marks a ratio that is not significantly different from 1. A '?' marks a
verdict on runs that were not interleaved: the machine may have changed between them."""

TITLES = ("point", "A GB/s", "B GB/s", "ratio", "95 % interval", "verdict")


def read_arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(mode="compare", description=HELP)
    parser.add_argument("a", metavar="A", help="a run file, results/<machine>/<run>.jsonl or .jsonl.gz")
    parser.add_argument("b", metavar="B", help="the run to compare with it")
    parser.add_argument("--format", choices=("table", "json"), default="table",
                        help="table (default): in columns on a terminal, separated by tabs elsewhere; json: one line per point")
    return parser.parse_args(words)


def verdict_of(pair: Pair) -> str:
    return pair.verdict + ("?" if pair.verdict in (FASTER, SLOWER) and not pair.interleaved else "")


def cells_of(pair: Pair) -> list[str]:
    interval = "-" if pair.ratio.low is None else f"{pair.ratio.low:.3f}..{pair.ratio.high:.3f}"
    return [str(pair.point), f"{pair.a_gb_per_s:.3f}{pair.a_mark}", f"{pair.b_gb_per_s:.3f}{pair.b_mark}",
            f"{pair.ratio.median:.3f}", interval, verdict_of(pair)]


def print_table(groups: Sequence[Group], out: TextIO) -> None:
    lines = [list(TITLES), *(cells_of(pair) for group in groups for pair in group.pairs)]
    if not out.isatty():
        out.writelines("\t".join(cells) + "\n" for cells in lines)
        return
    out.writelines(f"{line}\n" for line in aligned(lines, len(TITLES)))


def print_json(groups: Sequence[Group], out: TextIO) -> None:
    for group in groups:
        for pair in group.pairs:
            out.write(json.dumps({"id": pair.point.id, "point": pair.point.to_json(), "a_gb_per_s": pair.a_gb_per_s,
                                  "b_gb_per_s": pair.b_gb_per_s, "ratio": pair.ratio.median, "low": pair.ratio.low,
                                  "high": pair.ratio.high, "interleaved": pair.interleaved, "verdict": pair.verdict}) + "\n")


def report_groups(groups: Sequence[Group]) -> None:
    for group in groups:
        workload, size, *code = group.name
        name = plain(" ".join(word for word in (workload, *code, "of", bytes_text(size)) if word))
        print(f"{name}: geometric mean {group.ratio:.3f} over {len(group.pairs)} points, {group.count(FASTER)} faster, "
              f"{group.count(SLOWER)} slower, {group.count(SAME)} not distinguishable", file=sys.stderr)


def report_circumstances(a: Run, b: Run, pairs: Sequence[Pair]) -> None:
    """Reports circumstances that limit the meaning of the ratios."""
    for run in (a, b):
        for note in run.notes:
            say(f"{run.path}: {note}")
    if any(pair.a_mark or pair.b_mark for pair in pairs):
        say(MARKED)
    machines = [run.header["machine"]["slug"] for run in (a, b)]
    if machines[0] != machines[1]:
        say(f"TWO MACHINES: A was measured on {machines[0]}, B on {machines[1]}; the ratios compare machines as well as code")
    apart = sum(not pair.interleaved for pair in pairs)
    if apart:
        say(f"{apart} of {len(pairs)} points were not interleaved: changes of the machine between the "
            "runs affect their ratios, but are not included in their intervals")
    for name, one, other in (("A", a, b), ("B", b, a)):
        only_here = len(one.points.keys() - other.points.keys())
        if only_here:
            say(f"{only_here} of {len(one.points)} points are only in {name}, and left out")
    without = len(a.points.keys() & b.points.keys()) - len(pairs)
    if without:
        say(f"{without} points of both runs were not measured in one of them, and are left out")


def compare(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    check_apart([], [("A", arguments.a), ("B", arguments.b)])  # standard output must not be one of the runs
    if os.path.realpath(arguments.a) == os.path.realpath(arguments.b):
        raise Refused(f"{arguments.b} is given twice; give two different runs")
    a, b = read_run(arguments.a), read_run(arguments.b)
    pairs = pair_up(a, summarize(a), b, summarize(b))
    if not pairs:
        raise Refused(f"{arguments.a} and {arguments.b} have no measured point in common: {FRONT} sweep --from {arguments.a} "
                      "measures its points again")
    report_circumstances(a, b, pairs)
    groups = groups_of(pairs)
    (print_json if arguments.format == "json" else print_table)(groups, sys.stdout)
    sys.stdout.flush()
    report_groups(groups)
    return 0


def main() -> int:
    return run_to_the_end(compare, "interrupted", runs_others=False)
