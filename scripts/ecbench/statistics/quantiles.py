"""Quantiles and probabilities of the normal, Student's and the binomial distribution."""

import functools
import math
import statistics
from collections.abc import Callable

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
    return -statistics.NormalDist().inv_cdf(tail)


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
