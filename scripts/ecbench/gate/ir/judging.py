"""Compares the counts of points with those of OLD, and lists the functions whose counts changed. Counts are exact: a growth beyond
the tolerance is a regression."""

import dataclasses
from typing import Annotated

from ecbench.documents.document import Key
from ecbench.gate.ir.counting import Count
from ecbench.gate.sides import exit_codes

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
    notes: Annotated[list[str], Key("Lines that were printed to standard error.")]
    points: list[CountChange]


def result_of(old: str, new: str, points: list[CountChange], notes: list[str]) -> Result:
    grown = any(point.outcome == GROWN for point in points)
    return Result(FORMAT, old, new, exit_codes.REGRESSION if grown else exit_codes.NO_REGRESSION, notes, points)


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
