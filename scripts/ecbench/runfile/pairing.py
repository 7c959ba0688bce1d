"""Two runs point by point: how much faster or slower the second is.

Runs are interleaved at a point if each has as many repetitions of it, at least two, and these alternate in time: the first of
either run before the second of either, and so on. Then what the machine does in the meantime happens to both. The ratios of
repetitions that are neighbours in time are compared, from six on with the interval of their median. If the runs are not
interleaved, or have fewer than six repetitions, the interval is that of two independent figures. It does not cover what the machine
did between two runs that are not interleaved."""

import dataclasses
import itertools

from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, geometric_mean, independent_ratio

FASTER, SLOWER, SAME, UNKNOWN = "faster", "slower", "~", "-"


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """One point in both runs."""
    point: object
    a_gb_per_s: float
    b_gb_per_s: float
    ratio: Estimate  # of the second run's speed to the first's; without an interval if either run has one sample
    interleaved: bool
    a_mark: str = ""  # next to a_gb_per_s
    b_mark: str = ""

    @property
    def group(self):
        return self.point.workload, self.point.size, self.point.plugin, self.point.get("technique", "")

    @property
    def verdict(self):
        if self.ratio.low is None:
            return UNKNOWN
        return FASTER if self.ratio.low > 1 else SLOWER if self.ratio.high < 1 else SAME


@dataclasses.dataclass(frozen=True)
class Group:
    """The pairs of one workload, size and technique, the worst ratio first."""
    name: tuple
    pairs: list

    @property
    def ratio(self):
        return geometric_mean([pair.ratio.median for pair in self.pairs])

    def count(self, verdict):
        return sum(pair.verdict == verdict for pair in self.pairs)


def pair_up(a, a_summaries, b, b_summaries):
    """A Pair for each point that has a figure in both runs, in the first run's order. Both take a Run and its summaries."""
    of_b = {summary.id: summary for summary in b_summaries if summary.gb_per_s}
    return [pair(summary, a.rows[summary.id], of_b[summary.id], b.rows[summary.id])
            for summary in a_summaries if summary.gb_per_s and summary.id in of_b]


def pair(a, a_rows, b, b_rows):
    in_step = neighbours(a_rows, b_rows)
    ratio = independent_ratio(b.estimate, a.estimate)
    if in_step:
        ratios = [b_row["gb_per_s"] / a_row["gb_per_s"] for a_row, b_row in in_step]
        paired = estimate(ratios)
        if len(ratios) < FEWEST_VALUES and ratio.low is not None:
            paired = dataclasses.replace(paired, low=min(ratio.low, *ratios), high=max(ratio.high, *ratios))
        ratio = paired
    return Pair(a.point, a.gb_per_s, b.gb_per_s, ratio, bool(in_step), a.mark, b.mark)


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
    return [Group(name, sorted(of_group, key=lambda each: each.ratio.median)) for name, of_group in sorted(by_name.items())]
