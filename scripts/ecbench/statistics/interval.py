"""Medians and their confidence intervals, as src/benchmark/sampling/samples.h computes them. The tests of both use
src/test/data/median_intervals.json."""

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, median
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


# Quantiles and probabilities of the normal, Student's and the binomial distribution.

STEPS = 60  # of the bisection; a double has only 53 binary digits


def two_sided(t: float, freedom: int) -> float:
    """P(|T| > t) for Student's distribution with a whole number of degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
    The error is about 1e-15."""
    angle = math.atan(abs(t) / math.sqrt(freedom))
    cosine = math.cos(angle)
    term, total = (cosine, 0.0) if freedom % 2 else (1.0, 0.0)
    for number in range(freedom % 2 + 2, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (number - 1) / number
    inside = math.sin(angle) * total
    return max(0.0, 1 - (2 / math.pi * (angle + inside) if freedom % 2 else inside))


def t_tail(t: float, freedom: int) -> float:
    """P(T > t) for Student's distribution."""
    return two_sided(t, freedom) / 2 if t > 0 else 1 - two_sided(t, freedom) / 2


@functools.cache
def t_quantile(tail: float, freedom: int) -> float:
    """The value that Student's distribution exceeds with the probability `tail`, which must be below 1/2."""
    high = 1.0
    while two_sided(high, freedom) > 2 * tail:
        high *= 2
    return bisect(lambda t: two_sided(t, freedom) > 2 * tail, high)


def normal_quantile(tail: float) -> float:
    """The value that the standard normal distribution exceeds with the probability `tail`."""
    return -NormalDist().inv_cdf(tail)


def upper_bound(count: int, trials: int) -> float:
    """The one-sided 95 % upper bound of the probability of an event that occurred in `count` of `trials` trials (Clopper and
    Pearson, 1934)."""
    return 1.0 if count >= trials else bisect(lambda middle: at_most(count, trials, middle) >= 0.05, 1.0)


def at_most(count: int, trials: int, probability: float) -> float:
    """The probability that an event occurs in at most `count` of `trials` trials, if it has the given probability in each trial."""
    return sum(math.comb(trials, number) * probability ** number * (1 - probability) ** (trials - number)
               for number in range(count + 1))


def bisect(is_below: Callable[[float], bool], high: float) -> float:
    low = 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return high
