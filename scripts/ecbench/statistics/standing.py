"""The speeds of candidates, round by round, and what follows from them.

A round measures every candidate of a stage once, in random order. Speeds are logarithms, because disturbances multiply. Between
rounds the whole machine gets faster or slower, so that candidates are compared within rounds: each speed is relative to the median
of the candidates that were measured in the round and are still compared."""

import math
import statistics

from ecbench.statistics.interval import median_interval

# One measurement may be wrong by a fifth and more where the object is as large as a cache (placements differ by 15 %, launches by
# 9 %). Nothing is believed to be quieter than half a percent.
LOUDEST = 0.12
QUIETEST = 0.005
# How many standard errors make a difference between two candidates: one in ten thousand is dropped wrongly.
SURE = 3.0


class Rounds:
    """The speeds of one stage: rounds[r][candidate] is the logarithm of its GB/s; a candidate that failed is not in it."""

    def __init__(self):
        self.rounds = []

    def add(self, speeds):
        self.rounds.append(speeds)

    def speeds(self, candidate):
        return [speeds[candidate] for speeds in self.rounds if candidate in speeds]

    def relative(self, candidates):
        """For each candidate its speeds, each less the median of those of `candidates` that ran in the same round."""
        result = {candidate: [] for candidate in candidates}
        for speeds in self.rounds:
            present = [candidate for candidate in candidates if candidate in speeds]
            if not present:
                continue
            level = statistics.median(speeds[candidate] for candidate in present)
            for candidate in present:
                result[candidate].append(speeds[candidate] - level)
        return result


def ranked(relative):
    """The candidates, fastest first."""
    return sorted(relative, key=lambda candidate: -statistics.median(relative[candidate]))


def ranked_by_pairs(rounds, candidates):
    """The candidates, by how many of the others each is faster than in the median round of both; among equals by their speeds
    relative to the round. So no other is faster than the first in the median round."""
    relative = rounds.relative(candidates)
    beaten = {candidate: sum(ratio_interval(rounds, candidate, other)[0] > 1 for other in candidates if other != candidate)
              for candidate in candidates}
    return sorted(candidates, key=lambda candidate: (-beaten[candidate], -statistics.median(relative[candidate])))


def noise(relative):
    """The standard deviation of one measurement, from how the rounds of all candidates differ: robust, as launches go wrong by far
    more than usual now and then. A single round tells nothing: then the loudest that is known of."""
    deviations = [abs(value - statistics.median(values)) * math.sqrt(len(values) / (len(values) - 1))
                  for values in relative.values() if len(values) > 1 for value in values]
    if not deviations:
        return LOUDEST
    # Of two values either is as far from the median, of three one is not at all: the median would be misled, two thirds are not.
    deviations.sort()
    return min(max(deviations[int(len(deviations) * 0.68)], QUIETEST), 2 * LOUDEST)


def clearly_below(relative):
    """The candidates that are slower than the fastest beyond doubt."""
    one = noise(relative)

    def error(candidate):
        # A median of n is a quarter less sure than a mean.
        return 1.25 * one / math.sqrt(len(relative[candidate]))

    # The best of many is the luckiest of many: what it is surely worth is the highest of all lower ends.
    floor = max(statistics.median(values) - SURE / math.sqrt(2) * error(candidate) for candidate, values in relative.items())
    return {candidate for candidate, values in relative.items()
            if statistics.median(values) + SURE / math.sqrt(2) * error(candidate) < floor}


def ratio_interval(rounds, candidate, best):
    """The speed of a candidate over that of the best, pair by pair in the rounds of both: median, low, high. The interval is None
    where there are too few rounds for one of 95 %."""
    ratios = [speeds[candidate] - speeds[best] for speeds in rounds.rounds if candidate in speeds and best in speeds]
    return figure_of(ratios)


def figure_of(logarithms):
    """Median, low and high of what the logarithms stand for; low and high are None if there are too few for 95 %."""
    values = [math.exp(value) for value in logarithms]
    interval = median_interval(values) if values else None
    middle = statistics.median(values) if values else math.nan
    if interval is None or interval.confidence < 0.95:
        return middle, None, None
    return middle, interval.low, interval.high
