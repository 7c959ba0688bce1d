"""bench.sh compare A B [C ...]: compares run files point by point. For each point, prints the ratios of the speeds (B / A, C / A,
...).

Exit code 0 if the runs were compared, even if a run is slower than A. Exit code 1 for bad input: for example, a run cannot be read,
or has no measured point in common with A."""

import argparse
import json
import os
import string
import sys
from collections.abc import Mapping, Sequence
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

HELP = """Compares run B with run A. For each point, prints the ratio B / A of the speeds (above 1: B is faster) and the 95 %
confidence interval of this ratio. The points are sorted by workload, size, plugin and technique. Points that are equal in these
four are sorted by ratio, the lowest first. The verdict '~' means that the ratio is not significantly different from 1. A '?' after
the verdict 'faster' or 'slower' means that the runs were not interleaved, so the machine may have changed between the runs.
If you give more than two runs, each further run is also compared with A. The table then has one column of ratios for each run
except A: B / A, C / A, ..."""

TITLES = ("point", "A GB/s", "B GB/s", "ratio", "95 % interval", "verdict")
NAMES = string.ascii_uppercase  # the name of the run in the first argument is A, the name of the second is B, and so on

Pairs = dict[str, list[Pair]]  # name of a run except A → the pairs of points of A and this run


def read_arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(mode="compare", description=HELP)
    parser.add_argument("a", metavar="A", help="a run file, results/<machine>/<run>.jsonl or .jsonl.gz")
    parser.add_argument("b", metavar="B", help="the run file to compare with A")
    parser.add_argument("more", metavar="C", nargs="*", help="further run files to compare with A")
    parser.add_argument("--format", choices=("table", "json"), default="table",
                        help="table (default): aligned columns on a terminal, otherwise columns separated by tabs; json: one "
                             "JSON object per point")
    arguments = parser.parse_args(words)
    count = 2 + len(arguments.more)
    if count > len(NAMES):
        raise Refused(f"{count} runs are too many; at most {len(NAMES)} are allowed: leave some out")
    return arguments


def verdict_of(pair: Pair) -> str:
    return pair.verdict + ("?" if pair.verdict in (FASTER, SLOWER) and not pair.interleaved else "")


def cells_of(pair: Pair) -> list[str]:
    interval = "-" if pair.ratio.low is None else f"{pair.ratio.low:.3f}..{pair.ratio.high:.3f}"
    return [str(pair.point), f"{pair.a_gb_per_s:.3f}{pair.a_mark}", f"{pair.b_gb_per_s:.3f}{pair.b_mark}",
            f"{pair.ratio.median:.3f}", interval, verdict_of(pair)]


def print_table(groups: Sequence[Group], out: TextIO) -> None:
    print_lines([list(TITLES), *(cells_of(pair) for group in groups for pair in group.pairs)], out)


def print_lines(lines: Sequence[Sequence[str]], out: TextIO) -> None:
    """Prints a table. Each line is a list of cells. The first line contains the titles of the columns."""
    if not out.isatty():
        out.writelines("\t".join(cells) + "\n" for cells in lines)
        return
    out.writelines(f"{line}\n" for line in aligned(lines, len(lines[0])))


def points_of(pairs: Pairs) -> list[dict[str, Pair]]:
    """Returns one dictionary for each point: name of a run except A → the pair for A and this run. The points are sorted as by
    groups_of(). If a point has several ratios, it is sorted by the lowest of them."""
    by_id: dict[str, dict[str, Pair]] = {}
    for name, of_run in pairs.items():
        for pair in of_run:
            by_id.setdefault(pair.point.id, {})[name] = pair
    worst = [min(by_name.values(), key=lambda pair: pair.ratio.median) for by_name in by_id.values()]
    return [by_id[pair.point.id] for group in groups_of(worst) for pair in group.pairs]


def print_wide_table(pairs: Pairs, out: TextIO) -> None:
    """Prints a table with one column of ratios for each run except A. A cell is "-" if the run has no measured speed for the
    point."""
    lines = [["point", "A GB/s", *(f"{name} / A" for name in pairs)]]
    for by_name in points_of(pairs):
        first = next(iter(by_name.values()))
        lines.append([str(first.point), f"{first.a_gb_per_s:.3f}{first.a_mark}",
                      *(ratio_cell(by_name[name]) if name in by_name else "-" for name in pairs)])
    print_lines(lines, out)


def ratio_cell(pair: Pair) -> str:
    *_, ratio, interval, verdict = cells_of(pair)
    return f"{ratio}{pair.b_mark} ({interval}) {verdict}"


def print_wide_json(pairs: Pairs, runs: Mapping[str, Run], out: TextIO) -> None:
    for by_name in points_of(pairs):
        first = next(iter(by_name.values()))
        out.write(json.dumps({"id": first.point.id, "point": first.point.to_json(), "a_gb_per_s": first.a_gb_per_s,
                              "runs": [{"run": name, "path": str(runs[name].path), **figures_json(pair)}
                                       for name, pair in by_name.items()]}) + "\n")


def figures_json(pair: Pair) -> dict[str, object]:
    return {"gb_per_s": pair.b_gb_per_s, "ratio": pair.ratio.median, "low": pair.ratio.low, "high": pair.ratio.high,
            "interleaved": pair.interleaved, "verdict": pair.verdict}


def print_json(groups: Sequence[Group], out: TextIO) -> None:
    for group in groups:
        for pair in group.pairs:
            figures = {f"b_{key}" if key == "gb_per_s" else key: value for key, value in figures_json(pair).items()}
            out.write(json.dumps({"id": pair.point.id, "point": pair.point.to_json(), "a_gb_per_s": pair.a_gb_per_s, **figures})
                      + "\n")


def report_groups(groups: Sequence[Group], prefix: str = "") -> None:
    for group in groups:
        workload, size, *code = group.name
        name = plain(" ".join(word for word in (workload, *code, "of", bytes_text(size)) if word))
        print(f"{prefix}{name}: ratio {group.ratio:.3f} (geometric mean of {len(group.pairs)} points), "
              f"{group.count(FASTER)} faster, {group.count(SLOWER)} slower, {group.count(SAME)} not significantly different",
              file=sys.stderr)


def report_circumstances(runs: Mapping[str, Run], pairs: Pairs) -> None:
    """Prints the facts that can make ratios misleading, for example two different machines."""
    for run in runs.values():
        for note in run.notes:
            say(f"{run.path}: {note}")
    if any(pair.a_mark or pair.b_mark for of_run in pairs.values() for pair in of_run):
        say(MARKED)
    for name, of_run in pairs.items():
        report_two(runs["A"], name, runs[name], of_run, prefix_of(name, pairs))


def prefix_of(name: str, pairs: Pairs) -> str:
    """The beginning of messages about run `name`: "B: ", for example. Empty if only one run is compared with A."""
    return f"{name}: " if len(pairs) > 1 else ""


def report_two(a: Run, name: str, run: Run, pairs: Sequence[Pair], prefix: str) -> None:
    machines = [one.header["machine"]["slug"] for one in (a, run)]
    if machines[0] != machines[1]:
        say(f"{prefix}TWO MACHINES: A was measured on {machines[0]}, {name} on {machines[1]}; the ratios also depend on the "
            "machines, not only on the code")
    apart = sum(not pair.interleaved for pair in pairs)
    if apart:
        say(f"{prefix}{apart} of {len(pairs)} points were not interleaved: changes of the machine between the "
            "runs also change the ratios of these points, but the confidence intervals do not include this effect")
    for only, one, other in (("A", a, run), (name, run, a)):
        only_here = len(one.points.keys() - other.points.keys())
        if only_here:
            say(f"{prefix}{only_here} of {len(one.points)} points are only in {only}; these points are left out")
    without = len(a.points.keys() & run.points.keys()) - len(pairs)
    if without:
        say(f"{prefix}number of points that are left out, because A or {name} has no measured speed for them: {without}")


def compare(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    paths = dict(zip(NAMES, [arguments.a, arguments.b, *arguments.more]))
    check_apart([], list(paths.items()))  # standard output must not be redirected to one of the run files
    known: set[str] = set()
    for path in paths.values():
        if os.path.realpath(path) in known:
            raise Refused(f"{path} is given twice; give {'two ' if len(paths) == 2 else ''}different runs")
        known.add(os.path.realpath(path))
    runs = {name: read_run(path) for name, path in paths.items()}
    summaries = summarize(runs["A"])
    pairs = {name: pair_up(runs["A"], summaries, run, summarize(run)) for name, run in runs.items() if name != "A"}
    for name, of_run in pairs.items():
        if not of_run:
            raise Refused(f"{arguments.a} and {paths[name]} have no measured point in common; to measure the points of "
                          f"{arguments.a} again, use {FRONT} sweep --from {arguments.a}")
    report_circumstances(runs, pairs)
    is_json = arguments.format == "json"
    if len(pairs) == 1:
        (print_json if is_json else print_table)(groups_of(pairs["B"]), sys.stdout)
    elif is_json:
        print_wide_json(pairs, runs, sys.stdout)
    else:
        print_wide_table(pairs, sys.stdout)
    sys.stdout.flush()
    for name, of_run in pairs.items():
        report_groups(groups_of(of_run), prefix_of(name, pairs))
    return 0


def main() -> int:
    return run_to_the_end(compare, "interrupted", runs_others=False)
