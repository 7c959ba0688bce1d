"""Medians and their confidence intervals, as src/benchmark/sampling/samples.h computes them. The tests of both use
src/test/data/median_intervals.json."""

import functools
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CONFIDENCE = 0.95
FEWEST_VALUES = 6  # a 95 % interval needs at least 6 values; src/benchmark/measurement/measurement.cc has the same constant


class Interval(NamedTuple):
    low: float
    high: float
    confidence: float  # can differ from the requested one, because the ends are two of the values


@dataclass(frozen=True, slots=True)
class Estimate:
    """The median of speeds, or a ratio, with the ends of its confidence interval; None: no interval."""
    median: float
    low: float | None = None
    high: float | None = None
    count: int = 0  # number of values

    @property
    def inverse(self) -> "Estimate":
        return Estimate(1 / self.median, self.high and 1 / self.high, self.low and 1 / self.low, self.count)

    @property
    def width_percent(self) -> float | None:
        """Half the width of the interval, in percent of the median."""
        known = self.low is not None and self.high is not None and self.median
        return (self.high - self.low) / 2 / self.median * 100 if known else None  # type: ignore[operator]


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def median_interval(values: Iterable[float], confidence: float = CONFIDENCE) -> Interval:
    """The narrowest interval that has at least this confidence and as many values below as above it. From the lowest to the
    highest value if there are too few values."""
    ascending = sorted(values)
    beyond, really = values_beyond(len(ascending), confidence)
    return Interval(ascending[beyond], ascending[-1 - beyond], really)


@functools.cache
def values_beyond(count: int, confidence: float) -> tuple[int, float]:
    """The number of values beyond each end of the interval, and its confidence 1 - 2 P(Bin(count, 1/2) <= beyond). Integers,
    because floating-point numbers would round the probabilities of more than a thousand values to 0."""
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


def estimate(values: Sequence[float]) -> Estimate:
    """The median of the values and its 95 % interval, if there are FEWEST_VALUES values. The median of no values is NaN."""
    if len(values) < FEWEST_VALUES:
        return Estimate(median(values) if values else math.nan, count=len(values))
    low, high, _ = median_interval(values)
    return Estimate(median(values), low, high, len(values))
