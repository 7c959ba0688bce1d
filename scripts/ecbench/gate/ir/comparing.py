"""Compares the instruction counts of two builds."""

import concurrent.futures
import os
import sys

from ecbench.gate.ir.counting import Count, Counter, warm
from ecbench.gate.ir.judging import CountChange, Result, judge, result_of
from ecbench.gate.sides import likeness
from ecbench.gate.sides.points import GatePoints
from ecbench.gate.sides.sides import Side, titles
from ecbench.measure.budget import Budget
from ecbench.measure.ecbench import SECONDS_TO_ANSWER
from ecbench.point.point import Point
from ecbench.process.children import Child
from ecbench.profilers.subject import Broken, other_kernel
from ecbench.terminal.console import Refused, WrongBytes
from ecbench.terminal.progress import Progress, duration

MOST_AT_ONCE = 8

Task = tuple[str, Point, Side]  # id of the point, the point, and the side that is counted


def compared(points: GatePoints, counters: list[Counter], old: Side, new: Side, native: str | None, child: Child,
             budget: Budget) -> Result:
    """If the budget is spent, compares the points that are counted so far. Throws Refused, WrongBytes, Broken and Unreadable."""
    likeness.check_plugins(old, new, {point.point.plugin for point in points.values()})
    likeness.check_points(points, old, new, child)
    likeness.tell_builds(*(side.ecbench(child).environment(side.codec_words()).ecbench for side in (old, new)))
    kernels = dict(zip(points, native_kernels([point.point for point in points.values()], new, child), strict=True))
    verdicts: list[CountChange] = []
    planned = 0
    for counter in counters:
        chosen = points
        if counter.name == "native" and native == "differing":
            others = other_kernels(verdicts)
            chosen = {identity: point for identity, point in points.items() if identity in others}
        verdicts += judged(chosen, counter, old, new, kernels, child, budget)
        planned += len(chosen)
    before, now = titles(old.to_json(), new.to_json())
    notes = [*kernel_notes(verdicts), *budget_notes(len(verdicts), planned, budget)]
    return result_of(f"OLD, {before}", f"NEW, {now}", verdicts, notes)


def budget_notes(counted: int, planned: int, budget: Budget) -> list[str]:
    """A message if the budget did not suffice for all counts. Throws Refused if there is none."""
    if counted == planned:
        return []
    text = f"the budget of {duration(budget.seconds or 0)} is spent after {counted} of {planned} counts"
    if not counted:
        raise Refused(f"{text}; give more --budget or a smaller --grid")
    return [f"{text}; the verdict is about these"]


def judged(points: GatePoints, counter: Counter, old: Side, new: Side, kernels: dict[str, str], child: Child,
           budget: Budget) -> list[CountChange]:
    """`kernels`: id of a point → the kernel that runs natively."""
    counts = count_all([(identity, point.point, side) for identity, point in points.items() for side in (old, new)], counter, child,
                       budget)
    return [judge(identity, str(point.point), counter.name, counts[old.name, identity], counts[new.name, identity],
                  point.tolerance_percent, kernels[identity] if counter.name == "callgrind" else None)
            for identity, point in points.items() if {(old.name, identity), (new.name, identity)} <= counts.keys()]


def native_kernels(points: list[Point], side: Side, child: Child) -> list[str]:
    """"" if unknown. ecbench --describe prints the kernel, but not together with --codec-lib; then the kernel is that of the row of
    a measurement with one iteration."""
    ecbench = side.ecbench(child)
    if side.codec_lib is None:
        return [answer.kernel for answer in ecbench.describe([{"words": point.words()} for point in points])]
    quick = [*side.codec_words(), "--iterations", "1", "--limit", "no"]
    outcomes = [ecbench.measure([*warm(point, point.size).words(), *quick], SECONDS_TO_ANSWER) for point in points]
    return ["" if outcome.failure else outcome.kernel for outcome in outcomes]


def other_kernels(verdicts: list[CountChange]) -> dict[str, CountChange]:
    """id → verdict of each point at which callgrind counted another kernel than the native kernel."""
    return {verdict.id: verdict for verdict in verdicts if verdict.is_of_other_kernel}


def kernel_notes(verdicts: list[CountChange]) -> list[str]:
    """A warning if callgrind counted another kernel than the native kernel at points that are not also counted natively."""
    natively = {verdict.id for verdict in verdicts if verdict.counter == "native"}
    others = [verdict for identity, verdict in other_kernels(verdicts).items() if identity not in natively]
    if not others:
        return []
    counted = sum(verdict.counter == "callgrind" for verdict in verdicts)
    first = others[0]
    kernels = other_kernel(first.new.kernel, first.native_kernel or "", by_valgrind=True)
    return [f"the counted kernel is not the native kernel at {len(others)} of {counted} points, such as {first.point}: {kernels}; "
            "with --native, these points are also counted natively"]


def count_all(tasks: list[Task], counter: Counter, child: Child, budget: Budget) -> dict[tuple[str, str], Count]:
    """(name of the side, id of the point) → count, for the tasks that begin within the budget. Counts up to MOST_AT_ONCE points at
    the same time, because other programs do not change the counts."""
    def count(point: Point, side: Side) -> Count | None:
        return None if budget.is_spent() else counter.count(point, side, child)

    progress = Progress(sys.stderr, len(tasks))
    counts = {}
    workers = min(MOST_AT_ONCE, len(os.sched_getaffinity(0)), max(1, len(tasks)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(count, point, side): (identity, point, side) for identity, point, side in tasks}
        try:
            for future in concurrent.futures.as_completed(futures):
                identity, point, side = futures[future]
                try:
                    found = future.result()
                except Broken as error:
                    raise (WrongBytes if error.exit_code == 2 else Refused)(f"{point}, by {side.program}: {error}") from error
                if found:
                    counts[side.name, identity] = found
                progress.advance()
                progress.show(point)
        finally:
            for future in futures:
                future.cancel()
            progress.close()
    return counts
