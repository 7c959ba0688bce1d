"""Compares the instruction counts of a build with a baseline, or with the counts of another build."""

import argparse
import dataclasses
from collections.abc import Collection, Iterator

from ecbench.gate.ir.baseline import Baseline
from ecbench.gate.ir.counting import Count, Counter, warm
from ecbench.gate.ir.fingerprint import Facts, fingerprint_of
from ecbench.gate.ir.judging import GONE, GROWN, NEW, Verdict, judge
from ecbench.gate.ir.work import count_all
from ecbench.gate.sides import exit_codes, likeness
from ecbench.gate.sides.points import GatePoints
from ecbench.gate.sides.sides import Side, titles
from ecbench.measure.ecbench import SECONDS_TO_ANSWER
from ecbench.point.point import Point
from ecbench.process.children import Child
from ecbench.profilers.subject import other_kernel

Counts = dict[tuple[str, str], Count]  # name of the counter, id of the point → count


@dataclasses.dataclass
class Result:
    judged: str  # name of the judged build in the output
    against: str  # name of the baseline or of the other build in the output
    verdicts: list[Verdict]
    exit_code: int
    notes: list[str] = dataclasses.field(default_factory=list)  # lines for the user
    fingerprints: list[Facts] = dataclasses.field(default_factory=list)  # one for each counter; empty if no baseline is used
    updated: bool = False


def against_build(points: GatePoints, counters: list[Counter], old: Side, new: Side, native: str | None, child: Child) -> Result:
    """Compares the counts of NEW with those of OLD. Throws Refused if the two builds cannot be compared."""
    likeness.check_plugins(old, new, {point.point.plugin for point in points.values()})
    likeness.check_points(points, old, new, child)
    likeness.tell_builds(*(side.ecbench(child).environment(side.codec_words()) for side in (old, new)))
    counts: dict[str, Counts] = {"OLD": {}, "NEW": {}}
    for counter, chosen in in_turn(points, counters, native, counts["NEW"], new, child):
        tasks = [((side.name, identity), counter, points[identity].point, side) for identity in chosen for side in (old, new)]
        for (name, identity), count in count_all(tasks, child).items():
            counts[name][counter.name, identity] = count
    verdicts = [judge(identity, str(points[identity].point), counter, counts["OLD"][counter, identity], now,
                      points[identity].tolerance_percent) for (counter, identity), now in in_order(counts["NEW"], points, counters)]
    verdicts = with_native_kernels(verdicts, points, new, child)
    code = exit_codes.REGRESSION if any_grown(verdicts) else exit_codes.NO_REGRESSION
    against, judged = titles(old.to_json(), new.to_json())
    return Result(f"NEW, {judged}", f"OLD, {against}", verdicts, code, kernel_notes(verdicts))


def against_baseline(points: GatePoints, counters: list[Counter], new: Side, arguments: argparse.Namespace, baseline: Baseline,
                     child: Child) -> Result:
    result = Result(str(new), f"the baseline {baseline.path}", [], exit_codes.NO_REGRESSION)
    counts: Counts = {}
    for counter, chosen in in_turn(points, counters, arguments.native, counts, new, child):
        if not chosen:
            result.notes.append("every point runs the same kernel natively and under valgrind, so no point is counted natively; "
                                "--native=all counts all points natively")
            continue
        facts = fingerprint_of(counter, new, (point.point for point in points.values()), child)
        result.fingerprints.append(facts)
        counted = count_all([(identity, counter, points[identity].point, new) for identity in chosen], child)
        counts.update({(counter.name, identity): count for identity, count in counted.items()})
        known = baseline.find(facts)
        if known is None and not arguments.update:
            result.notes.append(no_baseline(counter, facts, baseline))
        is_part = bool(arguments.points) or len(chosen) < len(points)
        result.verdicts += judge_all(points, counter, counted, known or {}, () if is_part else points)
        if arguments.update:
            baseline.put(facts, {identity: (count, str(points[identity].point)) for identity, count in counted.items()}, is_part)
    result.verdicts = with_native_kernels(result.verdicts, points, new, child)
    result.notes += kernel_notes(result.verdicts)
    finish(result, arguments, baseline)
    return result


def with_native_kernels(verdicts: list[Verdict], points: GatePoints, side: Side, child: Child) -> list[Verdict]:
    """Returns the verdicts. In the verdicts on callgrind's counts, `native_kernel` is set."""
    ids = [verdict.id for verdict in verdicts if verdict.counter == "callgrind" and verdict.now]
    kernels = dict(zip(ids, native_kernels([points[identity].point for identity in ids], side, child), strict=True))
    return [dataclasses.replace(verdict, native_kernel=kernels.get(verdict.id)) if verdict.counter == "callgrind" else verdict
            for verdict in verdicts]


def native_kernels(points: list[Point], side: Side, child: Child) -> list[str]:
    """The kernel that runs natively at each point; "" if the kernel is unknown. ecbench --describe prints the kernel of a point,
    but not together with --codec-lib. Therefore, if the side has its own codec libraries, each point is measured with one
    iteration. The row of this measurement contains the kernel."""
    ecbench = side.ecbench(child)
    if side.codec_lib is None:
        return [answer.get("kernel", "") for answer in ecbench.describe([{"words": point.words()} for point in points])]
    quick = [*side.codec_words(), "--iterations", "1", "--limit", "no"]
    outcomes = [ecbench.measure([*warm(point, point.size).words(), *quick], SECONDS_TO_ANSWER) for point in points]
    return [outcome.row.get("kernel", "") if outcome.row else "" for outcome in outcomes]


def kernel_notes(verdicts: list[Verdict]) -> list[str]:
    """Returns a warning, or an empty list. The warning says at how many points callgrind counted another kernel than the native
    kernel. Points that are also counted natively are left out."""
    counted = [verdict for verdict in verdicts if verdict.counter == "callgrind" and verdict.now]
    natively = {verdict.id for verdict in verdicts if verdict.counter == "native"}
    others = [(verdict.name, verdict.now.kernel, verdict.native_kernel) for verdict in counted
              if verdict.is_of_other_kernel and verdict.now and verdict.id not in natively]
    if not others:
        return []
    name, kernel, native_kernel = others[0]
    kernels = other_kernel(kernel, native_kernel, by_valgrind=True)
    return [f"the counted kernel is not the native kernel at {len(others)} of {len(counted)} points, such as {name}: {kernels}; "
            "with --native, these points are also counted natively"]


def in_turn(points: GatePoints, counters: list[Counter], native: str | None, counts: Counts, side: Side,
            child: Child) -> Iterator[tuple[Counter, list[str]]]:
    """Yields pairs: a counter, and the ids of the points that this counter must count. The caller must count these points, and add
    the counts to `counts`, before it asks for the next pair."""
    for counter in counters:
        chosen = list(points)
        if counter.name == "native" and native == "differing":
            kernels = native_kernels([points[identity].point for identity in chosen], side, child)
            chosen = [identity for identity, kernel in zip(chosen, kernels, strict=True)
                      if counts["callgrind", identity].kernel != kernel]
        yield counter, chosen


def in_order(counts: Counts, points: GatePoints, counters: list[Counter]) -> Iterator[tuple[tuple[str, str], Count]]:
    """Yields all counts of one counter, then all counts of the next counter. The counts of a counter have the order of the points
    in the grid."""
    for counter in counters:
        for identity in points:
            if (counter.name, identity) in counts:
                yield (counter.name, identity), counts[counter.name, identity]


def judge_all(points: GatePoints, counter: Counter, counted: dict[str, Count], known: dict[str, tuple[Count, str]],
              whole: Collection[str]) -> list[Verdict]:
    """The verdicts, in the order of the points in the grid. `whole`: the ids of all points in the grid, or empty if only some of
    these points were counted. If `whole` is not empty, verdicts on points that are only in the baseline are at the end."""
    verdicts = []
    for identity, point in points.items():
        if identity in counted:
            before = known[identity][0] if identity in known else None
            verdicts.append(judge(identity, str(point.point), counter.name, before, counted[identity], point.tolerance_percent))
    gone = [identity for identity in known if whole and identity not in whole]
    return verdicts + [judge(identity, known[identity][1], counter.name, known[identity][0], None, 0.0) for identity in gone]


def no_baseline(counter: Counter, facts: Facts, baseline: Baseline) -> str:
    nearest = baseline.nearest(facts)
    if nearest is None:
        why = f"{baseline.path} has no {counter.name} counts"
    else:
        why = f"the most similar baseline in {baseline.path} differs in {'; '.join(nearest)}"
    return f"no baseline matches this machine and build: {why}; --update adds a baseline"


def finish(result: Result, arguments: argparse.Namespace, baseline: Baseline) -> None:
    """With --update, writes the baseline file. Otherwise sets the exit code, and adds notes about points that are only in the grid
    or only in the baseline."""
    outcomes = [verdict.outcome for verdict in result.verdicts]
    if arguments.update:
        baseline.write()
        result.updated = True
        return
    if NEW in outcomes and max(outcomes, key=outcomes.count) != NEW:
        result.notes.append(f"points that are not in the baseline: {outcomes.count(NEW)}; --update adds them")
    if GONE in outcomes:
        result.notes.append(f"points of the baseline that are not in the grid: {outcomes.count(GONE)}; --update removes them")
    if any_grown(result.verdicts):
        result.exit_code = exit_codes.REGRESSION
    elif NEW in outcomes and arguments.require_baseline:
        result.exit_code = exit_codes.INCONCLUSIVE


def any_grown(verdicts: list[Verdict]) -> bool:
    return any(verdict.outcome == GROWN for verdict in verdicts)
