"""bench.sh compare A B [C ...]: compares run files point by point. Exit codes: 0 even if a run is slower than A; 1 for bad
input."""

import argparse
import dataclasses
import json
import os
import string
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from ecbench.comparison.comparison import SAME, UNKNOWN, Pair, by_group, mean_ratio, pair_up
from ecbench.comparison.figures import CHANGE, FASTER, SLOWER, interval_text
from ecbench.documents.document import ABSENT, Json, Key, schema_of, to_json
from ecbench.files.written_files import check_apart
from ecbench.installation.places import FRONT
from ecbench.point.point import bytes_text
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.run_file import Run, read_planned_run
from ecbench.runfile.summary import Marks, summarize
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, aligned, plain, say

# The output of compare --format json: a line for each point, as dataclasses; compare --schema prints the schema of a line.

Ratio = Annotated[float, Key("Speed in this run (with two runs: in B) / speed in A.")]
Low = Annotated[float | None, Key("Lower end of the 95 % interval; null: there is none.")]
Interleaved = Annotated[bool, Key("true if the repetitions of the two runs alternate in time.")]
Word = Annotated[str, Key(f"{SAME}: not significantly different; {UNKNOWN}: no interval.", words=(FASTER, SLOWER, SAME, UNKNOWN))]


@dataclasses.dataclass(frozen=True)
class OfRun:
    run: Annotated[str, Key("B, C, ...")]
    path: str
    gb_per_s: float
    ratio: Ratio
    low: Low
    high: float | None
    interleaved: Interleaved
    verdict: Word


@dataclasses.dataclass(frozen=True)
class Line:
    id: str
    point: dict[str, Any]
    a_gb_per_s: float
    b_gb_per_s: Annotated[float, Key("Only with two runs, like the keys down to verdict.")] = ABSENT
    ratio: Ratio = ABSENT
    low: Low = ABSENT
    high: float | None = ABSENT
    interleaved: Interleaved = ABSENT
    verdict: Word = ABSENT
    runs: Annotated[list[OfRun], Key("Only with more than two runs: those that measured the point.")] = ABSENT


def line_of(by_name: Mapping[str, Pair], paths: Mapping[str, str]) -> Line:
    """`by_name`: the pair of each run, except A, that measured the point. `paths`: of all runs, by name."""
    first = next(iter(by_name.values()))
    own = first.point.id, first.point.to_json(), first.a_gb_per_s
    if len(paths) == 2:
        return Line(*own, first.b_gb_per_s, **figures_of(first))
    return Line(*own, runs=[OfRun(name, paths[name], pair.b_gb_per_s, **figures_of(pair)) for name, pair in by_name.items()])


def figures_of(pair: Pair) -> Json:
    ratio = pair.ratio
    return {"ratio": ratio.median, "low": ratio.low, "high": ratio.high, "interleaved": pair.interleaved, "verdict": pair.verdict}


HELP = """Compares run B with run A: for each point, the ratio B / A of the speeds (above 1: B is faster) and its 95 % confidence
interval. The points are sorted by workload, size, plugin and technique, and then by ratio, the lowest first. The verdict '~' means
that the ratio is not significantly different from 1. A '?' after 'faster' or 'slower' means that the runs were not interleaved, so
the machine may have changed between them. Each further run is also compared with A, in a column of its own: B / A, C / A, ..."""

TITLES = ("point", "A GB/s", "B GB/s", "ratio", "95 % interval", "verdict")
QUESTION = CHANGE
NAMES = string.ascii_uppercase  # the name of the run in the first argument is A, the name of the second is B, and so on

Pairs = dict[str, list[Pair]]  # name of a run except A → the pairs of points of A and this run


def needs(_words: list[str]) -> list[str]:
    return []


def read_arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(mode="compare", description=HELP, examples="bench.sh compare A.jsonl B.jsonl")
    parser.add_argument("a", metavar="A", help="a run file, results/<machine>/<run>.jsonl or .jsonl.gz")
    parser.add_argument("b", metavar="B", help="the run file to compare with A")
    parser.add_argument("more", metavar="C", nargs="*", help="further run files to compare with A")
    parser.add_argument("--format", choices=("table", "json"), default="table",
                        help="table (default): aligned columns on a terminal, otherwise columns separated by tabs; json: an "
                             "object per point; --schema prints its schema")
    arguments = parser.parse_args(words)
    count = 2 + len(arguments.more)
    if count > len(NAMES):
        raise Refused(f"{count} runs are too many; at most {len(NAMES)} are allowed: leave some out")
    return arguments


def schema() -> Json:
    return schema_of(Line, "A point in several runs", "A line of the output of bench.sh compare --format json.")


def ratio_cells(pair: Pair) -> list[str]:
    doubt = "?" if pair.verdict in (FASTER, SLOWER) and not pair.interleaved else ""
    return [f"{pair.ratio.median:.3f}", interval_text(pair.ratio, 3), pair.verdict + doubt]


def print_table(points: Sequence[Mapping[str, Pair]], names: Sequence[str]) -> None:
    """With more than two runs, each except A has one column, with "-" for a point that it did not measure."""
    def cell(pair: Pair) -> str:
        ratio, interval, verdict = ratio_cells(pair)
        return f"{ratio}{pair.b_mark} ({interval}) {verdict}"

    lines = [list(TITLES) if len(names) == 1 else ["point", "A GB/s", *(f"{name} / A" for name in names)]]
    for by_name in points:
        first = next(iter(by_name.values()))
        own = ([f"{first.b_gb_per_s:.3f}{first.b_mark}", *ratio_cells(first)] if len(names) == 1 else
               [cell(by_name[name]) if name in by_name else "-" for name in names])
        lines.append([str(first.point), f"{first.a_gb_per_s:.3f}{first.a_mark}", *own])
    is_terminal = sys.stdout.isatty()
    sys.stdout.writelines(f"{line}\n" for line in (aligned(lines, len(lines[0])) if is_terminal else map("\t".join, lines)))


def points_of(pairs: Pairs) -> list[dict[str, Pair]]:
    """For each point, its pair with each run. Sorted as by by_group(), and then by the lowest ratio of the point."""
    by_id: dict[str, dict[str, Pair]] = {}
    for name, of_run in pairs.items():
        for pair in of_run:
            by_id.setdefault(pair.point.id, {})[name] = pair
    worst = [min(by_name.values(), key=lambda pair: pair.ratio.median) for by_name in by_id.values()]
    return [by_id[pair.point.id] for of_group in by_group(worst).values() for pair in of_group]


def report_groups(pairs: Sequence[Pair], prefix: str) -> None:
    for (workload, size, *code), of_group in by_group(pairs).items():
        name = plain(" ".join(word for word in (workload, *code, "of", bytes_text(size)) if word))
        faster, slower, same = (sum(pair.verdict == verdict for pair in of_group) for verdict in (FASTER, SLOWER, SAME))
        mean = f" (geometric mean of {len(of_group)} points)" if of_group[1:] else ""
        print(f"{prefix}{name}: ratio {mean_ratio(of_group):.3f}{mean}, "
              f"{faster} faster, {slower} slower, {same} not significantly different", file=sys.stderr)


def prefix_of(name: str, pairs: Pairs) -> str:
    """The beginning of messages about run `name`, unless only one run is compared with A."""
    return f"{name}: " if len(pairs) > 1 else ""


def report_two(a: Run, name: str, run: Run, pairs: Sequence[Pair], prefix: str) -> None:
    """What can make ratios misleading, for example two different machines."""
    machines = [one.header.machine.slug for one in (a, run)]
    if machines[0] != machines[1]:
        say(f"{prefix}TWO MACHINES: A was measured on {machines[0]}, {name} on {machines[1]}; the ratios also depend on the "
            "machines, not only on the code")
    apart = sum(not pair.interleaved for pair in pairs)
    if apart:
        say(f"{prefix}{apart} of {len(pairs)} points were not interleaved: changes of the machine between the runs also change "
            "their ratios, but are not in the confidence intervals")
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
    real = list(map(os.path.realpath, paths.values()))
    if twice := next((path for number, path in enumerate(paths.values()) if real[number] in real[:number]), None):
        raise Refused(f"{twice} is given twice; give {'two ' if len(paths) == 2 else ''}different runs")
    runs = {name: read_planned_run(path) for name, path in paths.items()}
    summaries = summarize(runs["A"])
    pairs = {name: pair_up(runs["A"], summaries, run, summarize(run)) for name, run in runs.items() if name != "A"}
    for name, of_run in pairs.items():
        if not of_run:
            raise Refused(f"{arguments.a} and {paths[name]} have no measured point in common; to measure the points of "
                          f"{arguments.a} again, use {FRONT} run --from {arguments.a}")
    for run in runs.values():
        for note in run.notes:
            say(f"{run.path}: {note}")
    for name, of_run in pairs.items():
        report_two(runs["A"], name, runs[name], of_run, prefix_of(name, pairs))
    points = points_of(pairs)
    if arguments.format == "json":
        for by_name in points:
            print(json.dumps(to_json(line_of(by_name, {name: str(run.path) for name, run in runs.items()}))))
    else:
        print_table(points, list(pairs))
    sys.stdout.flush()
    for name, of_run in pairs.items():
        report_groups(of_run, prefix_of(name, pairs))
    is_marked = any(pair.a_mark or pair.b_mark for of_run in pairs.values() for pair in of_run)
    for note in dict.fromkeys(filter(None, (Marks(run).note(is_marked) for run in runs.values()))):
        say(note)
    return 0


def main() -> int:
    return run_to_the_end(compare, "interrupted", runs_others=False)
