"""Prints information about the points at the start of an experiment, and about the results at its end."""

import shlex
from collections.abc import Iterator, Sequence

from ecbench.comparison.case import Case, case_of
from ecbench.comparison.figures import figures_of
from ecbench.comparison.questions import SELECT
from ecbench.comparison.select import select
from ecbench.experiment.expansion import Expansion, report_dropped
from ecbench.experiment.experiment import Experiment
from ecbench.experiment.results import Points, Results, experiment_of
from ecbench.installation.places import IS_BUNDLE, command
from ecbench.measure.budget import Budget, seconds_of
from ecbench.point.point import bytes_text
from ecbench.point.wording import number_text
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary, mark_note, summarize
from ecbench.statistics.interval import median
from ecbench.terminal.columns import aligned
from ecbench.terminal.console import plain, say
from ecbench.terminal.progress import duration

BY_PROFILE = Experiment()
MOST_LINES = 40  # a longer list of points is only in the run file and on the page
MUCH_PADDING = 25  # percent


def tell_grid(expansion: Expansion) -> None:
    if expansion.merged:
        why = f" (their technique has no {', '.join(expansion.merged_for)})" if expansion.merged_for else ""
        say(f"{expansion.merged} combinations of the grid give the same point as another combination{why}; each point is measured "
            "once")
    report_dropped(expansion.dropped)
    padded = [percent for entry in expansion.entries if (percent := entry.padding_percent or 0) > MUCH_PADDING]
    if padded:
        say(f"{len(padded)} of {len(expansion.entries)} points have more than {MUCH_PADDING} % padding, up to {max(padded):.0f} %, "
            f"which GB/s does not count; max-padding={MUCH_PADDING} leaves them out")


def print_points(expansion: Expansion) -> None:
    print("id", "chunk size", "padding %", "point", sep="\t")
    for entry in expansion.entries:
        print(entry.id, entry.chunk_size, f"{entry.padding_percent:.1f}", entry.point, sep="\t")


def tell_estimate(points: int, repetitions: int, min_time: float, budget: Budget, done: int = 0) -> None:
    rest = f"; {done} measurements are done; the rest" if done else "; this"
    say(f"{points} points, {repetitions} times each, {min_time:g} s of samples per measurement{rest} takes about "
        f"{duration(budget.announce(seconds_of(points * repetitions - done, min_time)))}")


def tell_cases(count: int, seconds: float, budget: Budget) -> None:
    allowed = budget.announce(seconds)
    limited = f"; the budget ends after {duration(allowed)}" if allowed < seconds else ""
    say(f"{count} cases, one after another; all take about {duration(seconds)}{limited}")


def print_summary(run: Run) -> None:
    summaries = summarize(run)
    rows = sum(len(rows) for rows in run.rows.values())
    failures = sum(len(failures) for failures in run.failures.values())
    print(f"run: {plain(run.path)}")
    measured = [summary for summary in summaries if summary.gb_per_s is not None]
    unmeasured = sum(summary.is_unmeasured for summary in summaries)
    waiting = f", {unmeasured} points not measured" if unmeasured else ""
    print(f"{len(summaries)} points, {rows} rows, {failures} failures{waiting}")
    for size in sorted({summary.point.size for summary in measured}):
        widths = [summary.interval_percent for summary in measured
                  if summary.point.size == size and summary.interval_percent is not None]
        if widths:
            print(f"median of the 95 % intervals at {bytes_text(size)}: ±{median(widths):.1f} %")
    if measured:
        print_results(run, summaries, measured)
    if not IS_BUNDLE:  # a bundle does not have the mode report
        print(f"draw charts of this run: {command('report')} {plain(shlex.quote(str(run.path)))}")


def print_results(run: Run, summaries: Sequence[PointSummary], measured: Sequence[PointSummary]) -> None:
    experiment = experiment_of(run)
    results = Results.of_run(run)
    if experiment.title:
        print(experiment.title)
    if experiment.table:
        print(*results.tables(), sep="\n")
    elif len(measured) <= MOST_LINES:
        print(*point_lines(measured), sep="\n")
    is_ranked = experiment.question is SELECT and not experiment.candidate
    for line in (*results.changes(), *results.answers(), *(fastest_lines(summaries) if is_ranked else ())):
        print(line)
    for line in filter(None, (results.empty_calls, results.legend)):
        print(line)
    if note := mark_note(run, any(summary.mark for summary in measured)):
        print(note)


def order_of(summaries: Sequence[PointSummary]) -> tuple[str, int, int, Case]:
    case = case_of(summaries[0])
    return case.workload, case.erasures, case.size, case


def point_lines(measured: Sequence[PointSummary]) -> Iterator[str]:
    rows = [(str(one.point), f"{one.gb_per_s:.2f}{one.mark}", number_text(one.interval_percent), number_text(one.padding_percent))
            for one in measured]
    yield from aligned([("point", "GB/s", "±%", "padding %"), *rows])


def fastest_lines(summaries: Sequence[PointSummary]) -> Iterator[str]:
    """Of profiles: yields a line for each case with a figure, and advice if some cases are inconclusive."""
    by_id = {summary.id: summary for summary in summaries if not summary.has_wrong_bytes}
    cases = Points({identity: summary.point for identity, summary in by_id.items()}, BY_PROFILE).cases
    advice = ""
    for of_case in sorted(([by_id[identity] for identity in case.ids.values()] for case in cases), key=order_of):
        group = {str(summary.point): summary for summary in of_case}
        measured = {name: summary for name, summary in group.items() if summary.gb_per_s is not None}
        if not measured:
            continue
        failed, unmeasured = ([name for name, summary in group.items() if name not in measured and summary.is_unmeasured == is_open]
                              for is_open in (False, True))
        found = select(figures_of(measured), failed, unmeasured=unmeasured)
        what = f"fastest of {len(group)} profiles: " if len(group) > 1 else ""
        if found.inconclusive:
            yield f"{what}inconclusive: {found.inconclusive}"
            advice = advice or found.inconclusive.what_to_do("run again with more --rounds")
        else:
            best = measured[found.first]
            interval = f" (95 %: {best.low:.2f} to {best.high:.2f})" if best.low is not None else ""
            ties = f", {len(found.ties)} tie{'s' if len(found.ties) > 1 else ''}" if found.ties else ""
            yield f"{what}{best.point}: {best.gb_per_s:.2f}{best.mark} GB/s{interval}{ties}"
    if advice:
        yield f"for inconclusive results: {advice}"
