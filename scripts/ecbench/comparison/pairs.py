"""Two runs, compared point by point: the ratio of the speeds of each point, and whether it changed. Intervals are corrected for the
number of common points.

The runs are interleaved at a point if their repetitions alternate in time, so that changes of the machine affect both. Then each
repetition gives a ratio. Otherwise, the ratio is that of two independent figures, and its interval does not include changes of the
machine between the runs."""

import dataclasses
import itertools
import math
import operator
import statistics
from collections.abc import Iterable, Sequence

from ecbench.comparison.figures import paired_ratio, unpaired_ratio
from ecbench.comparison.questions import FASTER, SLOWER, direction, tail_of
from ecbench.point.point import Point
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary
from ecbench.statistics.interval import FEWEST_VALUES, Estimate

SAME, UNKNOWN = "~", "-"  # SAME: not significantly different; UNKNOWN: the ratio has no interval
Group = tuple[str, int, str, str]  # workload, size, plugin, technique


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    point: Point
    a_gb_per_s: float
    b_gb_per_s: float
    ratio: Estimate  # speed in the second run / speed in the first run
    interleaved: bool
    a_mark: str = ""  # printed after a_gb_per_s if a row of the point has warnings
    b_mark: str = ""

    @property
    def group(self) -> Group:
        return self.point.workload, self.point.size, self.point.plugin, self.point.get("technique") or ""

    @property
    def verdict(self) -> str:
        found = UNKNOWN if self.ratio.low is None else direction(self.ratio)
        return found if found in (FASTER, SLOWER, UNKNOWN) else SAME


def pair_up(a: Run, a_summaries: Sequence[PointSummary], b: Run, b_summaries: Sequence[PointSummary]) -> list[Pair]:
    """The points that have a figure in both runs, in the order of the first run."""
    of_b = {summary.id: summary for summary in b_summaries if summary.gb_per_s}
    common = [summary for summary in a_summaries if summary.gb_per_s and summary.id in of_b]
    tail = tail_of(len(common))
    return [pair(summary, a.rows[summary.id], of_b[summary.id], b.rows[summary.id], tail) for summary in common]


def pair(a: PointSummary, a_rows: Sequence[Row], b: PointSummary, b_rows: Sequence[Row], tail: float) -> Pair:
    assert a.gb_per_s and b.gb_per_s
    ratio = unpaired_ratio(b.estimate, a.estimate, tail)
    in_step = interleaved_pairs(a_rows, b_rows)
    if in_step:
        ratios = [b_row.gb_per_s / a_row.gb_per_s for a_row, b_row in in_step]
        paired = paired_ratio(list(map(math.log, ratios)), tail)
        if len(ratios) < FEWEST_VALUES and ratio.low is not None and ratio.high is not None:
            paired = dataclasses.replace(paired, low=min(ratio.low, *ratios), high=max(ratio.high, *ratios))
        ratio = paired
    return Pair(a.point, a.gb_per_s, b.gb_per_s, ratio, bool(in_step), a.mark, b.mark)


def interleaved_pairs(a_rows: Sequence[Row], b_rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """The repetitions of both runs in pairs, in the order of measurement. Empty if the runs are not interleaved at this point."""
    pairs = list(zip(sorted(a_rows, key=operator.attrgetter("at")), sorted(b_rows, key=operator.attrgetter("at"))))
    if len(a_rows) != len(b_rows) or len(pairs) < 2:
        return []
    alternate = all(max(row.at for row in earlier) <= min(row.at for row in later) for earlier, later in itertools.pairwise(pairs))
    return pairs if alternate and pairs[0][0].at != pairs[-1][0].at else []


def by_group(pairs: Iterable[Pair]) -> dict[Group, list[Pair]]:
    """The pairs of each workload, size, plugin and technique, in ascending order of the ratio."""
    found: dict[Group, list[Pair]] = {}
    for each in pairs:
        found.setdefault(each.group, []).append(each)
    return {name: sorted(of_group, key=lambda each: each.ratio.median) for name, of_group in sorted(found.items())}


def mean_ratio(pairs: Iterable[Pair]) -> float:
    return statistics.geometric_mean(pair.ratio.median for pair in pairs)
