"""Holds counts against those before, and names the functions that grew. Counts are exact, so that nothing is estimated here: what
lies beyond the tolerance is a regression."""

import dataclasses

SAME, GROWN, SHRUNK, NEW, GONE = "same", "grown", "shrunk", "new", "gone"
FUNCTIONS_NAMED = 5
LEAST_SHARE = 0.05  # of the largest growth: smaller ones are not worth a line


@dataclasses.dataclass(frozen=True)
class FunctionGrowth:
    object: str
    function: str
    before: float  # instructions per byte of object
    now: float

    @property
    def growth(self):
        return self.now - self.before


@dataclasses.dataclass(frozen=True)
class Verdict:
    id: str
    name: str  # of the point
    counter: str
    outcome: str
    before: object = None  # Count; None for a new one
    now: object = None  # Count; None for one that is gone
    tolerance_percent: float = 0.0
    functions: tuple = ()  # FunctionGrowth, the largest change first; of those grown and shrunk

    @property
    def change_percent(self):
        if not self.before or not self.now:
            return None
        return 100 * (self.now.per_byte / self.before.per_byte - 1)


def judge(identity, name, counter, before, now, tolerance_percent):
    """The verdict of a point whose counts are `before` and `now`; either may be None."""
    if before is None or now is None:
        return Verdict(identity, name, counter, NEW if before is None else GONE, before, now, tolerance_percent)
    change = now.per_byte - before.per_byte
    # Exact where both counted the same: a tolerance of 0 allows nothing.
    outside = abs(change) > before.per_byte * tolerance_percent / 100 * (1 + 1e-12)
    if not outside:
        outcome, functions = SAME, ()
    else:
        outcome = GROWN if change > 0 else SHRUNK
        functions = changed_functions(before, now, 1 if change > 0 else -1)
    return Verdict(identity, name, counter, outcome, before, now, tolerance_percent, functions)


def changed_functions(before, now, sign):
    """Those whose counts went the way of the whole, the largest change first."""
    changes = [FunctionGrowth(*key, before.function_per_byte(key), now.function_per_byte(key))
               for key in before.functions.keys() | now.functions.keys()]
    changes = sorted((change for change in changes if sign * change.growth > 0),
                     key=lambda change: (-sign * change.growth, change.object, change.function))
    return tuple(change for change in changes if sign * change.growth >= LEAST_SHARE * sign * changes[0].growth)[:FUNCTIONS_NAMED]
