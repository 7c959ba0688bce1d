"""Compares the counts of points with the counts in the baseline or of OLD, and lists the functions whose counts changed. Counts are
exact, so no statistical test is needed: if a count has grown beyond the tolerance, this is a regression."""

import dataclasses

from ecbench.gate.ir.counting import Count

SAME, GROWN, SHRUNK, NEW, GONE = "same", "grown", "shrunk", "new", "gone"
FUNCTIONS_NAMED = 5
LEAST_SHARE = 0.05  # a function is listed only if its change is at least this share of the largest change


@dataclasses.dataclass(frozen=True)
class FunctionGrowth:
    object: str  # name of the ELF file
    function: str  # linker name
    before: float  # instructions in this function per byte of the encoded object
    now: float

    @property
    def growth(self) -> float:
        return self.now - self.before


@dataclasses.dataclass(frozen=True)
class Verdict:
    id: str
    name: str  # name of the point
    counter: str
    outcome: str
    before: Count | None = None  # None if the point is not in the baseline
    now: Count | None = None  # None if the point is only in the baseline
    tolerance_percent: float = 0.0
    functions: tuple[FunctionGrowth, ...] = ()  # the largest change first; empty if the outcome is neither grown nor shrunk
    native_kernel: str | None = None  # only for callgrind: the kernel that runs without valgrind; None or "" if it is unknown

    @property
    def change_percent(self) -> float | None:
        if not self.before or not self.now:
            return None
        return 100 * (self.now.per_byte / self.before.per_byte - 1)

    @property
    def is_of_other_kernel(self) -> bool:
        """Whether the counted kernel differs from the kernel that runs natively."""
        return bool(self.native_kernel) and self.now is not None and self.now.kernel != self.native_kernel


def judge(identity: str, name: str, counter: str, before: Count | None, now: Count | None, tolerance_percent: float) -> Verdict:
    """The verdict on a point. `before` is None if the point is not in the baseline. `now` is None if the point is only in the
    baseline."""
    if before is None or now is None:
        return Verdict(identity, name, counter, NEW if before is None else GONE, before, now, tolerance_percent)
    change = now.per_byte - before.per_byte
    # Two counts of the same code are equal, so a tolerance of 0 is possible.
    outside = abs(change) > before.per_byte * tolerance_percent / 100 * (1 + 1e-12)
    if not outside:
        return Verdict(identity, name, counter, SAME, before, now, tolerance_percent)
    functions = changed_functions(before, now, 1 if change > 0 else -1)
    return Verdict(identity, name, counter, GROWN if change > 0 else SHRUNK, before, now, tolerance_percent, functions)


def changed_functions(before: Count, now: Count, sign: int) -> tuple[FunctionGrowth, ...]:
    """The functions with the largest changes, the largest change first. `sign` is 1 if the count of the point grew, and -1 if it
    shrank. Only functions whose counts changed in the same direction are listed."""
    changes = [FunctionGrowth(*key, before.function_per_byte(key), now.function_per_byte(key))
               for key in before.functions.keys() | now.functions.keys()]
    changes = sorted((change for change in changes if sign * change.growth > 0),
                     key=lambda change: (-sign * change.growth, change.object, change.function))
    return tuple(change for change in changes if sign * change.growth >= LEAST_SHARE * sign * changes[0].growth)[:FUNCTIONS_NAMED]
