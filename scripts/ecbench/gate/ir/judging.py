"""Compares the counts of points with those of OLD, and lists the functions whose counts changed. Counts are exact: a growth beyond
the tolerance is a regression."""

import dataclasses
from typing import Annotated

from ecbench.documents.document import Key
from ecbench.gate.ir.counting import Count

SAME, GROWN, SHRUNK = "same", "grown", "shrunk"
FUNCTIONS_NAMED = 5
LEAST_SHARE = 0.05  # a function is listed only if its change is at least this share of the largest change


@dataclasses.dataclass(frozen=True)
class FunctionGrowth:
    """A part of the JSON document."""

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
    id: str
    name: str  # name of the point
    counter: str
    outcome: str
    old: Count
    new: Count
    tolerance_percent: float
    functions: tuple[FunctionGrowth, ...]  # the largest change first; empty if the outcome is neither grown nor shrunk
    native_kernel: str | None  # only for callgrind: the kernel that runs without valgrind; None or "" if it is unknown

    @property
    def change_percent(self) -> float:
        return 100 * (self.new.per_byte / self.old.per_byte - 1)

    @property
    def is_of_other_kernel(self) -> bool:
        """Whether the counted kernel differs from the kernel that runs natively."""
        return bool(self.native_kernel) and self.new.kernel != self.native_kernel


def judge(identity: str, name: str, counter: str, old: Count, new: Count, tolerance_percent: float,
          native_kernel: str | None = None) -> CountChange:
    change = new.per_byte - old.per_byte
    outcome, functions = SAME, tuple[FunctionGrowth, ...]()
    # Two counts of the same code are equal, so a tolerance of 0 is possible.
    if abs(change) > old.per_byte * tolerance_percent / 100 * (1 + 1e-12):
        outcome, functions = GROWN if change > 0 else SHRUNK, changed_functions(old, new, 1 if change > 0 else -1)
    return CountChange(identity, name, counter, outcome, old, new, tolerance_percent, functions, native_kernel)


def changed_functions(old: Count, new: Count, sign: int) -> tuple[FunctionGrowth, ...]:
    """The largest changes first. `sign`: 1 if the count of the point grew, -1 if it shrank; so did the listed functions."""
    changes = [FunctionGrowth(key[1], key[0], old.function_per_byte(key), new.function_per_byte(key))
               for key in old.functions.keys() | new.functions.keys()]
    changes = sorted((change for change in changes if sign * change.growth > 0),
                     key=lambda change: (-sign * change.growth, change.object, change.function))
    return tuple(change for change in changes if sign * change.growth >= LEAST_SHARE * sign * changes[0].growth)[:FUNCTIONS_NAMED]
