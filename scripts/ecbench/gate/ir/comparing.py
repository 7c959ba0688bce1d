"""Compares the instruction counts of two builds at each point, and lists the functions whose counts changed. Counts are exact: a
growth beyond the tolerance is a regression."""

import concurrent.futures
import dataclasses
import os
import sys
from typing import Annotated

from ecbench.documents.document import Key
from ecbench.gate.ir.counting import Count, Counter, warm
from ecbench.gate.sides import both_sides
from ecbench.gate.sides.both_sides import GatePoints
from ecbench.gate.sides.sides import Side, titles
from ecbench.measure.budget import Budget
from ecbench.measure.ecbench import SECONDS_TO_ANSWER
from ecbench.point.point import Point
from ecbench.process.children import Child
from ecbench.profilers.subject import Broken, other_kernel
from ecbench.terminal.console import Refused, WrongBytes
from ecbench.terminal.progress import Progress, duration

FORMAT = "ecbench gate ir 2"
SAME, GROWN, SHRUNK = "same", "grown", "shrunk"
FUNCTIONS_NAMED = 5
LEAST_SHARE = 0.05  # a function is listed only if its change is at least this share of the largest change


@dataclasses.dataclass(frozen=True)
class FunctionGrowth:
    function: str
    object: Annotated[str, Key("The name of the ELF file that contains the function.")]
    old: Annotated[float, Key("Instructions in this function per byte of the encoded object, without those in functions that it "
                              "calls.")]
    new: float

    @property
    def growth(self) -> float:
        return self.new - self.old


@dataclasses.dataclass(frozen=True)
class CountResult:
    instructions_per_byte: Annotated[float, Key("Instructions per byte of the object. Bytes of padding are not counted.", above=0)]
    instructions: Annotated[int, Key("In all iterations together.", least=1)]
    iterations: Annotated[int, Key(least=1)]
    size: Annotated[int, Key("Bytes of the object that was used for the count. For native counts, often fewer than the point has.",
                             least=1)]
    kernel: str


@dataclasses.dataclass(frozen=True)
class CountChange:
    id: Annotated[str, Key("The id of the point, as in run files.")]
    point: Annotated[str, Key("The name of the point.")]
    counter: Annotated[str, Key("How the instructions were counted. native: by single-stepping, without valgrind.",
                                words=("callgrind", "native"))]
    outcome: Annotated[str, Key("same: the count changed by at most the tolerance. grown, shrunk: by more.",
                                words=(SAME, GROWN, SHRUNK))]
    tolerance_percent: Annotated[float, Key(least=0)]
    change_percent: Annotated[float, Key("Change of the instructions per byte.")]
    native_kernel: Annotated[str | None, Key(
        "Only for callgrind: the kernel that runs at this point without valgrind. If it differs from new.kernel, the count is not "
        "valid for runs without valgrind on this CPU. null: unknown, or the counter is native.")]
    old: CountResult
    new: CountResult
    functions: Annotated[list[FunctionGrowth], Key("If the outcome is grown or shrunk: the functions whose counts changed "
                                                   "most in the same direction, the largest change first.")]

    @property
    def is_of_other_kernel(self) -> bool:
        """Whether the counted kernel differs from the kernel that runs natively."""
        return bool(self.native_kernel) and self.new.kernel != self.native_kernel


@dataclasses.dataclass(frozen=True)
class Result:
    """The JSON document."""

    format: Annotated[str, Key(words=(FORMAT,))]
    old: Annotated[str, Key("The name of OLD.")]
    new: Annotated[str, Key("The name of NEW.")]
    exit_code: Annotated[int, Key("0: no count grew beyond its tolerance. 3: a count grew.")]
    notes: Annotated[list[str], Key("Warnings.")]
    points: list[CountChange]


def result_of(old: str, new: str, points: list[CountChange], notes: list[str]) -> Result:
    grown = any(point.outcome == GROWN for point in points)
    return Result(FORMAT, old, new, both_sides.REGRESSION if grown else both_sides.NO_REGRESSION, notes, points)


def judge(identity: str, name: str, counter: str, old: Count, new: Count, tolerance_percent: float,
          native_kernel: str | None = None) -> CountChange:
    change = new.per_byte - old.per_byte
    outcome, functions = SAME, list[FunctionGrowth]()
    # Two counts of the same code are equal, so a tolerance of 0 is possible.
    if abs(change) > old.per_byte * tolerance_percent / 100 * (1 + 1e-12):
        outcome, functions = GROWN if change > 0 else SHRUNK, changed_functions(old, new, 1 if change > 0 else -1)
    before, now = (CountResult(count.per_byte, count.instructions, count.iterations, count.size, count.kernel)
                   for count in (old, new))
    return CountChange(identity, name, counter, outcome, tolerance_percent, 100 * (new.per_byte / old.per_byte - 1),
                       native_kernel or None, before, now, functions)


def changed_functions(old: Count, new: Count, sign: int) -> list[FunctionGrowth]:
    """The largest changes first. `sign`: 1 if the count of the point grew, -1 if it shrank; so did the listed functions."""
    changes = [FunctionGrowth(key[1], key[0], old.function_per_byte(key), new.function_per_byte(key))
               for key in old.functions.keys() | new.functions.keys()]
    changes = sorted((change for change in changes if sign * change.growth > 0),
                     key=lambda change: (-sign * change.growth, change.object, change.function))
    return [change for change in changes[:FUNCTIONS_NAMED] if sign * change.growth >= LEAST_SHARE * sign * changes[0].growth]


MOST_AT_ONCE = 8

Task = tuple[str, Point, Side]  # id of the point, the point, and the side that is counted


def compared(points: GatePoints, counters: list[Counter], old: Side, new: Side, native: str | None, child: Child,
             budget: Budget) -> Result:
    """If the budget is spent, compares the points that are counted so far. Throws Refused, WrongBytes, Broken and Unreadable."""
    both_sides.tell_builds(*(side.ecbench(child).environment(side.codec_words()).ecbench for side in (old, new)))
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
    """"" if unknown. ecbench describe prints the kernel, but not together with --codec-lib; then the kernel is that of the row of
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
