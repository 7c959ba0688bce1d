"""What the launches of a point say of it: slower, fine, faster, or inconclusive, from exact intervals of the median over launches.

A launch's figure is the median of its pair ratios, new over old; a point's is the median over its launches, because some launches
are biased as a whole by where code and tables happen to lie (one in fifty by 9 %, where that was measured). The interval lies
between two order statistics, so that it holds whatever the noise is distributed like: of n launches, the number that fall above the
true median is that of heads in n throws. It is as wrong as the launches are dependent: what biases one side in a whole run
(same_layout.py) it takes for a loss.

Two errors are possible, and are counted apart:

- A false alarm. Any of the points may raise one, at either look, so that each end of a point's interval has
  alpha / (points x looks) to itself (Bonferroni): a gate of builds that do not differ is wrong in at most alpha of whole runs, even
  if the threshold is 0. Slower is a point whose whole interval lies above zero and whose loss is at least the threshold.
- A miss. It concerns the one point that has lost, however many others there are: fine is a point of which a loss as large as the
  threshold is ruled out at alpha / looks. Being below the threshold alone is not fine: a noisy machine would be enough for that.

What is neither is inconclusive: at the first look it is extended, once, and judged by all of its launches together. Launches whose
ratio is exactly 1 are ties; they lie on neither side, and so only widen the interval."""

import dataclasses
import math

from ecbench.statistics.interval import median, values_beyond

FINE, SLOWER, FASTER, INCONCLUSIVE = "fine", "slower", "faster", "inconclusive"
LOOKS = 2  # the first, and after the one planned extension
THRESHOLD_PERCENT = 3.0
ALPHA = 0.05


@dataclasses.dataclass(frozen=True)
class Settings:
    points: int  # of the whole gate, also of those that are judged already
    threshold: float = THRESHOLD_PERCENT  # percent of loss
    alpha: float = ALPHA

    @property
    def tail(self):
        """What each end of a point's interval may miss the true median by."""
        return self.alpha / (self.points * LOOKS)

    @property
    def confidence(self):
        """Of a point's whole interval."""
        return 1 - 2 * self.tail

    @property
    def launches_needed(self):
        """Fewer at the first look than these can condemn nothing: the chance that all lie on one side is 2^-launches."""
        return math.ceil(math.log2(1 / self.tail))


@dataclasses.dataclass(frozen=True)
class PointVerdict:
    """Percent of loss, 100 x (new / old - 1) of the time: negative where the new build is faster."""
    verdict: str
    loss_percent: float
    low: float | None  # of the corrected interval; None: too few launches for one
    high: float | None
    ceiling: float | None  # the loss is no larger, at alpha / looks for this point alone
    launches: int
    ties: int
    look: int


def judge(launch_medians, settings, look):
    """A PointVerdict by id. `launch_medians`: id -> the ratios, new over old, of all launches so far."""
    return {point_id: judge_point(ratios, settings, look) for point_id, ratios in launch_medians.items()}


def judge_point(ratios, settings, look):
    if not ratios or not all(math.isfinite(ratio) and ratio > 0 for ratio in ratios):
        raise ValueError("a point is judged by the ratios of its launches, finite and above 0")
    losses = sorted(100 * (ratio - 1) for ratio in ratios)
    loss = median(losses)
    low, high = ends(losses, settings.tail)
    _, ceiling = ends(losses, settings.alpha / LOOKS)
    return PointVerdict(decide(loss, low, high, ceiling, settings.threshold), loss, low, high, ceiling, len(losses),
                        sum(ratio == 1 for ratio in ratios), look)


def decide(loss, low, high, ceiling, threshold):
    reached = threshold - 1e-9  # 100 * (1.03 - 1) is 3 but for rounding
    if low is not None and low > 0 and loss >= reached:
        return SLOWER
    if high is not None and high < 0 and loss <= -reached:
        return FASTER
    if ceiling is not None and ceiling < reached:
        return FINE
    return INCONCLUSIVE


def ends(ascending, tail):
    """The outermost order statistics beyond which the true median lies with a chance of at most `tail` on either side; None, None
    where there are too few values."""
    beyond, confidence = values_beyond(len(ascending), 1 - 2 * tail)
    if (1 - confidence) / 2 > tail * (1 + 1e-9):
        return None, None
    return ascending[beyond], ascending[-1 - beyond]
