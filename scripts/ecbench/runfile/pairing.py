"""Compares two runs point by point. The result for a point is the ratio of its two speeds, with a confidence interval.

Two runs are interleaved at a point if their repetitions alternate: both runs measure the point for the first time before one of
them measures it for the second time, and so on. Both runs must have the same number of repetitions, and at least two. If the speed
of the machine changes, this affects both runs.

If the runs are not interleaved, the result is the ratio of two independent figures. Its interval does not include changes of the
machine between the runs. If the runs are interleaved, each repetition gives a ratio of two speeds. The result is the median of
these ratios. With six or more repetitions, the interval is the confidence interval of this median. With fewer repetitions, it is
the interval for independent figures, which is extended so that it contains the ratios of all repetitions."""

import dataclasses
import itertools
from collections.abc import Iterable, Sequence

from ecbench.point.point import Json, Point
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary
from ecbench.statistics.interval import FEWEST_VALUES, Estimate, estimate, geometric_mean, independent_ratio

FASTER, SLOWER, SAME, UNKNOWN = "faster", "slower", "~", "-"


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """One point that is in both runs."""
    point: Point
    a_gb_per_s: float
    b_gb_per_s: float
    ratio: Estimate  # speed in the second run / speed in the first run; has no interval if a run has only one sample of the point
    interleaved: bool
    a_mark: str = ""  # printed after a_gb_per_s if a row of the point has warnings
    b_mark: str = ""

    @property
    def group(self) -> tuple[str, int, str, str]:
        return self.point.workload, self.point.size, self.point.plugin, self.point.get("technique") or ""

    @property
    def verdict(self) -> str:
        if self.ratio.low is None or self.ratio.high is None:
            return UNKNOWN
        return FASTER if self.ratio.low > 1 else SLOWER if self.ratio.high < 1 else SAME


@dataclasses.dataclass(frozen=True)
class Group:
    """The pairs of one workload, size, plugin and technique, in ascending order of the ratio."""
    name: tuple[str, int, str, str]
    pairs: list[Pair]

    @property
    def ratio(self) -> float:
        return geometric_mean([pair.ratio.median for pair in self.pairs])

    def count(self, verdict: str) -> int:
        return sum(pair.verdict == verdict for pair in self.pairs)


def pair_up(a: Run, a_summaries: Sequence[PointSummary], b: Run, b_summaries: Sequence[PointSummary]) -> list[Pair]:
    """The points that have a figure in both runs, in the order of the first run."""
    of_b = {summary.id: summary for summary in b_summaries if summary.gb_per_s}
    return [pair(summary, a.rows[summary.id], of_b[summary.id], b.rows[summary.id])
            for summary in a_summaries if summary.gb_per_s and summary.id in of_b]


def pair(a: PointSummary, a_rows: Sequence[Json], b: PointSummary, b_rows: Sequence[Json]) -> Pair:
    assert a.gb_per_s and b.gb_per_s
    in_step = interleaved_pairs(a_rows, b_rows)
    ratio = independent_ratio(b.estimate, a.estimate)
    if in_step:
        ratios = [b_row["gb_per_s"] / a_row["gb_per_s"] for a_row, b_row in in_step]
        paired = estimate(ratios)
        if len(ratios) < FEWEST_VALUES and ratio.low is not None and ratio.high is not None:
            paired = dataclasses.replace(paired, low=min(ratio.low, *ratios), high=max(ratio.high, *ratios))
        ratio = paired
    return Pair(a.point, a.gb_per_s, b.gb_per_s, ratio, bool(in_step), a.mark, b.mark)


def interleaved_pairs(a_rows: Sequence[Json], b_rows: Sequence[Json]) -> list[tuple[Json, Json]]:
    """The repetitions of both runs in pairs, in the order of measurement. Empty if the runs are not interleaved at this point."""
    pairs = list(zip(sorted(a_rows, key=time_of), sorted(b_rows, key=time_of)))
    if len(a_rows) != len(b_rows) or len(pairs) < 2:
        return []
    alternate = all(max(map(time_of, earlier)) <= min(map(time_of, later)) for earlier, later in itertools.pairwise(pairs))
    return pairs if alternate and time_of(pairs[0][0]) != time_of(pairs[-1][0]) else []


def time_of(row: Json) -> str:
    return row["at"]  # times in ISO 8601, in UTC and with a fixed width; their alphabetical order is their order in time


def groups_of(pairs: Iterable[Pair]) -> list[Group]:
    """The groups, sorted by workload, size, plugin and technique."""
    by_name: dict[tuple[str, int, str, str], list[Pair]] = {}
    for each in pairs:
        by_name.setdefault(each.group, []).append(each)
    return [Group(name, sorted(of_group, key=lambda each: each.ratio.median)) for name, of_group in sorted(by_name.items())]
