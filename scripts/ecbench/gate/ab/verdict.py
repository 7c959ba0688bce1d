"""Judges the launches of a point: slower, no regression, faster, or inconclusive. The verdict follows from exact confidence
intervals of the median over launches.

The figure of a launch is the median over its pairs of slices. The figure of a point is the median over its launches, because the
addresses of code and tables bias some launches as a whole (one in fifty by 9 %, as measured). The ends of the interval are order
statistics, so the interval is valid for any distribution of the noise: the number of launches above the true median is distributed
like the number of heads in n tosses of a coin. The interval is wrong if the launches depend on one another: a bias of one side in a
whole run (same_layout.py) looks like a loss.

Two errors are possible. Each has its own probability:

- A false alarm. Each point can raise a false alarm at each look. Therefore the interval of each point is so wide that the true
  median is beyond an end with a probability of at most alpha / (points x looks) (Bonferroni). If the builds do not differ, the
  probability that a whole run raises a false alarm is at most alpha, even if the threshold is 0. A point is slower if this whole
  interval shows a loss and the measured loss is at least the threshold.
- A missed loss. Its probability does not depend on the number of other points. Therefore a narrower interval is used: the true
  median is beyond an end with a probability of at most alpha / looks. A point has no regression if this interval contains no loss
  as large as the threshold. It is not enough that the measured loss is below the threshold, since this can happen by chance on a
  noisy machine.

Each verdict is reported with the interval from which it follows. A point without one of these verdicts is inconclusive. A point
that is inconclusive at the first look gets further launches, and is then judged by all its launches. A launch whose ratio is
exactly 1 is evidence for neither side. It can move the ends of the interval only towards a change of 0."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ecbench.statistics.interval import median, values_beyond

NO_REGRESSION, SLOWER, FASTER, INCONCLUSIVE = "no regression", "slower", "faster", "inconclusive"
LOOKS = 2  # the first look, and the second look after further launches
THRESHOLD_PERCENT = 3.0
ALPHA = 0.05


@dataclass(frozen=True)
class Settings:
    points: int  # all points of the gate, also those that are already judged
    threshold: float = THRESHOLD_PERCENT  # loss of speed in percent
    alpha: float = ALPHA

    @property
    def tail(self) -> float:
        """The probability that the true median is beyond one end of an interval, corrected for all points and looks."""
        return self.alpha / (self.points * LOOKS)

    @property
    def tail_of_one(self) -> float:
        """The probability that the true median is beyond one end of an interval, corrected for the looks but not for the points."""
        return self.alpha / LOOKS

    @property
    def launches_needed(self) -> int:
        """The smallest number of launches with which the verdict at the first look can be "slower". If the builds do not differ,
        all launches show a loss with a probability of 2^-launches. This probability must not exceed the tail."""
        return math.ceil(math.log2(1 / self.tail))


@dataclass(frozen=True)
class PointVerdict:
    """The verdict of a point. `change_percent`, `low` and `high` are changes of the speed in percent, 100 x (old time / new time
    - 1). A change is negative if NEW is slower."""
    verdict: str
    change_percent: float
    low: float | None  # lower end of the interval that decided the verdict; None: too few launches
    high: float | None
    confidence_percent: float  # confidence of this interval
    launches: int
    ties: int
    look: int


def judge(launch_medians: Mapping[str, Sequence[float]], settings: Settings, look: int) -> dict[str, PointVerdict]:
    """id → verdict of the point. `launch_medians`: id → the ratios (new time / old time) of all launches so far."""
    return {point_id: judge_point(ratios, settings, look) for point_id, ratios in launch_medians.items()}


def judge_point(ratios: Sequence[float], settings: Settings, look: int) -> PointVerdict:
    if not ratios or not all(math.isfinite(ratio) and ratio > 0 for ratio in ratios):
        raise ValueError("a point needs at least one launch, and ratios that are finite and above 0")
    changes = sorted(100 * (1 / ratio - 1) for ratio in ratios)
    change = median(changes)
    verdict, tail = decide(changes, change, settings)
    low, high = ends(changes, tail) or (None, None)
    return PointVerdict(verdict, change, low, high, 100 * (1 - 2 * tail), len(changes), sum(ratio == 1 for ratio in ratios), look)


def decide(changes: Sequence[float], change: float, settings: Settings) -> tuple[str, float]:
    """The verdict, and the tail probability of the interval that decided it."""
    threshold = settings.threshold - 1e-9  # tolerates rounding errors, such as in 100 * (1.03 - 1)
    corrected, of_one = ends(changes, settings.tail), ends(changes, settings.tail_of_one)
    if corrected and corrected[1] < 0 and change <= -threshold:
        return SLOWER, settings.tail
    if corrected and corrected[0] > 0 and change >= threshold:
        return FASTER, settings.tail
    if of_one and of_one[0] > -threshold:
        return NO_REGRESSION, settings.tail_of_one
    return INCONCLUSIVE, settings.tail


def ends(ascending: Sequence[float], tail: float) -> tuple[float, float] | None:
    """The ends of the narrowest interval such that the true median is beyond each end with a probability of at most `tail`. The
    ends are order statistics. None if there are too few values."""
    beyond, confidence = values_beyond(len(ascending), 1 - 2 * tail)
    if (1 - confidence) / 2 > tail * (1 + 1e-9):
        return None
    return ascending[beyond], ascending[-1 - beyond]
