"""Judges the launches of a point: slower, no regression, faster, or inconclusive. The verdict is based on exact confidence
intervals of the point's ratio.

The ratio of a launch is the median over its pairs of slices. The ratio of a point is the median over its launches. This median is
necessary because the addresses of code and tables can bias a whole launch. In a self-test with equal builds, the ratio of one of
2420 launches differed from 1 by 9 % (docs/gate.md).

The ends of the interval are order statistics. The number of launches above the true median has a binomial distribution, like the
number of heads in n tosses of a coin. Thus the interval is valid for any distribution of the noise. However, the launches must be
independent of each other. For example, if one side has the same bias in all launches of a run (same_layout.py), this bias looks
like a loss of speed.

Two errors are possible. Each has its own probability:

- A false alarm: the verdict is "slower", but NEW is not slower. Each point can raise a false alarm at each look. Therefore each
  point gets a wide interval: for each end of the interval, the probability that the true median is beyond this end is at most
  alpha / (points x looks) (Bonferroni). If the builds do not differ, the probability that a whole run raises a false alarm is at
  most alpha, even if the threshold is 0. The verdict is "slower" if the whole interval shows a loss, and the measured loss is at
  least the threshold.
- A missed loss: the verdict is "no regression", but NEW is slower by at least the threshold. The probability of this error does not
  depend on the number of other points. Therefore a narrower interval is used: for each end, the probability is at most
  alpha / looks. The verdict is "no regression" if this interval contains no loss as large as the threshold. It is not sufficient
  that the measured loss is below the threshold, since this can happen by chance on a noisy machine.

Each verdict is reported with the interval on which it is based. If a point gets none of the other verdicts, it is inconclusive. A
point that is inconclusive at the first look gets further launches. The second look then uses all launches of the point. A launch
whose ratio is exactly 1 is evidence for neither side. It can move the ends of the interval only towards a change of 0."""

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
    points: int  # number of all points of the gate, including those that need no second look
    threshold: float = THRESHOLD_PERCENT  # loss of speed in percent
    alpha: float = ALPHA

    @property
    def tail(self) -> float:
        """The largest allowed probability that the true median is beyond one end of an interval. The probability is corrected for
        all points and looks."""
        return self.alpha / (self.points * LOOKS)

    @property
    def tail_of_one(self) -> float:
        """Like `tail`, but the probability is corrected only for the looks, not for the number of points."""
        return self.alpha / LOOKS

    @property
    def launches_needed(self) -> int:
        """The smallest number of launches with which the verdict at the first look can be "slower". If the builds do not differ,
        all launches show a loss with a probability of 2^-launches. This probability must not exceed `tail`."""
        return math.ceil(math.log2(1 / self.tail))


@dataclass(frozen=True)
class PointVerdict:
    """The verdict of a point. `change_percent`, `low` and `high` are changes of the speed in percent:
    100 x (old time / new time - 1). A change is negative if NEW is slower."""
    verdict: str
    change_percent: float
    low: float | None  # lower end of the interval that decided the verdict; None: too few launches
    high: float | None  # upper end of the same interval
    confidence_percent: float  # confidence level of the interval
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
    ends are order statistics. Returns None if there are too few values for such an interval."""
    beyond, confidence = values_beyond(len(ascending), 1 - 2 * tail)
    if (1 - confidence) / 2 > tail * (1 + 1e-9):
        return None
    return ascending[beyond], ascending[-1 - beyond]
