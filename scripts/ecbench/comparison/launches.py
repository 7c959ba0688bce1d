"""The change of a point that was measured in launches: each gives a ratio (time of NEW / time of OLD), the median over its pairs
of slices. The ratio of a point is the median over its launches, since addresses of code and tables can bias a whole launch: in
a self-test with equal builds, the ratio of one of 2420 launches differed from 1 by 9 %.

The ends of the interval are order statistics, which are valid for any distribution of the noise, if the launches are independent.
A point that is inconclusive at the first look gets further launches. The second look uses all launches of the point."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ecbench.comparison.questions import NO_REGRESSION, Verdict, change
from ecbench.statistics.interval import Estimate, median, values_beyond

LOOKS = 2
THRESHOLD_PERCENT = 3.0
ALPHA = 0.05


@dataclass(frozen=True)
class Settings:
    points: int  # number of all points of the gate, including those that need no second look
    threshold: float = THRESHOLD_PERCENT  # loss of speed in percent
    alpha: float = ALPHA

    @property
    def tail(self) -> float:
        """The largest allowed probability that the true median is beyond one end of an interval, corrected for points and looks."""
        return self.alpha / (self.points * LOOKS)

    @property
    def tail_of_one(self) -> float:
        """Like `tail`, but corrected only for the looks."""
        return self.alpha / LOOKS

    @property
    def launches_needed(self) -> int:
        """The smallest number of launches that can be called slower: if the builds do not differ, all launches show a loss with a
        probability of 2^-launches, which must not exceed `tail`."""
        return math.ceil(math.log2(1 / self.tail))


@dataclass(frozen=True)
class PointVerdict(Verdict):
    """The values of its ratio are launches."""
    confidence_percent: float
    ties: int  # launches whose ratio is 1


def judge(launch_medians: Mapping[str, Sequence[float]], settings: Settings) -> dict[str, PointVerdict]:
    """Point id → verdict. `launch_medians`: the ratios of all launches so far."""
    return {point_id: judge_point(ratios, settings) for point_id, ratios in launch_medians.items()}


def judge_point(ratios: Sequence[float], settings: Settings) -> PointVerdict:
    if not ratios or not all(math.isfinite(ratio) and ratio > 0 for ratio in ratios):
        raise ValueError("a point needs at least one launch, and ratios that are finite and above 0")
    speeds = sorted(1 / ratio for ratio in ratios)
    found = change(exact_ratio(speeds, settings.tail), exact_ratio(speeds, settings.tail_of_one), settings.threshold / 100)
    tail = settings.tail_of_one if found.word == NO_REGRESSION else settings.tail
    return PointVerdict(found.word, found.ratio, 100 * (1 - 2 * tail), sum(ratio == 1 for ratio in ratios))


def exact_ratio(ascending: Sequence[float], tail: float) -> Estimate:
    """The median, with the narrowest interval such that the true median is beyond each end with a probability of at most `tail`; no
    interval if there are too few values."""
    beyond, confidence = values_beyond(len(ascending), 1 - 2 * tail)
    middle = median(ascending)
    if (1 - confidence) / 2 > tail * (1 + 1e-9):
        return Estimate(middle, count=len(ascending))
    return Estimate(middle, ascending[beyond], ascending[-1 - beyond], len(ascending))
