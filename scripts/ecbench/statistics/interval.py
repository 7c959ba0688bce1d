"""Medians and their confidence intervals, computed as in src/benchmark/sampling/statistics.h; both are tested with
src/test/data/median_intervals.json."""

import functools
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CONFIDENCE = 0.95
FEWEST_VALUES = 6  # fewer values have no 95 % interval; src/benchmark/measurement/summary.cc has the same constant


class Interval(NamedTuple):
    """An interval with its actual confidence. Its ends are two of the values, so only certain confidences are possible."""
    low: float
    high: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """The median of speeds or ratios with its interval. `low` and `high` are None if there are fewer than FEWEST_VALUES values."""
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
    """The median of at least one value."""
    return statistics.median(values)


def median_interval(values: Iterable[float], confidence: float = CONFIDENCE) -> Interval:
    """The narrowest interval between two of the values that contains the median with at least `confidence`. As many values are
    below the interval as above it. If there are too few values, the interval is from the lowest to the highest value, and its
    confidence is lower. Needs at least one value."""
    ascending = sorted(values)
    beyond, really = values_beyond(len(ascending), confidence)
    return Interval(ascending[beyond], ascending[-1 - beyond], really)


@functools.cache
def values_beyond(count: int, confidence: float) -> tuple[int, float]:
    """How many of `count` values are below the interval (as many are above it), and the confidence of the interval:
    1 - 2 P(Bin(count, 1/2) <= beyond). Computed with integers, because floating point would round small tails to 0 for
    more than a thousand values."""
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
    """The median of the values and its interval; NaN for an empty sequence. If there are enough values for 95 % but too few for
    `confidence`, the interval is from the lowest value to the highest."""
    if not values:
        return Estimate(math.nan)
    if len(values) < FEWEST_VALUES:
        return Estimate(median(values), count=len(values))
    low, high, _ = median_interval(values, confidence)
    return Estimate(median(values), low, high, len(values))


def independent_ratio(one: Estimate, base: Estimate) -> Estimate:
    """The ratio of two figures that were not measured in pairs. The interval of the ratio is computed on a logarithmic scale. Each
    distance from the ratio to an end of its interval is computed from two distances: from each figure to an end of the figure's
    interval. These two distances are squared and added, and the square root of the sum is taken (method of variance
    estimates recovery: Zou and Donner, Statistics in Medicine 27, 2008). The intervals need not be symmetric. The ratio has no
    interval if one of the figures has no interval, or if its interval reaches 0."""
    ratio, count = one.median / base.median if base.median else math.nan, min(one.count, base.count)
    if not one.low or not base.low or one.high is None or base.high is None:
        return Estimate(ratio, count=count)
    below = math.hypot(math.log(one.median / one.low), math.log(base.high / base.median))
    above = math.hypot(math.log(one.high / one.median), math.log(base.median / base.low))
    return Estimate(ratio, ratio * math.exp(-below), ratio * math.exp(above), count)


def geometric_mean(ratios: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
