"""Computes medians and their confidence intervals. src/benchmark/sampling/statistics.h does the same computation. The tests of
both files use src/test/data/median_intervals.json."""

import functools
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CONFIDENCE = 0.95
FEWEST_VALUES = 6  # a 95 % interval needs at least 6 values; src/benchmark/measurement/summary.cc has the same constant


class Interval(NamedTuple):
    """A confidence interval of a median. Its ends are two of the measured values, so only certain confidences are possible.
    Therefore `confidence` can differ from the requested confidence."""
    low: float
    high: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """The median of speeds or ratios. `low` and `high` are the ends of its confidence interval; None if it has no interval."""
    median: float
    low: float | None = None
    high: float | None = None
    count: int = 0  # number of values

    @property
    def half_width(self) -> float | None:
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def width_percent(self) -> float | None:
        """Half the width of the interval, in percent of the median."""
        return None if self.half_width is None or not self.median else self.half_width / self.median * 100


def median(values: Iterable[float]) -> float:
    """The median of the values. There must be at least one value."""
    return statistics.median(values)


def median_interval(values: Iterable[float], confidence: float = CONFIDENCE) -> Interval:
    """The confidence interval of the median. Its ends are two of the values. The number of values below the interval is equal to
    the number of values above the interval. It is the narrowest such interval whose confidence is at least `confidence`. If there
    are too few values, the interval is from the lowest to the highest value, and its confidence is lower than `confidence`.
    There must be at least one value."""
    ascending = sorted(values)
    beyond, really = values_beyond(len(ascending), confidence)
    return Interval(ascending[beyond], ascending[-1 - beyond], really)


@functools.cache
def values_beyond(count: int, confidence: float) -> tuple[int, float]:
    """For `count` values, returns `beyond` and the confidence of the interval. `beyond` is the number of values below the interval,
    and also the number of values above the interval. The confidence is 1 - 2 P(Bin(count, 1/2) <= beyond). It is computed with
    integers: with more than a thousand values, floating-point numbers would round small probabilities to 0."""
    everything = 1 << count
    tail, ways = 1, 1  # probabilities of Bin(count, 1/2), times 2^count
    beyond, really = 0, (everything - 2) / everything
    while beyond + 1 < (count + 1) // 2:
        ways = ways * (count - beyond) // (beyond + 1)
        tail += ways
        closer = (everything - 2 * tail) / everything
        if closer < confidence:
            break
        beyond, really = beyond + 1, closer
    return beyond, really


def estimate(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The median of the values and its interval. The median of an empty sequence is NaN. With fewer than FEWEST_VALUES values,
    there is no interval. If there are enough values for 95 %, but too few for `confidence`, the interval is from the lowest to the
    highest value."""
    if not values:
        return Estimate(math.nan)
    if len(values) < FEWEST_VALUES:
        return Estimate(median(values), count=len(values))
    low, high, _ = median_interval(values, confidence)
    return Estimate(median(values), low, high, len(values))


def independent_ratio(one: Estimate, base: Estimate) -> Estimate:
    """The ratio `one` / `base` of two figures that were not measured in pairs. Its interval is computed on a logarithmic scale with
    the method of variance estimates recovery (Zou and Donner, Statistics in Medicine 27, 2008).

    The distance from the ratio to the lower end of its interval is sqrt(a^2 + b^2): a is the distance from the median of `one` to
    its lower end, and b is the distance from the median of `base` to its upper end. For the upper end of the ratio's interval, a is
    the distance to the upper end of `one`, and b is the distance to the lower end of `base`. The intervals of the two figures need
    not be symmetric. If one of the figures has no interval, or an interval that reaches 0, the ratio has no interval."""
    ratio, count = one.median / base.median if base.median else math.nan, min(one.count, base.count)
    if not one.low or not base.low or one.high is None or base.high is None:
        return Estimate(ratio, count=count)
    below = math.hypot(math.log(one.median / one.low), math.log(base.high / base.median))
    above = math.hypot(math.log(one.high / one.median), math.log(base.median / base.low))
    return Estimate(ratio, ratio * math.exp(-below), ratio * math.exp(above), count)


def geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
