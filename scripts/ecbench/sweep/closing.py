"""What a sweep tells of its grid before it begins, and of its run when it has ended."""

import shlex
import statistics

from ecbench.point.point import bytes_text
from ecbench.runfile.summary import MARKED, summarize
from ecbench.terminal.console import plain, say
from ecbench.terminal.progress import duration

# Beside the timed samples a process starts, loads its plugin, makes and checks its objects, and measures the limit between the
# samples: 0.38 s in all with 0.2 s of samples, two cores of an AMD EPYC.
SECONDS_PER_PROCESS = 0.13
PER_SECOND_OF_SAMPLES = 1.25


def estimated_seconds(processes, min_time):
    return processes * (SECONDS_PER_PROCESS + PER_SECOND_OF_SAMPLES * min_time)


def tell_grid(expansion):
    if expansion.merged:
        why = f" (their technique has no {', '.join(expansion.merged_for)})" if expansion.merged_for else ""
        say(f"{expansion.merged} combinations are the same point as another{why} and are measured once")
    for reason in expansion.dropped:
        say(f"{reason['count']} dropped, such as {reason['example']}: {reason['why']}")


def print_points(expansion):
    """The table of a dry run."""
    print("id", "chunk size", "padding %", "point", sep="\t")
    for entry in expansion.entries:
        print(entry["id"], entry["chunk_size"], f"{entry['padding_percent']:.1f}", entry["point"], sep="\t")


def tell_estimate(points, repetitions, min_time):
    seconds = estimated_seconds(points * repetitions, min_time)
    say(f"{points} points, {repetitions} times each, {min_time:g} s of samples: about {duration(seconds)}")


def print_summary(run):
    """On standard output: where the run is, how sure it is, its best points, and what to do with it."""
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
            print(f"median interval at {bytes_text(size)}: ±{statistics.median(widths):.1f} %")
    for line in best_lines(measured):
        print(line)
    if any(summary.warned for summary in measured):
        print(MARKED)
    print(f"draw it: ./bench.sh report {plain(shlex.quote(str(run.path)))}")


def best_lines(measured):
    groups = {}
    for summary in measured:
        point = summary.point
        key = (point.workload, point.erasures, point.size, point.get("k", ""), point.get("m", ""), point.cache, point.threads,
               point.timing, point.stripe_unit or 0, point.codec_lib or "")
        groups.setdefault(key, []).append(summary)
    for key in sorted(groups):
        best = max(groups[key], key=lambda summary: summary.gb_per_s)
        interval = f" (95 %: {best.low:.2f} to {best.high:.2f})" if best.low is not None else ""
        yield f"best of {len(groups[key])}: {best.point}: {best.gb_per_s:.2f}{best.mark} GB/s{interval}"
