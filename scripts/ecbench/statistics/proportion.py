"""Computes an upper bound for the probability of an event. The event was counted in a number of trials."""

import math

CONFIDENCE = 0.95
STEPS = 60  # steps of the bisection; more steps are useless, because a double has only 53 binary digits


def upper_bound(count: int, trials: int, confidence: float = CONFIDENCE) -> float:
    """The one-sided upper bound of the probability of an event that occurred in `count` of `trials` trials (Clopper and Pearson
    1934). If the probability were above the bound, the chance of `count` or fewer events would be below 1 - confidence. If `count`
    is 0, the bound is 1 - (1 - confidence)^(1 / trials)."""
    if count >= trials:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if at_most(count, trials, middle) < 1 - confidence:
            high = middle
        else:
            low = middle
    return high


def at_most(count: int, trials: int, probability: float) -> float:
    """The probability that an event occurs in at most `count` of `trials` trials, if it has the given probability in each trial."""
    return sum(math.comb(trials, number) * probability ** number * (1 - probability) ** (trials - number)
               for number in range(count + 1))
