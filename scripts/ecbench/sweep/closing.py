"""Prints information about the grid at the start of a sweep, and about the results at its end."""

import dataclasses
import shlex
from collections.abc import Iterator, Sequence

from ecbench.installation.places import IS_BUNDLE, command
from ecbench.point.expansion import Expansion, report_dropped
from ecbench.point.point import Point, bytes_text
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import MARKED, PointSummary, summarize
from ecbench.statistics.interval import median
from ecbench.statistics.ranking import IndependentFigures, ranking
from ecbench.terminal.console import plain, say
from ecbench.terminal.progress import duration

# A measurement takes SECONDS_PER_PROCESS, plus PER_SECOND_OF_SAMPLES seconds for each second of samples. The process does not only
# take samples: it also loads its plugin, makes and checks its objects, and measures the memory limit. For example, a measurement
# with 0.2 s of samples takes 0.38 s on two cores of an AMD EPYC.
SECONDS_PER_PROCESS = 0.13
PER_SECOND_OF_SAMPLES = 1.25


def tell_grid(expansion: Expansion) -> None:
    if expansion.merged:
        why = f" (their technique has no {', '.join(expansion.merged_for)})" if expansion.merged_for else ""
        say(f"{expansion.merged} combinations of the grid give the same point as another combination{why}; each point is measured "
            "once")
    report_dropped(expansion.dropped)


def print_points(expansion: Expansion) -> None:
    """Prints the table of a dry run."""
    print("id", "chunk size", "padding %", "point", sep="\t")
    for entry in expansion.entries:
        print(entry["id"], entry["chunk_size"], f"{entry['padding_percent']:.1f}", entry["point"], sep="\t")


def tell_estimate(points: int, repetitions: int, min_time: float) -> None:
    seconds = points * repetitions * (SECONDS_PER_PROCESS + PER_SECOND_OF_SAMPLES * min_time)
    say(f"{points} points, {repetitions} times each, {min_time:g} s of samples per measurement; this takes about "
        f"{duration(seconds)}")


def print_summary(run: Run) -> None:
    """Prints to standard output: the path of the run, the width of its intervals, its fastest points, and the next command."""
    summaries = summarize(run)
    rows = sum(len(rows) for rows in run.rows.values())
    failures = sum(len(failures) for failures in run.failures.values())
    print(f"run: {plain(run.path)}")
    print(f"{len(summaries)} points, {rows} rows, {failures} failures")
    measured = [summary for summary in summaries if summary.gb_per_s is not None]
    for size in sorted({summary.point.size for summary in measured}):
        widths = [summary.interval_percent for summary in measured
                  if summary.point.size == size and summary.interval_percent is not None]
        if widths:
            print(f"median of the 95 % intervals at {bytes_text(size)}: ±{median(widths):.1f} %")
    for line in fastest_lines(measured):
        print(line)
    if any(summary.warned for summary in measured):
        print(MARKED)
    if not IS_BUNDLE:  # a bundle does not have the mode report
        print(f"draw charts of this run: {command('report')} {plain(shlex.quote(str(run.path)))}")


def fastest_lines(measured: Sequence[PointSummary]) -> Iterator[str]:
    """Yields a line for each group of points. The points of a group differ only in their profiles, but have the same k and m. If
    some groups are inconclusive, the last line is advice."""
    groups: dict[Point, dict[str, PointSummary]] = {}
    for summary in measured:
        point = summary.point
        shape = tuple(pair for pair in point.profile if pair[0] in ("k", "m"))
        groups.setdefault(dataclasses.replace(point, plugin="", profile=shape), {})[str(point)] = summary
    advice = ""
    for key in sorted(groups, key=lambda one: (one.workload, one.erasures, one.size, one.profile)):
        group = groups[key]
        found = ranking(IndependentFigures({name: summary.estimate for name, summary in group.items()}), list(group),
                        disturbed={name: summary.disturbed for name, summary in group.items()})
        best = group[found.first]
        if found.inconclusive and len(group) > 1:
            yield f"fastest of {len(group)} profiles: inconclusive: {found.inconclusive}"
            advice = advice or found.inconclusive.what_to_do("sweep again with more --repetitions")
        else:
            interval = f" (95 %: {best.low:.2f} to {best.high:.2f})" if best.low is not None else ""
            ties = f", {len(found.ties)} tie{'s' if len(found.ties) > 1 else ''}" if found.ties else ""
            what = f"fastest of {len(group)} profiles: " if len(group) > 1 else ""
            yield f"{what}{best.point}: {best.gb_per_s:.2f}{best.mark} GB/s{interval}{ties}"
    if advice:
        yield f"for inconclusive results: {advice}"
