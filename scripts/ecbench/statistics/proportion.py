"""An upper bound for the probability of an event that was counted in a number of trials."""

import math

CONFIDENCE = 0.95
STEPS = 60  # of the bisection: more than a double has digits


def upper_bound(count: int, trials: int, confidence: float = CONFIDENCE) -> float:
    """The one-sided upper bound of a probability after `count` of `trials` events (Clopper and Pearson 1934): with a larger
    probability, `count` or fewer events have a chance below 1 - confidence. For no event: 1 - (1 - confidence)^(1 / trials)."""
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
    """The chance of `count` or fewer events."""
    return sum(math.comb(trials, number) * probability ** number * (1 - probability) ** (trials - number)
               for number in range(count + 1))
