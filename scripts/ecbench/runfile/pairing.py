"""Two runs point by point: how much faster or slower the second is, and how sure that is.

Runs are interleaved at a point if each has as many repetitions of it, at least two, and these alternate in time: the first of
either run before the second of either, and so on. Then what the machine does in the meantime happens to both, and the ratios of
repetitions that are neighbours in time are what is drawn: from six on, their median's interval stands for itself. Otherwise, and
below six, the interval is that of two independent figures: the distances of their own intervals' ends, squared and added, on a
logarithmic scale (the method of variance estimates recovery: Zou and Donner, Statistics in Medicine 27, 2008), which needs no
symmetry. It knows nothing of what the machine did between two runs that are not interleaved."""

import dataclasses
import itertools
import math

from ecbench.runfile.summary import FEWEST_FOR_INTERVAL
from ecbench.statistics.interval import geometric_mean, median, median_interval

FASTER, SLOWER, SAME, UNKNOWN = "faster", "slower", "~", "-"


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """One point in both runs; ratio, low and high are of the second run's speed over the first's."""
    point: object
    a_gb_per_s: float
    b_gb_per_s: float
    ratio: float
    low: float | None  # None where either run has one sample
    high: float | None
    interleaved: bool
    a_mark: str = ""  # next to a_gb_per_s
    b_mark: str = ""

    @property
    def group(self):
        return self.point.workload, self.point.size, self.point.plugin, self.point.get("technique", "")

    @property
    def verdict(self):
        if self.low is None:
            return UNKNOWN
        return FASTER if self.low > 1 else SLOWER if self.high < 1 else SAME


@dataclasses.dataclass(frozen=True)
class Group:
    """The pairs of one workload, size and technique, the worst ratio first."""
    name: tuple
    pairs: list

    @property
    def ratio(self):
        return geometric_mean([pair.ratio for pair in self.pairs])

    def count(self, verdict):
        return sum(pair.verdict == verdict for pair in self.pairs)


def pair_up(a, a_summaries, b, b_summaries):
    """A Pair for each point that has a figure in both runs, in the first run's order. Both take a Run and its summaries."""
    of_b = {summary.id: summary for summary in b_summaries if summary.gb_per_s}
    return [pair(summary, a.rows[summary.id], of_b[summary.id], b.rows[summary.id])
            for summary in a_summaries if summary.gb_per_s and summary.id in of_b]


def pair(a, a_rows, b, b_rows):
    in_step = neighbours(a_rows, b_rows)
    ratio, low, high = b.gb_per_s / a.gb_per_s, None, None
    if a.low and b.low:
        low, high = independent_interval(a, b)
    if in_step:
        ratios = [b_row["gb_per_s"] / a_row["gb_per_s"] for a_row, b_row in in_step]
        ratio = median(ratios)
        if len(ratios) >= FEWEST_FOR_INTERVAL:
            low, high = median_interval(ratios)[:2]
        elif low is not None:
            low, high = min(low, *ratios), max(high, *ratios)
    return Pair(a.point, a.gb_per_s, b.gb_per_s, ratio, low, high, bool(in_step), a.mark, b.mark)


def independent_interval(a, b):
    ratio = b.gb_per_s / a.gb_per_s
    below = math.hypot(math.log(b.gb_per_s / b.low), math.log(a.high / a.gb_per_s))
    above = math.hypot(math.log(b.high / b.gb_per_s), math.log(a.gb_per_s / a.low))
    return ratio * math.exp(-below), ratio * math.exp(above)


def neighbours(a_rows, b_rows):
    """The repetitions of both by pairs, in the order of time; none if the runs are not interleaved here."""
    pairs = list(zip(sorted(a_rows, key=time_of), sorted(b_rows, key=time_of)))
    if len(a_rows) != len(b_rows) or len(pairs) < 2:
        return []
    alternate = all(max(map(time_of, earlier)) <= min(map(time_of, later)) for earlier, later in itertools.pairwise(pairs))
    return pairs if alternate and time_of(pairs[0][0]) != time_of(pairs[-1][0]) else []


def time_of(row):
    return row["at"]  # ISO 8601, UTC, of one width: sorts as text


def groups_of(pairs):
    """Groups in the order of workload, size and technique."""
    by_name = {}
    for each in pairs:
        by_name.setdefault(each.group, []).append(each)
    return [Group(name, sorted(of_group, key=lambda each: each.ratio)) for name, of_group in sorted(by_name.items())]
