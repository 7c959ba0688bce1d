"""Compares counts with earlier counts, and lists the functions whose counts grew. Counts are exact, so no statistics are needed:
growth beyond the tolerance is a regression."""

import dataclasses

from ecbench.gate.ir.counting import Count

SAME, GROWN, SHRUNK, NEW, GONE = "same", "grown", "shrunk", "new", "gone"
FUNCTIONS_NAMED = 5
LEAST_SHARE = 0.05  # a function is listed if its growth is at least this share of the largest growth of a function


@dataclasses.dataclass(frozen=True)
class FunctionGrowth:
    object: str
    function: str
    before: float  # instructions per byte of object
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
    before: Count | None = None  # None for a new point
    now: Count | None = None  # None for a point that was removed
    tolerance_percent: float = 0.0
    functions: tuple[FunctionGrowth, ...] = ()  # empty unless the point's count grew or shrank; the largest change first
    native_kernel: str | None = None  # the kernel that runs natively for `now`; None if it is unknown

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
    """The verdict of a point whose counts are `before` and `now`; either may be None."""
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
    """Functions whose counts changed in the same direction as the total, the largest change first."""
    changes = [FunctionGrowth(*key, before.function_per_byte(key), now.function_per_byte(key))
               for key in before.functions.keys() | now.functions.keys()]
    changes = sorted((change for change in changes if sign * change.growth > 0),
                     key=lambda change: (-sign * change.growth, change.object, change.function))
    return tuple(change for change in changes if sign * change.growth >= LEAST_SHARE * sign * changes[0].growth)[:FUNCTIONS_NAMED]
