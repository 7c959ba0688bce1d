"""How sure a median is: the same interval as src/benchmark/statistics.h gives, tested with it on one file of vectors,
src/test/data/median_intervals.json."""

import functools
import math
import typing


class Interval(typing.NamedTuple):
    """The ends, and the confidence that they really have; order statistics come in steps."""
    low: float
    high: float
    confidence: float


def median(values):
    """Of at least one value."""
    ascending = sorted(values)
    half = len(ascending) // 2
    return ascending[half] if len(ascending) % 2 else (ascending[half - 1] + ascending[half]) / 2


def median_interval(values, confidence=0.95):
    """The narrowest interval between two order statistics, as many values below as above, that holds the median with at least
    `confidence`; from lowest to highest, at the confidence that this has, where there are too few: five for 95 %. None of no
    values."""
    ascending = sorted(values)
    if not ascending:
        return None
    beyond, really = values_beyond(len(ascending), confidence)
    return Interval(ascending[beyond], ascending[-1 - beyond], really)


@functools.cache
def values_beyond(count, confidence):
    """How many of `count` values may lie beyond either end, and the confidence 1 - 2 P(Bin(count, 1/2) <= beyond), from whole
    numbers: floating point would lose the tails of a thousand values."""
    everything = 1 << count
    tail, ways = 1, 1  # of Bin(count, 1/2), times 2^count
    beyond, really = 0, (everything - 2) / everything
    while beyond + 1 < (count + 1) // 2:
        ways = ways * (count - beyond) // (beyond + 1)
        tail += ways
        closer = (everything - 2 * tail) / everything
        if closer < confidence:
            break
        beyond, really = beyond + 1, closer
    return beyond, really


def geometric_mean(ratios):
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
