"""Judges the launches of a point: slower, no regression, faster, or inconclusive, by exact intervals of the median over
launches.

The figure of a launch is the median of its pairs of slices; that of a point is the median over its launches, because some launches
are biased as a whole by the addresses of code and tables (one in fifty by 9 %, as measured). The interval is between two order
statistics, so it holds for any distribution of the noise: of n launches, the number above the true median is that of heads in n
throws. It is wrong if the launches depend on one another: a bias of one side in a whole run (same_layout.py) looks like a loss.

Two errors are possible, and each has its own level:

- A false alarm. Any of the points may raise one, at either look, so each end of the interval of a point has a chance of
  alpha / (points x looks) (Bonferroni): a gate of builds that do not differ is wrong in at most alpha of whole runs, even if the
  threshold is 0. A point is slower if its whole interval at this level shows a loss and the loss is at least the threshold.
- A miss. It concerns only the point that is slower, however many others there are: a point has no regression if its interval of
  alpha / looks at each end has no loss as large as the threshold. A figure below the threshold is not enough: on a noisy machine
  that happens by chance.

Each verdict has the interval that it follows from. Otherwise a point is inconclusive: at the first look it is measured again, once,
and judged by all of its launches. Launches whose ratio is exactly 1 are on neither side, and so only widen the interval."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ecbench.statistics.interval import median, values_beyond

NO_REGRESSION, SLOWER, FASTER, INCONCLUSIVE = "no regression", "slower", "faster", "inconclusive"
LOOKS = 2  # the first look, and the one after the planned extension
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
        """The probability for one point."""
        return self.alpha / LOOKS

    @property
    def launches_needed(self) -> int:
        """The fewest launches with which a point can be slower at the first look: the probability that all are on one side is
        2^-launches."""
        return math.ceil(math.log2(1 / self.tail))


@dataclass(frozen=True)
class PointVerdict:
    """Changes of the speed in percent, 100 x (old time / new time - 1). They are negative if NEW is slower."""
    verdict: str
    change_percent: float
    low: float | None  # lower end of the interval that decided the verdict; None: too few launches
    high: float | None
    confidence_percent: float  # confidence of this interval
    launches: int
    ties: int
    look: int


def judge(launch_medians: Mapping[str, Sequence[float]], settings: Settings, look: int) -> dict[str, PointVerdict]:
    """Judges points by id. `launch_medians`: id → ratios, new time / old time, of all launches so far."""
    return {point_id: judge_point(ratios, settings, look) for point_id, ratios in launch_medians.items()}


def judge_point(ratios: Sequence[float], settings: Settings, look: int) -> PointVerdict:
    if not ratios or not all(math.isfinite(ratio) and ratio > 0 for ratio in ratios):
        raise ValueError("a point is judged by the ratios of its launches, finite and above 0")
    changes = sorted(100 * (1 / ratio - 1) for ratio in ratios)
    change = median(changes)
    verdict, tail = decide(changes, change, settings)
    low, high = ends(changes, tail) or (None, None)
    return PointVerdict(verdict, change, low, high, 100 * (1 - 2 * tail), len(changes), sum(ratio == 1 for ratio in ratios), look)


def decide(changes: Sequence[float], change: float, settings: Settings) -> tuple[str, float]:
    """The verdict, and the tail probability of the interval that decided it."""
    threshold = settings.threshold - 1e-9  # 100 * (1.03 - 1) is 3 except for rounding
    corrected, of_one = ends(changes, settings.tail), ends(changes, settings.tail_of_one)
    if corrected and corrected[1] < 0 and change <= -threshold:
        return SLOWER, settings.tail
    if corrected and corrected[0] > 0 and change >= threshold:
        return FASTER, settings.tail
    if of_one and of_one[0] > -threshold:
        return NO_REGRESSION, settings.tail_of_one
    return INCONCLUSIVE, settings.tail


def ends(ascending: Sequence[float], tail: float) -> tuple[float, float] | None:
    """The outermost order statistics such that the true median is beyond each of them with a probability of at most `tail`; None if
    there are too few values."""
    beyond, confidence = values_beyond(len(ascending), 1 - 2 * tail)
    if (1 - confidence) / 2 > tail * (1 + 1e-9):
        return None
    return ascending[beyond], ascending[-1 - beyond]
