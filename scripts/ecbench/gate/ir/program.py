"""bench.sh gate ir OLD NEW: tests whether NEW executes more instructions than OLD. Counts are reproducible to the last digit, also
on a busy machine: a growth beyond the tolerance is a regression. Lists the functions whose counts changed."""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Annotated

from ecbench.documents.document import Key
from ecbench.gate.ir.counting import ByCallgrind, ByStepping, Count, Counter, warm
from ecbench.gate.sides import both_sides
from ecbench.gate.sides.both_sides import GatePoints
from ecbench.gate.sides.sides import Side, titles
from ecbench.measure.ecbench import SECONDS_TO_ANSWER
from ecbench.measure.session import Budget, add_budget
from ecbench.page.block import Block, Column, Form, Page
from ecbench.point.point import Point, bytes_text
from ecbench.process.process import Child
from ecbench.profilers.subject import other_kernel, shortened
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import GREEN, RED, Progress, Refused, WrongBytes

FORMAT = "ecbench gate ir 2"
SAME, GROWN, SHRUNK = "same", "grown", "shrunk"
FUNCTIONS_NAMED = 5
MOST_AT_ONCE = 8
SECONDS_TO_COUNT = 600.0
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
    old: Count
    new: Count
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
    before, now = old.instructions_per_byte, new.instructions_per_byte
    outcome, functions = SAME, list[FunctionGrowth]()
    # Two counts of the same code are equal, so a tolerance of 0 is possible.
    if abs(now - before) > before * tolerance_percent / 100 * (1 + 1e-12):
        outcome, functions = GROWN if now > before else SHRUNK, changed_functions(old, new, 1 if now > before else -1)
    return CountChange(identity, name, counter, outcome, tolerance_percent, 100 * (now / before - 1), native_kernel or None, old,
                       new, functions)


def changed_functions(old: Count, new: Count, sign: int) -> list[FunctionGrowth]:
    """The largest changes first. `sign`: 1 if the count of the point grew, -1 if it shrank; so did the listed functions."""
    changes = [FunctionGrowth(key[1], key[0], old.function_per_byte(key), new.function_per_byte(key))
               for key in old.functions.keys() | new.functions.keys()]
    changes = sorted((change for change in changes if sign * change.growth > 0),
                     key=lambda change: (-sign * change.growth, change.object, change.function))
    return [change for change in changes[:FUNCTIONS_NAMED] if sign * change.growth >= LEAST_SHARE * sign * changes[0].growth]


def compared(points: GatePoints, counters: list[Counter], old: Side, new: Side, native: str | None, child: Child,
             budget: Budget, timeout: float) -> Result:
    """If the budget is spent, compares the points that are counted so far. Throws Refused and WrongBytes."""
    both_sides.tell_builds(*(side.ecbench(child).environment(side.codec_words()).ecbench for side in (old, new)))
    verdicts, cut = list[CountChange](), list[tuple[float, str]]()
    planned = 0
    for counter in counters:
        chosen = points
        if counter.name == "native" and native == "differing":
            others = other_kernels(verdicts)
            chosen = {identity: point for identity, point in points.items() if identity in others}
        verdicts += judged(chosen, counter, old, new, child, budget, timeout, cut)
        planned += len(chosen)
    before, now = titles(old.to_json(), new.to_json())
    notes = [*kernel_notes(verdicts), *budget_notes(len(verdicts), planned, budget, cut)]
    return result_of(f"OLD, {before}", f"NEW, {now}", verdicts, notes)


def budget_notes(counted: int, planned: int, budget: Budget, cut: Sequence[tuple[float, str]] = ()) -> list[str]:
    """A message if the budget did not suffice for all counts; `cut`: those that it ended. Throws Refused if there is no count."""
    if counted == planned:
        return []
    text = f"{budget.spent_text()} after {counted} of {planned} counts" + (f", during {max(cut)[1]}" if cut else "")
    if not counted:
        raise Refused(f"{text}; give more --budget or a smaller --grid")
    return [f"{text}; the verdict is about these"]


def judged(points: GatePoints, counter: Counter, old: Side, new: Side, child: Child, budget: Budget, timeout: float,
           cut: list[tuple[float, str]]) -> list[CountChange]:
    """Counts the points for which the budget suffices, up to MOST_AT_ONCE at the same time, because other programs do not change
    the counts. Appends to `cut` the counts during which the budget was spent, with the time that they had."""
    def count(point: Point, side: Side) -> Count | None:
        if (left := budget.left()) <= 0:
            return None
        try:
            return counter.count(point, side, child, min(timeout, left))
        except (Refused, WrongBytes) as error:
            raise type(error)(f"{point}: {side}: {error}") from error
        except subprocess.TimeoutExpired as error:
            if timeout <= left:
                raise Refused(f"{point}: {side}: the count did not end within {timeout:g} s") from error
            cut.append((left, f"{point}: {side}"))
            return None

    progress = Progress(sys.stderr, 2 * len(points))
    counts: dict[tuple[str, str], Count] = {}  # name of the side, id of the point
    workers = min(MOST_AT_ONCE, len(os.sched_getaffinity(0)), max(1, 2 * len(points)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(count, each.point, side): (each.point, side) for each in points.values() for side in (old, new)}
        try:
            for future in concurrent.futures.as_completed(futures):
                point, side = futures[future]
                if found := future.result():
                    counts[side.name, point.id] = found
                progress.advance()
                progress.show(point)
        finally:
            pool.shutdown(cancel_futures=True)
    whole = [each for key, each in points.items() if {(old.name, key), (new.name, key)} <= counts.keys()]
    kernels = native_kernels([each.point for each in whole], new, child) if counter.name == "callgrind" else [None] * len(whole)
    return [judge(each.point.id, str(each.point), counter.name, counts[old.name, each.point.id], counts[new.name, each.point.id],
                  each.tolerance_percent, kernel) for each, kernel in zip(whole, kernels, strict=True)]


def native_kernels(points: list[Point], side: Side, child: Child) -> list[str]:
    """The kernel of each point, "" if unknown. ecbench describe prints it, but not together with --codec-lib; then it is in the row
    of a measurement with one iteration."""
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


# The page of a result, and the arguments of bench.sh gate ir.

COLOURS = {GROWN: RED, SHRUNK: GREEN}


@dataclasses.dataclass(frozen=True)
class PointRow:
    """Instructions per byte of the object."""

    outcome: Annotated[str, Column(title="outcome")]
    point: Annotated[str, Column(title="point")]
    old: Annotated[float, Column(title="OLD", form=Form.RATIO)]
    new: Annotated[float, Column(title="NEW", form=Form.RATIO)]
    change: Annotated[float, Column(title="change %", form=Form.RATIO)]
    kernels: Annotated[str, Column(title="kernels")]  # if they differ


@dataclasses.dataclass(frozen=True)
class FunctionRow:
    """A function whose count changed, in a point whose outcome is not SAME."""

    function: Annotated[str, Column(title="function")]
    object: Annotated[str, Column(title="object")]
    point: Annotated[str, Column(title="point")]
    old: Annotated[float, Column(title="OLD", form=Form.RATIO)]
    new: Annotated[float, Column(title="NEW", form=Form.RATIO)]


def page_of(result: Result) -> Page:
    rows = [PointRow(point.outcome, title(point), point.old.instructions_per_byte, point.new.instructions_per_byte,
                     point.change_percent, kernels(point)) for point in result.points]
    functions = [FunctionRow(shortened(one.function), one.object, title(point), one.old, one.new)
                 for point in result.points for one in point.functions]
    counts = collections.Counter(point.outcome for point in result.points)
    answer = (f"REGRESSION: {counts[GROWN]} of {counts.total()} points grew" if counts[GROWN]
              else f"none of {counts.total()} points grew beyond its tolerance" if counts.total() else "no point was counted")
    answer += f", {counts[SHRUNK]} shrank" if counts[SHRUNK] else ""
    rows.sort(key=lambda row: row.outcome == SAME)
    return Page("gate ir", "ecbench gate ir", [answer],
                [Block("Points", "", PointRow, rows), Block("Functions", "", FunctionRow, functions)],
                [("", [f"instructions per byte of object: {result.new}, against {result.old}", *result.notes])], is_list=True)


def title(point: CountChange) -> str:
    if point.counter == "callgrind":
        return point.point
    size = bytes_text(point.new.size)
    return f"{point.point}, natively" + ("" if f" of {size}" in point.point else f" on {size}")


def kernels(point: CountChange) -> str:
    old, new = point.old.kernel or "unknown", point.new.kernel or "unknown"
    of_sides = f"{old} in OLD, {new} in NEW" if old != new else ""
    return f"{of_sides or new}; natively {point.native_kernel}" if point.is_of_other_kernel else of_sides


DESCRIPTION = """Counts the instructions per byte of object of two builds. Fails if a count grew by more than its tolerance (0.5 %,
or tolerance= in the grid). Prints the functions that grew."""

EXAMPLES = """\
bench.sh gate ir HEAD~1 build
bench.sh gate ir --codec-lib system ../isa-l/.libs"""

EPILOG = f"""\
{both_sides.OLD_AND_NEW}

callgrind counts on a synthetic CPU with AVX2, without AVX-512 and GFNI. --native counts on this CPU, one instruction at a time,
with smaller objects.

Exit codes: 0 no count grew beyond the tolerance; 1 bad input; 2 wrong bytes; 3 a count grew; 130 after Ctrl-C."""


def add_arguments(parser: Parser) -> None:
    parser.examples, parser.description, parser.epilog = EXAMPLES, DESCRIPTION, EPILOG
    both_sides.add_sides(parser, SECONDS_TO_COUNT, "a count")
    add = parser.add_argument
    add("--native", nargs="?", const="differing", choices=("differing", "all", "only"), metavar="differing|all|only",
        help="count natively: where valgrind runs another kernel (default), at all points, or only natively")
    add_budget(parser, on="the verdict is then about the points so far")
    both_sides.add_files(add)


check = both_sides.check


def main(arguments: argparse.Namespace, child: Child) -> int:
    """Runs the gate and returns the exit code. Throws Refused, WrongBytes and Interrupted."""
    counters: list[Counter] = [] if arguments.native == "only" else [ByCallgrind()]
    if arguments.native:
        counters.append(ByStepping())
    old, new = both_sides.resolve_sides(arguments, child)
    with both_sides.failing(arguments):
        for side in (old, new):
            for counter in counters:
                counter.check(side, child)
        points = both_sides.common_points(arguments, old, new, child)
        result = compared(points, counters, old, new, arguments.native, child, Budget(arguments.budget), arguments.timeout)
        both_sides.show(page_of(result), result, arguments, COLOURS)
    return result.exit_code
